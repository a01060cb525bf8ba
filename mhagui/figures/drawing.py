"""Which function lays out which figure; importing this imports matplotlib."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

from mhagui.errors import UserError
from mhagui.figures import (
    ablated,
    comparison,
    cost,
    entropy,
    filter_bank,
    frequency,
    head_map,
    head_scatter,
    heads,
    impulse,
    information,
    matrices,
    pages,
    pipeline,
    projection,
    saving,
    singular,
    why_not,
)
from mhagui.figures.charts import Chart, HeadMap, HeadScatter
from mhagui.figures.found import (
    AblatedOutput,
    Comparison,
    HeadImportance,
    NextTokens,
    PrunedHeads,
)
from mhagui.figures.page import Plan, house_style, painted, titled
from mhagui.figures.paper import Paper
from mhagui.figures.style import FigureStyle
from mhagui.figures.subject import Subject

PLANS: dict[str, Callable[[Subject, Paper], Plan]] = {
    "heads": heads.plan_weights,
    "head": heads.plan_head,
    "scores": heads.plan_scores,
    "projection": projection.plan,
    "w-o": matrices.plan_w_o,
    "concat": matrices.plan_concat,
    "output": matrices.plan_output,
    "listening": matrices.plan_listening,
    "packed-wq": matrices.plan_w_q,
    "packed-wk": matrices.plan_w_k,
    "packed-wv": matrices.plan_w_v,
    "filter-bank": filter_bank.plan,
    "pipeline": pipeline.plan,
    "impulse": impulse.plan,
    "frequency": frequency.plan,
    "entropy": entropy.plan,
    "singular-values": singular.plan,
    "information": information.plan_information,
    "redundancy": information.plan_redundancy,
    "cost": cost.plan,
    "lesson": pages.plan_lesson,
    "summary": pages.plan_summary,
}


CHARTS: dict[type[Chart], Callable[[Any, Paper], Plan]] = {
    HeadMap: head_map.plan,
    HeadScatter: head_scatter.plan,
    Comparison: comparison.plan,
    AblatedOutput: ablated.plan_output,
    HeadImportance: ablated.plan_importance,
    PrunedHeads: ablated.plan_pruned,
    NextTokens: ablated.plan_next_token,
}


def plan(name: str, subject: Subject, paper: Paper) -> Plan:
    """Return figure ``name`` laid out on ``paper``, with what the style wants around it.

    Raises UserError where there is none of this scene or on such paper.
    """
    if name in subject.charts:
        return plan_chart(subject.charts[name], paper)
    if reason := why_not(name, subject.result, subject.style):
        raise UserError(reason)
    return _on_page(partial(PLANS[name], subject), paper, subject.note)


def plan_chart(chart: Chart, paper: Paper) -> Plan:
    """Return ``chart`` laid out on ``paper``, with what the style wants around it."""
    return _on_page(partial(CHARTS[type(chart)], chart), paper)


def _on_page(lay_out: Callable[[Paper], Plan], paper: Paper, note: str = "") -> Plan:
    with house_style(paper.style):
        figure = lay_out(paper)
        whole = titled(figure, paper, note)
        if paper.height is None or whole is figure:
            return whole
        lower = replace(paper, taken=whole.height - figure.height)  # leaves room for the words
        return titled(lay_out(lower), paper, note)


def draw(name: str, subject: Subject, size: tuple[float, float] | None = None) -> Figure:
    """Return figure ``name`` on its page; ``size`` is that of ``painted``."""
    paper = Paper.of(subject)
    return painted(plan(name, subject, paper), paper, size)


def pixels(figure: Figure, style: FigureStyle) -> npt.NDArray[np.uint8]:
    """Return a figure drawn in ``style`` as an image, (height, width, 4) uint8, at its dpi."""
    with house_style(style):
        image = saving.pixels(figure, style)
    opaque = np.full((*image.shape[:2], 4 - image.shape[2]), 255, np.uint8)
    return np.concatenate([image, opaque], axis=2)


def render(name: str, subject: Subject, kinds: Sequence[str]) -> dict[str, bytes]:
    """Return figure ``name`` in each of ``kinds``, drawn once."""
    if name in subject.charts:
        return render_chart(subject.charts[name], subject.style, kinds)
    figure, provenance = draw(name, subject), saving.provenance_of(name, subject)
    with house_style(subject.style):
        return {kind: saving.to_bytes(figure, kind, provenance, subject.style) for kind in kinds}


def render_chart(chart: Chart, style: FigureStyle, kinds: Sequence[str]) -> dict[str, bytes]:
    """Return ``chart`` in each of ``kinds``, drawn once."""
    paper = Paper(style)
    laid_out = plan_chart(chart, paper)
    figure, provenance = painted(laid_out, paper), saving.provenance_of_chart(chart, style)
    with house_style(style):
        return {
            kind: saving.to_bytes(figure, kind, provenance, style, laid_out.caption)
            for kind in kinds
        }
