"""The command line: open the window, print a report, export figures.

Nothing heavy is imported before it is known to be wanted: ``--version`` and ``--help`` load neither
NumPy nor Qt, ``report`` no matplotlib, and only the window loads Qt.
"""

import argparse
import contextlib
import math
import os
import re
import signal
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

from mhagui import __version__
from mhagui.errors import UserError, visible

if TYPE_CHECKING:
    from mhagui.document import Scene

DEFAULT_SCENE = "four-heads"

OK, BUG, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130

# H·T³ from which the effective ranks of a report take long enough to say so: some four seconds.
_LONG_DECOMPOSITION = 16 * 1024**3

_USAGE = """mhagui [SCENE] [--figures-if-no-display DIR] [--reset-settings]
       mhagui report [SCENE] [--gain N=G ...] [--json]
       mhagui export [SCENE] [--gain N=G ...] --out DIR [--figure NAME ...]
                     [--format png,svg,pdf] [--dpi N] [--row N] [--head N]"""
_SCENE_HELP = (
    "a lesson's name (four-heads, two-heads, content-position, induction) or a scene file; "
    f"{DEFAULT_SCENE} unless given"
)
_COMMANDS_HELP = """commands:
  report                print every number of a scene; needs no display
  export                write its figures to files; needs no display
  'mhagui report --help' and 'mhagui export --help' say more. A scene file
  that is called like a command is opened as ./report."""

# What to write where the terminal's encoding lacks a character.
_PLAIN = str.maketrans(
    {
        "−": "-", "–": "-", "—": "-", "·": "*", "×": "x", "√": "sqrt", "Σ": "sum",
        "ᵀ": "'", "²": "^2", "“": '"', "”": '"', "…": "...", "≥": ">=", "≤": "<=",
    }
)  # fmt: skip


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program with ``argv``, or the process's own arguments; return the exit status."""
    arguments = sys.argv[1:] if argv is None else list(argv)
    try:
        return _run(arguments)
    except UserError as error:
        return _complain(str(error), BAD_INPUT)
    except SystemExit as stop:  # how argparse ends after --help, and a command after a signal
        return stop.code if isinstance(stop.code, int) else OK
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # whoever read the output has had enough
        return OK
    except ImportError:
        raise  # mhagui.__main__ tells a missing package from a bug
    except OSError as error:
        return _complain(_os_sentence(error), BAD_INPUT)
    except Exception as error:  # noqa: BLE001 - the last resort of the program
        return _report_bug(error)


def _run(arguments: list[str]) -> int:
    commands: dict[str, Callable[[list[str]], int]] = {"report": _report, "export": _export}
    if arguments and arguments[0] in commands:
        with _ended_by_signals():
            return commands[arguments[0]](arguments[1:])
    return _open_window(arguments)


# ------------------------------------------------------------------------------------------- window


def _open_window(arguments: list[str]) -> int:
    options = _window_parser().parse_args(arguments)
    if options.info or options.version:
        _say(_info() if options.info else f"mhagui {__version__}")
        return OK
    if options.reset_settings:
        _say(_reset_settings())
        if options.scene is None:
            return OK
    from mhagui.display_check import missing_libraries, why_no_display
    from mhagui.document import open_named

    session, origin = open_named(options.scene or DEFAULT_SCENE)
    scene = session.scene
    obstacle = why_no_display() or missing_libraries()
    if obstacle is None:
        from mhagui.gui.application import run

        return run(scene, origin, session.view)
    if options.figures_if_no_display is None:
        raise UserError(f"{obstacle}; 'mhagui report' and 'mhagui export' work without a window.")
    with _ended_by_signals():
        return _write_instead(scene, Path(options.figures_if_no_display), obstacle)


def _window_parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="mhagui",
        usage=_USAGE,
        description="An instrument for multi-head attention: drag a gain, watch every number move.",
        epilog=_COMMANDS_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("scene", nargs="?", metavar="SCENE", type=_not_empty, help=_SCENE_HELP)
    parser.add_argument(
        "--figures-if-no-display",
        metavar="DIR",
        type=_not_empty,
        help="where there is no display, write the scene's figures and report into DIR instead",
    )
    parser.add_argument(
        "--reset-settings",
        action="store_true",
        help="put the settings (theme, digits, colours, layouts, recent files) aside, and exit "
        "unless a SCENE is given",
    )
    parser.add_argument("--info", action="store_true", help="print versions and folders and exit")
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    return parser


def _write_instead(scene: "Scene", folder: Path, obstacle: str) -> int:
    from mhagui import figures, report
    from mhagui.document import compute
    from mhagui.files import write_into

    told = visible(obstacle)
    _say(f"{told}; writing the figures and the report of “{scene.title}” instead.")
    result = compute(scene)
    _tell_if_long(scene)
    names = [name for name in figures.FIGURES if figures.why_not(name, result) is None]
    contents = figures.render_all(scene, result, names, figures.FORMATS)
    contents["report.txt"] = report.report_text(scene, result).encode()
    contents["report.json"] = report.report_json(scene, result).encode()
    write_into(folder, contents)
    where = visible(str(folder.resolve()))
    _say(f"{len(contents)} files are in {where}: {', '.join(contents)}")
    return OK


