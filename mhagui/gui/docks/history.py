"""The history dock: every step that led to the scene, and those undone; choosing one goes there."""

from itertools import starmap, takewhile
from operator import eq
from typing import NamedTuple

from PySide6.QtCore import (
    QAbstractListModel,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QSignalBlocker,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QFrame,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from mhagui.document.history import History, Step
from mhagui.gui.bench import Bench, Frame
from mhagui.gui.panel import Panel
from mhagui.gui.theme import theme_of
from mhagui.gui.widgets.drawing import demi_bold
from mhagui.gui.widgets.naming import named
from mhagui.gui.widgets.words import plain

TIP = (
    "Every step since the scene was opened; the bold one is the last that is done, the grey ones "
    "are undone, and one is marked that stands in the file.\nA click, or the arrow keys, go to the "
    "scene as it was after that step; Home and End to the first and the last"
)
SPACING = 2  # pixels around a row
SAVED_MARGIN = 6  # pixels on either side of the mark
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
BEGIN_TIP = "Where the list begins: as it was opened, or the oldest state that is still kept"
SAVED = "saved"
SAVED_ROLE = Qt.ItemDataRole.UserRole
Index = QModelIndex | QPersistentModelIndex


class Row(NamedTuple):
    """One state of the scene: the step that led to it, and what is to be said of it."""

    text: str
    tip: str


class HistoryDock(Panel):
    """Lists the states that undo and redo reach, and goes to the one that is chosen."""

    is_complete_undrawn = True

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench, "historyDock", "History")
        self._shown: tuple[list[Row], int, list[int]] | None = None
        self.model = StepModel()
        self.list = StepView(self.model)
        named(self.list, "historyList", "Steps of the work on this scene", TIP)
        self.list.row_chosen.connect(self._on_chosen)
        self.set_body(self.list)

    def show_frame(self, frame: Frame, previous: Frame | None) -> None:  # noqa: ARG002 - the history is the bench's
        """List the steps, and mark the one that led here; of a drag, what it has come to."""
        history = self.bench.history
        shown = rows, present, saved = _rows(history), history.n_steps, _saved(history)
        if previous is not None and shown == self._shown:
            return  # or what was scrolled to would be left at every move of the cursor
        self._shown = shown
        with QSignalBlocker(self.list):
            self.model.set_rows(rows)
            muted = theme_of(self.palette()).muted
            self.model.mark(present, saved, demi_bold(self.list.font()), muted)
            self.list.follow(present)

    def _on_chosen(self, row: int) -> None:
        if row != self.bench.history.n_steps:
            self.bench.go_to(row)


class StepModel(QAbstractListModel):
    """The rows; the present one and those in files are marked, and what is undone is muted."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[Row] = []
        self._present = 0
        self._saved: list[int] = []
        self._bold: QFont | None = None
        self._muted: QColor | None = None

    def set_rows(self, rows: list[Row]) -> None:
        """Replace the rows from the first that differs, so that the others stay as they lie."""
        pairs = zip(self._rows, rows, strict=False)
        same = sum(takewhile(bool, starmap(eq, pairs)))
        if same < len(self._rows):
            self.beginRemoveRows(QModelIndex(), same, len(self._rows) - 1)
            del self._rows[same:]
            self.endRemoveRows()
        if same < len(rows):
            self.beginInsertRows(QModelIndex(), same, len(rows) - 1)
            self._rows += rows[same:]
            self.endInsertRows()

    def mark(self, present: int, saved: list[int], bold: QFont, muted: QColor) -> None:
        """Mark row ``present`` in this font and those ``saved``; mute in this colour what follows.

        What follows is undone.
        """
        self._present, self._saved, self._bold, self._muted = present, saved, bold, muted
        self.dataChanged.emit(self.index(0), self.index(len(self._rows) - 1))

    def rowCount(self, parent: Index | None = None) -> int:
        """Return how many states there are."""
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return a step's text, and what shows whether it is done."""
        row, number = self._rows[index.row()], index.row()
        if role == Qt.ItemDataRole.DisplayRole:
            return row.text
        if role == Qt.ItemDataRole.ToolTipRole:
            return row.tip or None
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{row.text}{self._standing(number)}"
        if role == SAVED_ROLE:
            return number in self._saved
        if role == Qt.ItemDataRole.FontRole and number == self._present:
            return self._bold
        if role == Qt.ItemDataRole.ForegroundRole and number > self._present:
            return self._muted
        return None

    def _standing(self, number: int) -> str:
        saved = f", {SAVED}" if number in self._saved else ""
        if number == self._present:
            return f"{saved}, where you are"
        return f"{saved}, undone" if number > self._present else saved


