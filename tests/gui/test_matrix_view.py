"""The widget behind every heatmap: what it paints, and what mouse and keyboard make it say."""

import itertools
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QSizeF
from PySide6.QtGui import QColor, QFont, QImage

from mhagui import formats
from mhagui.gui.theme import ThemeChoice, apply_theme, theme_of
from mhagui.gui.widgets.matrix_cells import cells_of
from mhagui.gui.widgets.matrix_layout import lay_out
from mhagui.gui.widgets.matrix_painter import cell_image
from mhagui.gui.widgets.matrix_picture import Writing
from mhagui.gui.widgets.matrix_surroundings import Surroundings
from mhagui.palette import contrast, diverging_table

# Black to white: index i is grey level i, so that a colour tells its index.
GREYS = np.repeat(np.arange(255, dtype=np.uint8)[:, None], 3, axis=1)
WRITTEN = (Writing(formats.cell),)


def labels(count, prefix="t"):
    return tuple(f"{prefix}{number}" for number in range(1, count + 1))


@pytest.fixture
def shown(shown_matrix):
    return shown_matrix


def inside(view, row, column, pixels):
    """The colour of a cell just inside its upper left corner, clear of lines and of its value."""
    box = view.cell_rect(row, column)
    return tuple(int(channel) for channel in pixels[box.top() + 3, box.left() + 3])


def all_boxes(view):
    layout = view.laid_out
    return [label.box for label in (*layout.row_labels, *layout.column_labels)]


# --- colours


def test_hot_cell_of_first_row_and_last_column_is_top_right(shown, grabbed):
    indices = np.zeros((5, 5))
    indices[0, 4] = 254
    pixels = grabbed(shown(indices))
    down, across = np.nonzero((pixels == 254).all(axis=2) & (pixels.std(axis=2) == 0))
    white = (pixels[down, across] == 254).all(axis=1)
    assert white.sum() > 100
    assert down[white].max() < pixels.shape[0] / 3
    assert across[white].min() > 2 * pixels.shape[1] / 3


def test_every_cell_has_the_colour_its_index_stands_for(shown, grabbed):
    indices = np.array([[0, 50, 100, 254], [17, 150, 200, 3]])
    view = shown(indices)
    pixels = grabbed(view)
    for row, column in np.ndindex(2, 4):
        grey = indices[row, column]
        assert inside(view, row, column, pixels) == (grey, grey, grey)


def test_image_has_eight_bits_a_pixel(shown):
    view = shown([[0, 254], [254, 0]])
    indices = cells_of(view.picture, view.laid_out).indices
    image = cell_image(indices, GREYS, theme_of(view.palette()))
    assert image.format() == QImage.Format.Format_Indexed8
    assert image.colorCount() <= 256
    assert (image.width(), image.height()) == indices.shape[::-1]


@pytest.mark.parametrize("theme", [ThemeChoice.LIGHT, ThemeChoice.DARK])
def test_masked_cell_is_hatched_and_zero_cell_is_flat(qapp, shown, grabbed, theme):
    apply_theme(theme)
    view = shown([[0, 0], [0, 254]], seen=np.array([1, 2]))
    grey = grabbed(view).astype(float).mean(axis=2)  # seen in greyscale

    def spread(row, column):
        box = view.cell_rect(row, column).adjusted(4, 4, -4, -4)
        return np.ptp(grey[box.top() : box.bottom(), box.left() : box.right()])

    assert spread(0, 0) == 0
    assert spread(0, 1) > 20


def test_cell_without_a_number_is_hatched(shown, grabbed):
    view = shown([[255, 0]])
    box = view.cell_rect(0, 0)
    cell = grabbed(view)[box.top() : box.bottom(), box.left() : box.right()]
    assert len(np.unique(cell.reshape(-1, 3), axis=0)) > 1


def test_one_bright_cell_of_a_million_is_seen(shown, grabbed):
    indices = np.zeros((1024, 1024))
    indices[700, 33] = 254
    view = shown(indices, size=(200, 200))
    box = view.laid_out.cells(slice(0, 1024), slice(0, 1024)).toRect()
    pixels = grabbed(view)[box.top() : box.bottom(), box.left() : box.right()]
    found = np.argwhere((pixels == 254).all(axis=2)) / len(pixels)
    assert len(found) == 1
    assert found[0] == pytest.approx([700 / 1024, 33 / 1024], abs=0.01)


def test_pooled_signed_matrix_keeps_the_cell_furthest_from_zero(shown, grabbed):
    indices = np.full((1024, 1024), 130)
    indices[512, 512] = 20  # far below the middle, and lower than its neighbours
    pixels = grabbed(shown(indices, signed=True, size=(200, 200)))
    assert ((pixels == 20).all(axis=2)).sum() == 1


def test_pooled_mask_hides_no_allowed_cell(shown, grabbed):
    seen = np.zeros(1024, dtype=int)
    seen[512] = 1
    pixels = grabbed(shown(np.full((1024, 1024), 9), seen=seen, size=(200, 200)))
    assert ((pixels == 9).all(axis=2)).sum() == 1


