"""Where the keyboard goes in a window when what had it is gone."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget
from shiboken6 import isValid

Find = Callable[[], object]


class FocusKeeper(QObject):
    """Calls ``find`` to give the keyboard to somewhere in ``window`` when what had it is gone.

    Qt would take whatever comes next, perhaps a field in which the next digit changes a number.
    """

    def __init__(self, window: QMainWindow, find: Find) -> None:
        super().__init__(window)
        self._window, self._find = window, find
        self._had: QWidget | None = None  # the keyboard, last in this window
        self._stray: QWidget | None = None  # what took it by itself
        if isinstance(app := QApplication.instance(), QApplication):
            app.focusChanged.connect(self._on_focus_changed)

    def _on_focus_changed(self, _old: QWidget | None, new: QWidget | None) -> None:
        if not isValid(self._window):  # which takes the focus of its parts along when it goes
            return
        if new is None:
            if self._window.isActiveWindow():
                QTimer.singleShot(0, self, self._find_if_nowhere)
        elif new.window() is self._window:
            had, self._had = self._had, new
            is_gone = had is not None and not (isValid(had) and had.isVisible())
            if is_gone:
                self._stray = new
                QTimer.singleShot(0, self, self._find_if_stray)

    def _find_if_nowhere(self) -> None:
        if self._window.isActiveWindow() and QApplication.focusWidget() is None:
            self._find()

    def _find_if_stray(self) -> None:
        """Find a place unless somebody has given the keyboard to one meanwhile."""
        stray, self._stray = self._stray, None
        if stray is not None and QApplication.focusWidget() is stray:
            self._find()
