"""A few matrices as one formula: "Q · Kᵀ = Q·Kᵀ", all with cells of one size."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QPainter, QPaintEvent, QPalette, QPen, QResizeEvent
from PySide6.QtWidgets import QLabel, QWidget

from mhagui.gui.formulas import Formula
from mhagui.gui.widgets.drawing import demi_bold, scaled_font
from mhagui.gui.widgets.formula_tip import put_above
from mhagui.gui.widgets.matrix_layout import (
    MARGIN,
    MIN_WHOLE_CELL,
    STRIP_CELL,
    STRIP_LENGTH,
    STRIP_RATIO,
)
from mhagui.gui.widgets.matrix_picture import Picture
from mhagui.gui.widgets.matrix_view import MatrixView

MOST_TERMS = 3
EDGE = 4
HALVINGS = 24
SIGN_FONT = 1.3  # times the widget's font
LEAST_SIZE = (180, 100)
LEAST_STRIPS = (STRIP_LENGTH / 2, STRIP_LENGTH / 4, 0.0)  # the first that there is room for

Way = tuple[int, ...]
# How many matrices stand in each line.
_WAYS: tuple[Way, ...] = ((1,), (2,), (3,), (1, 1), (2, 1), (1, 1, 1))


@dataclass(frozen=True, slots=True)
class Term:
    """A matrix of a formula: the sign before it, its name, what it is, and what is marked in it."""

    sign: str
    name: str
    formula: Formula
    picture: Picture
    cursor: tuple[int | None, int | None]


class MatrixRow(QWidget):
    """Shows matrices side by side, or in two or three lines where that makes for larger cells.

    It takes the keyboard for all of them. Like them it moves no cursor itself.

    Signals
    -------
    pointed, asked
        What the matrix of that number, from 0, says of (row, column).
    """

    pointed = Signal(int, int, int)
    asked = Signal(int, int, int)

    def __init__(self) -> None:
        super().__init__()
        self._terms: tuple[Term, ...] = ()
        self._least_strip = LEAST_STRIPS[0]
        self.views = tuple(MatrixView() for _ in range(MOST_TERMS))
        self._signs = tuple(_label() for _ in range(MOST_TERMS))
        self._names = tuple(_label() for _ in range(MOST_TERMS))
        for number, view in enumerate(self.views):
            view.setParent(self)
            view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            view.setObjectName(f"stageMatrix{number + 1}")
            view.pointed.connect(self._on_pointed)
            view.asked.connect(self._on_asked)
        for label in (*self._signs, *self._names):
            label.setParent(self)
        self._set_fonts()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def show_terms(self, terms: Sequence[Term]) -> None:
        """Show one to three ``terms``."""
        before, self._terms = self._terms, tuple(terms)
        for view, name, term in zip(self.views, self._names, self._terms, strict=False):
            view.set_picture(term.picture)
            view.set_cursor_cell(*term.cursor)
            view.setAccessibleName(term.name)
            for part in (view, name):
                put_above(part, term.formula)
        if _outlines(before) != _outlines(self._terms):
            self._place()

    def forget_pictures(self) -> None:
        """Let go of the pictures, until terms are shown anew."""
        self._terms = ()
        for view in self.views:
            view.forget_picture()

    def sizeHint(self) -> QSize:
        """Return the least size: it takes what there is."""
        return self.minimumSizeHint()

    def minimumSizeHint(self) -> QSize:
        """Return a size in which small matrices can be made out."""
        return QSize(*LEAST_SIZE)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place all anew."""
        super().resizeEvent(event)
        self._place()

    def changeEvent(self, event: QEvent) -> None:
        """Place all anew in another font, of which the matrices have heard by then."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._set_fonts()
            self._place()

    def _set_fonts(self) -> None:
        for name, sign in zip(self._names, self._signs, strict=True):
            name.setFont(demi_bold(self.font()))
            sign.setFont(demi_bold(scaled_font(self.font(), SIGN_FONT)))

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show that the keyboard is here."""
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Show that it is not."""
        super().focusOutEvent(event)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Frame all where the keyboard is here."""
        if self.hasFocus():
            painter = QPainter(self)
            painter.setPen(QPen(self.palette().color(QPalette.ColorRole.Highlight), 2.0))
            painter.drawRoundedRect(self.rect().adjusted(1, 1, -1, -1), 3, 3)
            painter.end()

    def _on_pointed(self, row: int, column: int) -> None:
        self.pointed.emit(self.views.index(self.sender()), row, column)

    def _on_asked(self, row: int, column: int) -> None:
        self.asked.emit(self.views.index(self.sender()), row, column)

    # --- where things are

    def _place(self) -> None:
        """Arrange all in the way that makes for the largest cells."""
        ways = [way for way in _WAYS if sum(way) == len(self._terms)]
        if not ways:
            return
        for self._least_strip in LEAST_STRIPS:
            units = [self._unit(way) for way in ways]
            if max(units) > 0:  # else nothing has room, however small its cells are
                break
        largest = max(units)
        self._arrange(ways[units.index(largest)], largest)

    def _line(self) -> int:
        return self.fontMetrics().height() + 2

    def _gap(self) -> int:
        """Return the room for a sign between two matrices side by side."""
        return 2 * self.fontMetrics().horizontalAdvance("→")

    def _unit(self, way: Way) -> float:
        """Return the size of the largest cells with which all fit when arranged in this way."""
        low, high = 0.0, float(max(self.width(), self.height()))
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            lines = self._lines(way, middle)
            fits = max(size.width() for size in lines) <= self.width() - 2 * EDGE
            fits = fits and sum(size.height() for size in lines) <= self.height() - 2 * EDGE
            low, high = (middle, high) if fits else (low, middle)
        return float(int(low)) if low >= MIN_WHOLE_CELL else low

    def _lines(self, way: Way, unit: float) -> list[QSize]:
        """Return the size of each line of matrices, with their names above and signs between."""
        sizes, lines = iter(self._sizes(unit)), []
        for count in way:
            line = list(islice(sizes, count))
            width = sum(size.width() for size in line) + (count - 1) * self._gap()
            lines.append(QSize(width, max(size.height() for size in line) + self._line()))
        return lines

    def _sizes(self, unit: float) -> list[QSize]:
        """Return how large each view is when a cell is; a name may be wider than its matrix."""
        advance = self._names[0].fontMetrics().horizontalAdvance
        sizes = []
        for view, term in zip(self.views, self._terms, strict=False):
            width, height = _cells_size(term.picture, unit, self._least_strip)
            around, gutters = 2 * MARGIN, view.gutters
            width = max(width + around + gutters.left, advance(f"{term.sign} {term.name}") + 2)
            sizes.append(QSize(round(width), round(height + around + gutters.bottom)))
        return sizes

    def _arrange(self, way: Way, unit: float) -> None:
        lines, sizes, number = self._lines(way, unit), self._sizes(unit), 0
        top = max((self.height() - sum(line.height() for line in lines)) // 2, EDGE)
        for count, line in zip(way, lines, strict=True):
            left = max((self.width() - line.width()) // 2, EDGE)
            for place in range(count):
                box = QRect(QPoint(left, top + self._line()), sizes[number])
                self._set(number, box, is_first=place == 0)
                left += box.width() + self._gap()
                number += 1
            top += line.height()
        for label in (*self.views[number:], *self._names[number:], *self._signs[number:]):
            label.hide()

    def _set(self, number: int, box: QRect, *, is_first: bool) -> None:
        """Place a matrix in ``box``, its name above it and its sign on its left, or by its name."""
        term, line, gap = self._terms[number], self._line(), self._gap()
        name, view, sign = self._names[number], self.views[number], self._signs[number]
        name.setText(f"{term.sign} {term.name}".strip() if is_first else term.name)
        name.setGeometry(box.left(), box.top() - line, box.width(), line)
        view.setGeometry(box)
        sign.setText(term.sign)
        cells = box.height() - round(view.gutters.bottom)
        sign.setGeometry(box.left() - gap, box.top(), gap, cells)
        name.show()
        view.show()
        sign.setVisible(not is_first)


def _label() -> QLabel:
    label = QLabel()
    label.setAlignment(Qt.AlignmentFlag.AlignCenter)
    label.setTextFormat(Qt.TextFormat.PlainText)
    return label


def _cells_size(picture: Picture, unit: float, least: float) -> tuple[float, float]:
    """Return the size of the cells alone; long strips are no narrower than ``least``."""
    rows, columns = picture.shape
    width, height = columns * unit, rows * unit
    if rows > STRIP_RATIO * columns:
        width = max(width, min(columns * STRIP_CELL, least))
    elif columns > STRIP_RATIO * rows:
        height = max(height, min(rows * STRIP_CELL, least))
    return width, height


def _outlines(terms: Sequence[Term]) -> list[object]:
    """Return all of ``terms`` that has a say in where things are."""
    return [
        (term.sign, term.name, term.picture.row_labels, term.picture.column_labels)
        for term in terms
    ]
