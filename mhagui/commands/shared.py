"""What the commands share: their parser, the scene asked for, and how a signal ends them."""

import _thread
import argparse
import contextlib
import gc
import math
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn

from mhagui.commands.output import complain, say
from mhagui.errors import UserError, visible

if TYPE_CHECKING:
    from mhagui.document import Scene

DEFAULT_SCENE = "four-heads"

OK, BUG, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130

SCENE_HELP = (
    "a lesson's name (four-heads, two-heads, content-position, induction), a scene file, or a "
    f"figure that holds its scene; {DEFAULT_SCENE} unless given"
)

# What shows the ranks of matrices, and H·T³ from which these take long enough to say so: some
# four seconds.
DECOMPOSED = frozenset({"singular-values", "summary"})
_LONG_DECOMPOSITION = 16 * 1024**3
_MINUTES = 15  # times as much
_MOMENT = 0.05  # seconds: what was finalised then is


class Parser(argparse.ArgumentParser):
    """A parser whose complaints are a UserError, and whose help is not lost without a word."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False, **options
        )
        # Whatever starts with a number is a value: argparse takes the gain -1=1 for an option.
        self._negative_number_matcher = re.compile(r"-\.?\d")

    def print_help(self, file: object = None) -> None:  # noqa: ARG002 - argparse's word
        """Print the help as everything is printed."""
        say(self.format_help(), end="")

    def error(self, message: str) -> NoReturn:
        """Raise what argparse would print after its usage, and what may have been meant."""
        from difflib import get_close_matches

        options = [option for action in self._actions for option in action.option_strings]
        _, is_unknown, unknown = message.partition("unrecognized arguments: ")
        meant = get_close_matches(unknown.split(" ")[0], options, 1) if is_unknown else []
        hint = f" Did you mean {meant[0]}?" if meant else ""
        raise UserError(f"{message}; see '{self.prog} --help'.{hint}")


def command_parser(name: str, usage: str, description: str) -> argparse.ArgumentParser:
    """Return a parser of command ``name``, which takes scenes and gains."""
    parser = Parser(prog=f"mhagui {name}", usage=usage, description=description)
    parser.add_argument("scenes", nargs="*", metavar="SCENE", type=not_empty, help=SCENE_HELP)
    add_list(parser, "--gain", "N=G", "set the gain of head N (from 1) to G, any finite number")
    return parser


def add_list(
    parser: argparse.ArgumentParser, option: str, metavar: str, told: str, **more: Any
) -> None:
    """Give ``parser`` an option that takes several values, and may be given several times."""
    parser.add_argument(
        option,
        metavar=metavar,
        type=not_empty,
        nargs="+",
        action="extend",
        default=[],
        help=told,
        **more,
    )


def add_places(parser: argparse.ArgumentParser) -> None:
    """Give ``parser`` the options that say where figures look."""
    add_row(parser)
    parser.add_argument(
        "--head",
        metavar="N",
        help="the head (from 1) that figures of one head show; 1 unless given",
    )


def add_row(parser: argparse.ArgumentParser) -> None:
    """Give ``parser`` the option that says which row is looked at."""
    parser.add_argument(
        "--row",
        metavar="N",
        help="the query position t (from 1) whose responses and information are drawn; 4 unless "
        "given",
    )


def give_back_scenes(
    options: argparse.Namespace, values: list[str], belongs: Callable[[str], bool]
) -> None:
    """Take scenes out of the ``values`` of an option before them, which has swallowed them."""
    from mhagui.document import lesson_names

    for value in [value for value in values if not belongs(value)]:
        if value in lesson_names() or Path(value).is_file():
            options.scenes.append(value)
            values.remove(value)


def give_back_after_gains(options: argparse.Namespace) -> None:
    """Take scenes out of the values of ``--gain``."""
    give_back_scenes(options, options.gain, lambda value: "=" in value)


def scene_called(name: str) -> "Scene":
    """Return the scene that ``name`` means; raises UserError, which says where else a file goes."""
    from mhagui.document import load_scene

    try:
        return load_scene(name)
    except UserError as error:
        if not _is_captured(Path(name)):
            raise
        raise UserError(
            f"{name} is no scene: tensors and models are opened in the window ('mhagui FILE'), "
            "where figures are exported, and 'mhagui report FILE --scorecard' scores their heads."
        ) from error


def _is_captured(path: Path) -> bool:
    """Say whether there are tensors or a model at ``path``, as far as its name tells."""
    from mhagui.file_kinds import CONFIG, MODEL_FILES, TENSOR_FILES

    has_name = path.suffix.lower() in (*TENSOR_FILES, *MODEL_FILES)
    return (has_name and path.is_file()) or (path / CONFIG).is_file()


def the_scene(command: str, options: argparse.Namespace) -> "Scene":
    """Return the scene that is asked for, with the gains that are; one is all ``command`` takes."""
    if len(options.scenes) > 1:
        raise UserError(f"'mhagui {command}' takes one scene, not also “{options.scenes[1]}”.")
    name = options.scenes[0] if options.scenes else DEFAULT_SCENE
    return with_gains(scene_called(name), options.gain)


def with_gains(scene: "Scene", gains: Sequence[str]) -> "Scene":
    """Return ``scene`` with ``gains``, each N=G; raises UserError that names what is wrong."""
    from mhagui.document.edits import set_gain

    for text in gains:
        number, equals, value = text.partition("=")
        if not equals or not number.strip().removeprefix("-").isdecimal():
            raise UserError(
                f"--gain {text}: give N=G, the number of a head and its gain, such as 1=2.5."
            )
        head, gain = whole_number("--gain", number), _finite_number(text, value)
        if not 1 <= head <= scene.n_heads:
            raise UserError(
                f"--gain {text}: there is no head {head}; "
                f"“{scene.title}” has heads 1 to {scene.n_heads}."
            )
        scene = set_gain(scene.heads[head - 1].uid, gain).apply(scene)
    return scene


def _finite_number(gain: str, text: str) -> float:
    """Return the number ``text`` in ``gain``, N=G; raises UserError."""
    with contextlib.suppress(ValueError):
        if math.isfinite(value := float(text)):
            return value
    raise UserError(f"--gain {gain}: a gain is a finite number, such as 2.5, -1 or 1e300.")


def whole_number(option: str, text: str) -> int:
    """Return the number that ``option`` is given; raises UserError."""
    try:
        return int(text)
    except ValueError:
        raise UserError(f"{option} {text}: give a whole number.") from None


def number(option: str, text: str) -> float:
    """Return the number that ``option`` is given; raises UserError."""
    try:
        return float(text)
    except ValueError:
        raise UserError(f"{option} {text}: give a number.") from None


def place(option: str, text: str | None) -> int | None:
    """Return the place, from 0, that ``option`` gives from 1; None where it is not given."""
    return None if text is None else whole_number(option, text) - 1


def listed(values: Sequence[str]) -> list[str]:
    """Return what ``values`` list, with commas or without, each once."""
    parts = (part.strip() for value in values for part in value.split(","))
    return list(dict.fromkeys(part for part in parts if part))


def not_empty(text: str) -> str:
    """Return ``text``; refuse what an unset variable of a shell leaves of an argument."""
    if not text.strip(" ,"):
        raise argparse.ArgumentTypeError("it is empty")
    return text


def write_and_say(path: Path, data: bytes) -> None:
    """Write a file, with the folders on the way to it, and say where it is."""
    from mhagui.files import make_folder, write_atomically

    make_folder(path.parent)
    write_atomically(path, data)
    say(visible(str(path)))


@contextlib.contextmanager
def without_collecting() -> Iterator[None]:
    """Look for no garbage among what is imported: none of it is, and a start gains a fiftieth."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@contextlib.contextmanager
