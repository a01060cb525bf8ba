"""Where progress is kept: a file, and what happens when the disk or the file is at fault."""

import os
from dataclasses import replace
from types import MappingProxyType

import pytest

from mhagui.document.progress import Progress
from mhagui.errors import UserError
from mhagui.gui import progress_store
from mhagui.gui.progress_store import FILE_NAME, ProgressStore
from mhagui.home import own_home

SOME = Progress(active=6, readings=MappingProxyType({"6.six": "row t6: 0.510 bits"}))


@pytest.fixture
def store(tmp_path):
    return ProgressStore(tmp_path / "new" / "folder" / "progress.json")


def test_where_nothing_is_kept_one_begins(store):
    assert store.load() == Progress()
    assert not store.path.parent.exists()


def test_what_is_saved_is_loaded_by_another_store(store):
    store.save(SOME)
    assert ProgressStore(store.path).load() == SOME
    assert list(store.path.parent.iterdir()) == [store.path]


@pytest.mark.parametrize("garbage", [b"", b"garbage", b"{}", b"\x00" * 100])
def test_what_cannot_be_read_is_put_aside_and_saving_goes_on(store, garbage):
    store.path.parent.mkdir(parents=True)
    store.path.write_bytes(garbage)
    with pytest.raises(UserError, match=r"progress\.json\.bad cannot be read, and begins anew"):
        store.load()
    assert store.path.with_name("progress.json.bad").read_bytes() == garbage
    store.save(SOME)
    assert store.load() == SOME


def test_a_huge_file_is_not_read_whole(store, monkeypatch):
    monkeypatch.setattr(progress_store, "MAX_FILE_BYTES", 10_000)
    store.path.parent.mkdir(parents=True)
    store.path.write_bytes(b" " * 10_001)
    with pytest.raises(UserError, match="more than"):
        store.load()


def test_what_cannot_even_be_looked_at_is_not_written_over(store):
    store.path.mkdir(parents=True)  # a folder of that name: reading fails, as on a bad disk
    with pytest.raises(UserError, match="is not kept"):
        store.load()
    store.save(SOME)
    assert store.path.is_dir()


def test_what_can_neither_be_read_nor_put_aside_is_left(store, monkeypatch):
    store.path.parent.mkdir(parents=True)
    store.path.write_bytes(b"garbage")

    def replace(_path, _target):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(store.path), "replace", replace)
    with pytest.raises(UserError, match=r"nor put aside: Permission denied\."):
        store.load()
    store.save(SOME)
    assert store.path.read_bytes() == b"garbage"


def test_what_somebody_spoils_meanwhile_is_put_aside_and_saving_goes_on(store):
    store.save(SOME)
    store.path.write_bytes(b"of a newer version, say")
    store.save(SOME)
    assert ProgressStore(store.path).load() == SOME
    aside = store.path.with_name("progress.json.bad")
    assert aside.read_bytes() == b"of a newer version, say"


def test_what_cannot_be_looked_at_any_more_is_not_written_over(store, monkeypatch):
    other = ProgressStore(store.path)
    other.save(SOME)

    def fails(_path, _most_bytes):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(progress_store, "read_kept", fails)
    with pytest.raises(UserError, match=r"progress\.json cannot be read: Input/output error\."):
        store.save(Progress())
    monkeypatch.undo()
    assert other.load() == SOME


def test_a_place_that_cannot_be_is_said(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(UserError, match="not a folder"):
        ProgressStore(tmp_path / "file" / "progress.json").save(SOME)


def test_ones_own_is_in_the_folder_that_the_system_names(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    path = own_home().data / FILE_NAME
    assert path.name == "progress.json"
    assert path.parent.name == "mhagui"
    if os.name == "posix" and os.uname().sysname == "Linux":
        assert path.parent.parent == tmp_path


def test_two_windows_keep_what_both_have_met(store):
    other = ProgressStore(store.path)
    first, second = store.load(), other.load()
    mine = replace(first, readings={"1.identity": "a"}, answers={"1.which": "neither"})
    theirs = replace(second, readings={"3.eight": "b"})
    store.save(mine)
    other.save(theirs)
    store.save(mine)
    kept = ProgressStore(store.path).load()
    assert kept.readings == {"1.identity": "a", "3.eight": "b"}
    assert kept.answers == {"1.which": "neither"}
    store.save(Progress())  # start over: forgets one's own, not theirs
    assert ProgressStore(store.path).load().readings == {"3.eight": "b"}


def test_a_second_file_put_aside_leaves_the_first(store):
    for garbage in (b"one", b"two"):
        store.path.parent.mkdir(parents=True, exist_ok=True)
        store.path.write_bytes(garbage)
        with pytest.raises(UserError, match="cannot be read, and begins anew"):
            store.load()
    aside = sorted(path.read_bytes() for path in store.path.parent.glob("*.bad*"))
    assert aside == [b"one", b"two"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_in_its_place_is_not_waited_for(store):
    store.path.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(store.path)
    with pytest.raises(UserError, match="it is not a file"):
        store.load()
