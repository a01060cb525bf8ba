"""Where the docks are in the window."""

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import NamedTuple

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QDockWidget,
    QLineEdit,
    QMainWindow,
    QTabBar,
    QWidget,
)

from mhagui.document import Scene
from mhagui.gui.bench import Bench
from mhagui.gui.capture_session import CaptureSession
from mhagui.gui.dock_title import DockTitle
from mhagui.gui.layout_placer import ORIENTATIONS, place_docks
from mhagui.gui.layout_reader import UnknownFormError, read_layout
from mhagui.gui.layouts import DEFAULT
from mhagui.gui.lesson_session import LessonSession
from mhagui.gui.panel import Panel, is_in_sight
from mhagui.gui.tab_marks import TabMarks
from mhagui.layout_tree import Layout, leaves, names_in


class Kind(NamedTuple):
    """A dock as it is before it is made: its title, and the module that has its class."""

    title: str
    module: str
    draws_curves: bool = False  # with pyqtgraph, which takes as long to import as all else together
    of_captures: bool = False  # is handed the capture session, after the bench


# Milliseconds until it is looked again whether a drag, a menu or a computation has ended.
HANDS_FULL = 100
# By the object name, which is that of the class as well.
KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "headsDock": Kind("Heads", "mhagui.gui.docks.heads"),
        "costDock": Kind("Cost", "mhagui.gui.docks.cost", draws_curves=True),
        "historyDock": Kind("History", "mhagui.gui.docks.history"),
        "heatmapsDock": Kind("Heatmaps", "mhagui.gui.docks.heatmaps"),
        "pipelineDock": Kind("Pipeline", "mhagui.gui.docks.pipeline"),
        "atlasDock": Kind(
            "Scorecard", "mhagui.gui.docks.atlas", draws_curves=True, of_captures=True
        ),
        "compareDock": Kind("Compare", "mhagui.gui.docks.compare", of_captures=True),
        "tokensDock": Kind("Tokens", "mhagui.gui.docks.tokens"),
        "outputProjectionDock": Kind("Output projection", "mhagui.gui.docks.output_projection"),
        "filterBankDock": Kind("Filter bank", "mhagui.gui.docks.filter_bank"),
        "ablationLabDock": Kind(
            "Ablation lab", "mhagui.gui.docks.ablation_lab", draws_curves=True, of_captures=True
        ),
        "weightsDock": Kind("Weights", "mhagui.gui.docks.weights"),
        "entropyDock": Kind("Entropy", "mhagui.gui.docks.entropy", draws_curves=True),
        "rankDock": Kind("Rank", "mhagui.gui.docks.rank", draws_curves=True),
        "impulseDock": Kind("Impulse", "mhagui.gui.docks.impulse", draws_curves=True),
        "informationDock": Kind("Information", "mhagui.gui.docks.information"),
        "lessonDock": Kind("Lesson", "mhagui.gui.docks.lesson"),
        "cellDock": Kind("Why is this cell lit?", "mhagui.gui.docks.cell"),
    }
)
_BY_ATTRIBUTE: Mapping[str, str] = MappingProxyType(
    {kind.module.rpartition(".")[2]: name for name, kind in KINDS.items()}
)


