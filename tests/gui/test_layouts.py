"""Layouts of the docks: read, kept, put back; whatever was done to the docks before."""

import json
import random
from collections import Counter
from functools import partial

import pytest
from PySide6.QtCore import QByteArray, QRect, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QApplication,
    QDockWidget,
    QLabel,
    QMainWindow,
    QTabBar,
    QToolButton,
    QWidget,
)

from mhagui.document import load_lesson
from mhagui.gui.layout_placer import place_docks
from mhagui.gui.layout_reader import UnknownFormError, read_layout
from mhagui.gui.layouts import DEFAULT, LAYOUTS, LEARN, PRESENT
from mhagui.gui.main_window import MainWindow
from mhagui.gui.window_place import in_sight, place_of, put_back
from mhagui.home import Home
from mhagui.layout_tree import Frame, Layout, Split, Tabs, leaves, names_in
from mhagui.settings import FILE_NAME, Settings, settings_from_json, settings_to_json

NAMES = ("a", "b", "c", "d", "e", "f")
PLAIN = Layout(Split("across", tuple(Tabs((name,)) for name in NAMES)))
AREAS = (
    Qt.DockWidgetArea.LeftDockWidgetArea,
    Qt.DockWidgetArea.RightDockWidgetArea,
    Qt.DockWidgetArea.TopDockWidgetArea,
    Qt.DockWidgetArea.BottomDockWidgetArea,
)
FEW_PIXELS = 3
LEFT = Qt.MouseButton.LeftButton


class PlainWindow(QMainWindow):
    """A window with six docks that can be of any size."""

    def __init__(self):
        super().__init__()
        self.setDockNestingEnabled(True)
        self.resize(780, 720)
        self.docks = {name: QDockWidget(name, self) for name in NAMES}
        for name, dock in self.docks.items():
            dock.setObjectName(name)
            dock.setWidget(QLabel(name))
        self.state = None
        self.show()
        place_docks(self, self.docks, PLAIN)

    def saveState(self, version=0):  # noqa: N802 - Qt's name
        return super().saveState(version) if self.state is None else QByteArray(self.state)

    def layout_now(self):
        return read_layout(self).fitted(PLAIN)


@pytest.fixture
def plain(qtbot, settle):
    """A function that gives a new plain window, settled."""

    def plain():
        window = PlainWindow()
        qtbot.addWidget(window)
        settle()
        return window

    return plain


def disturb(window, rng):
    """Do to the docks of ``window`` one of the things that a user can do."""
    dock, other = rng.sample(list(window.docks.values()), 2)
    is_there = not (other.isHidden() or other.isFloating())
    match rng.choice(("show", "float", "raise", "size", "area", *("split", "tab") * is_there)):
        case "show":
            dock.setVisible(dock.isHidden())
        case "float":
            dock.setFloating(not dock.isFloating())
            if dock.isFloating():
                dock.setGeometry(rng.randrange(300), rng.randrange(300), 200, 150)
        case "raise":
            dock.raise_()
        case "size":
            window.resizeDocks([dock], [rng.randrange(60, 400)], rng.choice(list(Qt.Orientation)))
        case deed:
            dock.setFloating(False)
            window.removeDockWidget(dock)  # Qt loses docks that are put elsewhere as they are
            if deed == "area":
                window.addDockWidget(rng.choice(AREAS), dock)
            elif deed == "split":
                window.splitDockWidget(other, dock, rng.choice(list(Qt.Orientation)))
            else:
                window.tabifyDockWidget(other, dock)
            dock.show()


def in_file(layout):
    """Return what is left of a layout that was kept as a setting."""
    kept, complaints = settings_from_json(settings_to_json(Settings(layout=layout)))
    assert complaints == []
    return kept.layout


def shape(node):
    """A tree without sizes."""
    if isinstance(node, Tabs):
        return node.docks, node.front
    return node.direction, tuple(map(shape, node.children))


def shares(node, absent):
    """What part of its room each place has, of those that can be seen and have something beside."""
    if isinstance(node, Split):
        present = [child for child in node.children if not absent.issuperset(names_in(child))]
        total = sum(child.size for child in present)
        for child in present:
            yield child.size / total
            yield from shares(child, absent)


def assert_alike(one, other):
    assert shape(one.tree) == shape(other.tree)
    assert set(one.hidden) == set(other.hidden)
    assert one.floating == other.floating
    absent = {*one.hidden, *one.floating}
    expected = list(shares(other.tree, absent))
    assert list(shares(one.tree, absent)) == pytest.approx(expected, abs=FEW_PIXELS / 720)


