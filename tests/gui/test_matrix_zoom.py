"""Heatmaps from closer by: single cells of long sequences, with wheel, keys and drags."""

from dataclasses import replace
from functools import partial

import matplotlib as mpl
import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QNativeGestureEvent, QPointingDevice
from PySide6.QtWidgets import QApplication, QToolButton

from mhagui.document import Pattern, Quantity, Window
from mhagui.document.edits import AddHead, SetSequenceLength, set_gain
from mhagui.gui import pictures
from mhagui.gui.docks.heatmaps import HeatmapsDock
from mhagui.gui.pictures import weight_table
from mhagui.gui.widgets import matrix_view
from mhagui.gui.widgets.fitting_label import FittingLabel
from mhagui.gui.widgets.matrix_picture import HATCHED, Part, Picture, shown_indices
from mhagui.gui.widgets.matrix_zoom import ZoomedView
from mhagui.palette import diverging_table

KEY, LEFT, MIDDLE = Qt.Key, Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton
NO_BUTTON = Qt.MouseButton.NoButton
CONTROL = Qt.KeyboardModifier.ControlModifier
LONG = 4096


@pytest.fixture
def turn(wheel):
    """A function that turns the wheel over a heatmap, with Ctrl, and tells whether that took it."""
    return partial(wheel, modifiers=CONTROL)


def move(heatmap, kind, place, button, buttons):
    """Send what a mouse does to a heatmap; ``buttons`` are those held down then."""
    around, none = QPointF(heatmap.mapToGlobal(place)), Qt.KeyboardModifier.NoModifier
    event = QMouseEvent(kind, QPointF(place), around, button, buttons, none)
    QApplication.sendEvent(heatmap, event)


@pytest.fixture(scope="module")
def weights():
    """Weights of 4096 positions, most of them far too small to be seen."""
    rows = np.random.default_rng(4).random((LONG, LONG), dtype=np.float32)
    rows /= np.arange(2, LONG + 2, dtype=np.float32)[:, np.newaxis]
    rows[2000:2008, 1000:1008] = np.linspace(0, 1, 64).reshape(8, 8)
    return rows


@pytest.fixture
def long_view(qtbot, weights):
    """A heatmap of one head with 4096 positions."""
    names = tuple(f"t{place + 1}" for place in range(LONG))
    seen = np.arange(1, LONG + 1)
    view = ZoomedView()
    qtbot.addWidget(view)
    view.resize(330, 300)
    view.set_picture(
        Picture(weights, 0.0, 1.0, weight_table(), names, names, seen=seen, writings=())
    )
    with qtbot.waitExposed(view):
        view.show()
    return view


@pytest.fixture
def dock(open_dock, bench):
    bench.edit(SetSequenceLength(64))
    return open_dock(HeatmapsDock, 900, 700)


def view(dock, place):
    return dock.findChild(ZoomedView, f"heatmap{place}")


def middle_of(heatmap, row, column):
    return heatmap.cell_rect(row, column).center()


# --- single cells of a long sequence


def test_a_lone_bright_cell_of_millions_is_seen(long_view, weights, grabbed):
    brightest = 255 * np.array(mpl.colormaps["viridis"](1.0)[:3])
    pixels = grabbed(long_view).astype(int)
    found = np.argwhere(np.abs(pixels - brightest).max(axis=2) <= 2)
    box = long_view.laid_out.cells(slice(0, LONG), slice(0, LONG))
    at = (found - [box.top(), box.left()]) / box.height() * LONG
    assert 1 <= len(found) <= 4
    assert at == pytest.approx(np.full(at.shape, [2007, 1007]), abs=32)


def test_cells_of_a_long_sequence_have_the_colours_of_their_numbers(long_view, weights, grabbed):
    long_view.set_part(Part(range(2000, 2008), range(1000, 1008)))
    pixels = grabbed(long_view).astype(int)
    for row, column in np.ndindex(8, 8):
        spot = middle_of(long_view, 2000 + row, 1000 + column)
        published = 255 * np.array(
            mpl.colormaps["viridis"](float(weights[2000 + row, 1000 + column]))
        )
        assert pixels[spot.y(), spot.x()] == pytest.approx(published[:3], abs=3)


