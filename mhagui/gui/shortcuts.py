"""The window that lists every shortcut, key and gesture."""

from collections.abc import Iterable
from itertools import groupby
from typing import NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QLineEdit,
    QMainWindow,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from mhagui.gui.commands import Command, commands_of
from mhagui.gui.gestures import GESTURES
from mhagui.gui.widgets.drawing import demi_bold
from mhagui.gui.widgets.naming import named

COLUMNS = ("What it does", "Keys")
NOTHING_FOUND = "No line has all of these words"
_LINES = 30  # that are seen at a time
_SPARE = 8  # characters of average width, beside what the longest line needs


class Line(NamedTuple):
    """One line of the list: under which heading it stands, what it does, and by which keys."""

    part: str
    does: str
    keys: str


def all_lines(commands: Iterable[Command]) -> list[Line]:
    """Return what the window lists: first the shortcuts of the menus, then what holds in docks."""
    of_menus = (
        Line(f"{command.path[0]} menu", _what(command), ", ".join(command.keys))
        for command in commands
        if command.keys
    )
    return [*of_menus, *(Line(each.where, each.does, each.keys) for each in GESTURES)]


def _what(command: Command) -> str:
    """Return what a command does, without what an undo would take back at the moment."""
    return " › ".join([*command.path[1:-1], command.action.iconText()])


def as_text(lines: Iterable[Line]) -> str:
    """Return ``lines`` as a text that can be printed."""
    lines = list(lines)
    width = max(len(line.keys) for line in lines)
    parts = (
        "\n".join([part, *(f"  {line.keys:<{width}}  {line.does}" for line in group)])
        for part, group in groupby(lines, lambda line: line.part)
    )
    return "\n\n".join(parts) + "\n"


def show_shortcuts(window: QMainWindow) -> None:
    """Show the shortcuts of ``window`` beside it, in one window however often it is asked for."""
    dialog = window.findChild(ShortcutsDialog)
    if dialog is None:
        dialog = ShortcutsDialog(all_lines(commands_of(window.menuBar())), window)
    dialog.show()
    dialog.raise_()
    dialog.activateWindow()


class ShortcutsDialog(QDialog):
    """Lists shortcuts by menu and by dock; what is typed above narrows the list."""

    def __init__(self, lines: list[Line], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("shortcutsDialog")
        self.setWindowTitle("Keyboard shortcuts")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._lines = lines
        self._parts: list[tuple[QTreeWidgetItem, list[QTreeWidgetItem]]] = []
        self.filter, self.list = QLineEdit(), QTreeWidget()
        self._nothing = QTreeWidgetItem([NOTHING_FOUND])
        self.copy = QPushButton("&Copy all")
        self._prepare()
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.addButton(self.copy, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addWidget(self.filter)
        column.addWidget(self.list)
        column.addWidget(buttons)
        self.resize(self._width(), _LINES * self.fontMetrics().lineSpacing())

    def _prepare(self) -> None:
        tip = "Part of what you want to do, or of the keys; only lines that have it are listed"
        named(self.filter, "shortcutsFilter", "Look for", tip)
        self.filter.setPlaceholderText("Look for an action or a key")
        self.filter.setClearButtonEnabled(True)
        self.filter.textChanged.connect(self._narrow)
        named(self.list, "shortcutsList", "Shortcuts, keys and gestures", "")
        self.list.setHeaderLabels(COLUMNS)
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.list.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.list.header().setSectionResizeMode(1, QHeaderView.ResizeMode.Fixed)
        self.list.header().setStretchLastSection(False)
        for part, group in groupby(self._lines, lambda line: line.part):
            heading = QTreeWidgetItem([part])
            heading.setFont(0, demi_bold(self.font()))
            heading.addChildren(items := [QTreeWidgetItem([does, keys]) for _, does, keys in group])
            self.list.addTopLevelItem(heading)
            self._parts.append((heading, items))
        self.list.expandAll()
        self.list.resizeColumnToContents(1)  # once: narrowed lists stay where they are
        self._nothing.setDisabled(True)
        self.list.addTopLevelItem(self._nothing)
        self._nothing.setHidden(True)
        self.copy.setObjectName("copyShortcuts")
        self.copy.setToolTip("Put the whole list on the clipboard as text")
        self.copy.setAutoDefault(False)
        self.copy.clicked.connect(self._on_copy)

    def _width(self) -> int:
        """Return how wide this is where no line has to be cut, as far as the screen goes."""
        columns = sum(self.list.sizeHintForColumn(number) for number in range(len(COLUMNS)))
        bar = self.list.verticalScrollBar().sizeHint().width()
        spare = _SPARE * self.fontMetrics().averageCharWidth()  # edges and margins
        return min(columns + bar + spare, self.screen().availableSize().width())

    def _narrow(self, words: str) -> None:
        """List only lines that have all ``words`` in them, their heading included."""
        wanted = words.casefold().split()
        for heading, items in self._parts:
            for item in items:
                text = f"{heading.text(0)} {item.text(0)} {item.text(1)}".casefold()
                item.setHidden(not all(word in text for word in wanted))
            heading.setHidden(all(item.isHidden() for item in items))
        self._nothing.setHidden(not all(heading.isHidden() for heading, _ in self._parts))

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(as_text(self._lines))
        self.copy.setText("&Copied")