def _reset_settings() -> str:
    from mhagui.home import own_home
    from mhagui.settings import FILE_NAME, SettingsStore

    store = SettingsStore(own_home().config / FILE_NAME)
    aside = store.reset()
    if aside is None:
        return visible(f"There are no settings in {store.path}; all is as at first.")
    return visible(f"All settings are as at first; the former ones are in {aside}.")


def _info() -> str:
    from mhagui.display_check import missing_libraries, why_no_display
    from mhagui.system_info import info_text, system_info

    display = why_no_display() or missing_libraries() or "a window can open"
    return info_text(system_info() | {"display": display})


# ------------------------------------------------------------------------------------------- report


def _report(arguments: list[str]) -> int:
    parser = _command_parser(
        "report", "Print every number of a scene: weights, entropies, ranks, Concat, output."
    )
    parser.add_argument(
        "--json", action="store_true", help="as JSON, in full precision, undefined values null"
    )
    options = parser.parse_args(arguments)
    _give_back_scene(options, options.gain, lambda value: "=" in value)
    scene = _scene_of(options)
    from mhagui import report
    from mhagui.document import compute

    _tell_if_long(scene)
    text = report.report_json if options.json else report.report_text
    _say(text(scene, compute(scene)), end="")
    return OK


# ------------------------------------------------------------------------------------------- export


def _export(arguments: list[str]) -> int:
    from mhagui import figures

    options = _export_parser(figures.FIGURES, figures.DEFAULT_DPI).parse_args(arguments)
    _give_back_scene(options, options.gain, lambda value: "=" in value)
    _give_back_scene(
        options, options.figure, lambda value: "," in value or value in figures.FIGURES
    )
    _give_back_scene(
        options, options.format, lambda value: "," in value or value.lower() in figures.FORMATS
    )
    formats = [kind.lower() for kind in _listed(options.format)] or ["png"]
    dpi = _whole_number("--dpi", options.dpi)
    row = None if options.row is None else _whole_number("--row", options.row) - 1
    head = 0 if options.head is None else _whole_number("--head", options.head) - 1
    scene = _scene_of(options)
    from mhagui.document import compute

    result = compute(scene)
    names = _listed(options.figure)
    for name in () if names else figures.FIGURES:
        why_not = figures.why_not(name, result)
        if why_not is None:
            names.append(name)
        else:
            _complain(f"{name} is left out. {why_not}", OK)
    written = figures.write_figures(
        scene, result, Path(options.out), names, formats, dpi, row=row, head=head
    )
    for path in written:
        _say(visible(str(path)))
    return OK


def _export_parser(names: Iterable[str], dpi: int) -> argparse.ArgumentParser:
    parser = _command_parser("export", "Write the figures of a scene to files. Needs no display.")
    parser.add_argument(
        "--out",
        metavar="DIR",
        required=True,
        type=_not_empty,
        help="the folder to write into; made if missing",
    )
    parser.add_argument(
        "--figure",
        metavar="NAME",
        type=_not_empty,
        nargs="+",
        action="extend",
        default=[],
        help=f"one or more of {', '.join(names)}; all unless given",
    )
    parser.add_argument(
        "--format",
        metavar="FORMATS",
        type=_not_empty,
        nargs="+",
        action="extend",
        default=[],
        help="one or more of png, svg, pdf, with commas between; png unless given",
    )
    parser.add_argument(
        "--dpi",
        metavar="N",
        default=str(dpi),
        help=f"pixels per inch of PNG files; {dpi} unless given",
    )
    parser.add_argument(
        "--row",
        metavar="N",
        help="the query position t (from 1) whose responses and information are drawn; 4 unless "
        "given",
    )
    parser.add_argument(
        "--head",
        metavar="N",
        help="the head (from 1) whose pipeline is drawn; 1 unless given",
    )
    return parser


# -------------------------------------------------------------------------- what the commands share


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints are a UserError, and whose help is not lost without a word."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        # Whatever starts with a number is a value: argparse takes the gain -1=1 for an option.
        self._negative_number_matcher = re.compile(r"-\.?\d")

    def print_help(self, file: object = None) -> None:  # noqa: ARG002 - argparse's word
        """Print the help as everything is printed."""
        _say(self.format_help(), end="")

    def error(self, message: str) -> NoReturn:
        """Raise what argparse would print after its usage."""
        raise UserError(f"{message}; see '{self.prog} --help'.")


def _command_parser(name: str, description: str) -> argparse.ArgumentParser:
    parser = _Parser(prog=f"mhagui {name}", description=description, allow_abbrev=False)
    parser.add_argument("scene", nargs="?", metavar="SCENE", type=_not_empty, help=_SCENE_HELP)
    parser.add_argument(
        "--gain",
        metavar="N=G",
        nargs="+",
        action="extend",
        default=[],
        help="set the gain of head N (from 1) to G, any finite number",
    )
    return parser


