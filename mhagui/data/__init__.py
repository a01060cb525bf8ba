"""Numbers for other programs: matrices as text, and all of a result as data files. No Qt."""

from mhagui.data.matrix_text import Notation, Table, identifier, text_of
from mhagui.data.tidy import FORMATS, csv_of, json_of, npz_of, render_data

__all__ = [
    "FORMATS",
    "Notation",
    "Table",
    "csv_of",
    "identifier",
    "json_of",
    "npz_of",
    "render_data",
    "text_of",
]
