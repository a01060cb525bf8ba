import math

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QLabel, QRadioButton, QScrollArea, QSlider, QWidget

from mhagui.document import Pattern
from mhagui.document.edits import (
    AddHead,
    RemoveHead,
    SetPattern,
    SetSequenceLength,
    SetSetting,
    rename_head,
    set_gain,
    set_muted,
)
from mhagui.document.weight_edits import to_pattern
from mhagui.gui.docks import impulse
from mhagui.gui.docks.impulse import ImpulseDock
from mhagui.gui.widgets.number_box import CountBox
from mhagui.gui.widgets.stem_plot import StemPlot

LEFT = Qt.MouseButton.LeftButton
NAMES = ["first-sample hold", "unit delay z⁻¹", "identity", "growing box"]


@pytest.fixture
def dock(open_dock):
    return open_dock(ImpulseDock, 320, 700)


def child(dock, kind, name):
    found = dock.findChild(kind, name)
    assert found is not None
    return found


def captions(dock):
    labels = [dock.findChild(QLabel, f"impulseCaption{place}") for place in range(1, 40)]
    return [label.text() for label in labels if label is not None]


def distance(dock, place):
    """What is said of the distance of head ``place`` (from 1)."""
    return captions(dock)[place - 1].splitlines()[1]


def mean_distance(n_positions, gain=1.0):
    """Mean over all rows t of what the first-token head has beside t1, by hand."""
    return sum(1 - hold_weight(t, gain) for t in range(1, n_positions + 1)) / n_positions


def plot(dock, place):
    return child(dock, StemPlot, f"impulsePlot{place}")


def hold_weight(t, gain=1.0):
    """Weight of t1 in row t of the first-token head, by hand: the other keys score 0."""
    score = math.exp(gain * 3 / math.sqrt(2))
    return score / (score + t - 1)


def click(qtbot, dock, name):
    qtbot.mouseClick(child(dock, QRadioButton, name), LEFT, pos=QPoint(8, 10))
    QApplication.processEvents()


# --- taps


def test_the_row_of_the_cursor_beside_the_ideal_filters(dock):
    ideals = [[1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0.25] * 4]
    for place, ideal in enumerate(ideals, 1):
        shown = plot(dock, place).stems
        assert shown.ideal.tolist() == ideal
        assert shown.taps.sum() == pytest.approx(1)
    taps = plot(dock, 1).stems.taps
    assert taps[0] == pytest.approx(hold_weight(4))
    assert taps[1:] == pytest.approx([(1 - hold_weight(4)) / 3] * 3)
    assert [text.splitlines()[0] for text in captions(dock)] == NAMES
    mean = mean_distance(6)
    assert distance(dock, 1) == f"TV {1 - hold_weight(4):.3f} at t4 · mean {mean:.3f}"
    assert distance(dock, 4) == "TV 0.000 at t4 · mean 0.000"


def test_a_growing_gain_makes_the_stems_the_ideal(qtbot, bench, dock):
    distances, drag = [], object()
    for gain in (0.0, 1.0, 2.0, 4.0, 12.0):
        bench.edit(set_gain(1, gain), gesture=drag)
        mean = mean_distance(6, gain)
        wanted = f"TV {1 - hold_weight(4, gain):.3f} at t4 · mean {mean:.3f}"
        qtbot.waitUntil(lambda wanted=wanted: distance(dock, 1) == wanted)
        shown = plot(dock, 1).stems
        distances.append(np.abs(shown.taps - shown.ideal).max())
    assert distances == sorted(distances, reverse=True)
    assert distances[-1] < 1e-8


def test_a_head_that_is_hand_set_keeps_its_taps_and_has_no_ideal(qtbot, bench, dock):
    taps = plot(dock, 2).stems.taps.tolist()
    bench.edit(to_pattern(bench.frame.result, 2, Pattern.HAND_SET))
    qtbot.waitUntil(lambda: plot(dock, 2).stems.ideal is None)
    assert plot(dock, 2).stems.taps.tolist() == taps
    assert distance(dock, 2) == "no ideal at t4"
    bench.undo()
    qtbot.waitUntil(lambda: plot(dock, 2).stems.ideal is not None)
    assert distance(dock, 2).startswith("TV 0.077 at t4")


def test_a_mean_over_some_rows_is_said_to_be(qtbot, bench, dock):
    bench.edit(SetSequenceLength(128))
    mean = sum(1 - hold_weight(t) for t in range(2, 129, 2)) / 64
    wanted = f"TV {1 - hold_weight(4):.3f} at t4 · mean {mean:.3f}"
    qtbot.waitUntil(lambda: distance(dock, 1) == wanted)
    legends = [w.accessibleName() for w in dock.findChildren(QWidget) if w.isVisible()]
    assert any("mean over 64 rows" in name for name in legends)


