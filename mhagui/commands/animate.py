"""Writing what a slider does to a figure as a film."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from mhagui.commands.output import progress, say
from mhagui.commands.shared import (
    OK,
    add_places,
    command_parser,
    give_back_after_gains,
    not_empty,
    number,
    place,
    the_scene,
    whole_number,
)
from mhagui.commands.style_options import add_style_options, style_of_options
from mhagui.errors import UserError, visible

if TYPE_CHECKING:
    from mhagui.document import Scene
    from mhagui.figures.sweeps import Sweep

_USAGE = """mhagui animate [SCENE] [--gain N=G ...] --slider NAME [--from A] [--to B]
                      --out FILE [--figure NAME] [--frames N] [--fps N]
                      [--row N] [--head N] [how figures look]"""
_DESCRIPTION = """Write what a slider does to a figure as an animated PNG, a GIF or, where there
is ffmpeg, an MP4. Needs no display."""

_FRAMES, _FPS = "25", "10"


def run(arguments: list[str]) -> int:
    """Write the film that ``arguments`` ask for; return the exit status."""
    options = _parser().parse_intermixed_args(arguments)
    give_back_after_gains(options)
    style = style_of_options(options)
    fps = whole_number("--fps", options.fps)
    row, head = place("--row", options.row), place("--head", options.head)
    scene = the_scene("animate", options)
    from mhagui.document import compute
    from mhagui.figures import Subject, motion
    from mhagui.files import check_target, make_folder, write_atomically

    out = Path(options.out)
    kinds = {suffix: kind for kind, suffix in motion.SUFFIXES.items()}
    if out.suffix.lower() not in kinds:
        raise UserError(f"{out}: a film is a file that ends with {', '.join(kinds)}.")
    check_target(out)
    subject = Subject(scene, compute(scene), style, row, head or 0)
    film = motion.animate(
        subject,
        options.figure,
        _sweep(options, scene),
        kinds[out.suffix.lower()],
        fps,
        loop=not options.once,
        there_and_back=options.there_and_back,
    )
    data = b""
    with progress(0, unit=" steps") as shown:
        for step in film:
            shown.at(step.done, step.total)
            data = step.data or data
    make_folder(out.parent)
    write_atomically(out, data)
    say(visible(str(out)))
    return OK


def _sweep(options: argparse.Namespace, scene: "Scene") -> "Sweep":
    """Return what is swept; raises UserError that names the sliders there are."""
    from mhagui.figures.sweeps import Sweep, sliders_of

    there = {movable.name: movable for movable in sliders_of(scene)}
    if options.slider not in there:
        raise UserError(
            f"There is no slider “{options.slider}”; those of “{scene.title}” are "
            f"{', '.join(there)}."
        )
    movable = there[options.slider]
    start = movable.low if options.start is None else number("--from", options.start)
    stop = movable.high if options.stop is None else number("--to", options.stop)
    return Sweep(movable.slider, start, stop, whole_number("--frames", options.frames))


def _parser() -> argparse.ArgumentParser:
    parser = command_parser("animate", _USAGE, _DESCRIPTION)
    parser.add_argument(
        "--slider",
        metavar="NAME",
        required=True,
        type=not_empty,
        help="what is moved: master-gain, h1-gain, h1-key-magnitude, T, d_k and others; a name "
        "that a scene does not have is answered with those it has",
    )
    ends = "; as far as the slider goes unless given"
    parser.add_argument("--from", metavar="A", dest="start", help=f"its first value{ends}")
    parser.add_argument("--to", metavar="B", dest="stop", help=f"its last value{ends}")
    parser.add_argument(
        "--out",
        metavar="FILE",
        required=True,
        type=not_empty,
        help="the file to write, .png, .gif or .mp4; one of that name is replaced",
    )
    parser.add_argument(
        "--figure", metavar="NAME", default="heads", help="what is drawn; heads unless given"
    )
    frames = f"frames from A to B, 2 to 600; {_FRAMES} unless given"
    parser.add_argument("--frames", metavar="N", default=_FRAMES, help=frames)
    rate = f"frames in a second, 1 to 50; {_FPS} unless given"
    parser.add_argument("--fps", metavar="N", default=_FPS, help=rate)
    parser.add_argument("--there-and-back", action="store_true", help="from B back to A too")
    parser.add_argument("--once", action="store_true", help="stop at the end, and begin not again")
    add_places(parser)
    add_style_options(parser, "--outlines")
    return parser
