"""The atlas: all heads of a capture, scored; map, table and scatter plot of them are one."""

import csv
import html
import io
import re
import weakref
from dataclasses import replace
from functools import partial
from threading import Event

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QGuiApplication, QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip

from mhagui import core
from mhagui.document import load_lesson
from mhagui.document.capture import Capture, CapturedLayer
from mhagui.document.edits import SetMasterGain, SetSequenceLength
from mhagui.document.scorecard import MEASURES, scorecard
from mhagui.errors import UserError
from mhagui.gui.capture_session import Opened
from mhagui.gui.docks import atlas
from mhagui.gui.docks.atlas import AtlasDock
from mhagui.gui.pictures import weight_table
from mhagui.palette import HEAD_COLOURS, WeightColours

T = 12
TOKENS = ("the", "cat", "sat", "on", "the", "mat", "and", "the", "cat", "saw", "the", "dog")
LEFT, PLAIN = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
NAMES = ("L3 H0", "L3 H1", "L3 H2", "L7 H0", "L7 H1")
LABELS = ("first token", "previous token", "uniform", "self", "")
Key = Qt.Key


def designed(*makers):
    return [core.attention_weights(*make(T, key_magnitude=12.0)) for make in makers]


def blended():
    """Return a head that does a little of everything, and is called nothing."""
    rows = designed(core.first_token_head, core.previous_token_head, core.self_head)
    return sum(rows) / 3


def two_layers():
    first = designed(core.first_token_head, core.previous_token_head, core.uniform_head)
    second = [*designed(core.self_head), blended()]
    causal = core.causal_mask(T)
    layers = (
        CapturedLayer(3, given=np.stack(first), allowed=causal),
        CapturedLayer(7, given=np.stack(second), allowed=causal),
    )
    return Capture("made up", layers, TOKENS, TOKENS)


class Captures(QObject):
    """What the window's own session of captures offers to docks."""

    changed = Signal(object)

    def __init__(self, capture=None):
        super().__init__()
        self.capture, self.layer, self.asked = capture, None, []

    def show(self, layer, head):
        self.asked.append((layer, head))

    def open(self, capture):
        self.capture = capture
        self.changed.emit(capture)


@pytest.fixture
def no_tooltip_left(qtbot, nothing_left):
    yield
    QToolTip.hideText()
    qtbot.waitUntil(lambda: not QToolTip.isVisible())


@pytest.fixture
def wait(qtbot, settle):
    """A function that waits until a dock has scored what it is to show."""

    def wait(dock):
        qtbot.waitUntil(lambda: dock.map.heads is not None and not dock._scoring.is_at_work)
        settle()

    return wait


@pytest.fixture
def captures(qapp, nothing_left):
    captures = Captures(two_layers())
    yield captures
    captures.deleteLater()


@pytest.fixture
def dock(captures, open_dock, wait):
    dock = open_dock(partial(_made, captures), 640, 620)
    wait(dock)
    return dock


def _made(captures, bench):
    return AtlasDock(bench, captures)


def rows_of(table):
    """Return the table as it can be seen: the row labels, and the texts of each row."""
    model = table.model()
    across, down = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
    names = [model.headerData(row, down).strip() for row in range(model.rowCount())]
    titles = [model.headerData(n, across).replace("\n", " ") for n in range(model.columnCount())]
    texts = [
        [model.index(row, column).data() for column in range(model.columnCount())]
        for row in range(model.rowCount())
    ]
    return names, titles, texts


def centre(dock, place):
    cells = dock.map.map
    return cells.cell_rect(*cells._shown.cells[place]).center().toPoint()


def hover(widget, spot):
    QApplication.sendEvent(widget, QHelpEvent(QEvent.Type.ToolTip, spot, widget.mapToGlobal(spot)))
    return html.unescape(re.sub("<[^>]*>", " ", QToolTip.text()))


