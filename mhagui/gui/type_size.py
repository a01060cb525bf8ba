"""How large all type in the application is, in percent of the system's."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QCoreApplication, QObject, QSize, QTimer, Signal
from PySide6.QtGui import QFont, QFontDatabase
from PySide6.QtWidgets import QApplication, QWidget

from mhagui.gui.widgets.drawing import scaled_font
from mhagui.settings import Preferences

USUAL = 100
STEPS = (80, 90, USUAL, 110, 125, 150, 175, 200, 225, 250)
SETTLED_AFTER = 50  # milliseconds, for layouts within layouts


class TypeSize(QObject):
    """Writes everything larger or smaller than the system does, and keeps that as a preference.

    It goes back to smaller type where ``window`` would need more room than its screen has.

    Signals
    -------
    said
        The size is another; carries a sentence.
    """

    said = Signal(str)

    def __init__(self, preferences: Preferences, window: QWidget) -> None:
        super().__init__(window)
        self._preferences, self._window = preferences, window
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
        if self._is_too_large():
            self._timer.start()

    def _fit(self) -> None:
        if self._is_too_large():
            self._change(self._smaller())
            self._say("; larger type has no room in this layout on this screen")
            self._timer.start()
        else:
            self._window.resize(self._window.size().boundedTo(self._room()))

    def _is_too_large(self) -> bool:
        """Return whether large type keeps the window from being as small as its screen."""
        least = self._window.minimumSize()
        return self.percent > USUAL and least.boundedTo(self._room()) != least

    def _room(self) -> QSize:
        window = self._window
        return window.screen().availableSize() - (window.frameSize() - window.size())

    def _enlarge(self) -> None:
        self._set(min((step for step in STEPS if step > self.percent), default=STEPS[-1]))

    def _reduce(self) -> None:
        self._set(self._smaller())

    def _smaller(self) -> int:
        return max((step for step in STEPS if step < self.percent), default=STEPS[0])

    def _set(self, percent: int) -> None:
        self._change(percent)
        self._say()

    def _change(self, percent: int) -> None:
        self._preferences.change(type_percent=percent)
        self._apply()
        QCoreApplication.sendPostedEvents()  # for layouts, and a status bar that would say nothing

    def _say(self, why: str = "") -> None:
        self.said.emit(f"Type is at {self.percent} % of the system's size{why}")

    def _apply(self) -> None:
        self._applied = scaled_font(self._usual, self.percent / USUAL)
        if QApplication.font() != self._applied:
            QApplication.setFont(self._applied)


def _system_font() -> QFont:
    return QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