def test_only_the_head_that_changed_is_drawn_anew(qtbot, bench, dock):
    before = [plot(dock, place).stems for place in range(1, 5)]
    bench.edit(set_gain(2, 2.0))
    qtbot.waitUntil(lambda: plot(dock, 2).stems is not before[1])
    assert [plot(dock, place).stems for place in (1, 3, 4)] == [before[0], before[2], before[3]]


def test_a_gain_has_one_card_written_anew_and_another_row_all(
    qtbot, bench, dock, settle, monkeypatch
):
    written = []
    fill = impulse._fill
    monkeypatch.setattr(impulse, "_fill", lambda *of: (written.append(of[1]), fill(*of)))
    bench.edit(set_gain(2, 3.0))
    settle()
    assert written == [2]
    bench.point(query=4)
    settle()
    assert written == [2, 1, 2, 3, 4]
    bench.edit(rename_head(3, "another"))
    settle()
    assert written[5:] == [3]


def test_rows_without_an_ideal_are_marked_and_have_no_distance(qtbot, bench, dock):
    bench.point(query=0)
    qtbot.waitUntil(lambda: distance(dock, 2).startswith("no ideal at t1 · mean 0."))
    assert plot(dock, 2).stems.ideal is None
    assert distance(dock, 1).startswith("TV 0.000 at t1")
    bench.edit(SetPattern(2, Pattern.DELAY))
    bench.edit(SetSetting(2, 0, 3))
    bench.point(query=2)
    qtbot.waitUntil(lambda: captions(dock)[1].startswith("delay z⁻³\nno ideal at t3"))
    bench.point(query=3)
    qtbot.waitUntil(lambda: captions(dock)[1].startswith("delay z⁻³\nTV 0."))
    assert plot(dock, 2).stems.ideal.tolist() == [1, 0, 0, 0]


def test_the_slider_and_its_keys_move_the_row_of_the_cursor(qtbot, bench, dock):
    slider = child(dock, QSlider, "impulseRowSlider")
    assert (slider.minimum(), slider.value(), slider.maximum()) == (1, 4, 6)
    for key, row in (
        (Qt.Key.Key_Right, 4),
        (Qt.Key.Key_Left, 3),
        (Qt.Key.Key_Home, 0),
        (Qt.Key.Key_End, 5),
    ):
        qtbot.keyClick(slider, key)
        assert bench.view.cursor.query == row
        assert child(dock, CountBox, "impulseRowBox").value() == row + 1
        qtbot.waitUntil(lambda row=row: plot(dock, 1).stems.row == row)
    assert bench.history.undo_text is None


def test_the_box_moves_the_row_and_refuses_what_is_none(qtbot, bench, dock, refused, type_in):
    box = child(dock, CountBox, "impulseRowBox")
    type_in(box, "2")
    assert bench.view.cursor.query == 1
    assert child(dock, QSlider, "impulseRowSlider").value() == 2
    type_in(box, "7")
    assert refused == ["Query row t must be a whole number from 1 to 6; got 7."]
    assert bench.view.cursor.query == 1


def test_the_cursor_is_followed(qtbot, bench, dock):
    bench.point(query=5, key=1, head=3)
    qtbot.waitUntil(lambda: plot(dock, 4).key == 1)
    assert child(dock, QSlider, "impulseRowSlider").value() == 6
    bench.edit(SetSequenceLength(3))
    qtbot.waitUntil(lambda: child(dock, QSlider, "impulseRowSlider").maximum() == 3)
    assert plot(dock, 1).stems.row == 2


def test_a_click_on_a_stem_points_at_its_key_and_head(qtbot, bench, dock):
    target = plot(dock, 3)
    qtbot.mouseClick(target, LEFT, pos=QPoint(round(target.x_of(1)), 30))
    cursor = bench.view.cursor
    assert (cursor.head, cursor.query, cursor.key) == (3, 3, 1)
    qtbot.waitUntil(lambda: plot(dock, 1).key == 1)
    qtbot.keyClick(target, Qt.Key.Key_Down)
    assert bench.view.cursor.query == 4


def test_keys_are_not_lost_between_two_frames(qtbot, bench, dock):
    for key in (Qt.Key.Key_Up, Qt.Key.Key_Up, Qt.Key.Key_Left, Qt.Key.Key_Left):
        qtbot.keyClick(plot(dock, 2), key)
    cursor = bench.view.cursor
    assert (cursor.head, cursor.query, cursor.key) == (2, 1, 0)


def test_heads_come_and_go(qtbot, bench, dock):
    bench.edit(AddHead(Pattern.SELF))
    qtbot.waitUntil(lambda: len(captions(dock)) == 5)
    bench.edit(RemoveHead(1))
    bench.edit(RemoveHead(2))
    qtbot.waitUntil(lambda: len(captions(dock)) == 3)
    assert captions(dock)[0].startswith("identity")
    target = plot(dock, 3)
    qtbot.mouseClick(target, LEFT, pos=QPoint(round(target.x_of(0)), 30))
    assert bench.view.cursor.head == 5


