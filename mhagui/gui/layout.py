"""Where the docks are in the window."""

from collections.abc import Iterable

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QMainWindow

from mhagui.gui.bench import Bench
from mhagui.gui.dock_title import DockTitle
from mhagui.gui.docks.cell import CellDock
from mhagui.gui.docks.cost import CostDock
from mhagui.gui.docks.entropy import EntropyDock
from mhagui.gui.docks.filter_bank import FilterBankDock
from mhagui.gui.docks.heads import HeadsDock
from mhagui.gui.docks.heatmaps import HeatmapsDock
from mhagui.gui.docks.impulse import ImpulseDock
from mhagui.gui.docks.information import InformationDock
from mhagui.gui.docks.lesson import LessonDock
from mhagui.gui.docks.output_projection import OutputProjectionDock
from mhagui.gui.docks.pipeline import PipelineDock
from mhagui.gui.docks.rank import RankDock
from mhagui.gui.docks.tokens import TokensDock
from mhagui.gui.docks.weights import WeightsDock
from mhagui.gui.lesson_session import LessonSession
from mhagui.gui.panel import Panel
from mhagui.gui.tab_marks import TabMarks

Horizontal, Vertical = Qt.Orientation.Horizontal, Qt.Orientation.Vertical


class Docks:
    """All docks of one window: made, placed, shown when they are asked for."""

    def __init__(self, window: QMainWindow, bench: Bench, session: LessonSession) -> None:
        self._window = window
        self._tab_marks = TabMarks(window)
        self.heads = HeadsDock(bench)
        self.cost = CostDock(bench)
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
        # Docks of one place are behind one another; the first of them is in front.
        self._places: tuple[tuple[Panel, ...], ...] = (
            (self.heads, self.cost),
            (self.heatmaps, self.pipeline),
            (self.tokens,),
            (self.projection, self.filter_bank, self.weights),
            (self.entropy, self.rank, self.impulse, self.information, self.lesson),
            (self.cell,),
        )
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
        return tuple(dock for place in self._places for dock in place)

    def show(self, names: Iterable[str]) -> None:
        """Bring the docks with these object names to the front."""
        docks = {dock.objectName(): dock for dock in self.all}
        for name in names:
            docks[name].show()
            docks[name].raise_()

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
        dock.take_focus()

    def place(self) -> None:
        """Put every dock where it is at first; the window has to be shown.

        Qt 6.11 leaves a second tab bar behind wherever docks are tabbed in a window that is not
        shown, and so does its ``restoreState``.
        """
        split = self._window.splitDockWidget
        for dock in self.all:
            dock.setFloating(False)
            self._window.removeDockWidget(dock)
        self._window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, self.heads)
        split(self.heads, self.heatmaps, Horizontal)
        split(self.heatmaps, self.entropy, Horizontal)
        split(self.heatmaps, self.projection, Vertical)
        split(self.heatmaps, self.tokens, Vertical)
        split(self.entropy, self.cell, Vertical)
        for first, *others in self._places:
            for dock in others:
                self._window.tabifyDockWidget(first, dock)
                dock.move(-dock.width(), -dock.height())  # or it would be drawn as if in front
        for dock in self.all:
            dock.setVisible(dock not in (self.tokens, self.cell))
        for first, *_ in self._places:
            first.raise_()
        self._share_space()

    def _share_space(self) -> None:
        columns = [self.heads, self.heatmaps, self.entropy]
        self._window.resizeDocks(columns, [280, 628, 372], Horizontal)
        rows = [self.heatmaps, self.tokens, self.projection]
        self._window.resizeDocks(rows, [446, 90, 284], Vertical)
        self._window.resizeDocks([self.entropy, self.cell], [380, 350], Vertical)