def marked(dock):
    """Return which head map, table and scatter plot mark as the current one."""
    front = dock.views.tabs.currentWidget()
    dock.views.tabs.setCurrentWidget(dock.scatter)
    points = dock.scatter.plot._current
    dock.views.tabs.setCurrentWidget(dock.table)
    rows = dock.table.table.current
    dock.views.tabs.setCurrentWidget(front)
    return dock.map.map._current, rows, points


# --- what is shown


def test_every_head_has_a_row_with_its_scores(dock):
    names, titles, texts = rows_of(dock.table.table)
    card = scorecard(two_layers())
    assert tuple(names) == NAMES
    assert tuple(row[0] for row in texts) == LABELS
    for column in card.columns:
        place = next(n for n, t in enumerate(titles) if t.startswith(column.measure.name))
        shown = [row[place].replace("−", "-") for row in texts]
        assert shown == ["–" if np.isnan(value) else f"{value:.3f}" for value in column.values], (
            column.measure.name
        )
    assert len(titles) == 1 + len(MEASURES)


def test_the_summary_counts_what_heads_are_called_and_says_from_where_they_are_counted(dock):
    said = dock.state.text().replace("\xa0", " ")
    assert said == (
        "5 heads · P previous token 1 · F first token 1 · S self 1 · U uniform 1 · no label 1"
    )
    assert "from 0" in dock.notes.text()
    assert "L3 H5 is layer 3, head 5" in dock.notes.text()


def test_the_tooltip_of_a_head_says_all_its_scores_and_chance(dock, no_tooltip_left):
    said = hover(dock.map.map, centre(dock, 1))
    card = scorecard(two_layers())
    assert "layer 3, head 1" in said
    assert ": previous token" in said
    for column in card.columns:
        pair = f"{column.values[1]:.3f}", f"{column.baselines[1]:.3f}"
        if not np.isnan(column.values[1]):
            assert re.search(rf"{column.measure.name}[^\d]*{pair[0]}\s+{pair[1]}", said)


def test_numbers_stand_at_the_right_and_chance_beside_them(dock):
    model, table = dock.table.table.model(), dock.table.table
    assert model.index(0, 2).data(Qt.ItemDataRole.AccessibleTextRole).startswith("L3 H0, first")
    picture = table.viewport().grab().toImage()
    box = table.visualRect(model.index(1, 1))
    ground = picture.pixelColor(box.left() + 1, box.top() + 2)
    inked = [
        x
        for x in range(box.left(), box.right())
        if any(picture.pixelColor(x, y) != ground for y in range(box.top() + 4, box.bottom() - 4))
    ]
    middle = box.center().x()
    # Each number ends where its half does, and there is a gap between the two.
    assert max(x for x in inked if x < middle) > middle - 8
    assert max(inked) > box.right() - 8
    assert min(x for x in inked if x > middle) > middle + 8


def test_a_cell_has_the_colour_of_its_score(dock):
    import matplotlib as mpl

    picture = dock.map.map.grab().toImage()
    values = scorecard(two_layers()).column("previous token").values
    for place, value in enumerate(values):
        cells = dock.map.map
        box = cells.cell_rect(*cells._shown.cells[place])
        seen = picture.pixelColor((box.topLeft() + QPointF(4, 4)).toPoint()).getRgb()[:3]
        wanted = np.array(mpl.colormaps["viridis"](value, bytes=True)[:3]).astype(int)
        assert np.abs(np.array(seen) - wanted).max() <= 6, place


@pytest.mark.parametrize("size", [(640, 620), (640, 400)])
def test_heads_with_a_label_are_marked_without_colour(dock, settle, size):
    dock.resize(*size)
    settle()
    dock.map.score.setCurrentText("distance variance")
    settle()
    picture = dock.map.map.grab().toImage()
    for place, label in enumerate(LABELS):
        cells = dock.map.map
        box = cells.cell_rect(*cells._shown.cells[place]).toRect().adjusted(4, 4, -4, -4)
        colours = {
            picture.pixel(x, y)
            for x in range(box.left(), box.right())
            for y in range(box.top(), box.bottom())
        }
        assert (len(colours) > 1) is bool(label), NAMES[place]


