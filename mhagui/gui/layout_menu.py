"""The menu of layouts: those of the program, and the user's own."""

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QComboBox, QDialog, QInputDialog, QMenu, QWidget

from mhagui.gui.layout import Docks
from mhagui.gui.layout_dialog import LayoutNameDialog
from mhagui.gui.layouts import LAYOUTS
from mhagui.layout_tree import Layout
from mhagui.settings import Preferences


class LayoutMenu(QMenu):
    """Puts the docks into a layout, and keeps the user's own layouts among the preferences.

    Signals
    -------
    said
        Something was done, or why not; carries a sentence.
    """

    said = Signal(str)

    def __init__(self, title: str, docks: Docks, preferences: Preferences, window: QWidget) -> None:
        super().__init__(title, window)
        self._window, self._docks, self._preferences = window, docks, preferences
        for name, layout in LAYOUTS.items():
            self.addAction(self._offer(f"&{name}", name, layout))
        self.addSeparator()
        self._own_actions: list[QAction] = []
        self._end = self.addSeparator()
        save = self.addAction("&Save layout as…", self._save)
        save.setStatusTip("Give the present places of the docks a name in this menu")
        self._deleter = self.addAction("Dele&te layout…", self._delete)
        self._deleter.setStatusTip("Take one of your own layouts out of this menu")
        self._show_own()

    def _own(self) -> dict[str, Layout]:
        return self._preferences.settings.layouts

    def _show_own(self) -> None:
        for action in self._own_actions:
            self.removeAction(action)
            action.deleteLater()
        self._own_actions = [
            self._offer(name.replace("&", "&&"), name, self._own()[name])
            for name in sorted(self._own(), key=str.casefold)
        ]
        self.insertActions(self._end, self._own_actions)
        self._deleter.setEnabled(bool(self._own_actions))

    def _offer(self, text: str, name: str, layout: Layout) -> QAction:
        action = QAction(text, self)
        action.setStatusTip(f"Put every dock where the layout “{name}” has it")
        action.triggered.connect(partial(self.apply, layout))
        return action

    def apply(self, layout: Layout) -> None:
        """Put the docks into ``layout``, and keep it for the next start."""
        self._docks.apply(layout)
        self._preferences.change(layout=layout)  # now: no end may be as clean as it should

    def _save(self) -> None:
        layout = self._docks.layout()
        if layout is None:
            self.said.emit("Where the docks are cannot be read here; no layout is saved.")
            return
        dialog = LayoutNameDialog(self._own(), self._window)
        if dialog.exec() == QDialog.DialogCode.Accepted:
            self._keep(self._own() | {dialog.name(): layout})
            self.said.emit(f"The layout “{dialog.name()}” is in the menu View, Layout")
        dialog.deleteLater()

    def _delete(self) -> None:
        dialog = QInputDialog(self._window)
        dialog.setWindowTitle("Delete layout")
        dialog.setLabelText("&Layout to delete:")
        dialog.setComboBoxItems(sorted(self._own(), key=str.casefold))
        dialog.setOkButtonText("&Delete")
        for box in dialog.findChildren(QComboBox):
            box.setAccessibleName("Layout to delete")  # not the one that stands in it
        if dialog.exec() == QDialog.DialogCode.Accepted:
            name = dialog.textValue()
            self._keep({own: layout for own, layout in self._own().items() if own != name})
            self.said.emit(f"The layout “{name}” is deleted")
        dialog.deleteLater()

    def _keep(self, layouts: dict[str, Layout]) -> None:
        self._preferences.change(layouts=layouts)
        self._show_own()
