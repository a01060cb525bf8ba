"""The context menu of every panel: copy its figure or its numbers."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QAction, QContextMenuEvent, QKeyEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QMenu, QTabBar, QWidget
from shiboken6 import isValid

from mhagui.data.matrix_text import Notation
from mhagui.figures import Chart, why_not
from mhagui.gui.actions import with_mnemonics
from mhagui.gui.bench import Bench, Frame
from mhagui.gui.copying.copier import DPI, Copier
from mhagui.gui.panel import Panel

if TYPE_CHECKING:
    from mhagui.gui.copying.contents import Contents, Figure

NOTHING_IN_FRONT = "Go to a dock first, with F6 or a click: then its figure or numbers are copied."
FIGURE_TIP = (
    f"Put “{{}}” on the clipboard, as an image of {DPI} dpi and as SVG at once; "
    "on white also from a dark window"
)
CAPTION_TIP = "Put what “{}” shows on the clipboard in words, for the text of a paper"
SVG_TIP = "Put “{}” on the clipboard as SVG, and as its text"
EXPORT_TIP = "Write “{}” to a file"
NUMBERS_TIPS = {
    Notation.TABS: "With labels and all digits, for spreadsheets; W_O takes it too",
    Notation.BMATRIX: "For LaTeX with amsmath, in the digits of the window",
    Notation.BOOKTABS: "For LaTeX with booktabs, in the digits of the window",
    Notation.MARKDOWN: "For Markdown, in the digits of the window",
    Notation.NUMPY: "As np.array in Python, with all digits",
    Notation.RLAB: "As a matrix of the lesson's .rlab scripts, with all digits",
}


# What is copied, and the widgets that show a head, are imported where they are used first: not for
# the start.


class CopyMenus(QObject):
    """Gives the panels of a window their context menus, and copies from the one in front.

    A widget's own entries stand first. A click on a head's card points the cursor at the head:
    figures and numbers of one head are of that one.

    Signals
    -------
    export_wanted
        A figure is to be exported; carries its name.
    refused
        There is nothing to copy; carries the sentence that says why.
    """

    export_wanted = Signal(str)
    refused = Signal(str)

    def __init__(self, bench: Bench, copier: Copier, window: QMainWindow) -> None:
        super().__init__(window)
        self._panels: dict[QWidget, Panel] = {}
        self._bench, self._copier, self._window = bench, copier, window

    def watch(self, panel: Panel) -> None:
        """Give ``panel`` its menu from now on."""
        self._panels[panel.body] = panel
        panel.body.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Show the menu where nothing in the panel has one of its own to show."""
        if not isinstance(watched, QWidget):
            return super().eventFilter(watched, event)
        if isinstance(event, QKeyEvent) and _asks_for_menu(event):
            focus = QApplication.focusWidget() or watched
            return self._show(watched, focus, focus.mapToGlobal(focus.rect().center()))
        if not isinstance(event, QContextMenuEvent):
            return super().eventFilter(watched, event)
        if event.reason() is QContextMenuEvent.Reason.Keyboard:
            widget = QApplication.focusWidget()
        else:
            widget = watched.childAt(event.pos())
        return self._show(watched, widget or watched, event.globalPos())

    # --- what is copied by the menu of the window

    def copy_figure(self) -> None:
        """Copy the figure of what has the keyboard: a part of a panel, or all of it."""
        self._copy_in_front(self._copy_figure_of)

    def charts(self) -> tuple[Chart, ...]:
        """Return all figures of panels that are of no frame: of the heads of a model, say."""
        return tuple(
            chart for panel in self._panels.values() for chart in panel.own_figures().values()
        )

    def copy_numbers(self) -> None:
        """Copy the numbers of the widget that has the keyboard, tabs between columns."""
        self._copy_in_front(self._copy_numbers_of)

    def _copy_figure_of(self, contents: "Contents") -> None:
        if contents.figure:
            self._copier.copy_figure(contents.figure, contents.frame)
        else:
            self.refused.emit("There is no figure of this dock; its numbers can be copied.")

    def _copy_numbers_of(self, contents: "Contents") -> None:
        self._copier.copy_numbers(contents.parts[0], Notation.TABS, contents.frame)

    def _copy_in_front(self, copy: Callable[["Contents"], None]) -> None:
        """Copy what there is to copy of what has the keyboard; say so where that is nothing."""
        focus = QApplication.focusWidget() or self._window.focusWidget()
        panel = next((each for each in self._panels.values() if _is_at(each, focus)), None)
        if panel is None or focus is None:
            self.refused.emit(NOTHING_IN_FRONT)
            return
        self._point_at_head_of(panel, focus)
        self._bench.when_settled(partial(self._copy_of, panel, _names(panel, focus), copy))

    def _copy_of(
        self, panel: Panel, names: list[str], copy: Callable[["Contents"], None], frame: Frame
    ) -> None:
        contents = _contents(panel, frame)
        if contents is None:
            self.refused.emit(f"The dock {panel.windowTitle()} has nothing to copy.")
        else:
            copy(contents.at(names))

    # --- the menu of a panel

    def _show(self, body: QWidget, widget: QWidget, place: QPoint) -> bool:
        """Show what can be copied at ``widget``; False where that is nothing."""
        panel = self._panels[body]
        self._point_at_head_of(panel, widget)
        if _contents(panel, self._bench.frame) is None:
            return False
        self._bench.when_settled(partial(self._pop_up, panel, widget, place))
        return True

    def _pop_up(self, panel: Panel, widget: QWidget, place: QPoint, frame: Frame) -> None:
        """Show what can be copied at ``widget``, which may have gone while that was computed."""
        from mhagui.gui.widgets.editable_table import EditableTable
        from mhagui.gui.widgets.snug_matrix_view import SnugMatrixView

        whole = _contents(panel, frame)
        if whole is None or not isValid(widget):
            return
        menu = _menu(panel)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for each in _up(panel, widget):
            if isinstance(each, EditableTable | SnugMatrixView):
                menu.addActions(each.actions())
                menu.addSeparator()
        contents = whole.at(_names(panel, widget))
        if whole.figure:
            self._offer_figures(menu, contents, contents.other_figures(whole.figure))
            menu.addSeparator()
        self._offer_numbers(menu, contents)
        menu.popup(place)

    def _offer_figures(
        self, menu: QMenu, contents: "Contents", others: "tuple[Figure, ...]"
    ) -> None:
        from mhagui.gui.copying.contents import title_of

        self._offer_figure(menu, contents.figure, contents.frame)
        if others:
            inner = menu.addMenu("&Other figures")
            titles = [title_of(figure, contents.frame) for figure in others]
            for figure, title in zip(others, with_mnemonics(titles), strict=True):
                self._offer_figure(_menu(inner, title), figure, contents.frame)

    def _offer_figure(self, menu: QMenu, figure: "Figure", frame: Frame) -> None:
        from mhagui.gui.copying.contents import title_of

        if isinstance(figure, Chart):
            name, reason = figure.name, None
        else:
            name, reason = figure, why_not(figure, frame.result)
        title = title_of(figure, frame)
        for text, tip, do in (
            ("Copy &figure", FIGURE_TIP, partial(self._copier.copy_figure, figure, frame)),
            ("Copy figure as S&VG", SVG_TIP, partial(self._copier.copy_svg, figure, frame)),
            ("Copy &caption", CAPTION_TIP, partial(self._copier.copy_caption, figure, frame)),
            ("&Export this figure…", EXPORT_TIP, partial(self.export_wanted.emit, name)),
        ):
            action = _action(menu, text, reason or tip.format(title), do)
            action.setEnabled(reason is None)

    def _offer_numbers(self, menu: QMenu, contents: "Contents") -> None:
        taken = [found for action in menu.actions() for found in _mnemonic(action)]
        names = with_mnemonics((part.name for part in contents.parts), taken)
        notations = with_mnemonics(map(str, Notation))
        for part, name in zip(contents.parts, names, strict=True):
            inner = _menu(menu, f"Copy {name} as")
            for notation, text in zip(Notation, notations, strict=True):
                do = partial(self._copier.copy_numbers, part, notation, contents.frame)
                _action(inner, text, NUMBERS_TIPS[notation], do)

    def _point_at_head_of(self, panel: Panel, widget: QWidget) -> None:
        """Point the cursor at the head that ``widget`` shows, if it shows one."""
        from mhagui.gui.docks.head_card import HeadCard
        from mhagui.gui.widgets.matrix_card import MatrixCard
        from mhagui.gui.widgets.stem_card import StemCard
        from mhagui.gui.widgets.term_card import TermCard

        for each in _up(panel, widget):
            if isinstance(each, HeadCard | MatrixCard | StemCard | TermCard):
                self._bench.point(head=each.uid)


