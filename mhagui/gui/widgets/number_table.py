"""A read-only table of numbers: short to read, exact to copy."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import (
    QAbstractTableModel,
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QAccessible,
    QColor,
    QFont,
    QFontMetrics,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QStyle,
)

from mhagui.document.table_text import number_text
from mhagui.gui.formulas import Formula
from mhagui.gui.theme import theme_of
from mhagui.gui.widgets.drawing import demi_bold
from mhagui.gui.widgets.formula_tip import with_formula
from mhagui.gui.widgets.reading_table import ReadingTable
from mhagui.gui.widgets.table_labels import BAND_ROLE, DIMMED_ROLE, TableLabels
from mhagui.gui.widgets.words import below, plain

Index = QModelIndex | QPersistentModelIndex
Writers = list[tuple[Callable[[float], str], npt.NDArray[np.intp]]]
Role = Qt.ItemDataRole

COPY_TIP = "Ctrl+C copies the selected numbers in full precision"
MOST_WRITTEN_ROWS = 64
MOST_AT_LEAST = 16  # heights of a line of text: the room that columns can ask for
NO_INDEX = QModelIndex()
_VALUE_ROLES = [Role.DisplayRole, Role.EditRole, Role.AccessibleTextRole]


@dataclass(frozen=True, slots=True)
class Row:
    """A row: its label, how its numbers are written, in which unit, and whether it is a summary."""

    label: str
    write: Callable[[float], str]
    unit: str = ""
    tip: str = ""
    summary: bool = False
    formula: Formula | None = None


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its label, and for a head's column its colour, and its state in sight and words."""

    label: str
    tip: str = ""
    band: QColor | None = None
    dimmed: bool = False
    state: str = ""
    formula: Formula | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """What a NumberTable shows: one value per row and column, NaN where undefined."""

    rows: tuple[Row, ...]
    columns: tuple[Column, ...]
    values: npt.NDArray[np.float64]


