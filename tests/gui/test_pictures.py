"""From numbers to pictures and words, with the lesson's numbers."""

import numpy as np
import pytest

from mhagui.document import ColourScale, Quantity, load_lesson
from mhagui.document.edits import (
    MoveHead,
    SetSequenceLength,
    rename_head,
    set_gain,
    set_key_magnitude,
)
from mhagui.gui.bench import Bench
from mhagui.gui.pictures import Pictures, cursor_text, largest_seen, spoken_cell, weight_table
from mhagui.gui.widgets.matrix_picture import shown_indices
from mhagui.palette import diverging_table


@pytest.fixture
def pictured(bench):
    """A function that gives the scale and the pictures of the bench's frame."""
    pictures = Pictures()

    def make():
        frame = bench.frame
        result, view = frame.result, frame.view
        scale = pictures.scale(result, view)
        return scale, [pictures.of(head, result.allowed, view, scale) for head in result.heads]

    return make


def test_read_out_of_a_weight(bench):
    # head 2, row 4, column 3 of the lesson: 0.92329 of 4 allowed keys
    bench.point(head=2, query=3, key=2)
    assert cursor_text(bench.frame) == "head 2 · t = 4 · i = 3 · weight 0.9233 · 3.69× uniform"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("L0 H25", " L0 H25"),
        ("previous token", ""),  # what its pattern is called says no more
        ("the sharp one that looks back", " the shar…ks back"),
    ],
)
def test_read_out_names_a_head_where_that_tells_more(bench, name, shown):
    bench.edit(rename_head(2, name))
    bench.point(head=2, query=3, key=2)
    assert cursor_text(bench.frame).startswith(f"head 2{shown} · t = 4 · i = 3 · weight ")
    assert spoken_cell(bench.frame).startswith(f"head 2{shown}, row t4, column t3, weight ")


def test_read_out_of_a_tiny_weight(bench):
    bench.point(head=2, query=4, key=0)  # 2.7395e-6 of 5 allowed keys
    expected = "head 2 · t = 5 · i = 1 · weight 2.74e−6 · 1.37e−5× uniform"
    assert cursor_text(bench.frame) == expected


def test_read_out_of_a_masked_cell(bench):
    bench.point(head=3, query=1, key=4)
    assert cursor_text(bench.frame) == "head 3 · t = 2 · i = 5 · masked"


def test_read_out_of_a_score(bench):
    bench.look(quantity=Quantity.SCORES)
    bench.point(head=1, query=3, key=0)  # 3/√2
    assert cursor_text(bench.frame) == "head 1 · t = 4 · i = 1 · score 2.1213"


def test_read_out_of_a_large_ratio(bench):
    bench.edit(SetSequenceLength(200))
    bench.edit(set_gain(1, 1000.0))
    bench.point(head=1, query=199, key=0)
    assert cursor_text(bench.frame).endswith("weight 1.0000 · 200× uniform")


def test_read_out_names_the_place_not_the_identity(bench):
    bench.edit(MoveHead(2, 0))
    bench.point(head=2, query=3, key=2)
    assert cursor_text(bench.frame).startswith("head 1 ·")


@pytest.mark.parametrize("quantity", list(Quantity))
def test_tables_have_255_colours(quantity):
    table = weight_table() if quantity is Quantity.WEIGHTS else diverging_table()
    assert table.shape == (255, 3)
    assert table.dtype == np.uint8


def test_viridis_is_the_one_everybody_knows():
    # first and last colour as published
    assert weight_table()[0].tolist() == [68, 1, 84]
    assert weight_table()[-1].tolist() == [253, 231, 37]


def test_signed_table_is_neutral_in_the_middle_only():
    spread = np.ptp(diverging_table().astype(int), axis=1)
    assert spread.argmin() == 127
    assert spread[127] <= 2


def test_score_limits_are_symmetric_and_shared(bench, pictured):
    bench.look(quantity=Quantity.SCORES)
    scale, _ = pictured()
    # |Q| = |K| = 3 on a circle: 9/√2 on the diagonal of head 3
    assert (scale.low, scale.high) == pytest.approx((-9 / np.sqrt(2), 9 / np.sqrt(2)))


def test_masked_scores_do_not_widen_the_limits():
    scores = np.array([[1.0, 9.0], [-3.0, 2.0]])
    assert largest_seen(scores, np.array([1, 2])) == 3.0


def test_scores_that_are_all_zero_are_in_the_middle(bench, pictured):
    for head in (1, 2, 3, 4):
        bench.edit(set_key_magnitude(head, 0.0))
    bench.look(quantity=Quantity.SCORES)
    scale, pictures = pictured()
    assert scale.low < 0 < scale.high
    assert shown_indices(pictures[0])[5, 5] == 127


def test_linear_to_max_ends_at_the_largest_weight(bench, pictured):
    bench.look(colour_scale=ColourScale.LINEAR_TO_MAX)
    scale, pictures = pictured()
    assert scale.high == pytest.approx(0.96015, abs=1e-5)  # head 2, row 2; row 1 is 1 always
    assert shown_indices(pictures[1])[1, 0] == shown_indices(pictures[0])[0, 0] == 254


def test_logarithmic_draws_zero_weights_in_the_colour_of_the_floor(bench, pictured):
    bench.edit(set_gain(2, 1000.0))  # weights that underflow to 0
    bench.look(colour_scale=ColourScale.LOGARITHMIC)
    scale, pictures = pictured()
    assert pictures[1].values[5, 0] == 0.0
    assert shown_indices(pictures[1])[5, 0] == 0
    assert "1e−6" in scale.caption


