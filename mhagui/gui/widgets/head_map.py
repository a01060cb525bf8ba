"""All heads of a model as a map: a coloured cell to each, its letter in it, one of them current."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFont,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from mhagui import core
from mhagui.gui.theme import Theme, theme_of
from mhagui.gui.widgets.colour_range import ColourRange
from mhagui.gui.widgets.drawing import LABEL_FONT, argb, indexed_image, scaled_font
from mhagui.gui.widgets.matrix_keys import moved
from mhagui.gui.widgets.plot_axes import round_step
from mhagui.palette import ink_on, table_on

MARGIN = 3  # around all, for the frames of cells at the edge
GAP = 4  # between labels and cells
LEAST_HEIGHT, LEAST_WIDTH = 4, 7  # of a cell, pixels: room for a dot, and to be hit
LEAST_LETTER, MARGINS = 6, 2  # of a capital, pixels: it is drawn smaller down to this
MOST_STRETCH = 7  # times its height that a cell is wide
LOW = 12  # pixels, below which cells are framed from outside: their letters need the room
LINED = 8  # pixels, from where lines between the cells leave enough of them
MOST_LINES, MOST_WIDTHS = 2, 8  # of text, that a cell is high, and of a digit, that it is wide
UNDEFINED = 255  # the level of NaN
PLATE = 8  # pixels around a note
# What stands for letters in cells that have no room for them: in five columns, and in writing.
MARKS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "P": ("11111", "▬"),
        "F": ("01110", "▪"),
        "S": ("11011", "▪▪"),
        "I": ("00100", "|"),
        "D": ("10101", "|||"),
        "U": ("10001", "| |"),
    }
)

Levels = npt.NDArray[np.uint8]
Cell = tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class HeadCells:
    """What a HeadMap shows of N heads.

    Attributes
    ----------
    row_labels, column_labels
        What stands beside the rows and above the columns.
    cells
        Row and column of each head; of a cell that has none nothing is drawn.
    values
        What is coloured, (N,); NaN where it is not defined.
    scale
        From value to colour.
    letters
        What marks each head, one letter or nothing.
    tip_of
        Returns what the tooltip says of a head, by its place.
    note
        What is written over them, where no value is defined.
    """

    row_labels: tuple[str, ...]
    column_labels: tuple[str, ...]
    cells: tuple[Cell, ...]
    values: npt.NDArray[np.float64]
    scale: ColourRange
    letters: tuple[str, ...]
    tip_of: Callable[[int], str]
    note: str = ""

    @property
    def shape(self) -> Cell:
        """Number of rows and columns."""
        return len(self.row_labels), len(self.column_labels)


class HeadMap(QWidget):
    """Shows the heads of all layers side by side; a click or Enter chooses one.

    Signals
    -------
    pointed
        The current head is another, by an arrow key; carries its place among the heads.
    chosen
        A head was clicked, or Enter pressed on the current one; carries its place.
    reached
        This part of the widget has to be seen.
    marked
        Cells have marks now and no letters, or the other way round.
    """

    pointed = Signal(int)
    chosen = Signal(int)
    reached = Signal(QRect)
    marked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._shown: HeadCells | None = None
        self._by_cell: dict[Cell, int] = {}
        self._current = self._on_bench = -1
        self._drawn: QPixmap | None = None
        self._found: _Places | None = None
        self._has_marks = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    # --- what is shown

    def set_heads(self, shown: HeadCells) -> None:
        """Show these heads from now on."""
        is_other = self._shown is None or shown.cells != self._shown.cells
        self._shown = shown
        self._draw_anew()
        if is_other:
            self._by_cell = {cell: place for place, cell in enumerate(shown.cells)}
            self.updateGeometry()

    def mark(self, current: int, on_bench: int) -> None:
        """Mark the current head, and the one on the bench; -1 is none."""
        if (current, on_bench) == (self._current, self._on_bench):
            return
        self._current, self._on_bench = current, on_bench
        self.update()
        if self._shown is not None and 0 <= current < len(self._shown.cells):
            box = self.cell_rect(*self._shown.cells[current])
            self.reached.emit(box.toAlignedRect())

    @property
    def has_marks(self) -> bool:
        """Whether marks stand for letters, which have no room in the cells."""
        return self._shown is not None and self._letter_font() is None

    def cell_rect(self, row: int, column: int) -> QRectF:
        """Return where a cell is painted."""
        return self._places().cell(row, column)

    def head_at(self, place: QPointF) -> int:
        """Return the head whose cell is at ``place``; -1 where there is none."""
        return self._by_cell.get(self._places().at(place), -1)

    # --- sizes

    def sizeHint(self) -> QSize:
        """Return a size at which every cell has room for its letter."""
        side = self.fontMetrics().height() + 2
        return self._size(side, side)

    def minimumSizeHint(self) -> QSize:
        """Return the size of the smallest cells."""
        return self._size(LEAST_WIDTH, LEAST_HEIGHT)

    def _size(self, wide: int, high: int) -> QSize:
        rows, columns = self._shape()
        places = self._places()
        width, height = places.left + columns * wide, places.top + rows * high
        return QSize(width + MARGIN, height + MARGIN)

    def _shape(self) -> Cell:
        return (1, 1) if self._shown is None else self._shown.shape

    def _places(self) -> "_Places":
        """Return where cells are, found once for each size and content."""
        if self._found is None:
            rows, columns = self._shape()
            labels = () if self._shown is None else self._shown.row_labels
            small, metrics = QFontMetricsF(self._label_font()), QFontMetricsF(self.font())
            left = round(MARGIN + max(map(small.horizontalAdvance, labels), default=0.0) + GAP)
            top = round(MARGIN + small.height())
            high = (self.height() - top - MARGIN) // rows
            wide = (self.width() - left - MARGIN) // columns
            high = min(max(high, LEAST_HEIGHT), round(MOST_LINES * metrics.height()))
            most = min(MOST_WIDTHS * metrics.horizontalAdvance("0"), MOST_STRETCH * high)
            self._found = _Places(left, top, high, min(max(wide, LEAST_WIDTH), round(most)))
        return self._found

    def _label_font(self) -> QFont:
        return scaled_font(self.font(), LABEL_FONT)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the new room among the cells."""
        super().resizeEvent(event)
        self._draw_anew()

    # --- painting

    def _draw_anew(self) -> None:
        self._found = self._drawn = None
        self.update()
        if self.has_marks != self._has_marks:
            self._has_marks = self.has_marks
            self.marked.emit()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the cells, which are kept, and over them the marks."""
        if self._shown is None:
            return
        if self._drawn is None:
            ratio = self.devicePixelRatioF()
            self._drawn = QPixmap(self.size() * ratio)
            self._drawn.setDevicePixelRatio(ratio)
            self._drawn.fill(Qt.GlobalColor.transparent)
            self._draw_cells(self._drawn, self._shown)
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._drawn)
        self._draw_marks(painter, self._shown)
        if self._shown.note:
            self._draw_note(painter, self._shown.note)
        painter.end()

    def _draw_note(self, painter: QPainter, note: str) -> None:
        """Write ``note`` in the middle of what is in sight."""
        seen = QRectF(self.visibleRegion().boundingRect()).adjusted(PLATE, PLATE, -PLATE, -PLATE)
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
        box = QFontMetricsF(self.font()).boundingRect(seen, flags, note)
        plate = box.adjusted(-PLATE, -PLATE / 2, PLATE, PLATE / 2)
        painter.fillRect(plate, self.palette().color(QPalette.ColorRole.Window))
        painter.setPen(theme_of(self.palette()).text)
        painter.drawText(box, flags, note)

    def _draw_cells(self, onto: QPixmap, shown: HeadCells) -> None:
        theme, places = theme_of(self.palette()), self._places()
        table = table_on(shown.scale.table, dark=theme.dark)
        levels = core.quantise(shown.values, shown.scale.low, shown.scale.high)
        grid = np.full(shown.shape, UNDEFINED, np.uint8)
        rows, columns = np.array(shown.cells).T
        grid[rows, columns] = levels
        colours = [*argb(table), theme.mask.rgba()]
        painter = QPainter(onto)
        painter.drawImage(places.area(shown.shape), indexed_image(grid, colours))
        self._draw_gaps(painter, shown, theme)
        self._draw_letters(painter, shown, levels, [QColor(colour) for colour in colours])
        self._draw_labels(painter, shown, theme)
        painter.end()

    def _draw_gaps(self, painter: QPainter, shown: HeadCells, theme: Theme) -> None:
        """Draw lines between the cells, and nothing where there is no head."""
        places = self._places()
        area, (rows, columns) = places.area(shown.shape), shown.shape
        ground = self.palette().color(QPalette.ColorRole.Window)
        for cell in np.ndindex(rows, columns):
            if cell not in self._by_cell:
                painter.fillRect(places.cell(*cell), ground)
        painter.setPen(QPen(theme.cell_line, 1))
        step = places.height if places.height >= LINED else rows * places.height
        for y in range(places.top, int(area.bottom()) + 1, step):
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
        for x in range(places.left, int(area.right()) + 1, places.width):
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))

    def _draw_letters(
        self, painter: QPainter, shown: HeadCells, levels: Levels, colours: list[QColor]
    ) -> None:
        """Mark each head that has a letter, in the middle of its cell."""
        places, font = self._places(), self._letter_font()
        painter.setFont(font or self.font())
        metrics = QFontMetricsF(painter.font())
        boxes = {letter: metrics.tightBoundingRect(letter) for letter in set(shown.letters)}
        base = metrics.tightBoundingRect("H").center().y()  # one for all: round ones are higher
        inks: dict[int, QColor] = {}
        for cell, letter, level in zip(shown.cells, shown.letters, levels.tolist(), strict=True):
            if not letter:
                continue
            if level not in inks:
                inks[level] = QColor(ink_on(colours[level].getRgb()[:3]))
            middle = places.cell(*cell).center() + QPointF(0.5, 0.5)  # beside the lines between
            if font is None:
                for part in _mark(letter, middle, places):
                    painter.fillRect(part, inks[level])
            else:
                painter.setPen(inks[level])
                start = middle - QPointF(boxes[letter].center().x(), base)
                painter.drawText(_whole(start), letter)

    def _letter_font(self) -> QFont | None:
        """Return the font of letters; None where cells have no room for any."""
        places, font = self._places(), self._label_font()
        capital = QFontMetricsF(font).capHeight()
        room = min(places.height - 2 * MARGINS, capital)
        room = max(room, min(places.height - MARGINS, LEAST_LETTER))
        scaled = scaled_font(font, room / capital)
        is_wide = places.width >= QFontMetricsF(scaled).horizontalAdvance("M")
        return scaled if room >= LEAST_LETTER and is_wide else None

    def _draw_labels(self, painter: QPainter, shown: HeadCells, theme: Theme) -> None:
        """Write as many labels as have room."""
        painter.setPen(theme.muted)
        painter.setFont(self._label_font())
        metrics, places = QFontMetricsF(painter.font()), self._places()
        widest = max(map(metrics.horizontalAdvance, shown.column_labels))
        step, flags = round_step((widest + GAP) / places.width), Qt.TextFlag.TextDontClip
        for column in range(0, len(shown.column_labels), step):
            box = places.cell(0, column)
            box = QRectF(box.left(), MARGIN - 1, places.width, metrics.height())
            label = shown.column_labels[column]
            painter.drawText(box, flags | Qt.AlignmentFlag.AlignHCenter, label)
        step = round_step(metrics.ascent() / places.height)
        for row in range(0, len(shown.row_labels), step):
            box = places.cell(row, 0)
            box = QRectF(0, box.top(), places.left - GAP, places.height)
            right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(box, flags | right, shown.row_labels[row])

    def _draw_marks(self, painter: QPainter, shown: HeadCells) -> None:
        """Frame the head on the bench in the cursor's colour, and the current one around it."""
        theme = theme_of(self.palette())
        here = self.palette().color(QPalette.ColorRole.Highlight) if self.hasFocus() else theme.text
        is_low = self._places().height < LOW
        for place, colour, around in ((self._on_bench, theme.cursor, 0), (self._current, here, 2)):
            if 0 <= place < len(shown.cells):
                out = around + is_low
                box = self.cell_rect(*shown.cells[place]).adjusted(-out, -out, out, out)
                # A line inside, or it would run into some colours; around low cells it is white,
                # for most of them are dark.
                painter.setPen(QPen(Qt.GlobalColor.white if is_low else theme.plot, 1))
                painter.drawRect(box.adjusted(1.5, 1.5, -1.5, -1.5))
                painter.setPen(QPen(colour, 2))
                painter.drawRect(box)

    # --- the user

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go to another head, or choose the current one."""
        if self._shown is None or not self._shown.cells:
            super().keyPressEvent(event)
            return
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.chosen.emit(max(self._current, 0))
            return
        cell = self._shown.cells[max(self._current, 0)]
        wanted = moved(event.keyCombination(), cell, self._shown.shape)
        place = -1 if wanted is None else self._nearest(wanted)
        if place < 0:
            super().keyPressEvent(event)
        elif place != self._current:
            self.pointed.emit(place)

    def _nearest(self, wanted: Cell) -> int:
        """Return the head at a cell, or the nearest in its row where it has none."""
        row, column = wanted
        cell = min(self._by_cell, key=lambda at: (abs(at[0] - row), abs(at[1] - column)))
        return self._by_cell[cell]

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the head that is clicked; the second press of a double click is none."""
        place = self.head_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and place >= 0:
            self.chosen.emit(place)

    def event(self, event: QEvent) -> bool:
        """Tell of the head under a pointer at rest all that is known."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            place = self.head_at(QPointF(event.pos()))
            if self._shown is not None and place >= 0:
                cell = self.cell_rect(*self._shown.cells[place]).toAlignedRect()
                QToolTip.showText(event.globalPos(), self._shown.tip_of(place), self, cell)
                return True
        return super().event(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show that the arrow keys go here."""
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Show that the arrow keys no longer go here."""
        super().focusOutEvent(event)
        self.update()

    def changeEvent(self, event: QEvent) -> None:
        """Draw anew in other colours or another font."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self._draw_anew()
            self.updateGeometry()


