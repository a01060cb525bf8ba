"""Figures that show no scene: of the heads of a whole model, and of what was found of some.

Each is plain numbers with their names, and no matplotlib; how it is drawn is told in
``mhagui.figures.drawing``. Its files say what it is of, and hold no scene.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from mhagui.errors import check_choices
from mhagui.figure_names import FORMATS
from mhagui.figures.style import FigureStyle
from mhagui.formats import fixed

if TYPE_CHECKING:  # not for the start, which needs to know of charts alone
    from mhagui.document.capture import Capture
    from mhagui.document.scorecard import Column, Scorecard

MOST_TEXT = 80  # characters of a prompt or of tokens, in captions and files
MOST_TITLE = 120

Doubles = npt.NDArray[np.float64]
Facts = dict[str, str]


@dataclass(frozen=True)
class Seen:
    """What was looked at.

    Attributes
    ----------
    title
        The name of the file, the model or the scene.
    text
        What it was given: the prompt, or the tokens, as much of them as is to be told; empty where
        that is not known.
    """

    title: str
    text: str = ""

    @classmethod
    def of(cls, capture: "Capture", prompt: str = "") -> "Seen":
        """Return what to tell of ``capture``, of a model that was run on ``prompt``."""
        from mhagui.document.token_text import labels

        tokens = capture.query_tokens[: MOST_TEXT + 1]
        return cls(cut(capture.title, MOST_TITLE), cut(prompt or " ".join(labels(tokens))))

    @property
    def given(self) -> str:
        """What to add in a sentence: ``, given “…”``."""
        return f", given “{self.text}”" if self.text else ""

    @property
    def facts(self) -> Facts:
        """What its files say of it."""
        return {"of": self.title, **({"given": self.text} if self.text else {})}


def cut(text: str, most: int = MOST_TEXT) -> str:
    """Return ``text`` on one line, its end cut where it is longer than ``most`` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


@dataclass(frozen=True, eq=False)
class Chart(ABC):
    """What a figure is drawn from that is no scene."""

    name: ClassVar[str]  # of its files
    seen: Seen

    @property
    @abstractmethod
    def title(self) -> str:
        """What it shows, in menus and lists."""

    @property
    def heading(self) -> str:
        """What stands above it: what it is of, too."""
        return f"{self.seen.title}: {self.title[:1].lower()}{self.title[1:]}"

    @property
    def facts(self) -> Facts:
        """What its files say of it: names and what they stand for."""
        return self.seen.facts


# ------------------------------------------------------------------------------------------- heads


