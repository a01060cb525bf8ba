"""What can be copied of every panel: its figure, and the tables of numbers that it shows."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import partial

from mhagui.data.matrix_text import Table
from mhagui.document import Quantity
from mhagui.document.pipeline import study_stage
from mhagui.document.token_source import SourceKind
from mhagui.figures import FIGURES, Chart
from mhagui.gui.bench import Frame
from mhagui.gui.copying import tables
from mhagui.gui.docks.weights_content import Content, Shown, contents

Figure = str | Chart  # one of FIGURES by its name, or one that is of no frame


@dataclass(frozen=True, slots=True)
class Part:
    """A table of numbers that a panel shows.

    Attributes
    ----------
    name
        What menus and messages call it.
    make
        Makes it; this may take a while.
    figure
        The figure of it alone, a name of FIGURES; empty where it is only in the panel's.
    places
        The object names of the widgets that show it, * for any ending.
    """

    name: str
    make: Callable[[], Table]
    figure: str = ""
    places: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Contents:
    """All that can be copied of a panel.

    Attributes
    ----------
    frame
        What the panel shows; the head of its cursor is the one head that figures and tables are of.
    figure
        The figure that is copied first: as a rule that of the panel as a whole; empty for none.
    parts
        Its tables, the one that is copied first in front.
    charts
        Figures that are of no frame, by the object names of the widgets that show them.
    """

    frame: Frame
    figure: Figure
    parts: tuple[Part, ...]
    charts: Mapping[str, Chart] = field(default_factory=dict)

    def at(self, names: Iterable[str]) -> "Contents":
        """Return the same, with what the widget shows in front, and its figure as the figure.

        ``names`` are the object names of the widget, and of those that it is in.
        """
        names = list(names)
        shown = next((self.charts[name] for name in names if name in self.charts), self.figure)
        for name in names:
            for part in self.parts:
                if any(fnmatchcase(name, place) for place in part.places):
                    rest = tuple(other for other in self.parts if other is not part)
                    return replace(self, figure=part.figure or shown, parts=(part, *rest))
        return replace(self, figure=shown)

    def other_figures(self, whole: Figure) -> tuple[Figure, ...]:
        """Return the figures beside the first, that of the panel as a ``whole`` among them."""
        figures = (whole, *(part.figure for part in self.parts), *self.charts.values())
        return tuple(dict.fromkeys(name for name in figures if name not in ("", self.figure)))


def contents_of(panel: str, frame: Frame, page: str = "") -> Contents | None:
    """Return what can be copied of the panel with that object name; None where there is nothing.

    ``page`` is which of its pages it shows, where it has several.
    """
    make = _PANELS.get(panel)
    return None if make is None else make(frame, page)


def _heads(frame: Frame, _page: str) -> Contents:
    return Contents(frame, "heads", (Part("table of heads", partial(tables.heads, frame)),))


def _heatmaps(frame: Frame, _page: str) -> Contents:
    """Return the weights, or the scores, of all heads; of the cursor's head the numbers."""
    view = frame.view
    if view.enlarged is not None:
        frame = replace(frame, view=replace(view, cursor=replace(view.cursor, head=view.enlarged)))
    number = tables.place_of(frame) + 1
    where = ("heatmap*",)
    weights = Part(f"A_{number}", partial(tables.weights, frame), "head", where)
    scores = Part(f"S_{number}", partial(tables.scores, frame), "scores", where)
    if view.quantity is Quantity.SCORES:
        return Contents(frame, "scores", (scores, weights))
    whole = "heads" if view.enlarged is None else "head"
    return Contents(frame, whole, (weights, scores))


def _pipeline(frame: Frame, _page: str) -> Contents:
    """Return the matrices of the stage that is shown, what comes out of it in front."""
    study = study_stage(frame.scene, frame.result, tables.place_of(frame), frame.view.stage)
    parts = [
        Part(matrix.name, partial(tables.stage, frame, matrix), places=(f"stageMatrix{number}",))
        for number, matrix in enumerate(study.matrices, 1)
    ]
    return Contents(frame, "pipeline", (parts[-1], *parts[:-1]))


def _cell(frame: Frame, _page: str) -> Contents:
    parts = (
        Part("products", partial(tables.products, frame), places=("cellFeatures",)),
        Part("neighbours", partial(tables.neighbours, frame), places=("cellNeighbours",)),
    )
    return Contents(frame, "pipeline", parts)


def _projection(frame: Frame, _page: str) -> Contents:
    parts = (
        Part("W_O", partial(tables.w_o, frame), "w-o", ("outputProjectionTable",)),
        Part("Concat", partial(tables.concat, frame), "concat", ("concatView",)),
        Part("O", partial(tables.output, frame), "output", ("outputView",)),
        Part("listening", partial(tables.listening, frame), "listening", ("listeningView",)),
    )
    return Contents(frame, "projection", parts)


