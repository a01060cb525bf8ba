"""Files are written whole or not at all, and what is wrong is said in a sentence."""

import errno
import os
import re
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mhagui.errors import UserError
from mhagui.files import check_folder, check_target, make_folder, write_all, write_atomically


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def full_disk(monkeypatch):
    """A disk that takes the data and says so only when it is to be kept, as network disks do."""

    def fsync(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", fsync)


def test_writes_what_is_given(tmp_path):
    path = tmp_path / "figure.png"
    write_atomically(path, b"\x00\r\n\x1a")
    assert path.read_bytes() == b"\x00\r\n\x1a"
    assert names_in(tmp_path) == ["figure.png"]


def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path):
    (tmp_path / "ordinary").write_bytes(b"")
    write_atomically(tmp_path / "ours", b"")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "ordinary").stat().st_mode


def test_a_replaced_file_keeps_its_permissions(tmp_path):
    path = tmp_path / "report.txt"
    path.write_bytes(b"old")
    path.chmod(0o640)
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_link_stays_a_link(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_full_disk_leaves_the_old_file_and_nothing_else(tmp_path, full_disk):
    path = tmp_path / "heads.png"
    path.write_bytes(b"old")
    with pytest.raises(UserError, match=r"heads\.png cannot be written: the disk is full\.$"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert names_in(tmp_path) == ["heads.png"]


def test_of_several_files_none_changes_when_one_cannot_be_written(tmp_path):
    first = tmp_path / "a"
    first.write_bytes(b"old")
    with pytest.raises(UserError, match="the folder does not exist"):
        write_all({first: b"new", tmp_path / "missing" / "b": b"new"})
    assert first.read_bytes() == b"old"
    assert names_in(tmp_path) == ["a"]


def test_an_interrupt_leaves_no_temporary_file(tmp_path, monkeypatch):
    def interrupt(descriptor):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(tmp_path / "a", b"new")
    assert names_in(tmp_path) == []


def test_a_folder_is_not_written_over(tmp_path):
    (tmp_path / "out.png").mkdir()
    with pytest.raises(UserError, match=r"out\.png cannot be written: it is a folder"):
        write_atomically(tmp_path / "out.png", b"new")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_device_or_pipe_is_not_replaced_by_a_file(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(UserError, match="not a plain file"):
        write_atomically(pipe, b"new")
    assert pipe.is_fifo()


def test_too_long_a_name_is_said_to_be_too_long(tmp_path):
    with pytest.raises(UserError, match="the name is too long"):
        write_atomically(tmp_path / ("n" * 300), b"new")


def test_a_folder_without_permission_is_said_to_be_so(tmp_path, monkeypatch):
    def refuse(*_, **__):  # as root may write anywhere
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(UserError) as caught:
        write_atomically(tmp_path / "a", b"new")
    assert (
        str(caught.value) == f"{tmp_path / 'a'} cannot be written: writing there is not permitted."
    )
    assert list(tmp_path.iterdir()) == []


def test_a_folder_to_write_into_is_checked_and_nothing_made(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    (tmp_path / "lost").symlink_to(tmp_path / "nowhere")
    check_folder(tmp_path)
    check_folder(tmp_path / "new" / "below")
    check_target(tmp_path / "file")
    check_target(tmp_path / "new" / "file")
    monkeypatch.chdir(tmp_path)
    check_folder(Path("new"))
    for name, said in (("file", "not a folder"), ("lost", "a link that leads nowhere")):
        with pytest.raises(UserError, match=f"{name} is {said}; give a folder to write into"):
            check_folder(tmp_path / name)
    with pytest.raises(UserError, match=r"below cannot be made: .*file is not a folder\.$"):
        check_folder(tmp_path / "file" / "below")
    with pytest.raises(UserError, match="it is a folder"):
        check_target(tmp_path)
    monkeypatch.setattr(os, "access", lambda path, mode: not mode & os.W_OK)
    with pytest.raises(UserError, match=f"^{tmp_path} cannot be written into: that is not perm"):
        check_folder(tmp_path / "new" / "below")
    assert names_in(tmp_path) == ["file", "lost"]


def test_a_folder_that_cannot_be_made_is_said_to_be_so(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(UserError, match=r"cannot be made: writing there is not permitted\.$"):
        make_folder(tmp_path / "new")


def test_a_file_marked_read_only_is_not_replaced(tmp_path, monkeypatch):
    path = tmp_path / "kept.pdf"
    path.write_bytes(b"old")
    path.chmod(0o444)
    monkeypatch.setattr(os, "access", lambda *_: False)  # root would be allowed
    with pytest.raises(UserError, match="write-protected"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"


def test_folders_are_made_with_those_above_them(tmp_path):
    make_folder(tmp_path / "a" / "b")
    make_folder(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()


@pytest.mark.parametrize("name", ["file", "file/below"])
def test_a_file_in_the_way_of_a_folder_is_named(tmp_path, name):
    (tmp_path / "file").write_bytes(b"old")
    with pytest.raises(UserError, match="not a folder") as caught:
        make_folder(tmp_path / Path(name))
    assert str(tmp_path / name) in str(caught.value)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("loop", "{0}/loop is a link that leads nowhere; give a folder to write into."),
        ("loop/below", "The folder {0}/loop/below cannot be made: its links lead in a circle."),
        ("lost", "{0}/lost is a link that leads nowhere; give a folder to write into."),
        ("lost/below", "{0}/lost is a link that leads nowhere; give a folder to write into."),
    ],
)
def test_a_link_in_the_way_of_a_folder_is_named(tmp_path, name, said):
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "lost").symlink_to("nowhere")
    with pytest.raises(UserError) as caught:
        make_folder(tmp_path / name)
    assert str(caught.value) == said.format(tmp_path)


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="there the link is replaced by the file")
def test_a_file_that_is_a_loop_of_links_is_named(tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(UserError, match=r"loop cannot be written: its links lead in a circle\.$"):
        write_atomically(tmp_path / "loop", b"new")


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="this system has no /proc")
def test_a_place_without_room_for_folders_is_named():
    with pytest.raises(UserError) as caught:
        make_folder(Path("/proc/nope/below"))
    assert (
        str(caught.value) == "The folder /proc/nope/below cannot be made: none can be made there."
    )


def test_a_temporary_file_tells_whose_it_is(tmp_path, monkeypatch):
    names = []
    monkeypatch.setattr(os, "fsync", lambda _: names.append(names_in(tmp_path)))
    write_atomically(tmp_path / "a", b"new")
    assert re.fullmatch(r"\.mhagui-[0-9a-f]{32}\.tmp", *names[0])


@pytest.mark.skipif(os.name == "nt", reason="Windows opens no folders")
def test_the_folder_is_on_the_disk_once_it_has_the_new_name(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(os, "fsync", lambda d: synced.append((os.fstat(d), names_in(tmp_path))))
    write_all({tmp_path / "a": b"new", tmp_path / "b": b"newer"})
    assert [stat.S_ISREG(status.st_mode) for status, _ in synced] == [True, True, False]
    assert [status.st_size for status, _ in synced[:2]] == [3, 5]  # with nothing left in a buffer
    folder, names = synced[-1]
    assert folder.st_ino == tmp_path.stat().st_ino
    assert names == ["a", "b"]


@pytest.mark.skipif(os.name == "nt", reason="Windows opens no folders")
def test_a_disk_that_syncs_no_folders_is_written_to_as_well(tmp_path, monkeypatch):
    sync = os.fsync

    def refuse(descriptor):
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", refuse)
    write_atomically(tmp_path / "a", b"new")
    assert (tmp_path / "a").read_bytes() == b"new"


def test_what_only_the_owner_may_read_nobody_else_can_while_it_is_written(tmp_path, monkeypatch):
    path, modes = tmp_path / "secret", []
    path.write_bytes(b"old")
    path.chmod(0o600)
    monkeypatch.setattr(os, "fsync", lambda descriptor: modes.append(os.fstat(descriptor).st_mode))
    write_atomically(path, b"new")
    assert stat.S_IMODE(modes[0]) == 0o600


def test_what_a_killed_program_left_is_removed_after_a_day(tmp_path):
    def aged(name, hours):
        (tmp_path / name).write_bytes(b"half")
        os.utime(tmp_path / name, (time.time() - 3600 * hours,) * 2)

    old, young = f".mhagui-{'a' * 32}.tmp", f".mhagui-{'b' * 32}.tmp"
    aged(old, 25)
    aged(young, 23)  # of a program that may still be at it
    others = [f".mhagui-{'c' * 31}.tmp", f".mhagui-{'c' * 32}.tmp.txt", f"mhagui-{'c' * 32}.tmp"]
    for name in others:
        aged(name, 1000)
    (tmp_path / f".mhagui-{'d' * 32}.tmp").mkdir()
    write_atomically(tmp_path / "a", b"new")
    assert set(names_in(tmp_path)) == {"a", young, *others, f".mhagui-{'d' * 32}.tmp"}


# ------------------------------------------------------------------------ disks without enough room


@pytest.fixture
def small_files():
    """A limit to the size of any file of this process, as ulimit -f sets it."""
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_file_too_large_for_its_disk_leaves_the_old_one(tmp_path, small_files):
    path = tmp_path / "mine.mhascene"
    path.write_bytes(b"old")
    with pytest.raises(UserError) as caught:
        write_atomically(path, bytes(20_001))
    assert str(caught.value) == f"{path} cannot be written: the file is too large for this disk."
    assert path.read_bytes() == b"old"
    assert names_in(tmp_path) == ["mine.mhascene"]
    write_atomically(path, bytes(20_000))
    assert path.stat().st_size == 20_000


ON_A_SMALL_DISK = """
import subprocess, sys
from pathlib import Path
from mhagui.errors import UserError
from mhagui.files import write_atomically
folder = Path(sys.argv[1])
write_atomically(folder / "mine", b"old" * 10_000)
try:
    write_atomically(folder / "mine", b"new" * 30_000)
except UserError as error:
    print(error)
print((folder / "mine").read_bytes() == b"old" * 10_000, *(path.name for path in folder.iterdir()))
(folder / "mine").unlink()
write_atomically(folder / "mine", b"new" * 30_000)
subprocess.run(["mount", "-o", "remount,ro", folder], check=True)
for name in ("mine", "new"):
    try:
        write_atomically(folder / name, b"newer")
    except UserError as error:
        print(error)
print((folder / "mine").read_bytes() == b"new" * 30_000, *(path.name for path in folder.iterdir()))
"""
MOUNTED = 'mount -t tmpfs -o size=100k none "$1" && shift && exec "$@"'


def is_mountable(folder):
    own = ["unshare", "--mount", "--map-root-user", "sh", "-c", MOUNTED, "sh", folder, "true"]
    return shutil.which("unshare") and not subprocess.run(own, check=False).returncode


def test_a_disk_that_is_really_full_or_read_only_leaves_the_old_file(tmp_path):
    if not is_mountable(tmp_path):
        pytest.skip("here nobody may mount a disk of his own")
    own = ["unshare", "--mount", "--map-root-user", "sh", "-c", MOUNTED, "sh", tmp_path]
    done = subprocess.run(
        [*own, sys.executable, "-c", ON_A_SMALL_DISK, tmp_path],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines() == [
        f"{tmp_path}/mine cannot be written: the disk is full.",
        "True mine",
        f"{tmp_path}/mine cannot be written: it is write-protected.",
        f"{tmp_path}/new cannot be written: the disk is read-only.",
        "True mine",
    ]
    assert names_in(tmp_path) == []  # the disk was the program's alone


@pytest.mark.parametrize(
    ("number", "why"),
    [
        (errno.EROFS, "the disk is read-only"),
        (errno.ENOSPC, "the disk is full"),
        (errno.EDQUOT, "the quota of disk space is used up"),
        (errno.EACCES, "writing there is not permitted"),
    ],
)
def test_why_a_disk_takes_nothing_is_said(tmp_path, monkeypatch, number, why):
    path = tmp_path / "mine"
    write_atomically(path, b"old")

    def refuse(*_, **__):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(UserError, match=f"mine cannot be written: {why}\\.$"):
        write_atomically(path, b"new")
    monkeypatch.undo()
    assert path.read_bytes() == b"old"
    assert names_in(tmp_path) == ["mine"]


def test_a_folder_that_vanished_is_said_to_be_gone(tmp_path):
    path = tmp_path / "gone" / "mine.mhascene"
    path.parent.mkdir()
    write_atomically(path, b"old")
    shutil.rmtree(path.parent)
    with pytest.raises(UserError) as caught:
        write_atomically(path, b"new")
    assert str(caught.value) == f"{path} cannot be written: the folder does not exist."
    assert names_in(tmp_path) == []


def test_a_folder_that_vanishes_while_the_file_is_written_is_said_to_be_gone(tmp_path, monkeypatch):
    path = tmp_path / "gone" / "mine.mhascene"
    path.parent.mkdir()
    monkeypatch.setattr(os, "fsync", lambda _: shutil.rmtree(path.parent))
    with pytest.raises(UserError, match=r"cannot be written: the folder does not exist\.$"):
        write_atomically(path, b"new")
    assert names_in(tmp_path) == []


def test_a_link_that_leads_nowhere_yet_leads_to_the_new_file(tmp_path):
    (tmp_path / "link").symlink_to("target")
    write_atomically(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_bytes() == b"new"
