"""Layers, heads and prompts of what is open, compared; matrices of other sizes, and large ones."""

from dataclasses import replace

import numpy as np
from PySide6.QtCore import Qt

from mhagui.document import on_demand
from mhagui.document.edits import SetSequenceLength, set_gain
from mhagui.gui.capture_session import Opened
from mhagui.gui.docks import compare

A, B, DIFFERENCE, ROWS = range(4)


# ----------------------------------------------------------------------------- files and prompts


def test_layers_and_heads_of_what_is_open_can_be_chosen(
    dock, captures, settle, choose, shown, titles, captured
):
    capture = captured(1)
    captures.open(Opened(capture))
    settle()
    assert not dock.sides[1].layer_box.isVisible()
    choose(dock.sides[1].source_box, "model 1")
    choose(dock.sides[1].layer_box, "L1")
    choose(dock.sides[1].head_box, "H2")
    settle()
    assert np.array_equal(shown(dock, B), capture.layer(1).weights[2])
    assert titles(dock)[B] == "B  L1 H2"


def test_two_prompts_are_told_apart_and_the_former_stays(
    dock, captures, settle, choose, shown, captured
):
    one, other = captured(1), captured(2)
    captures.open(Opened(one, prompt="The cat sat"))
    settle()
    choose(dock.sides[0].source_box, "“The cat sat” model 1")
    captures.open(Opened(other, prompt="The dog sat"))
    settle()
    choose(dock.sides[1].source_box, "“The dog sat” model 2")
    settle()
    assert np.array_equal(shown(dock, A), one.layer(0).weights[0])
    assert np.array_equal(shown(dock, B), other.layer(0).weights[0])


def test_parts_of_characters_are_told_apart(dock, captures, settle, choose, captured):
    pieces = ("▁a", "<0xF0>", "<0x9F>", "<0x98>", "<0x80>", "▁b")
    decoded = (" a", *"\ufffd" * 4, " b")
    captures.open(
        Opened(replace(captured(1, tokens=decoded), pieces=pieces, token_scheme="sentencepiece"))
    )
    settle()
    choose(dock.sides[0].source_box, "model 1")
    settle()
    words = dock.pictures.views[A].picture.row_words
    assert words == dock.pictures.views[A].picture.column_words
    assert [word.strip("⟨⟩…") for word in words[1:5]] == ["F0", "9F", "98", "80"]


def test_where_tokens_differ_the_difference_has_a_dot(dock, captures, settle, choose, captured):
    tokens = ("a", "b", "c", "d"), ("longest-of-all", "another")
    one = captured(1, tokens=(*tokens[0], "e", "f"))
    other = captured(2, tokens=(*tokens[0], *tokens[1]))
    captures.open(Opened(one))
    settle()
    choose(dock.sides[0].source_box, "model 1")
    captures.open(Opened(other))
    settle()
    choose(dock.sides[1].source_box, "model 2")
    settle()
    words = [view.picture.row_words for view in dock.pictures.views]
    differing = (*tokens[0], "·", "·")
    assert words == [(*tokens[0], "e", "f"), (*tokens[0], *tokens[1]), differing, differing]
    rows = dock.pictures.views[ROWS]  # whose words are said, but drawn beside the third alone
    assert not rows.laid_out.row_labels
    row = dock.bench.view.cursor.query
    assert rows.accessibleDescription().startswith(f"row t{row + 1} {differing[row]}, bits ")
    cells = [view.cell_rect(5, 5) for view in dock.pictures.views[:ROWS]]
    tops = {v.y() + cell.top() for v, cell in zip(dock.pictures.views, cells, strict=False)}
    assert len(tops) == 1
    assert len({(cell.width(), cell.height()) for cell in cells}) == 1
    tips = dock.pictures.views[DIFFERENCE].picture.column_tips
    assert "A:" not in tips[3]
    assert tips[4].startswith("A: ")
    assert "e" in tips[4].split("B: ")[0]
    assert "longest-of-all" in tips[4].split("B: ")[1]


def test_shapes_that_differ_are_refused_with_the_numbers(dock, captures, settle, choose, captured):
    captures.open(Opened(captured(1, shape=(9, 9))))
    settle()
    dock.bench.undo()  # the scene of six positions is back, and the capture stays open
    settle()
    choose(dock.sides[1].source_box, "model 1")
    settle()
    assert "6 and 9 queries" in dock.reason.text()
    assert dock.reason.isVisible()
    assert not dock.save.isEnabled()
    assert dock.own_tables() == ()
    choose(dock.sides[1].source_box, "On the bench")
    settle()
    assert dock.pictures.isVisible()
    assert dock.save.isEnabled()


def test_weights_that_are_not_kept_are_not_compared(dock, bench, settle, monkeypatch):
    monkeypatch.setattr(on_demand, "MOST_KEPT", 4 * 20**2)
    bench.edit(SetSequenceLength(21))
    settle()
    assert dock.reason.text().startswith("T = 21: these are more weights than are kept")


def test_matrices_of_another_size_have_a_cursor_of_their_own(
    dock, bench, captures, qtbot, settle, choose, captured
):
    capture = captured(1, shape=(12, 30))
    dock._on_opened(_source_of(capture))
    settle()
    choose(dock.sides[0].source_box, "model 1")
    choose(dock.sides[1].head_box, "H1")
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


def test_what_takes_long_is_compared_aside(
    dock, bench, qtbot, settle, choose, shown, titles, captured
):
    dock._on_opened(_source_of(captured(3, shape=(600, 600), n_layers=1)))
    settle()
    choose(dock.sides[0].source_box, "model 3")
    choose(dock.sides[1].head_box, "H2")
    qtbot.waitUntil(lambda: titles(dock)[:2] == ["A  L0 H0", "B  L0 H2"])
    qtbot.waitUntil(lambda: not dock._is_behind)
    assert shown(dock, DIFFERENCE).shape == (600, 600)
    qtbot.waitUntil(lambda: not dock.pictures._pooling.is_busy)


def test_a_drag_of_many_weights_is_compared_when_the_hand_rests(
    dock, bench, qtbot, settle, monkeypatch, shown
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