def _give_back_scene(
    options: argparse.Namespace, values: list[str], belongs: Callable[[str], bool]
) -> None:
    """Take SCENE out of the ``values`` of an option before it, which has swallowed it."""
    from mhagui.document import lesson_names

    if options.scene is None and values and not belongs(values[-1]):
        last = values[-1]
        if last in lesson_names() or Path(last).is_file():
            options.scene = values.pop()


def _scene_of(options: argparse.Namespace) -> "Scene":
    """Return the scene that is asked for, with the gains that are."""
    from mhagui.document import load_scene
    from mhagui.document.edits import set_gain

    scene = load_scene(options.scene or DEFAULT_SCENE)
    for text in options.gain:
        number, equals, value = text.partition("=")
        if not equals or not number.strip().removeprefix("-").isdecimal():
            raise UserError(
                f"--gain {text}: give N=G, the number of a head and its gain, such as 1=2.5."
            )
        head, gain = _whole_number("--gain", number), _finite_number(text, value)
        if not 1 <= head <= scene.n_heads:
            raise UserError(
                f"--gain {text}: there is no head {head}; "
                f"“{scene.title}” has heads 1 to {scene.n_heads}."
            )
        scene = set_gain(scene.heads[head - 1].uid, gain).apply(scene)
    return scene


def _finite_number(option: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise UserError(f"--gain {option}: a gain is a finite number, such as 2.5, -1 or 1e300.")
    return number


def _whole_number(option: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise UserError(f"{option} {text}: give a whole number.") from None


def _listed(values: Sequence[str]) -> list[str]:
    """Return what ``values`` list, with commas or without, each once."""
    parts = (part.strip() for value in values for part in value.split(","))
    return list(dict.fromkeys(part for part in parts if part))


def _not_empty(text: str) -> str:
    """Return ``text``; refuse what an unset variable of a shell leaves of an argument."""
    if not text.strip(" ,"):
        raise argparse.ArgumentTypeError("it is empty")
    return text


@contextlib.contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Clean up and end with status 128 + number on a signal that would end the program at once."""
    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    taken = [number for number in numbers if signal.getsignal(number) == signal.SIG_DFL]

    def stop(number: int, _frame: FrameType | None) -> NoReturn:
        for each in taken:  # a closing terminal may send both, and each twice
            signal.signal(each, signal.SIG_IGN)
        raise SystemExit(128 + number)

    for number in taken:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)


def _tell_if_long(scene: "Scene") -> None:
    if scene.n_heads * scene.n_positions**3 < _LONG_DECOMPOSITION:
        return
    if sys.stderr is not None and sys.stderr.isatty():
        size = f"{scene.n_positions} × {scene.n_positions}"
        _complain(f"decomposing {scene.n_heads} matrices of {size} takes some seconds...", OK)


# ------------------------------------------------------------------------------------------- output


def _say(text: str, end: str = "\n") -> None:
    if sys.stdout is None:
        raise UserError("The standard output is closed.")
    try:
        print(_printable(text, sys.stdout), end=end, flush=True)
    except OSError as error:
        _silence(sys.stdout)
        if isinstance(error, BrokenPipeError):
            raise
        raise UserError(
            f"The standard output cannot be written: {error.strerror or error}."
        ) from error


def _complain(text: str, status: int) -> int:
    if sys.stderr is None:  # print would take the standard output then
        return status
    try:
        line = visible(f"mhagui: {text}")
        print(_printable(line, sys.stderr), file=sys.stderr, flush=True)
    except OSError:
        _silence(sys.stderr)
    return status


def _report_bug(error: Exception) -> int:
    from mhagui.fault_log import DEBUG_VARIABLE, FaultLog, trace_of
    from mhagui.home import own_home

    if os.environ.get(DEBUG_VARIABLE) and sys.stderr is not None:
        traceback.print_exception(error)
    log = FaultLog(own_home().logs)
    log.write(trace_of(error))
    log.close()
    what = f"{type(error).__name__}: {error}"
    advice = f"with {DEBUG_VARIABLE}=1 set it prints where"
    where = f"{log.path} says where" if log.path.is_file() else advice
    return _complain(f"this is a bug, {what}; {where}.", BUG)


def _os_sentence(error: OSError) -> str:
    where = f"{error.filename}: " if error.filename else ""
    return f"{where}{error.strerror or error}."


def _printable(text: str, stream: TextIO | None) -> str:
    """Return ``text`` as ``stream`` can take it, with plain signs where its encoding lacks ours."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(_PLAIN).encode(encoding, "replace").decode(encoding)
    return text


def _silence(stream: TextIO) -> None:
    """Send what is still unwritten nowhere, or Python complains about it at its end."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
