"""Work in a thread of its own: one thing at a time, and the newest wins."""

from functools import partial
from threading import Event, current_thread, main_thread

import pytest
from PySide6.QtCore import QObject, QTimer

from mhagui.errors import UserError
from mhagui.gui.worker import Worker


@pytest.fixture
def owner(qapp):
    owner = QObject()
    yield owner
    owner.deleteLater()


@pytest.fixture
def gate():
    """Lets what waits for it go on; whatever a test does, in the end it does."""
    gate = Event()
    yield gate
    gate.set()


def waits(gate, begun, name):
    begun.append(name)
    assert gate.wait(30)
    return name


def is_looking(owner):
    return any(timer.isActive() for timer in owner.findChildren(QTimer))


def test_what_is_made_elsewhere_is_handed_over_here(owner, qtbot):
    told = []

    def done(thread):
        told.append((thread, current_thread()))

    Worker(owner).run(current_thread, done, told.append)
    qtbot.waitUntil(lambda: bool(told))
    ((made_in, told_in),) = told
    assert told_in is main_thread() is not made_in
    assert not is_looking(owner)


def test_of_what_is_asked_for_meanwhile_only_the_newest_is_done(owner, qtbot, gate):
    worker, begun, told = Worker(owner), [], []
    for name in ("first", "second", "third"):
        worker.run(partial(waits, gate, begun, name), told.append, told.append)
    qtbot.waitUntil(lambda: begun == ["first"])
    gate.set()
    qtbot.waitUntil(lambda: bool(told))
    assert (begun, told) == (["first", "third"], ["third"])


def test_what_is_cancelled_is_not_told_and_the_next_waits_for_it(owner, qtbot, gate):
    worker, begun, told = Worker(owner), [], []
    worker.run(partial(waits, gate, begun, "first"), told.append, told.append)
    qtbot.waitUntil(lambda: bool(begun))
    worker.cancel()
    assert not is_looking(owner)
    worker.run(partial(waits, gate, begun, "second"), told.append, told.append)
    assert begun == ["first"]
    gate.set()
    qtbot.waitUntil(lambda: bool(told))
    assert (begun, told) == (["first", "second"], ["second"])


def test_an_exception_is_told_and_goes_on(owner, qtbot):
    told = []
    with qtbot.captureExceptions() as faults:
        Worker(owner).run(partial(int, "one"), told.append, told.append)
        qtbot.waitUntil(lambda: bool(faults))
    assert [type(error) for error in told] == [ValueError]
    assert [kind for kind, *_ in faults] == [ValueError]
    assert not is_looking(owner)


def test_a_sentence_for_the_user_is_told_and_goes_no_further(owner, qtbot):
    told = []

    def refuse():
        raise UserError("It cannot be done.")

    Worker(owner).run(refuse, told.append, told.append)  # an exception in a slot fails the test
    qtbot.waitUntil(lambda: bool(told))
    assert [str(error) for error in told] == ["It cannot be done."]
    assert not is_looking(owner)


def test_more_work_can_be_asked_for_when_some_is_done(owner, qtbot):
    worker, told = Worker(owner), []

    def again(number):
        told.append(number)
        if number < 3:
            worker.run(partial(int, number + 1), again, told.append)

    worker.run(partial(int, 1), again, told.append)
    qtbot.waitUntil(lambda: told == [1, 2, 3])
    assert not is_looking(owner)
