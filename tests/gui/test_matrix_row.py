"""Matrices side by side as a formula: with cells as large as there is room for."""

import numpy as np
import pytest

from mhagui.gui.formulas import Formula
from mhagui.gui.widgets.matrix_picture import Picture
from mhagui.gui.widgets.matrix_row import MatrixRow, Term


@pytest.fixture
def show(qtbot, settle):
    """A function that shows two matrices of a shape in a row of a size."""

    def show(shape, width, height):
        rows, columns = (tuple(str(n + 1) for n in range(length)) for length in shape)
        table = np.zeros((256, 3), np.uint8)
        picture = Picture(np.zeros(shape), 0.0, 1.0, table, rows, columns)
        row = MatrixRow()
        qtbot.addWidget(row)
        row.resize(width, height)
        row.show_terms([Term("", name, Formula.QUERIES, picture, (None, None)) for name in "QK"])
        row.show()
        settle()
        return row

    return show


@pytest.mark.parametrize("height", [75, 100, 110, 130, 200, 400])
@pytest.mark.parametrize("shape", [(14, 64), (4, 40), (64, 14), (14, 14), (749, 64)])
def test_matrices_have_the_room_that_there_is(show, shape, height):
    row = show(shape, 520, height)
    for view in row.views[:2]:
        assert view.isVisible()
        first = view.cell_rect(0, 0)
        last = view.cell_rect(shape[0] - 1, shape[1] - 1)
        width, tall = last.right() - first.left() + 1, last.bottom() - first.top() + 1
        # As wide as there is room beside the other, or as high as there is.
        assert width >= 110 or tall >= height - 80
        assert min(width, tall) >= 2


def test_no_strip_is_narrower_than_can_be_seen_where_there_is_room(show):
    row = show((64, 4), 520, 300)
    first, last = (row.views[0].cell_rect(*cell) for cell in ((0, 0), (63, 3)))
    assert last.right() - first.left() >= 4 * 10