class NumberModel(QAbstractTableModel):
    """Offers numbers as text (display), as full floats (edit) and in words (accessible text)."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers = Numbers((), (), np.empty((0, 0)))

    def set_numbers(self, numbers: Numbers) -> Collection[int] | None:
        """Show ``numbers``; return the columns that are others, None where all was reset."""
        before = self.numbers
        if numbers.rows != before.rows or len(numbers.columns) != len(before.columns):
            self.beginResetModel()
            self.numbers = numbers
            self.endResetModel()
            return None
        self.numbers = numbers
        others = set()
        if numbers.columns != before.columns:
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(numbers.columns) - 1)
            others = set(range(len(numbers.columns)))
        differ = numbers.values != before.values
        differ &= ~(np.isnan(numbers.values) & np.isnan(before.values))
        changed = np.flatnonzero(differ.any(axis=0)).tolist()
        for column in changed:
            top, bottom = self.index(0, column), self.index(self.rowCount() - 1, column)
            self.dataChanged.emit(top, bottom, _VALUE_ROLES)
        return others.union(changed)

    def rowCount(self, parent: Index = NO_INDEX) -> int:
        """Return the number of rows."""
        return 0 if parent.isValid() else len(self.numbers.rows)

    def columnCount(self, parent: Index = NO_INDEX) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(self.numbers.columns)

    def data(self, index: Index, role: int = Role.DisplayRole) -> object:
        """Return what the cell at ``index`` offers for ``role``."""
        if not index.isValid():
            return None
        row, column = self.numbers.rows[index.row()], self.numbers.columns[index.column()]
        value = float(self.numbers.values[index.row(), index.column()])
        match role:
            case Role.DisplayRole:
                return row.write(value)
            case Role.EditRole:
                return value
            case Role.AccessibleTextRole:
                return _spoken(row, column, value)
            case Role.TextAlignmentRole:
                return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            case Role.ToolTipRole:
                return _cell_tip(row, column, value)
            case Role.FontRole:
                return _bold() if row.summary else None
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole
    ) -> object:
        """Return what a row's or column's label offers for ``role``."""
        across = orientation == Qt.Orientation.Horizontal
        labels = self.numbers.columns if across else self.numbers.rows
        if not 0 <= section < len(labels):
            return None
        label = labels[section]
        match role:
            case Role.DisplayRole:
                return label.label
            case Role.ToolTipRole:
                return _tip(label)
            case Role.AccessibleDescriptionRole:
                return label.tip or (label.formula and label.formula.sentences)
            case Role.TextAlignmentRole:
                side = Qt.AlignmentFlag.AlignRight if across else Qt.AlignmentFlag.AlignLeft
                return side | Qt.AlignmentFlag.AlignVCenter
        if isinstance(label, Column):
            return {BAND_ROLE: label.band, DIMMED_ROLE: label.dimmed}.get(role)
        return _bold() if role == Role.FontRole and label.summary else None


class NumberTable(ReadingTable):
    """Shows Numbers in columns as wide as their contents, or wider where there is room.

    Signals
    -------
    row_pointed
        The user has made another row the current one; carries its number from 0.
    """

    row_pointed = Signal(int)
    make_model: type[NumberModel] = NumberModel

    def __init__(
        self, *, whole_rows: bool = False, most_rows: int = 10, least_columns: int = 4
    ) -> None:
        super().__init__()
        self._most_rows, self._least_columns = most_rows, least_columns
        self._least_widths: list[int] = []
        self._writers: Writers = []
        self._first_summary: int | None = None
        self._model = self.make_model()
        self._model.setParent(self)
        self.setModel(self._model)
        self.selectionModel().currentRowChanged.connect(self._on_current_row)
        self._labels = TableLabels(Qt.Orientation.Horizontal, self)
        self.setHorizontalHeader(self._labels)
        self.setVerticalHeader(TableLabels(Qt.Orientation.Vertical, self))
        if whole_rows:
            self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setToolTip(COPY_TIP)
        self.setTextElideMode(Qt.TextElideMode.ElideNone)
        self._prepare()

    @property
    def numbers(self) -> Numbers:
        """What is shown."""
        return self._model.numbers

    def set_numbers(self, numbers: Numbers) -> None:
        """Show ``numbers``; as long as rows and columns are the same, columns never shrink."""
        others = self._model.set_numbers(numbers)
        if others is None:
            self._writers = _by_writer(numbers.rows)
            summaries = (number for number, row in enumerate(numbers.rows) if row.summary)
            self._first_summary = next(summaries, None)
            self._measure_all()
            return
        columns = sorted(others)
        needed = list(self._least_widths)
        for column, width in zip(columns, self._needed_widths(columns), strict=True):
            needed[column] = max(needed[column], width)
        if needed != self._least_widths:
            self._least_widths = needed
            self._fit()

    def dataChanged(self, first: Index, last: Index, roles: Sequence[int] = ()) -> None:
        """Paint what changed; Qt itself would paint all that is in sight."""
        is_edited = self.state() == QAbstractItemView.State.EditingState
        if is_edited or QAccessible.isActive():
            super().dataChanged(first, last, roles)
            return
        self.viewport().update(self.visualRect(first).united(self.visualRect(last)))

    def follow_row(self, row: int) -> None:
        """Make ``row`` the current one and select it, without saying that the user did."""
        self._follow(row, self.currentIndex().column())

    def mark_column(self, column: int) -> None:
        """Mark the label of ``column`` and no other, and see that it is seen."""
        if column != self._labels.marked:
            self._labels.marked = column
            self._labels.viewport().update()
            self._reveal(column)

    def _reveal(self, column: int) -> None:
        """Scroll sideways alone, by no more than it takes; the bar counts columns."""
        bar, room = self.horizontalScrollBar(), self.viewport().width() - self.columnWidth(column)
        bar.setValue(min(bar.value(), column))
        last = min(column, bar.maximum())
        while self.columnViewportPosition(column) > room and bar.value() < last:
            bar.setValue(bar.value() + 1)

    def selected_text(self) -> str:
        """Return the selected numbers in full precision, with tabs between columns."""
        cells = {
            (index.row(), index.column()): number_text(index.data(Role.EditRole))
            for index in self.selectedIndexes()
        }
        rows = sorted({row for row, _ in cells})
        columns = sorted({column for _, column in cells})
        lines = ("\t".join(cells.get((row, column), "") for column in columns) for row in rows)
        return "\n".join(lines)

    def _on_current_row(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if current.isValid():
            self.row_pointed.emit(current.row())

    def _needed_widths(self, columns: Sequence[int]) -> list[int]:
        is_bold = self._first_summary is not None
        metrics = QFontMetrics(_bold().resolve(self.font()) if is_bold else self.font())
        margin = self.style().pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin, None, self) + 1
        widths = []
        for column, texts in zip(columns, self._longest_texts(columns), strict=True):
            text = max(metrics.horizontalAdvance(text) for text in texts)
            header = self.horizontalHeader().sectionSizeHint(column)
            widths.append(max(text + 2 * margin, header))
        return widths

    def _longest_texts(self, columns: Sequence[int]) -> Iterator[list[str]]:
        """Give for each of ``columns`` texts of which one is as long as any, digits written as 0.

        Of many rows the largest and smallest number stand for all that are written alike.
        """
        values = self._model.numbers.values[:, list(columns)]
        blocks = [(write, _extremes(values[rows])) for write, rows in self._writers]
        for place in range(len(columns)):
            texts = [write(float(value)) for write, block in blocks for value in block[:, place]]
            yield [
                "".join("0" if letter.isdigit() else letter for letter in text) for text in texts
            ]

    def _measure_all(self) -> None:
        self._least_widths = self._needed_widths(range(self._model.columnCount()))
        self._fit()

    def _fit(self) -> None:
        """Give columns what they need, and say how much room the table needs in all."""
        self._share_width()
        self.updateGeometry()
        self.updateGeometries()  # now, for the range of the scroll bar
        if 0 <= self._labels.marked < len(self._least_widths):
            self._reveal(self._labels.marked)

    def _share_width(self) -> None:
        """Give every column what it needs, and spread what is left over all alike.

        Where not all fit, those that do fill the room: half a number would be another number.
        """
        room, count = self.viewport().width(), len(self._least_widths)
        spare = room - sum(self._least_widths)
        if spare < 0:
            widest = max(self._least_widths)
            for column in range(count):
                self.setColumnWidth(column, max(room // max(room // widest, 1), widest))
            # Qt keeps the pixel that it has scrolled to, in the middle of a column that is another.
            self._labels.setOffsetToSectionPosition(self.horizontalScrollBar().value())
            return
        for column, least in enumerate(self._least_widths):
            extra = spare * (column + 1) // count - spare * column // count
            self.setColumnWidth(column, least + extra)

    def sizeHint(self) -> QSize:
        """Return the size at which all can be seen, up to a number of rows."""
        rows = self.verticalHeader()
        height = min(rows.length(), self._most_height()) + self.horizontalHeader().height()
        if sum(self._least_widths) > self.viewport().width():
            height += self.horizontalScrollBar().sizeHint().height()
        return QSize(self._labels_width() + sum(self._least_widths), height)

    def _most_height(self) -> int:
        return self._most_rows * self.verticalHeader().defaultSectionSize()

    def _labels_width(self) -> int:
        rows = self.verticalHeader()
        return rows.sizeHint().width() if rows.isVisibleTo(self) else 0

    def minimumSizeHint(self) -> QSize:
        """Return the size at which two rows and the least columns can be seen, if there are any.

        With many digits one column may be all, so that numbers take no room from other docks.
        """
        rows = self.verticalHeader()
        height = min(rows.length(), 2 * rows.defaultSectionSize())
        wanted = sum(self._least_widths[: self._least_columns])
        room = max(MOST_AT_LEAST * self.fontMetrics().height(), *self._least_widths, 0)
        width = self._labels_width() + min(wanted, room)
        if rows.length() > self._most_height():
            width += self.verticalScrollBar().sizeHint().width()
        return QSize(width, height + self.horizontalHeader().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Spread the columns over the new width."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._share_width()
            self.updateGeometry()

    def changeEvent(self, event: QEvent) -> None:
        """Measure anew in another font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._use_even_digits()
            self._measure_all()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the cells, a line above the summary, and a frame where the keys go."""
        super().paintEvent(event)
        painter = QPainter(self.viewport())
        if self._first_summary is not None:
            y = self.rowViewportPosition(self._first_summary)
            painter.setPen(theme_of(self.palette()).muted)
            painter.drawLine(0, y, self.viewport().width(), y)
        self._frame_current_cell(painter)


def _by_writer(rows: tuple[Row, ...]) -> Writers:
    """Return each way in which numbers are written, with the rows of which they are."""
    found: dict[Callable[[float], str], list[int]] = {}
    for number, row in enumerate(rows):
        found.setdefault(row.write, []).append(number)
    return [(write, np.array(numbers)) for write, numbers in found.items()]


def _extremes(block: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    if len(block) <= MOST_WRITTEN_ROWS:
        return block
    return np.stack([np.fmax.reduce(block, axis=0), np.fmin.reduce(block, axis=0)])


def _tip(label: Row | Column) -> str | None:
    return with_formula(label.formula, label.tip) if label.formula else label.tip or None


def _cell_tip(row: Row, column: Column, value: float) -> str | None:
    """Return the formula of a cell, its number, and what its row's label says."""
    formula = row.formula or column.formula
    if formula is None:
        return row.tip or None
    more = row.tip or formula.sentences
    return with_formula(formula, below(plain(_spoken(row, column, value)), more))


def _bold() -> QFont:
    return demi_bold(QFont())


def _spoken(row: Row, column: Column, value: float) -> str:
    state = f" ({column.state})" if column.state else ""
    return f"{row.label}, {column.label}{state}: {row.write(value)} {row.unit}".rstrip()