class StepDelegate(QStyledItemDelegate):
    """Draws a row, at whose end it says which of them is saved."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw the row, and that it is the one in the file."""
        super().paint(painter, option, index)
        if index.data(SAVED_ROLE):
            muted = theme_of(option.palette).muted
            is_chosen = bool(option.state & QStyle.StateFlag.State_Selected)
            painter.save()
            painter.setPen(option.palette.highlightedText().color() if is_chosen else muted)
            room = option.rect.adjusted(0, 0, -SAVED_MARGIN, 0)
            painter.drawText(room, RIGHT, SAVED)
            painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Ask for no width, so that a row is as wide as the list, and long ones are cut there."""
        return QSize(0, super().sizeHint(option, index).height())

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        """Cut the text where it would run into the mark."""
        super().initStyleOption(option, index)
        if index.data(SAVED_ROLE):
            taken = option.fontMetrics.horizontalAdvance(SAVED) + 3 * SAVED_MARGIN
            room = option.rect.width() - taken
            option.text = option.fontMetrics.elidedText(option.text, option.textElideMode, room)


class StepView(QListView):
    """A list in which the current row is the state on the bench.

    Signals
    -------
    row_chosen
        The user went to a row; carries its number.
    """

    row_chosen = Signal(int)

    def __init__(self, model: StepModel) -> None:
        super().__init__()
        self.setModel(model)
        self.setItemDelegate(StepDelegate(self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformItemSizes(True)
        self.setSpacing(SPACING)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def follow(self, row: int) -> None:
        """Make ``row`` the current one, and keep it in sight."""
        index = self.model().index(row, 0)
        flag = QItemSelectionModel.SelectionFlag
        self.selectionModel().setCurrentIndex(index, flag.ClearAndSelect)
        self.scrollTo(index)

    def currentChanged(self, current: Index, previous: Index) -> None:
        """Tell where the user went."""
        super().currentChanged(current, previous)
        if current.isValid():
            self.row_chosen.emit(current.row())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the rows, and a frame where the keys go: the current row looks the same without."""
        super().paintEvent(event)
        if self.hasFocus():
            painter = QPainter(self.viewport())
            painter.setPen(QPen(self.palette().highlight().color(), 2.0))
            painter.drawRect(self.viewport().rect().adjusted(1, 1, -1, -1))
            painter.end()

    def keyboardSearch(self, search: str) -> None:
        """Go nowhere for a letter, which is hardly meant to take back a piece of work."""


def _rows(history: History) -> list[Row]:
    title = history.states[0][0].title
    begin = Row(f"Start with “{title}”", plain(f"{BEGIN_TIP}: “{title}”"))
    return [begin, *map(_row, history.steps)]


def _row(step: Step) -> Row:
    if step.after.title != step.before.title:
        return Row(step.words, plain(f"{step.text}: “{step.after.title}”"))
    return Row(step.words, "" if step.words == step.text else plain(step.text))


def _saved(history: History) -> list[int]:
    """Return which of the states stand in their files."""
    states = enumerate(history.states)
    return [n for n, (scene, origin) in states if origin.path and origin.kept is scene]
