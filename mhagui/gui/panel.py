"""What every dock has in common."""

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QPaintEvent, QShowEvent
from PySide6.QtWidgets import QDockWidget, QLabel, QScrollArea, QWidget

from mhagui.document import Appearance, Result, Scene
from mhagui.document.known import Need, why_unknown
from mhagui.gui.bench import Bench, Frame
from mhagui.gui.widgets.copyable import copyable
from mhagui.gui.widgets.drawing import draw_edge
from mhagui.gui.widgets.naming import named

if TYPE_CHECKING:
    from mhagui.data.matrix_text import Table
    from mhagui.figures.charts import Chart


class Panel(QDockWidget):
    """A dock that draws the frames it is given, when it can be seen; it owns no truth of its own.

    A panel builds its widgets, turns what the user does into edits or looks on the bench, and draws
    frames in ``show_frame``. Hidden panels are not drawn, and catch up when they are shown. Those
    of a window that is yet to be shown are drawn, so that it is complete from the start.

    Attributes
    ----------
    needs
        What has to be known of a scene for its body to be shown; a sentence stands there otherwise.
    is_complete_undrawn
        Whether all widgets are there before anything is drawn: then the first frame can wait until
        it is seen or time allows, and does not hold up the start.
    shows_latest
        Whether it shows something of the scene on the bench, however long the result takes.

    Signals
    -------
    cell_asked
        The cell under the cursor is to be explained.
    docks_wanted
        Docks are to be seen; carries a tuple of their object names.
    said
        Something is done; carries a sentence for the status line.
    """

    cell_asked = Signal()
    docks_wanted = Signal(object)
    said = Signal(str)

    needs: ClassVar[tuple[Need, ...]] = ()
    is_complete_undrawn: ClassVar[bool] = False
    shows_latest: ClassVar[bool] = False

    def __init__(self, bench: Bench, object_name: str, title: str) -> None:
        super().__init__(title)
        self.setObjectName(object_name)
        self.bench = bench
        self._drawn: Frame | None = None
        self._kept: tuple[Result, Appearance, Scene | None] | None = None
        self._was_seen = False
        self._whole: QWidget | None = None
        self._stand_in: QLabel | None = None
        bench.shown.connect(self._on_shown)
        self.visibilityChanged.connect(self._on_visibility_changed)

    @property
    def page_name(self) -> str:
        """Which of its pages it shows, where it has several to choose from by a name."""
        return ""

    def own_tables(self) -> tuple[tuple[str, Callable[[], "Table"], str], ...]:
        """Return what can be copied that no frame has: a name, what makes it, and what shows it.

        That is the object name of a widget.
        """
        return ()

    def own_figures(self) -> dict[str, "Chart"]:
        """Return the figures of it that are of no frame, by what shows them; the whole one first.

        That is the object name of a widget, as with the tables.
        """
        return {}

    def set_body(self, body: QWidget) -> None:
        """Make ``body`` the dock's content and draw in it; the last thing in a panel's making."""
        self._whole = body
        self.setWidget(body)
        self._keep_up(self.bench.frame)
        if not self.is_complete_undrawn:
            self._draw_if_wanted(self.bench.frame)

    @property
    def body(self) -> QWidget:
        """All that the panel has, shown or not."""
        assert self._whole is not None  # once it is made
        return self._whole

    @property
    def why_blank(self) -> str:
        """The sentence that stands in place of the body; empty where the body is shown."""
        return "" if self._stand_in is None else self._stand_in.text()

    def _turn_to(self, frame: Frame) -> bool:
        """Show the body, or the sentence that says what is not known; say which."""
        reason = why_unknown(self.needs, frame.scene)
        if reason and self.why_blank != reason:
            self._stand_in = _sentence(f"{self.objectName()}Reason", reason)
            self.setWidget(self._stand_in)
        elif not reason and self._stand_in is not None:
            self.setWidget(self.body)
            self._stand_in.deleteLater()
            self._stand_in = None
        return not reason

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
        return is_in_sight(self)

    def _on_shown(self, frame: Frame) -> None:
        self._keep_up(frame)
        self._draw_if_wanted(frame)

    def _on_visibility_changed(self, visible: bool) -> None:
        self._was_seen |= visible
        self.setEnabled(visible)  # or Tab would go into a dock that is behind others
        if visible:
            self._draw_if_wanted(self.bench.frame)

    def _keep_up(self, frame: Frame) -> None:
        kept, latest = self._kept, frame.latest if self.shows_latest else None
        is_same = kept is not None and kept[0] is frame.result and kept[2] is latest
        if kept is None or not is_same or kept[1] != frame.view.appearance:
            self._kept = frame.result, frame.view.appearance, latest
            self.keep_up(frame)

    def _draw_if_wanted(self, frame: Frame) -> None:
        whole = self.parentWidget() or self  # a dock that floats is a window of its own
        is_yet_to_be_shown = not self._was_seen and not whole.window().isVisible()
        if frame is self._drawn or self._drawn_is_enough_for(frame):
            return
        if is_yet_to_be_shown or self.is_in_sight():
            self._draw(frame)
        elif self._drawn is not None and self._drawn.result is not frame.result:
            self._drawn = None  # or what is behind others would keep the weights of long ago
            self.forget()

    def _drawn_is_enough_for(self, frame: Frame) -> bool:
        """Say whether ``frame`` has nothing new but what controls of other panels show."""
        drawn = self._drawn
        if drawn is None or not frame.is_behind or self.shows_latest:
            return False
        return drawn.result is frame.result and drawn.view is frame.view

    def _draw(self, frame: Frame) -> None:
        previous, self._drawn = self._drawn, None  # for good, should it fail half-way
        if previous is not None and previous.view.appearance != frame.view.appearance:
            previous = None  # every number and colour is another
        if self.why_blank:
            previous = None  # which was not drawn
        if self._turn_to(frame):
            self.show_frame(frame, previous)
        self._drawn = frame

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw a frame where the dock floats: with a title of its own it would have none."""
        super().paintEvent(event)
        if self.isFloating():
            draw_edge(self)

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up where it floats: Qt says nothing of one that was behind others before."""
        super().showEvent(event)
        if self.isFloating():
            self._on_visibility_changed(True)

    def changeEvent(self, event: QEvent) -> None:
        """Draw everything anew in the new colours or fonts."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self.redraw()


def is_in_sight(dock: QDockWidget) -> bool:
    """Say whether ``dock`` can be seen; Qt calls one behind other tabs visible."""
    corner = dock.geometry().bottomRight()
    return dock.isVisible() and (dock.isWindow() or (corner.x() >= 0 and corner.y() >= 0))


def _sentence(object_name: str, text: str) -> QLabel:
    """Return ``text`` as it stands alone in a dock, where it can be read aloud and copied."""
    label = named(QLabel(text), object_name, text, "")
    label.setAlignment(Qt.AlignmentFlag.AlignCenter)
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setMargin(label.fontMetrics().lineSpacing())
    return copyable(label)
