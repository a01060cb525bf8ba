"""The log of faults says when, which version and what; it stays small, and stops nobody."""

import os
import re
import threading

import pytest

import mhagui
from mhagui import fault_log
from mhagui.fault_log import FaultLog, trace_of


@pytest.fixture
def opened():
    """Logs to close when the test is over."""
    logs = []
    yield logs
    for log in logs:
        log.close()


@pytest.fixture
def log(tmp_path, opened):
    """A log in a folder that is not there yet, on a clock that stands still."""
    log = FaultLog(tmp_path / "state" / "logs", clock=lambda: 0.0)
    opened.append(log)
    return log


def test_nothing_is_made_before_there_is_something_to_write(log):
    assert not log.path.parent.exists()


def test_an_entry_has_time_version_and_text(log):
    log.write("one\ntwo")
    first, second = log.path.read_text().splitlines()
    version = re.escape(mhagui.__version__)
    assert re.fullmatch(rf"\d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d,\d+ mhagui {version} ERROR one", first)
    assert second == "two"


def test_of_a_flood_only_so_many_are_written_and_the_rest_counted(tmp_path, opened):
    now = [0.0]
    log = FaultLog(tmp_path, clock=lambda: now[0])
    opened.append(log)
    for number in range(100):
        log.write(f"entry {number}.")
    assert log.path.read_text().count("entry") == fault_log.MOST_A_MINUTE
    log.write("a warning", fault_log.NOTE)  # which others do not crowd out
    assert "a warning" in log.path.read_text()
    now[0] = 60.0
    log.write("the last.")
    n_left_out = 100 - fault_log.MOST_A_MINUTE
    assert log.path.read_text().endswith(
        f"the last.\n({n_left_out} more before this came too fast and are left out)\n"
    )


def test_the_files_stay_small(tmp_path, opened, monkeypatch):
    monkeypatch.setattr(fault_log, "MAX_FILE_BYTES", 50_000)
    seconds = iter(range(0, 10**6, 60))
    log = FaultLog(tmp_path, clock=lambda: next(seconds))
    opened.append(log)
    for number in range(40):
        log.write(f"entry {number} {'x' * 10**6}")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "mhagui.log", "mhagui.log.1", "mhagui.log.2",
    ]  # fmt: skip
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 3 * 50_000
    assert "entry 39 " in log.path.read_text()


def test_threads_may_write_at_once(log):
    threads = [threading.Thread(target=log.write, args=(f"from {n}!",)) for n in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(re.findall(r"from (\d)!", log.path.read_text())) == list("0123456789")


@pytest.mark.parametrize("is_there", [True, False])
def test_a_folder_that_takes_nothing_is_no_obstacle(tmp_path, opened, is_there):
    folder = tmp_path / "a file"
    folder.write_text("in the way")
    log = FaultLog(folder if is_there else folder / "below")
    opened.append(log)
    log.write("nobody will read this")
    assert folder.read_text() == "in the way"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")  # noqa: PTH110
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_in_its_place_keeps_nobody_waiting(log):
    log.path.parent.mkdir(parents=True)
    os.mkfifo(log.path)
    log.write("lost")
    log.close()


def test_a_full_disk_is_no_obstacle(log, capfd):
    log.path.parent.mkdir(parents=True)
    log.path.symlink_to("/dev/full")
    log.write("there is no room for this")
    assert capfd.readouterr() == ("", "")


def test_what_cannot_be_encoded_is_written_all_the_same(log):
    log.write("half a character: \ud800")
    assert r"half a character: \ud800" in log.path.read_text()


class UnspeakableError(Exception):
    def __str__(self):
        raise RuntimeError

    __repr__ = __str__


def test_an_error_that_cannot_be_printed_has_a_trace():
    with pytest.raises(UnspeakableError) as raised:
        raise UnspeakableError
    assert "UnspeakableError" in trace_of(raised.value)
