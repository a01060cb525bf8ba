"""Which function draws which figure; importing this imports matplotlib."""

from matplotlib.figure import Figure

from mhagui.document import Result, Scene
from mhagui.figures import entropy, heads, impulse, packed, projection
from mhagui.figures.page import house_style

_DRAW = {
    "heads": heads.draw,
    "projection": projection.draw,
    "packed-wq": packed.draw,
    "entropy": entropy.draw,
}


def draw(name: str, scene: Scene, result: Result, row: int | None) -> Figure:
    """Return figure ``name``, drawn in our style."""
    with house_style():
        if name == "impulse":
            return impulse.draw(scene, result, row)
        return _DRAW[name](scene, result)
