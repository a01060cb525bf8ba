"""What a start imports and makes before there is something to look at, and what comes after."""

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject, QRect, Qt
from PySide6.QtWidgets import QApplication, QDockWidget, QTabBar

from mhagui.document import load_lesson
from mhagui.gui.docks import lesson
from mhagui.gui.layout import KINDS
from mhagui.gui.layout_placer import place_docks
from mhagui.gui.layouts import DEFAULT, LEARN
from mhagui.gui.main_window import MainWindow
from mhagui.gui.panel import Panel, is_in_sight
from mhagui.gui.pictures import weight_table
from mhagui.layout_tree import Frame, Layout, Split, Tabs, names_in
from mhagui.palette import WeightColours

ROOT = Path(__file__).parents[2]

# What is posted while a window is painted arrives when it is painted.
UNTIL_PAINTED = """
import gc, json, os, sys
from PySide6.QtCore import QCoreApplication, QEvent, QObject
from PySide6.QtWidgets import QDockWidget, QMainWindow

class Watch(QObject):
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint:
            QCoreApplication.postEvent(self, QEvent(QEvent.Type.User))
        return False

    def customEvent(self, event):
        docks = self.parent().findChildren(QDockWidget)
        with_content = [dock.objectName() for dock in docks if dock.widget() is not None]
        found = {"modules": list(sys.modules), "docks": with_content, "looked": looked() - before}
        print(json.dumps(found), flush=True)
        os._exit(0)

show = QMainWindow.show

def show_watched(window):
    window.installEventFilter(Watch(window))
    show(window)

def looked():
    return sum(of["collections"] for of in gc.get_stats())

QMainWindow.show = show_watched
from mhagui import cli
before = looked()
cli.main([])
"""


@pytest.fixture(scope="module")
def first_paint():
    """The modules that are there at the first paint of a start, and the docks with content."""
    run = subprocess.run(
        [sys.executable, "-c", UNTIL_PAINTED],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        timeout=60,
    )
    return json.loads(run.stdout)


def test_nothing_heavy_is_imported_before_the_first_paint(first_paint):
    packages = {name.partition(".")[0] for name in first_paint["modules"]}
    unwanted = {
        "PIL", "contourpy", "fontTools", "hypothesis", "kiwisolver", "matplotlib",
        "multiprocessing", "pydoc", "pypdf", "pyqtgraph", "pytest", "scipy", "tqdm", "unittest",
    }  # fmt: skip
    assert packages & unwanted == set()


def test_hardly_any_garbage_is_looked_for_before_the_first_paint(first_paint):
    assert first_paint["looked"] <= 5  # it would be a hundred times


def test_only_docks_in_sight_are_imported_before_the_first_paint(first_paint):
    folder = "mhagui.gui.docks."
    found = {n.removeprefix(folder) for n in first_paint["modules"] if n.startswith(folder)}
    parts = {  # of the docks in sight
        "bias_controls", "head_card", "key_heads", "mask_control", "projection_presets",
        "target_dialog",
    }  # fmt: skip

    assert found - parts == {"heads", "heatmaps", "output_projection"}
    unwanted = ("mhagui.gui.copying.contents", "mhagui.gui.export", "mhagui.figures.drawing")
    assert not [name for name in first_paint["modules"] if name.startswith(unwanted)]


def test_only_docks_in_sight_have_content_at_the_first_paint(first_paint):
    assert sorted(first_paint["docks"]) == ["headsDock", "heatmapsDock", "outputProjectionDock"]


@pytest.fixture
def just_shown(qtbot):
    """A window that has come up and has yet to see to any event."""
    window = MainWindow(load_lesson("four-heads"), is_start=True)
    qtbot.addWidget(window)
    window.show()
    return window


def with_content(window: MainWindow) -> set[str]:
    docks = window.findChildren(QDockWidget)
    return {dock.objectName() for dock in docks if dock.widget() is not None}


def places_in_sight(window: MainWindow) -> dict[str, QRect]:
    docks = filter(is_in_sight, window.findChildren(QDockWidget))
    return {dock.objectName(): dock.geometry() for dock in docks}


def tabs(window: MainWindow) -> set[tuple[str, ...]]:
    here = Qt.FindChildOption.FindDirectChildrenOnly  # a dock may have tabs of its own
    bars = [bar for bar in window.findChildren(QTabBar, options=here) if bar.count()]
    return {tuple(bar.tabText(place) for place in range(bar.count())) for bar in bars}


def test_all_docks_come_into_their_places_and_nothing_moves(just_shown, qtbot, settle):
    places, titles = places_in_sight(just_shown), tabs(just_shown)
    layout = just_shown.docks.layout()
    assert ("Heads", "Cost", "History") in titles
    qtbot.waitUntil(lambda: with_content(just_shown) == set(KINDS))
    settle()
    assert places_in_sight(just_shown) == places
    assert tabs(just_shown) == titles
    assert just_shown.docks.layout() == layout
    names = [dock.objectName() for dock in just_shown.findChildren(QDockWidget)]
    assert sorted(names) == sorted(KINDS)


def test_it_is_never_painted_with_docks_of_other_sizes(just_shown, qtbot, settle):
    painted = []

    class Watch(QObject):
        def eventFilter(self, watched, event):  # noqa: N802 - the name is Qt's
            if event.type() == QEvent.Type.Paint:
                painted.append(just_shown.docks._docks["headsDock"].width())
            return False

    watch = Watch()
    just_shown.installEventFilter(watch)
    qtbot.waitUntil(lambda: with_content(just_shown) == set(KINDS))
    settle()
    just_shown.removeEventFilter(watch)
    assert len(painted) > 1
    assert max(painted) - min(painted) <= 2


