"""Where the docks are in the window."""

from collections.abc import Iterable

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMainWindow, QTabBar, QWidget

from mhagui.document import Scene
from mhagui.gui.bench import Bench
from mhagui.gui.dock_title import DockTitle
from mhagui.gui.docks.cell import CellDock
from mhagui.gui.docks.cost import CostDock
from mhagui.gui.docks.entropy import EntropyDock
from mhagui.gui.docks.filter_bank import FilterBankDock
from mhagui.gui.docks.heads import HeadsDock
from mhagui.gui.docks.heatmaps import HeatmapsDock
from mhagui.gui.docks.history import HistoryDock
from mhagui.gui.docks.impulse import ImpulseDock
from mhagui.gui.docks.information import InformationDock
from mhagui.gui.docks.lesson import LessonDock
from mhagui.gui.docks.output_projection import OutputProjectionDock
from mhagui.gui.docks.pipeline import PipelineDock
from mhagui.gui.docks.rank import RankDock
from mhagui.gui.docks.tokens import TokensDock
from mhagui.gui.docks.weights import WeightsDock
from mhagui.gui.layout_placer import ORIENTATIONS, place_docks
from mhagui.gui.layout_reader import UnknownFormError, read_layout
from mhagui.gui.layouts import DEFAULT
from mhagui.gui.lesson_session import LessonSession
from mhagui.gui.panel import Panel
from mhagui.gui.tab_marks import TabMarks
from mhagui.layout_tree import Layout, names_in


class Docks:
    """All docks of one window: made, placed, shown when they are asked for."""

    def __init__(self, window: QMainWindow, bench: Bench, session: LessonSession) -> None:
        self._window = window
        self._tab_marks = TabMarks(window)
        self.heads = HeadsDock(bench)
        self.cost = CostDock(bench)
        self.history = HistoryDock(bench)
        self.heatmaps = HeatmapsDock(bench)
        self.pipeline = PipelineDock(bench)
        self.tokens = TokensDock(bench)
        self.projection = OutputProjectionDock(bench)
        self.filter_bank = FilterBankDock(bench)
        self.weights = WeightsDock(bench)
        self.entropy = EntropyDock(bench)
        self.rank = RankDock(bench)
        self.impulse = ImpulseDock(bench)
        self.information = InformationDock(bench)
        self.cell = CellDock(bench)
        others = (dock for dock in vars(self).values() if isinstance(dock, Panel))
        titles = {dock.objectName(): dock.windowTitle() for dock in others}
        self.lesson = LessonDock(bench, session, titles)
        made = {dock.objectName(): dock for dock in vars(self).values() if isinstance(dock, Panel)}
        self._docks = {name: made[name] for name in names_in(DEFAULT.tree)}
        self._has_tokens, self._wants_tokens = bool(bench.scene.tokens), True
        self.are_placed = False
        self._to_draw: list[Panel] = []
        self._spare_time = QTimer(window)
        self._spare_time.timeout.connect(self._draw_one_ahead)
        for dock in self.all:
            dock.setTitleBarWidget(DockTitle(dock))
            dock.setParent(window)
            dock.hide()

    @property
    def all(self) -> tuple[Panel, ...]:
        """Every dock, in the order in which menus list them."""
        return tuple(self._docks.values())

    def show(self, names: Iterable[str]) -> None:
        """Bring the docks with these object names to the front."""
        for name in names:
            dock = self._docks[name]
            if dock.isHidden():
                self._bring_back(dock)
            dock.raise_()

    def _bring_back(self, dock: Panel) -> None:
        """Show ``dock`` in the room that it had; Qt gives it as little as it can do with."""
        layout = self.layout()
        dock.show()
        room = layout and layout.room_for(dock.objectName())
        if room and not dock.isFloating():
            self._window.resizeDocks([dock], [room[1]], ORIENTATIONS[room[0]])

    def draw_ahead(self) -> None:
        """Draw what was never drawn, a dock in every turn of the event loop that is to spare."""
        self._to_draw = list(self.all)
        self._spare_time.start(0)

    def _draw_one_ahead(self) -> None:
        self._to_draw.pop().draw_ahead()
        if not self._to_draw:
            self._spare_time.stop()

    def enter(self, dock: Panel) -> None:
        """Bring ``dock`` to the front and give it the keyboard."""
        self.show([dock.objectName()])
        dock.activateWindow()  # its own, where it floats
        dock.take_focus()

    def enter_any(self) -> None:
        """Give the keyboard to the heatmaps, or whatever is in front instead of them."""
        in_front = [dock for dock in self.all if dock.is_in_sight()]
        if in_front:
            (self.heatmaps if self.heatmaps in in_front else in_front[0]).take_focus()

    def enter_next(self) -> None:
        """Give the keyboard to the next of the docks in front, or from a tab bar to its own."""
        self._enter_beside(1)

    def enter_previous(self) -> None:
        """Give the keyboard to the dock in front that comes before."""
        self._enter_beside(-1)

    def _enter_beside(self, step: int) -> None:
        in_front = [dock for dock in self.all if dock.is_in_sight()]
        if in_front:
            place = _place_before(in_front, step, QApplication.focusWidget())
            self.enter(in_front[(place + step) % len(in_front)])

    def follow(self, scene: Scene) -> None:
        """Show the tokens while ``scene`` has some, unless the user or the layout hides them."""
        if self._has_tokens != bool(scene.tokens):
            if self._has_tokens:
                self._wants_tokens = not self.tokens.isHidden()
            self._has_tokens = not self._has_tokens
            self.tokens.setVisible(self._has_tokens and self._wants_tokens)

    def apply(self, layout: Layout) -> None:
        """Put every dock where ``layout`` has it; the window has to be shown.

        One that would leave nothing to see is passed over for the default.
        """
        fitted = self._without_tokens(layout.fitted(DEFAULT))
        if not fitted.shown():
            fitted = self._without_tokens(DEFAULT)
        focus: QWidget | None = self._window.focusWidget()
        place_docks(self._window, self._docks, fitted)
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
            layout = layout.with_shown(self.tokens.objectName())
        return layout

    def _without_tokens(self, layout: Layout) -> Layout:
        """Note whether ``layout`` shows the tokens; hide them in it while there are none."""
        name = self.tokens.objectName()
        self._wants_tokens = name in layout.shown()
        return layout if self._has_tokens else layout.with_hidden(name)


def _place_before(docks: list[Panel], step: int, focus: QWidget | None) -> int:
    """Return from which of ``docks`` a ``step`` goes: the one with the focus, if it is in one."""
    for place, dock in enumerate(docks):
        if focus is not None and dock.isAncestorOf(focus):
            return place
        if isinstance(focus, QTabBar) and focus.tabText(focus.currentIndex()) == dock.windowTitle():
            return place - step
    return min(-step, 0)  # so that the step goes to the first, or the last