def bars_in_sight(window):
    """The titles in each tab bar of docks that can be seen."""
    bars = window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
    seen = [bar for bar in bars if bar.isVisible() and window.rect().intersects(bar.geometry())]
    return Counter(tuple(bar.tabText(i) for i in range(bar.count())) for bar in seen)


def bars_wanted(window, layout):
    """The same of a layout: one for each place of more than one dock."""
    titles = {dock.objectName(): dock.windowTitle() for dock in window.findChildren(QDockWidget)}
    absent = {*layout.hidden, *layout.floating}
    groups = [[titles[n] for n in tabs.docks if n not in absent] for tabs in leaves(layout.tree)]
    return Counter(tuple(group) for group in groups if len(group) > 1)


@pytest.mark.parametrize("seed", range(12))
def test_whatever_a_user_does_to_docks_comes_back_in_a_fresh_window(plain, settle, seed):
    rng, window = random.Random(seed), plain()
    for _ in range(rng.randrange(5, 25)):
        disturb(window, rng)
        settle()
    layout = window.layout_now()
    fresh = plain()
    place_docks(fresh, fresh.docks, in_file(layout))
    settle()
    assert_alike(fresh.layout_now(), layout)
    assert bars_in_sight(fresh) == bars_wanted(fresh, layout)
    for name, dock in fresh.docks.items():
        assert dock.isHidden() == (name in layout.hidden)
        assert dock.isFloating() == (name in layout.floating)


def test_layouts_applied_again_and_again_leave_no_widget_behind(plain, settle):
    window, rng = plain(), random.Random(1)
    other = Layout(
        Split("down", (Tabs(("a", "b", "c")), Split("across", (Tabs(("d", "e")), Tabs(("f",)))))),
        hidden=("f",),
        floating={"e": Frame(30, 30, 200, 200)},
    )

    def counted():
        for layout in (other, PLAIN):
            place_docks(window, window.docks, layout)
            settle()
        widgets = window.findChildren(QWidget)
        return len(widgets), sum(widget.isVisible() for widget in widgets)

    counted()
    before = counted()
    for _ in range(15):
        disturb(window, rng)
        settle()
        counted()
    assert counted() == before


def test_a_state_of_an_unknown_form_is_told_from_a_layout(plain):
    window = plain()
    whole = bytes(window.saveState())
    end_of_last_dock = whole.index("f".encode("utf-16-be"), whole.index(b"\xfd")) + 19
    for state in (b"garbage" * 9, b"\0" * 99, *(whole[:n] for n in range(end_of_last_dock))):
        window.state = state
        with pytest.raises(UnknownFormError):
            read_layout(window)
    window.state = whole
    assert shape(window.layout_now().tree) == shape(PLAIN.tree)


def test_docks_are_placed_where_qt_says_nothing_of_their_room(plain, settle):
    window = plain()
    window.state = b"garbage" * 9
    tree = Split("down", (Tabs(("f", "e", "d")), Split("across", (Tabs(("c", "b")), Tabs(("a",))))))
    place_docks(window, window.docks, Layout(tree, hidden=("a",)))
    settle()
    window.state = None
    now = window.layout_now()
    assert [tabs.docks for tabs in leaves(now.tree)] == [("f", "e", "d"), ("c", "b"), ("a",)]
    assert now.hidden == ("a",)


@pytest.mark.parametrize(
    ("frame", "seen"),
    [
        (Frame(10, 20, 300, 200), QRect(10, 20, 300, 200)),
        (Frame(5000, 20, 300, 200), QRect(500, 20, 300, 200)),
        (Frame(-90_000, -90_000, 300, 200), QRect(0, 0, 300, 200)),
        (Frame(700, 100, 20_000, 20_000), QRect(0, 0, 800, 800)),
    ],
)
def test_what_is_off_the_screen_is_moved_onto_it(frame, seen):
    assert QGuiApplication.primaryScreen().availableGeometry() == QRect(0, 0, 800, 800)
    assert in_sight(frame) == seen


def test_a_window_comes_back_where_it_was(qtbot):
    window = QMainWindow()
    qtbot.addWidget(window)
    window.setGeometry(40, 50, 320, 240)
    kept = Settings(**place_of(window))
    again = QMainWindow()
    qtbot.addWidget(again)
    put_back(again, kept)
    assert again.geometry() == window.geometry()
    assert not again.isMaximized()


def test_a_maximised_window_comes_back_maximised_and_knows_its_other_size(qtbot):
    window = QMainWindow()
    qtbot.addWidget(window)
    window.setGeometry(40, 50, 320, 240)
    window.show()
    window.showMaximized()
    kept = Settings(**place_of(window))
    assert kept.maximised
    assert kept.window == Frame(40, 50, 320, 240)
    again = QMainWindow()
    qtbot.addWidget(again)
    put_back(again, kept)
    again.show()
    assert again.isMaximized()


