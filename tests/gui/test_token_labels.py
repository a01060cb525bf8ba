"""Tokens beside the positions: in the heatmaps' axes, and in the read-out of the cursor."""

import math
import re
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QPoint, QPointF, QSizeF
from PySide6.QtGui import QFont, QFontMetricsF, QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip

from mhagui.document import load_lesson, token_text
from mhagui.document.edits import OpenScene
from mhagui.document.token_edits import RepeatToken, SetTokens
from mhagui.gui.docks.entropy import EntropyDock
from mhagui.gui.docks.heatmaps import HeatmapsDock
from mhagui.gui.docks.impulse import ImpulseDock
from mhagui.gui.pictures import cursor_text
from mhagui.gui.widgets.label_text import drawable, fitted
from mhagui.gui.widgets.matrix_layout import MARGIN, lay_out
from mhagui.gui.widgets.matrix_painter import number_room
from mhagui.gui.widgets.matrix_picture import Part
from mhagui.gui.widgets.matrix_surroundings import Surroundings
from mhagui.gui.widgets.matrix_view import MatrixView
from mhagui.gui.widgets.plot_axes import Form
from mhagui.gui.widgets.stem_plot import StemPlot

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


def test_pieces_of_a_known_scheme_are_decoded_everywhere(bench, open_dock, settle):
    # "é" alone would be taken for text: nothing here tells that it is a byte.
    pieces = ("a", "é", "b", "Ã", "©", "c")
    scene = replace(load_lesson("four-heads"), tokens=pieces, token_scheme="byte-level")
    heatmaps = open_dock(HeatmapsDock, 900, 700)
    bench.edit(OpenScene(scene))
    bench.point(query=1)
    settle()
    picture = heatmaps.findChild(MatrixView, "heatmap1").picture
    assert picture.row_words == picture.column_words == ("a", "⟨E9⟩", "b", "⟨C3…", "…A9⟩", "c")
    assert picture.row_tips[4].splitlines() == ["t5 …A9⟩", "piece ©", "t4 to t5 make é together"]
    assert "t = 2 “⟨E9⟩”" in cursor_text(bench.frame)
    bench.edit(OpenScene(replace(scene, token_scheme="plain")))
    settle()
    assert heatmaps.findChild(MatrixView, "heatmap1").picture.row_words == pieces


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


def test_long_words_of_rows_are_left_out_where_they_would_make_cells_much_smaller():
    layout = layout_in(200, 400, ("because",) * 6)
    assert texts(layout.row_labels) == LABELS


def test_long_words_of_columns_stand_upwards_where_there_is_room():
    layout = layout_in(200, 400, ("because",) * 6)
    shown = layout.column_labels
    assert texts(shown) == tuple(f"t{number} because" for number in range(1, 7))
    assert all(label.is_turned for label in shown)
    assert all(label.box.top() >= layout.row(5).bottom() for label in shown)
    assert all(label.box.bottom() <= 400 for label in shown)


def test_long_words_of_rows_are_cut_in_the_middle():
    words = ("incomprehensibilities", "a", "b", "c", "d", "e")
    shown = texts(layout_in(290, 240, words).row_labels)
    assert shown[1:] == ("t2 a", "t3 b", "t4 c", "t5 d", "t6 e")
    assert re.fullmatch("t1 inc[a-z]*…[a-z]*ies", shown[0])


def test_upright_words_end_at_the_cells(shown_matrix, grabbed):
    """The ink of each is in its box, and that of a short one in the half beside the cells."""
    words = ("incredible", "l", "because", "because", "because", "because")
    view = shown_matrix(np.zeros((6, 6)), (200, 400), column_words=words)
    ink = grabbed(view).astype(int).sum(axis=2) < 600
    boxes = [label.box.toAlignedRect() for label in view.laid_out.column_labels]
    for box in boxes:
        assert ink[box.top() : box.bottom(), box.left() : box.right()].any()
    short = boxes[1]
    lower = slice(round(short.center().y()), short.bottom() + 1)
    assert not ink[lower, short.left() : short.right()].any()
    assert not ink[boxes[0].bottom() + 2 : 396, 4:196].any()


def test_of_many_rows_every_second_has_its_word():
    labels = tuple(f"t{number}" for number in range(1, 25))
    shown = texts(layout_in(600, 250, ("cat",) * 24, labels).row_labels)
    assert shown == tuple(f"t{number} cat" for number in range(1, 25, 2))


