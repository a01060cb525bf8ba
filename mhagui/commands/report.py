"""Printing or writing the report of a scene."""

import argparse
from pathlib import Path

from mhagui.commands.output import refuse_terminal, say, say_file
from mhagui.commands.shared import (
    OK,
    add_row,
    command_parser,
    give_back_after_gains,
    not_empty,
    place,
    tell_if_long,
    the_scene,
    write_and_say,
)
from mhagui.commands.style_options import add_style_options, asks_for_style, style_of_options
from mhagui.errors import UserError, check_choices

_USAGE = """mhagui report [SCENE] [--gain N=G ...] [--json | --format FORMAT] [--out FILE]
                     [--row N] [how figures look]
       mhagui report FILE --scorecard [--prompt TEXT] [--words] [--csv | --json]
                     [--out FILE]"""
_DESCRIPTION = """Print every number of a scene: weights, entropies, ranks, Concat, output. As
Markdown, HTML or PDF the report is one file to read, with its figures. With --scorecard: what
every head of a real model does; 'mhagui report --scorecard --help' says more."""

_FORMAT_OF = {
    ".txt": "text", ".json": "json", ".md": "markdown", ".html": "html", ".htm": "html",
    ".pdf": "pdf",
}  # fmt: skip
_WITHOUT_FIGURES = ("text", "json")


def run(arguments: list[str]) -> int:
    """Print the report that ``arguments`` ask for; return the exit status."""
    if "--scorecard" in arguments:
        from mhagui.commands import scorecard

        return scorecard.run(arguments)
    options = _parser().parse_intermixed_args(arguments)
    give_back_after_gains(options)
    kind = _kind(options)
    if kind in _WITHOUT_FIGURES and asks_for_style(options):
        raise UserError(f"A report as {kind} has no figures to style: give --format html, say.")
    style, row = style_of_options(options), place("--row", options.row)
    if kind == "pdf" and options.out is None:
        refuse_terminal()
    scene = the_scene("report", options)
    from mhagui.document import compute
    from mhagui.files import check_target
    from mhagui.reports import render_report

    if options.out is not None:
        check_target(Path(options.out))
    tell_if_long(scene)
    data = render_report(scene, compute(scene), kind, style, row)
    if options.out is not None:
        write_and_say(Path(options.out), data)
    elif kind in _WITHOUT_FIGURES:
        say(data.decode(), end="")
    else:
        say_file(data)
    return OK


def _parser() -> argparse.ArgumentParser:
    parser = command_parser("report", _USAGE, _DESCRIPTION)
    parser.add_argument(
        "--format",
        metavar="FORMAT",
        type=not_empty,
        help="text, json (full precision, undefined values null), markdown, html or pdf; as the "
        "name of FILE ends unless given, or else text",
    )
    parser.add_argument("--json", action="store_true", help="short for --format json")
    parser.add_argument(
        "--out", metavar="FILE", type=not_empty, help="write the report to FILE, replacing it"
    )
    add_row(parser)
    # A report says by itself what its figures show, and how large they are.
    add_style_options(parser, "--title", "--caption", "--dpi", "--outlines")
    return parser


def _kind(options: argparse.Namespace) -> str:
    from mhagui.reports import FORMATS

    by_name = _FORMAT_OF.get(Path(options.out or "").suffix.lower(), "text")
    kind: str = (options.format or ("json" if options.json else by_name)).lower()
    check_choices("report", [kind], FORMATS)
    if by_name not in ("text", kind):
        raise UserError(
            f"{options.out} would be a report as {kind}, and its name says {by_name}: give one of "
            "them."
        )
    if options.json and kind != "json":
        raise UserError(f"--json and --format {kind} ask for two reports: give one of them.")
    return kind
