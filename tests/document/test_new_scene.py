"""A fresh scene: right for any sizes, and refused where sizes cannot be."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mhagui.document import compute
from mhagui.document.edits import DescribeScene
from mhagui.document.head import MAX_LAYERS
from mhagui.document.new_scene import new_scene
from mhagui.errors import UserError

SIZES = st.tuples(*(st.integers(1, most) for most in (12, 32, 4, 6, 24)))


@given(SIZES)
def test_it_has_the_sizes_asked_for(sizes):
    n_positions, n_heads, d_k, d_v, d_model = sizes
    scene = new_scene(*sizes)
    assert scene.x.shape == (n_positions, d_model)
    assert scene.w_o.shape == (n_heads * d_v, d_model)
    assert {head.w_v.shape for head in scene.heads} == {(d_model, d_v)}
    assert (scene.n_heads, scene.d_k) == (n_heads, d_k)
    assert [head.uid for head in scene.heads] == list(range(1, n_heads + 1))
    assert all(1 <= head.layer <= MAX_LAYERS and head.gain == 1 for head in scene.heads)


@given(SIZES)
def test_every_feature_that_a_head_reads_comes_out_where_it_was(sizes):
    scene = new_scene(*sizes)
    through = np.zeros((scene.d_model, scene.d_model))
    for place, head in enumerate(scene.heads):
        through += head.w_v @ scene.w_o[scene.rows_of(place)]
    assert not (through - np.diag(np.diag(through))).any()
    n_read = scene.n_heads * scene.d_v
    times = [n_read // scene.d_model + (i < n_read % scene.d_model) for i in range(scene.d_model)]
    assert np.diag(through).tolist() == times


def test_the_usual_one_looks_like_the_lesson(four_heads):
    scene = new_scene(6, 4, 2, 2, 8)
    assert [head.pattern for head in scene.heads] == [head.pattern for head in four_heads.heads]
    assert (scene.x == four_heads.x).all()
    assert (scene.w_o == np.eye(8)).all()
    fresh, lesson = compute(scene, None), compute(four_heads, None)
    for one, other in zip(fresh.heads, lesson.heads, strict=True):
        assert (one.weights == other.weights).all()


def test_eight_heads_look_in_eight_ways_and_the_ninth_begins_again():
    patterns = [head.pattern for head in new_scene(6, 9, 2, 2, 18).heads]
    assert len(set(patterns)) == 8
    assert patterns[8] is patterns[0]


def test_with_d_k_of_one_no_head_needs_a_circle():
    names = [head.name for head in new_scene(6, 5, 1, 1, 5).heads]
    assert names == ["first token", "uniform", "two positions", "recency", "first token"]


@pytest.mark.parametrize(
    ("sizes", "complaint"),
    [
        ((0, 1, 1, 1, 1), "The sequence length T must be a whole number from 1 to 4096; got 0."),
        ((4097, 1, 1, 1, 1), "The sequence length T must be .* got 4097."),
        ((6, 0, 1, 1, 1), "The number of heads must be a whole number from 1 to 64; got 0."),
        ((6, 1, 257, 1, 1), "d_k must be a whole number from 1 to 256; got 257."),
        ((6, 1, 1, 10**9, 1), "d_v must be a whole number from 1 to 256; got 1000000000."),
        ((6, 1, 1, 1, 2049), "d_model must be a whole number from 1 to 2048; got 2049."),
    ],
)
def test_sizes_that_no_scene_can_have_are_refused(sizes, complaint):
    with pytest.raises(UserError, match=complaint):
        new_scene(*sizes)


def test_describing_a_scene_changes_its_words_alone(four_heads):
    described = DescribeScene("  my heads ", "Two\nlines").apply(four_heads)
    assert (described.title, described.description) == ("my heads", "Two\nlines")
    back = DescribeScene(four_heads.title, four_heads.description).apply(described)
    assert back == four_heads


@pytest.mark.parametrize(
    ("title", "description"), [(" ", ""), ("a" * 121, ""), ("a\tb", ""), ("a", "b" * 4001)]
)
def test_words_that_a_scene_cannot_have_are_refused(four_heads, title, description):
    with pytest.raises(UserError, match="printable characters"):
        DescribeScene(title, description).apply(four_heads)