def test_above_chance_a_uniform_head_is_in_the_middle_of_the_colours(dock, settle):
    dock.map.score.setCurrentText("first token")
    dock.map.above.click()
    settle()
    shown = dock.map.map._shown
    assert (shown.scale.low, shown.scale.high) == (-1, 1)
    assert shown.values[2] == pytest.approx(0, abs=1e-12)
    assert shown.values[0] > 0.9
    dock.map.score.setCurrentText("entropy")
    assert not dock.map.above.isEnabled()
    assert dock.map.map._shown.scale.low == 0


def test_what_is_not_defined_is_written_so_and_has_no_colour(captures, dock, wait):
    captures.open(Capture("no tokens", two_layers().layers))
    wait(dock)
    _, titles, texts = rows_of(dock.table.table)
    assert {row[titles.index("induction")] for row in texts} == {"–"}
    assert "no induction" in dock.notes.text()
    dock.map.score.setCurrentText("induction")
    assert np.isnan(dock.map.map._shown.values).all()


def test_rows_that_cannot_be_read_are_told_of(captures, dock, wait, no_tooltip_left):
    weights = np.stack(designed(core.previous_token_head))
    weights[0, 5] = np.nan
    captures.open(Capture("with NaN", (CapturedLayer(0, given=weights),), TOKENS, TOKENS))
    wait(dock)
    assert "1 row, in 1 of 1 heads, with NaN" in dock.notes.text()
    assert "1 of 12 rows that cannot be read left out" in hover(dock.map.map, centre(dock, 0))


# --- one head is the current one, in all three views


def test_a_click_on_the_map_asks_for_the_head_once(dock, captures, qtbot):
    qtbot.mouseClick(dock.map.map, LEFT, PLAIN, centre(dock, 3))
    assert captures.asked == [(7, 0)]
    assert marked(dock) == (3, 3, 3)
    qtbot.mouseDClick(dock.map.map, LEFT, PLAIN, centre(dock, 1))
    assert captures.asked == [(7, 0), (3, 1)]


def test_the_map_is_walked_by_keys(dock, captures, qtbot):
    dock.take_focus()
    assert QApplication.focusWidget() is dock.map.map
    for key, wanted in (
        (Key.Key_Right, 1), (Key.Key_Right, 2), (Key.Key_Down, 4), (Key.Key_Left, 3),
        (Key.Key_Up, 0), (Key.Key_End, 2), (Key.Key_Home, 0),
    ):  # fmt: skip
        qtbot.keyClick(dock.map.map, key)
        assert marked(dock) == (wanted,) * 3
    assert captures.asked == []
    qtbot.keyClick(dock.map.map, Key.Key_End)
    qtbot.keyClick(dock.map.map, Key.Key_Return)
    assert captures.asked == [(3, 2)]


def test_a_row_of_the_table_marks_its_head_and_enter_asks_for_it(dock, captures, qtbot):
    table = dock.table.table
    spot = table.visualRect(table.model().index(2, 1)).center()
    qtbot.mouseClick(table.viewport(), LEFT, PLAIN, spot)
    assert marked(dock) == (2, 2, 2)
    qtbot.keyClick(table, Key.Key_Down)
    assert marked(dock) == (3, 3, 3)
    assert captures.asked == []
    qtbot.keyClick(table, Key.Key_Return)
    assert captures.asked == [(7, 0)]


def test_a_point_is_picked_by_a_click_and_told_of_where_the_pointer_rests(
    dock, captures, qtbot, settle, no_tooltip_left
):
    dock.views.tabs.setCurrentWidget(dock.scatter)
    settle()
    plot = dock.scatter.plot
    spot = plot.place_of(1).toPoint()
    qtbot.mouseClick(plot.view.viewport(), LEFT, PLAIN, spot)
    assert marked(dock) == (1, 1, 1)
    assert captures.asked == []
    at = plot.mapFromGlobal(plot.view.viewport().mapToGlobal(spot))
    assert "layer 3, head 1" in hover(plot, at)
    qtbot.keyClick(plot, Key.Key_Return)
    assert captures.asked == [(3, 1)]


