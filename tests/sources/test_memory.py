"""Little memory beside what is read, whatever else is in the file."""

import struct
import sys
import tracemalloc

import numpy as np
import pytest

from mhagui import sources
from mhagui.errors import UserError


def test_12_layers_of_12_heads_and_256_positions_take_little_more_than_themselves(
    tmp_path, opened, saved
):
    weights = np.broadcast_to(np.eye(256, dtype=np.float32), (12, 12, 256, 256))
    path = saved(tmp_path / "a.npy", weights)
    tracemalloc.start()
    capture = opened(path, axes="layer,head,query,key")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1.25 * weights.nbytes
    assert capture.layer(11).given[11, 255, 255] == 1


def test_a_short_row_of_many_is_read_alone(tmp_path, saved):
    table = np.arange(40_000 * 100, dtype=np.float32).reshape(40_000, 100)
    (entry,) = sources.inspect(saved(tmp_path / "a.npy", table)).entries
    tracemalloc.start()
    row = entry.read((7, None))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert np.array_equal(row, table[7])
    assert peak < table.nbytes / 100


def test_texts_of_no_length_are_not_made_however_many(tmp_path, refused):
    header = b"{'descr': '<U0', 'fortran_order': False, 'shape': (1073741824,), }"
    path = tmp_path / "a.npy"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
    tracemalloc.start()
    try:
        refused(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2**20


def test_looking_at_a_head_takes_little_beside_it(tmp_path):
    weights = np.tri(3000, dtype=np.float32)
    np.save(tmp_path / "a.npy", weights / weights.sum(axis=1, keepdims=True))
    tracemalloc.start()
    try:
        capture = sources.open_capture(tmp_path / "a.npy")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # The head, its mask of bytes, and a block.
    assert peak < weights.nbytes * 1.25 + 2**24
    assert capture.layers[0].allowed is not None


def test_layers_of_one_shape_share_one_mask(tmp_path):
    np.save(tmp_path / "a.npy", np.broadcast_to(np.eye(5, dtype=np.float32), (3, 1, 2, 5, 5)))
    first, second, third = sources.open_capture(tmp_path / "a.npy").layers
    assert first.allowed is second.allowed is third.allowed


def test_too_little_memory_for_the_proofs_is_said(tmp_path, monkeypatch, refused):
    def none_left(*_):
        raise MemoryError

    np.save(tmp_path / "a.npy", np.eye(4)[np.newaxis, np.newaxis])
    monkeypatch.setattr(sys.modules["mhagui.sources.evidence"], "head_facts", none_left)
    assert refused(tmp_path / "a.npy") == "a.npy is larger than what memory is left."
    found = sources.inspect(tmp_path / "a.npy")
    with pytest.raises(UserError, match="larger than what memory is left"):
        sources.evidence(found, found.readings[0])
