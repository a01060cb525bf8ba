"""Threads for the kernels, and one BLAS thread for each of them: docs/decisions/0009 and 0023."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from threading import Lock, Thread
from typing import TypeVar

from threadpoolctl import LibController, ThreadpoolController

Item = TypeVar("Item")


@dataclass(slots=True)
class _Limit:
    """Who is inside `one_blas_thread`: the first sets the limit, the last lifts it.

    The number of threads is the whole process's: of two who set and restored it on their own,
    one would restore the other's limit and leave it in force.
    """

    lock: Lock = field(default_factory=Lock)
    inside: set[object] = field(default_factory=set)
    usual: tuple[int, ...] = ()


_LIMIT = _Limit()


@contextmanager
def one_blas_thread() -> Iterator[int]:
    """Let the BLAS of NumPy work in the calling thread alone, here and meanwhile everywhere.

    Yields
    ------
    int
        How many threads BLAS has when nobody limits it: as many as the user lets a program
        have. 1 where the BLAS is one that threadpoolctl does not know.

    Notes
    -----
    Any number of threads may be inside at once, and none waits for another.
    """
    caller = object()
    try:
        with _LIMIT.lock:
            is_first = not _LIMIT.inside
            if is_first:
                _LIMIT.usual = tuple(library.num_threads for library in _libraries())
            # Before the limit is set, and all of it in the `try`: an interrupt leaves no limit.
            _LIMIT.inside.add(caller)
            if is_first:
                _set_numbers(1 for _ in _LIMIT.usual)
            n_threads = max(_LIMIT.usual, default=1)
        yield n_threads
    finally:
        with _LIMIT.lock:
            if _LIMIT.inside == {caller}:
                _set_numbers(_LIMIT.usual)
            _LIMIT.inside.discard(caller)


def share(items: Iterable[Item], work: Callable[[Iterator[Item]], None], n_threads: int) -> None:
    """Let `n_threads` threads, the calling one among them, work through the items.

    Parameters
    ----------
    items
        What is to be done, the longest first; each is handed out once.
    work
        Called once in each thread, with what hands out items for as long as there are any.
    n_threads
        At least 1. The threads end before this returns.

    Raises
    ------
    Exception
        What `work` raises in any of the threads, when all of them have ended.
    """
    queue = deque(items)
    raised: list[Exception] = []

    def help_out() -> None:
        try:
            work(_taken_from(queue))
        except Exception as error:  # noqa: BLE001 - it is raised in the caller's thread
            queue.clear()
            raised.append(error)

    # No pool: none takes work any more once the main thread has ended.
    helpers = [Thread(target=help_out, daemon=False) for _ in range(n_threads - 1)]
    try:
        for helper in helpers:
            helper.start()
        work(_taken_from(queue))
    except BaseException:
        queue.clear()
        raise
    finally:
        for helper in helpers:
            if helper.is_alive():
                helper.join()
    if raised:
        raise raised.pop()


def _taken_from(queue: deque[Item]) -> Iterator[Item]:
    while queue:
        try:
            item = queue.popleft()
        except IndexError:  # another thread was quicker
            return
        yield item


def _set_numbers(numbers: Iterable[int]) -> None:
    for library, number in zip(_libraries(), numbers, strict=True):
        library.set_num_threads(number)
        # threadpoolctl lets only the thread that set the limit lift it; here the last one does,
        # whichever that is, and the lock keeps the others out meanwhile.
        if hasattr(library, "clear_controlling_thread"):
            library.clear_controlling_thread()


@cache
def _libraries() -> tuple[LibController, ...]:
    # Kept, for it takes a millisecond to find the libraries, which are all loaded by now.
    return tuple(ThreadpoolController().select(user_api="blas").lib_controllers)
