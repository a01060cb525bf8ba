"""Reading is followed layer by layer, can be called off, and sees that the file changes."""

import os

import numpy as np
import pytest

from mhagui import sources
from mhagui.errors import UserError


def test_reading_can_be_called_off_before_any_layer(tmp_path, attention, saved):
    found = sources.inspect(saved(tmp_path / "a.npy", attention(5, 2, 4, 4)))
    seen = []

    def stop(number):
        seen.append(number)
        if number == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sources.read(found, found.readings[0], before_layer=stop)
    assert seen == [0, 1, 2]


def test_opening_can_be_followed_and_called_off(tmp_path):
    np.save(tmp_path / "a.npy", np.broadcast_to(np.eye(5), (3, 1, 2, 5, 5)))
    seen: list[int] = []
    sources.open_capture(tmp_path / "a.npy", before_layer=seen.append)
    assert seen == [0, 1, 2]


def test_a_file_written_to_while_it_is_read_is_not_half_of_each(tmp_path):
    path = tmp_path / "a.npy"
    np.save(path, np.broadcast_to(np.eye(5), (3, 1, 2, 5, 5)))
    found = sources.inspect(path)

    def write(number):
        if number == 1:
            np.save(path, np.broadcast_to(np.eye(5)[::-1], (3, 1, 2, 5, 5)))
            os.utime(path, (1, 1))  # of the same size, and never of the same time

    with pytest.raises(UserError, match="has changed since it was looked at"):
        sources.read(found, found.readings[0], before_layer=write)
