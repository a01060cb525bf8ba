"""Steps of a computation that are remembered, so that only what changed is made again."""

from collections.abc import Callable, Mapping
from functools import partial
from itertools import zip_longest
from typing import Any, NamedTuple, ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt

from mhagui.document.records import Array, sealed

# Columns are made in blocks of so many, whichever of them changed: a product of the same shape has
# the same bits. One of so few costs little more than one of a single column; with fewer, all of
# them together would take twice as long. There are no more than so many blocks: each costs a call.
COLUMNS = 16
MOST_BLOCKS = 32

P = ParamSpec("P")
T = TypeVar("T")


class Step(NamedTuple):
    """What one step was made from, and what came out of it."""

    inputs: tuple[Any, ...]
    output: Any


Steps = Mapping[str, Step]


class Recall:
    """Makes the steps of a computation, or takes them over from an earlier one, by name.

    Arrays are the same input when they are the same object. That costs nothing to find out, and is
    enough: a step taken over hands on the very array it handed on before.

    Attributes
    ----------
    steps
        All steps of this computation, for the next one.
    made
        The names of those that were made and not taken over, in order.
    """

    def __init__(self, earlier: Steps, check: Callable[[], object] | None = None) -> None:
        self._earlier, self._check = earlier, check
        self.steps: dict[str, Step] = {}
        self.made: list[str] = []

    def __call__(self, name: str, make: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return ``make(*args, **kwargs)``, not made again when these are what they were."""
        inputs = (*args, *kwargs.values())
        step = self._earlier.get(name)
        if step is None or not _are_same(step.inputs, inputs):
            self.check()
            self.made.append(name)
            step = Step(inputs, make(*args, **kwargs))
        self.steps[name] = step
        output: T = step.output
        return output

    def check(self) -> None:
        """Give what computes a chance to end: done before each step that is made."""
        if self._check is not None:
            self._check()

    def array(
        self,
        name: str,
        make: Callable[P, npt.NDArray[Any]],
        /,
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> Array:
        """Do the same for a ``make`` that returns a new array; it becomes read-only."""
        return self(name, partial(_sealed, make), *args, **kwargs)

    def part(self, name: str, array: Array) -> Array:
        """Return ``array``, a part of a larger one, or the earlier one that holds the same.

        The larger array is new whenever any part of it is, so this part alone is compared by value.
        """
        step = self._earlier.get(name)
        self.steps[name] = step = Step((), _same_or_new(step and step.output, array))
        part: Array = step.output
        return part

    def columns(self, name: str, array: Array, rows: slice = slice(None)) -> tuple[Array, ...]:
        """Return ``rows`` of ``array`` in blocks of columns, by ``block_width``, parts each."""
        step = self._earlier.get(name)
        if step is None or not _are_same(step.inputs, (array, rows)):
            earlier = step.output if step else ()
            step = Step((array, rows), _blocks(array[rows], earlier))
        self.steps[name] = step
        blocks: tuple[Array, ...] = step.output
        return blocks


def block_width(n_columns: int) -> int:
    """Return how wide the blocks of so many columns are: a multiple of ``COLUMNS``."""
    return COLUMNS * -(-n_columns // (COLUMNS * MOST_BLOCKS))


def _blocks(array: Array, earlier: tuple[Array, ...]) -> tuple[Array, ...]:
    width = block_width(array.shape[1])
    now = [array[:, first : first + width] for first in range(0, array.shape[1], width)]
    return tuple(_same_or_new(old, new) for new, old in zip_longest(now, earlier[: len(now)]))


def _same_or_new(earlier: Array | None, now: Array) -> Array:
    if earlier is not None and np.array_equal(earlier, now):
        return earlier
    return sealed(now.copy())


def _sealed(make: Callable[..., npt.NDArray[Any]], *args: object, **kwargs: object) -> Array:
    return sealed(make(*args, **kwargs))


def _are_same(earlier: tuple[Any, ...], now: tuple[Any, ...]) -> bool:
    return len(earlier) == len(now) and all(map(_is_same, earlier, now))


def _is_same(earlier: object, now: object) -> bool:
    if earlier is now:
        return True
    if isinstance(earlier, tuple) and isinstance(now, tuple):
        return _are_same(earlier, now)
    if isinstance(earlier, np.ndarray) or isinstance(now, np.ndarray):
        return False
    return bool(earlier == now)
