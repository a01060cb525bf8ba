"""Files of version 4: masks, biases, given weights, shared keys."""

from pathlib import Path

import numpy as np
import pytest

from mhagui.document import Cursor, Head, Pattern, Quantity, Scene, Session, ViewState, read_session
from mhagui.document.file_entries import PartEntry, ReadingEntry
from mhagui.document.layer_source import FileMark, LayerSource
from mhagui.document.mask_rule import MaskKind, MaskRule

KEPT = Path(__file__).parents[1] / "data" / "sessions"
SAVED_4 = Session(
    Scene(
        title="kinds of version 4",
        description="biases, a window, shared keys",
        heads=(
            Head(
                2,
                "L5 H1",
                Pattern.HAND_SET,
                w_v=np.array([[1.0], [0.5], [-2.0]]),
                gain=1.5,
                q=np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6], [0.7, 0.8]]),
                k=np.array([[1.0, 0.0], [0.0, 1.0], [1 / 3, 0.0], [0.0, -1.0]]),
                b_v=np.array([[0.25]]),
                key_head=0,
            ),
            Head(
                9,
                "by hand",
                Pattern.GIVEN,
                w_v=np.array([[0.0], [1.0], [0.0]]),
                a=np.array([[0.9, 0, 0, 0], [0.5, 0.5, 0, 0], [0, 0, 0, 0], [0, 0, 0.2, 0.75]]),
            ),
        ),
        x=np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [2.0, 0.0, 0.0]]),
        w_o=np.array([[1.0, 0.0, 2.0], [0.0, -1.0, 0.125]]),
        d_k=2,
        tokens=(" the", "cat", "שלום", "\N{MAN}\N{ZERO WIDTH JOINER}\N{GIRL}"),
        mask=MaskRule(MaskKind.SLIDING, 2),
        b_o=np.array([[0.5, 0.0, -1.0]]),
    ),
    ViewState(Cursor(9, 3, 2), quantity=Quantity.WEIGHTS, stage=3),
)
WEIGHTS_4 = Session.of(
    Scene(
        title="weights alone",
        description="",
        heads=(
            Head(1, "L0 H0", Pattern.GIVEN, np.zeros((1, 1)), a=np.full((3, 3), 0.25)),
            Head(2, "L0 H1", Pattern.GIVEN, np.zeros((1, 1)), a=np.eye(3)),
        ),
        x=np.zeros((3, 1)),
        w_o=np.zeros((2, 1)),
        d_k=1,
        mask=MaskRule(MaskKind.FULL),
        has_values=False,
    )
)


@pytest.mark.parametrize(
    ("name", "session"),
    [
        ("version-4.mhascene", SAVED_4),
        ("version-4.json", SAVED_4),
        ("version-4-weights-alone.mhascene", WEIGHTS_4),
    ],
)
def test_a_file_of_version_4_opens_as_it_was_left(name, session):
    assert read_session(KEPT / name) == session


def test_a_file_of_version_4_says_of_which_layer_it_is():
    source = read_session(KEPT / "version-4-of-a-layer.mhascene").source
    arrays, axes = ("layer_2", "layer_7"), ("head", "query", "key")
    part = PartEntry(role="weights", arrays=arrays, layers=(2, 7), steps=(0, 0), axes=axes)
    reading = ReadingEntry(parts=(part,), batch=0, layers=(7,), causal=True)
    assert source == LayerSource(
        KEPT / "models" / "tiny.npz",
        FileMark(98_362_432, "bf0f7d69" * 8),
        7,
        "Mary and\nJohn",
        reading,
        by_words=True,
    )


def test_a_file_of_version_3_is_causal_and_without_biases():
    scene = read_session(KEPT / "version-3.mhascene").scene
    assert (scene.mask, scene.b_o, scene.has_values) == (MaskRule(), None, True)
    assert {(head.b_v, head.a, head.key_head) for head in scene.heads} == {(None, None, None)}