def test_the_keyboard_stays_where_it_is(just_shown, qtbot):
    with qtbot.waitActive(just_shown):
        just_shown.activateWindow()
    gain = just_shown.findChild(object, "gainBox1")
    gain.setFocus()
    qtbot.waitUntil(lambda: with_content(just_shown) == set(KINDS))
    assert QApplication.focusWidget() is gain


def test_a_dock_that_is_asked_for_is_there_at_once_and_no_other(just_shown):
    before = with_content(just_shown)
    just_shown.docks.show(["rankDock"])
    assert "rankDock" in places_in_sight(just_shown)
    assert with_content(just_shown) == before | {"rankDock"}


def test_a_drag_is_not_interrupted(just_shown, qtbot, monkeypatch):
    before = with_content(just_shown)
    with monkeypatch.context() as held:
        held.setattr(QApplication, "mouseButtons", lambda: Qt.MouseButton.LeftButton)
        just_shown.repaint()
        for _ in range(2 * len(KINDS)):
            QApplication.processEvents()
        assert with_content(just_shown) == before
    qtbot.waitUntil(lambda: with_content(just_shown) == set(KINDS))


@pytest.mark.parametrize("name", ["rankDock", "entropyDock"])
def test_a_dock_that_cannot_be_made_leaves_the_others_to_come(just_shown, qtbot, monkeypatch, name):
    """Whether it is behind others or in front; its empty place stays."""

    def fail(*_):
        raise ZeroDivisionError

    module = importlib.import_module(KINDS[name].module)
    monkeypatch.setattr(module, name[0].upper() + name[1:], fail)
    titles = tabs(just_shown)
    with qtbot.captureExceptions() as faults:
        qtbot.waitUntil(lambda: with_content(just_shown) >= set(KINDS) - {name})
    assert [kind for kind, *_ in faults] == [ZeroDivisionError]
    assert tabs(just_shown) == titles


def test_a_dock_in_sight_that_cannot_be_made_leaves_all_in_their_places(
    just_shown, qtbot, monkeypatch
):
    with monkeypatch.context() as broken:
        broken.setattr(lesson, "LessonDock", None)
        with pytest.raises(TypeError):
            just_shown.docks.apply(LEARN)
    assert tabs(just_shown) >= {
        ("Heads", "Cost", "History"),
        ("Entropy", "Rank", "Impulse", "Information"),
    }
    assert "lessonDock" in places_in_sight(just_shown)
    qtbot.waitUntil(lambda: with_content(just_shown) == set(KINDS))

    def names():
        return [dock.objectName() for dock in just_shown.findChildren(QDockWidget)]

    qtbot.waitUntil(lambda: sorted(names()) == sorted(KINDS))  # none is there twice


def test_those_in_sight_that_come_late_come_together(qtbot, settle, monkeypatch):
    """Each placing moves all docks."""
    placed = []

    def place(window, docks, at):
        placed.append({name for name, dock in docks.items() if isinstance(dock, Panel)})
        place_docks(window, docks, at)

    monkeypatch.setattr("mhagui.gui.layout.place_docks", place)
    columns = tuple(Tabs((name,), size=100) for name in names_in(DEFAULT.tree))
    window = MainWindow(load_lesson("induction"), is_start=True)
    qtbot.addWidget(window)
    window.preferences.change(layout=Layout(Split("across", columns)))
    window.show()
    qtbot.waitUntil(lambda: with_content(window) == set(KINDS))
    settle()
    late = {name for name, kind in KINDS.items() if kind.draws_curves}
    assert len(late) > 1
    assert placed == [set(KINDS) - late, set(KINDS)]


def test_a_start_with_all_docks_afloat_warns_of_nothing(qtbot, settle):
    frames = {name: Frame(20, 20, 300, 300) for name in KINDS}
    window = MainWindow(load_lesson("four-heads"), is_start=True)
    qtbot.addWidget(window)
    window.preferences.change(layout=Layout(DEFAULT.tree, floating=frames))
    window.show()
    settle()
    assert window.docks.layout().floating.keys() == set(KINDS)


def test_what_another_layout_has_in_front_is_made_for_the_start(qtbot):
    window = MainWindow(load_lesson("induction"), is_start=True)
    qtbot.addWidget(window)
    window.preferences.change(layout=LEARN)
    window.show()
    made = {"headsDock", "heatmapsDock", "tokensDock", "lessonDock"}
    assert made <= with_content(window) < set(KINDS)


def test_the_table_says_what_the_docks_are(window):
    docks = window.docks.all
    assert [dock.objectName() for dock in docks] == list(names_in(DEFAULT.tree))
    for dock in docks:
        kind = KINDS[dock.objectName()]
        assert dock.windowTitle() == kind.title
        assert type(dock).__module__ == kind.module


@pytest.mark.parametrize(
    "colours", [each for each in WeightColours if each is not WeightColours.GREY]
)
def test_colours_of_weights_are_those_that_go_by_their_names(colours):
    import pyqtgraph as pg

    table = pg.colormap.get(colours.value).getLookupTable(nPts=255)
    assert (weight_table(colours) == table).all()
