"""The grid of heatmaps, and the titles of its cards: what fits."""

import itertools
import math

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor

from mhagui.document import Pattern
from mhagui.document.edits import AddHead
from mhagui.document.new_scene import new_scene
from mhagui.gui.docks.heatmaps import HeatmapsDock
from mhagui.gui.widgets import matrix_grid
from mhagui.gui.widgets.colour_bar import ColourBar
from mhagui.gui.widgets.colour_strip import ColourStrip
from mhagui.gui.widgets.matrix_card import HeadTitle, MatrixCard
from mhagui.gui.widgets.matrix_grid import MIN_SIDE, CardGrid, grid_shape


@pytest.mark.parametrize(
    ("count", "width", "height", "columns"),
    [(4, 600, 600, 2), (4, 1200, 320, 4), (4, 250, 1000, 1), (1, 600, 400, 1), (6, 900, 600, 3)],
)
def test_grid_makes_cells_as_large_as_possible(count, width, height, columns):
    shape = grid_shape(count, QSize(width, height), QSize(40, 60), 16)
    assert shape.columns == columns
    assert not shape.scrolls


@pytest.mark.parametrize(
    ("shares", "width", "height", "columns"),
    [
        ((1.0, 1.0), 900, 500, 3),
        ((1 / 3, 1.0), 900, 500, 6),
        ((1.0, 1.0), 700, 620, 3),
        ((1.0, 5 / 12), 700, 620, 2),
    ],
)
def test_wide_maps_stand_in_few_columns_and_high_ones_in_many(shares, width, height, columns):
    """As 6 heads of 5 × 12 and 40 × 9 cells do."""
    area, chrome = QSize(width, height), QSize(40, 60)
    shape = grid_shape(6, area, chrome, 16, shares)
    assert shape.columns == columns
    longer = min(
        (shape.card.width() - chrome.width()) / shares[0],
        (shape.card.height() - chrome.height()) / shares[1],
    )
    for others in range(1, 7):
        width = (area.width() - (others - 1) * 6) // others - chrome.width()
        rows = math.ceil(6 / others)
        height = (area.height() - (rows - 1) * 6) // rows - chrome.height()
        assert longer >= int(min(width / shares[0], height / shares[1]))


@pytest.mark.parametrize("count", [1, 3, 8, 32])
@pytest.mark.parametrize(("width", "height"), [(150, 100), (300, 300), (640, 460), (2000, 1200)])
def test_grid_scrolls_only_for_the_least_size(count, width, height):
    chrome = QSize(40, 60)
    shape = grid_shape(count, QSize(width, height), chrome, 16)
    side = min(shape.card.width() - 40, shape.card.height() - 60)
    assert shape.card.width() * shape.columns <= width
    if shape.scrolls:
        assert side >= min(MIN_SIDE, width - 16 - 40)
    else:
        assert side >= MIN_SIDE
        assert shape.card.height() * math.ceil(count / shape.columns) <= height


def test_a_name_of_which_nothing_would_be_left_is_left_out(qtbot, grabbed):
    title = HeadTitle()
    qtbot.addWidget(title)
    title.resize(50, title.sizeHint().height())  # the swatch, h1, and half a letter more
    title.set_head("h1", "first token", QColor("#0072b2"), "")
    cut = grabbed(title)
    title.set_head("h1", "", QColor("#0072b2"), "")
    assert (grabbed(title) == cut).all()
    title.resize(120, title.height())
    bare = grabbed(title)
    title.set_head("h1", "first token", QColor("#0072b2"), "")
    assert (grabbed(title) != bare).any()