def test_masked_cells_of_a_part_are_hatched_and_no_others(long_view):
    part = Part(range(3000, 3016), range(2995, 3011))
    levels = shown_indices(long_view.picture, part)
    rows, columns = np.indices((16, 16))
    assert ((levels == HATCHED) == (2995 + columns > 3000 + rows)).all()


def test_the_pointer_reads_the_cell_that_it_is_on(long_view, qtbot):
    long_view.set_part(Part(range(2000, 2064), range(1000, 1064)))
    for cell in ((2000, 1000), (2007, 1007), (2063, 1063), (2031, 1050)):
        with qtbot.waitSignal(long_view.pointed) as hovered:
            qtbot.mouseMove(long_view, middle_of(long_view, *cell))
        assert tuple(hovered.args) == cell


def test_labels_are_those_of_the_part(long_view):
    long_view.set_part(Part(range(2000, 2064), range(1000, 1064)))
    layout = long_view.laid_out
    rows = [label.text for label in layout.row_labels]
    assert rows == [f"t{t}" for t in range(2005, 2065, 5)]
    assert {int(label.text[1:]) % 10 for label in layout.column_labels} <= {0, 5}
    assert all(1001 <= int(label.text[1:]) <= 1064 for label in layout.column_labels)


def test_signs_survive_when_cells_share_a_pixel():
    scores = np.zeros((1024, 1024))
    scores[900, 100], scores[900, 500] = -3.0, 2.0
    names = ("",) * 1024
    seen = np.arange(1, 1025)
    scores[np.triu_indices(1024, 1)] = 9.0  # masked: of no account
    picture = Picture(scores, -3.0, 3.0, diverging_table(), names, names, seen=seen, signed=True)
    levels = shown_indices(picture, most=(100, 100))
    assert np.argwhere(levels < 127).tolist() == [[87, 9]]
    assert levels[87, 9] == 0
    assert np.argwhere((levels > 127) & (levels != HATCHED)).tolist() == [[87, 48]]


def test_colours_relative_to_uniform_are_pooled_by_their_ratio():
    weights = np.full((600, 600), 1 / 600)
    weights[500, 20] = 4 / 501  # four times uniform in row 501
    weights[400, 50] = 0.125 / 401  # an eighth: further from 1
    names, seen = ("",) * 600, np.arange(1, 601)
    weights[:] = np.where(weights == 1 / 600, 1 / seen[:, np.newaxis], weights)
    picture = Picture(
        weights, 1 / 8, 8.0, diverging_table(), names, names,
        seen=seen, row_factors=seen.astype(float), logarithmic=True, signed=True,
    )  # fmt: skip
    levels = shown_indices(picture, most=(100, 100)).astype(int)
    assert levels[83, 3] == 127 + round(127 * 2 / 3)
    assert levels[66, 8] == 0
    shown = levels[levels != HATCHED]
    assert np.count_nonzero(shown != 127) == 2


# --- what hands do


def test_the_wheel_zooms_around_the_pointer_in_all_heads(dock, bench, settle, turn):
    heatmap = view(dock, 1)
    spot = middle_of(heatmap, 40, 20)
    assert turn(heatmap, 240, spot)
    settle()
    assert bench.view.window.count == 32
    assert heatmap.cell_at(QPointF(spot)) in {(r, c) for r in (39, 40, 41) for c in (19, 20, 21)}
    assert [view(dock, place).part for place in (1, 2, 3, 4)] == [heatmap.part] * 4
    turn(heatmap, -240, spot)
    settle()
    assert bench.view.window is None
    assert heatmap.part is None


def test_turns_that_come_before_the_next_frame_count_all(dock, bench, turn):
    heatmap = view(dock, 1)
    for _ in range(3):
        turn(heatmap, 240, middle_of(heatmap, 63, 0))
    assert bench.view.window == Window(56, 0, 8)


def test_a_wheel_without_ctrl_is_for_what_is_around(dock, bench, wheel):
    assert not wheel(view(dock, 1), 120, QPoint(90, 90))
    assert bench.view.window is None


def test_two_fingers_zoom(dock, bench):
    heatmap = view(dock, 1)
    spot = QPointF(middle_of(heatmap, 10, 5))
    QApplication.sendEvent(
        heatmap,
        QNativeGestureEvent(
            Qt.NativeGestureType.ZoomNativeGesture, QPointingDevice.primaryPointingDevice(), 2,
            spot, spot, heatmap.mapToGlobal(spot), 1.0, QPointF(),
        ),
    )  # fmt: skip
    assert bench.view.window.count == 32


