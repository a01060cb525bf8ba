"""The paths of docs/keyboard.md, walked with the keys alone."""

import re
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QTabBar

from mhagui.document import Quantity, Window
from mhagui.document.edits import SetSequenceLength
from mhagui.gui.actions import ACTIONS
from mhagui.gui.focus_ring import FocusRings
from mhagui.gui.widgets.curve_plot import CurvePlot

PAGE = Path(__file__).parents[2] / "docs" / "keyboard.md"
DOCKS = (
    "heads", "cost", "history", "heatmaps", "pipeline", "atlas", "compare", "tokens",
    "output_projection", "filter_bank", "ablation_lab", "weights", "entropy", "rank", "impulse",
    "information", "lesson", "cell",
)  # fmt: skip
Key, Modifier = Qt.Key, Qt.KeyboardModifier
Control, Shift, Alt = Modifier.ControlModifier, Modifier.ShiftModifier, Modifier.AltModifier
MOST_STOPS = 80


class Hands:
    """Somebody who has a keyboard and nothing else before a window."""

    def __init__(self, window, qtbot, settle):
        self.window, self.bench, self._qtbot, self._settle = window, window.bench, qtbot, settle

    @property
    def focus(self):
        """The widget that takes the keys."""
        return QApplication.focusWidget()

    def press(self, key, modifiers=Modifier.NoModifier, times=1):
        """Press a key, and see what comes of it."""
        for _ in range(times):
            self._qtbot.keyClick(self.focus, key, modifiers)
            self._settle()

    def write(self, text, end=Key.Key_Return):
        """Type over all that is in a field."""
        self.press(Key.Key_A, Control)
        self._qtbot.keyClicks(self.focus, text)
        self.press(end)

    def tab_to(self, name):
        """Press Tab until a widget has the focus."""
        for _ in range(MOST_STOPS):
            if self.focus.objectName() == name:
                return
            self.press(Key.Key_Tab)
        pytest.fail(f"Tab never comes to {name}")

    def enter(self, dock):
        """Go to a dock in front by F6."""
        dock = getattr(self.window.docks, dock)
        for _ in DOCKS:
            if dock.isAncestorOf(self.focus):
                return
            self.press(Key.Key_F6)
        pytest.fail(f"F6 never comes to {dock.windowTitle()}")

    def bring(self, dock):
        """Go to a dock behind others: to the tab bar by Tab, to its tab by arrows, in by F6."""
        title = getattr(self.window.docks, dock).windowTitle()
        for _ in range(MOST_STOPS):
            bar = self.focus
            if isinstance(bar, QTabBar) and title in map(bar.tabText, range(bar.count())):
                break
            self.press(Key.Key_Tab)
        self.press(Key.Key_Home)
        while bar.tabText(bar.currentIndex()) != title:
            self.press(Key.Key_Right)
        self.press(Key.Key_F6)
        assert getattr(self.window.docks, dock).isAncestorOf(self.focus)


@pytest.fixture
def hands(window, qtbot, settle):
    return Hands(window, qtbot, settle)


def test_every_dock_has_a_section_and_the_ways_between_them_are_named(hands):
    page = PAGE.read_text(encoding="utf-8")
    sections = re.findall(r"^### (.+)$", page, re.MULTILINE)
    assert sections == [dock.windowTitle() for dock in hands.window.docks.all]
    ways = ("next_dock", "previous_dock", "exercises", "command_palette", "shortcuts")
    for key in [info.shortcut for info in ACTIONS if info.key in ways]:
        assert key in page


def test_f6_goes_round_the_docks_in_front_and_back(hands):
    names = []
    for _ in range(5):
        names += [d for d in DOCKS if getattr(hands.window.docks, d).isAncestorOf(hands.focus)]
        hands.press(Key.Key_F6)
    assert names == ["heatmaps", "output_projection", "entropy", "heads", "heatmaps"]
    hands.press(Key.Key_F6, Shift)
    hands.press(Key.Key_F6, Shift)
    assert hands.window.docks.heads.isAncestorOf(hands.focus)


def test_f6_enters_a_floating_dock(hands, qtbot):
    dock = hands.window.docks.entropy
    dock.setFloating(True)
    qtbot.waitUntil(dock.isWindow)
    hands.enter("entropy")
    hands.press(Key.Key_F6)
    assert hands.window.docks.rank.isAncestorOf(hands.focus)


