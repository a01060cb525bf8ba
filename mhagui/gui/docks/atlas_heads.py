"""The heads that the atlas shows: what they are called, where they stand, what is said of them."""

import html
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QColor

from mhagui.core.patterns import HEAD_PATTERNS
from mhagui.data.matrix_text import Table
from mhagui.document import Appearance, Scene
from mhagui.document.scorecard import (
    LETTERS,
    NO_LABEL,
    Column,
    HeadPlace,
    Scorecard,
)
from mhagui.figures.charts import HeadGrid
from mhagui.formats import Precision
from mhagui.gui.formulas import Formula
from mhagui.gui.pictures import weight_range
from mhagui.gui.widgets.colour_range import ColourRange, round_limit, signed_range
from mhagui.gui.widgets.formula_tip import with_formula
from mhagui.gui.widgets.head_map import mark_of
from mhagui.gui.widgets.head_scatter import Group
from mhagui.gui.widgets.score_table import ScoreColumn, Scores
from mhagui.palette import HEAD_COLOURS, HEAD_MARKERS

# Of every score; those of patterns are made in one way.
FORMULAS: Mapping[str, Formula] = MappingProxyType(
    dict.fromkeys(HEAD_PATTERNS, Formula.PATTERN_SCORE)
    | {
        "uniformity": Formula.UNIFORMITY,
        "confidence": Formula.CONFIDENCE,
        "entropy": Formula.MEAN_ENTROPY,
        "effective positions": Formula.MEAN_POSITIONS,
        "mean distance": Formula.MEAN_DISTANCE,
        "distance variance": Formula.DISTANCE_VARIANCE,
        "effective rank": Formula.EFFECTIVE_RANK,
    }
)
_ORDER = tuple(LETTERS)


@dataclass(frozen=True, eq=False)
class AtlasHeads:
    """The scored heads, and how they are named and laid out.

    Attributes
    ----------
    card
        Their scores, without the weights that they are of.
    names, spoken
        Of each head in short, L3 H5 or h2, and in words.
    uids
        Of each head on the bench, where it is from there; otherwise none.
    ranks
        Their effective ranks, where these are known.
    is_from_0
        Whether layers and heads are counted as in models, from 0.
    """

    card: Scorecard
    names: tuple[str, ...]
    spoken: tuple[str, ...]
    uids: tuple[int, ...] = ()
    ranks: Column | None = None
    is_from_0: bool = True

    @property
    def columns(self) -> tuple[Column, ...]:
        """The scores that are known."""
        return (*self.card.columns, *(() if self.ranks is None else (self.ranks,)))

    def column(self, name: str) -> Column:
        """Return the scores of this name, which are known."""
        return next(column for column in self.columns if column.measure.name == name)

    @property
    def letters(self) -> tuple[str, ...]:
        """The letter of each head."""
        return tuple(LETTERS.get(label, "") for label in self.card.labels)

    @property
    def grid(self) -> HeadGrid:
        """The heads as the map has them; those of a scene are numbered through both layers.

        Layers go down and heads across, whatever there are more of: maps of models are compared.
        Of a model's layer on the bench there are the heads that it has there, and no others.
        """
        if not self.uids:
            return HeadGrid.of(self.card)
        layers = sorted({place.layer for place in self.card.heads})
        rows = [layers.index(place.layer) for place in self.card.heads]
        if self.is_from_0:
            numbers = sorted({place.head for place in self.card.heads})
            columns = [numbers.index(place.head) for place in self.card.heads]
            called = tuple(f"L{n}" for n in layers), tuple(f"H{n}" for n in numbers)
        else:
            columns = [int(name[1:]) - 1 for name in self.names]
            called = (
                tuple(f"layer {n + 1}" for n in layers),
                tuple(f"h{n + 1}" for n in range(len(columns))),
            )
        cells = tuple(zip(rows, columns, strict=True))
        return HeadGrid(*called, cells, self.names, self.card.labels)


def of_capture(card: Scorecard) -> AtlasHeads:
    """Return the heads of a capture; layers and heads count from 0, as in models."""
    return AtlasHeads(
        card.without_weights(),
        HeadGrid.of(card).names,
        tuple(f"layer {layer}, head {head}" for layer, head in card.heads),
        ranks=card.known_ranks,
    )


def of_scene(scene: Scene, card: Scorecard) -> AtlasHeads:
    """Return the heads of the scene on the bench, in the order of `scene_capture`.

    Where they are all called as heads of a model are (L11 H3), they are those in its layers.
    """
    order = _order(scene)
    heads = [scene.heads[place] for place in order]
    places = _places_in_model([head.name for head in heads])
    if places:
        uids = tuple(head.uid for head in heads)
        named = of_capture(replace(card, heads=places))
        return replace(named, uids=uids, ranks=card.known_ranks)
    names = tuple(f"h{place + 1}" for place in order)
    spoken = tuple(f"{n} {head.name}" for n, head in zip(names, heads, strict=True))
    uids = tuple(head.uid for head in heads)
    return AtlasHeads(
        card.without_weights(), names, spoken, uids, card.known_ranks, is_from_0=False
    )


def _places_in_model(names: Sequence[str]) -> tuple[HeadPlace, ...]:
    """Return the places that ``names`` say; none unless each is one of its own."""
    found = [re.fullmatch(r"L(\d{1,6}) H(\d{1,6})", name) for name in names]
    places = tuple(HeadPlace(int(each[1]), int(each[2])) for each in found if each)
    return places if len(set(places)) == len(names) else ()


