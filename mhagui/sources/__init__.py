"""Real tensors from files: what is in them, how they may be read, and what proves it. No Qt.

``inspect`` looks at headers, ``evidence`` at the numbers of one way to read them, ``read`` makes a
capture, ``open_capture`` does all of it where nothing is left open.
"""

from mhagui.sources.arrays import found_in_arrays
from mhagui.sources.entries import Entry
from mhagui.sources.evidence import describe, evidence
from mhagui.sources.found import Found, inspect
from mhagui.sources.opening import Choices, open_capture, questions, read, read_only_way
from mhagui.sources.proofs import Evidence, Proof
from mhagui.sources.readings import Part, Reading, axes_choices

__all__ = [
    "Choices",
    "Entry",
    "Evidence",
    "Found",
    "Part",
    "Proof",
    "Reading",
    "axes_choices",
    "describe",
    "evidence",
    "found_in_arrays",
    "inspect",
    "open_capture",
    "questions",
    "read",
    "read_only_way",
]
