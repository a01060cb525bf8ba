"""The map of a model's heads: layers down, heads across, in as little room as there is."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication, QLabel

from mhagui import core
from mhagui.document.capture import Capture, CapturedLayer
from mhagui.document.scorecard import LETTERS
from mhagui.gui.pictures import weight_table
from mhagui.gui.widgets.colour_range import ColourRange
from mhagui.gui.widgets.head_map import HeadCells, HeadMap

T = 6
TOKENS = ("a", "b", "c", "d", "e", "f")


def model(n_layers, n_heads):
    """Return a capture of which every head looks at the token before."""
    head = core.attention_weights(*core.previous_token_head(T, key_magnitude=12.0))
    given = np.stack([head] * n_heads)
    causal = core.causal_mask(T)
    layers = tuple(CapturedLayer(n, given=given, allowed=causal) for n in range(n_layers))
    return Capture("model", layers, TOKENS, TOKENS)


@pytest.fixture
def show(dock, captures, wait, settle):
    """A function that shows a model in a dock of a size, and returns the map."""

    def show(n_layers, n_heads, width=640, height=420):
        captures.open(model(n_layers, n_heads))
        dock.resize(width, height)
        wait(dock)
        settle()
        return dock.map.map

    return show


@pytest.mark.parametrize(("n_layers", "n_heads"), [(30, 9), (2, 12), (12, 12), (1, 4), (4, 1)])
def test_layers_go_down_from_0_and_heads_across(show, n_layers, n_heads):
    cells = show(n_layers, n_heads)
    places = [[cells.cell_rect(n, h).center() for h in range(n_heads)] for n in range(n_layers)]
    for layer, row in enumerate(places):
        assert len({spot.y() for spot in row}) == 1
        assert sorted(spot.x() for spot in row) == [spot.x() for spot in row]
        assert [cells.head_at(spot) for spot in row] == [
            layer * n_heads + head for head in range(n_heads)
        ]
    assert sorted(row[0].y() for row in places) == [row[0].y() for row in places]


def test_all_layers_of_a_small_model_are_in_sight_in_a_small_dock(show, dock):
    cells = show(30, 9, 408, 266)
    area = dock.map.area.viewport()
    last = cells.cell_rect(29, 8).toRect()
    assert area.rect().contains(last.translated(cells.mapTo(area, QPoint())))


def test_more_layers_than_have_room_are_scrolled_to_by_keys(show, dock, qtbot):
    cells = show(120, 16, 408, 266)
    area = dock.map.area.viewport()
    dock.take_focus()
    assert QApplication.focusWidget() is cells
    qtbot.keyClick(cells, Qt.Key.Key_Down, Qt.KeyboardModifier.ControlModifier)
    reached = cells._shown.cells[cells._current]
    assert reached[0] == 119
    spot = cells.cell_rect(*reached).toRect()
    assert area.rect().contains(spot.translated(cells.mapTo(area, QPoint())))


@pytest.mark.parametrize("height", [260, 330, 420])
def test_a_head_with_a_label_is_marked_in_cells_of_any_height(show, height):
    cells = show(30, 9, 640, height)
    picture = cells.grab().toImage()
    box = cells.cell_rect(20, 4)
    assert box.height() < 14
    ground = picture.pixel((box.topLeft() + QPointF(4, 1)).toPoint())
    inner = box.toRect().adjusted(4, 1, -4, -1)
    seen = {
        picture.pixel(x, y)
        for x in range(inner.left(), inner.right())
        for y in range(inner.top(), inner.bottom())
    }
    assert seen - {ground}


def ink(cells, head):
    """Return which pixels of a head's cell are of its letter or mark, without lines and frames."""
    picture, place = cells.grab().toImage(), cells._shown.cells[head]
    inner = cells.cell_rect(*place).toRect().adjusted(1, 1, 0, 0)
    ground = QColor(picture.pixel(inner.right(), inner.bottom()))
    return np.array([
        [
            abs(QColor(picture.pixel(x, y)).lightness() - ground.lightness()) > 40
            for x in range(inner.left(), inner.right() + 1)
        ]
        for y in range(inner.top(), inner.bottom() + 1)
    ])  # fmt: skip


