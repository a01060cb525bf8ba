"""Writing figures of scenes to files, the numbers they show, and scripts that draw them."""

import argparse
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mhagui.commands.output import Progress, complain, progress, say
from mhagui.commands.shared import (
    BAD_INPUT,
    DECOMPOSED,
    DEFAULT_SCENE,
    OK,
    add_list,
    add_places,
    command_parser,
    give_back_after_gains,
    give_back_scenes,
    listed,
    not_empty,
    place,
    tell_if_long,
)
from mhagui.commands.sources import (
    Source,
    folders_of,
    scene_file_for,
    source_in_figure,
    source_of_scene,
)
from mhagui.commands.style_options import add_style_options, style_of_options
from mhagui.errors import UserError, check_choices, visible
from mhagui.figure_names import FIGURES, FORMATS

if TYPE_CHECKING:
    from mhagui.document import Result
    from mhagui.figures import FigureStyle, Subject

_USAGE = """mhagui export [SCENE ...] [--gain N=G ...] --out DIR [--figure NAME ...]
                     [--format png,svg,pdf,eps,tiff] [--row N] [--head N]
                     [--data csv,npz,json] [--script] [how figures look]
       mhagui export --from FIGURE ... --out DIR [the same options]"""
_DESCRIPTION = """Write figures of scenes to files; needs no display. Each of several scenes has a
folder of its own in DIR. All of a scene is drawn before any of it is written; files of
the same names are replaced. A scene that cannot be drawn is left out, with status 2."""


def run(arguments: list[str]) -> int:
    """Export what ``arguments`` ask for; return the exit status."""
    options = _parser().parse_intermixed_args(arguments)
    _give_back_scenes(options)
    if options.figure_files and options.scenes:
        raise UserError(f"Give --from FIGURE or the scene “{options.scenes[0]}”, not both.")
    wish = _wish(options)
    style_of_options(options)  # what is wrong with it is said once, and before anything is read
    names = options.figure_files or options.scenes or [DEFAULT_SCENE]
    folders = folders_of(names, Path(options.out))
    with progress(len(names) * wish.most_files) as shown:
        export = _Export(options, wish, shown, is_one_of_many=len(names) > 1)
        return max([export.attempt(*each) for each in zip(names, folders, strict=True)])


@dataclass(frozen=True)
class _Wish:
    """What is to be written of each scene.

    Attributes
    ----------
    figures
        Names of figures; none for all there are, or for the one that the scene comes from.
    kinds, data
        Formats of the figures, and of the files of numbers.
    draws
        Whether figures are wanted at all.
    script
        Whether each figure has its script beside it.
    scene_file
        Whether the scene itself is written, which comes from a figure.
    row, head
        Where to look, from 0; None where that is not said.
    """

    figures: list[str]
    kinds: list[str]
    data: list[str]
    draws: bool
    script: bool
    scene_file: bool
    row: int | None
    head: int | None

    @property
    def most_files(self) -> int:
        """How many files a scene has that can have all of them."""
        n_figures = len(self.figures) or (1 if self.scene_file else len(FIGURES))
        n_figures *= self.draws
        return n_figures * (len(self.kinds) + self.script) + len(self.data) + self.scene_file


def _wish(options: argparse.Namespace) -> _Wish:
    kinds = [kind.lower() for kind in listed(options.format)]
    data = [kind.lower() for kind in listed(options.data)]
    figures = listed(options.figure)
    check_choices("format", kinds, FORMATS)
    check_choices("figure", figures, FIGURES)
    if data:
        from mhagui.data import FORMATS as DATA_FORMATS

        check_choices("data format", data, DATA_FORMATS)
    return _Wish(
        figures,
        kinds or ["png"],
        data,
        draws=bool(figures or kinds or options.script or not (data or options.figure_files)),
        script=options.script,
        scene_file=bool(options.figure_files),
        row=place("--row", options.row),
        head=place("--head", options.head),
    )