class Docks(QObject):
    """All docks of one window: made, placed, shown when they are asked for.

    At first there are stand-ins with their names and titles. ``apply`` has those made that come
    into sight, ``make_ahead`` the others once there is something to look at, one in every turn of
    the event loop that is to spare. One that is asked for is made at once: ``docks.heads`` is the
    dock, never its stand-in.

    Signals
    -------
    imported
        The classes of docks are there, of which nothing is made yet.
    made
        A dock is made; carries it.
    """

    imported = Signal()
    made = Signal(object)

    def __init__(
        self,
        window: QMainWindow,
        bench: Bench,
        session: LessonSession,
        captures: CaptureSession,
    ) -> None:
        super().__init__(window)
        self._window, self._bench, self._session = window, bench, session
        self._captures = captures
        self._tab_marks = TabMarks(window)
        self._docks: dict[str, QDockWidget] = {
            name: self._stand_in(name) for name in names_in(DEFAULT.tree)
        }
        self._ahead: dict[str, Panel] = {}  # made, but still to come into their places
        self._has_tokens, self._wants_tokens = bench.scene.has_tokens, True
        self.are_placed = False
        self._applied = DEFAULT
        self._to_make: list[str] = []
        self._to_draw: list[str] = []
        self._spare_time = QTimer(self)
        self._spare_time.timeout.connect(self._on_spare_time)

    # --- made when they are wanted

    def __getattr__(self, attribute: str) -> Panel:
        """Return a dock by the name of its module."""
        if attribute not in _BY_ATTRIBUTE:
            raise AttributeError(attribute)
        return self.dock(_BY_ATTRIBUTE[attribute])

    @property
    def titles(self) -> dict[str, str]:
        """The titles of all docks by their object names, in the order in which menus list them."""
        return {name: KINDS[name].title for name in self._docks}

    @property
    def all(self) -> tuple[Panel, ...]:
        """Every dock, in the order in which menus list them."""
        self.make_all()
        return tuple(self._panels())

    def dock(self, name: str) -> Panel:
        """Return the dock with this object name."""
        self._want([name])
        dock = self._docks[name]
        assert isinstance(dock, Panel)
        return dock

    def _panels(self) -> Iterator[Panel]:
        """Yield the docks that are made."""
        return (dock for dock in self._docks.values() if isinstance(dock, Panel))

    def _missing(self, names: Iterable[str]) -> list[str]:
        return [name for name in names if not isinstance(self._docks[name], Panel)]

    def _want(self, names: Iterable[str]) -> None:
        """Have the docks with these object names made, and in the places of their stand-ins."""
        missing = self._missing(names)
        if missing:
            layout = self.layout() or self._applied
            self._make(missing)
            if self.are_placed:
                self._place(self._fitted(layout))

    def _make(self, missing: list[str]) -> None:
        # All, before a stand-in goes: where the making of one fails each keeps its place.
        self._make_aside(missing)
        for name in missing:
            stand_in, self._docks[name] = self._docks[name], self._ahead.pop(name)
            self._window.removeDockWidget(stand_in)
            stand_in.setParent(None)
            stand_in.deleteLater()

    def _stand_in(self, name: str) -> QDockWidget:
        dock = QDockWidget(KINDS[name].title)
        dock.setObjectName(name)
        if KINDS[name].draws_curves:  # and may be in sight before it is made
            dock.setTitleBarWidget(DockTitle(dock))
        dock.setParent(self._window)
        dock.hide()
        return dock

    def _make_aside(self, missing: list[str]) -> None:
        """Make those of the docks that are yet to be made; the stand-ins keep their places."""
        to_make = [name for name in missing if name not in self._ahead]
        for name in to_make:
            import_module(KINDS[name].module)
        self.imported.emit()
        for name in to_make:
            self._ahead[name] = self._new(name)

    def _new(self, name: str) -> Panel:
        make = getattr(import_module(KINDS[name].module), name[0].upper() + name[1:])
        of_lesson = (self._session, self.titles) if name == "lessonDock" else ()
        of_captures = (self._captures,) if KINDS[name].of_captures else ()
        dock: Panel = make(self._bench, *of_lesson, *of_captures)
        dock.setTitleBarWidget(DockTitle(dock))
        dock.setParent(self._window)
        dock.hide()
        self.made.emit(dock)
        return dock

    def make_all(self) -> None:
        """Make what is missing, now."""
        self._want(self._docks)

    def make_ahead(self) -> None:
        """Make what is missing and draw what was never drawn, as far as there is time to spare."""
        self._to_make = self._missing(self._docks)
        self._to_draw = list(self._docks)
        self._spare_time.start(0)

    def _on_spare_time(self) -> None:
        """Make one dock, first those that can be seen; then have all in their places, and drawn."""
        hands_full = QApplication.mouseButtons() or QApplication.activePopupWidget()
        if hands_full or self._is_result_awaited():
            self._spare_time.setInterval(HANDS_FULL)
            return  # docks that are placed anew would end a drag
        self._spare_time.setInterval(0)
        if self._to_make:
            self._make_one_ahead()
        elif self._ahead:
            self._want(list(self._ahead))
        else:
            self._draw_one_ahead()

    def _is_result_awaited(self) -> bool:
        """Say whether nothing that can be seen is missing but the result, which comes sooner alone.

        A thread that computes waits for this one again and again while docks are made.
        """
        is_missing = any(is_in_sight(self._docks[name]) for name in self._to_make)
        return self._bench.frame.is_behind and not is_missing

    def _make_one_ahead(self) -> None:
        seen = [name for name in self._to_make if is_in_sight(self._docks[name])]
        name = (seen or self._to_make)[-1]
        self._to_make.remove(name)
        self._make_aside(self._missing([name]))
        if seen == [name]:  # the last of them: all come into their places at once
            self._want(list(self._ahead))

    def _draw_one_ahead(self) -> None:
        if not self._to_draw:
            self._spare_time.stop()
            return
        dock = self._docks[self._to_draw.pop()]
        if isinstance(dock, Panel):  # or its making has failed
            dock.draw_ahead()

    # --- shown

    def show(self, names: Iterable[str]) -> None:
        """Bring the docks with these object names to the front."""
        for name in names:
            dock = self.dock(name)
            if dock.isHidden():
                self._bring_back(dock)
            dock.raise_()

    def _bring_back(self, dock: Panel) -> None:
        """Show ``dock`` in the room that it had; Qt gives it as little as it can do with."""
        layout = self.layout()
        dock.show()
        room = layout and layout.room_for(dock.objectName())
        if room and not dock.isFloating():
            least = dock.minimumSizeHint()
            length = max(room[1], least.width() if room[0] == "across" else least.height())
            self._window.resizeDocks([dock], [length], ORIENTATIONS[room[0]])

    def enter(self, dock: Panel) -> None:
        """Bring ``dock`` to the front and give it the keyboard."""
        self.show([dock.objectName()])
        dock.activateWindow()  # its own, where it floats
        dock.take_focus()

    def enter_any(self) -> None:
        """Give the keyboard to the heatmaps, or whatever is in front instead of them.

        If it can be to no field, in which the next digit would change a number.
        """
        place = self.heatmaps, *self._window.tabifiedDockWidgets(self.heatmaps)
        in_front = self._in_front()
        instead = [dock for dock in in_front if dock in place]
        for dock in (*instead, *(dock for dock in in_front if dock not in place)):
            dock.take_focus()
            if not isinstance(QApplication.focusWidget(), QLineEdit | QAbstractSpinBox):
                return

    def enter_next(self) -> None:
        """Give the keyboard to the next of the docks in front, or from a tab bar to its own."""
        self._enter_beside(1)

    def enter_previous(self) -> None:
        """Give the keyboard to the dock in front that comes before."""
        self._enter_beside(-1)

    def _enter_beside(self, step: int) -> None:
        in_front = self._in_front()
        if in_front:
            place = _place_before(in_front, step, QApplication.focusWidget())
            self.enter(in_front[(place + step) % len(in_front)])

    def _in_front(self) -> list[Panel]:
        return [dock for dock in self._panels() if dock.is_in_sight()]

    def follow(self, scene: Scene) -> None:
        """Show the tokens while ``scene`` has some, unless the user or the layout hides them."""
        if self._has_tokens != scene.has_tokens:
            if self._has_tokens:
                self._wants_tokens = not self._docks["tokensDock"].isHidden()
            self._has_tokens = not self._has_tokens
            self._docks["tokensDock"].setVisible(self._has_tokens and self._wants_tokens)

    def apply(self, layout: Layout) -> None:
        """Put every dock where ``layout`` has it; the window has to be shown.

        One that would leave nothing to see is passed over for the default.
        """
        fitted, self._applied = self._fitted(layout), layout
        seen = self._missing(_seen_in(fitted))
        try:
            self._make([n for n in seen if self.are_placed or not KINDS[n].draws_curves])
        finally:  # one that cannot be made leaves the others, or their stand-ins, in their places
            self._place(fitted)

    def _fitted(self, layout: Layout) -> Layout:
        fitted = self._without_tokens(layout.fitted(DEFAULT))
        return fitted if fitted.shown() else self._without_tokens(DEFAULT)

    def _place(self, layout: Layout) -> None:
        focus: QWidget | None = self._window.focusWidget()
        place_docks(self._window, self._docks, layout)
        self.are_placed = True
        if focus is not None and focus.isVisible():
            focus.setFocus()

    def layout(self) -> Layout | None:
        """Return where the docks are; None where they are not yet, or Qt does not say it."""
        if not self.are_placed:
            return None
        try:
            layout = read_layout(self._window).fitted(DEFAULT)
        except UnknownFormError:
            return None
        if not self._has_tokens and self._wants_tokens:
            layout = layout.with_shown("tokensDock")
        return layout

    def _without_tokens(self, layout: Layout) -> Layout:
        """Note whether ``layout`` shows the tokens; hide them in it while there are none."""
        name = "tokensDock"
        self._wants_tokens = name in layout.shown()
        return layout if self._has_tokens else layout.with_hidden(name)


def _seen_in(layout: Layout) -> list[str]:
    """Return the object names of the docks that can be seen in ``layout``."""
    absent = {*layout.hidden, *layout.floating}
    present = [[name for name in tabs.docks if name not in absent] for tabs in leaves(layout.tree)]
    fronts = [tabs.front for tabs in leaves(layout.tree)]
    in_front = [f if f in p else p[0] for f, p in zip(fronts, present, strict=True) if p]
    return in_front + [name for name in layout.floating if name not in layout.hidden]


def _place_before(docks: list[Panel], step: int, focus: QWidget | None) -> int:
    """Return from which of ``docks`` a ``step`` goes: the one with the focus, if it is in one."""
    for place, dock in enumerate(docks):
        if focus is not None and dock.isAncestorOf(focus):
            return place
        if isinstance(focus, QTabBar) and focus.tabText(focus.currentIndex()) == dock.windowTitle():
            return place - step
    return min(-step, 0)  # so that the step goes to the first, or the last