@pytest.mark.parametrize("window", ["induction", "four-heads"], indirect=True)
def test_no_dock_holds_the_keyboard(hands):
    for panel in hands.window.docks.all:
        hands.window.docks.enter(panel)
        hands.press(Key.Key_F6)
        hands.press(Key.Key_F6, Shift)
        for key in (Key.Key_Tab, Key.Key_Backtab):
            hands.window.docks.enter(panel)
            stops = 0
            while panel.isAncestorOf(hands.focus):
                stops += 1
                assert stops < MOST_STOPS, hands.focus
                hands.press(key)
            assert stops, panel


@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.thorough)])
@pytest.mark.parametrize("window", ["induction"], indirect=True)
def test_every_stop_is_in_sight_and_shows_the_focus(hands, qapp, theme, request):
    request.getfixturevalue(theme)
    rings, faint = FocusRings(qapp), []
    for panel in hands.window.docks.all:
        for _ in range(3):  # until what is drawn late is in its place
            hands.window.docks.enter(panel)
            hands.press(Key.Key_F6)
        hands.window.docks.enter(panel)
        while panel.isAncestorOf(hands.focus):
            stop = hands.focus
            inner = stop.view if isinstance(stop, CurvePlot) else stop  # which covers all of it
            ground = inner.viewport() if isinstance(inner, QAbstractScrollArea) else inner
            is_in_sight = not ground.visibleRegion().isEmpty()
            with_focus = luminances(stop)
            hands.press(Key.Key_Tab)
            ratio = (with_focus + 0.05) / (luminances(stop) + 0.05)
            n_changed = np.count_nonzero(np.maximum(ratio, 1 / ratio) >= 2.5)
            if not is_in_sight or n_changed < 30:
                faint.append(f"{stop} in {panel.windowTitle()}: {is_in_sight}, {n_changed}")
    rings.deleteLater()
    assert faint == [], "\n".join(faint)


def luminances(widget):
    """The relative luminance of every pixel of a widget, (height, width), after WCAG."""
    image = widget.grab().toImage()
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1, 4)
    blue_green_red = rows[:, : image.width(), :3] / 255
    low, high = blue_green_red / 12.92, ((blue_green_red + 0.055) / 1.055) ** 2.4
    return np.where(blue_green_red <= 0.04045, low, high) @ [0.0722, 0.7152, 0.2126]


# --- what the keys do in each dock


def test_heads(hands):
    hands.enter("heads")
    hands.write("8")
    assert hands.bench.scene.n_positions == 8
    hands.tab_to("headCard1")
    hands.press(Key.Key_Down)
    hands.press(Key.Key_Space)
    assert hands.bench.view.cursor.head == 2
    hands.tab_to("nameEdit2")
    hands.write("scribe", end=Key.Key_Escape)
    assert hands.bench.scene.head(2).name == "previous token"
    hands.write("scribe")
    assert hands.bench.scene.head(2).name == "scribe"
    hands.tab_to("muteButton2")
    hands.press(Key.Key_Space)
    assert hands.bench.scene.head(2).muted
    hands.tab_to("gainSlider2")
    before = hands.bench.scene.head(2).gain
    hands.press(Key.Key_Right)
    assert hands.bench.scene.head(2).gain > before
    hands.tab_to("gainBox2")
    hands.write("2.5")
    assert hands.bench.scene.head(2).gain == 2.5
    hands.press(Key.Key_Down, Alt)
    assert [head.uid for head in hands.bench.scene.heads] == [1, 3, 2, 4]
    hands.tab_to("duplicateHeadButton")
    hands.press(Key.Key_Space)
    assert hands.bench.scene.n_heads == 5
    hands.press(Key.Key_Z, Control)
    assert hands.bench.scene.n_heads == 4


def test_cost(hands):
    hands.bring("cost")
    hands.tab_to("cost_n_positions")
    hands.write("1000")
    assert hands.bench.view.what_if.n_positions == 1000
    hands.tab_to("costOfBench")
    hands.press(Key.Key_Space)
    assert hands.bench.view.what_if is None


def test_history(hands):
    hands.press(Key.Key_D, Control)
    hands.press(Key.Key_D, Control)
    assert hands.bench.scene.n_heads == 6
    hands.bring("history")
    hands.press(Key.Key_Up)
    assert hands.bench.scene.n_heads == 5
    hands.press(Key.Key_Home)
    assert hands.bench.scene.n_heads == 4
    hands.press(Key.Key_End)
    assert hands.bench.scene.n_heads == 6