def test_a_muted_head_is_dimmed(qtbot, bench, dock):
    bench.edit(set_muted(2, True))
    qtbot.waitUntil(lambda: plot(dock, 2).stems.dimmed)
    assert not plot(dock, 1).stems.dimmed


@pytest.mark.parametrize(
    ("size", "n_columns"), [((320, 700), 1), ((420, 760), 2), ((680, 290), 4), ((1000, 420), 4)]
)
def test_four_heads_need_no_scrolling_and_no_caption_is_cut(qtbot, dock, size, n_columns):
    dock.resize(*size)
    qtbot.waitUntil(lambda: len({plot(dock, p).parent().x() for p in range(1, 5)}) == n_columns)
    QApplication.processEvents()
    for area in dock.findChildren(QScrollArea):
        assert not (area.isVisible() and area.verticalScrollBar().isVisible())
    for place in range(1, 5):
        label = child(dock, QLabel, f"impulseCaption{place}")
        for line in label.text().splitlines():
            assert label.fontMetrics().horizontalAdvance(line) <= label.width()


def test_captions_that_do_not_fit_beside_one_another_take_a_second_row(qtbot, bench, dock):
    dock.resize(680, 290)
    QApplication.processEvents()
    assert {plot(dock, place).parent().y() for place in range(1, 5)} == {0}
    dock.resize(540, 360)
    qtbot.waitUntil(lambda: plot(dock, 3).parent().y() > 0)
    bars = [area.verticalScrollBar() for area in dock.findChildren(QScrollArea)]
    qtbot.waitUntil(lambda: not any(bar.isVisible() for bar in bars))


def test_captions_do_not_move_cards_while_a_gain_is_dragged(qtbot, bench, dock):
    dock.resize(680, 290)
    QApplication.processEvents()
    places = {plot(dock, p).parent().pos().toTuple() for p in range(1, 5)}
    for gain in (0.0, 0.5, 1.1, 3.0):
        bench.edit(set_gain(1, gain))
        QApplication.processEvents()
        assert {plot(dock, p).parent().pos().toTuple() for p in range(1, 5)} == places


def test_a_hidden_dock_catches_up(qtbot, bench, dock):
    dock.hide()
    bench.point(query=1)
    QApplication.processEvents()
    assert plot(dock, 1).stems.row == 3
    dock.show()
    qtbot.waitUntil(lambda: plot(dock, 1).stems.row == 1)


# --- frequency response


def drawn(curves):
    return [line.getData() for line in curves.lines]


@pytest.fixture
def response(dock, qtbot):
    click(qtbot, dock, "showResponse")
    return child(dock, QWidget, "magnitudePlot"), child(dock, QWidget, "groupDelayPlot")