def test_keys_zoom_around_the_cursor_and_what_is_shown_follows_it(dock, bench, qtbot, settle):
    heatmap = view(dock, 1)
    heatmap.setFocus()
    bench.point(head=1, query=50, key=10)
    settle()
    qtbot.keyClick(heatmap, KEY.Key_Plus)
    qtbot.keyClick(heatmap, KEY.Key_Equal)
    settle()
    assert bench.view.window.count == 16
    for key, modifier in (
        (KEY.Key_PageDown, Qt.KeyboardModifier.NoModifier),
        (KEY.Key_Left, CONTROL),
        (KEY.Key_Up, CONTROL),
        (KEY.Key_End, CONTROL),
    ):
        qtbot.keyClick(heatmap, key, modifier)
        cursor = bench.view.cursor
        assert not heatmap.cell_rect(cursor.query, cursor.key).isEmpty()
    assert bench.view.window == Window(48, 48, 16)
    qtbot.keyClick(heatmap, KEY.Key_Minus)
    assert bench.view.window.count == 32
    qtbot.keyClick(heatmap, KEY.Key_0)
    assert bench.view.window is None


def test_one_comes_no_closer_than_eight_cells(dock, bench, qtbot, turn):
    heatmap = view(dock, 1)
    for _ in range(6):
        qtbot.keyClick(heatmap, KEY.Key_Plus)
    closest = bench.view.window
    assert closest.count == 8
    turn(heatmap, 120, middle_of(heatmap, closest.query, closest.key))
    assert bench.view.window == closest


def test_six_positions_are_all_shown_whatever_hands_do(open_dock, bench, qtbot, turn):
    dock = open_dock(HeatmapsDock, 900, 700)
    heatmap = view(dock, 1)
    before = heatmap.cell_rect(3, 2)
    turn(heatmap, 480, before.center())
    qtbot.keyClick(heatmap, KEY.Key_Plus)
    assert bench.view.window is None
    assert heatmap.cell_rect(3, 2) == before
    assert dock.findChild(QToolButton, "showAllCells").isHidden()


def test_a_drag_has_the_same_cell_under_the_pointer_and_moves_no_cursor(dock, bench, settle):
    heatmap = view(dock, 1)
    bench.look(window=Window(30, 20, 16))
    settle()
    before = bench.view.cursor
    spot, to = middle_of(heatmap, 40, 30), middle_of(heatmap, 36, 33)
    move(heatmap, QEvent.Type.MouseButtonPress, spot, MIDDLE, MIDDLE)
    for at in ((spot + to) / 2, to):
        move(heatmap, QEvent.Type.MouseMove, at, NO_BUTTON, MIDDLE)
    move(heatmap, QEvent.Type.MouseButtonRelease, to, MIDDLE, NO_BUTTON)
    assert bench.view.window == Window(34, 17, 16)
    assert heatmap.cell_at(QPointF(to)) == (40, 30)
    assert bench.view.cursor == before


def test_a_drag_whose_end_is_not_seen_is_over(dock, bench, settle):
    heatmap, window = view(dock, 1), Window(30, 20, 16)
    bench.look(window=window)
    settle()
    usual = heatmap.cursor().shape()
    move(heatmap, QEvent.Type.MouseButtonPress, middle_of(heatmap, 40, 30), MIDDLE, MIDDLE)
    assert heatmap.cursor().shape() != usual
    move(heatmap, QEvent.Type.MouseMove, middle_of(heatmap, 36, 33), NO_BUTTON, NO_BUTTON)
    assert bench.view.window == window
    assert (bench.view.cursor.query, bench.view.cursor.key) == (36, 33)
    assert heatmap.cursor().shape() == usual


def test_what_is_shown_is_said_beside_the_way_back(dock, bench, qtbot, settle):
    everything = dock.findChild(QToolButton, "showAllCells")
    (said,) = dock.findChildren(FittingLabel)
    assert everything.accessibleName() == "Show all cells"
    assert not everything.isEnabled()
    bench.look(window=Window(24, 8, 16))
    settle()
    assert said.text() == "t 25..40 · i 9..24"
    qtbot.mouseClick(everything, LEFT)
    assert bench.view.window is None
    assert said.text() == "rows: queries t · columns: keys i"
    assert not everything.isEnabled()


