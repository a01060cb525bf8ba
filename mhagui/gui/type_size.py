"""How large all type in the application is, in percent of the system's."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QCoreApplication, QElapsedTimer, QObject, QRect, QSize, QTimer, Signal
from PySide6.QtGui import QFont, QFontDatabase
from PySide6.QtWidgets import QApplication, QWidget

from mhagui.gui.widgets.drawing import scaled_font
from mhagui.gui.window_place import LARGE, within
from mhagui.settings import Preferences

USUAL = 100
STEPS = (80, 90, USUAL, 110, 125, 150, 175, 200, 225, 250)
SETTLED_AFTER = 50  # milliseconds, for layouts within layouts
ANSWERED_AFTER = 1000  # by then a window manager has said what it makes of a size


class TypeSize(QObject):
    """Writes everything larger or smaller than the system does, and keeps that as a preference.

    It goes back to smaller type where ``window`` would need more room than its screen has. A window
    that has to be larger for larger type stays on its screen, and is as before with smaller type.

    Signals
    -------
    said
        The size is another; carries a sentence.
    """

    said = Signal(str)

    def __init__(self, preferences: Preferences, window: QWidget) -> None:
        super().__init__(window)
        self._preferences, self._window = preferences, window
        self._asked: QRect | None = None  # where the window would be but for its type
        self._given = QSize()  # the size it was given for that
        self._since = QElapsedTimer()  # the type is another
        self._usual = self._applied = QApplication.font()
        self._system = _system_font()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SETTLED_AFTER)
        self._timer.timeout.connect(self._fit)
        self._apply()

    @property
    def percent(self) -> int:
        """The size of now."""
        return self._preferences.settings.type_percent

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return what the actions for it do."""
        return {
            "larger_type": self._enlarge,
            "smaller_type": self._reduce,
            "usual_type": partial(self._set, USUAL),
        }

    def follow_system(self) -> None:
        """Take over a font that the system, or a desktop for it, has given meanwhile."""
        system, now = _system_font(), QApplication.font()
        if system != self._system:
            self._usual = self._system = system
        elif now != self._applied:
            self._usual = now
        self._apply()

    def fit_later(self) -> None:
        """Once the window is laid out, see that its screen has room for it."""
        is_new = self._since.isValid() and not self._since.hasExpired(ANSWERED_AFTER)
        if is_new or self._is_too_large():
            if not is_new:
                self._note_size()
            self._timer.start()

    def _fit(self) -> None:
        if self._is_too_large():
            self._change(self._smaller())
            self._say("; larger type has no room in this layout on this screen")
        else:
            self._place()

    def _place(self) -> None:
        """Have the window as large as it was asked to be, or as it has to be, on its screen."""
        window = self._window
        if self._asked is None or window.windowState() & LARGE:
            return
        size = self._asked.size().expandedTo(window.minimumSize())
        window.setGeometry(within(QRect(self._asked.topLeft(), size), self._room()))
        self._given = window.size()

    def _is_too_large(self) -> bool:
        """Return whether large type keeps the window from being as small as its screen."""
        least = self._window.minimumSize()
        return self.percent > USUAL and least.boundedTo(self._room().size()) != least

    def _room(self) -> QRect:
        """Return what the screen has for the window, without its frame."""
        inner, outer = self._window.geometry(), self._window.frameGeometry()
        room = self._window.screen().availableGeometry()
        return room.adjusted(
            inner.left() - outer.left(),
            inner.top() - outer.top(),
            inner.right() - outer.right(),
            inner.bottom() - outer.bottom(),
        )

    def _enlarge(self) -> None:
        self._set(min((step for step in STEPS if step > self.percent), default=STEPS[-1]))

    def _reduce(self) -> None:
        self._set(self._smaller())

    def _smaller(self) -> int:
        return max((step for step in STEPS if step < self.percent), default=STEPS[0])

    def _set(self, percent: int) -> None:
        self._note_size()
        self._change(percent)
        self._say()

    def _note_size(self) -> None:
        """Note where the window is, unless it is as it was put here, or about to be."""
        if not self._timer.isActive() and self._window.size() != self._given:
            self._asked = self._window.geometry()

    def _change(self, percent: int) -> None:
        self._preferences.change(type_percent=percent)
        self._apply()
        QCoreApplication.sendPostedEvents()  # for layouts, and a status bar that would say nothing
        self._since.start()
        self._timer.start()

    def _say(self, why: str = "") -> None:
        self.said.emit(f"Type is at {self.percent} % of the system's size{why}")

    def _apply(self) -> None:
        self._applied = scaled_font(self._usual, self.percent / USUAL)
        if QApplication.font() != self._applied:
            QApplication.setFont(self._applied)


def _system_font() -> QFont:
    return QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
