"""What the hand does while a computation of seconds is under way waits until it is over."""

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt
from PySide6.QtGui import (
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QShortcutEvent,
)
from PySide6.QtWidgets import QApplication
from shiboken6 import isValid

FREE = "isFree"  # a property of widgets that can be pressed all the same
_Type = QEvent.Type
_AT_WINDOW = frozenset(
    {
        _Type.MouseButtonPress, _Type.MouseButtonRelease, _Type.MouseButtonDblClick,
        _Type.MouseMove, _Type.Wheel, _Type.KeyPress, _Type.KeyRelease, _Type.TouchBegin,
        _Type.TouchUpdate, _Type.TouchEnd, _Type.TabletPress, _Type.TabletMove,
        _Type.TabletRelease,
    }
)  # fmt: skip


class HeldInput(QObject):
    """Holds keys and mouse back, to be delivered in their order; a window still closes and paints.

    What is shown meanwhile is of another scene than that on the bench, and nobody should act upon
    it. A dialog that is open, and asks whether to save, is answered all the same.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._held: list[tuple[QObject, QEvent]] = []
        self._is_holding = self._has_cursor = False

    def hold(self) -> None:
        """Hold back what comes from now on."""
        if not self._is_holding:
            self._is_holding = True
            _application().installEventFilter(self)

    def say_so(self) -> None:
        """Say by the cursor that input is held back, if it is.

        In a drag, of which each step is held back for a moment, the cursor does not flicker.
        """
        is_dragging = QGuiApplication.mouseButtons() != Qt.MouseButton.NoButton
        if self._is_holding and not self._has_cursor and not is_dragging:
            self._has_cursor = True
            QGuiApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)

    def let_go(self) -> None:
        """Deliver what was held back."""
        held = self._held
        self.drop()
        for receiver, event in held:
            if isValid(receiver):
                QCoreApplication.postEvent(receiver, event)

    def drop(self) -> None:
        """Hold nothing back any more, and forget what was."""
        self._held = []
        if not self._is_holding:
            return
        self._is_holding = False
        _application().removeEventFilter(self)
        if self._has_cursor:
            self._has_cursor = False
            QGuiApplication.restoreOverrideCursor()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take what a hand does out of the way."""
        kind = event.type()
        is_input = kind == _Type.Shortcut or (kind in _AT_WINDOW and watched.isWindowType())
        if not is_input or _is_free(event, watched) or QApplication.activeModalWidget() is not None:
            return False
        last = self._held[-1:]
        if kind == _Type.MouseMove and last and last[0][1].type() == kind:
            self._held.pop()  # the newest place is enough, and a hand may move for long
        self._held.append((watched, event.clone()))
        return True


def _is_free(event: QEvent, window: QObject) -> bool:
    """Say whether ``event`` is for what ends the waiting: Esc, or a press of a free widget."""
    if isinstance(event, QKeyEvent):
        return event.key() == Qt.Key.Key_Escape
    if isinstance(event, QShortcutEvent):
        return event.key() == QKeySequence(Qt.Key.Key_Escape)
    if isinstance(event, QMouseEvent):
        at = event.position().toPoint()
        windows = (each for each in QApplication.topLevelWidgets() if each.windowHandle() is window)
        return any((child := each.childAt(at)) and child.property(FREE) for each in windows)
    return False


def _application() -> QCoreApplication:
    app = QCoreApplication.instance()
    assert app is not None
    return app