def test_relative_scale_is_neutral_where_a_row_is_uniform(bench, pictured):
    bench.look(colour_scale=ColourScale.RELATIVE)
    scale, pictures = pictured()
    lower = np.tri(6, dtype=bool)
    assert (shown_indices(pictures[3])[lower] == 127).all()  # head 4 is uniform
    # row 4 of head 2 puts 0.92329 on key 3, of 4: 3.69 times uniform on a scale from 1/6 to 6
    expected = 127 + 127 * np.log(4 * 0.9232943) / np.log(6)
    assert shown_indices(pictures[1])[3, 2] == pytest.approx(expected, abs=1)
    assert scale.unit == "×"


def written(picture, place):
    """What is written in the cells, by the first of the ways to write them."""
    return [
        [picture.writings[place].text(picture.value(row, key)) for key in range(row + 1)]
        for row in range(picture.shape[0])
    ]


def test_cells_relative_to_uniform_write_what_their_colour_stands_for(bench, pictured):
    bench.look(colour_scale=ColourScale.RELATIVE)
    _, pictures = pictured()
    # row 4 of head 2: 0.92329 on key 3 of 4, 0.0383 beside it, 6.6e-5 on key 1
    assert written(pictures[1], 0)[3] == ["≈0", ".15", "3.7", ".15"]
    assert written(pictures[3], 0)[5] == ["1.0"] * 6


def test_small_weights_have_their_power_of_ten_on_a_logarithmic_scale(bench, pictured):
    bench.look(colour_scale=ColourScale.LOGARITHMIC)
    _, pictures = pictured()
    # row 5 of head 2: 2.7395e-6 on key 1
    assert written(pictures[1], 0)[4][0] == "3e−6"
    assert written(pictures[1], 0)[4][3] == ".92"
    assert written(pictures[1], 1)[4][0] == "≈0"  # where there is no room for more
    bench.edit(set_gain(2, 1000.0))
    _, pictures = pictured()
    assert written(pictures[1], 0)[5][0] == "0"  # a true zero


def test_what_a_linear_scale_cannot_tell_from_zero_has_no_power(bench, pictured):
    bench.edit(set_gain(2, 10.0))
    _, pictures = pictured()
    assert 0 < bench.frame.result.heads[1].weights[4, 0] < 1e-20
    assert written(pictures[1], 0)[4][0] == "≈0"


@pytest.mark.parametrize("scale", [ColourScale.LINEAR, ColourScale.LINEAR_TO_MAX])
def test_so_they_have_on_a_linear_scale_where_there_is_room(bench, pictured, scale):
    bench.look(colour_scale=scale)
    _, pictures = pictured()
    assert written(pictures[1], 0)[4][0] == "3e−6"
    assert written(pictures[1], 0)[4][3] == ".923"
    assert written(pictures[1], 1)[4][0] == "≈0"
    assert written(pictures[1], 2)[4][3] == ".92"


def test_scores_can_be_written_with_fewer_digits(bench, pictured):
    bench.look(quantity=Quantity.SCORES)
    _, pictures = pictured()
    # on a circle of |Q| = |K| = 3: 9/√2 = 6.36 on the diagonal of head 3, −3.18 two rows down
    assert [written(pictures[2], place)[0][0] for place in (0, 1)] == ["6.36", "6.4"]
    assert [written(pictures[2], place)[2][0] for place in (0, 1)] == ["−3.18", "−3.2"]
    # every head is asked whether the widest of all would fit
    assert {tuple(way.sample for way in p.writings) for p in pictures} == {("−6.36", "−6.4")}


@pytest.mark.parametrize(
    ("gain", "words"),
    [(1.0, "· 3.69×"), (2.0, "· 3.99×"), (30.0, "· 4.00×"), (0.0, "· 1.00×")],
)
def test_a_ratio_has_three_digits(bench, gain, words):
    bench.point(head=2, query=3, key=2)
    bench.edit(set_gain(2, gain))
    assert words in cursor_text(bench.frame)


def test_only_the_head_whose_gain_moved_gets_a_new_picture(bench, pictured):
    _, before = pictured()
    bench.edit(set_gain(3, 2.0))
    _, after = pictured()
    same = [one is other for one, other in zip(before, after, strict=True)]
    assert same == [True, True, False, True]


def test_a_gain_leaves_the_pictures_of_the_scores(bench, pictured):
    bench.look(quantity=Quantity.SCORES)
    _, before = pictured()
    bench.edit(set_gain(3, 2.0))
    _, after = pictured()
    assert all(one is other for one, other in zip(before, after, strict=True))


def test_another_scene_with_the_same_heads_gets_pictures_of_its_own(qapp, pictured):
    other = Bench(load_lesson("two-heads"))
    pictures = Pictures()
    result, view = other.frame.result, other.frame.view
    scale = pictures.scale(result, view)
    made = pictures.of(result.heads[0], result.allowed, view, scale)
    assert made.values is other.frame.result.heads[0].weights
    assert made is not pictured()[1][0]
    other.stop()


def test_linear_to_max_of_a_single_position(bench, pictured):
    bench.edit(SetSequenceLength(1))
    bench.look(colour_scale=ColourScale.LINEAR_TO_MAX)
    scale, _ = pictured()
    assert (scale.low, scale.high) == (0.0, 1.0)
