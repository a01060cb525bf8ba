"""The ablation lab, with the mouse and the keys of a user."""

import re
import threading
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication

from mhagui.document import compute, load_lesson
from mhagui.document.capture import Capture, CapturedLayer
from mhagui.document.captured_ablation import AblationKind
from mhagui.document.captured_scene import scene_of
from mhagui.document.edits import DuplicateHead, OpenScene, RemoveHead, set_gain, set_muted
from mhagui.errors import UserError
from mhagui.gui.capture_session import Opened
from mhagui.gui.docks import ablation_lab
from mhagui.gui.docks.ablation_lab import AblationLabDock

H, T, D, D_MODEL, WORDS = 3, 5, 2, 6, 14


class Captures(QObject):
    """What the dock is told of a capture session."""

    changed = Signal(object)
    shown = Signal(int)

    def __init__(self):
        super().__init__()
        self.opened = self.layer = None


@pytest.fixture
def captures(qapp):
    return Captures()


@pytest.fixture
def dock(open_dock, captures):
    return open_dock(lambda bench: AblationLabDock(bench, captures), 620, 560)


def choose(qtbot, box, text):
    """Choose an entry as a user does: by keys in the box."""
    box.setFocus()
    steps = box.findText(text, Qt.MatchFlag.MatchStartsWith) - box.currentIndex()
    for _ in range(abs(steps)):
        qtbot.keyClick(box, Qt.Key.Key_Down if steps > 0 else Qt.Key.Key_Up)
    assert box.currentText().startswith(text)


def click_head(qtbot, dock, row):
    picker = dock.controls.picker
    place = picker.visualItemRect(picker.item(row)).center()
    qtbot.mouseClick(picker.viewport(), Qt.MouseButton.LeftButton, pos=place)


def chosen(dock):
    return sorted(index.row() + 1 for index in dock.controls.picker.selectedIndexes())


def cells(table):
    model = table.model()
    return np.array(
        [
            [model.index(row, n).data(Qt.ItemDataRole.EditRole) for n in range(model.columnCount())]
            for row in range(model.rowCount())
        ]
    )  # fmt: skip


def show_page(qtbot, dock, page):
    (button,) = (button for button, shown in dock.pages.items() if shown is page)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert [shown for shown in dock.pages.values() if shown.isVisible()] == [page]


def norms_without(scene, *places):
    """Give how far O moves at each position where heads are muted on the bench instead."""
    muted = scene
    for place in places:
        muted = set_muted(scene.heads[place].uid, True).apply(muted)
    return np.linalg.norm(compute(muted).output - compute(scene).output, axis=1)


# ---------------------------------------------------------------------------- which heads, and how


def test_the_cursors_head_is_ablated_to_zero_at_first(dock, bench, settle):
    assert chosen(dock) == [1]
    np.testing.assert_allclose(cells(dock.effect.table)[:, 0], norms_without(bench.scene, 0))
    bench.point(head=3)
    settle()
    assert chosen(dock) == [3]
    np.testing.assert_allclose(cells(dock.effect.table)[:, 0], norms_without(bench.scene, 2))


def test_a_click_adds_a_head_and_the_cursor_is_no_longer_followed(dock, bench, qtbot, settle):
    click_head(qtbot, dock, 2)
    settle()
    assert chosen(dock) == [1, 3]
    assert not dock.controls.follows.isChecked()
    np.testing.assert_allclose(cells(dock.effect.table)[:, 0], norms_without(bench.scene, 0, 2))
    bench.point(head=2)
    settle()
    assert chosen(dock) == [1, 3]
    qtbot.mouseClick(dock.controls.follows, Qt.MouseButton.LeftButton)
    settle()
    assert chosen(dock) == [2]


def test_heads_are_chosen_by_keys(dock, bench, qtbot, settle):
    picker = dock.controls.picker
    picker.setFocus()
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Space):
        qtbot.keyClick(picker, key)
    settle()
    assert chosen(dock) == [1, 2]
    qtbot.keyClick(picker, Qt.Key.Key_Space)
    settle()
    assert chosen(dock) == [1]


