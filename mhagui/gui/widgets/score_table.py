"""A table of many rows of numbers that can be sorted by any column, and filtered."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import (
    QAbstractTableModel,
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QSignalBlocker,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QFont,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from mhagui.document.table_text import number_text
from mhagui.formats import USUAL, Precision
from mhagui.gui.formulas import Formula
from mhagui.gui.theme import theme_of
from mhagui.gui.widgets.drawing import demi_bold
from mhagui.gui.widgets.formula_tip import with_formula
from mhagui.gui.widgets.reading_table import ReadingTable

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole
Doubles = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]
NO_INDEX = QModelIndex()
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
BESIDE_ROLE = Role.UserRole
BEFORE_COLUMNS = 1  # that of the labels
GAP = 8  # pixels between a number and the one beside it


@dataclass(frozen=True, slots=True, eq=False)
class ScoreColumn:
    """A column of numbers, and of what each is to be compared with, (N,) both.

    Its label, short words that may stand one below the other, what its tooltip says, and the
    formula above that.
    """

    label: str
    tip: str
    formula: Formula
    values: Doubles
    beside: Doubles


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """What a ScoreTable shows of N heads: names, a word to each, columns of numbers."""

    names: tuple[str, ...]
    labels: tuple[str, ...]
    columns: tuple[ScoreColumn, ...]
    precision: Precision = USUAL


class ScoreModel(QAbstractTableModel):
    """Rows in an order of its own: sorted, and without those that are filtered out.

    Attributes
    ----------
    order
        Which head is in each row.
    sorted_by
        The column that is sorted by, and how; None where rows are as the heads come.
    """

    def __init__(self) -> None:
        super().__init__()
        self.scores = Scores((), (), ())
        self.order: Places = np.empty(0, np.intp)
        self.sorted_by: tuple[int, Qt.SortOrder] | None = None
        self._kept = np.empty(0, bool)
        self.bench = -1
        self.bold = QFont()

    def set_scores(self, scores: Scores) -> None:
        """Show ``scores``, sorted and filtered as before where they are of as many heads."""
        self.beginResetModel()
        if len(scores.names) != len(self._kept):
            self._kept = np.ones(len(scores.names), bool)
        if self.sorted_by is not None and self.sorted_by[0] > len(scores.columns):
            self.sorted_by = None
        self.scores = scores
        self._arrange()
        self.endResetModel()

    def keep(self, kept: npt.NDArray[np.bool_]) -> None:
        """Show the heads of ``kept``, (N,), alone."""
        self.beginResetModel()
        self._kept = kept
        self._arrange()
        self.endResetModel()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by ``column``, what is not defined last; below 0 as the heads come."""
        self.beginResetModel()
        self.sorted_by = (column, order) if column >= 0 else None
        self._arrange()
        self.endResetModel()

    def row_of(self, head: int) -> int:
        """Return in which row a head is; -1 where it is filtered out."""
        rows = np.flatnonzero(self.order == head)
        return int(rows[0]) if rows.size else -1

    def _arrange(self) -> None:
        order = np.arange(len(self.scores.names))
        if self.sorted_by is not None:
            column, way = self.sorted_by
            order = _sorted(self.scores, column, descending=way == Qt.SortOrder.DescendingOrder)
        self.order = order[self._kept[order]]

    def rowCount(self, parent: Index = NO_INDEX) -> int:
        """Return the number of heads that are shown."""
        return 0 if parent.isValid() else len(self.order)

    def columnCount(self, parent: Index = NO_INDEX) -> int:
        """Return the number of columns: the labels, and the numbers."""
        return 0 if parent.isValid() else BEFORE_COLUMNS + len(self.scores.columns)

    def data(self, index: Index, role: int = Role.DisplayRole) -> object:
        """Return what the cell at ``index`` offers for ``role``."""
        if not index.isValid():
            return None
        head, column = int(self.order[index.row()]), index.column() - BEFORE_COLUMNS
        if column < 0:
            return self._of_label(head, role)
        shown, write = self.scores.columns[column], self.scores.precision.fixed
        value, beside = float(shown.values[head]), float(shown.beside[head])
        if role == Role.DisplayRole:
            return write(value)
        if role == BESIDE_ROLE:
            return write(beside)
        if role == Role.EditRole:
            return value
        if role == Role.ToolTipRole:
            return with_formula(shown.formula, shown.tip)
        if role == Role.AccessibleTextRole:
            name = self.scores.names[head]
            return f"{name}, {shown.label}: {write(value)}, chance {write(beside)}"
        return None

    def _of_label(self, head: int, role: int) -> object:
        match role:
            case Role.DisplayRole:
                return self.scores.labels[head]
            case Role.ToolTipRole:
                return with_formula(Formula.CHANCE_CORRECTED)
            case Role.AccessibleTextRole:
                label = self.scores.labels[head] or "without a label"
                return f"{self.scores.names[head]}: {label}"
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole
    ) -> object:
        """Return the label of a row or column."""
        if orientation == Qt.Orientation.Vertical:
            return self._of_row(section, role)
        if role == Role.InitialSortOrderRole:
            return Qt.SortOrder.DescendingOrder.value  # of labels too: A to Z
        if section < BEFORE_COLUMNS:
            if role == Role.ToolTipRole:
                return with_formula(Formula.CHANCE_CORRECTED)
            of_labels: dict[int, object] = {Role.DisplayRole: "label", Role.TextAlignmentRole: LEFT}
            return of_labels.get(role)
        column = self.scores.columns[section - BEFORE_COLUMNS]
        of_column: dict[int, object] = {
            Role.DisplayRole: column.label.replace(" ", "\n"),
            Role.AccessibleTextRole: column.label,
            Role.AccessibleDescriptionRole: column.tip,
            Role.TextAlignmentRole: RIGHT,
        }
        if role == Role.ToolTipRole:
            return with_formula(column.formula, column.tip)
        return of_column.get(role)

    def _of_row(self, row: int, role: int) -> object:
        head = int(self.order[row]) if row < len(self.order) else -1
        if role == Role.DisplayRole and head >= 0:
            return f"{self.scores.names[head]}\xa0"
        return self.bold if role == Role.FontRole and head == self.bench else None