def test_words_alone_are_for_every_row_or_none():
    labels = tuple(f"t{number}" for number in range(1, 65))
    layout = layout_in(200, 400, ("A",) * 64, labels)
    shown = texts(layout.row_labels)
    assert 1 < len(shown) < 64
    assert all(text.startswith("t") for text in shown)


@pytest.mark.parametrize("size", [(900, 600), (400, 190), (200, 400), (120, 90), (600, 600)])
@pytest.mark.parametrize("words", [WORDS, ("because",) * 6, ("中文字",) * 6])
def test_words_cost_cells_an_eighth_at_most_and_stay_inside(size, words):
    layout, plain = layout_in(*size, words), plain_layout_in(*size)
    cell, least = layout.cell(0, 0).width(), plain.cell(0, 0).width() * 7 / 8
    assert cell >= math.floor(least)
    for label in layout.row_labels:
        assert label.box.right() < layout.cell(0, 0).left()
        assert QFontMetricsF(QFont()).horizontalAdvance(label.text) <= label.box.width()
    assert layout.column(5).right() <= size[0] - MARGIN + 1
    assert layout.row(5).bottom() <= size[1] - MARGIN + 1
    assert all(label.box.bottom() <= size[1] for label in layout.column_labels)


def test_words_take_no_cell_its_number():
    numbered = Surroundings(LABELS, LABELS, None, QFont(), WORDS, WORDS, number_room=15.0)
    for height in range(90, 400):
        size = QSizeF(700, height)
        cell = lay_out(numbered, numbered.gutters(), size, 1.0).cell(0, 0).width()
        plain = plain_layout_in(700, height).cell(0, 0).width()
        assert cell >= 15 or plain < 15


def test_numbers_stay_in_the_cells_of_a_lesson_with_words(bench, dock, settle):
    view = dock.findChild(MatrixView, "heatmap1")
    for width, height in ((500, 330), (520, 360), (560, 380), (600, 420)):
        dock.resize(width, height)
        settle()
        cell = view.laid_out.cell(0, 0).width()
        view.set_picture(replace(view.picture, row_words=(), column_words=()))
        room = number_room(view.picture, view.font())
        assert cell >= room or view.laid_out.cell(0, 0).width() < room
        bench.edit(SetTokens(bench.scene.tokens[::-1]))
        settle()


words_of_any_script = st.text(
    st.sampled_from("abcm ␣…⏎中文字שלוםمرحبا\u0301😀"), min_size=1, max_size=12
)


@given(
    st.lists(words_of_any_script, min_size=1, max_size=80),
    st.integers(60, 1200),
    st.integers(60, 900),
)
def test_no_two_labels_touch(words, width, height):
    words = token_text.labels(words)
    labels = tuple(f"t{number}" for number in range(1, len(words) + 1))
    layout = layout_in(width, height, words, labels)
    for shown in (layout.row_labels, layout.column_labels):
        for one, other in pairwise(shown):
            assert not one.box.intersects(other.box)
    for label in layout.column_labels:
        room = label.box.height() if label.is_turned else label.box.width()
        assert QFontMetricsF(QFont()).horizontalAdvance(label.text) <= room + 0.1
        assert 0 <= label.box.left() <= label.box.right() <= width or len(words) == 1


def test_the_gutter_stays_while_a_part_is_looked_at():
    words = tuple(f"word{number}" for number in range(60))
    labels = tuple(f"t{number}" for number in range(1, 61))
    around = Surroundings(labels, labels, None, QFont(), words, words)
    size = QSizeF(900, 800)
    whole = lay_out(around, around.gutters(), size, 1.0)
    part = lay_out(around, around.gutters(), size, 1.0, Part(range(20, 40), range(20, 40)))
    assert abs(whole.row_edges[-1] - part.row_edges[-1]) < 60  # whole pixels of 20 cells
    assert texts(part.row_labels) == tuple(f"t{n} word{n - 1}" for n in range(21, 41))
    assert all(label.is_turned for label in whole.column_labels)
    assert [label.place for label in part.column_labels] == list(range(20, 40))


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
    name = bench.scene.heads[0].name
    told = cursor_text(bench.frame)
    assert told.startswith(f"head 1 {name} · t = 4 “the” · i = 3 “on” · weight ")
    bench.edit(SetTokens(("in the end", "cat")))
    bench.point(query=0, key=1)
    told = cursor_text(bench.frame)
    assert told == f"head 1 {name} · t = 1 “in␣the␣end” · i = 2 “cat” · masked"


