"""Two heads compared, as CSV: a row to each cell, with all digits.

Positions count from 1. A cell is empty where a number is not defined.
"""

import csv
import io
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from mhagui.data.tidy import MAX_WEIGHTS_AS_TEXT
from mhagui.document.captured_comparison import Comparison
from mhagui.document.json_text import finite
from mhagui.errors import UserError

COLUMNS = ("t", "i", "weight_a", "weight_b", "difference", "row_jensen_shannon_bits")


def comparison_csv(comparison: Comparison, pair: int = 0) -> bytes:
    """Return the weights of a pair of heads, and how they differ, as CSV (RFC 4180, UTF-8).

    Raises UserError where there are too many.
    """
    n_rows, n_columns = comparison.one.shape[1:]
    if n_rows * n_columns > MAX_WEIGHTS_AS_TEXT:
        raise UserError(
            f"A CSV file lists every weight, and {n_rows} × {n_columns} are more than "
            f"{MAX_WEIGHTS_AS_TEXT}; copy one of the matrices instead."
        )
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    writer.writerows(_rows(comparison, pair))
    return text.getvalue().encode()


def _rows(comparison: Comparison, pair: int) -> Iterator[tuple[object, ...]]:
    matrices = comparison.one, comparison.other, comparison.difference
    for t, bits in enumerate(comparison.divergences[pair]):
        cells = zip(*(_numbers(matrix[pair, t]) for matrix in matrices), strict=True)
        for i, numbers in enumerate(cells):
            yield (t + 1, i + 1, *numbers, finite(float(bits)))


def _numbers(row: npt.NDArray[np.floating]) -> list[float | None]:
    return [finite(number) for number in row.tolist()]