@dataclass(frozen=True, eq=False)
class HeadGrid:
    """N heads, layers down and heads across.

    Attributes
    ----------
    rows, columns
        What the layers are called, and the heads of one.
    cells
        Row and column of each head, from 0.
    names
        What each is called by itself: L3 H5.
    labels
        What each is called for what it does; "" for nothing.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[int, int], ...]
    names: tuple[str, ...]
    labels: tuple[str, ...]

    @classmethod
    def of(cls, card: "Scorecard") -> "HeadGrid":
        """Return the heads of a capture, counted from 0 as in models."""
        layers = sorted({place.layer for place in card.heads})
        at = {layer: row for row, layer in enumerate(layers)}
        most = max(place.head for place in card.heads) + 1
        return cls(
            tuple(f"L{layer}" for layer in layers),
            tuple(f"H{head}" for head in range(most)),
            tuple((at[layer], head) for layer, head in card.heads),
            tuple(f"L{layer} H{head}" for layer, head in card.heads),
            card.labels,
        )

    def matrix(self, values: Doubles) -> Doubles:
        """Return the ``values`` of the heads in their cells, NaN where there is no head."""
        matrix = np.full((len(self.rows), len(self.columns)), np.nan)
        rows, columns = np.array(self.cells).T
        matrix[rows, columns] = values
        return matrix

    @property
    def missing(self) -> list[tuple[int, int]]:
        """The cells that have no head."""
        shape = len(self.rows), len(self.columns)
        return sorted(set(np.ndindex(*shape)) - set(self.cells))

    def counts(self) -> dict[str, int]:
        """Return how many heads have each label, in the order of ``LETTERS``, and "" last."""
        from mhagui.document.scorecard import LETTERS

        counts = {label: self.labels.count(label) for label in (*LETTERS, "")}
        return {label: count for label, count in counts.items() if count}


def chances(column: "Column") -> tuple[float, float] | None:
    """Return the least and the largest chance of a score; None where it has none."""
    known = column.baselines[np.isfinite(column.baselines)]
    return (float(known.min()), float(known.max())) if known.size else None


def chance_in_words(column: "Column", decimals: int = 3) -> str:
    """Return the chance of a score, 0.161 or 0.05 to 0.16; "" where it has none."""
    ends = chances(column)
    if ends is None:
        return ""
    low, high = (fixed(end, decimals) for end in ends)
    return low if low == high else f"{low} to {high}"


@dataclass(frozen=True, eq=False)
class HeadMap(Chart):
    """A score of all heads of a model; ``above_chance`` of a share, how far it is above that."""

    name: ClassVar[str] = "head-map"
    heads: HeadGrid
    score: "Column"
    above_chance: bool = False

    def __post_init__(self) -> None:
        """Leave scores as they are that are no shares: these are not above chance."""
        if not self.score.measure.is_share:
            object.__setattr__(self, "above_chance", False)

    @property
    def title(self) -> str:
        """What it shows."""
        return f"Heads by layer: {self.score.measure.name}{self._above}"

    @property
    def heading(self) -> str:
        """What stands above it."""
        return f"{self.seen.title}: {self.score.measure.name} of all heads{self._above}"

    @property
    def values(self) -> Doubles:
        """What is coloured, (N,)."""
        return self.score.corrected if self.above_chance else self.score.values

    @property
    def facts(self) -> Facts:
        """What it is of, and the score with its chance."""
        score, chance = self.score.measure.name + self._above, chance_in_words(self.score, 6)
        told = super().facts | {"score": score, "chance": chance}
        return {name: text for name, text in told.items() if text}

    @property
    def _above(self) -> str:
        return ", above chance" if self.above_chance else ""


@dataclass(frozen=True, eq=False)
class HeadScatter(Chart):
    """All heads of a model by two scores.

    Attributes
    ----------
    across, upwards
        The scores.
    strengths
        How clearly each head is what its label says, (N,): those of each label that are it most are
        named first.
    """

    name: ClassVar[str] = "head-scatter"
    heads: HeadGrid
    across: "Column"
    upwards: "Column"
    strengths: Doubles

    @property
    def title(self) -> str:
        """What it shows."""
        return f"Heads by {self.across.measure.name} and {self.upwards.measure.name}"

    @property
    def facts(self) -> Facts:
        """What it is of, and the scores with their chances."""
        told = super().facts
        for way, score in (("across", self.across), ("upwards", self.upwards)):
            told |= {way: score.measure.name, f"chance_{way}": chance_in_words(score, 6)}
        return {name: text for name, text in told.items() if text}


def strengths(card: "Scorecard") -> Doubles:
    """Return how clearly each head is what it is called, (N,); 0 where it is called nothing."""
    strengths = np.zeros(len(card.labels))
    for label in filter(None, dict.fromkeys(card.labels)):
        has = np.array(card.labels) == label
        uniform = label == "uniform"
        column = card.column("uniformity" if uniform else label)
        strengths[has] = (column.values if uniform else column.corrected)[has]
    return strengths


# --------------------------------------------------------------------------------------- as files


def render_chart(chart: Chart, style: FigureStyle, kinds: Sequence[str]) -> dict[str, bytes]:
    """Return ``chart`` as a file of each of ``kinds``, some of ``FORMATS``.

    The same every time. Raises UserError where there is no such format or font.
    """
    check_choices("format", kinds, FORMATS)
    from mhagui.figures import drawing

    return drawing.render_chart(chart, style, kinds)


def by_name(charts: Sequence[Chart]) -> Mapping[str, Chart]:
    """Return ``charts`` by their names."""
    return {chart.name: chart for chart in charts}