@pytest.mark.parametrize(("standing", "width"), [("", 75), ("muted", 90)])  # M has room as well
def test_where_a_models_head_and_its_number_have_no_room_it_is_the_head(
    qtbot, grabbed, standing, width
):
    title = HeadTitle()
    qtbot.addWidget(title)
    colour = QColor("#0072b2")
    title.resize(width, title.sizeHint().height())
    title.set_head("h7", "L0 H21", colour, standing)
    cut = grabbed(title)
    title.set_head("L0 H21", "", colour, standing)
    at = slice(0, 50)  # of swatch and name, which stand 3 pixels nearer to each other
    assert (grabbed(title)[:, 16:][:, at] == cut[:, 13:][:, at]).all()
    title.resize(160, title.height())  # room for both
    title.set_head("h7", "L0 H21", colour, standing)
    both = grabbed(title)
    title.set_head("L0 H21", "", colour, standing)
    assert (grabbed(title) != both).any()
    for head in ("L0 H0", "L0 H10"):  # all of a layer alike, in small type
        title.resize(58, title.height())
        title.set_head("h7", head, colour, "")
        named = grabbed(title)
        title.set_head("h7", "", colour, "")
        assert (grabbed(title) != named).any()
        title.set_head(head, "", colour, "")
        assert (grabbed(title) != named).any()
    title.resize(40, title.height())  # for the number alone
    title.set_head("h7", "L0 H21", colour, "")
    number = grabbed(title)
    title.set_head("h7", "", colour, "")
    assert (grabbed(title) == number).all()


def test_names_that_would_be_cut_have_lines_of_their_own(open_dock, bench, settle):
    dock = open_dock(HeatmapsDock, 900, 700)
    cards = dock.findChildren(MatrixCard)
    assert not any(card.name_line.isVisible() for card in cards)
    bench.open(new_scene(12, 8, 2, 2, 16))
    dock.resize(610, 440)
    settle()
    cards = dock.findChildren(MatrixCard)
    assert [card.name_line.text() for card in cards] == [
        "first token", "previous token", "self", "uniform",
        "delay", "two positions", "recency", "block-local",
    ]  # fmt: skip
    assert all(card.name_line.isVisible() for card in cards)
    assert all(card.rect().contains(card.name_line.geometry()) for card in cards)


def test_sixteen_names_are_told_apart_in_the_default_window(open_dock, bench, settle):
    dock = open_dock(HeatmapsDock, 618, 442)
    bench.open(new_scene(6, 16, 2, 2, 32))
    settle()
    names = [card.name_line for card in dock.findChildren(MatrixCard)]
    assert all(name.isVisible() for name in names)
    assert len({name.text() for name in names}) == 8  # of the patterns, each twice
    assert all(
        "previous token" in card.title.toolTip()
        for card in dock.findChildren(MatrixCard)
        if card.name_line.text().startswith("previous")
    )


def test_no_name_is_worth_a_scroll_bar(open_dock, bench, settle):
    dock = open_dock(HeatmapsDock, 618, 442)
    bench.open(new_scene(6, 18, 2, 2, 36))
    settle()
    grid = dock.findChild(CardGrid)
    cards = dock.findChildren(MatrixCard)
    assert not grid.verticalScrollBar().isVisible() or cards[0].name_line.isVisible()


def test_cards_do_not_overlap(open_dock, bench, settle):
    dock = open_dock(HeatmapsDock, 900, 700)
    for _ in range(5):
        bench.edit(AddHead(Pattern.SELF))
    settle()
    places = [card.geometry() for card in dock.findChildren(MatrixCard)]
    assert all(not one.intersects(other) for one, other in itertools.combinations(places, 2))


def all_cells_of(dock):
    """Return the sides of the matrices, in pixels."""
    views = [card.view for card in dock.findChildren(MatrixCard)]
    count = views[0].picture.shape[0]
    return [
        view.cell_rect(count - 1, count - 1).right() - view.cell_rect(0, 0).left() for view in views
    ]


