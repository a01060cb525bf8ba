"""The grid of heatmaps, and the titles of its cards: what fits."""

import itertools
import math

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor

from mhagui.document import Pattern
from mhagui.document.edits import AddHead
from mhagui.gui.docks.heatmaps import HeatmapsDock
from mhagui.gui.widgets.matrix_card import HeadTitle, MatrixCard
from mhagui.gui.widgets.matrix_grid import MIN_SIDE, grid_shape


@pytest.mark.parametrize(
    ("count", "width", "height", "columns"),
    [(4, 600, 600, 2), (4, 1200, 320, 4), (4, 250, 1000, 1), (1, 600, 400, 1), (6, 900, 600, 3)],
)
def test_grid_makes_cells_as_large_as_possible(count, width, height, columns):
    shape = grid_shape(count, QSize(width, height), QSize(40, 60), 16)
    assert shape.columns == columns
    assert not shape.scrolls


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


def test_cards_do_not_overlap(open_dock, bench, settle):
    dock = open_dock(HeatmapsDock, 900, 700)
    for _ in range(5):
        bench.edit(AddHead(Pattern.SELF))
    settle()
    places = [card.geometry() for card in dock.findChildren(MatrixCard)]
    assert all(not one.intersects(other) for one, other in itertools.combinations(places, 2))
