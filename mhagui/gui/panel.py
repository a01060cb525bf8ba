"""What every dock has in common."""

from typing import ClassVar

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QDockWidget, QScrollArea, QWidget

from mhagui.document import Appearance, Result
from mhagui.gui.bench import Bench, Frame
from mhagui.gui.widgets.drawing import draw_edge


class Panel(QDockWidget):
    """A dock that draws the frames it is given, when it can be seen; it owns no truth of its own.

    A panel builds its widgets, turns what the user does into edits or looks on the bench, and draws
    frames in ``show_frame``. Hidden panels are not drawn, and catch up when they are shown. Those
    of a window that is yet to be shown are drawn, so that it is complete from the start.

    Attributes
    ----------
    is_complete_undrawn
        Whether all widgets are there before anything is drawn: then the first frame can wait until
        it is seen or time allows, and does not hold up the start.
    """

    is_complete_undrawn: ClassVar[bool] = False

    def __init__(self, bench: Bench, object_name: str, title: str) -> None:
        super().__init__(title)
        self.setObjectName(object_name)
        self.bench = bench
        self._drawn: Frame | None = None
        self._kept: tuple[Result, Appearance] | None = None
        self._was_seen = False
        bench.shown.connect(self._on_shown)
        self.visibilityChanged.connect(self._on_visibility_changed)

    @property
    def page_name(self) -> str:
        """Which of its pages it shows, where it has several to choose from by a name."""
        return ""

    def set_body(self, body: QWidget) -> None:
        """Make ``body`` the dock's content and draw in it; the last thing in a panel's making."""
        self.setWidget(body)
        self._keep_up(self.bench.frame)
        if not self.is_complete_undrawn:
            self._draw_if_wanted(self.bench.frame)

    def keep_up(self, frame: Frame) -> None:
        """Take from a new result what is wanted of it even where nobody looks: tables' models.

        Likewise when numbers or colours are to look otherwise.
        """

    def catch_up(self) -> None:
        """Take the newest result over at once, for what may be read before the next frame."""
        self._keep_up(self.bench.frame)

    def take_focus(self) -> None:
        """Give the keyboard to the first widget of the dock that takes it."""
        stop = self.nextInFocusChain()
        while stop is not None and stop is not self and not self._is_stop(stop):
            stop = stop.nextInFocusChain()
        if stop is not None:
            stop.setFocus(Qt.FocusReason.TabFocusReason)
            # Qt itself does so where Tab is pressed; without it Fusion shows no focus.
            stop.window().setAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)
            for area in self.findChildren(QScrollArea):  # which scrolls by itself for Tab alone
                if area.isAncestorOf(stop):
                    area.ensureWidgetVisible(stop)

    def _is_stop(self, widget: QWidget) -> bool:
        by_tab = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
        is_there = self.isAncestorOf(widget) and widget.isVisibleTo(self)
        return by_tab and is_there and widget.isEnabled()

    def show_frame(self, frame: Frame, previous: Frame | None) -> None:
        """Draw ``frame``; ``previous`` is what is drawn now, None when all must be drawn anew."""
        raise NotImplementedError

    def forget(self) -> None:
        """Let go of large arrays of a result that is no more, kept to save work; all is drawn anew.

        A dock that nobody looks at is asked for it.
        """

    def redraw(self) -> None:
        """Draw all anew, now or when the dock is seen next."""
        self._drawn = None
        self._draw_if_wanted(self.bench.frame)

    def draw_ahead(self) -> None:
        """Draw what was never drawn, seen or not."""
        if self._drawn is None:
            self._draw(self.bench.frame)

    def is_in_sight(self) -> bool:
        """Say whether the dock can be seen; Qt calls one behind other tabs visible."""
        corner = self.geometry().bottomRight()
        return self.isVisible() and (self.isWindow() or (corner.x() >= 0 and corner.y() >= 0))

    def _on_shown(self, frame: Frame) -> None:
        self._keep_up(frame)
        self._draw_if_wanted(frame)

    def _on_visibility_changed(self, visible: bool) -> None:
        self._was_seen |= visible
        self.setEnabled(visible)  # or Tab would go into a dock that is behind others
        if visible:
            self._draw_if_wanted(self.bench.frame)

    def _keep_up(self, frame: Frame) -> None:
        kept = self._kept
        if kept is None or kept[0] is not frame.result or kept[1] != frame.view.appearance:
            self._kept = frame.result, frame.view.appearance
            self.keep_up(frame)

    def _draw_if_wanted(self, frame: Frame) -> None:
        is_yet_to_be_shown = not self._was_seen and not self.window().isVisible()
        if frame is self._drawn:
            return
        if is_yet_to_be_shown or self.is_in_sight():
            self._draw(frame)
        elif self._drawn is not None and self._drawn.result is not frame.result:
            self._drawn = None  # or what is behind others would keep the weights of long ago
            self.forget()

    def _draw(self, frame: Frame) -> None:
        previous, self._drawn = self._drawn, None  # for good, should it fail half-way
        if previous is not None and previous.view.appearance != frame.view.appearance:
            previous = None  # every number and colour is another
        self.show_frame(frame, previous)
        self._drawn = frame

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw a frame where the dock floats: with a title of its own it would have none."""
        super().paintEvent(event)
        if self.isFloating():
            draw_edge(self)

    def changeEvent(self, event: QEvent) -> None:
        """Draw everything anew in the new colours or fonts."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self.redraw()
