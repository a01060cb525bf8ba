"""Which function draws which figure; importing this imports matplotlib."""

from matplotlib.figure import Figure

from mhagui.document import Result, Scene
from mhagui.figures import (
    cost,
    entropy,
    filter_bank,
    frequency,
    heads,
    impulse,
    information,
    packed,
    pipeline,
    projection,
)
from mhagui.figures.page import house_style

_OF_SCENE = {
    "heads": heads.draw,
    "projection": projection.draw,
    "packed-wq": packed.draw,
    "packed-wk": packed.draw_w_k,
    "packed-wv": packed.draw_w_v,
    "entropy": entropy.draw,
    "cost": cost.draw,
}
_OF_ROW = {
    "filter-bank": filter_bank.draw,
    "impulse": impulse.draw,
    "frequency": frequency.draw,
    "information": information.draw_information,
    "redundancy": information.draw_redundancy,
}


def draw(name: str, scene: Scene, result: Result, row: int | None, head: int) -> Figure:
    """Return figure ``name``, drawn in our style."""
    with house_style():
        if name == "pipeline":
            return pipeline.draw(scene, result, head)
        if name in _OF_ROW:
            return _OF_ROW[name](scene, result, row)
        return _OF_SCENE[name](scene, result)
