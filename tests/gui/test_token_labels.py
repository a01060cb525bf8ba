"""Tokens beside the positions: in the heatmaps' axes, and in the read-out of the cursor."""

import pytest
from PySide6.QtCore import QSizeF
from PySide6.QtGui import QFont

from mhagui.document import load_lesson
from mhagui.document.edits import OpenScene
from mhagui.document.token_edits import RepeatToken, SetTokens
from mhagui.gui.docks.heatmaps import HeatmapsDock
from mhagui.gui.pictures import cursor_text
from mhagui.gui.widgets.matrix_layout import MARGIN, Surroundings, lay_out
from mhagui.gui.widgets.matrix_view import MatrixView

WORDS = ("cat", "sat", "on", "the", "red", "mat")
LABELS = ("t1", "t2", "t3", "t4", "t5", "t6")
NAMES = tuple(f"{label} {word}" for label, word in zip(LABELS, WORDS, strict=True))


def layout_in(width, height, words=WORDS, labels=LABELS):
    around = Surroundings(labels, labels, None, QFont(), words, words)
    return lay_out(around, around.gutters(), QSizeF(width, height), 1.0)


def texts(labels):
    return tuple(label.text for label in labels)


def plain_layout_in(width, height):
    return layout_in(width, height, words=())


def test_words_stand_behind_positions_where_there_is_room():
    layout = layout_in(900, 600)
    assert texts(layout.row_labels) == texts(layout.column_labels) == NAMES


def test_columns_have_words_alone_where_both_are_too_wide():
    layout = layout_in(400, 190)
    assert texts(layout.row_labels) == NAMES
    assert texts(layout.column_labels) == WORDS


def test_rows_have_words_alone_where_both_would_make_cells_smaller():
    words = ("A", "B", "C", "D", "E", "F")
    layout = layout_in(200, 400, words)
    assert texts(layout.row_labels) == words


def test_long_words_are_left_out_where_they_would_make_cells_smaller():
    layout = layout_in(200, 400, ("because",) * 6)
    assert texts(layout.row_labels) == texts(layout.column_labels) == LABELS


def test_words_alone_are_for_every_row_or_none():
    labels = tuple(f"t{number}" for number in range(1, 65))
    layout = layout_in(200, 400, ("A",) * 64, labels)
    shown = texts(layout.row_labels)
    assert 1 < len(shown) < 64
    assert all(text.startswith("t") for text in shown)


@pytest.mark.parametrize("size", [(900, 600), (400, 190), (200, 400), (120, 90)])
def test_words_cost_no_cell_a_pixel_and_stay_inside(size):
    layout, plain = layout_in(*size), plain_layout_in(*size)
    assert layout.cell(0, 0).size() == plain.cell(0, 0).size()
    for label in layout.row_labels:
        assert label.box.right() < layout.cell(0, 0).left()
    assert layout.column(5).right() <= size[0] - MARGIN + 1


def test_row_labels_fit_between_the_edge_and_the_cells():
    around = Surroundings(LABELS, LABELS, None, QFont(), WORDS, WORDS)
    for width in range(150, 400, 10):
        layout = layout_in(width, 190)
        widest = around.width_of(texts(layout.row_labels))
        assert layout.row_labels[0].box.width() >= widest


# ---------------------------------------------------------------------------------- on the bench


@pytest.fixture
def dock(qtbot, bench, settle):
    bench.edit(OpenScene(load_lesson("content-position")))
    dock = HeatmapsDock(bench)
    qtbot.addWidget(dock)
    dock.resize(680, 440)
    with qtbot.waitExposed(dock):
        dock.show()
    settle()
    return dock


def test_heatmaps_follow_the_tokens(bench, dock, settle):
    view = dock.findChild(MatrixView, "heatmap2")
    assert texts(view.laid_out.row_labels) == NAMES
    bench.edit(RepeatToken(0, 4))  # head 2 reads positions alone: its weights stay
    settle()
    assert texts(view.laid_out.row_labels)[4] == "t5 cat"
    bench.point(query=4, key=0)
    settle()
    assert view.accessibleDescription().startswith("row t5 cat, column t1 cat, weight ")


def test_designed_heads_whose_weights_stay_the_same_array_follow_as_well(bench, dock, settle):
    bench.edit(OpenScene(load_lesson("induction")))
    settle()
    view = dock.findChild(MatrixView, "heatmap1")
    bench.edit(SetTokens(tuple("^ABCABCA")))
    settle()
    assert view.picture.row_words == tuple("^ABCABCA")


def test_scenes_without_tokens_have_their_positions(bench, dock, settle):
    bench.edit(OpenScene(load_lesson("four-heads")))
    settle()
    view = dock.findChild(MatrixView, "heatmap1")
    assert texts(view.laid_out.row_labels) == LABELS


def test_the_read_out_says_the_tokens(bench):
    bench.edit(OpenScene(load_lesson("content-position")))
    bench.point(query=3, key=2)
    assert cursor_text(bench.frame).startswith("head 1 · t = 4 “the” · i = 3 “on” · weight ")
    bench.edit(SetTokens(("in the end", "cat")))
    bench.point(query=0, key=1)
    assert cursor_text(bench.frame) == "head 1 · t = 1 “in␣the␣…” · i = 2 “cat” · masked"
