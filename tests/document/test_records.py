from dataclasses import dataclass

import numpy as np
import pytest

from mhagui.document.records import Array, Record, read_only, sealed


@dataclass(frozen=True, slots=True, eq=False)
class Sample(Record):
    name: str
    numbers: Array


@dataclass(frozen=True, slots=True, eq=False)
class OtherSample(Record):
    name: str
    numbers: Array


def test_records_are_equal_when_names_and_arrays_are():
    assert Sample("a", np.eye(2)) == Sample("a", np.eye(2))
    assert Sample("a", np.eye(2)) != Sample("b", np.eye(2))
    assert Sample("a", np.eye(2)) != Sample("a", 2 * np.eye(2))


def test_arrays_of_other_shapes_are_not_equal_though_they_broadcast():
    assert Sample("a", np.ones((2, 2))) != Sample("a", np.ones((1, 2)))


def test_an_array_is_not_equal_to_none():
    assert Sample("a", np.ones((1, 2))) != Sample("a", None)
    assert Sample("a", None) != Sample("a", np.ones((1, 2)))
    assert Sample("a", None) == Sample("a", None)


def test_records_of_other_kinds_are_not_equal():
    assert Sample("a", np.eye(2)) != OtherSample("a", np.eye(2))
    assert Sample("a", np.eye(2)) != "a"


def test_records_cannot_be_hashed_for_arrays_cannot():
    with pytest.raises(TypeError, match="unhashable"):
        hash(Sample("a", np.eye(2)))


def test_what_the_caller_can_write_to_is_copied():
    mine = np.eye(2)
    frozen = read_only(mine)
    mine[0, 0] = 9.0
    assert frozen[0, 0] == 1.0
    assert not frozen.flags.writeable


def test_a_read_only_view_of_what_the_caller_can_write_to_is_copied():
    mine = np.eye(3)
    view = mine[:2]
    view.flags.writeable = False
    frozen = read_only(view)
    mine[0, 0] = 9.0
    assert frozen[0, 0] == 1.0


def test_read_only_memory_of_others_is_copied_for_they_may_write_to_it():
    memory = bytearray(np.eye(2).tobytes())
    frozen = read_only(np.frombuffer(memory).reshape(2, 2))
    memory[:] = bytes(len(memory))
    assert frozen[0, 0] == 1.0


def test_what_is_read_only_already_is_shared_and_so_are_its_rows():
    frozen = read_only(np.eye(4))
    assert read_only(frozen) is frozen
    assert np.shares_memory(read_only(frozen[1:3]), frozen)


@pytest.mark.parametrize(
    "given",
    [[[1, 2], [3, 4]], np.array([[1, 2], [3, 4]], dtype=np.float32), np.array([[1, 3], [2, 4]]).T],
)
def test_every_kind_of_numbers_becomes_float64_in_c_order(given):
    frozen = read_only(given)
    assert frozen.dtype == np.float64
    assert frozen.flags.c_contiguous
    assert frozen.tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_sealing_a_new_array_does_not_copy_it():
    fresh = np.eye(2)
    assert sealed(fresh) is fresh
    assert not fresh.flags.writeable
