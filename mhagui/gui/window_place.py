"""Where a window is on the screen, from one start to the next."""

from typing import Any

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QGuiApplication, QScreen
from PySide6.QtWidgets import QWidget

from mhagui.layout_tree import Frame
from mhagui.settings import Settings

LARGE = Qt.WindowState.WindowMaximized | Qt.WindowState.WindowFullScreen


def place_of(window: QWidget) -> dict[str, Any]:
    """Return the entries of the settings that say where ``window`` is."""
    is_large = bool(window.windowState() & LARGE)
    frame = window.normalGeometry() if is_large else window.geometry()
    if frame.isEmpty():  # of a window that began maximised, say, and was never anything else
        return {"maximised": window.isMaximized()}
    at = Frame(frame.x(), frame.y(), frame.width(), frame.height())
    return {"window": at, "maximised": window.isMaximized()}


def put_back(window: QWidget, settings: Settings) -> None:
    """Put ``window``, which is yet to be shown, where the settings have it, but in sight."""
    if settings.window is not None:
        window.setGeometry(in_sight(settings.window))
    if settings.maximised:
        window.setWindowState(Qt.WindowState.WindowMaximized)


def in_sight(frame: Frame) -> QRect:
    """Return ``frame`` moved, and made smaller, as far as the screen that shows most of it needs.

    One that no screen shows is moved to the first.
    """
    wanted = QRect(frame.x, frame.y, frame.width, frame.height)

    def seen(screen: QScreen) -> int:
        part = screen.availableGeometry().intersected(wanted)
        return part.width() * part.height()

    return within(wanted, max(QGuiApplication.screens(), key=seen).availableGeometry())


def within(wanted: QRect, room: QRect) -> QRect:
    """Return ``wanted`` moved, and made smaller, as far as it takes to be inside ``room``."""
    size = wanted.size().boundedTo(room.size())
    last = room.bottomRight() - QPoint(size.width() - 1, size.height() - 1)
    x = min(max(wanted.x(), room.x()), last.x())
    y = min(max(wanted.y(), room.y()), last.y())
    return QRect(QPoint(x, y), size)