def mark_of(letter: str) -> str:
    """Return in writing the mark that stands for ``letter`` where it has no room."""
    return MARKS[letter][1]


def _mark(letter: str, middle: QPointF, places: "_Places") -> list[QRectF]:
    """Return the mark of a letter, around the ``middle`` of its cell."""
    columns = MARKS[letter][0]
    step = 2 if places.width >= 3 * len(columns) else 1
    height = min(places.height - 2, 3)
    corner = _whole(middle - QPointF(step * len(columns), height) / 2)
    return [
        QRectF(corner + QPointF(step * place, 0), QSizeF(step, height))
        for place, is_inked in enumerate(columns)
        if is_inked == "1"
    ]


def _whole(place: QPointF) -> QPointF:
    """Return the nearest whole pixel, of two that are as near the upper or left one."""
    return QPointF(math.ceil(place.x() - 0.5), math.ceil(place.y() - 0.5))


class _Places(NamedTuple):
    """Where cells are: the corner of the first, and height and width of all, whole pixels."""

    left: int
    top: int
    height: int
    width: int

    def cell(self, row: int, column: int) -> QRectF:
        """Return the place of a cell."""
        left, top = self.left + column * self.width, self.top + row * self.height
        return QRectF(left, top, self.width, self.height)

    def area(self, shape: Cell) -> QRectF:
        """Return the place of all cells."""
        return QRectF(self.left, self.top, shape[1] * self.width, shape[0] * self.height)

    def at(self, place: QPointF) -> Cell:
        """Return the cell at ``place``, which may be none of those there are."""
        row, column = (place.y() - self.top) // self.height, (place.x() - self.left) // self.width
        return int(row), int(column)
