"""What the program keeps for itself is read whole or not at all, and put aside over nothing."""

import pytest

from mhagui.errors import UserError
from mhagui.kept_files import put_aside, read_kept


def test_a_file_is_read_up_to_the_most_that_it_may_have(tmp_path):
    path = tmp_path / "kept"
    assert read_kept(path, 5) is None
    path.write_bytes(b"12345")
    assert read_kept(path, 5) == b"12345"
    with pytest.raises(UserError, match="it has more than"):
        read_kept(path, 4)


def test_however_many_are_put_aside_there_is_a_name_for_another(tmp_path):
    for number in ("", *range(2, 1001)):
        (tmp_path / f"kept.bad{number}").touch()
    path = tmp_path / "kept"
    path.write_bytes(b"mine")
    aside = put_aside(path)
    assert not path.exists()
    assert aside.name == "kept.bad1001"
    assert aside.read_bytes() == b"mine"
