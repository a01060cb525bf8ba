"""Publication figures with no screen; matplotlib is imported when one is drawn."""

import logging
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from mhagui.errors import check_choices
from mhagui.figure_names import FIGURES, FORMATS, PANELS
from mhagui.figures.charts import Chart, render_chart
from mhagui.figures.style import FigureStyle, Ground, Labels, Preset, style_of, style_to_entry
from mhagui.figures.subject import Subject

if TYPE_CHECKING:
    from mhagui.document import Result
    from mhagui.document.known import Need

# What has to be known of a scene for a figure of it, where that is not the weights alone.
NEEDS: "dict[str, tuple[Need, ...]]" = {
    **dict.fromkeys(
        ("projection", "w-o", "concat", "output", "listening", "filter-bank", "packed-wv"),
        ("values",),
    ),
    **dict.fromkeys(("packed-wq", "packed-wk", "pipeline", "cost"), ("values", "queries")),
    **dict.fromkeys(("scores", "singular-values"), ("queries",)),
    "lesson": ("values", "queries", "filters"),
    "summary": ("values", "filters"),
    **dict.fromkeys(("impulse", "frequency"), ("filters",)),
}

__all__ = [
    "FIGURES",
    "FORMATS",
    "Chart",
    "FigureStyle",
    "Ground",
    "Labels",
    "Preset",
    "Subject",
    "render",
    "render_all",
    "render_chart",
    "render_each",
    "style_of",
    "style_to_entry",
    "why_not",
]

# Where the home folder cannot be written matplotlib makes do with a temporary one, and says so in
# several lines on each start; nobody who asked for a figure can use them.
logging.getLogger("matplotlib").setLevel(logging.ERROR)


def why_not(name: str, result: "Result", style: FigureStyle | None = None) -> str | None:
    """Return the sentence that says why there is no figure ``name``; None when there is.

    Either the scene has none, or the page that a ``style`` asks for has no room for it.
    """
    if name in PANELS and style and style.preset is Preset.SINGLE_COLUMN:
        return (
            f"The figure “{name}” is a page of several, which in a single column would be longer "
            "than a page of paper; choose the double preset, or export its figures one by one."
        )
    if name in ("heads", "scores", *PANELS):
        from mhagui.document.on_demand import are_kept, most_kept  # not for the start

        n_heads, n_positions = len(result.heads), len(result.allowed)
        if not are_kept(n_heads * result.allowed.size):
            return (
                f"The figure “{name}” draws every weight or score of {n_heads} heads, for T up to "
                f"{most_kept(n_heads)}; this scene has T = {n_positions}."
            )
    from mhagui.document.known import why_unknown

    unknown = why_unknown(NEEDS.get(name, ()), result)
    if unknown:
        return unknown
    packed = {"packed-wq": result.packed_queries, "packed-wk": result.packed_keys}
    return packed[name].why_none if name in packed else None


def render(name: str, subject: Subject, kind: str) -> bytes:
    """Return figure ``name`` of ``FIGURES`` as a file of ``kind``, one of ``FORMATS``.

    The same subject gives the same bytes every time.

    Raises
    ------
    UserError
        When there is no such figure or format, or the scene has not what is to be drawn.
    """
    check_choices("figure", [name], (*FIGURES, *subject.charts))
    check_choices("format", [kind], FORMATS)
    from mhagui.figures import drawing

    return drawing.render(name, subject, [kind])[kind]


def render_each(
    subject: Subject, names: Sequence[str], kinds: Sequence[str]
) -> Iterator[tuple[str, bytes]]:
    """Yield the files of ``names`` in each of ``kinds``, by their names, one after the other.

    All names are checked before the first is drawn; raises UserError as ``render`` does.
    """
    check_choices("figure", names, (*FIGURES, *subject.charts))
    check_choices("format", kinds, FORMATS)
    return _each(subject, names, kinds)


def _each(
    subject: Subject, names: Sequence[str], kinds: Sequence[str]
) -> Iterator[tuple[str, bytes]]:
    from mhagui.figures import drawing

    for name in names:
        for kind, data in drawing.render(name, subject, kinds).items():
            yield f"{name}.{kind}", data


def render_all(subject: Subject, names: Sequence[str], kinds: Sequence[str]) -> dict[str, bytes]:
    """Return all that ``render_each`` yields."""
    return dict(render_each(subject, names, kinds))
