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


FEWEST_SHOWN = 8  # rows and columns of the heatmaps: closer one cannot come


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
class Window:
    """The part of the heatmaps that is shown: as many rows as columns, from the first of each on.

    Where there are fewer rows or columns than that, it is all of them.

    Attributes
    ----------
    query, key
        The first row and the first column, from 0.
    count
        How many of each.
    """

    query: int
    key: int
    count: int

    def fitted(self, n_queries: int, n_keys: int) -> "Window | None":
        """Return this window inside T × T_k, of no fewer than eight cells; None where it is all."""
        count = max(self.count, FEWEST_SHOWN)
        if count >= max(n_queries, n_keys):
            return None
        query, key = (
            min(max(first, 0), max(n - count, 0))
            for first, n in ((self.query, n_queries), (self.key, n_keys))
        )
        return Window(query, key, count)

    def shown(self, n_queries: int, n_keys: int) -> tuple[range, range]:
        """Return the rows and the columns that are shown of T × T_k."""
        rows, columns = (
            range(first, min(first + self.count, n))
            for first, n in ((self.query, n_queries), (self.key, n_keys))
        )
        return rows, columns

    def holding(self, cursor: Cursor) -> "Window":
        """Return this window, moved no further than it has to be to show the cursor's cell."""
        query, key = (
            min(max(first, at - self.count + 1), at)
            for first, at in ((self.query, cursor.query), (self.key, cursor.key))
        )
        return replace(self, query=query, key=key)

    def zoomed(self, factor: float, query: float, key: float) -> "Window":
        """Return the window in which cells are ``factor`` times as large, about.

        The place before which there are ``query`` rows and ``key`` columns stays where it is.
        """
        count = round(self.count / factor)
        if count == self.count and factor != 1.0:
            count += 1 if factor < 1 else -1
        count = max(count, FEWEST_SHOWN)
        share = count / self.count
        query, key = (query - (query - self.query) * share, key - (key - self.key) * share)
        return Window(round(query), round(key), count)


@dataclass(frozen=True, slots=True)
class WhatIf:
    """A layer whose cost is asked for, whatever lies on the bench; every size is at least 1.

    ``n_key_heads`` is H_kv, how many keys and values there are for the H heads; None for as many.
    """

    d_model: int
    n_heads: int
    d_k: int
    d_v: int
    n_positions: int
    n_key_heads: int | None = None

    @classmethod
    def of(cls, scene: Scene) -> "WhatIf":
        """Return the sizes of ``scene``."""
        shared = [head.key_head for head in scene.heads if head.key_head is not None]
        n_key_heads = scene.n_heads - len(shared) + len(set(shared))
        return cls(
            scene.d_model,
            scene.n_heads,
            scene.d_k,
            scene.d_v,
            scene.n_positions,
            None if n_key_heads == scene.n_heads else n_key_heads,
        )

    @property
    def key_heads(self) -> int:
        """H_kv, the number of key and value heads."""
        return self.n_heads if self.n_key_heads is None else self.n_key_heads

    @property
    def is_shared(self) -> bool:
        """Whether heads share keys and values."""
        return self.key_heads < self.n_heads


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
    window
        The part of the heatmaps that is shown, the same of all heads; None for all of it.
    own_scales
        Whether the scores of each head have a colour scale of their own.
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
    window: Window | None = None
    own_scales: bool = False
    appearance: Appearance = Appearance()

    @classmethod
    def of(cls, scene: Scene) -> "ViewState":
        """Return where one starts in ``scene``: the first head, row t4 where there is one."""
        row = default_row(scene)
        key = min(max(row - 1, 0), scene.n_keys - 1)
        return cls(Cursor(scene.heads[0].uid, row, key))

    def fitted(self, scene: Scene) -> "ViewState":
        """Return this state with all that it points at inside ``scene``; itself if it is."""
        uids = {head.uid for head in scene.heads}
        cursor = Cursor(
            self.cursor.head if self.cursor.head in uids else scene.heads[0].uid,
            min(max(self.cursor.query, 0), scene.n_positions - 1),
            min(max(self.cursor.key, 0), scene.n_keys - 1),
        )
        enlarged = self.enlarged if self.enlarged in uids else None
        pair = self.pair if self.pair and uids.issuperset(self.pair) else None
        window = self.window and self.window.fitted(scene.n_positions, scene.n_keys)
        fitted = replace(self, cursor=cursor, enlarged=enlarged, pair=pair, window=window)
        return self if fitted == self else fitted

    def zoomed(self, factor: float, scene: Scene, at: tuple[float, float] | None = None) -> Window:
        """Return the window in which cells are ``factor`` times as large, still to be fitted.

        A place with as many rows and columns before it as ``at`` says stays where it is; by itself
        the middle of the cursor's cell, or of the window where it does not show the cursor.
        """
        shown = self.window or Window(0, 0, max(scene.n_positions, scene.n_keys))
        if at is None:
            cursor, middle = self.cursor, shown.count / 2
            at = shown.query + middle, shown.key + middle
            if shown.holding(cursor) == shown:
                at = cursor.query + 0.5, cursor.key + 0.5
        return shown.zoomed(factor, *at)