@pytest.mark.parametrize(
    ("key", "box", "step"),
    [(Key.Key_Right, "across", 1), (Key.Key_Left, "across", -1), (Key.Key_Up, "up", 1)],
)
def test_points_are_walked_in_the_order_of_a_score(dock, qtbot, settle, key, box, step):
    dock.views.tabs.setCurrentWidget(dock.scatter)
    settle()
    name = getattr(dock.scatter, box).currentText()
    values = scorecard(two_layers()).column(name).values
    order = sorted(range(5), key=lambda place: values[place])
    dock._on_pointed(order[2])
    qtbot.keyClick(dock.scatter.plot, key)
    assert marked(dock)[2] == order[2 + step]


def test_the_scatter_plot_shows_any_two_scores_and_a_symbol_to_each_label(dock, settle):
    dock.views.tabs.setCurrentWidget(dock.scatter)
    dock.scatter.across.setCurrentText("previous token")
    dock.scatter.up.setCurrentText("uniformity")
    settle()
    plot, card = dock.scatter.plot, scorecard(two_layers())
    points = sorted(
        (float(x), float(y)) for item in plot._groups for x, y in zip(*item.getData(), strict=True)
    )
    columns = card.column("previous token").values, card.column("uniformity").values
    assert points == sorted(zip(*map(np.ndarray.tolist, columns), strict=True))
    entries = plot.legend.entries
    assert {entry.label for entry in entries} == {*LABELS[:4], "no label"}
    assert len({entry.symbol for entry in entries}) == len(entries)
    assert {entry.colour.name() for entry in entries} & set(HEAD_COLOURS)


# --- sorted, filtered, copied


def test_sorting_by_the_keyboard_goes_down_up_and_back(dock, qtbot):
    table = dock.table.table
    table.setFocus()
    table.setCurrentIndex(table.model().index(4, 2))  # first token
    values = scorecard(two_layers()).column("first token").values
    down = sorted(range(5), key=lambda place: -values[place])
    for wanted in (down, down[::-1], list(range(5))):
        qtbot.keyClick(table, Key.Key_S)
        assert [NAMES.index(name) for name in rows_of(table)[0]] == wanted
        assert marked(dock) == (4, 4, 4)