def _filter_bank(frame: Frame, page: str) -> Contents:
    number = tables.place_of(frame) + 1
    term = partial(tables.term, frame)
    before, after = (partial(tables.ablated, frame, site) for site in ("before", "after"))
    bank = (
        Part(f"term of h{number}", term, places=("termView*",)),
        Part(f"sum up to h{number}", partial(tables.sum_so_far, frame), places=("runningSum*",)),
        Part("sum of all terms", partial(tables.sum_of_terms, frame), places=("termSumView",)),
        Part("O", partial(tables.output, frame), "output", ("bankOutputView",)),
        Part("norms of the terms", partial(tables.norms, frame), places=("normBar*",)),
    )
    sites = (
        Part(f"O without h{number}", before, places=("ablatedBeforeView",)),
        Part(f"O with columns of h{number} zero", after, places=("ablatedAfterView",)),
    )
    return Contents(frame, "filter-bank", sites if page == "Ablation site" else bank)


def _weights(frame: Frame, page: str) -> Contents:
    """Return the matrices that are shown side by side, the packed one in front."""
    shown = Shown(page)
    figure = {
        Shown.QUERIES: "packed-wq",
        Shown.KEYS: "packed-wk",
        Shown.VALUES: "packed-wv",
        Shown.HEAD: "pipeline",
    }.get(shown, "packed-wv")
    parts = [_pane(content, n) for n, content in enumerate(contents(frame, shown), 1)]
    parts.sort(key=lambda part: part.name != shown.value)
    return Contents(frame, figure, tuple(parts))


def _pane(content: Content, number: int) -> Part:
    matrix = content.matrix
    make = partial(Table, matrix.name, matrix.row_labels, matrix.column_labels, matrix.values)
    return Part(matrix.name, make, places=(f"weights{number}Table", f"weights{number}View"))


def _impulse(frame: Frame, page: str) -> Contents:
    row = f"t{frame.view.cursor.query + 1}"
    taps = Part(f"taps of {row}", partial(tables.taps, frame))
    response = Part(f"response of {row}", partial(tables.responses, frame))
    if page == "Frequency response":
        return Contents(frame, "frequency", (response, taps))
    return Contents(frame, "impulse", (taps, response))


def _entropy(frame: Frame, _page: str) -> Contents:
    parts = (
        Part("row entropy", partial(tables.entropy, frame)),
        Part("effective positions", partial(tables.effective_positions, frame)),
    )
    return Contents(frame, "entropy", parts)


def _rank(frame: Frame, _page: str) -> Contents:
    sigmas, effective = (
        partial(of, frame) for of in (tables.weight_sigmas, tables.effective_ranks)
    )
    parts = (
        Part("singular values of Q·Kᵀ", partial(tables.score_sigmas, frame), places=("rankTable",)),
        Part("effective rank of A", effective, places=("effectiveRankTable",)),
        Part("singular values of A", sigmas, places=("spectrumPlot",)),
        Part("parameters", partial(tables.parameters, frame), places=("parameterTable",)),
    )
    return Contents(frame, "singular-values", parts)


def _information(frame: Frame, _page: str) -> Contents:
    divergences = partial(tables.divergences, frame)
    parts = [
        Part("information", partial(tables.information, frame), places=("informationBars",)),
        Part("divergences", divergences, "redundancy", ("divergenceMatrix",)),
    ]
    if frame.scene.n_heads > 1:
        pair = partial(tables.information_of_two, frame)
        parts.insert(1, Part("two heads together", pair, places=("pairBars",)))
    if frame.scene.source.kind is SourceKind.MARKOV:
        parts.append(Part("P", partial(tables.transitions, frame), places=("transitionTable",)))
    return Contents(frame, "information", tuple(parts))


def _cost(frame: Frame, _page: str) -> Contents:
    parts = (
        Part("operations", partial(tables.operations, frame), places=("costStages",)),
        Part("numbers in each matrix", partial(tables.elements, frame), places=("costElements",)),
        Part("bytes", partial(tables.memory, frame), places=("costMemory",)),
        Part("costs over T", partial(tables.over_lengths, frame), places=("costOverT",)),
        Part("costs over H", partial(tables.over_heads, frame), places=("costOverH",)),
    )
    return Contents(frame, "cost", parts)


_PANELS: Mapping[str, Callable[[Frame, str], Contents]] = {
    "headsDock": _heads,
    "heatmapsDock": _heatmaps,
    "pipelineDock": _pipeline,
    "cellDock": _cell,
    "outputProjectionDock": _projection,
    "filterBankDock": _filter_bank,
    "weightsDock": _weights,
    "impulseDock": _impulse,
    "entropyDock": _entropy,
    "rankDock": _rank,
    "informationDock": _information,
    "costDock": _cost,
}


def title_of(figure: Figure, frame: Frame) -> str:
    """Return what a figure shows, which head of it included."""
    if isinstance(figure, Chart):
        return figure.title
    number = tables.place_of(frame) + 1
    return FIGURES[figure].replace("one head", f"h{number}")