def ended_by_signals() -> Iterator[None]:
    """Clean up on a signal that would end the program, and have it end as one does."""
    names = [name for name in ("SIGTERM", "SIGHUP", "SIGINT") if hasattr(signal, name)]
    handlers = {
        number: signal.getsignal(number) for number in map(signal.Signals.__getitem__, names)
    }
    usual = (signal.SIG_DFL, signal.default_int_handler)
    taken = {number: handler for number, handler in handlers.items() if handler in usual}
    hook = sys.unraisablehook
    ending = _Ending(hook)
    for number in taken:
        signal.signal(number, ending.begin)
    sys.unraisablehook = ending.not_raised
    try:
        yield
    finally:
        sys.unraisablehook = hook
        for number, handler in taken.items():
            signal.signal(number, handler)
        if ending.stop is not None:  # also where something on the way has caught it
            raise ending.stop


class _Ending:
    """How a signal ends what runs: by an exception, which Python now and then drops.

    It does so where the signal comes while an object is finalised or a weak reference calls back,
    and then tells ``sys.unraisablehook``; a moment later the exception is raised again.
    """

    def __init__(self, hook: Callable[["sys.UnraisableHookArgs"], object]) -> None:
        self.stop: SystemExit | KeyboardInterrupt | None = None
        self._number = signal.SIGTERM
        self._is_raised = False
        self._hook = hook

    def begin(self, number: int, _frame: FrameType | None) -> None:
        """Raise what ends it; but once, for a closing terminal may send several, and each twice."""
        if not self._is_raised:
            self._is_raised, self._number = True, signal.Signals(number)
            is_typed = number == signal.SIGINT
            self.stop = self.stop or (KeyboardInterrupt() if is_typed else SystemExit(128 + number))
            raise self.stop

    def not_raised(self, dropped: "sys.UnraisableHookArgs") -> None:
        """Take what Python has dropped."""
        if self.stop is None or dropped.exc_value is not self.stop:
            self._hook(dropped)
            return
        again = threading.Timer(_MOMENT, self._begin_again)
        again.daemon = True
        again.start()

    def _begin_again(self) -> None:
        self._is_raised = False
        _thread.interrupt_main(self._number)  # does nothing where the default is in force again


def tell_if_long(scene: "Scene") -> None:
    """Say to whoever watches that the ranks of ``scene`` take a while, if they do."""
    work = scene.n_heads * scene.n_positions**3
    if work >= _LONG_DECOMPOSITION and sys.stderr is not None and sys.stderr.isatty():
        size = f"{scene.n_positions} × {scene.n_positions}"
        time = "minutes" if work >= _MINUTES * _LONG_DECOMPOSITION else "some seconds"
        complain(f"decomposing {scene.n_heads} matrices of {size} takes {time}...", OK)
