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
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QListView

from mhagui.document import Scene
from mhagui.document.history import Step
from mhagui.gui.bench import Bench, Frame
from mhagui.gui.panel import Panel
from mhagui.gui.theme import theme_of
from mhagui.gui.widgets.drawing import demi_bold
from mhagui.gui.widgets.naming import named
from mhagui.gui.widgets.words import plain

TIP = (
    "Every step since the scene was opened; the bold one is the last that is done, and the grey "
    "ones are undone.\nA click, or the arrow keys, go to the scene as it was after that step; "
    "Home and End to the first and the last"
)
SPACING = 2  # pixels around a row
BEGIN_TIP = "Where the list begins: as it was opened, or the oldest state that is still kept"
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
        self._shown: tuple[list[Row], int] | None = None
        self.model = StepModel()
        self.list = StepView(self.model)
        named(self.list, "historyList", "Steps of the work on this scene", TIP)
        self.list.row_chosen.connect(self._on_chosen)
        self.set_body(self.list)

    def show_frame(self, frame: Frame, previous: Frame | None) -> None:  # noqa: ARG002 - the history is the bench's
        """List the steps, and mark the one that led here; of a drag, what it has come to."""
        history = self.bench.history
        rows, present = _rows(history.scene, history.steps), history.n_steps
        if previous is not None and (rows, present) == self._shown:
            return  # or what was scrolled to would be left at every move of the cursor
        self._shown = rows, present
        with QSignalBlocker(self.list):
            self.model.set_rows(rows)
            muted = theme_of(self.palette()).muted
            self.model.mark(present, demi_bold(self.list.font()), muted)
            self.list.follow(present)

    def _on_chosen(self, row: int) -> None:
        if row != self.bench.history.n_steps:
            self.bench.go_to(row)


class StepModel(QAbstractListModel):
    """The rows, of which one is marked as the present; those below it are muted."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[Row] = []
        self._present = 0
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

    def mark(self, present: int, bold: QFont, muted: QColor) -> None:
        """Mark row ``present``, in this font, and mute what is below it in this colour."""
        self._present, self._bold, self._muted = present, bold, muted
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
        if role == Qt.ItemDataRole.FontRole and number == self._present:
            return self._bold
        if role == Qt.ItemDataRole.ForegroundRole and number > self._present:
            return self._muted
        return None

    def _standing(self, number: int) -> str:
        if number == self._present:
            return ", where you are"
        return ", undone" if number > self._present else ""


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


def _rows(scene: Scene, steps: tuple[Step, ...]) -> list[Row]:
    first = steps[0].before if steps else scene
    begin = Row(f"Start with “{first.title}”", plain(f"{BEGIN_TIP}: “{first.title}”"))
    return [begin, *map(_row, steps)]


def _row(step: Step) -> Row:
    title = step.after.title
    return Row(step.text, "" if title == step.before.title else plain(f"Scene “{title}”"))
