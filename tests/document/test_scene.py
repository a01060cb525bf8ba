import math
from dataclasses import replace

import numpy as np
import pytest

from mhagui.document import Head, Pattern, Scene
from mhagui.document.scene_input import one_hot_tokens
from mhagui.errors import UserError


def a_head(uid=1, **changes):
    return replace(Head(uid, "h", Pattern.SELF, np.eye(3, 2)), **changes)


def a_scene(**changes):
    fields = {
        "title": "t",
        "description": "",
        "heads": (a_head(1), a_head(2)),
        "x": np.eye(4, 3),
        "w_o": np.ones((4, 3)),
        "d_k": 2,
    }
    return Scene(**(fields | changes))


def test_sizes_are_those_of_the_matrices():
    scene = a_scene()
    assert (scene.n_positions, scene.n_heads, scene.d_model, scene.d_v) == (4, 2, 3, 2)


def test_arrays_are_read_only_and_nobody_elses():
    x, w_o, w_v = np.eye(4, 3), np.ones((4, 3)), np.eye(3, 2)
    scene = a_scene(x=x, w_o=w_o, heads=(a_head(1, w_v=w_v), a_head(2)))
    for mine, kept in ((x, scene.x), (w_o, scene.w_o), (w_v, scene.heads[0].w_v)):
        assert not kept.flags.writeable
        assert not np.shares_memory(mine, kept)


@pytest.mark.parametrize("value", [np.float32(2.0), np.float64(2.0), np.int64(2), 2])
def test_numbers_of_any_kind_become_floats(value):
    head = a_head(gain=value, key_magnitude=value)
    assert [type(n) for n in (head.gain, head.key_magnitude)] == [float] * 2
    assert type(a_scene(master_gain=value).master_gain) is float
    assert head.gain == 2.0


def test_switches_and_counts_of_numpy_become_pythons_own():
    head = a_head(muted=np.True_, soloed=np.False_)
    assert (head.muted, head.soloed) == (True, False)
    assert type(head.muted) is bool
    assert type(a_scene(d_k=np.int64(2)).d_k) is int


def test_a_negative_zero_is_a_zero():
    assert math.copysign(1.0, a_head(gain=-0.0).gain) == 1.0


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"name": " "}, "A head's name needs 1 to 60 printable characters; got 1: ' '."),
        ({"name": "x" * 61}, "A head's name needs 1 to 60 printable characters; got 61: "),
        ({"name": "a\nb"}, "A head's name needs 1 to 60 printable characters; got 3: 'a\\nb'."),
        ({"gain": math.nan}, "The gain of head “h” must be a finite number; got nan."),
        ({"gain": -math.inf}, "The gain of head “h” must be a finite number; got -inf."),
        ({"gain": 10**400}, "The gain of head “h” must be a finite number; got inf."),
        ({"key_magnitude": -1}, "The key magnitude of head “h” must be a number from 0 to 1e+30;"),
        ({"key_magnitude": 1e31}, "The key magnitude of head “h” must be a number from 0 to"),
        ({"key_magnitude": math.nan}, "The key magnitude of head “h” must be a number from 0 to"),
        ({"w_v": np.ones(3)}, "W_V of head “h” must have rows and columns; got 1 dimensions."),
        ({"w_v": [[1.0, math.nan]]}, "row 1, column 2 is nan."),
    ],
)
def test_heads_that_cannot_be(changes, sentence):
    with pytest.raises(UserError) as caught:
        a_head(**changes)
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"title": ""}, "A scene's title needs 1 to 120 printable characters; got 0: ''."),
        ({"title": "\ud800"}, "A scene's title needs 1 to 120 printable characters; got 1:"),
        ({"description": "x" * 4001}, "A scene's description has at most 4000 printable"),
        ({"description": "\x00"}, "A scene's description has at most 4000 printable"),
        ({"heads": ()}, "The number of heads must be a whole number from 1 to 64; got 0."),
        (
            {"heads": [a_head(n) for n in range(1, 66)]},
            "The number of heads must be a whole number from 1 to 64; got 65.",
        ),
        ({"heads": (a_head(1), a_head(1))}, "Two heads of this scene have the same identity"),
        (
            {"heads": (a_head(1), a_head(2, w_v=np.ones((3, 1))))},
            "W_V of head “h” is 3 × 1, but this scene needs 3 × 2 (d_model rows, d_v columns).",
        ),
        ({"x": np.ones((4097, 3))}, "The sequence length T must be a whole number from 1 to 4096;"),
        ({"x": np.ones((0, 3))}, "The sequence length T must be a whole number from 1 to 4096;"),
        ({"x": np.ones((4, 2049))}, "d_model must be a whole number from 1 to 2048; got 2049."),
        ({"d_k": 0}, "d_k must be a whole number from 1 to 256; got 0."),
        ({"d_k": 2.0}, "d_k must be a whole number from 1 to 256; got 2.0."),
        ({"d_k": True}, "d_k must be a whole number from 1 to 256; got True."),
        ({"d_k": 1}, "Head “h” (self) writes positions on a circle, which needs d_k of at least 2"),
        ({"w_o": np.ones((3, 3))}, "W_O is 3 × 3, but these heads need 4 × 3 (H·d_v rows, d_mod"),
        ({"w_o": np.full((4, 3), 1e31)}, "W_O must hold numbers from -1e+30 to 1e+30; row 1, c"),
        ({"master_gain": math.inf}, "The master gain must be a finite number; got inf."),
        (
            {"heads": (a_head(1, gain=1e200), a_head(2)), "master_gain": 1e200},
            "The gain of head “h”, 1e+200, times the master gain, 1e+200, is too large for a num",
        ),
    ],
)
def test_scenes_that_cannot_be(changes, sentence):
    with pytest.raises(UserError) as caught:
        a_scene(**changes)
    assert sentence in str(caught.value)
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize(
    ("muted", "soloed", "active"),
    [
        ((False, False), (False, False), (True, True)),
        ((True, False), (False, False), (False, True)),
        ((False, False), (True, False), (True, False)),
        ((True, False), (True, False), (True, False)),  # a solo is heard though it is muted
        ((True, True), (False, False), (False, False)),
    ],
)
def test_which_heads_reach_w_o(muted, soloed, active):
    heads = tuple(a_head(n + 1, muted=muted[n], soloed=soloed[n]) for n in range(2))
    assert a_scene(heads=heads).active == active


def test_heads_are_found_by_identity():
    scene = a_scene(heads=(a_head(7, name="seven"), a_head(2)))
    assert scene.index_of(2) == 1
    assert scene.head(7).name == "seven"
    with pytest.raises(UserError, match=r"^There is no head 3 in this scene\.$"):
        scene.head(3)


def test_tokens_past_d_model_repeat_in_turn():
    eye = np.eye(3)
    assert one_hot_tokens(7, 3).tolist() == np.vstack([eye, eye, eye[:1]]).tolist()
    assert one_hot_tokens(2, 3).tolist() == eye[:2].tolist()


@pytest.mark.parametrize("count", [0, -1, 4097, 10**7, 2.5, True, math.nan, "6", None])
def test_sequence_lengths_that_cannot_be(count):
    with pytest.raises(UserError, match=r"^The sequence length T must be a whole number from 1 to"):
        one_hot_tokens(count, 3)


def test_tokens_of_an_impossible_width_are_refused_before_they_are_made():
    with pytest.raises(
        UserError, match=r"^d_model must be a whole number from 1 to 2048; got 10+\.$"
    ):
        one_hot_tokens(6, 10**12)