def test_dimmed_colours_are_nearer_to_the_ground(shown, grabbed):
    view = shown([[0, 254]])
    before = inside(view, 0, 0, grabbed(view))
    view.set_dimmed(True)
    after = inside(view, 0, 0, grabbed(view))
    assert before == (0, 0, 0)
    assert min(after) > 100
    assert after != inside(view, 0, 1, grabbed(view))


def test_change_of_theme_repaints(qapp, shown, grabbed):
    view = shown([[0, 255], [0, 0]])
    box = view.cell_rect(0, 1)
    light = grabbed(view)[box.top() : box.bottom(), box.left() : box.right()].mean()
    apply_theme(ThemeChoice.DARK)
    qapp.processEvents()
    dark = grabbed(view)[box.top() : box.bottom(), box.left() : box.right()].mean()
    assert light > 200
    assert dark < 100


# --- values


def test_values_are_written_where_they_fit(shown, grabbed):
    indices = np.full((2, 2), 200)
    bare, written = shown(indices), shown(indices, writings=WRITTEN)
    assert (grabbed(bare) != grabbed(written)).any()


def test_values_are_left_out_where_they_do_not_fit(shown, grabbed):
    indices = np.full((30, 30), 200)
    bare, written = shown(indices), shown(indices, writings=WRITTEN)
    assert (grabbed(bare) == grabbed(written)).all()


@pytest.mark.parametrize("theme", [ThemeChoice.LIGHT, ThemeChoice.DARK])
@pytest.mark.parametrize("dimmed", [False, True])
@pytest.mark.parametrize("level", [0, 60, 100, 127, 160, 254])
def test_values_can_be_read_on_every_colour(shown, grabbed, level, dimmed, theme):
    apply_theme(theme)
    view = shown([[level]], table=diverging_table(), writings=WRITTEN)
    view.set_dimmed(dimmed)
    pixels = grabbed(view)
    box = view.cell_rect(0, 0).adjusted(3, 3, -3, -3)
    ground = inside(view, 0, 0, pixels)
    cell = pixels[box.top() : box.bottom(), box.left() : box.right()].reshape(-1, 3)
    best = max(contrast(tuple(map(int, colour)), ground) for colour in np.unique(cell, axis=0))
    assert best >= 4.5


@pytest.mark.usefixtures("dark")
def test_in_the_dark_zero_is_dark_and_turns_white_with_the_theme(shown, grabbed, settle):
    view = shown([[127]], table=diverging_table(), signed=True)
    assert inside(view, 0, 0, grabbed(view)) == tuple(diverging_table(dark=True)[127])
    apply_theme(ThemeChoice.LIGHT)
    settle()
    assert inside(view, 0, 0, grabbed(view)) == tuple(diverging_table()[127])


def ink_of(view, grabbed):
    """How many pixels of the first cell are not of its colour: those of its number."""
    box = view.cell_rect(0, 0).adjusted(2, 2, -2, -2)
    cell = grabbed(view)[box.top() : box.bottom(), box.left() : box.right()].reshape(-1, 3)
    return int((cell != cell[0]).any(axis=1).sum())


def test_the_longest_writing_that_fits_is_used(shown, grabbed):
    def view(count, *texts):
        writings = tuple(Writing(lambda _value, text=text: text) for text in texts)
        return shown(np.full((count, count), 200), writings=writings)

    assert ink_of(view(2, "88.88", "1"), grabbed) == ink_of(view(2, "88.88"), grabbed)
    assert ink_of(view(12, "88.88"), grabbed) == 0
    assert ink_of(view(12, "88.88", "1"), grabbed) == ink_of(view(12, "1"), grabbed) > 0


def test_a_sample_that_does_not_fit_leaves_the_number_out(shown, grabbed):
    writings = (Writing(formats.cell, "−888888888.88"),)
    assert ink_of(shown(np.full((6, 6), 200), writings=writings), grabbed) == 0


# --- labels and sizes


@pytest.mark.parametrize("theme", [ThemeChoice.LIGHT, ThemeChoice.DARK])
def test_labels_can_be_read_in_light_and_dark(qapp, shown, grabbed, theme):
    apply_theme(theme)
    view = shown(np.zeros((6, 6)))
    pixels = grabbed(view)
    box = view.laid_out.row_labels[2].box.toAlignedRect()
    label = pixels[box.top() : box.bottom(), box.left() : box.right()].reshape(-1, 3)
    ground = tuple(map(int, pixels[-1, -1]))
    inks = np.unique(label, axis=0).tolist()
    assert max(contrast(tuple(ink), ground) for ink in inks) >= 4.5


@pytest.mark.parametrize("points", [9, 14])
@pytest.mark.parametrize(("width", "height"), [(90, 90), (150, 130), (420, 200), (700, 700)])
@pytest.mark.parametrize("count", [1, 2, 6, 10, 37, 100, 1024])
def test_labels_never_run_into_each_other(shown, count, width, height, points):
    view = shown(np.zeros((count, count)), size=(width, height))
    font = QFont(view.font())
    font.setPointSize(points)
    view.setFont(font)
    boxes = all_boxes(view)
    assert {label.text for label in view.laid_out.column_labels} >= {"t1"}
    assert all(not one.intersects(other) for one, other in itertools.combinations(boxes, 2))
    assert all(view.rect().toRectF().contains(box) for box in boxes)


