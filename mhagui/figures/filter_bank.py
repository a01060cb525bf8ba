"""The filter bank: every head's term, their sum, Concat·W_O, and what zeroing a head changes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from mhagui.document import Result, Scene
from mhagui.document.filter_bank import (
    SHORT_IDENTITY,
    FilterBank,
    ablation_sites,
    filter_bank,
    residual_text,
)
from mhagui.document.records import Array
from mhagui.figures.cells import (
    LABELS_BELOW,
    Grid,
    Scale,
    bar_room,
    colour_bar,
    draw_cells,
    draw_values,
    label_columns,
    label_rows,
    signed_scale,
    too_many,
)
from mhagui.figures.page import (
    EDGE,
    FULL_WIDTH,
    INK,
    LABEL_SIZE,
    MUTED_INK,
    RULE,
    TICK_SIZE,
    TITLE_SIZE,
    Box,
    line_height,
    new_page,
    place,
    round_ticks,
    state_of,
    text_width,
    wrapped,
    write,
)
from mhagui.formats import positions, short, significant
from mhagui.palette import head_colour

CELL = 0.38  # inches at most
SMALLEST_WIDTH, SMALLEST_HEIGHT = 1.8, 0.35
BAR_WIDTH, BAR_GAP = 0.13, 0.2
TITLE_GAP = 0.03  # between a name and the norm below it
AXIS_LABEL = line_height(LABEL_SIZE) + 0.04
CHART_HEIGHT, CHART_GAP = 0.75, 0.35
NORMS = "Norm of what each head adds (hollow: would add, but is ablated)"
CHANGES = "Largest change of O when the head is zeroed before W_O (filled) and after it (hollow)"
CHANGES_BEFORE = "Largest change of O when the head is zeroed before W_O"


@dataclass(frozen=True)
class Layout:
    """Where the panels are, in inches."""

    n_columns: int
    n_rows: int
    width: float
    height: float
    left: float
    gap: float
    titles: list[list[str]]
    title_size: float
    below: float

    @property
    def is_roomy(self) -> bool:
        """Whether every panel has its own labels; of many panels only the outer ones do."""
        return self.n_columns <= 3

    @property
    def title_height(self) -> float:
        """Height of the tallest title and the norm below it, with the space under them."""
        lines = max(map(len, self.titles))
        return lines * line_height(self.title_size) + TITLE_GAP + line_height(TICK_SIZE) + 0.05

    @property
    def pitch(self) -> float:
        """From the top of a row of panels to that of the next."""
        return self.title_height + self.height + self.below

    @property
    def grid_width(self) -> float:
        """From the left edge of the first panel to the right edge of the last."""
        return self.n_columns * (self.width + self.gap) - self.gap

    @property
    def grid_bottom(self) -> float:
        """Where the labels below the last row of panels end."""
        return EDGE + self.n_rows * self.pitch + (0.0 if self.is_roomy else LABELS_BELOW)

    def box(self, index: int) -> Box:
        """Return where the cells of panel ``index`` are."""
        row, column = divmod(index, self.n_columns)
        left = self.left + column * (self.width + self.gap)
        top = EDGE + row * self.pitch + self.title_height
        return Box(left, top, self.width, self.height)


@dataclass(frozen=True, eq=False)
class Chart:
    """A bar chart over the heads: filled bars, and hollow ones in their place or ``beside``."""

    title: str
    filled: Sequence[float | None]
    hollow: Sequence[float | None]
    beside: bool

    @property
    def most(self) -> float:
        """The largest bar; 1 where all are 0."""
        return max([value or 0.0 for value in (*self.filled, *self.hollow)]) or 1.0

    @property
    def most_text(self) -> str:
        """The largest bar as the axis has it."""
        return short(self.most, 3)


def draw(scene: Scene, result: Result, row: int | None = None) -> Figure:
    """Draw the terms, their sum and Concat·W_O; row ``row`` (from 0) is framed where given."""
    bank = filter_bank(result)
    matrices = [*bank.terms, bank.sums[-1], result.output]
    scale = signed_scale(*matrices)
    bar = BAR_GAP + BAR_WIDTH + bar_room(scale, "")
    layout, charts = _layout(scene, result, bar), _charts(scene, result, bank)
    width = layout.left + layout.grid_width + bar
    boxes, charts_bottom = _chart_boxes(charts, layout.grid_bottom + AXIS_LABEL + 0.12, width)
    note = _note(result, width - 2 * EDGE)
    height = charts_bottom + len(note) * line_height(TICK_SIZE) + EDGE
    figure = new_page(width, height, f"{scene.title}: filter bank")
    as_image = too_many(*(matrix.shape for matrix in matrices))
    for index, matrix in enumerate(matrices):
        _panel(figure, layout, index, matrix, scale, as_image=as_image, row=row)
        _title(figure, layout, index, _below_title(bank, index), result)
    _axis_labels(figure, layout)
    _bar(figure, layout, scale)
    for chart, box in zip(charts, boxes, strict=True):
        _draw_chart(figure, box, chart, scene)
    write(figure, EDGE, charts_bottom, "\n".join(note), fontsize=TICK_SIZE)
    return figure


def _layout(scene: Scene, result: Result, bar: float) -> Layout:
    """Return the layout of the panels, beside which the colour bar takes ``bar`` inches."""
    n_panels = scene.n_heads + 2
    n_columns = math.ceil(math.sqrt(n_panels))
    labels = text_width(positions(scene.n_positions)[-1]) + 0.06
    left = EDGE + AXIS_LABEL + labels
    gap = 0.18 + labels if n_columns <= 3 else 0.2
    room = FULL_WIDTH - left - (n_columns - 1) * gap - bar
    width = min(room / n_columns, max(CELL * scene.d_model, SMALLEST_WIDTH))
    height = width * scene.n_positions / scene.d_model  # square cells, where they can be
    height = max(min(height, width), SMALLEST_HEIGHT)
    size = TITLE_SIZE if n_columns <= 3 else TICK_SIZE
    names = [
        f"h{number} — {head.head.name}{state_of(head)}"
        for number, head in enumerate(result.heads, 1)
    ]
    total = f"Σ of {scene.n_heads} terms" if scene.n_heads > 1 else "Σ of 1 term"
    titles = [wrapped(name, width - 0.02, size) for name in (*names, total, "Concat·W_O")]
    below = (LABELS_BELOW + 0.1) if n_columns <= 3 else 0.1
    n_rows = math.ceil(n_panels / n_columns)
    return Layout(n_columns, n_rows, width, height, left, gap, titles, size, below)


def _panel(
    figure: Figure,
    layout: Layout,
    index: int,
    matrix: Array,
    scale: Scale,
    *,
    as_image: bool,
    row: int | None,
) -> None:
    grid = Grid.on(figure, layout.box(index), matrix.shape)
    draw_cells(grid, matrix, scale, as_image=as_image)
    if not as_image and matrix.any():  # or zeros alone would fit, and be written here alone
        draw_values(grid, matrix, scale)
    label_rows(grid, positions(grid.n_rows))
    label_columns(grid, positions(grid.n_columns, "d"))
    if not layout.is_roomy:
        has_left = index % layout.n_columns > 0
        has_below = index + layout.n_columns < len(layout.titles)
        grid.axes.tick_params(labelleft=not has_left, labelbottom=not has_below)
    if row is not None:
        frame = Rectangle((0, row), grid.n_columns, 1, fill=False, edgecolor=INK, zorder=5)
        frame.set(linewidth=1.0, clip_on=False)
        grid.axes.add_patch(frame)


def _below_title(bank: FilterBank, index: int) -> str:
    if index >= len(bank.norms):
        return ""
    return f"norm {significant(bank.norms[index], 3) if bank.norms[index] else '0'}"


def _title(figure: Figure, layout: Layout, index: int, below: str, result: Result) -> None:
    box, lines = layout.box(index), layout.titles[index]
    is_heard = index >= len(result.heads) or result.heads[index].active
    bottom = box.top - 0.05 - line_height(TICK_SIZE)
    top = bottom - TITLE_GAP - len(lines) * line_height(layout.title_size)
    ink = INK if is_heard else MUTED_INK
    look = {"fontsize": layout.title_size, "color": ink, "parse_math": False}
    write(figure, box.left, top, "\n".join(lines), **look)
    write(figure, box.left, bottom, below, fontsize=TICK_SIZE, color=MUTED_INK)


def _axis_labels(figure: Figure, layout: Layout) -> None:
    middle = layout.left + layout.grid_width / 2
    write(figure, middle, layout.grid_bottom, "output channel", ha="center")
    last = layout.box((layout.n_rows - 1) * layout.n_columns)
    half = (layout.box(0).top + last.top + last.height) / 2
    write(figure, EDGE, half, "position t", rotation=90, va="center")


def _bar(figure: Figure, layout: Layout, scale: Scale) -> None:
    top = layout.box(0).top
    last = layout.box((layout.n_rows - 1) * layout.n_columns)
    left = layout.left + layout.grid_width + BAR_GAP
    axes = place(figure, left, top, BAR_WIDTH, last.top + last.height - top)
    colour_bar(axes, scale, "")


def _charts(scene: Scene, result: Result, bank: FilterBank) -> tuple[Chart, Chart]:
    """Return what each head adds, and how much O changes when it is zeroed at either site."""
    sites = [ablation_sites(scene, result, head) for head in range(scene.n_heads)]
    before = [site.change_before for site in sites]
    after = [site.change_after for site in sites if site.change_after is not None]
    both = zip(bank.norms, bank.norms_heard, strict=True)
    added = [norm if norm > 0 else None for norm in bank.norms]
    could = [None if norm > 0 else heard for norm, heard in both]
    changes = CHANGES if after else CHANGES_BEFORE
    return Chart(NORMS, added, could, beside=False), Chart(changes, before, after, beside=True)


def _chart_boxes(charts: Sequence[Chart], top: float, width: float) -> tuple[list[Box], float]:
    """Return where the charts stand below ``top``, side by side, and where their labels end."""
    labels = [text_width(chart.most_text) + 0.06 for chart in charts]
    room = (width - 2 * EDGE - sum(labels) - CHART_GAP) / len(charts)
    lines = max(len(wrapped(chart.title, room, TICK_SIZE)) for chart in charts)
    top += lines * line_height(TICK_SIZE) + 0.06
    lefts = EDGE + labels[0], EDGE + sum(labels) + room + CHART_GAP
    boxes = [Box(left, top, room, CHART_HEIGHT) for left in lefts]
    return boxes, top + CHART_HEIGHT + LABELS_BELOW + 0.06


def _draw_chart(figure: Figure, box: Box, chart: Chart, scene: Scene) -> None:
    """Draw a filled and a hollow bar for each head that has one, as parts of the largest."""
    axes = place(figure, box.left, box.top, box.width, box.height)
    axes.set_xlim(0, scene.n_heads)
    axes.set_ylim(0, 1)
    axes.set_yticks([0, 1], labels=["0", chart.most_text])
    widest = text_width(f"h{scene.n_heads}") + 0.08
    numbers = round_ticks(scene.n_heads, max(int(box.width / widest), 1))
    axes.set_xticks([number - 0.5 for number in numbers], [f"h{number}" for number in numbers])
    axes.tick_params(length=0, pad=2)
    for side, spine in axes.spines.items():
        spine.set(visible=side in ("left", "bottom"), edgecolor=RULE)
    wide, offset = (0.34, 0.36) if chart.beside else (0.7, 0.0)
    for bars, left in ((chart.filled, 0.15), (chart.hollow, 0.15 + offset)):
        for head, value in enumerate(bars):
            if value is None:
                continue
            colour = head_colour(scene.heads[head].uid)
            bar = Rectangle((head + left, 0), wide, value / chart.most, clip_on=False, zorder=3)
            face = colour if bars is chart.filled else "white"
            bar.set(facecolor=face, edgecolor=colour, linewidth=0.8)
            axes.add_patch(bar)
    lines = wrapped(chart.title, box.width, TICK_SIZE)
    top = box.top - 0.06 - len(lines) * line_height(TICK_SIZE)
    write(figure, box.left, top, "\n".join(lines), fontsize=TICK_SIZE)


def _note(result: Result, width: float) -> list[str]:
    return wrapped(f"{SHORT_IDENTITY} = {residual_text(result)}", width, TICK_SIZE)
