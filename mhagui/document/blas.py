"""One thread for decompositions, which more of them make slower: docs/decisions/0009."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock

from threadpoolctl import ThreadpoolController

# The number of threads is the whole process's: of two who set it at once, one would restore the
# other's limit and leave it in force.
_one_at_a_time = Lock()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let the BLAS of NumPy work in the calling thread alone, here and meanwhile everywhere."""
    with _one_at_a_time, _controller().limit(limits=1, user_api="blas"):
        yield


@cache
def _controller() -> ThreadpoolController:
    # Kept, for it takes a millisecond to find the libraries, which are all loaded by now.
    return ThreadpoolController()