def place_on_bench(heads: AtlasHeads, uid: int, layer: int | None) -> int:
    """Return which of the heads ``uid`` is on the bench; -1 where it is none of them.

    Of a capture the bench holds ``layer``, or none; `scene_of` numbers its heads from 1.
    """
    if heads.uids:
        return heads.uids.index(uid) if uid in heads.uids else -1
    wanted = HeadPlace(-1 if layer is None else layer, uid - 1)
    return heads.card.heads.index(wanted) if wanted in heads.card.heads else -1


def _order(scene: Scene) -> list[int]:
    return sorted(range(len(scene.heads)), key=lambda place: scene.heads[place].layer)


def shades(heads: AtlasHeads, name: str, *, above_chance: bool) -> npt.NDArray[np.float64]:
    """Return what the map shows of a score: itself, or of shares how far it is above chance."""
    column = heads.column(name)
    return column.corrected if above_chance and column.measure.is_share else column.values


def colour_scale(
    heads: AtlasHeads, name: str, look: Appearance, *, above_chance: bool
) -> ColourRange:
    """Return the scale of `shades`: shares from 0 to 1, above chance around 0."""
    column = heads.column(name)
    measure = column.measure
    if above_chance and measure.is_share:
        return signed_range(1.0, f"{name}, above chance", look)
    unit = f" {measure.unit}" if measure.unit else ""
    high = 1.0 if measure.is_up_to_1 else round_limit(column.values)
    return weight_range(high, name, look, unit)


def scores(heads: AtlasHeads, write: Precision) -> Scores:
    """Return the table: each score, and beside it what chance would give."""
    columns = []
    for column in heads.columns:
        name, meaning = column.measure.with_unit, column.measure.meaning
        tip = f"{name}: {meaning}.\nIn grey: chance, what a uniform head has under the same mask"
        label = column.measure.name if " " in column.measure.name else name  # two lines at most
        formula = FORMULAS[column.measure.name]
        columns.append(ScoreColumn(label, tip, formula, column.values, column.baselines))
    return Scores(heads.names, heads.card.labels, tuple(columns), write)


def table_of(heads: AtlasHeads) -> Table:
    """Return the scores of all heads as they come, to be copied."""
    titles = [column.measure.with_unit for column in heads.columns]
    values = np.column_stack([column.values for column in heads.columns])
    return Table("Scores: all heads", heads.names, titles, values)


def groups(heads: AtlasHeads, ground: QColor) -> tuple[Group, ...]:
    """Return the points of each label, those of heads without one first, in the colour ``ground``.

    Heads of a label look alike in every capture.
    """
    labels = np.array(heads.card.labels)
    found = []
    for label in reversed(heads.grid.counts()):
        places = np.flatnonzero(labels == label)
        if label:
            number = _ORDER.index(label)
            colour, symbol = QColor(HEAD_COLOURS[number]), HEAD_MARKERS[number].on_screen
        else:
            colour, symbol = ground, "x"
        found.append(Group(label or NO_LABEL, places, colour, symbol))
    return tuple(found)


def undefined(heads: AtlasHeads) -> frozenset[str]:
    """Return the names of the scores, but for the ranks, that are defined for none of the heads."""
    columns = heads.card.columns
    return frozenset(c.measure.name for c in columns if not np.isfinite(c.values).any())


def why_undefined(heads: AtlasHeads, name: str) -> str:
    """Return that a score is not defined for any of the heads."""
    # Of weights that can be read, distances are missing where keys are of another sequence alone.
    missing = undefined(heads)
    is_across = "mean distance" in missing and "entropy" not in missing
    return f"{name}: not defined {'across sequences' if is_across else 'for these heads'}"


def summary(heads: AtlasHeads, *, by_marks: bool = False) -> str:
    """Return in a sentence how many heads are called what, with their letters.

    Before these, ``by_marks``, what stands for them in cells without room for letters.
    """
    n_heads = len(heads.names)
    by_words = " by words" if heads.card.is_by_words else ""
    parts = [f"{n_heads} {'head' if n_heads == 1 else 'heads'}{by_words}"]
    for label, count in heads.grid.counts().items():
        letter = f"{LETTERS[label]} " if label else ""
        letter = f"{mark_of(LETTERS[label])} {letter}" if label and by_marks else letter
        parts.append(f"{letter}{label or NO_LABEL} {count}")
    return "\xa0· ".join(part.replace(" ", "\xa0") for part in parts)


def tip(heads: AtlasHeads, write: Precision, formula: Formula, place: int) -> str:
    """Return all that is known of a head, as a table for a tooltip, below a ``formula``."""
    label = heads.card.labels[place] or NO_LABEL
    lines = [f"<b>{html.escape(heads.spoken[place])}</b>: {label}"]
    rows = ["<tr><td></td><td align='right'>score</td><td align='right'>&nbsp;chance</td></tr>"]
    for column in heads.columns:
        values = (float(column.values[place]), float(column.baselines[place]))
        if all(math.isnan(value) for value in values):
            continue
        cells = "".join(f"<td align='right'>&nbsp;&nbsp;{write.fixed(v)}</td>" for v in values)
        rows.append(f"<tr><td>{column.measure.with_unit}</td>{cells}</tr>")
    lines.append(f"<table cellspacing='0'>{''.join(rows)}</table>")
    lines.extend(_rows_left_out(heads.card, place))
    return with_formula(formula, "".join(f"<div>{line}</div>" for line in lines))


def _rows_left_out(card: Scorecard, place: int) -> list[str]:
    counts = ((card.n_empty, "without any weight"), (card.n_unreadable, "that cannot be read"))
    return [
        f"{of[place]} of {card.n_rows[place]} rows {what} left out"
        for of, what in counts
        if of[place]
    ]