@pytest.mark.parametrize(("n_heads", "least"), [(9, 90), (12, 74), (16, 64)])
def test_maps_of_a_layer_fill_their_cards_in_a_usual_window(
    open_dock, bench, settle, n_heads, least
):
    dock = open_dock(HeatmapsDock, 700, 400)
    bench.open(new_scene(14, n_heads, 2, 2, 2 * n_heads))
    settle()
    card = dock.findChild(MatrixCard)
    sides = all_cells_of(dock)
    assert min(sides) >= least
    # What is not map is a title, a frame around and labels, and no wider than high.
    assert min(card.width() - sides[0], card.height() - sides[0]) < 60
    has_labels = [bool(each.view.laid_out.row_labels) for each in dock.findChildren(MatrixCard)]
    assert has_labels == [n_heads == 9] * n_heads


@pytest.mark.parametrize("size", [(700, 400), (680, 360), (560, 400), (408, 300)])
@pytest.mark.parametrize("n_positions", [8, 14])
def test_labels_are_left_out_only_where_maps_would_be_small(
    open_dock, bench, settle, monkeypatch, n_positions, size
):
    dock = open_dock(HeatmapsDock, *size)
    bench.open(new_scene(n_positions, 9, 2, 2, 18))
    settle()
    grid, cards = dock.findChild(CardGrid), dock.findChildren(MatrixCard)
    if cards[0].view.laid_out.row_labels:
        return
    monkeypatch.setattr(matrix_grid, "SMALL", 0)  # labels wherever there is no need to scroll
    grid._shapes.clear()
    grid.arrange()
    assert cards[0].view.laid_out.row_labels
    assert min(all_cells_of(dock)) < 64


@pytest.mark.parametrize("n_heads", [9, 12, 16])
def test_all_maps_of_a_layer_are_in_sight_in_a_small_window(open_dock, bench, settle, n_heads):
    dock = open_dock(HeatmapsDock, 408, 300)
    bench.open(new_scene(14, n_heads, 2, 2, 2 * n_heads))
    settle()
    grid = dock.findChild(CardGrid)
    assert not grid.verticalScrollBar().isVisible()
    assert min(all_cells_of(dock)) >= MIN_SIDE - 8


def test_labels_are_back_where_a_map_is_large(open_dock, bench, settle):
    dock = open_dock(HeatmapsDock, 408, 300)
    bench.open(new_scene(14, 9, 2, 2, 18))
    settle()
    view = dock.findChild(MatrixCard).view
    assert not view.laid_out.row_labels
    assert not view.laid_out.column_labels
    bench.look(enlarged=bench.scene.heads[0].uid)
    settle()
    assert view.laid_out.row_labels[0].text.startswith("t1")
    assert view.laid_out.column_labels
    bench.look(enlarged=None)
    settle()
    assert not view.laid_out.row_labels


def test_the_colours_have_a_key_wherever_it_lies(open_dock, bench, settle):
    dock = open_dock(HeatmapsDock, 408, 300)
    bar, strip = dock.findChild(ColourBar), dock.findChild(ColourStrip)
    for n_heads, size in ((9, (700, 400)), (9, (408, 300)), (1, (700, 600)), (4, (900, 700))):
        bench.open(new_scene(14, n_heads, 2, 2, 2 * n_heads))
        dock.resize(*size)
        settle()
        assert bar.isVisible() != strip.isVisible()
        assert bar.scale == strip.scale
        shown = bar if bar.isVisible() else strip
        assert not shown.geometry().intersects(dock.findChild(CardGrid).geometry())
    assert bar.isVisible()


@pytest.mark.parametrize("points", [10, 15])
def test_every_head_is_numbered_in_a_dock_of_any_size(open_dock, bench, settle, set_points, points):
    set_points(points)
    dock = open_dock(HeatmapsDock, 360, 260)
    bench.open(new_scene(14, 12, 2, 2, 24))
    settle()
    for card in dock.findChildren(MatrixCard):
        assert card.title.width() >= card.title.label_width()
    bench.look(enlarged=bench.scene.heads[0].uid)
    settle()
    assert dock.findChildren(MatrixCard)[0].button.isVisible()