def test_with_no_head_left_it_is_the_cursors_again(dock, bench, qtbot, settle):
    click_head(qtbot, dock, 0)
    settle()
    assert chosen(dock) == [1]
    assert dock.controls.follows.isChecked()
    click_head(qtbot, dock, 3)
    click_head(qtbot, dock, 0)
    settle()
    assert chosen(dock) == [4]
    bench.edit(RemoveHead(4))
    settle()
    assert chosen(dock) == [1]
    assert dock.controls.follows.isChecked()


@pytest.mark.parametrize("n_heads", [4, 9, 64])
def test_all_heads_or_four_rows_of_them_can_be_seen(dock, bench, settle, n_heads):
    for _ in range(n_heads - 4):
        bench.edit(DuplicateHead(1))
    settle()
    picker = dock.controls.picker
    rects = [picker.visualItemRect(picker.item(row)) for row in range(n_heads)]
    rows = {rect.top() for rect in rects}
    assert picker.viewport().height() >= min(len(rows), 4) * rects[0].height()
    assert len(rows) == 1 or n_heads > 4
    for row, rect in enumerate(rects):
        text = picker.fontMetrics().horizontalAdvance(picker.item(row).text())
        assert text + 10 <= rect.width() < picker.viewport().width()  # no name is cut


def test_rows_of_heads_are_as_many_as_the_width_asks_for(dock, bench, settle):
    for _ in range(20):
        bench.edit(DuplicateHead(1))
    picker = dock.controls.picker
    for width in range(300, 900, 23):
        dock.resize(width, 600)
        settle()
        rows = {picker.visualItemRect(picker.item(row)).top() for row in range(picker.count())}
        height = picker.visualItemRect(picker.item(0)).height()
        seen = picker.viewport().height() // height
        assert seen == min(len(rows), 4)
        has_bar = picker.verticalScrollBar().isVisible()
        assert has_bar == (len(rows) > 4)
    dock.resize(300, 600)
    bench.point(head=bench.scene.heads[-1].uid)
    settle()
    last = picker.visualItemRect(picker.item(picker.count() - 1))
    assert picker.viewport().rect().contains(last.center())  # the one that is ablated


def test_kinds_do_what_they_say(dock, bench, qtbot, settle):
    head = bench.scene.heads[0]
    expected = {}
    a = np.asarray(bench.frame.result.heads[0].weights)
    v, block = bench.frame.result.heads[0].values, bench.scene.w_o[:2]
    uniform = np.tril(np.ones_like(a)) / np.arange(1, len(a) + 1)[:, None]
    expected["uniform attention"] = (uniform - a) @ v @ block
    expected["mean of its rows"] = ((a @ v).mean(axis=0) - a @ v) @ block
    expected["zero"] = -a @ v @ block
    for text, change in expected.items():
        choose(qtbot, dock.controls.kind, text)
        settle()
        found = cells(dock.effect.table)[:, 0]
        np.testing.assert_allclose(found, np.linalg.norm(change, axis=1), atol=1e-12)
    assert bench.scene.heads[0] is head  # nothing was changed on the bench


def test_an_edge_is_the_cursors(dock, bench, qtbot, settle):
    choose(qtbot, dock.controls.kind, "one edge cut")
    bench.point(query=4, key=0)
    settle()
    assert "Query t5 no longer sees key t1" in dock.controls.words.text()
    found = cells(dock.effect.table)[:, 0]
    assert np.flatnonzero(found > 1e-12).tolist() == [4]


def test_a_gain_is_typed_beside_its_kind(dock, bench, qtbot, settle, type_in, refused):
    assert not dock.controls.gain.isVisible()
    choose(qtbot, dock.controls.kind, "gain")
    settle()
    assert dock.controls.gain.isVisible()
    type_in(dock.controls.gain, "2.5")
    settle()
    moved = compute(set_gain(1, 2.5).apply(bench.scene))
    change = moved.output - bench.frame.result.output
    np.testing.assert_allclose(
        cells(dock.effect.table)[:, 0], np.linalg.norm(change, axis=1), atol=1e-12
    )
    type_in(dock.controls.gain, "1e9")
    assert "from −1000 to 1000" in refused[-1]


