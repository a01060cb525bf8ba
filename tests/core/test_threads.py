"""Sharing work among threads: all of it once, no limit left behind, no error lost."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, active_count, get_ident

import numpy as np
import pytest

from mhagui import core
from mhagui.core import kernels, threads
from mhagui.core.kernels_scores import FactoredScores
from mhagui.core.threads import one_blas_thread, share


@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_each_item_is_handed_out_once(n_threads):
    before, done = active_count(), []
    share(range(1000), done.extend, n_threads)
    assert sorted(done) == list(range(1000))
    assert active_count() == before


def test_the_caller_and_its_helpers_work_at_once():
    meet, seen = Barrier(3, timeout=10), []

    def work(items):
        for _ in items:
            meet.wait()
            seen.append(get_ident())

    share(range(3), work, 3)
    assert len(set(seen)) == 3
    assert get_ident() in seen


@pytest.mark.parametrize("who", ["caller", "helper"])
def test_an_error_in_any_thread_comes_out_when_all_have_ended(who):
    meet = Barrier(2, timeout=10)
    caller, before = get_ident(), active_count()

    def work(items):
        next(items)
        meet.wait()
        if (get_ident() == caller) == (who == "caller"):
            raise ValueError(who)

    with pytest.raises(ValueError, match=who):
        share(range(10), work, 2)
    assert active_count() == before


def test_a_thread_that_outlives_the_main_one_is_helped_all_the_same():
    program = """
from threading import Thread, main_thread
from mhagui.core.threads import share

def late():
    main_thread().join()
    done = []
    share(range(9), done.extend, 3)
    print(sorted(done))

Thread(target=late).start()
"""
    command = [sys.executable, "-c", program]
    ended = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
    assert ended.stderr == ""
    assert ended.stdout == f"{list(range(9))}\n"


def test_calls_from_several_threads_give_what_one_gives():
    rng = np.random.default_rng(0)
    q, k = rng.normal(size=(2, 4, 300, 16))
    expected = core.weights_and_entropies(q, k)

    def call(_):
        return core.weights_and_entropies(q, k)

    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(call, range(12)):
            np.testing.assert_array_equal(found[0], expected[0])
            np.testing.assert_array_equal(found[1], expected[1])


def test_who_comes_second_does_not_wait_for_the_first():
    def enter():
        with one_blas_thread() as seen:
            return seen

    with one_blas_thread() as n_threads, ThreadPoolExecutor(1) as pool:
        assert pool.submit(enter).result(timeout=10) == n_threads


def test_two_who_limit_at_once_leave_no_limit_behind(blas_threads):
    start, several = Barrier(2), blas_threads()

    def limit(_):
        start.wait()
        for _ in range(50):
            with one_blas_thread():
                assert blas_threads() == {1}

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(limit, range(2)))
    assert blas_threads() == several


def test_an_interrupt_while_the_limit_is_set_leaves_no_limit_behind(blas_threads, monkeypatch):
    set_numbers, several = threads._set_numbers, blas_threads()

    def interrupted(numbers):
        set_numbers(numbers)
        monkeypatch.undo()
        raise KeyboardInterrupt

    monkeypatch.setattr(threads, "_set_numbers", interrupted)
    with pytest.raises(KeyboardInterrupt), one_blas_thread():
        pass
    assert blas_threads() == several
    with one_blas_thread():
        assert blas_threads() == {1}
    assert blas_threads() == several


@pytest.mark.parametrize(("n", "width"), [(16, 4096), (65, 16), (128, 64), (600, 64)])
def test_blas_has_one_thread_for_tiles_of_any_size(n, width, blas_threads, monkeypatch):
    seen, several = [], blas_threads()

    class Watched(FactoredScores):
        def gained(self, tile, out):
            seen.append(blas_threads())
            return super().gained(tile, out)

    monkeypatch.setattr(kernels, "FactoredScores", Watched)
    core.weights_and_entropies(np.ones((2, n, width)), np.ones((2, n, width)))
    assert seen
    assert all(found == {1} for found in seen)
    assert blas_threads() == several
