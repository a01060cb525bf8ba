"""The atlas: all heads of a capture, scored; map, table and scatter plot of them are one."""

import html
import re
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip

from mhagui import core
from mhagui.document.capture import Capture, CapturedLayer
from mhagui.document.scorecard import MEASURES, scorecard
from mhagui.gui.pictures import weight_table
from mhagui.palette import HEAD_COLOURS, WeightColours

T = 12
TOKENS = ("the", "cat", "sat", "on", "the", "mat", "and", "the", "cat", "saw", "the", "dog")
LEFT, PLAIN = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
NAMES = ("L3 H0", "L3 H1", "L3 H2", "L7 H0", "L7 H1")
LABELS = ("first token", "previous token", "uniform", "self", "")
Key = Qt.Key


def hover(widget, spot):
    QApplication.sendEvent(widget, QHelpEvent(QEvent.Type.ToolTip, spot, widget.mapToGlobal(spot)))
    return html.unescape(re.sub("<[^>]*>", " ", QToolTip.text()))


# --- what is shown


def test_every_head_has_a_row_with_its_scores(dock, two_layers, rows_of):
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


def test_the_tooltip_of_a_head_says_all_its_scores_and_chance(
    dock, no_tooltip_left, two_layers, centre
):
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


def test_a_cell_has_the_colour_of_its_score(dock, two_layers):
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


def test_what_is_not_defined_is_written_so_and_has_no_colour(
    captures, dock, wait, two_layers, rows_of
):
    captures.open(Capture("no tokens", two_layers().layers))
    wait(dock)
    _, titles, texts = rows_of(dock.table.table)
    assert {row[titles.index("induction")] for row in texts} == {"–"}
    assert "no induction" in dock.notes.text()
    dock.map.score.setCurrentText("induction")
    assert np.isnan(dock.map.map._shown.values).all()


def test_rows_that_cannot_be_read_are_told_of(
    captures, dock, wait, no_tooltip_left, designed, centre
):
    weights = np.stack(designed(core.previous_token_head))
    weights[0, 5] = np.nan
    captures.open(Capture("with NaN", (CapturedLayer(0, given=weights),), TOKENS, TOKENS))
    wait(dock)
    assert "1 row, in 1 of 1 heads, with NaN" in dock.notes.text()
    assert "1 of 12 rows that cannot be read left out" in hover(dock.map.map, centre(dock, 0))


# --- one head is the current one, in all three views


def test_a_click_on_the_map_asks_for_the_head_once(dock, captures, qtbot, centre, marked):
    qtbot.mouseClick(dock.map.map, LEFT, PLAIN, centre(dock, 3))
    assert captures.asked == [(7, 0)]
    assert marked(dock) == (3, 3, 3)
    qtbot.mouseDClick(dock.map.map, LEFT, PLAIN, centre(dock, 1))
    assert captures.asked == [(7, 0), (3, 1)]


def test_the_map_is_walked_by_keys(dock, captures, qtbot, marked):
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


def test_a_row_of_the_table_marks_its_head_and_enter_asks_for_it(dock, captures, qtbot, marked):
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
    dock, captures, qtbot, settle, no_tooltip_left, marked
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
def test_points_are_walked_in_the_order_of_a_score(
    dock, qtbot, settle, key, box, step, two_layers, marked
):
    dock.views.tabs.setCurrentWidget(dock.scatter)
    settle()
    name = getattr(dock.scatter, box).currentText()
    values = scorecard(two_layers()).column(name).values
    order = sorted(range(5), key=lambda place: values[place])
    dock._on_pointed(order[2])
    qtbot.keyClick(dock.scatter.plot, key)
    assert marked(dock)[2] == order[2 + step]


def test_the_scatter_plot_shows_any_two_scores_and_a_symbol_to_each_label(dock, settle, two_layers):
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


@pytest.fixture
def across(captures, dock, wait):
    """The dock with heads whose keys are of another sequence."""
    weights = np.random.default_rng(3).dirichlet(np.ones(T), size=(2, 5))
    layer = CapturedLayer(0, given=weights, allowed=np.ones((5, T), bool))
    captures.open(Capture("across", (layer,), tuple("abcde"), TOKENS))
    wait(dock)
    return dock


def choose(qtbot, box, name):
    """Choose a score as the keyboard does."""
    box.setFocus()
    qtbot.keyClick(box, Key.Key_Home)
    for _ in range(box.findText(name)):
        qtbot.keyClick(box, Key.Key_Down)
    assert box.currentText() == name


def test_heads_across_sequences_are_shown_by_a_score_that_they_have(across, captures, wait):
    across.views.tabs.setCurrentWidget(across.scatter)
    entropy = across.map.heads.column("entropy").values
    assert across.map.score.currentText() == "entropy"
    np.testing.assert_array_equal(across.map.map._shown.values, entropy)
    assert across.map.map._shown.note == ""
    assert (across.scatter.across.currentText(), across.scatter.up.currentText()) == (
        "confidence",
        "entropy",
    )
    captures.open(_two_layers_again())
    wait(across)
    assert across.map.score.currentText() == "previous token"
    assert across.scatter.across.currentText() == "mean distance"


def _two_layers_again():
    head = core.attention_weights(*core.self_head(T, key_magnitude=12.0))
    return Capture("own", (CapturedLayer(0, given=head[None], allowed=core.causal_mask(T)),))


def test_a_chosen_score_that_is_not_defined_is_said_on_map_and_plot(across, qtbot, settle):
    choose(qtbot, across.map.score, "self")
    settle()
    assert across.map.map._shown.note == "self: not defined across sequences"
    assert "self: not defined across sequences" in across.map.map.accessibleDescription()
    across.views.tabs.setCurrentWidget(across.scatter)
    choose(qtbot, across.scatter.across, "mean distance")
    settle()
    plot = across.scatter.plot
    assert plot._note.toPlainText() == "mean distance: not defined across sequences"
    assert plot._note.isVisible()
    seen = plot._note.mapRectToScene(plot._note.boundingRect())
    assert plot.box.sceneBoundingRect().contains(seen)
    choose(qtbot, across.scatter.across, "confidence")
    settle()
    assert not plot._note.isVisible()


def test_a_score_of_tokens_that_are_missing_is_not_called_across(captures, dock, wait, qtbot):
    captures.open(_two_layers_again())
    wait(dock)
    choose(qtbot, dock.map.score, "induction")
    assert dock.map.map._shown.note == "induction: not defined for these heads"


def test_the_colours_follow_the_theme_and_the_view(dock, bench, settle, dark):
    settle()
    assert dock.map.map.grab().toImage().pixelColor(1, 1).lightness() < 60
    look = replace(bench.view.appearance, weight_colours=WeightColours.MAGMA)
    bench.look(appearance=look)
    settle()
    assert dock.map.strip.scale.table is weight_table(WeightColours.MAGMA)


def test_the_map_stands_where_there_is_room(dock, settle):
    tabs = dock.views.tabs
    assert [tabs.tabText(n) for n in range(tabs.count())] == ["Table", "Scatter", "Notes"]
    dock.resize(420, 330)
    settle()
    assert [tabs.tabText(n) for n in range(tabs.count())] == ["Map", "Table", "Scatter", "Notes"]
    dock.resize(1000, 420)
    settle()
    assert tabs.count() == 3
    assert dock.map.isVisible()
    assert dock.map.geometry().right() < tabs.geometry().left()
