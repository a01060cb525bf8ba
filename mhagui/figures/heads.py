"""The weights or the scores of every head, in one grid with one colour bar; or of one head."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from mhagui.document import HeadResult, Result, Scene
from mhagui.document.bias_words import bias_words
from mhagui.document.records import Array
from mhagui.document.weight_scale import as_coloured
from mhagui.figures.cells import (
    BAR_GAP,
    BAR_WIDTH,
    Grid,
    Writing,
    bar_room,
    colour_bar,
    column_names,
    draw_matrix,
    label_rows,
    name_columns,
    too_many,
    widest_of,
    writing_for,
)
from mhagui.figures.page import LABEL_SIZE, Box, Plan, Sheet, wrapped
from mhagui.figures.panels import (
    AXIS_LABEL,
    OUTSIDE_GAP,
    Panels,
    best_of,
    head_name,
    is_roomy,
    wrapped_names,
)
from mhagui.figures.paper import EDGE, UNIT_SIZE, Paper, keys_of
from mhagui.figures.scales import Scale, signed_scale, weights_scale
from mhagui.figures.subject import Subject
from mhagui.formats import short

CELL = 0.38  # inches at most
LARGE_CELL, LARGEST_SIDE = 0.55, 5.0  # of a head alone
SMALLEST_SIDE = 1.8
LEAST_SIDE = 0.4  # where there is no room, and all is made smaller
THINNEST = 0.25  # of the longer side of a matrix: the least that the shorter one has
LOWEST = 0.8  # inches, of all of them: less than the name of the rows is long
TALLEST = 1.25  # times the room for its width: the most that a matrix is high


@dataclass(frozen=True, eq=False)
class _Content:
    """What the panels show: a matrix of each of some heads, in one scale."""

    title: str
    caption: str
    heads: tuple[HeadResult, ...]
    names: list[str]
    values: Callable[[HeadResult], Array]
    scale: Scale
    bar_label: str
    side: float  # inches of a panel, where there is room


def plan_weights(subject: Subject, paper: Paper) -> Plan:
    """Lay out the weights of every head."""
    scene, result = subject.scene, subject.result
    scale = weights_scale(paper, result)
    caption = (
        f"Attention weights A of {_heads(scene)} over {_lengths(scene)}: rows are "
        f"queries, columns keys; hatched keys are masked. Colours: {scale.caption}, the same for "
        f"all heads. {_gains(result)} {bias_words(result.heads)}"
    ).rstrip()
    title, label = f"{scene.title}: weights of the heads", _bar_label(scale)
    values = partial(_weights, result=result, scale=scale)
    return _of_all(subject, paper, title, caption, values, scale, label)


def plan_scores(subject: Subject, paper: Paper) -> Plan:
    """Lay out the scores of every head, in which no gain is."""
    scene, result = subject.scene, subject.result
    seen = [np.where(result.allowed, head.scores, 0.0) for head in result.heads]
    scale = signed_scale(paper, "scores", *seen)
    caption = (
        f"Scores S = Q·Kᵀ/√d_k of {_heads(scene)}, before gain and softmax: rows are queries, "
        "columns keys; hatched keys are masked. One scale around 0 for all heads."
    )
    title = f"{scene.title}: scores of the heads"
    return _of_all(subject, paper, title, caption, _scores, scale, "score S")


def plan_head(subject: Subject, paper: Paper) -> Plan:
    """Lay out the weights of one head, larger."""
    scene, result, number = subject.scene, subject.result, subject.head + 1
    head, scale = result.heads[subject.head], weights_scale(paper, result)
    gain = f"g\u00a0=\u00a0{_gain(head)}"  # of which no line ends within
    caption = (
        f"Attention weights A of head {number} of “{scene.title}”, {head.head.name}, at gain "
        f"{_gain(head)}: rows are queries, columns keys; hatched keys are masked. Colours: "
        f"{scale.caption}. {bias_words((head,), number)}"
    ).rstrip()
    content = _Content(
        f"{scene.title}: head {number}",
        caption,
        (head,),
        [f"{head_name(number, head)}, {gain}"],
        partial(_weights, result=result, scale=scale),
        scale,
        _bar_label(scale),
        min(max(LARGE_CELL * _longer(paper.roomiest(scene)), SMALLEST_SIDE), LARGEST_SIDE),
    )
    return _plan(subject, paper, content, 1)


def _of_all(
    subject: Subject,
    paper: Paper,
    title: str,
    caption: str,
    values: Callable[[HeadResult], Array],
    scale: Scale,
    bar_label: str,
) -> Plan:
    heads = subject.result.heads
    names = [head_name(number, head) for number, head in enumerate(heads, 1)]
    side = max(CELL * _longer(paper.roomiest(subject.scene)), SMALLEST_SIDE)
    label = _shared(bar_label, len(heads))
    content = _Content(title, caption, heads, names, values, scale, label, side)
    return best_of(len(heads), paper, partial(_plan, subject, paper, content))


def _plan(subject: Subject, paper: Paper, content: _Content, n_columns: int) -> Plan:
    scene, allowed, scale = subject.scene, subject.result.allowed, content.scale
    panels, bar, bar_label = _panels_and_bar(paper.roomiest(scene), paper, content, n_columns)
    columns = column_names(paper, keys_of(scene), panels.width / scene.n_keys)
    as_image = too_many(*len(content.heads) * [allowed.shape])
    shown = [np.where(allowed, content.values(head), np.nan) for head in content.heads]
    writing = Writing()
    if not as_image:
        type_size = UNIT_SIZE if paper.is_part else paper.style.type_size
        writing = writing_for(shown, scale, panels.box(0), type_size=type_size)

    def paint(sheet: Sheet) -> None:
        for index, head in enumerate(content.heads):
            grid = Grid.on(sheet, panels.box(index), allowed.shape)
            values = content.values(head)
            draw_matrix(grid, values, scale, allowed, as_image=as_image, writing=writing)
            panels.write_name(sheet, index, muted=not head.active)
            label_rows(grid, paper.row_names(scene))
            name_columns(grid.axes, columns)
            panels.keep_labels(grid.axes, index)
        panels.write_axes(sheet, "query position t", "key position i")
        inside = panels.inside
        box = Box(panels.right + BAR_GAP, inside.top, BAR_WIDTH, inside.height)
        colour_bar(sheet, box, scale, bar_label)

    height = panels.end + AXIS_LABEL
    return Plan(content.title, content.caption, panels.right + bar, height, paint)


def _panels_and_bar(
    scene: Scene, paper: Paper, content: _Content, n_columns: int
) -> tuple[Panels, float, str]:
    """Return the panels, the width of the bar beside them, and its label in lines as it is high."""
    label = content.bar_label
    while True:
        bar = BAR_GAP + BAR_WIDTH + bar_room(content.scale, label)
        panels = _panels(scene, paper, content, n_columns, bar)
        lines = wrapped(content.bar_label, panels.inside.height, LABEL_SIZE)
        if len(lines) <= label.count("\n") + 1:
            return panels, bar, label
        label = "\n".join(lines)


def _panels(scene: Scene, paper: Paper, content: _Content, n_columns: int, bar: float) -> Panels:
    labels = widest_of(paper.row_names(scene)) + 0.06
    left = EDGE + AXIS_LABEL + labels
    roomy = is_roomy(n_columns, paper)
    gap = 0.18 + labels if roomy else OUTSIDE_GAP
    room = paper.width - left - (n_columns - 1) * gap - bar
    n_rows = math.ceil(len(content.heads) / n_columns)
    # Of the longer side; cells are square but where a strip would be too thin.
    wide, high = (max(n / _longer(scene), THINNEST) for n in (scene.n_keys, scene.n_positions))
    tallest = paper.tallest / n_rows / high
    if wide < high:  # or a page of tall matrices would be longer than paper
        tallest = min(tallest, TALLEST * room / n_columns)
    side = max(min(room / n_columns / wide, content.side, tallest), LEAST_SIDE)
    while True:
        width, height = side * wide, side * high
        if high < wide:
            height = max(height, LOWEST / n_rows)
        names = wrapped_names(content.names, width, roomy=roomy)
        below = column_names(paper, keys_of(scene), width / scene.n_keys).height
        n_panels = len(content.heads)
        panels = Panels(n_panels, n_columns, width, height, left, gap, names, roomy, below)
        over = panels.end + AXIS_LABEL - (paper.height or math.inf)
        if over <= 0 or side <= LEAST_SIDE:
            return panels
        side = max(side - over / n_rows / high - 0.01, LEAST_SIDE)


def _longer(scene: Scene) -> int:
    """Return how many cells the longer side of a matrix has."""
    return max(scene.n_positions, scene.n_keys)


def _lengths(scene: Scene) -> str:
    if scene.mask.across:
        return f"{scene.n_positions} queries and {scene.n_keys} keys"
    return f"{scene.n_positions} positions"


def _weights(head: HeadResult, *, result: Result, scale: Scale) -> Array:
    weights = np.asarray(head.weights)
    return weights if scale.ends is None else as_coloured(weights, result, scale.ends)


def _scores(head: HeadResult) -> Array:
    return np.asarray(head.scores)


def _bar_label(scale: Scale) -> str:
    """Return what the bar of weights is called: nothing needs to be said of 0 to 1."""
    return "weight A" if scale.caption == "weight A, linear, 0 to 1" else scale.caption


def _shared(label: str, n_heads: int) -> str:
    """Return the label of a bar that stands for so many heads."""
    return f"{label}, all heads" if n_heads > 1 else label


def _heads(scene: Scene) -> str:
    return f"the {scene.n_heads} heads of “{scene.title}”" if scene.n_heads > 1 else "the head"


def _gain(head: HeadResult) -> str:
    return short(head.gain)


def _gains(result: Result) -> str:
    gains = list(map(_gain, result.heads))
    if len(set(gains)) == 1:
        return f"Gain g = {gains[0]}."
    return f"Gains: {', '.join(f'h{number} {gain}' for number, gain in enumerate(gains, 1))}."