def test_magnitude_and_group_delay_of_sharp_heads(qtbot, bench, response):
    for uid in (1, 2, 3):
        bench.edit(set_gain(uid, 300.0))
    magnitude, delay = response
    qtbot.waitUntil(lambda: drawn(magnitude)[0][1].min() > 0.999)
    for place, lag in ((0, 3), (1, 1), (2, 0)):
        x, height = drawn(magnitude)[place]
        assert (x[0], x[-1]) == (0, 1)
        assert height == pytest.approx(np.ones(len(x)))
        assert drawn(delay)[place][1] == pytest.approx(np.full(len(x), lag), abs=1e-9)
    x, box = drawn(magnitude)[3]
    inside = slice(1, -1)
    sinc = np.abs(np.sin(2 * np.pi * x[inside]) / (4 * np.sin(np.pi * x[inside] / 2)))
    assert box[inside] == pytest.approx(sinc, abs=1e-12)
    delays = drawn(delay)[3][1]
    assert np.nanmax(np.abs(delays - 1.5)) < 1e-6
    assert np.isnan(delays[len(delays) // 2])  # ω = π/2 is a null of four equal taps


def test_that_three_of_the_filters_are_flat_is_said_there(dock, response):
    label = child(dock, QLabel, "flatText")
    assert label.isVisible()
    assert "magnitude 1 at every frequency" in label.text()


def test_curves_follow_the_row_and_the_gain(qtbot, bench, dock, response):
    magnitude, _ = response
    bench.point(query=1)  # two taps: |H| at ω = π is the difference of them
    wanted = hold_weight(2) - (1 - hold_weight(2))
    qtbot.waitUntil(lambda: drawn(magnitude)[0][1][-1] == pytest.approx(wanted))
    untouched = [curve.values for curve in magnitude.curves]
    bench.edit(set_gain(1, 0.0))
    qtbot.waitUntil(lambda: drawn(magnitude)[0][1][-1] == pytest.approx(0, abs=1e-12))
    now = [curve.values for curve in magnitude.curves]
    assert [one is other for one, other in zip(now, untouched, strict=True)] == [False, *[True] * 3]


def test_every_curve_is_marked_in_a_place_of_its_own(response):
    magnitude, _ = response
    places = [set(marks.getData()[0].tolist()) for marks in magnitude.marks]
    assert [len(of_curve) for of_curve in places] == [6] * 4
    assert len(set.union(*places)) == 24


def test_back_to_the_taps_as_they_are_now(qtbot, bench, dock, response):
    bench.point(query=4)
    click(qtbot, dock, "showTaps")
    assert plot(dock, 1).stems.row == 4
    assert not response[0].isVisible()


def test_heads_come_and_go_in_the_response(qtbot, bench, response):
    magnitude, delay = response
    bench.edit(AddHead(Pattern.SELF))
    qtbot.waitUntil(lambda: len(drawn(magnitude)) == 5)
    bench.edit(RemoveHead(1))
    bench.edit(RemoveHead(2))
    qtbot.waitUntil(lambda: len(drawn(magnitude)) == 3)
    assert len(magnitude.marks) == len(delay.marks) == 3


def test_side_by_side_where_there_is_room(qtbot, dock, response):
    magnitude, delay = response
    assert magnitude.y() < delay.y()
    dock.resize(680, 290)
    qtbot.waitUntil(lambda: magnitude.x() < delay.x())
    assert magnitude.y() == delay.y()


@pytest.mark.parametrize("t", [4, 300])
def test_the_plots_of_both_are_as_wide_as_one_another(qtbot, bench, dock, response, t):
    bench.edit(SetSequenceLength(300))
    bench.point(query=t - 1)
    low, high = -0.25 * (t - 1), 1.25 * (t - 1)
    wanted = (pytest.approx(low - 0.09 * (high - low)), pytest.approx(high + 0.05 * (high - low)))
    qtbot.waitUntil(lambda: response[1].box.viewRange()[1] == list(wanted))
    response[1].grab()  # an axis takes its room when it is drawn
    QApplication.processEvents()
    boxes = [p.box.sceneBoundingRect() for p in response]
    assert (boxes[0].left(), boxes[0].right()) == (boxes[1].left(), boxes[1].right())


# --- both


def test_tab_goes_from_the_controls_to_the_heads_in_order(qtbot, bench, dock):
    bench.edit(AddHead(Pattern.SELF))
    qtbot.waitUntil(lambda: len(captions(dock)) == 5)
    child(dock, QSlider, "impulseRowSlider").setFocus()
    visited = []
    for _ in range(8):
        visited.append(QApplication.focusWidget().objectName())
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
    assert visited == [
        "impulseRowSlider", "impulseRowBox", "showTaps", *(f"impulsePlot{n}" for n in range(1, 6)),
    ]  # fmt: skip


def test_everything_has_a_name_and_a_tip(dock, response):
    for name in ("impulseRowSlider", "impulseRowBox", "showTaps", "showResponse", "magnitudePlot",
                 "groupDelayPlot", "impulsePlot1"):  # fmt: skip
        widget = child(dock, QWidget, name)
        assert widget.accessibleName()
        assert widget.toolTip()
    assert plot(dock, 2).accessibleName() == "Impulse response of h2 previous token at t4"


def test_many_positions_are_said_to_be_pooled(qtbot, bench, dock):
    bench.edit(SetSequenceLength(300))
    bench.point(query=299)
    qtbot.waitUntil(lambda: len(plot(dock, 4).stems.taps) == 300)
    legends = [w.accessibleName() for w in dock.findChildren(QWidget) if w.isVisible()]
    assert any("of each pixel the largest" in name for name in legends)


def test_one_position(qtbot, bench, dock, response):
    bench.edit(SetSequenceLength(1))
    qtbot.waitUntil(lambda: drawn(response[1])[0][1] == pytest.approx(0))
    click(qtbot, dock, "showTaps")
    assert captions(dock)[1] == "unit delay z⁻¹\nno ideal at t1"


def test_of_many_waves_those_of_the_cursors_head_are_drawn_strongly(dock, bench, settle):
    def strong():
        plots = dock._response.magnitude, dock._response.delay
        return [[curve.strong for curve in plot.curves] for plot in plots]

    dock._choices.button(1).click()
    settle()
    assert not any(map(any, strong()))  # of six positions
    bench.edit(SetSequenceLength(200))
    bench.point(query=199, head=bench.scene.heads[2].uid)
    settle()
    assert strong() == [[False, False, True, False]] * 2
    bench.point(head=bench.scene.heads[0].uid)
    settle()
    assert strong() == [[True, False, False, False]] * 2
