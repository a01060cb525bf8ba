"""A scene whose weights are not kept looks and reads like one whose are."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from mhagui.document import ColourScale, Quantity, compute, load_lesson, on_demand
from mhagui.document.edits import SetSequenceLength, set_gain
from mhagui.gui.pictures import Pictures
from mhagui.gui.widgets.matrix_picture import HATCHED, Part, shown_indices

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