def test_a_value_bias_can_be_kept_where_there_is_one(dock, bench, qtbot, settle):
    assert not dock.controls.keeps_bias.isVisible()
    biased = replace(bench.scene.heads[0], b_v=np.array([[2.0, -1.0]]))
    bench.edit(OpenScene(replace(bench.scene, heads=(biased, *bench.scene.heads[1:]))))
    settle()
    assert dock.controls.keeps_bias.isVisible()
    assert "goes as well" in dock.controls.words.text()
    zeroed = cells(dock.effect.table)[:, 0]
    np.testing.assert_allclose(zeroed, norms_without(bench.scene, 0))
    qtbot.mouseClick(dock.controls.keeps_bias, Qt.MouseButton.LeftButton)
    settle()
    assert "stays" in dock.controls.words.text()
    result = bench.frame.result
    without_bias = np.asarray(result.heads[0].weights) @ bench.scene.x @ biased.w_v
    change = without_bias @ bench.scene.w_o[:2]
    np.testing.assert_allclose(
        cells(dock.effect.table)[:, 0], np.linalg.norm(change, axis=1), atol=1e-12
    )


# ------------------------------------------------------------------------------- what comes of it


def test_the_wrong_site_stands_beside_the_right_one_when_it_is_asked_for(
    dock, bench, qtbot, settle
):
    assert dock.effect.table.model().columnCount() == 2
    assert not dock.effect.wrong.isVisible()
    qtbot.mouseClick(dock.controls.wrong, Qt.MouseButton.LeftButton)
    settle()
    wrong = bench.frame.result.output[:, :2]
    np.testing.assert_allclose(cells(dock.effect.table)[:, 2], np.linalg.norm(wrong, axis=1))
    assert dock.effect.wrong.text().startswith("Why before W_O?")
    assert [curve.label for curve in dock.effect.plot.curves] == [
        "before W_O",
        "after W_O: wrong",
    ]


def test_the_wrong_site_is_of_zeroing_alone(dock, qtbot, settle):
    qtbot.mouseClick(dock.controls.wrong, Qt.MouseButton.LeftButton)
    settle()
    assert dock.effect.wrong.isVisible()
    choose(qtbot, dock.controls.kind, "mean")
    settle()
    assert not dock.controls.wrong.isEnabled()
    assert "choose zero" in dock.controls.wrong.toolTip()
    assert dock.effect.table.model().columnCount() == 2
    assert not dock.effect.wrong.isVisible()


def test_the_sentences_say_how_much_and_where(dock, bench, settle):
    bench.point(query=3)
    settle()
    output = bench.frame.result.output
    change = -bench.frame.result.heads[0].term
    share = 100 * np.linalg.norm(change) / np.linalg.norm(output)
    assert f"{share:.1f}\xa0%" in dock.effect.summary.text()
    here = 100 * np.linalg.norm(change[3]) / np.linalg.norm(output[3])
    assert dock.effect.here.text().startswith("At t4")
    assert f"{here:.1f}\xa0%" in dock.effect.here.text()
    channel = int(abs(change[3]).argmax())
    found = re.search(r"O\[t4,\xa0d(\d+)\]: (\S+) → (\S+)\.$", dock.effect.here.text())
    assert int(found[1]) == channel + 1
    after = output[3, channel] + change[3, channel]
    assert float(found[3]) == pytest.approx(after, abs=1e-3)


def test_plot_and_table_move_the_cursor_and_follow_it(dock, bench, qtbot, settle):
    dock.effect.plot.setFocus()
    qtbot.keyClick(dock.effect.plot, Qt.Key.Key_Home)
    settle()
    assert bench.view.cursor.query == 0
    assert dock.effect.table.currentIndex().row() == 0
    dock.effect.table.setFocus()
    qtbot.keyClick(dock.effect.table, Qt.Key.Key_Down)
    settle()
    assert bench.view.cursor.query == 1
    assert dock.effect.plot.cursor_line.value() == 2