# --- the real window


def test_the_default_names_every_dock_of_the_window(window):
    docks = {dock.objectName() for dock in window.findChildren(QDockWidget)}
    assert docks == set(names_in(DEFAULT.tree))


def test_each_layout_of_the_program_shows_what_it_names(window, settle):
    for layout in LAYOUTS.values():
        window.docks.apply(layout)
        settle()
        now = window.docks.layout()
        fitted = layout.fitted(DEFAULT)
        assert [tabs.docks for tabs in leaves(now.tree)] == [t.docks for t in leaves(fitted.tree)]
        assert now.shown() == layout.shown()
        assert bars_in_sight(window) == bars_wanted(window, now.with_hidden("tokensDock"))
        in_front = {dock.objectName() for dock in window.docks.all if dock.is_in_sight()}
        first = {
            next(n for n in tabs.docks if n in fitted.shown())
            for tabs in leaves(fitted.tree)
            if fitted.shown() & {*tabs.docks}
        }
        assert in_front == first - {"tokensDock"}


def test_the_layout_to_present_has_heads_and_large_heatmaps_alone(window, settle):
    window.docks.apply(PRESENT)
    settle()
    docks = window.docks
    assert {dock for dock in docks.all if dock.isVisible()} == {docks.heads, docks.heatmaps}
    assert docks.heatmaps.width() > 0.7 * window.width()
    assert not bars_in_sight(window)


def test_the_layout_to_learn_keeps_the_lesson_in_sight_whatever_is_asked_for(window, settle):
    docks = window.docks
    docks.apply(LEARN)
    for dock in docks.all:
        docks.show([dock.objectName()])
        settle()
        assert dock.is_in_sight()
        assert docks.lesson.is_in_sight()


def test_every_hidden_dock_comes_back_at_a_place_where_it_can_be_used(window, settle):
    docks = window.docks
    for layout in LAYOUTS.values():
        for name in layout.hidden:
            docks.apply(layout)
            docks.show([name])
            settle()
            dock = window.findChild(QDockWidget, name)
            assert dock.is_in_sight()
            assert window.rect().contains(dock.geometry())
            assert dock.width() >= 280


def test_what_the_user_did_to_the_docks_comes_back_at_the_next_start(window, qtbot, settle):
    docks = window.docks
    buttons = docks.entropy.findChildren(QToolButton)
    qtbot.mouseClick(next(b for b in buttons if b.accessibleName() == "Close Entropy"), LEFT)
    docks.rank.raise_()
    docks.weights.setFloating(True)
    docks.weights.setGeometry(50, 60, 500, 400)
    window.splitDockWidget(docks.heads, docks.cell, Qt.Orientation.Vertical)
    docks.cell.show()
    settle()
    kept = in_file(docks.layout())
    again = MainWindow(load_lesson("four-heads"))
    qtbot.addWidget(again)
    again.show()
    again.docks.apply(kept)
    settle()
    assert_alike(again.docks.layout(), kept)
    assert again.docks.entropy.isHidden()
    assert again.docks.rank.is_in_sight()
    assert again.docks.weights.geometry() == QRect(50, 60, 500, 400)
    assert again.docks.cell.geometry().top() > again.docks.heads.geometry().bottom()
    again.docks.show(["entropyDock"])
    settle()
    assert again.docks.rank in again.tabifiedDockWidgets(again.docks.entropy)


@pytest.fixture
def start(open_window, tmp_path):
    """A function that starts the program anew, in the same home."""
    return partial(open_window, home=Home.below(tmp_path))


def test_the_next_start_is_as_the_window_was_left(start, settle):
    window = start()
    window.setGeometry(20, 30, 1000, 700)
    window.docks.cost.raise_()
    window.docks.entropy.close()
    settle()
    left = window.docks.layout()
    window.close()
    again = start()
    assert shape(again.docks.layout().tree) == shape(left.tree)
    assert again.docks.layout().hidden == left.hidden
    assert again.docks.cost.is_in_sight()
    assert again.height() == 700
    again.close()


@pytest.mark.parametrize(
    "spoilt",
    [
        {"layout": {"tree": {"type": "tabs", "docks": ["nothing"]}}},
        {"layout": {"tree": 3}, "window": {"x": 0}},
        {"layout": None, "window": {"x": 99_999, "y": -99_999, "width": 20_000, "height": 1}},
    ],
)
def test_garbage_in_the_settings_does_not_stop_the_start(start, tmp_path, spoilt):
    path = Home.below(tmp_path).config / FILE_NAME
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"format": "mhagui settings", "version": 1} | spoilt))
    window = start()
    assert window.docks.layout().shown() == DEFAULT.shown()
    assert window.frameGeometry().intersects(window.screen().availableGeometry())
    assert window.height() >= window.minimumSizeHint().height()
    window.close()


