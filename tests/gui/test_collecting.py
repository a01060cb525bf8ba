"""Garbage is collected in the window's thread, where widgets may die."""

import gc
import threading
import weakref

import pytest

from mhagui.gui.collecting import collecting_here


class Cycle:
    """Known to itself alone, as a closed dialog that its own slots know."""

    def __init__(self):
        self.itself = self


@pytest.fixture
def ends():
    """The threads in which a cycle was found to be garbage."""
    return []


def make_garbage(ends):
    weakref.finalize(Cycle(), lambda: ends.append(threading.current_thread()))


def work():
    """Ask for memory as often as makes Python look for garbage many times."""
    return [[number] for number in range(100_000)]


def test_a_thread_at_work_frees_nothing_of_the_window(qtbot, ends):
    with collecting_here() as begin:
        make_garbage(ends)
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        assert not ends
        kept = work()
        begin()
        qtbot.waitUntil(lambda: bool(ends))
    assert ends == [threading.main_thread()]
    assert len(kept) == 100_000


def test_afterwards_python_collects_as_it_did(ends):
    gc.enable()
    try:
        with collecting_here():
            assert not gc.isenabled()
        assert gc.isenabled()
        make_garbage(ends)
        work()
        assert ends
    finally:
        gc.disable()
    with collecting_here():
        pass
    assert not gc.isenabled()