def test_the_table_is_copied_in_full_precision(dock, bench, qtbot, settle):
    dock.effect.table.setFocus()
    qtbot.keyClick(dock.effect.table, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(dock.effect.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QGuiApplication.clipboard().text().split("\n")
    copied = np.array([[float(cell) for cell in line.split("\t")] for line in lines])
    np.testing.assert_array_equal(copied, cells(dock.effect.table))


def test_what_is_shown_can_be_copied_as_a_table(dock, bench, qtbot, settle):
    click_head(qtbot, dock, 2)
    choose(qtbot, dock.controls.kind, "mean")
    settle()
    ((name, make, place),) = dock.own_tables()
    assert (name, place) == ("changes of O", "effectTable")
    assert make().title == "Change of O: h1, h3, mean of its rows"
    assert list(make().row_labels) == ["t1", "t2", "t3", "t4", "t5", "t6"]
    np.testing.assert_array_equal(make().values, cells(dock.effect.table))
    show_page(qtbot, dock, dock.importance)
    settle()
    ((_, make, place),) = dock.own_tables()
    assert place == "importanceTable"
    assert list(make().row_labels) == ["gradient × output", "ablation", "gap"]
    show_page(qtbot, dock, dock.next_token)
    settle()
    assert dock.own_tables() == ()


def test_a_gain_on_the_bench_is_followed(dock, bench, settle):
    bench.edit(set_gain(1, 0.2))
    settle()
    np.testing.assert_allclose(cells(dock.effect.table)[:, 0], norms_without(bench.scene, 0))


def test_muted_heads_have_nothing_to_ablate(dock, bench, settle):
    bench.edit(set_muted(1, True))
    settle()
    assert "muted on the bench" in dock.effect.summary.text()
    assert not dock.effect.table.isVisible()
    assert not dock.controls.mute.isEnabled()
    bench.undo()
    settle()
    assert dock.effect.table.isVisible()
    assert dock.controls.mute.isEnabled()


def test_only_the_button_edits_the_scene_and_one_undo_takes_it_back(dock, bench, qtbot, settle):
    before = bench.scene
    click_head(qtbot, dock, 2)
    choose(qtbot, dock.controls.kind, "uniform")
    show_page(qtbot, dock, dock.importance)
    settle()
    assert bench.scene is before
    qtbot.mouseClick(dock.controls.mute, Qt.MouseButton.LeftButton)
    settle()
    assert [head.muted for head in bench.scene.heads] == [True, False, True, False]
    bench.undo()
    settle()
    assert bench.scene == before


def test_a_file_without_values_has_a_sentence(dock, bench, settle):
    scene = bench.scene
    heads = tuple(replace(head, w_v=np.zeros((1, 1))) for head in scene.heads)
    empty = replace(
        scene, heads=heads, x=np.zeros((6, 1)), w_o=np.zeros((4, 1)), has_values=False,
        tokens=(), vocabulary=(), has_position_code=False,
    )  # fmt: skip
    bench.edit(OpenScene(empty))
    settle()
    assert "no values" in dock.why_blank


def test_what_takes_long_is_worked_out_aside_and_the_newest_is_shown(
    dock, bench, qtbot, settle, monkeypatch
):
    monkeypatch.setattr(ablation_lab, "AT_ONCE", 0)
    threads, usual = [], ablation_lab._found

    def found(*given):
        threads.append(threading.current_thread())
        return usual(*given)

    monkeypatch.setattr(ablation_lab, "_found", found)
    for gain in (0.1, 0.2, 0.3):
        bench.edit(set_gain(1, gain))
        settle()
    wanted = norms_without(bench.scene, 0)
    qtbot.waitUntil(lambda: np.allclose(cells(dock.effect.table)[:, 0], wanted))
    assert threading.main_thread() not in threads
    assert len(threads) == 1  # once the hand rests, and not at every step


def test_what_cannot_be_worked_out_is_said(dock, bench, qtbot, settle, monkeypatch):
    def fail(*_):
        raise UserError("There is no such thing.")

    monkeypatch.setattr(ablation_lab, "ablation_effect", fail)
    bench.edit(set_gain(1, 0.5))
    settle()
    assert dock.effect.summary.text() == "There is no such thing."
    assert not dock.effect.table.isVisible()


# ------------------------------------------------------------------- what hangs on each head


def test_gradient_stands_beside_ablation_and_the_gap_is_between_them(dock, bench, qtbot, settle):
    show_page(qtbot, dock, dock.importance)
    settle()
    gradient, ablation, gap = cells(dock.importance.table)
    output = bench.frame.result.output
    for place, head in enumerate(bench.frame.result.heads):
        without = np.linalg.norm(output - head.term) - np.linalg.norm(output)
        assert ablation[place] == pytest.approx(without)
        slope = -(output * head.term).sum() / np.linalg.norm(output)
        assert gradient[place] == pytest.approx(slope)
    np.testing.assert_allclose(gap, ablation - gradient)
    assert dock.importance.value.text() == f"L = ‖O‖ = {np.linalg.norm(output):.3f}"
    by_gradient, by_ablation = (curve.values for curve in dock.importance.plot.curves)
    assert len(by_gradient) == len(by_ablation) == 4
    assert by_gradient[-1] == pytest.approx(1)  # all are gone
    first = bench.frame.result.heads[int(abs(gradient).argmin())].term
    assert by_gradient[0] == pytest.approx(np.linalg.norm(first) / np.linalg.norm(output))


def test_channels_are_chosen_where_the_readout_has_some(dock, bench, qtbot, settle, type_in):
    show_page(qtbot, dock, dock.importance)
    page = dock.importance
    assert not page.channel.isVisible()
    choose(qtbot, page.kind, "difference")
    settle()
    assert page.channel.isVisible()
    assert page.other.isVisible()
    assert page.value.text().startswith("L = O[t4, d1] − O[t4, d2]")
    type_in(page.channel, "3")
    type_in(page.other, "8")
    bench.point(query=5)
    settle()
    output = bench.frame.result.output
    assert page.value.text().startswith("L = O[t6, d3] − O[t6, d8]")
    assert float(page.value.text().split(" = ")[-1].replace("−", "-")) == pytest.approx(
        output[5, 2] - output[5, 7], abs=1e-3
    )
    np.testing.assert_allclose(cells(page.table)[2], 0, atol=1e-12)
    assert "linear" in page.words.text()


def test_a_channel_that_is_not_there_is_refused(dock, qtbot, settle, type_in, refused):
    show_page(qtbot, dock, dock.importance)
    choose(qtbot, dock.importance.kind, "one channel")
    settle()
    type_in(dock.importance.channel, "9")
    assert "from 1 to 8" in refused[-1]


# ------------------------------------------------------------------------------------- next token


class TinyModel:
    """A model of two layers, of which the second adds the heads' outputs times a matrix."""

    facts = SimpleNamespace(n_layers=2, predicts_next=True)

    def __init__(self):
        rng = np.random.default_rng(8)
        arrays = {
            "q": rng.normal(size=(H, T, D)),
            "k": rng.normal(size=(H, T, D)),
            "x": rng.normal(size=(T, D_MODEL)),
            "w_v": rng.normal(size=(H, D_MODEL, D)),
            "w_o": rng.normal(size=(H * D, D_MODEL)),
        }
        arrays["v"] = arrays["x"] @ arrays["w_v"]
        arrays = {name: array.astype(np.float32) for name, array in arrays.items()}
        self.layers = tuple(
            CapturedLayer(n, allowed=np.tril(np.ones((T, T), bool)), **arrays) for n in (0, 1)
        )
        self.words = rng.normal(size=(H * D, WORDS))
        self.go_on = threading.Event()
        self.go_on.set()
        self.n_runs = 0

    def run(self, ids, *, layers, before_layer, edit):
        self.n_runs += 1
        outputs = self.layers[1].weights @ self.layers[1].v
        for number in (0, 1):
            self.go_on.wait(10)
            before_layer(number)
            if number == 1:
                outputs = edit(1, outputs)
        logits = outputs.swapaxes(0, 1).reshape(T, -1) @ self.words
        return SimpleNamespace(logits=lambda positions: logits[positions])

    def texts(self, ids):
        return tuple(f" w{number}" for number in ids)


def softmax(logits):
    shares = np.exp(logits - logits.max())
    return shares / shares.sum()


@pytest.fixture
def model():
    return TinyModel()


@pytest.fixture
def with_model(dock, bench, captures, model, settle, qtbot):
    """The dock with a model open, its second layer on the bench, and the third page shown."""
    capture = Capture("tiny", model.layers, token_ids=tuple(range(T)))
    captures.opened, captures.layer = Opened(capture, model=model), 1
    bench.open(scene_of(capture, 1))
    captures.changed.emit(capture)
    show_page(qtbot, dock, dock.next_token)
    settle()
    return dock


def run(qtbot, page):
    qtbot.mouseClick(page.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.button.text() == "Run")


def test_probabilities_of_the_next_token_before_and_after(with_model, bench, model, qtbot, settle):
    page, layer = with_model.next_token, model.layers[1]
    bench.point(head=2)
    settle()
    assert page.state.text().startswith("L1 H1 (zero): not run yet.")
    run(qtbot, page)
    outputs = np.array(layer.weights @ layer.v)
    before = softmax((outputs.swapaxes(0, 1).reshape(T, -1) @ model.words)[-1])
    outputs[1] = 0
    after = softmax((outputs.swapaxes(0, 1).reshape(T, -1) @ model.words)[-1])
    top = np.argsort(-before)[:10]
    found = cells(page.table)
    np.testing.assert_allclose(found[:10, 0], 100 * before[top], rtol=1e-5)
    np.testing.assert_allclose(found[:10, 1], 100 * after[top], rtol=1e-5)
    np.testing.assert_allclose(found[:, 2], found[:, 1] - found[:, 0])
    labels = [
        page.table.model().headerData(row, Qt.Orientation.Vertical) for row in range(len(found))
    ]
    assert labels[0].endswith(f"w{top[0]}")
    ((_, make, place),) = with_model.own_tables()
    assert place == page.table.objectName()
    assert make().title == "Next token, L1 H1 (zero)"
    np.testing.assert_array_equal(make().values, found)
    newcomers = set(np.argsort(-after)[:10]) - set(top)
    assert len(labels) == 10 + len(newcomers)
    bits = float(re.search(r"([\d.]+) bits", page.result.text())[1])
    assert bits == pytest.approx((before * np.log2(before / after)).sum(), abs=1e-3)
    assert not page.button.isEnabled()  # it would say the same again


def test_another_choice_keeps_what_was_run_and_says_of_what(
    with_model, bench, model, qtbot, settle
):
    page = with_model.next_token
    run(qtbot, page)
    assert model.n_runs == 2
    choose(qtbot, with_model.controls.kind, "mean")
    settle()
    assert page.result.text().startswith("L1 H0 (zero):")
    assert page.state.text().startswith("L1 H0 (mean of its rows): not run yet.")
    run(qtbot, page)
    assert page.result.text().startswith("L1 H0 (mean of its rows):")
    assert model.n_runs == 3  # the model as it is was known


def test_a_run_says_how_far_it_is_and_is_cancelled(with_model, model, qtbot, settle):
    page = with_model.next_token
    model.go_on.clear()
    qtbot.mouseClick(page.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "layer 0 of 4" in page.state.text())
    assert page.button.text() == "Cancel"
    qtbot.mouseClick(page.button, Qt.MouseButton.LeftButton)
    model.go_on.set()
    assert page.button.text() == "Run"
    assert page.button.isEnabled()
    assert not page.table.isVisible()
    run(qtbot, page)
    assert model.n_runs == 3  # the first was ended before the model ran with the ablation


def test_what_the_model_cannot_do_is_said(with_model, model, qtbot, settle, monkeypatch):
    def fail(*_, **__):
        raise UserError("The numbers that layer 1 makes do not fit.")

    monkeypatch.setattr(model, "run", fail)
    page = with_model.next_token
    qtbot.mouseClick(page.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.state.text() == "The numbers that layer 1 makes do not fit.")
    assert page.button.isEnabled()


def test_each_reason_why_nothing_can_be_run(with_model, bench, captures, model, qtbot, settle):
    page = with_model.next_token
    bench.edit(DuplicateHead(1))
    bench.point(head=bench.scene.heads[-1].uid)
    settle()
    if bench.scene.heads[-1].uid <= H:
        bench.point(head=max(head.uid for head in bench.scene.heads))
        settle()
    assert "none of the 3" in page.state.text()
    captures.layer = None
    captures.shown.emit(0)
    settle()
    assert page.state.text().startswith("No layer of tiny is on the bench: choose a head")
    model.facts = SimpleNamespace(n_layers=2, predicts_next=False)
    captures.changed.emit(None)
    settle()
    assert page.state.text() == "tiny is an encoder: it predicts no next token."
    captures.opened = None
    captures.changed.emit(None)
    settle()
    assert page.state.text().startswith("No model is open.")
    assert not page.button.isVisible()


def test_another_model_takes_the_results_of_the_first_away(with_model, captures, qtbot, settle):
    page = with_model.next_token
    run(qtbot, page)
    assert page.table.isVisible()
    captures.opened = replace(captures.opened, prompt="another")
    captures.changed.emit(captures.opened.capture)
    settle()
    assert not page.table.isVisible()


# --------------------------------------------------------------------------------- in the window


def test_the_lab_is_one_of_the_docks_of_the_window(window, settle):
    window.docks.show(["ablationLabDock"])
    settle()
    lab = window.docks.ablation_lab
    assert lab.is_in_sight()
    assert window.width() == 1280
    kinds = [lab.controls.kind.itemData(n) for n in range(lab.controls.kind.count())]
    assert kinds == [kind for kind in AblationKind if kind is not AblationKind.VALUE_BIAS]


@pytest.mark.parametrize("size", [(380, 700), (1000, 500)])
def test_choices_stand_above_or_beside(open_dock, captures, size):
    dock = open_dock(lambda bench: AblationLabDock(bench, captures), *size)
    assert (dock.width(), dock.height()) == size
    controls = dock.controls.mapTo(dock, dock.controls.rect().topRight())
    shown = dock.effect.mapTo(dock, dock.effect.rect().topLeft())
    assert (controls.x() <= shown.x()) == (size[0] > 500)


@pytest.mark.parametrize("kind", ["zero", "mean", "uniform", "one edge", "gain"])
def test_one_head_at_one_position_of_huge_numbers(dock, bench, qtbot, settle, kind):
    head = bench.scene.heads[1]
    huge = replace(head, w_v=1e30 * np.ones_like(head.w_v))
    alone = replace(
        bench.scene, heads=(huge,), x=1e30 * np.ones((1, 8)), w_o=1e30 * np.ones((2, 8))
    )
    bench.edit(OpenScene(alone))
    choose(qtbot, dock.controls.kind, kind)
    settle()
    expected = 0.0 if kind in ("mean", "uniform", "gain") else 8e90 * 2 * np.sqrt(8)
    assert cells(dock.effect.table)[0, 0] == pytest.approx(expected)
    show_page(qtbot, dock, dock.importance)
    settle()
    np.testing.assert_allclose(cells(dock.importance.table)[:2], -8e90 * 2 * np.sqrt(8))


def test_two_layers_are_said_to_be_as_they_were(dock, bench, settle):
    bench.open(load_lesson("induction"))
    settle()
    assert "Heads of layer 2 read what they read before." in dock.controls.words.text()


def test_tab_goes_through_the_choices_as_they_stand(dock, qtbot, settle):
    dock.take_focus()
    stops = []
    for _ in range(6):
        stops.append(dock.focusWidget())
        qtbot.keyClick(dock.focusWidget(), Qt.Key.Key_Tab)
    controls = dock.controls
    first = (controls.follows, controls.picker, controls.kind, controls.wrong, controls.mute)
    assert stops[:5] == list(first)
    assert stops[5] is next(iter(dock.pages))


def test_a_model_that_is_opened_in_the_window_can_be_run_without_a_head(
    window, model, qtbot, settle
):
    capture = Capture("tiny", model.layers, token_ids=tuple(range(T)))
    assert window.captures.open(Opened(capture, model=model), 1)
    window.docks.show(["ablationLabDock"])
    settle()
    lab = window.docks.ablation_lab
    show_page(qtbot, lab, lab.next_token)
    settle()
    assert lab.next_token.state.text().startswith("L1 H0 (zero): not run yet.")
    run(qtbot, lab.next_token)
    assert lab.next_token.table.isVisible()
    window.captures.show(0, 2)
    settle()
    assert lab.next_token.state.text().startswith("L0 H2 (zero): not run yet.")
