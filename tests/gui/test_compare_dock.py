"""The compare dock, with the mouse and the keys of a user."""

import csv
import gc
import weakref
from dataclasses import replace
from functools import partial
from threading import Event, current_thread, main_thread

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QPushButton, QWidget

from mhagui.document import ColourScale, compute, load_lesson, on_demand
from mhagui.document.capture import Capture, CapturedLayer
from mhagui.document.edits import DuplicateHead, OpenScene, SetSequenceLength, set_gain
from mhagui.document.mask_rule import MaskKind, MaskRule
from mhagui.document.session import Session
from mhagui.document.session_file import write_session
from mhagui.gui.capture_session import CaptureSession, Opened
from mhagui.gui.docks import compare, compare_opening
from mhagui.gui.docks.compare import CompareDock
from mhagui.gui.file_session import FileSession
from mhagui.gui.opening import trial
from mhagui.gui.opening.import_dialog import ImportDialog
from mhagui.gui.watch import Dropped

LEFT = Qt.MouseButton.LeftButton
A, B, DIFFERENCE, ROWS = range(4)


@pytest.fixture
def captures(bench, qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    return CaptureSession(bench, FileSession(bench, window, int), window)


@pytest.fixture
def dock(open_dock, captures):
    return open_dock(partial(_dock, captures), 640, 440)


def _dock(captures, bench):
    return CompareDock(bench, captures)


def choose(qtbot, box, text):
    """Choose an entry as a user does: by keys in the box."""
    box.setFocus()
    steps = box.findText(text, Qt.MatchFlag.MatchStartsWith) - box.currentIndex()
    for _ in range(abs(steps)):
        qtbot.keyClick(box, Qt.Key.Key_Down if steps > 0 else Qt.Key.Key_Up)
    assert box.currentText().startswith(text)


def shown(dock, place):
    return np.asarray(dock.pictures.views[place].picture.values)


def titles(dock):
    return [title.text() for title in dock.pictures.titles]


def entries(box):
    return [box.itemText(row) for row in range(box.count())]


def weights(scene, place):
    return np.asarray(compute(scene).heads[place].weights)


def softmax(scores, allowed):
    powers = np.where(allowed, np.exp(scores), 0.0)
    return powers / powers.sum(axis=-1, keepdims=True)


def captured(seed, shape=(6, 6), n_layers=2, n_heads=3, tokens=()):
    """A capture of random weights, causal where square."""
    rng = np.random.default_rng(seed)
    allowed = np.tri(*shape, dtype=bool) if shape[0] == shape[1] else np.ones(shape, bool)
    layers = tuple(
        CapturedLayer(n, given=softmax(rng.normal(size=(n_heads, *shape)), allowed))
        for n in range(n_layers)
    )
    return Capture(f"model {seed}", layers, tokens, tokens)


def bits(p, q):
    """The divergence of two rows from its definition: (KL(p, m) + KL(q, m)) / 2."""
    m = (p + q) / 2
    return sum(float(np.sum(r[r > 0] * np.log2(r[r > 0] / m[r > 0]))) for r in (p, q)) / 2


# ------------------------------------------------------------------------------------ what is shown


def test_two_heads_stand_side_by_side_with_their_exact_difference(dock, bench):
    one, other = weights(bench.scene, 0), weights(bench.scene, 1)
    assert np.array_equal(shown(dock, A), one)
    assert np.array_equal(shown(dock, B), other)
    assert np.array_equal(shown(dock, DIFFERENCE), other - one)
    assert titles(dock)[:3] == ["A  h1 first token", "B  h2 previous token", "B − A"]


def test_each_row_has_its_divergence_in_bits(dock, bench):
    one, other = weights(bench.scene, 0), weights(bench.scene, 1)
    expected = [bits(p, q) for p, q in zip(one, other, strict=True)]
    assert shown(dock, ROWS).ravel() == pytest.approx(expected, abs=1e-12)
    mean = f"{np.mean(expected):.3f}"
    assert mean in dock.summary.text()
    worst = int(np.argmax(expected))
    assert f"{expected[worst]:.3f} at t{worst + 1}" in dock.summary.accessibleName()


def test_the_largest_difference_is_named_with_its_sign(dock, bench):
    difference = weights(bench.scene, 1) - weights(bench.scene, 0)
    t, i = np.unravel_index(np.abs(difference).argmax(), difference.shape)
    assert f"B − A: +{difference[t, i]:.4f} at t{t + 1}, i{i + 1}" in dock.summary.text()


def test_a_and_b_have_one_scale_and_the_difference_is_centred(dock):
    one, other, difference, rows = (view.picture for view in dock.pictures.views)
    assert (one.low, one.high) == (other.low, other.high) == (0.0, 1.0)
    assert one.table is other.table
    assert difference.low == -difference.high
    assert difference.signed
    assert (rows.low, rows.high) == (0.0, 1.0)
    assert [strip.scale.high for strip in dock.strips] == [1.0, difference.high, 1.0]


def test_masked_cells_are_no_numbers_in_any_of_them(dock):
    for view in dock.pictures.views[:ROWS]:
        assert not view.picture.is_allowed(2, 3)
        assert view.picture.is_allowed(3, 3)


@pytest.mark.parametrize("rule", [MaskRule(MaskKind.FULL), MaskRule(MaskKind.SLIDING, 2)])
def test_cells_are_masked_by_the_rule_of_the_scene(dock, bench, settle, rule):
    bench.edit(OpenScene(replace(bench.scene, mask=rule)))
    settle()
    allowed = bench.frame.result.allowed
    for view in dock.pictures.views[:ROWS]:
        found = [[view.picture.is_allowed(t, i) for i in range(6)] for t in range(6)]
        assert np.array_equal(found, allowed)


@pytest.mark.parametrize("size", [(640, 440), (330, 330), (420, 760), (1200, 900)])
def test_rows_are_level_and_nothing_is_outside(dock, settle, size):
    dock.resize(*size)
    settle()
    pictures = dock.pictures
    for view in pictures.views:
        assert pictures.rect().contains(view.geometry())
    of_cells, of_rows = pictures.views[DIFFERENCE], pictures.views[ROWS]
    for row in range(6):
        cell, bar = of_cells.cell_rect(row, 0), of_rows.cell_rect(row, 0)
        assert abs(of_cells.y() + cell.top() - of_rows.y() - bar.top()) <= 1
        assert abs(cell.height() - bar.height()) <= 1


def test_the_same_head_on_both_sides_is_said_to_be_the_same(dock, bench, qtbot, settle):
    choose(qtbot, dock.sides[1].head_box, "h1")
    settle()
    assert dock.summary.accessibleName() == "The same weights, to the last digit"
    assert not shown(dock, DIFFERENCE).any()
    assert not shown(dock, ROWS).any()


def test_the_colour_scale_of_the_heatmaps_is_that_of_both(dock, bench, settle):

    bench.look(colour_scale=ColourScale.LOGARITHMIC)
    settle()
    assert dock.pictures.views[A].picture.logarithmic
    assert dock.pictures.views[B].picture.logarithmic
    assert not dock.pictures.views[DIFFERENCE].picture.logarithmic


# -------------------------------------------------------------------------------------- one cursor


def test_the_cursor_of_the_bench_is_in_all_pictures(dock, bench, settle):
    bench.point(query=5, key=2)
    settle()
    cells = [view.cursor_cell for view in dock.pictures.views]
    assert cells == [(5, 2), (5, 2), (5, 2), (5, 0)]


def test_keys_in_any_picture_move_it_and_leave_the_head(dock, bench, qtbot):
    bench.point(query=3, key=2)
    for place, key, cell in (
        (A, Qt.Key.Key_Down, (4, 2)),
        (B, Qt.Key.Key_Right, (4, 3)),
        (DIFFERENCE, Qt.Key.Key_Left, (4, 2)),
        (ROWS, Qt.Key.Key_Up, (3, 2)),
    ):
        qtbot.keyClick(dock.pictures.views[place], key)
        assert (bench.view.cursor.query, bench.view.cursor.key) == cell
        assert bench.view.cursor.head == 1


def test_zoom_is_the_same_in_all_pictures_and_on_the_bench(dock, bench, qtbot, settle):
    bench.edit(SetSequenceLength(40))
    bench.point(query=20, key=10)
    settle()
    qtbot.keyClick(dock.pictures.views[B], Qt.Key.Key_Plus)
    settle()
    window = bench.view.window
    assert window.count == 20
    parts = [view.part for view in dock.pictures.views]
    assert parts[0] == parts[1] == parts[2]
    assert parts[A].rows == parts[ROWS].rows == range(window.query, window.query + 20)
    qtbot.keyClick(dock.pictures.views[ROWS], Qt.Key.Key_0)
    settle()
    assert bench.view.window is None
    assert [view.part for view in dock.pictures.views] == [None] * 4


def test_the_wheel_over_the_rows_keeps_the_columns_that_are_shown(dock, bench, settle, wheel):
    bench.edit(SetSequenceLength(40))
    bench.point(query=20, key=30)
    settle()
    wheel(dock.pictures.views[ROWS], 240, modifiers=Qt.KeyboardModifier.ControlModifier)
    settle()
    window = bench.view.window
    assert window.key <= 30 < window.key + window.count


# ---------------------------------------------------------------- before and after an edit


def test_before_and_after_an_edit_of_the_cursors_head(dock, bench, qtbot, settle):
    before = weights(bench.scene, 0)
    bench.edit(set_gain(1, 2.0))
    settle()
    choose(qtbot, dock.sides[0].source_box, "Before the last edit")
    choose(qtbot, dock.sides[1].head_box, "cursor’s head")
    settle()
    assert np.array_equal(shown(dock, A), before)
    assert np.array_equal(shown(dock, DIFFERENCE), weights(bench.scene, 0) - before)
    bench.point(head=3)  # which the gain of another leaves as it is
    settle()
    assert dock.summary.accessibleName().startswith("The same weights")


def test_a_drag_is_followed_step_by_step(dock, bench, qtbot, settle):
    choose(qtbot, dock.sides[1].source_box, "On the bench")
    gesture = object()
    for gain in (1.5, 2.0, 2.5):
        bench.edit(set_gain(1, gain), gesture)
        settle()
        assert np.array_equal(shown(dock, A), weights(bench.scene, 0))
    choose(qtbot, dock.sides[0].source_box, "Before the last edit")
    settle()
    assert np.array_equal(shown(dock, A), weights(load_lesson("four-heads"), 0))


def test_any_state_of_the_history_can_be_compared(dock, bench, qtbot, settle):
    scenes = [bench.scene]
    for gain in (0.5, 1.5, 3.0):
        bench.edit(set_gain(1, gain), object())
        scenes.append(bench.scene)
    settle()
    for number in (0, 1, 3):
        choose(qtbot, dock.sides[0].source_box, f"State {number}: ")
        settle()
        assert np.array_equal(shown(dock, A), weights(scenes[number], 0))


def test_a_state_that_is_no_more_in_the_history_stays_compared(dock, bench, qtbot, settle):
    bench.edit(set_gain(1, 3.0))
    scene = bench.scene
    settle()
    choose(qtbot, dock.sides[0].source_box, "State 1")
    bench.undo()
    bench.edit(set_gain(2, 0.5))  # in the place of that step
    settle()
    assert np.array_equal(shown(dock, A), weights(scene, 0))
    assert dock.sides[0].source_box.currentText().endswith("(kept)")


def test_where_the_cursors_head_was_not_yet_it_is_said(dock, bench, qtbot, settle):

    bench.edit(DuplicateHead(1))
    settle()
    choose(qtbot, dock.sides[0].source_box, "Before the last edit")
    bench.point(head=bench.scene.heads[1].uid)
    settle()
    assert "before the last edit" in dock.reason.text()
    assert dock.reason.isVisible()
    assert not dock.pictures.isVisible()
    bench.point(head=1)
    settle()
    assert dock.pictures.isVisible()


# ---------------------------------------------------------------------------------- pinned, swapped


def test_a_pinned_head_stays_as_it_was(dock, bench, qtbot, settle):
    before = weights(bench.scene, 0)
    qtbot.mouseClick(dock.sides[0].pin, LEFT)
    settle()
    assert dock.sides[0].source_box.currentText() == "Pinned 1: h1 first token"
    choose(qtbot, dock.sides[1].head_box, "cursor’s head")
    bench.edit(set_gain(1, 3.0))
    settle()
    assert np.array_equal(shown(dock, A), before)
    assert np.array_equal(shown(dock, B), weights(bench.scene, 0))
    bench.edit(OpenScene(load_lesson("two-heads")))
    bench.undo()
    settle()
    assert np.array_equal(shown(dock, A), before)


def test_a_pinned_head_can_be_let_go(dock, qtbot, settle):
    qtbot.mouseClick(dock.sides[0].pin, LEFT)
    settle()
    assert dock.sides[0].pin.text() == "Unpin"
    assert dock.sides[1].pin.text() == "Pin"
    qtbot.mouseClick(dock.sides[0].pin, LEFT)
    settle()
    assert not [text for text in entries(dock.sides[1].source_box) if text.startswith("Pinned")]
    assert dock.sides[0].source_box.currentText() == "On the bench"


def test_a_pinned_head_on_both_sides_goes_from_both(dock, qtbot, settle):
    qtbot.mouseClick(dock.sides[0].pin, LEFT)
    choose(qtbot, dock.sides[1].source_box, "Pinned 1")
    qtbot.mouseClick(dock.sides[0].pin, LEFT)
    settle()
    assert [side.source_box.currentText() for side in dock.sides] == ["On the bench"] * 2


def test_a_swap_turns_the_sign(dock, qtbot, settle):
    one, other, difference = (shown(dock, place) for place in (A, B, DIFFERENCE))
    rows = shown(dock, ROWS)
    qtbot.mouseClick(dock.swap, LEFT)
    settle()
    assert np.array_equal(shown(dock, A), other)
    assert np.array_equal(shown(dock, B), one)
    assert np.array_equal(shown(dock, DIFFERENCE), -difference)
    assert np.array_equal(shown(dock, ROWS), rows)
    assert dock.sides[1].head_box.currentText().startswith("cursor’s head")


# ----------------------------------------------------------------------------- files and prompts


def test_layers_and_heads_of_what_is_open_can_be_chosen(dock, captures, qtbot, settle):
    capture = captured(1)
    captures.open(Opened(capture))
    settle()
    assert not dock.sides[1].layer_box.isVisible()
    choose(qtbot, dock.sides[1].source_box, "model 1")
    choose(qtbot, dock.sides[1].layer_box, "L1")
    choose(qtbot, dock.sides[1].head_box, "H2")
    settle()
    assert np.array_equal(shown(dock, B), capture.layer(1).weights[2])
    assert titles(dock)[B] == "B  L1 H2"


def test_two_prompts_are_told_apart_and_the_former_stays(dock, captures, qtbot, settle):
    one, other = captured(1), captured(2)
    captures.open(Opened(one, prompt="The cat sat"))
    settle()
    choose(qtbot, dock.sides[0].source_box, "“The cat sat” model 1")
    captures.open(Opened(other, prompt="The dog sat"))
    settle()
    choose(qtbot, dock.sides[1].source_box, "“The dog sat” model 2")
    settle()
    assert np.array_equal(shown(dock, A), one.layer(0).weights[0])
    assert np.array_equal(shown(dock, B), other.layer(0).weights[0])


def test_where_tokens_differ_the_difference_has_a_dot(dock, captures, qtbot, settle):
    tokens = ("a", "b", "c", "d"), ("longest-of-all", "another")
    one = captured(1, tokens=(*tokens[0], "e", "f"))
    other = captured(2, tokens=(*tokens[0], *tokens[1]))
    captures.open(Opened(one))
    settle()
    choose(qtbot, dock.sides[0].source_box, "model 1")
    captures.open(Opened(other))
    settle()
    choose(qtbot, dock.sides[1].source_box, "model 2")
    settle()
    words = [view.picture.row_words for view in dock.pictures.views]
    assert words == [
        (*tokens[0], "e", "f"), (*tokens[0], *tokens[1]), (*tokens[0], "·", "·"), ()
    ]  # fmt: skip
    cells = [view.cell_rect(5, 5) for view in dock.pictures.views[:ROWS]]
    tops = {v.y() + cell.top() for v, cell in zip(dock.pictures.views, cells, strict=False)}
    assert len(tops) == 1
    assert len({(cell.width(), cell.height()) for cell in cells}) == 1
    tips = dock.pictures.views[DIFFERENCE].picture.column_tips
    assert "A:" not in tips[3]
    assert tips[4].startswith("A: ")
    assert "e" in tips[4].split("B: ")[0]
    assert "longest-of-all" in tips[4].split("B: ")[1]


def test_shapes_that_differ_are_refused_with_the_numbers(dock, captures, qtbot, settle):
    captures.open(Opened(captured(1, shape=(9, 9))))
    settle()
    dock.bench.undo()  # the scene of six positions is back, and the capture stays open
    settle()
    choose(qtbot, dock.sides[1].source_box, "model 1")
    settle()
    assert "6 and 9 queries" in dock.reason.text()
    assert dock.reason.isVisible()
    assert not dock.save.isEnabled()
    assert dock.own_tables() == ()
    choose(qtbot, dock.sides[1].source_box, "On the bench")
    settle()
    assert dock.pictures.isVisible()
    assert dock.save.isEnabled()


def test_weights_that_are_not_kept_are_not_compared(dock, bench, settle, monkeypatch):
    monkeypatch.setattr(on_demand, "MOST_KEPT", 4 * 20**2)
    bench.edit(SetSequenceLength(21))
    settle()
    assert dock.reason.text().startswith("T = 21: these are more weights than are kept")


def test_matrices_of_another_size_have_a_cursor_of_their_own(dock, bench, captures, qtbot, settle):
    capture = captured(1, shape=(12, 30))
    dock._on_opened(_source_of(capture))
    settle()
    choose(qtbot, dock.sides[0].source_box, "model 1")
    choose(qtbot, dock.sides[1].head_box, "H1")
    settle()
    before = bench.view.cursor
    view = dock.pictures.views[A]
    for _ in range(4):
        qtbot.keyClick(view, Qt.Key.Key_Right)
    qtbot.keyClick(view, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    assert [each.cursor_cell for each in dock.pictures.views[:ROWS]] == [(11, 29)] * 3
    qtbot.keyClick(view, Qt.Key.Key_Plus)
    part = view.part
    assert len(part.columns) == 15
    assert 29 in part.columns
    assert 11 in part.rows
    assert bench.view.cursor == before
    assert bench.view.window is None


def _source_of(capture):
    from mhagui.gui.docks.compare_opening import of_opened

    return of_opened(("opened", 1), Opened(capture))


def test_what_takes_long_is_compared_aside(dock, bench, qtbot, settle):
    dock._on_opened(_source_of(captured(3, shape=(600, 600), n_layers=1)))
    settle()
    choose(qtbot, dock.sides[0].source_box, "model 3")
    choose(qtbot, dock.sides[1].head_box, "H2")
    qtbot.waitUntil(lambda: titles(dock)[:2] == ["A  L0 H0", "B  L0 H2"])
    qtbot.waitUntil(lambda: not dock._is_behind)
    assert shown(dock, DIFFERENCE).shape == (600, 600)
    qtbot.waitUntil(lambda: not dock.pictures._pooling.is_busy)


def test_a_drag_of_many_weights_is_compared_when_the_hand_rests(
    dock, bench, qtbot, settle, monkeypatch
):
    made, usual = [], compare.compared

    def counted(*given):
        made.append(given)
        return usual(*given)

    monkeypatch.setattr(compare, "compared", counted)
    monkeypatch.setattr(compare, "MOST_LIVE", 0)
    before = shown(dock, DIFFERENCE)
    for gain in (2.0, 3.0, 4.0):
        bench.edit(set_gain(bench.view.cursor.head, gain))
        settle()
    assert made == []
    qtbot.waitUntil(lambda: not dock._is_behind)
    settle()
    assert len(made) == 1
    assert not np.array_equal(shown(dock, DIFFERENCE), before)


def test_weights_that_are_clear_are_opened_to_compare(dock, bench, qtbot, tmp_path, settle):
    layers = [layer.weights for layer in captured(4).layers]
    path = tmp_path / "attention.npz"
    np.savez(path, **{f"attentions.{n}": weights for n, weights in enumerate(layers)})
    scene = bench.scene
    with qtbot.waitSignal(dock._opening.opened):
        dock._opening.open(path)
    settle()
    assert bench.scene is scene
    assert dock.sides[1].source_box.currentText().startswith("attention")
    choose(qtbot, dock.sides[1].layer_box, "L1")
    settle()
    assert np.array_equal(shown(dock, B), layers[1][0])


def attention_file(path, seed):
    weights = [layer.weights for layer in captured(seed).layers]
    np.savez(path, **{f"attentions.{n}": each for n, each in enumerate(weights)})
    return path


def forget(dock, number):
    """Forget what was opened, by its number in the menu."""
    menu = dock.let_go.menu()
    menu.aboutToShow.emit()
    menu.actions()[number].trigger()


def test_files_that_were_opened_are_forgotten_one_by_one(dock, qtbot, tmp_path, settle):
    for name, seed in (("one&two.npz", 4), ("three.npz", 5)):
        with qtbot.waitSignal(dock._opening.opened):
            dock._opening.open(attention_file(tmp_path / name, seed))
        settle()
    choose(qtbot, dock.sides[0].source_box, "one&two")
    settle()
    dock.open.setFocus()
    qtbot.keyClick(dock.open, Qt.Key.Key_Tab)
    assert dock.let_go.hasFocus()
    first, second = (weakref.ref(source.capture) for source in dock._opened)
    dock.let_go.menu().aboutToShow.emit()
    assert [a.text() for a in dock.let_go.menu().actions()] == ["one&&two.npz", "three.npz"]
    forget(dock, 0)
    settle()
    assert dock.sides[0].source_box.currentText() == "On the bench"
    assert dock.sides[1].source_box.currentText() == "three.npz"
    assert "one&two.npz" not in entries(dock.sides[1].source_box)
    gc.collect()
    assert first() is None
    assert second() is not None
    assert dock.let_go.isEnabled()
    forget(dock, 0)
    settle()
    gc.collect()
    assert second() is None
    assert not dock.let_go.isEnabled()
    assert [side.source_box.currentText() for side in dock.sides] == ["On the bench"] * 2


def test_states_in_place_of_one_another_are_never_taken_for_one(dock, bench, settle):
    keys = []
    for step in range(12):
        bench.edit(set_gain(1, 1.5 + step), object())
        settle()
        keys += [s.key for s in dock._sources.values() if s.title.startswith("State 1:")]
        bench.undo()
        settle()
    assert len(set(keys)) == 12


def test_a_state_is_the_same_when_the_dock_comes_back(dock, bench, qtbot, settle):
    bench.edit(set_gain(1, 3.0))
    settle()
    choose(qtbot, dock.sides[0].source_box, "State 0: ")
    settle()
    dock.forget()
    dock.redraw()
    settle()
    assert dock.sides[0].source_box.currentText() == "State 0: as it was opened"


def test_what_a_file_is_is_found_aside(dock, qtbot, tmp_path, monkeypatch):
    from safetensors.numpy import save_file

    path, threads = tmp_path / "attention.safetensors", []
    save_file({"attentions.0": np.array(captured(4).layer(0).weights)[np.newaxis]}, path)
    find = compare_opening.kind_of
    monkeypatch.setattr(
        compare_opening, "kind_of", lambda path: threads.append(current_thread()) or find(path)
    )
    with qtbot.waitSignal(dock._opening.opened):
        dock._opening.open(path)
    assert len(threads) == 1
    assert threads[0] is not main_thread()


def test_another_file_ends_the_reading_of_the_first(dock, qtbot, tmp_path, monkeypatch, settle):
    go_on, ended, look = Event(), Event(), trial.look

    def slow(path, watch):
        if path.name == "first.npz":
            assert go_on.wait(20)
            try:
                watch(0)
            except Dropped:
                ended.set()
                raise
        return look(path, watch)

    monkeypatch.setattr(trial, "look", slow)
    with qtbot.waitSignal(dock._opening.opened):
        for number, name in enumerate(("first.npz", "second.npz")):
            dock._opening.open(attention_file(tmp_path / name, number))
        go_on.set()
    settle()
    assert ended.is_set()
    assert dock.sides[1].source_box.currentText() == "second.npz"


def test_where_axes_are_not_clear_they_are_asked_for(dock, qtbot, tmp_path, settle):
    weights_of_file = captured(4).layer(0).weights
    path = tmp_path / "attention.npy"
    np.save(path, weights_of_file)
    dock._opening.open(path)
    qtbot.waitUntil(lambda: dock.findChild(ImportDialog) is not None)
    dialog = dock.findChild(ImportDialog)
    qtbot.mouseClick(dialog.findChild(QPushButton, "importOpen"), LEFT)
    settle()
    assert dialog.trial.capture.layer(0).weights.shape == (3, 6, 6)
    assert np.array_equal(shown(dock, B), weights_of_file[0])


def test_a_file_is_asked_for_in_the_menu(dock, qtbot, tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (asked.append(1) or "", ""))
    next(a for a in dock.open.menu().actions() if "File" in a.text()).trigger()
    assert asked == [1]


def test_a_scene_is_opened_to_compare(dock, bench, qtbot, tmp_path, settle):
    path = tmp_path / "louder.mhascene"
    louder = set_gain(1, 3.0).apply(bench.scene)
    write_session(path, Session.of(louder))
    with qtbot.waitSignal(dock._opening.opened):
        dock._opening.open(path)
    settle()
    choose(qtbot, dock.sides[1].head_box, "h1")
    settle()
    assert dock.sides[1].source_box.currentText() == "louder.mhascene"
    assert np.array_equal(shown(dock, B), weights(louder, 0))


def test_what_cannot_be_opened_is_said_and_nothing_changes(dock, bench, qtbot, tmp_path):
    path = tmp_path / "half.npy"
    np.save(path, np.ones((2, 4, 4)))
    path.write_bytes(path.read_bytes()[:100])
    before = entries(dock.sides[1].source_box)
    with qtbot.waitSignal(bench.failed) as told:
        dock._opening.open(path)
    assert "half.npy" in told.args[0]
    assert entries(dock.sides[1].source_box) == before


def test_another_prompt_is_offered_only_of_a_model(dock, captures):
    dock.open.menu().aboutToShow.emit()
    assert not dock._another_prompt.isEnabled()


# ------------------------------------------------------------------------------------- numbers out


def test_all_numbers_are_saved_with_all_digits(dock, bench, qtbot, tmp_path, monkeypatch):
    path = tmp_path / "comparison.csv"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    qtbot.mouseClick(dock.save, LEFT)
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 36
    one, other = weights(bench.scene, 0), weights(bench.scene, 1)
    for row in rows:
        t, i = int(row["t"]) - 1, int(row["i"]) - 1
        assert float(row["weight_a"]) == one[t, i]
        assert float(row["weight_b"]) == other[t, i]
        assert float(row["difference"]) == other[t, i] - one[t, i]
        assert float(row["row_jensen_shannon_bits"]) == shown(dock, ROWS)[t, 0]


def test_a_folder_that_is_not_there_is_said(dock, qtbot, tmp_path, monkeypatch):
    path = tmp_path / "nowhere" / "comparison.csv"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    with qtbot.waitSignal(dock.bench.failed) as told:
        qtbot.mouseClick(dock.save, LEFT)
    assert "nowhere" in told.args[0]


def test_tables_are_of_what_is_shown(dock):
    made = {name: make() for name, make, _ in dock.own_tables()}
    assert np.array_equal(made["A"].values, shown(dock, A))
    assert np.array_equal(made["B"].values, shown(dock, B))
    assert np.array_equal(made["B − A"].values, shown(dock, DIFFERENCE))
    assert np.array_equal(made["divergences"].values, shown(dock, ROWS))
    assert list(made["A"].row_labels) == ["t1", "t2", "t3", "t4", "t5", "t6"]


# -------------------------------------------------------------------------------------- keyboard


def test_tab_goes_through_boxes_buttons_and_pictures(dock, qtbot):
    stops = []
    dock.sides[0].source_box.setFocus()
    for _ in range(13):
        stops.append(dock.focusWidget().objectName())
        qtbot.keyClick(dock.focusWidget(), Qt.Key.Key_Tab)
    assert stops == [
        "compareASource", "compareAHead", "compareAPin",
        "compareBSource", "compareBHead", "compareBPin",
        "compareSwap", "compareOpen", "compareSave",
        "compareA", "compareB", "compareDifference", "compareRows",
    ]  # fmt: skip


def test_what_is_out_of_sight_is_let_go_and_comes_back(dock, bench, settle):
    dock.forget()
    dock.redraw()
    settle()
    assert np.array_equal(shown(dock, A), weights(bench.scene, 0))
