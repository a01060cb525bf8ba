"""A quiet bar below the tool bar for what the user should know, and can answer or leave."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QRectF, Qt
from PySide6.QtGui import (
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QShortcut,
)
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QLabel,
    QMainWindow,
    QPushButton,
    QSizePolicy,
    QToolBar,
    QToolButton,
    QWidget,
)
from shiboken6 import isValid

from mhagui.gui.access import announce
from mhagui.gui.details_dialog import DetailsDialog
from mhagui.gui.icons import draw_icon, icon
from mhagui.gui.theme import theme_of
from mhagui.gui.widgets.copyable import copyable

LEAST_WIDTH = 160  # of the sentence, in pixels

Action = tuple[str, Callable[[], object]]


@dataclass
class _Notice:
    sentence: str
    details: str
    actions: tuple[Action, ...]
    folder: Path | None
    times: int = 1
    is_urgent: bool = False

    @property
    def text(self) -> str:
        return self.sentence if self.times == 1 else f"{self.sentence[:-1]} ({self.times} times)."


class NoticeBar(QToolBar):
    """Shows one notice at a time, the newest; it is there only while there is something to tell.

    As a tool bar it takes its room from the docks, not from what is in them, and needs no central
    widget.
    """

    def __init__(self) -> None:
        super().__init__("Notices")
        self._notices: list[_Notice] = []
        self._came_from: QWidget | None = None
        self.setObjectName("notices")
        self.setAccessibleName("Notices")
        self.setMovable(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self.toggleViewAction().setVisible(False)  # not in the list of tool bars to hide
        self._row = _Row(self)
        self.addWidget(self._row)
        self._row.closer.clicked.connect(self.dismiss)
        self._row.details.clicked.connect(self._show_details)
        escape = QShortcut(QKeySequence(Qt.Key.Key_Escape), self)
        escape.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        escape.activated.connect(self.dismiss)
        self.hide()

    def add_to(self, window: QMainWindow) -> None:
        """Take a row of its own in ``window``, below the tool bars that are there."""
        window.addToolBarBreak()
        window.addToolBar(self)

    def tell(
        self,
        sentence: str,
        details: str = "",
        actions: Iterable[Action] = (),
        folder: Path | None = None,
        times: int = 1,
        *,
        is_urgent: bool = False,
    ) -> None:
        """Show ``sentence``, and again what was told before it once it has been answered.

        Where the keyboard is in the bar, the notice that is being answered stays. A sentence that
        waits already is counted, as so many ``times``. Each of ``actions`` is a button, its text
        and what it does; doing it answers the notice. ``details`` are shown on demand, with a way
        to the ``folder`` that holds more. An urgent one comes before all others.
        """
        for notice in self._notices:
            if notice.sentence == sentence:
                notice.times += times
                break
        else:
            new = _Notice(sentence, details, tuple(actions), folder, times, is_urgent)
            place = 0 if is_urgent else sum(notice.is_urgent for notice in self._notices)
            is_in_hand = self._row.isAncestorOf(QApplication.focusWidget() or self)
            self._notices.insert(max(place, is_in_hand), new)
            if self._notices[0] is new:
                self._show_first()
        self._row.tell_counts(self._notices[0].text, len(self._notices) - 1)

    def withdraw(self, sentence: str) -> None:
        """Take back what was told and does not hold any more."""
        if self._notices and self._notices[0].sentence == sentence:
            self.dismiss()
            return
        self._notices = [notice for notice in self._notices if notice.sentence != sentence]
        if self._notices:
            self._row.tell_counts(self._notices[0].text, len(self._notices) - 1)

    def dismiss(self) -> None:
        """Go on to the next notice."""
        had_focus = self._row.isAncestorOf(QApplication.focusWidget() or self)
        del self._notices[:1]
        self._show_first()
        if self._notices and had_focus:
            self.take_focus()
        elif had_focus and self._came_from is not None and isValid(self._came_from):
            self._came_from.setFocus()

    def take_focus(self) -> None:
        """Give the keyboard to the first button, and back where it was when all is answered."""
        if not self._notices:
            return
        focus = QApplication.focusWidget()
        if focus is not None and not self.isAncestorOf(focus):
            self._came_from = focus
        self._row.first_button().setFocus(Qt.FocusReason.ShortcutFocusReason)

    def setVisible(self, _visible: bool) -> None:
        """Be there while there is something to tell, whatever a saved layout says."""
        super().setVisible(bool(self._notices))

    def _show_first(self) -> None:
        if self._notices:
            notice = self._notices[0]
            buttons = [(text, partial(self._act, act)) for text, act in notice.actions]
            self._row.show_buttons(buttons, bool(notice.details))
            self._row.tell_counts(notice.text, len(self._notices) - 1)
            announce(self, notice.sentence)
        self.setVisible(True)

    def _act(self, act: Callable[[], object]) -> None:
        self.dismiss()
        act()

    def _show_details(self) -> None:
        notice = self._notices[0]
        DetailsDialog(notice.text, notice.details, notice.folder, self.window()).open()


class _Row(QWidget):
    """What the bar consists of: mark, sentence, how many wait, buttons."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._sentence = _sentence()
        self._waiting = QLabel()
        self._waiting.setObjectName("noticesWaiting")
        self._waiting.setAccessibleName("Notices that wait")
        self._buttons: list[QPushButton] = []
        self.details = QPushButton("&Details…")
        self.details.setObjectName("noticeDetails")
        self.details.setToolTip("Show what lies behind this, to read and to copy")
        self.closer = QToolButton()
        self.closer.setObjectName("dismissNotice")
        self.closer.setAccessibleName("Dismiss this notice")
        self.closer.setToolTip("Dismiss this notice (Esc, with the keyboard in this bar)")
        self.closer.setIcon(icon("close"))
        self.closer.setAutoRaise(True)
        self.closer.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._line = QHBoxLayout(self)
        self._line.setContentsMargins(8, 3, 4, 3)
        self._line.setSpacing(6)
        self._line.addWidget(_Mark())
        self._line.addWidget(self._sentence, 1)
        for widget in (self._waiting, self.details, self.closer):
            self._line.addWidget(widget)

    def show_buttons(self, actions: Iterable[Action], has_details: bool) -> None:
        """Have a button for each of ``actions``, between the sentence and what is always there."""
        for button in self._buttons:
            button.hide()
            button.deleteLater()
        self._buttons = []
        for text, act in actions:
            button = QPushButton(text)
            button.setToolTip(text.replace("&", ""))
            button.clicked.connect(act)
            self._line.insertWidget(self._line.indexOf(self.details), button)
            button.show()  # at once: it may be given the keyboard
            self._buttons.append(button)
        self.details.setVisible(has_details)
        # Buttons that come late are at the end of the window's way, behind all docks.
        for before, after in pairwise([self._sentence, *self._buttons, self.details, self.closer]):
            self.setTabOrder(before, after)

    def tell_counts(self, text: str, n_waiting: int) -> None:
        """Show the sentence with how often it was told, and how many wait behind it."""
        self._sentence.setText(text)
        self._waiting.setText(f"{n_waiting} more")
        self._waiting.setVisible(n_waiting > 0)

    def first_button(self) -> QWidget:
        """Return what takes the keyboard first."""
        shown = [*self._buttons, self.details]
        return next((button for button in shown if button.isVisibleTo(self)), self.closer)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Have the sentence wrapped anew, once the layout is done with this."""
        super().resizeEvent(event)
        QCoreApplication.postEvent(self, QEvent(QEvent.Type.LayoutRequest))

    def event(self, event: QEvent) -> bool:
        """Be as high as the sentence's lines are at this width, which no tool bar asks for."""
        is_done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self.setFixedHeight(max(0, self._line.totalHeightForWidth(self.width())))
        return is_done

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Stand out from the tool bar by the ground of a card."""
        theme = theme_of(self.palette())
        painter = QPainter(self)
        painter.setPen(theme.card_border)
        painter.setBrush(theme.card)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        painter.end()


class _Mark(QWidget):
    """The mark of a notice, in the colour of links, which both themes have."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedSize(16, 16)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the mark."""
        painter = QPainter(self)
        draw_icon(painter, "notice", QRectF(self.rect()), self.palette().link().color())
        painter.end()


def _sentence() -> QLabel:
    label = QLabel()
    label.setObjectName("notice")
    label.setAccessibleName("Notice")
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setMinimumWidth(LEAST_WIDTH)
    return copyable(label)