@pytest.fixture
def cells_of(qtbot, settle):
    """A function that returns a map of 30 layers of six heads, in cells of a size."""

    def cells_of(height, width=40):
        cells = HeadMap()
        qtbot.addWidget(cells)
        places = tuple(np.ndindex(30, 6))
        scale = ColourRange(0.0, 1.0, "score", weight_table())
        rows = tuple(f"L{n}" for n in range(30))
        columns = tuple(f"H{n}" for n in range(6))
        letters = tuple(LETTERS.values()) * 30
        cells.set_heads(HeadCells(rows, columns, places, np.zeros(180), scale, letters, str))
        at = cells.cell_rect(0, 0).topLeft().toPoint()
        cells.resize(at.x() + 6 * width + 3, at.y() + 30 * height + 3)
        cells.show()
        settle()
        assert cells.cell_rect(0, 0).height() == height
        return cells

    return cells_of


@pytest.mark.parametrize("height", range(8, 17))
def test_letters_stand_in_the_middle_of_their_cells(cells_of, height):
    cells = cells_of(height)
    assert not cells.has_marks
    for head in range(120, 132):
        drawn = ink(cells, head)
        rows = np.flatnonzero(drawn.any(axis=1))
        above, below = rows[0], len(drawn) - 1 - rows[-1]
        assert abs(above - below) <= 1, (head, above, below)


@pytest.mark.parametrize("height", [4, 5, 6, 7])
@pytest.mark.parametrize("width", [7, 12, 40])
def test_marks_of_cells_too_low_for_letters_are_told_apart(cells_of, height, width):
    cells = cells_of(height, width)
    assert cells.has_marks
    drawn = {ink(cells, head).any(axis=0).tobytes() for head in range(120, 126)}
    assert len(drawn) == 6


def test_the_legend_names_marks_where_there_are_no_letters(show, dock, settle):
    cells = show(30, 9, 408, 266)
    assert cells.has_marks
    legend = dock.state.text().replace("\xa0", " ")
    assert legend == "270 heads · ▬ P previous token 270"
    dock.resize(408, 700)
    settle()
    assert not cells.has_marks
    assert dock.state.text().replace("\xa0", " ") == "270 heads · P previous token 270"


def test_the_summary_is_copied_and_has_no_caret(dock, qtbot, settle):
    state = dock.state
    before = state.grab().toImage()
    spot = QPoint(state.width() - 3, state.height() // 2)
    qtbot.mouseClick(state, Qt.MouseButton.LeftButton, pos=spot)
    settle()
    assert QApplication.focusWidget() is state
    assert state.grab().toImage() == before
    for key in (Qt.Key.Key_A, Qt.Key.Key_C):
        qtbot.keyClick(state, key, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.clipboard().text().replace("\xa0", " ").startswith("5 heads · P previous")


def test_rows_name_layers_as_far_as_there_is_room(show, dock):
    grid = dock.map.heads.grid
    assert grid.rows == ("L3", "L7")
    assert grid.columns == ("H0", "H1", "H2")
    show(30, 9)
    grid = dock.map.heads.grid
    assert (grid.rows[0], grid.rows[-1]) == ("L0", "L29")
    assert (grid.columns[0], grid.columns[-1]) == ("H0", "H8")


def test_the_notes_are_a_view_of_their_own(show, dock, settle):
    show(2, 3)
    tabs = dock.views.tabs
    names = [tabs.tabText(n) for n in range(tabs.count())]
    tabs.setCurrentIndex(names.index("Notes"))
    settle()
    assert dock.notes.isVisible()
    assert "from 0" in dock.notes.text()
    dock.take_focus()
    assert isinstance(QApplication.focusWidget(), QLabel)
    assert "from 0" in QApplication.focusWidget().text()


def test_map_and_scatter_plot_say_which_head_is_the_current_one(dock, qtbot, settle):
    dock.take_focus()
    qtbot.keyClick(dock.map.map, Qt.Key.Key_Right)
    assert dock.map.map.accessibleDescription() == "layer 3, head 1: previous token"
    dock.views.tabs.setCurrentWidget(dock.scatter)
    settle()
    assert dock.scatter.plot.accessibleDescription() == "layer 3, head 1: previous token"