class _Export:
    """One run of the command."""

    def __init__(
        self, options: argparse.Namespace, wish: _Wish, shown: Progress, *, is_one_of_many: bool
    ) -> None:
        self._options = options
        self._wish = wish
        self._shown = shown
        self._is_one_of_many = is_one_of_many
        self._n_made = 0
        self._status = OK
        self._has_told_of_eps = False

    def attempt(self, name: str, folder: Path) -> int:
        """Export one scene and return the status; say what is wrong where it cannot be."""
        self._n_made, self._status = 0, OK
        try:
            paths = self._write(name, folder)
        except UserError as error:
            return self._complain(name, str(error), BAD_INPUT)
        finally:
            self._shown.add(self._n_made - self._wish.most_files)
        self._shown.clear()
        for path in paths:
            say(visible(str(path)))
        return self._status

    def _write(self, name: str, folder: Path) -> list[Path]:
        from mhagui.files import write_into

        contents = {}
        for file_name, data in self._files(name, folder):
            contents[file_name] = data
            self._n_made += 1
            self._shown.step()
        return write_into(folder, contents) if contents else []

    def _files(self, name: str, folder: Path) -> Iterator[tuple[str, bytes]]:
        from mhagui.document import compute
        from mhagui.figures import Subject
        from mhagui.files import check_into

        source = self._source(name)
        result = compute(source.scene)
        wish, style = self._wish, style_of_options(self._options, source.style)
        if source.scene_file is not None:
            yield scene_file_for(folder, name, source.scene_file)
        row = source.row if wish.row is None else wish.row
        head = source.head if wish.head is None else wish.head
        subject = Subject(source.scene, result, style, row, head or 0, source.sizes)
        names = self._names(name, source, result, style) if wish.draws else []
        endings = [f".{kind}" for kind in wish.kinds] + [".py"] * wish.script
        check_into(folder, (figure + ending for figure in names for ending in endings))
        if names:
            yield from self._drawn(subject, names)
        if wish.data:
            from mhagui.data import render_data

            for kind in wish.data:
                yield f"numbers.{kind}", render_data(source.scene, result, kind)

    def _source(self, name: str) -> Source:
        if self._wish.scene_file:
            return source_in_figure(name, self._options.gain)
        return source_of_scene(name, self._options.gain)

    def _names(
        self, name: str, source: Source, result: "Result", style: "FigureStyle"
    ) -> list[str]:
        """Return the figures to draw; tell which ones there are not of the scene, or not so.

        Who asked for just one of these is told so by the drawing of it.
        """
        from mhagui import figures

        asked = self._wish.figures or ([source.figure] if source.figure else [])
        if len(asked) == 1:
            return asked
        names = []
        for figure in asked or figures.FIGURES:
            why_not = figures.why_not(figure, result, style)
            if why_not is None:
                names.append(figure)
                continue
            status = BAD_INPUT if asked else OK
            self._status = max(self._status, status)
            self._complain(name, f"{figure} is left out. {why_not}", status)
        return names

    def _drawn(self, subject: "Subject", figures: list[str]) -> Iterator[tuple[str, bytes]]:
        from mhagui.figures import Ground, render_each

        kinds = self._wish.kinds
        is_lost = "eps" in kinds and subject.style.ground is Ground.TRANSPARENT
        if is_lost and not self._has_told_of_eps:
            self._has_told_of_eps = True
            self._shown.clear()
            complain("EPS files have no transparency: their ground is white.", OK)
        if not DECOMPOSED.isdisjoint(figures):
            tell_if_long(subject.scene)
        yield from render_each(subject, figures, kinds)
        if self._wish.script:
            from mhagui.figures.script import script

            for figure in figures:
                yield f"{figure}.py", script(figure, subject).encode()

    def _complain(self, name: str, text: str, status: int) -> int:
        """Say what is wrong, with the scene where there are several."""
        self._shown.clear()
        is_named = not self._is_one_of_many or text.startswith((name, f"“{name}”"))
        return complain(text if is_named else f"{name}: {text}", status)


def _give_back_scenes(options: argparse.Namespace) -> None:
    give_back_after_gains(options)
    give_back_scenes(options, options.figure_files, lambda value: Path(value).is_file())
    _give_back(options, options.figure, FIGURES)
    _give_back(options, options.format, FORMATS)
    if options.data:
        from mhagui.data import FORMATS as DATA_FORMATS

        _give_back(options, options.data, DATA_FORMATS)


def _give_back(options: argparse.Namespace, values: list[str], known: Collection[str]) -> None:
    give_back_scenes(options, values, lambda value: "," in value or value.lower() in known)


def _parser() -> argparse.ArgumentParser:
    parser = command_parser("export", _USAGE, _DESCRIPTION)
    parser.add_argument(
        "--out",
        metavar="DIR",
        required=True,
        type=not_empty,
        help="the folder to write into; made if missing",
    )
    add_list(parser, "--figure", "NAME", f"one or more of {', '.join(FIGURES)}; all unless given")
    formats = f"one or more of {', '.join(FORMATS)}, with commas between; png unless given"
    add_list(parser, "--format", "FORMATS", formats)
    add_list(
        parser,
        "--data",
        "FORMATS",
        "write the numbers too, as one or more of csv, npz, json; without --figure, --format and "
        "--script nothing else",
    )
    parser.add_argument(
        "--script",
        action="store_true",
        help="beside each figure a Python script that computes and draws it",
    )
    add_list(
        parser,
        "--from",
        "FIGURE",
        "get back the scenes that figures hold, each written as a .mhascene file; with --figure, "
        "--format or --script figures too are drawn, as that figure was unless said otherwise",
        dest="figure_files",
    )
    add_places(parser)
    add_style_options(parser)
    return parser
