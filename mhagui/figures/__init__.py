"""Publication figures of a scene, with no screen; matplotlib is imported when one is drawn."""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mhagui.errors import UserError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from mhagui.document import Result, Scene

# Where the home folder cannot be written matplotlib makes do with a temporary one, and says so in
# several lines on each start; nobody who asked for a figure can use them.
logging.getLogger("matplotlib").setLevel(logging.ERROR)

# Every figure by the name its files have, with what it shows.
FIGURES = {
    "heads": "Weights of every head",
    "projection": "W_O, Concat and output",
    "filter-bank": "Filter bank: what each head adds",
    "packed-wq": "Packed W_Q with the heads' slices",
    "packed-wk": "Packed W_K with the heads' slices",
    "packed-wv": "Packed W_V with the heads' slices",
    "pipeline": "Every stage of one head",
    "impulse": "Impulse responses",
    "frequency": "Frequency responses",
    "entropy": "Row entropy",
    "information": "Information about the next token",
    "redundancy": "Redundancy of the heads",
    "cost": "Cost",
}
FORMATS = ("png", "svg", "pdf")
MIN_DPI, MAX_DPI = 30, 1200
DEFAULT_DPI = 300


def draw(
    name: str, scene: "Scene", result: "Result", *, row: int | None = None, head: int = 0
) -> "Figure":
    """Return figure ``name`` of ``FIGURES``, drawn from ``result``, on white, with sizes in inches.

    Parameters
    ----------
    name
        One of ``FIGURES``.
    scene, result
        What to draw; every number shown is one of these.
    row
        The query position, from 0, whose responses and information are drawn; None means t4, or
        the last where T is less.
    head
        The place, from 0, of the head whose pipeline is drawn.

    Raises
    ------
    UserError
        When there is no such figure, row or head, or the scene has not what is to be drawn.
    """
    _check_choices("figure", [name], tuple(FIGURES))
    _check_place(scene, row, head)
    from mhagui.figures import drawing

    return drawing.draw(name, scene, result, row, head)


def why_not(name: str, result: "Result") -> str | None:
    """Return the sentence that says why the scene has no figure ``name``; None when it has."""
    packed = {"packed-wq": result.packed_queries, "packed-wk": result.packed_keys}
    return packed[name].why_none if name in packed else None


def render(figure: "Figure", format: str, dpi: int = DEFAULT_DPI) -> bytes:  # noqa: A002 - matplotlib's word
    """Return ``figure`` as a file of ``format``; the same figure gives the same bytes every time.

    Raises
    ------
    UserError
        When the format is not one of ``FORMATS`` or ``dpi`` is not a whole number of 30 to 1200.
    """
    _check_choices("format", [format], FORMATS)
    _check_dpi(dpi)
    from mhagui.figures.page import to_bytes

    return to_bytes(figure, format, dpi)


def write_figures(
    scene: "Scene",
    result: "Result",
    folder: Path,
    names: Sequence[str],
    formats: Sequence[str],
    dpi: int = DEFAULT_DPI,
    *,
    row: int | None = None,
    head: int = 0,
) -> list[Path]:
    """Write each of ``names`` in each of ``formats`` into ``folder`` and return the paths.

    ``row`` and ``head`` are those of ``draw``. The folder is made if it is missing. All is drawn
    before anything is written, and no file changes before all of them are on the disk.

    Raises
    ------
    UserError
        When a name, a format, the dpi, the row or the head is none there is, a figure cannot be
        drawn or a file cannot be written.
    """
    from mhagui.files import write_into

    contents = render_all(scene, result, names, formats, dpi, row=row, head=head)
    return write_into(folder, contents)


def render_all(
    scene: "Scene",
    result: "Result",
    names: Sequence[str],
    formats: Sequence[str],
    dpi: int = DEFAULT_DPI,
    *,
    row: int | None = None,
    head: int = 0,
) -> dict[str, bytes]:
    """Return the files ``write_figures`` would write, by name; raises UserError as it does."""
    _check_choices("figure", names, tuple(FIGURES))
    _check_choices("format", formats, FORMATS)
    _check_dpi(dpi)
    _check_place(scene, row, head)
    drawn = {name: draw(name, scene, result, row=row, head=head) for name in names}
    return {
        f"{name}.{kind}": render(figure, kind, dpi)
        for name, figure in drawn.items()
        for kind in formats
    }


def _check_choices(what: str, given: Sequence[str], possible: Sequence[str]) -> None:
    for choice in given:
        if choice not in possible:
            raise UserError(
                f"There is no {what} “{choice}”; the {what}s are {', '.join(possible)}."
            )


def _check_place(scene: "Scene", row: int | None, head: int) -> None:
    if row is not None and not 0 <= row < scene.n_positions:
        raise UserError(f"There is no row t{row + 1}; this scene has t1 to t{scene.n_positions}.")
    if not 0 <= head < scene.n_heads:
        raise UserError(f"There is no head {head + 1}; this scene has 1 to {scene.n_heads}.")


def _check_dpi(dpi: object) -> None:
    if not (isinstance(dpi, int) and MIN_DPI <= dpi <= MAX_DPI):
        raise UserError(f"The dpi must be a whole number from {MIN_DPI} to {MAX_DPI}; got {dpi!r}.")
