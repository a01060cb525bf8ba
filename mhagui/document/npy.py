"""Matrices as .npy files: written by NumPy, read by rules so narrow that nothing can hide in them.

NumPy's own reader evaluates the header as Python and takes any shape and type; ours takes what
NumPy writes for a matrix of float64, and nothing is allocated before all of it fits together.
"""

import io
import re

import numpy as np

from mhagui.document.records import Array, sealed
from mhagui.document.scene import MAX_NUMBERS
from mhagui.errors import UserError

_MAGIC = b"\x93NUMPY\x01\x00"
_START = len(_MAGIC) + 2  # behind the magic stands the length of the header, in two bytes
_MOST_HEADER = 512
_NUMBER = np.dtype("<f8")
_HEADER = re.compile(
    rb"\{'descr': '([^']+)', 'fortran_order': (True|False), 'shape': \(([0-9, ]*)\), \} *\n"
)
MOST_BYTES = _START + _MOST_HEADER + MAX_NUMBERS * _NUMBER.itemsize


def npy_from_matrix(matrix: Array) -> bytes:
    """Return ``matrix`` as a .npy file."""
    file = io.BytesIO()
    np.lib.format.write_array(file, matrix.astype(_NUMBER), version=(1, 0), allow_pickle=False)
    return file.getvalue()


def matrix_from_npy(name: str, data: bytes) -> Array:
    """Return the matrix in a .npy file; raises UserError with the file's ``name`` and the fault."""
    if not data.startswith(_MAGIC):
        raise UserError(f"{name} is not a .npy file of version 1.0.")
    start = _START + int.from_bytes(data[len(_MAGIC) : _START], "little")
    if start > min(_START + _MOST_HEADER, len(data)):
        raise UserError(f"the header of {name} is longer than that of a matrix, or cut short.")
    header = _HEADER.fullmatch(data, _START, start)
    if header is None:
        raise UserError(f"the header of {name} is not that of a matrix as NumPy writes it.")
    n_rows, n_columns = _checked_shape(name, *(part.decode("latin-1") for part in header.groups()))
    n_bytes, n_needed = len(data) - start, n_rows * n_columns * _NUMBER.itemsize
    if n_bytes != n_needed:
        raise UserError(
            f"{name} has {n_bytes:,} bytes of numbers, but a matrix of {n_rows} × {n_columns} has "
            f"{n_needed:,}."
        )
    numbers = np.frombuffer(data, _NUMBER, offset=start).reshape(n_rows, n_columns)
    return sealed(numbers.astype(np.float64))


def _checked_shape(name: str, kind: str, is_fortran: str, shape: str) -> tuple[int, int]:
    if kind != _NUMBER.str:
        raise UserError(f"{name} holds “{kind[:20]}”; a matrix of a scene holds “{_NUMBER.str}”.")
    if is_fortran == "True":
        raise UserError(f"{name} is stored by columns; a matrix of a scene is stored by rows.")
    sizes = re.fullmatch(r"(\d{1,5}), (\d{1,5})", shape)
    if sizes is None:
        raise UserError(
            f"{name} has the shape ({shape[:40]}); a matrix of a scene has two sizes, "
            "of at most five digits."
        )
    n_rows, n_columns = int(sizes[1]), int(sizes[2])
    if not 0 < n_rows * n_columns <= MAX_NUMBERS:
        raise UserError(
            f"{name} is {n_rows} × {n_columns}; a matrix of a scene is at least 1 × 1 and holds at "
            f"most {MAX_NUMBERS:,} numbers."
        )
    return n_rows, n_columns