def test_heatmaps(hands):
    hands.press(Key.Key_Home, Control)
    hands.press(Key.Key_Down, times=3)
    hands.press(Key.Key_Right)
    cursor = hands.bench.view.cursor
    assert (cursor.query, cursor.key) == (3, 1)
    hands.press(Key.Key_Tab)
    hands.press(Key.Key_End)
    assert (hands.bench.view.cursor.head, hands.bench.view.cursor.key) == (2, 5)
    hands.press(Key.Key_Return)
    assert hands.window.docks.cell.isVisible()
    hands.press(Key.Key_Return, Shift)
    assert hands.bench.view.enlarged == 2
    hands.press(Key.Key_Escape)
    assert hands.bench.view.enlarged is None
    hands.tab_to("showWeights")
    hands.press(Key.Key_Right)
    assert hands.bench.view.quantity is Quantity.SCORES


def test_cells_of_the_heatmaps_from_closer_by(hands):
    hands.bench.edit(SetSequenceLength(64))
    hands.press(Key.Key_Plus, times=3)
    hands.press(Key.Key_End, Control)
    assert hands.bench.view.window == Window(56, 56, 8)
    hands.press(Key.Key_Minus)
    assert hands.bench.view.window.count == 16
    hands.tab_to("showAllCells")
    hands.press(Key.Key_Space)
    assert hands.bench.view.window is None
    assert hands.focus.objectName() == "heatmap1"
    hands.press(Key.Key_Plus)
    hands.press(Key.Key_0)
    assert hands.bench.view.window is None


def test_pipeline(hands):
    hands.bring("pipeline")
    hands.press(Key.Key_Right, times=2)
    assert hands.bench.view.stage == 2
    before = hands.bench.view.cursor.query
    hands.press(Key.Key_Up, Shift)
    assert hands.bench.view.cursor.query == before - 1
    hands.press(Key.Key_Home)
    assert hands.bench.view.stage == 0
    hands.press(Key.Key_Return)
    assert hands.window.docks.cell.isVisible()


def test_scorecard(hands, qtbot):
    hands.bring("atlas")
    dock = hands.window.docks.atlas
    qtbot.waitUntil(dock.views.isVisible)
    hands.press(Key.Key_F6, Shift)
    hands.press(Key.Key_F6)
    assert hands.focus.objectName() == "atlasMap"
    hands.press(Key.Key_Right, times=2)
    assert hands.bench.view.cursor.head == 3
    hands.press(Key.Key_Backtab)
    hands.press(Key.Key_Space)
    assert dock.map.above.isChecked()
    hands.press(Key.Key_Space)
    hands.press(Key.Key_Backtab)
    hands.press(Key.Key_Down)
    assert dock.map.score.currentText() == "first token"
    hands.press(Key.Key_Up)
    hands.press(Key.Key_Backtab)
    hands.press(Key.Key_Right)
    hands.tab_to("atlasTable")
    hands.press(Key.Key_Right)
    hands.press(Key.Key_S)
    assert dock.table.table.model().headerData(0, Qt.Orientation.Vertical).strip() == "h2"
    hands.press(Key.Key_S, times=2)
    hands.press(Key.Key_Up)
    assert hands.bench.view.cursor.head == 2
    hands.press(Key.Key_Backtab)
    assert hands.focus.objectName() == "atlasFilter"


def test_compare(hands):
    hands.bring("compare")
    dock = hands.window.docks.compare
    assert hands.focus.objectName() == "compareDifference"
    before = hands.bench.view.cursor
    hands.press(Key.Key_Down)
    hands.press(Key.Key_Left, times=2)
    cursor = hands.bench.view.cursor
    assert (cursor.query, cursor.key) == (before.query + 1, before.key - 2)
    hands.press(Key.Key_Backtab, times=3)
    hands.press(Key.Key_Backtab)
    hands.press(Key.Key_Backtab)
    assert hands.focus.objectName() == "compareSwap"
    hands.press(Key.Key_Space)
    assert dock.pictures.titles[0].text().startswith("A  h2")
    hands.press(Key.Key_Backtab)
    assert hands.focus.objectName() == "compareBPin"
    hands.press(Key.Key_Space)
    assert dock.sides[1].source_box.currentText() == "Pinned 1: h1 first token"
    hands.press(Key.Key_Space)
    hands.press(Key.Key_Backtab)
    hands.press(Key.Key_Down)
    assert dock.pictures.titles[1].text().startswith("B  h1")
    hands.press(Key.Key_Down, times=2)
    assert dock.pictures.titles[1].text().startswith("B  h3")


