"""Readings as sessions keep them: they come back as they were, and fit the file or are refused."""

import msgspec
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mhagui import sources
from mhagui.document.file_entries import PartEntry, ReadingEntry
from mhagui.errors import UserError
from mhagui.sources import names
from mhagui.sources.readings import AXES, ORIENTATIONS
from mhagui.sources.remembered import entry_of, reading_of

RNG = np.random.default_rng(4)


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    path = tmp_path_factory.mktemp("remembered") / "one.npz"
    arrays = {f"attn_{n}": RNG.dirichlet(np.ones(5), size=(2, 3, 5)) for n in (2, 7)}
    projections = {"x": RNG.normal(size=(5, 4)), "w_q": RNG.normal(size=(4, 4))}
    np.savez(path, tokens=np.array(["a", "b", "c", "d", "e"]), **arrays, **projections)
    return sources.inspect(path)


def test_every_possible_reading_comes_back(found):
    assert found.readings
    for reading in found.readings:
        assert reading_of(entry_of(reading), found) == reading


PART = PartEntry(
    role="weights",
    arrays=("attn_2", "attn_7"),
    layers=(2, 7),
    steps=(0, 0),
    axes=("batch", "head", "query", "key"),
)


@pytest.mark.parametrize(
    "wrong",
    [
        {"role": "owner"},
        {"arrays": ("attn_2", "gone")},
        {"arrays": ("attn_2",)},
        {"arrays": (), "layers": (), "steps": ()},
        {"layers": (7, 2)},
        {"layers": (2, 2)},
        {"axes": ("query", "key")},
        {"axes": ("head", "head", "query", "key")},
        {"axes": ("x", "y", "z", "t")},
    ],
)
def test_what_does_not_fit_the_file_is_refused(found, wrong):
    right = ReadingEntry(parts=(PART,), batch=1)
    assert reading_of(right, found).batch == 1
    spoiled = msgspec.structs.replace(PART, **wrong)
    with pytest.raises(UserError, match=r"one\.npz"):
        reading_of(msgspec.structs.replace(right, parts=(spoiled,)), found)


def test_a_role_has_one_part_and_the_orientation_is_known(found):
    with pytest.raises(UserError, match="cannot be read as the session says"):
        reading_of(ReadingEntry(parts=(PART, PART)), found)
    with pytest.raises(UserError, match="cannot be read as the session says"):
        reading_of(ReadingEntry(parts=(PART,), orientation="upside down"), found)


SMALL = st.integers(0, 9)
PARTS = st.builds(
    PartEntry,
    role=st.sampled_from(names.ROLES),
    arrays=st.lists(st.sampled_from(["attn_2", "attn_7", "x", "w_q", "tokens"]), max_size=3).map(
        tuple
    ),
    layers=st.lists(SMALL, max_size=3).map(tuple),
    steps=st.lists(SMALL, max_size=3).map(tuple),
    axes=st.lists(st.sampled_from(sorted(AXES)), max_size=4).map(tuple),
)
ALIGNED = st.builds(
    lambda part, layers: msgspec.structs.replace(
        part,
        layers=tuple(range(len(part.arrays))) if layers else (0,) * len(part.arrays),
        steps=(0,) * len(part.arrays) if layers else tuple(range(len(part.arrays))),
        axes=PART.axes if "attn_2" in part.arrays else part.axes,
    ),
    PARTS,
    st.booleans(),
)
READINGS = st.builds(
    ReadingEntry,
    parts=st.lists(PARTS | ALIGNED, min_size=1, max_size=3).map(tuple),
    batch=st.none() | SMALL,
    layers=st.none() | st.lists(SMALL, max_size=3).map(tuple),
    orientation=st.none() | st.sampled_from(ORIENTATIONS),
    heads=st.none() | SMALL,
    key_heads=st.none() | SMALL,
    causal=st.none() | st.booleans(),
    scale=st.none() | st.floats(-2, 2),
    has_steps=st.booleans(),
)


@given(READINGS)
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_whatever_a_session_says_ends_in_a_capture_or_a_sentence(found, entry):
    try:
        reading = reading_of(entry, found)
        sources.questions(found, reading)
        capture = sources.read(found, reading)
    except UserError:
        return
    assert capture.layers