def test_all_labels_are_there_when_there_is_room(shown):
    layout = shown(np.zeros((6, 6))).laid_out
    assert [label.text for label in layout.row_labels] == ["t1", "t2", "t3", "t4", "t5", "t6"]
    assert [label.text for label in layout.column_labels] == ["t1", "t2", "t3", "t4", "t5", "t6"]


def test_thinned_labels_are_the_first_and_round_numbers(shown):
    layout = shown(np.zeros((40, 40)), size=(200, 200)).laid_out
    texts = [label.text for label in layout.column_labels]
    assert texts in (["t1", *labels(40)[4::5]], ["t1", "t10", "t20", "t30", "t40"])


def test_labels_stand_at_their_cells(shown):
    view = shown(np.zeros((6, 6)))
    for place, label in enumerate(view.laid_out.column_labels):
        assert label.box.center().x() == pytest.approx(view.cell_rect(0, place).center().x(), abs=2)
    for place, label in enumerate(view.laid_out.row_labels):
        assert label.box.center().y() == pytest.approx(view.cell_rect(place, 0).center().y(), abs=2)


@pytest.mark.parametrize(("width", "height"), [(300, 200), (200, 300)])
def test_cells_are_square_and_as_large_as_fits(shown, width, height):
    view = shown(np.zeros((6, 6)), size=(width, height))
    cells = [view.cell_rect(row, column).size() for row, column in np.ndindex(6, 6)]
    side = cells[0].width()
    assert all(cell.width() == cell.height() == side for cell in cells)
    gutters = view.gutters
    room = min(width - gutters.left, height - gutters.bottom)
    assert 6 * (side + 1) > room - 10


def test_a_long_strip_has_cells_wide_enough_to_be_pointed_at(shown):
    view = shown(np.zeros((1024, 8)))
    assert view.cell_rect(0, 0).width() >= 10


@pytest.mark.parametrize("ratio", [1.0, 1.25, 1.5, 2.0])
@pytest.mark.parametrize("count", [1, 6, 50, 1024])
def test_edges_are_whole_device_pixels(qapp, ratio, count):
    around = Surroundings(labels(count), labels(count), None, QFont())
    layout = lay_out(around, around.gutters(), QSizeF(301, 203), ratio)
    for edges in (layout.row_edges, layout.column_edges):
        assert edges.dtype == np.int64
        assert (np.diff(edges) >= 0).all()
        assert np.ptp(np.diff(edges)) <= 1


def test_bands_have_the_colours_they_were_given(shown, grabbed):
    red, blue = QColor("#ff0000"), QColor("#0000ff")
    view = shown(np.zeros((4, 4)), column_bands=(red, red, blue, blue))
    pixels = grabbed(view)
    below = view.cell_rect(3, 0).bottom() + 5
    found = [pixels[below, view.cell_rect(3, column).center().x()].tolist() for column in range(4)]
    assert found == [[255, 0, 0], [255, 0, 0], [0, 0, 255], [0, 0, 255]]
    assert all(label.box.top() > below for label in view.laid_out.column_labels)


CRISP = """
import numpy as np
from PySide6.QtWidgets import QApplication, QWidget
from PySide6.QtGui import QImage
app = QApplication([])
from mhagui.gui.widgets.matrix_picture import Picture
from mhagui.gui.widgets.matrix_view import MatrixView
window = QWidget()
window.resize(300, 250)
view = MatrixView()
view.setParent(window)
view.setGeometry(3, 5, 261, 213)
count = 6
indices = ((np.add.outer(np.arange(count), np.arange(count)) % 2) * 254).astype(np.uint8)
table = np.repeat(np.arange(255, dtype=np.uint8)[:, None], 3, axis=1)
names = tuple("abcdef")
view.set_picture(Picture(indices / 254, 0.0, 1.0, table, names, names, writings=()))
window.show()
app.processEvents()
image = window.grab().toImage().convertToFormat(QImage.Format.Format_Grayscale8)
ratio = image.devicePixelRatio()
pixels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1)
layout = view.laid_out
left, top = round(3 * ratio), round(5 * ratio)
for row, column in np.ndindex(count, count):
    y = slice(*(layout.row_edges[row : row + 2] + (top, top - layout.gap)))
    x = slice(*(layout.column_edges[column : column + 2] + (left, left - layout.gap)))
    assert set(np.unique(pixels[y, x])) == {indices[row, column]}, (row, column)
print(ratio, layout.gap)
"""


@pytest.mark.parametrize("factor", ["1", "1.5", "2"])
def test_cells_are_crisp_whatever_the_device_pixel_ratio(factor):
    done = subprocess.run(
        [sys.executable, "-c", CRISP],
        env={**os.environ, "QT_SCALE_FACTOR": factor, "QT_QPA_PLATFORM": "offscreen"},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert float(done.stdout.split()[0]) == float(factor)