@pytest.mark.parametrize("window", ["induction"], indirect=True)
def test_tokens(hands):
    hands.enter("tokens")
    tokens = hands.bench.scene.tokens
    hands.press(Key.Key_Home)
    hands.press(Key.Key_Right)
    assert hands.bench.view.cursor.query == 1
    key = hands.bench.view.cursor.key
    hands.press(Key.Key_Left if key else Key.Key_Right, Shift)
    assert abs(hands.bench.view.cursor.key - key) == 1
    hands.press(Key.Key_Right, Shift | Control)
    moved = (tokens[0], tokens[2], tokens[1], *tokens[3:])
    assert hands.bench.scene.tokens == moved
    hands.tab_to("tokenSequence")
    hands.write(" ".join(tokens))
    assert hands.bench.scene.tokens == tokens


def test_output_projection(hands):
    hands.enter("output_projection")
    hands.tab_to("outputProjectionTable")
    hands.press(Key.Key_Home, Control)
    before = hands.bench.scene.w_o.copy()
    hands.press(Key.Key_Return)
    hands.write("7", end=Key.Key_Escape)
    assert np.array_equal(hands.bench.scene.w_o, before)
    hands.press(Key.Key_Return)
    hands.write("7")
    assert hands.bench.scene.w_o[0, 0] == 7
    hands.press(Key.Key_Z, Control)
    assert np.array_equal(hands.bench.scene.w_o, before)


def test_filter_bank(hands):
    hands.bring("filter_bank")
    hands.tab_to("termMuteButton1")
    hands.press(Key.Key_Space)
    assert hands.bench.scene.head(1).muted
    hands.tab_to("termView1")
    hands.press(Key.Key_Home, Control)
    hands.press(Key.Key_Down)
    assert hands.bench.view.cursor.query == 1
    hands.tab_to("showFilterBank")
    hands.press(Key.Key_Right)
    assert hands.focus.objectName() == "showAblationSite"
    hands.press(Key.Key_Tab)
    assert hands.focus.objectName() == "ablatedHead"


def test_weights(hands):
    hands.bring("weights")
    hands.press(Key.Key_Right, times=3)
    assert hands.focus.objectName() == "weightsValues"
    hands.tab_to("weights2Table")
    hands.press(Key.Key_Home, Control)
    before = hands.bench.scene.heads[0].w_v
    hands.press(Key.Key_Return)
    hands.write("3")
    assert hands.bench.scene.heads[0].w_v[0, 0] == 3
    hands.press(Key.Key_Z, Control)
    assert np.array_equal(hands.bench.scene.heads[0].w_v, before)


def test_entropy(hands):
    hands.enter("entropy")
    hands.press(Key.Key_Home)
    hands.press(Key.Key_Right, times=2)
    assert hands.bench.view.cursor.query == 2
    hands.tab_to("entropyTable")
    copy_from(hands)


@pytest.mark.parametrize(
    ("dock", "table"), [("rank", "rankTable"), ("cost", "costStages"), ("information", "")]
)
def test_tables_are_copied(hands, dock, table):
    hands.bring(dock)
    if table:
        hands.tab_to(table)
    copy_from(hands)


def copy_from(hands):
    """Copy what has the focus: all of it, lines and tabs."""
    hands.press(Key.Key_A, Control)
    hands.press(Key.Key_C, Control)
    assert re.search(r"\t[\d.]+", QGuiApplication.clipboard().text())


def test_impulse(hands):
    hands.bring("impulse")
    hands.press(Key.Key_Home)
    hands.press(Key.Key_Right, times=4)
    assert hands.bench.view.cursor.query == 4
    hands.tab_to("impulsePlot1")
    hands.press(Key.Key_Up)
    hands.press(Key.Key_Home)
    cursor = hands.bench.view.cursor
    assert (cursor.query, cursor.key) == (3, 0)


def test_information(hands):
    hands.bring("information")
    hands.press(Key.Key_Down)
    assert hands.bench.view.cursor.head == 2
    hands.tab_to("divergenceMatrix")
    hands.press(Key.Key_Home, Control)
    hands.press(Key.Key_Right)
    assert hands.focus.objectName() == "divergenceMatrix"


def test_lesson(hands):
    hands.press(Key.Key_F2)
    assert hands.window.docks.lesson.isAncestorOf(hands.focus)
    hands.press(Key.Key_Down)
    assert hands.window.docks.lesson.session.chosen.number == 2
    hands.press(Key.Key_Up)
    hands.tab_to("question1Option1")
    hands.press(Key.Key_Space)
    hands.tab_to("question1Check")
    hands.press(Key.Key_Space)
    assert hands.window.docks.lesson.session.progress.answers


def test_cell(hands):
    hands.press(Key.Key_Return)  # on a cell of a heatmap
    hands.enter("cell")
    hands.tab_to("cellNeighbours")
    copy_from(hands)
    hands.press(Key.Key_F6)
    assert not hands.window.docks.cell.isAncestorOf(hands.focus)
