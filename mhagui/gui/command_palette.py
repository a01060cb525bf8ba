"""The command palette: any command of the menus, found by a few letters of its name."""

import shiboken6
from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QHideEvent,
    QKeyEvent,
    QPaintEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QLineEdit,
    QMainWindow,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from mhagui.gui.access import announce
from mhagui.gui.commands import Command, commands_of, likeness
from mhagui.gui.widgets.drawing import draw_edge
from mhagui.gui.widgets.naming import named
from mhagui.gui.widgets.words import plain

CHARACTERS = 72  # of average width, that it is wide where the window is
ROWS = 12  # that are seen at a time
ROW_PADDING = 6
NO_COMMAND = "No command has these letters in its name"
_STATE, _NAME, _KEYS = range(3)
_STEPS = {
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_PageUp: 1 - ROWS,
    Qt.Key.Key_PageDown: ROWS - 1,
}
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_KEPT = (Qt.FocusReason.ActiveWindowFocusReason, Qt.FocusReason.PopupFocusReason)


class CommandPalette(QFrame):
    """Lies over the top of ``window`` while it is asked for, and runs what is chosen.

    The focus is back where it was before a command runs. What was run last comes first.
    """

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._before: QWidget | None = None  # where the focus was
        self._latest: list[str] = []
        self._commands: list[Command] = []
        self._shown: list[Command] = []
        self.query, self.list = _Query(), QTreeWidget()
        self._prepare()
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 6, 6, 6)
        column.setSpacing(4)
        column.addWidget(self.query)
        column.addWidget(self.list)
        self.hide()

    def _prepare(self) -> None:
        named(self, "commandPalette", "Command palette", "")
        self.setAutoFillBackground(True)
        tip = "A few letters of a command's name; ↑ and ↓ choose, Enter runs, Escape closes"
        named(self.query, "commandQuery", "Command", tip)
        self.query.setAcceptDrops(False)  # a file is for the window
        self.query.setPlaceholderText("Type a few letters of a command")
        self.query.textEdited.connect(self._show_commands)
        self.query.left.connect(self.hide)
        named(self.list, "commandList", "Commands", "")
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # one types all the while
        self.list.setRootIsDecorated(False)
        self.list.setIndentation(0)
        self.list.setUniformRowHeights(True)
        self.list.setHeaderHidden(True)
        self.list.setColumnCount(3)
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        header, fit = self.list.header(), QHeaderView.ResizeMode.ResizeToContents
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(1)
        header.setSectionResizeMode(_STATE, QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(_NAME, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(_KEYS, fit)
        self.list.itemClicked.connect(self._on_clicked)

    # --- coming and going

    def toggle(self) -> None:
        """Come, with nothing typed yet, or go."""
        if self.isVisible():
            self.leave()
            return
        self._before = self._window.focusWidget()
        self.show()
        self.raise_()
        self.query.clear()
        self.query.setFocus(Qt.FocusReason.ShortcutFocusReason)
        # Now only, for what was being typed elsewhere is taken by this, and can be undone.
        self._commands = commands_of(self._window.menuBar())
        self._show_commands("")
        self._take_place()

    def leave(self) -> None:
        """Go, and give the focus back to whatever had it."""
        if self._before is not None and shiboken6.isValid(self._before):
            self._before.setFocus(Qt.FocusReason.OtherFocusReason)
        self.hide()

    def _take_place(self) -> None:
        """Lie below the menus, in the middle."""
        frame = self._window
        width = min(CHARACTERS * self.fontMetrics().averageCharWidth(), frame.width() - 40)
        self.list.header().resizeSection(_STATE, 2 * self.fontMetrics().horizontalAdvance("✓"))
        self.list.setFixedHeight(ROWS * self.list.sizeHintForRow(0))
        self.resize(width, self.sizeHint().height())
        self.move((frame.width() - width) // 2, frame.menuBar().geometry().bottom() + 1)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw an edge that stands out from the docks below."""
        super().paintEvent(event)
        draw_edge(self)

    def showEvent(self, event: QShowEvent) -> None:
        """Follow the window's size from now on."""
        super().showEvent(event)
        self._window.installEventFilter(self)

    def hideEvent(self, event: QHideEvent) -> None:
        """Follow it no longer, and let go of actions: menus may be filled anew."""
        super().hideEvent(event)
        self._window.removeEventFilter(self)
        self._commands, self._shown, self._before = [], [], None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay in the middle of the window."""
        if event.type() == QEvent.Type.Resize:
            self._take_place()
        return super().eventFilter(watched, event)

    # --- what it shows

    def _show_commands(self, query: str) -> None:
        """List what ``query`` names, the likeliest first; of equals what was run last."""
        ranks = {
            command: (-worth, self._age(command), len(command.name) * bool(query.strip()))
            for command in self._commands
            if (worth := likeness(query, command.name)) is not None
        }
        self._shown = sorted(ranks, key=ranks.__getitem__)
        items = [_item(command) for command in self._shown] or [_none_found()]
        items[0].setSizeHint(_NAME, QSize(0, self.fontMetrics().height() + ROW_PADDING))  # all rows
        self.list.clear()
        self.list.addTopLevelItems(items)
        self._choose(0)

    def _age(self, command: Command) -> int:
        """Return how many others have been run since."""
        latest = self._latest
        return latest.index(command.name) if command.name in latest else len(latest)

    def _choose(self, place: int) -> None:
        """Make the command at ``place`` of those that can be run the current one."""
        rows = [row for row, command in enumerate(self._shown) if command.is_enabled]
        if rows:
            row = rows[min(max(place, 0), len(rows) - 1)]
            self.list.setCurrentIndex(self.list.model().index(row, _NAME))
            self._say()

    def _say(self) -> None:
        """Have a screen reader say the row that Enter would run: the focus is on the query."""
        if self.isVisible():
            text = self.list.currentIndex().data(Qt.ItemDataRole.AccessibleTextRole)
            announce(self.query, str(text))

    # --- what the user does

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose, run, or leave."""
        key = Qt.Key(event.key())
        if key in _STEPS:
            self._step(_STEPS[key])
        elif key in _ENTER:
            self._run(self.list.currentIndex().row())
        elif key == Qt.Key.Key_Escape:
            self.leave()
        else:
            super().keyPressEvent(event)

    def focusNextPrevChild(self, forward: bool) -> bool:  # noqa: ARG002 - Qt asks which way
        """Keep Tab from the docks below: the query alone takes keys."""
        return True

    def _step(self, by: int) -> None:
        current = self.list.currentIndex().row()
        above = sum(command.is_enabled for command in self._shown[: max(current, 0)])
        self._choose(above + by)

    def _on_clicked(self, item: QTreeWidgetItem) -> None:
        self._run(self.list.indexOfTopLevelItem(item))

    def _run(self, row: int) -> None:
        if not 0 <= row < len(self._shown) or not self._shown[row].is_enabled:
            return
        command = self._shown[row]
        self._latest = [command.name, *(n for n in self._latest if n != command.name)]
        self.leave()
        command.action.trigger()


class _Query(QLineEdit):
    """Leaves to the list the keys that are for it.

    Signals
    -------
    left
        The focus went elsewhere in the window.
    """

    left = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Type, or hand on."""
        if event.key() in (*_STEPS, *_ENTER, Qt.Key.Key_Escape):
            event.ignore()
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Tell where the user went on elsewhere."""
        super().focusOutEvent(event)
        if event.reason() not in _KEPT:
            self.left.emit()


def _item(command: Command) -> QTreeWidgetItem:
    action, keys = command.action, ", ".join(command.keys[:1])
    item = QTreeWidgetItem(["✓" if action.isChecked() else "", command.name, keys])
    item.setTextAlignment(_KEYS, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    item.setDisabled(not command.is_enabled)
    state = [("on" if action.isChecked() else "off")] if action.isCheckable() else []
    grey = [] if command.is_enabled else ["not available now"]
    item.setData(
        _NAME,
        Qt.ItemDataRole.AccessibleTextRole,
        ", ".join([command.name, *state, *filter(None, [keys]), *grey]),
    )
    for column in (_STATE, _NAME, _KEYS):
        item.setToolTip(column, plain(action.statusTip()))
    return item


def _none_found() -> QTreeWidgetItem:
    item = QTreeWidgetItem(["", NO_COMMAND, ""])
    item.setDisabled(True)
    return item