def test_a_click_on_a_label_sorts_and_undefined_scores_come_last(captures, dock, wait, qtbot):
    weights = np.stack([*designed(core.self_head), np.full((T, T), np.nan), blended()])
    layer = CapturedLayer(0, given=weights, allowed=core.causal_mask(T))
    captures.open(Capture("one is unreadable", (layer,), TOKENS, TOKENS))
    wait(dock)
    table = dock.table.table
    header = table.horizontalHeader()
    spot = QPoint(header.sectionViewportPosition(1) + 10, header.height() // 2)
    orders = []
    for _ in range(2):
        qtbot.mouseClick(header.viewport(), LEFT, PLAIN, spot)
        orders.append(rows_of(table)[0])
    assert sorted(orders) == [["L0 H0", "L0 H2", "L0 H1"], ["L0 H2", "L0 H0", "L0 H1"]]


def test_heads_are_filtered_by_label_and_by_letters(dock, qtbot):
    table, which = dock.table.table, dock.table.which
    offered = [which.itemText(n) for n in range(which.count())]
    assert offered == [
        "all heads", "heads with a label", "previous token (1)", "first token (1)", "self (1)",
        "uniform (1)", "no label (1)",
    ]  # fmt: skip
    which.setCurrentText("heads with a label")
    assert rows_of(table)[0] == ["L3 H0", "L3 H1", "L3 H2", "L7 H0"]
    qtbot.keyClicks(dock.table.filter, "l7")
    assert rows_of(table)[0] == ["L7 H0"]
    which.setCurrentText("all heads")
    assert rows_of(table)[0] == ["L7 H0", "L7 H1"]
    dock.table.filter.setText("token")
    assert rows_of(table)[0] == ["L3 H0", "L3 H1"]
    dock.table.filter.setText("nothing at all")
    assert rows_of(table)[0] == []
    dock._on_pointed(2)
    dock.table.filter.clear()
    assert marked(dock) == (2, 2, 2)


def test_copied_rows_have_all_digits_and_chance(dock, qtbot):
    table = dock.table.table
    table.setFocus()
    qtbot.keyClick(table, Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(table, Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    text = QGuiApplication.clipboard().text()
    rows = list(csv.DictReader(io.StringIO(text), delimiter="\t"))
    assert [row["head"] for row in rows] == list(NAMES)
    assert [row["label"] for row in rows] == list(LABELS)
    for column in scorecard(two_layers()).columns:
        title = next(name for name in rows[0] if name.startswith(column.measure.name))
        found = [float(row[title]) for row in rows]
        np.testing.assert_array_equal(found, column.values)
        chance = [float(row[f"{title}, chance"]) for row in rows]
        np.testing.assert_array_equal(chance, column.baselines)


def test_the_table_to_copy_has_all_heads_whatever_is_shown(dock, qtbot):
    dock.table.filter.setText("L7")
    ((name, make, place),) = dock.own_tables()
    assert (name, place) == ("scores", dock.table.table.objectName())
    table = make()
    assert tuple(table.row_labels) == NAMES
    for title, found, column in zip(
        table.column_labels, table.values.T, scorecard(two_layers()).columns, strict=True
    ):
        assert title.startswith(column.measure.name)
        np.testing.assert_array_equal(found, column.values)


@pytest.mark.parametrize("weight", [0.0, 5e-324, 1e-309])
def test_heads_without_any_weight_to_speak_of_have_their_places(
    captures, dock, wait, settle, weight
):
    layer = CapturedLayer(0, given=np.full((2, T, T), weight))
    captures.open(Capture("nothing", (layer,), TOKENS, TOKENS))
    wait(dock)
    dock.views.tabs.setCurrentWidget(dock.scatter)
    for box in (dock.scatter.across, dock.scatter.up):
        box.setCurrentText("confidence")
        settle()
    plot = dock.scatter.plot
    n_points = sum(len(item.getData()[0]) for item in plot._groups)
    assert n_points == (2 if weight else 0)
    if weight:
        assert plot.view.viewport().rect().contains(plot.place_of(1).toPoint())


# --- effective ranks, other captures, errors


def test_effective_ranks_are_found_when_they_are_asked_for(dock, wait):
    assert all(not title.startswith("effective rank") for title in rows_of(dock.table.table)[1])
    dock.map.score.setCurrentText("effective rank")
    wait(dock)
    _, titles, texts = rows_of(dock.table.table)
    wanted = []
    for layer in two_layers().layers:
        for weights in layer.given:
            sigma = np.linalg.svd(weights, compute_uv=False)
            p = sigma[sigma > 0] / sigma.sum()
            wanted.append(f"{np.exp(-np.sum(p * np.log(p))):.3f}")
    assert [row[titles.index("effective rank")] for row in texts] == wanted
    assert dock.map.map._shown.scale.caption == "effective rank"


def test_another_capture_takes_the_place_of_the_first_which_is_let_go(captures, dock, wait):
    first = weakref.ref(captures.capture.layers[0])
    weights = np.stack(designed(core.uniform_head))
    captures.open(Capture("another", (CapturedLayer(2, given=weights),)))
    wait(dock)
    assert rows_of(dock.table.table)[0] == ["L2 H0"]
    assert first() is None


@pytest.fixture
def gate():
    """What layers wait for; open in the end, for no thread may be left waiting."""
    gate = Event()
    yield gate
    gate.set()


def slow(gate):
    """Return a capture whose weights are made when ``gate`` is open."""

    class Slow(CapturedLayer):
        def recomputed(self):
            assert gate.wait(20)
            return super().recomputed()

    numbers = np.random.default_rng(0).normal(size=(2, T, 3))
    mask = core.causal_mask(T)
    layers = [Slow(number, q=numbers, k=numbers, allowed=mask) for number in range(3)]
    return Capture("slow", tuple(layers))


def test_what_takes_long_is_told_of_and_can_be_cancelled(captures, dock, qtbot, wait, gate):
    captures.open(slow(gate))
    qtbot.waitUntil(lambda: dock.state.text() == "Scoring layer 1 of 3 …")
    assert dock.button.text() == "Cancel"
    qtbot.mouseClick(dock.button, LEFT)
    assert dock.state.text() == "The heads are not scored."
    assert dock.button.text() == "Score"
    gate.set()
    qtbot.mouseClick(dock.button, LEFT)
    wait(dock)
    assert len(rows_of(dock.table.table)[0]) == 6
    assert not dock.button.isVisible()


def test_effective_ranks_can_be_cancelled(captures, dock, qtbot, wait, gate):
    gate.set()
    captures.open(slow(gate))
    wait(dock)
    gate.clear()
    dock.map.score.setCurrentText("effective rank")
    assert "effective ranks" in dock.state.text()
    assert dock.map.map._shown.scale.caption == "previous token"  # until they are known
    qtbot.mouseClick(dock.button, LEFT)
    assert dock.map.score.currentText() == "previous token"
    assert dock.state.text().startswith("6")
    assert not dock._scoring.is_at_work


def test_a_capture_without_weights_is_a_sentence(captures, dock, qtbot):
    numbers = np.zeros((1, T, 2))
    layer = CapturedLayer(5, q=numbers, k=numbers, bias=np.zeros((1, T, 3)))
    captures.open(Capture("wrong", (layer,)))
    qtbot.waitUntil(lambda: dock.state.text().startswith("Layer 5"))
    assert not dock.views.isVisible()


def test_the_colours_follow_the_theme_and_the_view(dock, bench, settle, dark):
    settle()
    assert dock.map.map.grab().toImage().pixelColor(1, 1).lightness() < 60
    look = replace(bench.view.appearance, weight_colours=WeightColours.MAGMA)
    bench.look(appearance=look)
    settle()
    assert dock.map.strip.scale.table is weight_table(WeightColours.MAGMA)


def test_the_map_stands_where_there_is_room(dock, settle):
    tabs = dock.views.tabs
    assert [tabs.tabText(n) for n in range(tabs.count())] == ["Table", "Scatter"]
    dock.resize(420, 330)
    settle()
    assert [tabs.tabText(n) for n in range(tabs.count())] == ["Map", "Table", "Scatter"]
    dock.resize(1000, 420)
    settle()
    assert tabs.count() == 2
    assert dock.map.isVisible()
    assert dock.map.geometry().right() < tabs.geometry().left()


# --- the scene on the bench, where no capture is open


@pytest.fixture
def bench_dock(captures, open_dock, wait):
    captures.capture = None
    dock = open_dock(partial(_made, captures), 640, 620)
    wait(dock)
    return dock


def test_without_a_capture_it_shows_the_heads_on_the_bench(bench_dock, bench, qtbot, settle):
    names, _, texts = rows_of(bench_dock.table.table)
    assert names == ["h1", "h2", "h3", "h4"]
    assert [row[0] for row in texts] == ["first token", "previous token", "self", "uniform"]
    qtbot.mouseClick(bench_dock.map.map, LEFT, PLAIN, centre(bench_dock, 2))
    settle()
    assert bench.view.cursor.head == bench.scene.heads[2].uid
    bench.point(head=bench.scene.heads[1].uid)
    settle()
    assert marked(bench_dock) == (1, 1, 1)
    assert bench_dock.map.map._on_bench == 1


def test_layers_of_the_scene_stand_below_each_other(bench_dock, bench, qtbot, settle):
    bench.open(load_lesson("induction"))
    qtbot.waitUntil(lambda: len(bench_dock.map.map._shown.row_labels) == 2)
    settle()
    shown, heads = bench_dock.map.map._shown, bench.scene.heads
    assert shown.row_labels == ("layer 1", "layer 2")
    names = bench_dock.map.heads.names
    rows = {int(name[1:]): row for name, (row, _) in zip(names, shown.cells, strict=True)}
    assert [rows[n] for n in range(1, len(heads) + 1)] == [head.layer - 1 for head in heads]
    for key in (Key.Key_Up, Key.Key_Home, Key.Key_Down, Key.Key_End, Key.Key_Left, Key.Key_Up):
        qtbot.keyClick(bench_dock.map.map, key)
        settle()
        assert bench.view.cursor.head == bench_dock.map.heads.uids[bench_dock.map.map._current]


def test_scores_follow_a_gain(bench_dock, bench, qtbot):
    bench.edit(SetMasterGain(0.0))
    qtbot.waitUntil(lambda: {row[0] for row in rows_of(bench_dock.table.table)[2]} == {"uniform"})


def test_what_fails_is_followed_by_what_is_wanted_by_then(
    bench_dock, bench, qtbot, settle, monkeypatch, gate
):
    begun, of = Event(), atlas.scene_capture

    def fails_once(*what):
        if begun.is_set():
            return of(*what)
        begun.set()
        assert gate.wait(20)
        raise UserError("These weights are gone.")

    monkeypatch.setattr(atlas, "scene_capture", fails_once)
    bench.edit(SetMasterGain(0.5))
    qtbot.waitUntil(begun.is_set)
    bench.edit(SetMasterGain(0.0))
    settle()
    gate.set()
    qtbot.waitUntil(lambda: {row[0] for row in rows_of(bench_dock.table.table)[2]} == {"uniform"})
    assert "gone" not in bench_dock.state.text()


def test_a_long_scene_is_scored_when_that_is_asked_for(bench_dock, bench, qtbot, settle, wait):
    bench.edit(SetSequenceLength(600))
    qtbot.waitUntil(lambda: bench_dock.button.isVisible() and "T = 600" in bench_dock.state.text())
    assert not bench_dock.views.isVisible()
    qtbot.mouseClick(bench_dock.button, LEFT)
    wait(bench_dock)
    assert bench_dock.views.isVisible()
    assert not bench_dock.button.isVisible()


# --- in the window


def test_a_layer_without_any_weight_is_shown_in_curves_and_scores(open_window, qtbot, settle, wait):
    window = open_window()
    nothing = CapturedLayer(0, given=np.zeros((2, 6, 6)))
    assert window.captures.open(Opened(Capture("nothing", (nothing,))))
    for dock in (window.docks.entropy, window.docks.atlas):
        window.docks.enter(dock)
        settle()
        assert dock.is_in_sight()
    wait(window.docks.atlas)
    ((_, make, _),) = window.docks.atlas.own_tables()
    assert np.isnan(make().values).all()


def test_a_head_comes_to_the_bench_and_is_marked_there(open_window, qtbot, settle, wait):
    window = open_window()
    assert window.captures.open(Opened(two_layers()))
    window.docks.show(["atlasDock"])
    dock = window.docks.atlas
    wait(dock)
    assert dock.map.map._on_bench == 0
    dock.take_focus()
    qtbot.keyClick(dock.map.map, Key.Key_Down)
    qtbot.keyClick(dock.map.map, Key.Key_Right)
    qtbot.keyClick(dock.map.map, Key.Key_Return)
    settle()
    assert window.bench.scene.title == "made up, layer 7"
    assert window.bench.scene.heads[1].uid == window.bench.view.cursor.head
    assert marked(dock) == (4, 4, 4)
    assert dock.map.map._on_bench == 4
    qtbot.keyClick(window, Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    settle()
    assert window.bench.scene.title == "made up, layer 3"
    assert dock.map.map._on_bench == 1  # the same head of the layer that is there again
    qtbot.keyClick(window, Key.Key_Y, Qt.KeyboardModifier.ControlModifier)
    settle()
    assert dock.map.map._on_bench == 4
    window.bench.undo()
    window.bench.undo()
    settle()
    assert dock.map.map._on_bench == -1  # the lesson is no layer of the capture