class PairDelegate(QStyledItemDelegate):
    """Draws a number and, muted at its right, the one it is to be compared with.

    Attributes
    ----------
    muted
        The colour of the latter.
    """

    muted = QColor()

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw both, aligned at the right of each half."""
        beside = index.data(BESIDE_ROLE)
        if beside is None:
            super().paint(painter, option, index)
            return
        self.initStyleOption(option, index)
        text, option.text = option.text, ""
        style = option.widget.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, option.widget)
        inks = (option.palette.text().color(), self.muted)
        if option.state & QStyle.StateFlag.State_Selected:
            inks = (option.palette.highlightedText().color(),) * 2
        box = option.rect.adjusted(GAP // 2, 0, -GAP // 2, 0)
        middle = box.adjusted(0, 0, -(box.width() + GAP) // 2, 0)
        painter.setFont(option.font)
        for room, ink, words in ((middle, inks[0], text), (box, inks[1], beside)):
            painter.setPen(ink)
            painter.drawText(room, RIGHT, words)


class ScoreTable(ReadingTable):
    """Shows Scores; one row is current, and Enter or a double click asks for it.

    Signals
    -------
    pointed
        Another head is current, by a click or a key; carries its place.
    asked
        The current head is wanted; carries its place.
    """

    pointed = Signal(int)
    asked = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._model = ScoreModel()
        self._model.setParent(self)
        self._least_width, self._current = 1, -1
        self.setModel(self._model)
        self._prepare()
        header = self.horizontalHeader()
        header.setSectionsClickable(True)
        header.setSortIndicatorShown(True)
        header.setSortIndicatorClearable(True)
        header.setSortIndicator(-1, Qt.SortOrder.DescendingOrder)
        header.sortIndicatorChanged.connect(self._on_sort)
        self.selectionModel().currentRowChanged.connect(self._on_current_row)
        self.activated.connect(self._on_activated)

    def _prepare(self) -> None:
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self._pairs = PairDelegate(self)
        self.setItemDelegate(self._pairs)
        super()._prepare()
        self.verticalHeader().setDefaultAlignment(RIGHT)
        self._restyle()

    # --- what is shown

    def set_scores(self, scores: Scores) -> None:
        """Show ``scores``; what is current, sorted by and filtered out stays so."""
        self._rearrange(partial(self._model.set_scores, scores))
        self.updateGeometries()  # names of as many heads may be longer
        self._measure()

    def keep(self, kept: npt.NDArray[np.bool_]) -> None:
        """Show the heads of ``kept``, (N,), alone."""
        self._rearrange(partial(self._model.keep, kept))

    def mark(self, current: int, on_bench: int) -> None:
        """Make a head the current one, and mark that on the bench, without saying so."""
        if on_bench != self._model.bench:
            self._model.bench = on_bench
            self.verticalHeader().viewport().update()
        if current != self.current:
            self._go_to(current, self.currentIndex().column())

    def _go_to(self, head: int, column: int) -> None:
        """Make the row of a head the current one and select it, without saying that the user did.

        One that is filtered out is remembered, and current again when it is shown.
        """
        self._current = head
        self._follow(self._model.row_of(head), column)
        self.viewport().update()

    def reveal(self, column: int) -> None:
        """Have the column of numbers ``column`` in sight."""
        bar, first = self.horizontalScrollBar(), self.horizontalScrollBar().value()
        n_seen = self.viewport().width() // self.horizontalHeader().defaultSectionSize()
        wanted = column + BEFORE_COLUMNS
        if not first <= wanted < first + n_seen:
            bar.setValue(wanted)  # it counts columns

    @property
    def scores(self) -> Scores:
        """What it shows."""
        return self._model.scores

    @property
    def current(self) -> int:
        """The current head, shown or not; -1 where there is none."""
        return self._current

    # --- sorting

    def sort_by(self, column: int) -> None:
        """Sort by ``column``, the largest first; again: the smallest; again: as heads come."""
        header, down = self.horizontalHeader(), Qt.SortOrder.DescendingOrder
        if header.sortIndicatorSection() != column:
            header.setSortIndicator(column, down)
        elif header.sortIndicatorOrder() == down:
            header.setSortIndicator(column, Qt.SortOrder.AscendingOrder)
        else:
            header.setSortIndicator(-1, down)

    def _on_sort(self, column: int, order: Qt.SortOrder) -> None:
        self._rearrange(partial(self._model.sort, column, order))
        if not self.currentIndex().isValid():
            self.scrollToTop()

    def _rearrange(self, change: Callable[[], None]) -> None:
        """Have the rows changed; the head and the column that are current stay so."""
        head, column = self.current, self.currentIndex().column()
        with QSignalBlocker(self.selectionModel()):
            change()
        self._go_to(head, column)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Sort, or do what tables to read do."""
        if event.key() == Qt.Key.Key_S and not event.modifiers():
            self.sort_by(max(self.currentIndex().column(), 0))
        else:
            super().keyPressEvent(event)

    def selected_text(self) -> str:
        """Return the selected rows in full precision, with tabs between, below their labels."""
        scores = self._model.scores
        titles = [title for c in scores.columns for title in (c.label, f"{c.label}, chance")]
        lines = ["\t".join(("head", "label", *titles))]
        for row in sorted({index.row() for index in self.selectionModel().selectedRows()}):
            head = int(self._model.order[row])
            pairs = ((c.values[head], c.beside[head]) for c in scores.columns)
            numbers = (number_text(float(number)) for pair in pairs for number in pair)
            lines.append("\t".join((scores.names[head], scores.labels[head], *numbers)))
        return "\n".join(lines)

    # --- what the user does

    def _on_current_row(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if current.isValid():
            self._current = int(self._model.order[current.row()])
            self.pointed.emit(self._current)

    def _on_activated(self, index: QModelIndex) -> None:
        self.asked.emit(int(self._model.order[index.row()]))

    # --- how it looks

    def _fit(self) -> None:
        """Give all columns the same room, so that those in sight fill it: none is ever cut."""
        room = self.viewport().width()
        width = max(room // max(room // self._least_width, 1), self._least_width)
        self.horizontalHeader().setDefaultSectionSize(width)

    def _measure(self) -> None:
        """Find the room for the longest label, word of a header, and pair of numbers."""
        scores, metrics = self._model.scores, self.fontMetrics()
        margin = 2 * (self.style().pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin) + 2)
        words = {word for column in scores.columns for word in column.label.split()}
        arrow = self.style().pixelMetric(QStyle.PixelMetric.PM_HeaderMarkSize) + margin
        pairs = [
            2 * max(metrics.horizontalAdvance(scores.precision.fixed(end)) for end in ends)
            for ends in (_ends(column.values, column.beside) for column in scores.columns)
        ]
        self._least_width = max(
            max(map(metrics.horizontalAdvance, scores.labels), default=0) + margin,
            max(map(metrics.horizontalAdvance, words), default=0) + arrow,
            max(pairs, default=0) + 3 * GAP,
            1,
        )
        self._fit()

    def minimumSizeHint(self) -> QSize:
        """Return the size at which a column and three rows can be seen."""
        rows, header = self.verticalHeader(), self.horizontalHeader()
        bars = self.verticalScrollBar().sizeHint().width()
        width = rows.sizeHint().width() + self._least_width + bars
        height = header.sizeHint().height() + 3 * rows.defaultSectionSize() + bars
        return QSize(width, height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the new width."""
        super().resizeEvent(event)
        self._fit()

    def _restyle(self) -> None:
        self._use_even_digits()
        self._pairs.muted = theme_of(self.palette()).muted
        self._model.bold = demi_bold(QFont(self.font()))
        self._measure()

    def changeEvent(self, event: QEvent) -> None:
        """Measure anew in another font, and mute in other colours."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.PaletteChange):
            self._restyle()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the cells, and a frame around the one that the keys start from."""
        super().paintEvent(event)
        painter = QPainter(self.viewport())
        self._frame_current_cell(painter)
        painter.end()


def _sorted(scores: Scores, column: int, *, descending: bool) -> Places:
    """Return the heads in the order of a column, equal ones as they come, undefined ones last."""
    if column < BEFORE_COLUMNS:
        words = np.array(scores.labels)
        _, keys = np.unique(words, return_inverse=True)
        numbers = np.where(words == "", np.nan, -keys.astype(float))  # so that "down" is A to Z
    else:
        numbers = scores.columns[column - BEFORE_COLUMNS].values
    return np.argsort(-numbers if descending else numbers, kind="stable")


def _ends(*arrays: Doubles) -> tuple[float, float]:
    """Return the smallest and the largest finite number, which are the longest to write."""
    values = np.concatenate(arrays)
    known = values[np.isfinite(values)]
    return (float(known.min()), float(known.max())) if known.size else (0.0, 0.0)
