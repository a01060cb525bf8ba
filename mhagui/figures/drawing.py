"""Which function lays out which figure; importing this imports matplotlib."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

from mhagui.errors import UserError
from mhagui.figures import (
    cost,
    entropy,
    filter_bank,
    frequency,
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


def plan(name: str, subject: Subject, paper: Paper) -> Plan:
    """Return figure ``name`` laid out on ``paper``, with what the style wants around it.

    Raises UserError where there is none of this scene or on such paper.
    """
    if reason := why_not(name, subject.result, subject.style):
        raise UserError(reason)
    with house_style(subject.style):
        figure = PLANS[name](subject, paper)
        whole = titled(figure, paper, subject.note)
        if paper.height is None or whole is figure:
            return whole
        lower = replace(paper, taken=whole.height - figure.height)  # leaves room for the words
        return titled(PLANS[name](subject, lower), paper, subject.note)


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
    figure, provenance = draw(name, subject), saving.provenance_of(name, subject)
    with house_style(subject.style):
        return {kind: saving.to_bytes(figure, kind, provenance, subject.style) for kind in kinds}
