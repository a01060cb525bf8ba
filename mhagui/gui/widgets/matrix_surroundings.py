"""What stands around the cells of a matrix, and the room that it needs at least."""

from dataclasses import dataclass, replace
from functools import lru_cache

from PySide6.QtCore import QSizeF
from PySide6.QtGui import QColor, QFont, QFontMetricsF

from mhagui.gui.widgets.matrix_picture import Part

LABEL_GAP = 4.0
BAND = 4.0
BAND_GAP = 2.0
MOST_WORD = 18  # widths of a digit that a word has at most


@dataclass(frozen=True, slots=True)
class Gutters:
    """Room for what stands left of the cells and below them, logical pixels."""

    left: float
    bottom: float


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What stands around the cells: labels and bands, and the font of the labels.

    Words, where there are any, are said with the labels if that makes cells hardly smaller, cut in
    the middle where room is short. Cells are square, or up to ``stretch`` times as wide as high
    where there is room. One of ``number_room`` holds a number, which words do not take from it.
    """

    row_labels: tuple[str, ...]
    column_labels: tuple[str, ...]
    column_bands: tuple[QColor, ...] | None
    font: QFont
    row_words: tuple[str, ...] = ()
    column_words: tuple[str, ...] = ()
    stretch: float = 1.0
    number_room: float = 0.0

    @property
    def whole(self) -> Part:
        """All rows and columns."""
        return Part(range(len(self.row_labels)), range(len(self.column_labels)))

    def of(self, part: Part) -> "Surroundings":
        """Return what stands around a part of the matrix."""
        if part == self.whole:
            return self
        rows, columns = part.cells
        return replace(
            self,
            row_labels=self.row_labels[rows],
            column_labels=self.column_labels[columns],
            column_bands=self.column_bands and self.column_bands[columns],
            row_words=self.row_words[rows],
            column_words=self.column_words[columns],
        )

    def bare(self) -> "Surroundings":
        """Return the same without labels."""
        rows, columns = (("",) * len(of) for of in (self.row_labels, self.column_labels))
        return Surroundings(rows, columns, self.column_bands, self.font, stretch=self.stretch)

    @property
    def metrics(self) -> QFontMetricsF:
        """Measures of the labels' font."""
        return QFontMetricsF(self.font)

    def gutters(self) -> Gutters:
        """Return the room that labels and bands need."""
        metrics, left = self.metrics, self.width_of(self.row_labels)
        bottom = label_height(metrics) if any(self.column_labels) else 0.0
        return Gutters(
            left=left + LABEL_GAP if left else 0.0,
            bottom=_below(bottom, has_bands=self.column_bands is not None),
        )

    @property
    def word_room(self) -> QSizeF:
        """What words need beside the gutters where those of columns are not those of rows.

        Turned below the cells, and whole beside them. Nothing where rows say what columns say.
        """
        if self.column_bands is not None or self.column_words in ((), self.row_words):
            return QSizeF(0.0, 0.0)
        advance = self.metrics.horizontalAdvance
        beside, below = (
            advance(" ") + min(self.width_of(words), MOST_WORD * advance("0"))
            for words in (self.row_words, self.column_words)
        )
        labels = self.width_of(self.column_labels) - label_height(self.metrics)
        return QSizeF(beside if self.row_words else 0.0, max(labels + below, 0.0))

    def width_of(self, texts: tuple[str, ...]) -> float:
        """Return the width of the longest of ``texts``, logical pixels."""
        return _widest(texts, self.font.toString())


@lru_cache(maxsize=32)
def _widest(texts: tuple[str, ...], font: str) -> float:
    """Measure once what stands around many matrices, which may be thousands of labels."""
    written_in = QFont()
    written_in.fromString(font)
    advance = QFontMetricsF(written_in).horizontalAdvance
    return max((advance(text) for text in set(texts)), default=0.0)


def label_height(metrics: QFontMetricsF) -> float:
    """Return the height of a label with a hair of room: its ascenders, for it has no descenders."""
    return metrics.capHeight() + 4.0


def _below(labels: float, *, has_bands: bool) -> float:
    return (labels + LABEL_GAP if labels else 0.0) + (BAND + BAND_GAP if has_bands else 0.0)
