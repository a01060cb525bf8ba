"""The figure that a scorecard can be drawn as: a map of all heads, or a scatter plot of them."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from mhagui.commands.shared import not_empty
from mhagui.commands.style_options import add_style_options, asks_for_style, style_of_options
from mhagui.errors import UserError, check_choices
from mhagui.figure_names import FORMATS

if TYPE_CHECKING:
    from mhagui.document.capture import Capture
    from mhagui.document.scorecard import Column, Scorecard

_MAP, _ACROSS, _UPWARDS = "previous token", "mean distance", "entropy"
_SUFFIXES = {".tif": "tiff"}


def add_figure_options(parser: argparse.ArgumentParser) -> None:
    """Give ``parser`` the options of a figure."""
    group = parser.add_argument_group("a figure")
    group.add_argument(
        "--figure",
        metavar="FILE",
        type=not_empty,
        help="draw a map of all heads, layers down and heads across, as png, svg, pdf, eps or "
        "tiff, as the name of FILE ends; then the table is written with --out alone",
    )
    group.add_argument(
        "--score", metavar="NAME", type=not_empty, help=f"which score; {_MAP} unless given"
    )
    group.add_argument(
        "--above-chance", action="store_true", help="how far above chance it is, of shares"
    )
    group.add_argument(
        "--against",
        metavar="NAME",
        type=not_empty,
        help=f"draw a point to each head instead: the score across ({_ACROSS} unless given), this "
        "one upwards",
    )
    # What is drawn is no scene, and has no positions.
    add_style_options(parser, "--scene", "--labels", "--colour-scale")


def check_figure(options: argparse.Namespace) -> None:
    """Raise UserError that names what is wrong with the options of a figure."""
    if options.figure is None:
        given = options.score or options.against or options.above_chance or asks_for_style(options)
        if given:
            raise UserError("That is of a figure of the scorecard: give --figure FILE as well.")
        return
    from mhagui.files import check_target

    _kind_of(options.figure)
    if options.out is None and (options.csv or options.json):
        raise UserError("With --figure the table goes to a file: give --out FILE.")
    if options.out is not None and Path(options.out) == Path(options.figure):
        raise UserError(f"{options.figure} would be figure and table: give two files.")
    if options.above_chance and options.against:
        raise UserError("--above-chance is of a map: leave --against out.")
    style_of_options(options)
    from mhagui.document.scorecard import EFFECTIVE_RANK, MEASURES

    known = {measure.name: measure for measure in (*MEASURES, EFFECTIVE_RANK)}
    wanted = [_plain(name) for name in (options.score, options.against) if name]
    check_choices("score", wanted, known)
    if options.above_chance and not known[_plain(options.score or _MAP)].is_share:
        raise UserError(f"{options.score} is no share of the weight: leave --above-chance out.")
    check_target(Path(options.figure))


def draw_figure(options: argparse.Namespace, capture: "Capture", card: "Scorecard") -> bytes:
    """Return the figure that is asked for, as its file."""
    from mhagui.figures.charts import (
        HeadGrid,
        HeadMap,
        HeadScatter,
        Seen,
        render_chart,
        strengths,
    )

    seen, grid = Seen.of(capture, options.prompt or ""), HeadGrid.of(card)
    chart: HeadMap | HeadScatter
    if options.against:
        across = _column(card, options.score or _ACROSS)
        chart = HeadScatter(seen, grid, across, _column(card, options.against), strengths(card))
    else:
        score = _column(card, options.score or _MAP)
        chart = HeadMap(seen, grid, score, options.above_chance)
    kind = _kind_of(options.figure)
    return render_chart(chart, style_of_options(options), [kind])[kind]


def _column(card: "Scorecard", name: str) -> "Column":
    from mhagui.document.scorecard import EFFECTIVE_RANK

    name = _plain(name)
    return card.effective_ranks if name == EFFECTIVE_RANK.name else card.column(name)


def _plain(name: str) -> str:
    """Return a score's name, which tables write with underscores, as it is."""
    return name.replace("_", " ").lower()


def _kind_of(name: str) -> str:
    suffix = Path(name).suffix.lower()
    kind = _SUFFIXES.get(suffix, suffix.removeprefix("."))
    if kind not in FORMATS:
        raise UserError(f"{name} names no format: a figure ends in .{', .'.join(FORMATS)}.")
    return kind