def test_a_shorter_sequence_shows_no_part_that_is_not_there(dock, bench, settle):
    bench.look(window=Window(48, 40, 16))
    settle()
    bench.edit(SetSequenceLength(20))
    settle()
    assert bench.view.window == Window(4, 4, 16)
    assert view(dock, 1).part == Part(range(4, 20), range(4, 20))
    bench.edit(SetSequenceLength(12))
    settle()
    assert view(dock, 1).part is None


def test_a_cell_shown_large_says_its_number(dock, bench, settle, grabbed):
    bench.look(window=Window(40, 30, 8), enlarged=1)
    settle()
    heatmap = view(dock, 1)
    plain = replace(heatmap.picture, writings=())
    with_numbers = grabbed(heatmap)
    heatmap.set_picture(plain)
    box = heatmap.cell_rect(44, 33)
    inside = np.s_[box.top() + 2 : box.bottom() - 2, box.left() + 2 : box.right() - 2]
    assert (grabbed(heatmap)[inside] != with_numbers[inside]).any()


def test_scores_and_weights_show_the_same_part(dock, bench, settle):
    bench.look(window=Window(24, 8, 16))
    bench.look(quantity=Quantity.SCORES)
    settle()
    assert view(dock, 3).part == Part(range(24, 40), range(8, 24))


# --- what is drawn, and how often


@pytest.fixture
def painted(monkeypatch):
    """The values of each matrix that a pixmap is made of."""
    made, paint = [], matrix_view.matrix_pixmap

    def counted(picture, *others):
        made.append(picture.values)
        return paint(picture, *others)

    monkeypatch.setattr(matrix_view, "matrix_pixmap", counted)
    return made


def test_edits_of_one_turn_paint_one_heatmap_once(dock, bench, settle, painted):
    for step in range(1, 6):
        bench.edit(set_gain(2, 1.0 + step / 10))
    settle()
    (values,) = painted
    assert values is bench.frame.result.heads[1].weights


def test_what_is_scrolled_out_of_sight_is_not_painted(open_dock, bench, settle, painted):
    for _ in range(28):
        bench.edit(AddHead(Pattern.SELF))
    dock = open_dock(HeatmapsDock, 320, 300)
    cards = dock._grid.cards
    in_sight = [card for card in cards if not card.visibleRegion().isEmpty()]
    assert len(cards) == 32
    assert 0 < len(in_sight) < 12
    assert len(painted) == len(in_sight)
    painted.clear()
    bench.edit(set_gain(cards[-1].uid, 2.0))
    settle()
    assert painted == []


def test_heatmaps_behind_another_dock_cost_nothing(window, settle, painted, monkeypatch):
    made = []
    monkeypatch.setattr(pictures, "head_picture", lambda *args: made.append(args))
    window.docks.enter(window.docks.pipeline)
    settle()
    painted.clear()
    window.bench.edit(set_gain(2, 2.0))
    settle()
    weights = window.bench.frame.result.heads[1].weights
    heatmaps = window.docks.heatmaps.findChildren(ZoomedView)
    assert made == []
    assert not any(card.isVisible() and not card.visibleRegion().isEmpty() for card in heatmaps)
    assert sum(values is weights for values in painted) <= 1  # the pipeline's own


def test_the_menu_zooms(window, settle):
    window.bench.edit(SetSequenceLength(64))
    settle()
    actions = window._actions
    assert not actions["zoom_out"].isEnabled()
    actions["zoom_in"].trigger()
    actions["zoom_in"].trigger()
    settle()
    assert window.bench.view.window.count == 16
    assert actions["zoom_in"].isEnabled()
    actions["zoom_out"].trigger()
    settle()
    assert window.bench.view.window.count == 32
    actions["zoom_all"].trigger()
    settle()
    assert window.bench.view.window is None


@pytest.mark.parametrize("n_positions", [6, 8, 64])
def test_the_menu_offers_no_fewer_than_eight_cells(window, settle, n_positions):
    window.bench.edit(SetSequenceLength(n_positions))
    settle()
    zoom_in = window._actions["zoom_in"]
    assert zoom_in.isEnabled() is (n_positions > 8)
    for _ in range(3):
        zoom_in.trigger()
        settle()
    assert not zoom_in.isEnabled()
