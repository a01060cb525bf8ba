"""A scene whose weights are not kept looks and reads like one whose are."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from mhagui.document import ColourScale, Quantity, compute, load_lesson, on_demand
from mhagui.document.edits import SetSequenceLength, set_gain
from mhagui.gui.pictures import Pictures
from mhagui.gui.widgets.matrix_cells import cells_of
from mhagui.gui.widgets.matrix_picture import HATCHED, Part, shown_indices
from mhagui.gui.widgets.matrix_zoom import ZoomedView

T, BLOCKS = 96, 32


@pytest.fixture
def few_kept(monkeypatch):
    """Keep no weights of more than a few positions."""
    monkeypatch.setattr(on_demand, "MOST_KEPT", 4 * 20**2)
    monkeypatch.setattr(on_demand, "OVERVIEW", BLOCKS)


@pytest.fixture
def scene():
    return SetSequenceLength(T).apply(load_lesson("four-heads"))


def pictures_of(scene, bench, **changes):
    bench.look(**changes)
    result, pictures = compute(scene), Pictures()
    scale = pictures.scale(result, bench.view)
    return [pictures.of(head, result.allowed, bench.view, scale) for head in result.heads]


LOOKS = [
    {"quantity": Quantity.WEIGHTS},
    {"quantity": Quantity.WEIGHTS, "colour_scale": ColourScale.LINEAR_TO_MAX},
    {"quantity": Quantity.SCORES},
]


@pytest.mark.parametrize("look", LOOKS)
def test_its_pictures_are_the_same(scene, bench, monkeypatch, few_kept, look):
    middle = 127 if look["quantity"] is Quantity.SCORES else 0
    made = pictures_of(scene, bench, **look)
    parts = Part(range(40, 60), range(30, 50)), None
    shown = [[shown_indices(p, part, (BLOCKS, BLOCKS)) for part in parts] for p in made]
    cells = [(p.value(50, 40), p.value(T - 1, 0), p.low, p.high) for p in made]
    monkeypatch.undo()
    kept = pictures_of(scene, bench, **look)
    for picture, of_picture, of_cells in zip(kept, shown, cells, strict=True):
        assert isinstance(picture.values, np.ndarray)
        for part, indices in zip(parts, of_picture, strict=True):
            wanted = shown_indices(picture, part, (BLOCKS, BLOCKS)).astype(int)
            assert_array_equal(wanted == HATCHED, indices == HATCHED)
            # Of scores as far below zero as others are above it, either may be shown.
            strength, wanted_strength = (
                np.abs(indices.astype(int) - middle),
                np.abs(wanted - middle),
            )
            assert np.abs(strength - wanted_strength).max() <= 1  # of 255: rounding at an edge
        wanted = picture.value(50, 40), picture.value(T - 1, 0), picture.low, picture.high
        assert of_cells == pytest.approx(wanted, abs=1e-12)


def test_it_fills_a_display_that_is_finer_than_what_is_kept_of_it(scene, bench, few_kept, qtbot):
    view = ZoomedView()
    qtbot.addWidget(view)
    view.resize(300, 300)
    view.set_picture(pictures_of(scene, bench)[1])
    layout = view.laid_out
    shown = cells_of(view.picture, layout).indices
    assert shown.shape == (np.ptp(layout.row_edges), np.ptp(layout.column_edges))
    assert len(shown) > 2 * T
    rows, columns = np.indices(shown.shape)
    assert (shown[columns > rows + len(shown) / BLOCKS] == HATCHED).all()
    assert (shown[columns <= rows] != HATCHED).all()


@pytest.mark.parametrize("look", [LOOKS[0], LOOKS[2]])
def test_no_cell_of_a_large_part_is_made_to_show_it_small(
    scene, bench, monkeypatch, few_kept, look
):
    sharp = set_gain(2, 8.0).apply(scene)
    picture, room = pictures_of(sharp, bench, **look)[1], (16, 16)
    part = Part(range(T // 3 + 1, T - 5), range(7, 2 * T // 3 + 1))
    wanted = shown_indices(replace(picture, values=np.asarray(picture.values)), part, room)
    monkeypatch.setattr(on_demand.core, "weights_block", None)
    monkeypatch.setattr(on_demand.core, "attention_scores", None)
    shown = shown_indices(picture, part, room)
    assert shown.shape == room
    # What is shown of a cell may be a block away, for the blocks of the two begin elsewhere.
    bright = np.argwhere((wanted != HATCHED) & (wanted >= 0.8 * wanted[wanted != HATCHED].max()))
    assert len(bright) > 8
    levels = np.where(shown == HATCHED, 0, shown.astype(int))
    for row, column in bright:
        near = levels[max(row - 1, 0) : row + 2, max(column - 1, 0) : column + 2]
        assert near.max() >= int(wanted[row, column]) - 1


def test_every_dock_draws_it(open_window, few_kept, settle):
    window = open_window()
    bench = window.bench
    bench.edit(SetSequenceLength(T))
    settle()
    assert isinstance(bench.frame.result.heads[0].weights, on_demand.OnDemand)
    for dock in window.docks.all:
        window.docks.show([dock.objectName()])
        settle()
    for look in (*LOOKS, {"colour_scale": ColourScale.RELATIVE}, {"enlarged": 2}):
        bench.look(**look)
        settle()
    for stage in range(8):
        bench.look(stage=stage)
        settle()
    bench.edit(set_gain(2, 1.5))
    bench.point(query=T - 1, key=3)
    settle()
    assert bench.frame.scene is bench.scene
