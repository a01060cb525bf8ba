"""Printing, writing or drawing the scores of all heads of a real model."""

import argparse
from dataclasses import replace
from pathlib import Path

from mhagui.commands.captures import READ_HELP, WORDS_HELP, capture_of, check_not_read
from mhagui.commands.output import complain, say, say_file
from mhagui.commands.scorecard_figure import add_figure_options, check_figure, draw_figure
from mhagui.commands.shared import OK, Parser, add_list, give_back_scenes, not_empty, write_and_say
from mhagui.errors import UserError

_USAGE = """mhagui report FILE --scorecard [--prompt TEXT] [--read NAME=VALUE ...]
                     [--words] [--csv | --json] [--out FILE] [--ranks]
                     [--figure FILE [--score NAME] [--above-chance | --against NAME]
                      [how figures look]]"""
_DESCRIPTION = """Score every head of a real model against chance, and say what each does: by its
weights in a file of tensors (.npy, .npz, .safetensors, .pt, .json), or by a prompt on which a
model (.gguf, or a folder with config.json) is run."""

_KIND_OF = {".csv": "csv", ".json": "json", ".txt": "text"}


def run(arguments: list[str]) -> int:
    """Print the scorecard that ``arguments`` ask for; return the exit status."""
    options = _parser().parse_intermixed_args(arguments)
    give_back_scenes(options, options.read, lambda value: "=" in value)
    kind = _kind(options)
    check_not_read(options.scenes)
    if len(options.scenes) != 1:
        raise UserError("A scorecard is of one FILE: of tensors, or a model.")
    from mhagui.files import check_target

    check_figure(options)
    if options.out is not None:
        check_target(Path(options.out))
    name, by_words = options.scenes[0], options.words
    capture = capture_of(name, options.prompt, options.read, by_words=by_words)
    from mhagui.data.scorecard_table import scorecard_csv, scorecard_json
    from mhagui.data.scorecard_text import scorecard_text
    from mhagui.document.scorecard import scorecard

    card = scorecard(capture)
    if kind == "json":
        card = replace(card, notes=(*capture.notes, *card.notes))
    else:
        for note in capture.notes:
            complain(note, OK)
    if options.figure is not None:
        write_and_say(Path(options.figure), draw_figure(options, capture, card))
        if options.out is None:
            return OK
    if kind == "text":
        data = scorecard_text(card, with_ranks=options.ranks).encode()
    else:
        write = scorecard_csv if kind == "csv" else scorecard_json
        data = write(card, with_ranks=options.ranks)
    if options.out is not None:
        write_and_say(Path(options.out), data)
    elif kind == "text":
        say(data.decode(), end="")
    else:
        say_file(data)
    return OK


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="mhagui report", usage=_USAGE, description=_DESCRIPTION)
    parser.add_argument(
        "scenes", nargs="*", metavar="FILE", type=not_empty, help="tensors, or a model"
    )
    parser.add_argument("--scorecard", action="store_true", help="the scores of all heads")
    parser.add_argument("--prompt", metavar="TEXT", help="what a model is run on")
    add_list(parser, "--read", "NAME=VALUE", READ_HELP)
    parser.add_argument("--words", action="store_true", help=WORDS_HELP)
    parser.add_argument("--csv", action="store_true", help="as CSV, with all digits")
    parser.add_argument("--json", action="store_true", help="as JSON, with all digits")
    parser.add_argument(
        "--ranks", action="store_true", help="with effective ranks, which take far longer"
    )
    parser.add_argument(
        "--out", metavar="FILE", type=not_empty, help="write it to FILE, replacing it"
    )
    add_figure_options(parser)
    return parser


def _kind(options: argparse.Namespace) -> str:
    asked = [kind for kind in ("csv", "json") if getattr(options, kind)]
    by_name = _KIND_OF.get(Path(options.out or "").suffix.lower())
    wanted = list(dict.fromkeys([*asked, *([by_name] if by_name else [])]))
    if len(wanted) > 1:
        raise UserError(f"A scorecard is written as {' or '.join(wanted)}: give one of them.")
    return wanted[0] if wanted else "text"
