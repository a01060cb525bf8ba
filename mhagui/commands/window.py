"""Opening the window, or doing instead what works without one."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from mhagui import __version__
from mhagui.commands.captures import WORDS_HELP
from mhagui.commands.output import progress, say
from mhagui.commands.shared import (
    DEFAULT_SCENE,
    OK,
    SCENE_HELP,
    Parser,
    ended_by_signals,
    not_empty,
    tell_if_long,
    without_collecting,
)
from mhagui.errors import UserError, visible

if TYPE_CHECKING:
    from mhagui.document import Scene

_USAGE = """mhagui [SCENE] [--figures-if-no-display DIR] [--reset-settings]
       mhagui FILE [--prompt TEXT] [--words]
       mhagui report [SCENE] [--gain N=G ...] [--format FORMAT] [--out FILE]
       mhagui report FILE --scorecard [--prompt TEXT] [--words] [--csv | --json]
                     [--out FILE]
       mhagui export [SCENE ...] [--gain N=G ...] --out DIR [--figure NAME ...]
                     [--format png,svg,pdf,eps,tiff] [--data csv,npz,json] [--script]
       mhagui export --from FIGURE ... --out DIR
       mhagui animate [SCENE] --slider NAME [--from A] [--to B] --out FILE"""
_COMMANDS_HELP = """commands:
  report                print every number of a scene, or write a report with figures
  export                write figures, numbers and scripts of scenes to files
  animate               write what a slider does to a figure as a film
  None of them needs a display; 'mhagui export --help' and the like say more.
  A scene file that is called like a command is opened as ./report."""

# What is written instead of a window: what every program shows, and the numbers.
_FORMATS = ("png", "svg", "pdf")


def open_window(arguments: list[str]) -> int:
    """Open the window as ``arguments`` say; return the exit status."""
    options = _parser().parse_args(arguments)
    if options.info or options.version:
        say(_info() if options.info else f"mhagui {__version__}")
        return OK
    if options.reset_settings:
        say(_reset_settings())
        if options.scene is None:
            return OK
    with without_collecting():
        from mhagui.display_check import missing_libraries, why_no_display
        from mhagui.document import open_named

    beside, is_model = _beside(options.scene)
    if options.prompt is not None and not is_model:
        raise UserError("--prompt is for a model: give its .gguf file, or its folder, as well.")
    if options.words and beside is None:
        raise UserError("--words is for tensors or a model: give the file as well.")
    session, origin = open_named((beside is None and options.scene) or DEFAULT_SCENE)
    scene = session.scene
    obstacle = why_no_display() or missing_libraries()
    if obstacle is None:
        with without_collecting():
            from mhagui.gui.application import run

        prompt, words = options.prompt, options.words
        return run(scene, origin, session.view, opened=beside, prompt=prompt, by_words=words)
    if beside is not None:
        raise UserError(f"{obstacle}; 'mhagui report {beside} --scorecard' works without a window.")
    if options.figures_if_no_display is None:
        raise UserError(f"{obstacle}; 'mhagui report' and 'mhagui export' work without a window.")
    with ended_by_signals():
        return _write_instead(scene, Path(options.figures_if_no_display), obstacle)


def _beside(name: str | None) -> tuple[Path | None, bool]:
    """Return what is opened in the window once it is there, None for scenes; and if it is a model.

    Raises UserError where it cannot be opened, as far as its headers tell.
    """
    from mhagui.document import lesson_names
    from mhagui.file_kinds import Kind, kind_of

    if name is None or name in lesson_names() or not Path(name).exists():
        return None, False
    path = Path(name)
    kind = kind_of(path)
    if kind is Kind.SCENE:
        return None, False
    try:
        if kind is Kind.MODEL:
            from mhagui.models import describe

            describe(path)
        else:
            from mhagui.sources import inspect

            inspect(path)
    except UserError as error:
        raise UserError(f"{path} cannot be opened: {error}") from error
    return path, kind is Kind.MODEL


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="mhagui",
        usage=_USAGE,
        description="An instrument for multi-head attention: drag a gain, watch every number move.",
        epilog=_COMMANDS_HELP,
    )
    parser.add_argument("scene", nargs="?", metavar="SCENE", type=not_empty, help=SCENE_HELP)
    parser.add_argument(
        "--prompt",
        metavar="TEXT",
        type=not_empty,
        help="run the model in FILE, a .gguf file or a folder with config.json, on this at once; "
        "FILE may also hold tensors of a model's attention (.npy, .npz, .safetensors, .pt, JSON)",
    )
    parser.add_argument("--words", action="store_true", help=f"in FILE, {WORDS_HELP}")
    parser.add_argument(
        "--figures-if-no-display",
        metavar="DIR",
        type=not_empty,
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
    from mhagui.files import check_folder, write_into

    check_folder(folder)
    told = visible(obstacle)
    say(f"{told}; writing the figures and the report of “{scene.title}” instead.")
    result = compute(scene)
    tell_if_long(scene)
    names = [name for name in figures.FIGURES if figures.why_not(name, result) is None]
    contents: dict[str, bytes] = {}
    with progress(len(names) * len(_FORMATS)) as shown:
        subject = figures.Subject(scene, result)
        for name, data in figures.render_each(subject, names, _FORMATS):
            contents[name] = data
            shown.step()
    contents["report.txt"] = report.report_text(scene, result).encode()
    contents["report.json"] = report.report_json(scene, result).encode()
    write_into(folder, contents)
    where = visible(str(folder.resolve()))
    say(f"{len(contents)} files are in {where}: {', '.join(contents)}")
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
