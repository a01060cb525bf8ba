"""What a figure is drawn from."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from mhagui.document import Result, Scene
from mhagui.document.view_state import WhatIf
from mhagui.errors import UserError
from mhagui.figures.charts import Chart
from mhagui.figures.style import FigureStyle, checked


@dataclass(frozen=True, eq=False)
class Subject:
    """A scene, what was computed from it, and how and where to look at it.

    Attributes
    ----------
    scene, result
        What to draw; every number shown is one of these.
    style
        How it looks.
    row
        The query position, from 0, whose responses and information are drawn; None for t4, or the
        last where T is less.
    head
        The place, from 0, of the head that figures of one head show.
    sizes
        The layer whose cost is drawn; None for the scene's own.
    limits
        For colour scales by name, a magnitude that they reach at least: frames that follow one
        another keep their colours with these.
    note
        A line above the figure.
    longest
        The scene for which there is room; None for ``scene``. Frames that follow one another keep
        everything in its place with the one of most positions.
    charts
        Figures by their names that are drawn from something else, and can be asked for as well.
    """

    scene: Scene
    result: Result
    style: FigureStyle = field(default_factory=FigureStyle)
    row: int | None = None
    head: int = 0
    sizes: WhatIf | None = None
    limits: Mapping[str, float] = field(default_factory=dict)
    note: str = ""
    longest: Scene | None = None
    charts: Mapping[str, Chart] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise UserError where the scene has no such row or head, or the style is none."""
        checked(self.style)
        n_positions, n_heads = self.scene.n_positions, self.scene.n_heads
        if self.row is not None and not 0 <= self.row < n_positions:
            raise UserError(
                f"There is no row t{self.row + 1}; this scene has t1 to t{n_positions}."
            )
        if not 0 <= self.head < n_heads:
            raise UserError(f"There is no head {self.head + 1}; this scene has 1 to {n_heads}.")