def _contents(panel: Panel, frame: Frame) -> "Contents | None":
    """Return what can be copied of a panel; None where there is nothing."""
    from mhagui.gui.copying.contents import Contents, Part, contents_of

    own, charts = panel.own_tables(), panel.own_figures()
    if own or charts:
        parts = tuple(Part(name, make, "", (at,)) for name, make, at in own)
        return Contents(frame, next(iter(charts.values()), ""), parts, charts)
    return contents_of(panel.objectName(), frame, panel.page_name)


def _asks_for_menu(event: QKeyEvent) -> bool:
    """Return whether it is a key for the context menu; not every platform makes that of them."""
    if event.type() != QEvent.Type.KeyPress:
        return False
    with_shift = event.modifiers() == Qt.KeyboardModifier.ShiftModifier
    return event.key() == Qt.Key.Key_Menu or (event.key() == Qt.Key.Key_F10 and with_shift)


def _is_at(panel: Panel, focus: QWidget | None) -> bool:
    """Return whether ``focus`` is in the panel, or is the tab bar that has it in front."""
    if isinstance(focus, QTabBar) and focus.tabText(focus.currentIndex()) == panel.windowTitle():
        return True
    return focus is not None and panel.isAncestorOf(focus)


def _up(panel: Panel, widget: QWidget) -> Iterator[QWidget]:
    """Yield ``widget`` and what it is in, up to the panel."""
    found: QWidget | None = widget
    while found is not None and found is not panel:
        yield found
        found = found.parentWidget()


def _names(panel: Panel, widget: QWidget) -> list[str]:
    return [each.objectName() for each in _up(panel, widget)]


def _menu(parent: QWidget, title: str = "") -> QMenu:
    """Return a menu with tooltips, in the menu ``parent`` if that is one."""
    menu = QMenu(title, parent)
    menu.setToolTipsVisible(True)
    if isinstance(parent, QMenu):
        parent.addMenu(menu)
    return menu


def _action(menu: QMenu, text: str, tip: str, do: Callable[[], object]) -> QAction:
    action = menu.addAction(text, do)
    action.setToolTip(tip)
    action.setStatusTip(tip)
    return action


def _mnemonic(action: QAction) -> str:
    """Return the letter of an action's mnemonic, or nothing."""
    _, _, rest = action.text().replace("&&", "").partition("&")
    return rest[:1]