@pytest.mark.parametrize(
    "layout",
    [
        Layout(Tabs(())),
        Layout(Tabs(("no dock", "of ours"))),
        Layout(DEFAULT.tree, hidden=names_in(DEFAULT.tree)),
        Layout(DEFAULT.tree, hidden=tuple({*names_in(DEFAULT.tree)} - {"tokensDock"})),
    ],
    ids=("empty", "unknown", "all hidden", "only tokens, which the scene has not"),
)
def test_a_layout_that_leaves_nothing_to_see_is_passed_over(window, settle, layout):
    window.docks.apply(layout)
    settle()
    assert window.docks.layout().shown() == DEFAULT.shown()


def test_a_dock_that_floated_on_a_screen_that_is_gone_is_in_sight(window, settle):
    away = {"rankDock": Frame(40_000, -9_000, 400, 300)}
    window.docks.apply(Layout(DEFAULT.tree, DEFAULT.hidden, away))
    settle()
    assert window.docks.rank.isFloating()
    assert window.screen().availableGeometry().contains(window.docks.rank.geometry())


def test_tokens_come_and_go_with_the_scene_unless_they_are_hidden(window, settle):
    docks = window.docks
    plain, with_tokens = load_lesson("four-heads"), load_lesson("induction")
    docks.follow(with_tokens)
    assert docks.tokens.isVisible()
    docks.follow(plain)
    assert docks.tokens.isHidden()
    assert "tokensDock" in docks.layout().shown()  # in a scene that has some
    docks.follow(with_tokens)
    docks.tokens.close()
    docks.follow(plain)
    docks.follow(with_tokens)
    assert docks.tokens.isHidden()
    docks.apply(DEFAULT)
    assert docks.tokens.isVisible()
    docks.apply(PRESENT)
    assert docks.tokens.isHidden()
    docks.follow(plain)
    assert "tokensDock" not in docks.layout().shown()


def test_the_keyboard_stays_where_it_is_when_another_layout_comes(window, settle):
    slider = window.findChild(QWidget, "gainSlider2")
    slider.setFocus()
    for layout in LAYOUTS.values():
        window.docks.apply(layout)
        settle()
        assert window.focusWidget() is slider


def test_tab_does_not_go_into_a_bar_of_tabs_that_is_not_in_sight(window, settle):
    window.docks.apply(PRESENT)
    settle()
    away = [bar for bar in window.findChildren(QTabBar) if bar.isVisible() and bar.y() < 0]
    assert away
    assert all(bar.focusPolicy() is Qt.FocusPolicy.NoFocus for bar in away)
    window.docks.apply(DEFAULT)
    settle()
    bars = [bar for bar in window.findChildren(QTabBar) if window.rect().contains(bar.geometry())]
    assert all(bar.focusPolicy() is Qt.FocusPolicy.TabFocus for bar in bars if bar.isVisible())


def _tab(window, title):
    """Return the bar with the tab that has this title, and the middle of it."""
    for bar in window.findChildren(QTabBar):
        titles = [bar.tabText(place) for place in range(bar.count())]
        if bar.isVisible() and title in titles:
            return bar, bar.tabRect(titles.index(title)).center()
    raise AssertionError(title)


def test_a_click_on_a_tab_gives_the_keyboard_to_its_dock(open_window, qtbot, settle):
    window = open_window()
    length = window.bench.scene.n_positions
    window.docks.heatmaps.take_focus()
    for title in ("Pipeline", "Heatmaps", "Pipeline", "Cost", "Heads", "Heatmaps"):
        bar, middle = _tab(window, title)
        qtbot.mouseClick(bar, LEFT, pos=middle)
        settle()
        dock = next(dock for dock in window.docks.all if dock.windowTitle() == title)
        assert dock.isAncestorOf(QApplication.focusWidget())
    assert window.docks.heatmaps.isAncestorOf(QApplication.focusWidget())
    window.bench.point(query=4, key=2)
    settle()
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Up)
    settle()
    assert window.bench.scene.n_positions == length
    assert window.bench.view.cursor.query == 3
    bar, middle = _tab(window, "Pipeline")
    qtbot.mouseClick(bar, Qt.MouseButton.RightButton, pos=middle)
    settle()
    assert window.docks.heatmaps.isAncestorOf(QApplication.focusWidget())


def test_before_it_is_shown_a_window_has_no_layout(qtbot, bundled_font):
    window = MainWindow(load_lesson("four-heads"))
    qtbot.addWidget(window)
    assert window.docks.layout() is None