# ---------------------------------------------------------------------------------- tooltips


EMOJI = ("Ġa", "ðŁĺ", "Ģ", "Ċ")  # " a", an emoji in two tokens, and a line end


@pytest.fixture
def tip_at(qapp):
    """A function that gives the tooltip at a place of a widget."""

    def tip_at(widget, place):
        QToolTip.hideText()
        spot = QPointF(place).toPoint()
        QApplication.sendEvent(
            widget, QHelpEvent(QEvent.Type.ToolTip, spot, widget.mapToGlobal(spot))
        )
        text = QToolTip.text()
        QToolTip.hideText()
        qapp.processEvents()
        return text

    return tip_at


def odd_scene():
    """Return a scene with a sequence of a byte-level tokenizer."""
    return replace(load_lesson("four-heads"), tokens=(*EMOJI, "Ġb", "Ġc"))


def test_a_label_that_is_pointed_at_tells_all_of_its_token(bench, dock, settle, tip_at):
    bench.edit(OpenScene(odd_scene()))
    settle()
    view = dock.findChild(MatrixView, "heatmap1")
    layout = view.laid_out
    left_of_third = QPoint(5, round(layout.row(2).center().y()))
    below_first = QPoint(round(layout.column(0).center().x()), round(layout.row(5).bottom()) + 5)
    assert tip_at(view, below_first) == "t1 ␣a\npiece Ġa"
    assert tip_at(view, left_of_third) == "t3 …80⟩\npiece Ģ\nt2 to t3 make 😀 together"
    assert texts(layout.row_labels)[3].startswith("t4 ⏎")


def test_a_curve_has_its_tokens_below_it(bench, open_dock, tip_at):
    bench.edit(OpenScene(odd_scene()))
    dock = open_dock(EntropyDock, 620, 700)
    axis = dock.plot.axes["bottom"]
    assert axis.tickStrings([1.0, 4.0], 1.0, 1.0) == ["t1 ␣a", "t4 ⏎"]
    view = dock.plot.view
    scene_place = QPointF(
        dock.plot.box.mapViewToScene(QPointF(4, 0)).x(), view.sceneRect().bottom() - 4
    )
    place = view.mapTo(dock.plot, view.mapFromScene(scene_place))
    assert tip_at(dock.plot, place) == "t4 ⏎\npiece Ċ"


@pytest.mark.parametrize(("width", "turned"), [(700, False), (300, True)])
def test_long_words_below_a_curve_are_turned_where_they_would_touch(
    bench, open_dock, settle, width, turned, grabbed
):
    words = ("because", "incredible", "word", "another", "longest", "one")
    bench.edit(OpenScene(replace(load_lesson("four-heads"), tokens=words)))
    dock = open_dock(EntropyDock, width, 800)
    axis = dock.plot.axes["bottom"]
    assert (axis.form is Form.TURNED) == turned
    assert axis.tickStrings([2.0], 1.0, 1.0)[0].endswith("incredible")
    narrow = axis.height()
    bench.edit(OpenScene(load_lesson("four-heads")))
    settle()
    assert axis.form is Form.NUMBERS
    assert (narrow > 1.5 * axis.height()) == turned


def test_stems_have_their_tokens_below_them(bench, open_dock, settle):
    bench.edit(OpenScene(odd_scene()))
    dock = open_dock(ImpulseDock, 900, 500)
    bench.point(query=5, key=3)
    settle()
    plot = dock.findChild(StemPlot, "impulsePlot1")
    assert plot.accessibleDescription().startswith("t4 ⏎: weight ")


# ---------------------------------------------------------------------------------- glyphs


def test_letters_that_no_font_has_are_told_by_their_code(bundled_font):
    font = QFont(bundled_font).toString()
    unassigned = "\U0003fffd"
    assert drawable(("cat", f"a{unassigned}", "🧑\u200d"), font)[:2] == ("cat", "aU+3FFFD")


def test_labels_are_cut_within_their_isolates(bundled_font):
    metrics = QFontMetricsF(QFont(bundled_font))
    whole = "\u2068שלוםשלוםשלום\u2069"
    cut = fitted(whole, metrics, metrics.horizontalAdvance(whole) / 2)
    assert re.fullmatch("\u2068[^\u2068\u2069]+…[^\u2068\u2069]+\u2069", cut)
    assert metrics.horizontalAdvance(cut) <= metrics.horizontalAdvance(whole) / 2
    assert fitted(whole, metrics, 1000.0) == whole
