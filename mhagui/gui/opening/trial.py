"""A file of tensors looked at, and a way to read it tried: what the import dialog shows. No Qt."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from mhagui import core, sources
from mhagui.document.capture import Capture, CapturedLayer
from mhagui.document.file_entries import ReadingEntry
from mhagui.document.layer_source import FileMark, mark_of
from mhagui.errors import UserError
from mhagui.sources import Found, Part, Proof, Reading, axes_choices, names
from mhagui.sources.evidence import captured, proven_orientation
from mhagui.sources.layers import batch_size, check_parts
from mhagui.sources.opening import why_none
from mhagui.sources.remembered import reading_of

MOST_HEADS = 12  # in the preview
MOST_CELLS = 96  # rows and columns of a head in the preview
_MOST_WEIGHTS = 2**26  # that are made of q and k for a preview

BeforeLayer = Callable[[int], object]


@dataclass(frozen=True, eq=False)
class HeadsPreview:
    """The first heads of one layer, pooled to few cells.

    Attributes
    ----------
    layer, n_heads, shape
        The number of the layer, how many heads it has, and (T_q, T_k).
    weights
        Of its first heads, float64, (heads, rows, columns), at most ``MOST_CELLS`` of each: the
        largest weight of each block of cells.
    """

    layer: int
    n_heads: int
    shape: tuple[int, int]
    weights: npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Trial:
    """What came of a reading.

    Attributes
    ----------
    reading
        As it was read: with the orientation that the numbers have proven, if any.
    why_not
        Why it cannot be opened, a sentence; empty where it can.
    proofs
        What the numbers say.
    capture, preview
        What was read; None where it cannot be opened.
    """

    reading: Reading
    why_not: str = ""
    proofs: tuple[Proof, ...] = ()
    capture: Capture | None = None
    preview: HeadsPreview | None = None

    @property
    def is_sound(self) -> bool:
        """Whether it can be opened and nothing has to be looked at."""
        return self.capture is not None and all(proof.verdict == "ok" for proof in self.proofs)


@dataclass(frozen=True, eq=False)
class Look:
    """A file as it was looked at, its possible readings, and the first of them tried.

    ``is_clear`` says that nothing has to be asked; by its ``mark`` the file is known again.
    """

    found: Found
    readings: tuple[Reading, ...]
    trial: Trial
    is_clear: bool
    mark: FileMark | None = None


def look(path: Path, before_layer: BeforeLayer = int) -> Look:
    """Look at the file at ``path``, and try the likeliest reading of it.

    Raises UserError where no choice could make anything of it.
    """
    found, mark = sources.inspect(path), mark_of(path)  # no array is read of what is another by now
    readings = possible_readings(found)
    _check_any(found, readings)
    is_open = len(found.readings) != 1 or batch_size(found, readings[0]) > 1
    tried = attempt(found, begun(found, readings[0]), before_layer)
    return Look(found, readings, tried, is_clear=tried.is_sound and not is_open, mark=mark)


def look_again(path: Path, entry: ReadingEntry, before_layer: BeforeLayer = int) -> Look:
    """Look at the file at ``path`` again, read as a session says.

    Raises UserError where it cannot be.
    """
    found, mark = sources.inspect(path), mark_of(path)  # no array is read of what is another by now
    reading = reading_of(entry, found)
    tried = attempt(found, reading, before_layer)
    if tried.capture is None:
        raise UserError(tried.why_not)
    return Look(found, (reading,), tried, is_clear=True, mark=mark)


def possible_readings(found: Found) -> tuple[Reading, ...]:
    """Return the ways to read ``found``; where no name is known each array as weights.

    Raises UserError where there is none.
    """
    if found.readings:
        return found.readings
    arrays = [entry for entry in found.entries if not entry.problem and len(entry.shape) > 1]
    if found.family or not arrays:
        raise UserError(why_none(found))
    return tuple(
        Reading((Part(names.WEIGHTS, (entry.name,), (0,), (0,), axes),))
        for entry in arrays
        for axes in axes_choices(names.WEIGHTS, len(entry.shape))
    )


def _check_any(found: Found, readings: Sequence[Reading]) -> None:
    """Raise UserError where the arrays of no reading can be read."""
    first: UserError | None = None
    for reading in readings:
        try:
            check_parts(found, reading)
        except UserError as error:
            first = first or error
        else:
            return
    if first is not None:
        raise first


def begun(found: Found, reading: Reading) -> Reading:
    """Return ``reading`` as the dialog begins with it: of a batch the first item."""
    try:
        is_batch = batch_size(found, reading) > 1
    except UserError:  # said when it is tried
        return reading
    return replace(reading, batch=0) if is_batch and reading.batch is None else reading


def attempt(found: Found, reading: Reading, before_layer: BeforeLayer = int) -> Trial:
    """Return what comes of ``reading``; what ``before_layer`` raises goes on."""
    try:
        asked = sources.questions(found, reading)
        if not asked:
            return _read(found, proven_orientation(found, reading), before_layer)
        why_not = " ".join(re.sub(r" \([^()]*=[^()]*\)", "", question) for question in asked)
    except UserError as error:
        why_not = str(error)
    except MemoryError:
        return Trial(reading, "That takes more memory than there is: choose fewer layers.")
    return Trial(reading, why_not, _proofs(found, reading, before_layer))


def _read(found: Found, reading: Reading, before_layer: BeforeLayer) -> Trial:
    """Return what was read; raises UserError where it cannot be."""
    capture, seen = captured(found, reading, before_layer)
    if reading.has_projections:  # then with how the other orientation does
        seen = sources.evidence(found, reading, before_layer=before_layer)
    return Trial(reading, "", seen.proofs, capture, _preview(capture.layers[0]))


def _proofs(found: Found, reading: Reading, before_layer: BeforeLayer) -> tuple[Proof, ...]:
    """Return what can be said although something is left open; often nothing."""
    try:
        return sources.evidence(found, reading, before_layer=before_layer).proofs
    except UserError:
        return ()


def _preview(layer: CapturedLayer) -> HeadsPreview | None:
    """Return the first heads of a layer; None where no weights can be made of it."""
    weights = layer.given
    if weights is None:
        n_heads = min(MOST_HEADS, layer.n_heads, max(_MOST_WEIGHTS // math.prod(layer.shape), 1))
        try:
            made = [layer.states_of(head).recomputed() for head in range(n_heads)]
        except UserError:
            return None
        weights = np.concatenate(made)
    shown = weights[:MOST_HEADS].astype(np.float64)
    pooled = np.asarray(core.pool_maximum(shown, MOST_CELLS, MOST_CELLS), np.float64)
    return HeadsPreview(layer.number, layer.n_heads, layer.shape, pooled)
