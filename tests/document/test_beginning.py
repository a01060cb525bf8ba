"""The beginning of a long scene, which is shown while all of it is computed."""

import numpy as np
import pytest

from mhagui.document import compute, lesson_names, load_lesson
from mhagui.document.beginning import POSITIONS, beginning
from mhagui.document.capture import Capture, CapturedLayer
from mhagui.document.captured_scene import scene_of
from mhagui.document.edits import HandSet, SetSequenceLength
from mhagui.document.new_scene import new_scene


def test_a_short_scene_is_its_own_beginning():
    scene = new_scene(POSITIONS, 4, 2, 2, 8)
    assert beginning(scene) is scene


@pytest.mark.parametrize("name", lesson_names())
def test_every_lesson_has_a_beginning_that_can_be_computed(name):
    long = SetSequenceLength(POSITIONS + 36).apply(load_lesson(name))
    short = beginning(long)
    assert short.n_positions == POSITIONS
    assert [(h.uid, h.name, h.gain) for h in short.heads] == [
        (h.uid, h.name, h.gain) for h in long.heads
    ]
    assert short.w_o is long.w_o
    assert short.tokens == long.tokens[:POSITIONS]
    assert compute(short).output.shape == (POSITIONS, long.d_model)


def test_the_rows_of_a_hand_set_head_are_the_first_of_the_whole():
    scene, numbers = new_scene(POSITIONS + 36, 2, 4, 2, 8), np.random.default_rng(5)
    q, k = numbers.normal(size=(2, scene.n_positions, scene.d_k))
    scene = HandSet(scene.heads[1].uid, q, k, "By hand").apply(scene)
    whole, short = (compute(of).heads[1].weights for of in (scene, beginning(scene)))
    assert np.allclose(short, whole[:POSITIONS, :POSITIONS], rtol=0, atol=1e-15)


@pytest.mark.parametrize("is_causal", [True, False])
def test_given_weights_are_the_first_of_the_whole_to_the_bit(is_causal):
    n = POSITIONS + 36
    allowed = np.tri(n, dtype=bool) if is_causal else np.ones((n, n), dtype=bool)
    given = np.random.default_rng(6).random((2, n, n)) * allowed
    given /= given.sum(axis=2, keepdims=True)
    scene = scene_of(Capture("made up", (CapturedLayer(0, given=given, allowed=allowed),)), 0)
    for head, whole in zip(compute(beginning(scene)).heads, given, strict=True):
        np.testing.assert_array_equal(head.weights, whole[:POSITIONS, :POSITIONS])
