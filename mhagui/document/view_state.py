"""What is looked at, and how: never undone, never a reason to save."""

import enum
from dataclasses import dataclass, replace

from mhagui.document.scene import Scene
from mhagui.formats import ALL_DIGITS, USUAL_DIGITS, Precision
from mhagui.palette import SignedColours, WeightColours


class Quantity(enum.Enum):
    """What the head heatmaps show."""

    WEIGHTS = "weights"
    SCORES = "scores"


class ColourScale(enum.StrEnum):
    """How a weight becomes a colour; the value is the text stated on the colour bar."""

    LINEAR = "linear, 0 to 1"
    LINEAR_TO_MAX = "linear, 0 to max"
    LOGARITHMIC = "logarithmic"
    RELATIVE = "relative to uniform"


class Digits(enum.IntEnum):
    """How many significant digits read-outs give."""

    THREE = 3
    FOUR = USUAL_DIGITS
    SIX = 6
    TEN = 10
    ALL = ALL_DIGITS

    def __str__(self) -> str:
        """Return the text in the menu."""
        return "all" if self is Digits.ALL else str(self.value)


@dataclass(frozen=True, slots=True)
class Appearance:
    """How numbers and colours look in the window, whatever scene is open.

    Attributes
    ----------
    digits
        How many digits read-outs and tables give.
    weight_colours, signed_colours
        The colours of weights, and of numbers that can be below zero.
    """

    digits: Digits = Digits.FOUR
    weight_colours: WeightColours = WeightColours.VIRIDIS
    signed_colours: SignedColours = SignedColours.BLUE_RED

    @property
    def precision(self) -> Precision:
        """What writes numbers with these digits."""
        return Precision(self.digits)


@dataclass(frozen=True, slots=True)
class Cursor:
    """The cell every panel points at: head by identity, query row t and key column i from 0."""

    head: int
    query: int
    key: int


@dataclass(frozen=True, slots=True)
class WhatIf:
    """A layer whose cost is asked for, whatever lies on the bench; every size is at least 1."""

    d_model: int
    n_heads: int
    d_k: int
    d_v: int
    n_positions: int

    @classmethod
    def of(cls, scene: Scene) -> "WhatIf":
        """Return the sizes of ``scene``."""
        return cls(scene.d_model, scene.n_heads, scene.d_k, scene.d_v, scene.n_positions)


def default_row(scene: Scene) -> int:
    """Return the row, from 0, that one looks at first: that of t4, or the last where T is less."""
    return min(3, scene.n_positions - 1)


@dataclass(frozen=True, slots=True)
class ViewState:
    """What is looked at: never part of the scene.

    Attributes
    ----------
    cursor
        The cell that every panel marks.
    enlarged
        Uid of the one head that fills the heatmaps; None for the grid of all.
    quantity, colour_scale
        What the heatmaps show, and how weights are coloured.
    stage
        The stage of the pipeline that is shown large, from 0.
    pair
        Uids of the two heads whose joint information is asked for; None for those that the scene
        begins with: its second and third, or first and second where it has two.
    what_if
        The sizes whose cost is asked for; None for those of the scene.
    widths_follow
        Whether d_k and d_v of ``what_if`` follow d_model and H as these change.
    appearance
        How numbers and colours look: the user's own, and the same for every scene.
    """

    cursor: Cursor
    enlarged: int | None = None
    quantity: Quantity = Quantity.WEIGHTS
    colour_scale: ColourScale = ColourScale.LINEAR
    stage: int = 0
    pair: tuple[int, int] | None = None
    what_if: WhatIf | None = None
    widths_follow: bool = True
    appearance: Appearance = Appearance()

    @classmethod
    def of(cls, scene: Scene) -> "ViewState":
        """Return where one starts in ``scene``: the first head, row t4 where there is one."""
        row = default_row(scene)
        return cls(Cursor(scene.heads[0].uid, row, max(row - 1, 0)))

    def fitted(self, scene: Scene) -> "ViewState":
        """Return this state with cursor and enlarged head inside ``scene``; itself if they are."""
        uids = {head.uid for head in scene.heads}
        last = scene.n_positions - 1
        cursor = Cursor(
            self.cursor.head if self.cursor.head in uids else scene.heads[0].uid,
            min(max(self.cursor.query, 0), last),
            min(max(self.cursor.key, 0), last),
        )
        enlarged = self.enlarged if self.enlarged in uids else None
        pair = self.pair if self.pair and uids.issuperset(self.pair) else None
        fitted = replace(self, cursor=cursor, enlarged=enlarged, pair=pair)
        return self if fitted == self else fitted
