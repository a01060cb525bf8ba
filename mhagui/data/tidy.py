"""All numbers of a scene as data files: CSV for pandas and R, NPZ for NumPy, JSON for the rest.

docs/data.md lists their columns and arrays. Identical scenes make identical bytes.
"""

import csv
import io
import math
import zipfile
from collections.abc import Iterator, Sequence
from typing import IO

import numpy as np
import numpy.typing as npt

from mhagui import __version__
from mhagui.document.archive import member
from mhagui.document.compute import Result
from mhagui.document.head_result import HeadResult
from mhagui.document.json_text import json_text
from mhagui.document.on_demand import Matrix, are_kept, most_kept
from mhagui.document.provenance import sha256
from mhagui.document.scene import Scene
from mhagui.document.session import Session
from mhagui.document.session_file import session_to_bytes
from mhagui.errors import UserError, check_choices

FORMATS = ("csv", "npz", "json")
# Weights of all heads, masked ones counted in, in a file of text: four heads at T = 1024, which
# take some 200 MB.
MAX_WEIGHTS_AS_TEXT = 4 * 1024**2
COLUMNS = ("head", "t", "i", "weight", "score", "name", "layer", "gain", "active")
BIAS_COLUMNS = ("slope", "sink", "sink_share")  # where any head has such; empty without a sink
TOKEN_COLUMNS = ("query", "key")  # those of which the scene has tokens

# An array, or one for each head, which a file holds as one with a first axis H. They are not
# stacked here: weights alone can have half a gigabyte.
Part = npt.NDArray[np.generic] | Sequence[Matrix]


def render_data(scene: Scene, result: Result, kind: str) -> bytes:
    """Return the file of ``kind``, one of ``FORMATS``.

    Raises UserError where there is no such kind, or the file would be too large.
    """
    writers = {"csv": csv_of, "npz": npz_of, "json": json_of}
    check_choices("data format", [kind], FORMATS)
    return writers[kind](scene, result)


def csv_of(scene: Scene, result: Result) -> bytes:
    """Return one tidy table as CSV (RFC 4180, UTF-8): a row to each allowed cell of each head.

    Numbers have all their digits. Raises UserError where there are too many.
    """
    _check_size(scene, "CSV")
    file = io.BytesIO()
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    writer = csv.writer(text)
    words = scene.tokens, scene.tokens_of_keys
    biases = BIAS_COLUMNS if any(head.is_biased for head in scene.heads) else ()
    tokens = (c for c, of in zip(TOKEN_COLUMNS, words, strict=True) if of)
    writer.writerow((*COLUMNS, *biases, *tokens))
    for number, head in enumerate(result.heads, 1):
        writer.writerows(_rows(number, head, result, words, has_biases=bool(biases)))
    text.flush()
    return file.getvalue()


def npz_of(scene: Scene, result: Result) -> bytes:
    """Return all arrays as NPZ, as ``numpy.load`` reads it without pickle.

    They are not compressed: weights of full precision hardly get smaller by it. Raises UserError
    where there are more than the program itself keeps.
    """
    if not are_kept(scene.n_weights):
        raise UserError(
            f"An NPZ file holds every weight and score; with {_heads(scene.n_heads)} it does for T "
            f"up to {most_kept(scene.n_heads)}, and this scene has T = {scene.n_positions}."
        )
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, part in arrays(scene, result).items():
            with archive.open(member(f"{name}.npy"), "w") as entry:
                _write_npy(entry, part)
    return file.getvalue()


def json_of(scene: Scene, result: Result) -> bytes:
    """Return all arrays as nested lists in JSON; raises UserError where they would be too large."""
    _check_size(scene, "JSON")
    lists = {name: _listed(part) for name, part in arrays(scene, result).items()}
    return json_text(lists, only_ascii=False).encode()


def arrays(scene: Scene, result: Result) -> dict[str, Part]:
    """Return everything that NPZ and JSON files hold, by name."""
    heads = result.heads
    words: dict[str, Part] = {
        "app": np.array(f"mhagui {__version__}"),
        "scene_sha256": np.array(sha256(session_to_bytes(Session.of(scene)))),
        "title": np.array(scene.title),
        **({"tokens": np.array(scene.tokens)} if scene.tokens else {}),
        **({"key_tokens": np.array(scene.key_tokens)} if scene.key_tokens else {}),
        "names": np.array([head.head.name for head in heads]),
        "patterns": np.array([head.head.pattern.value for head in heads]),
    }
    numbers: dict[str, Part] = {
        "layers": np.array([head.head.layer for head in heads], dtype=np.int64),
        "gains": np.array([head.gain for head in heads]),
        "active": np.array([head.active for head in heads]),
        "X": scene.x,
        "Q": [head.q for head in heads],
        "K": [head.k for head in heads],
        "W_V": [head.head.w_v for head in heads],
        "V": [head.values for head in heads],
        "scores": [head.scores for head in heads],
        "allowed": result.allowed,
        "weights": [head.weights for head in heads],
        "row_entropy_bits": [head.row_entropy_bits for head in heads],
        **_slopes_and_sinks(result),
        "ceiling_bits": result.ceiling_bits,
        "head_outputs": [head.output for head in heads],
        "concat": result.concat,
        "W_O": scene.w_o,
        "terms": result.terms,
        "output": result.output,
        **_biases(scene),
    }
    unknown = _unknown(scene)
    return words | {name: part for name, part in numbers.items() if name not in unknown}


def _slopes_and_sinks(result: Result) -> dict[str, Part]:
    """Return slopes, sink logits and what sinks take of each row, where any head has such.

    NaN is a head without a sink, and a row that sees no key.
    """
    heads, found = [head.head for head in result.heads], dict[str, Part]()
    if any(head.slope for head in heads):
        found["slopes"] = np.array([head.slope for head in heads])
    if any(head.sink is not None for head in heads):
        none = np.full(len(result.allowed), np.nan)
        found["sinks"] = np.array([np.nan if head.sink is None else head.sink for head in heads])
        shares = [head.sink_shares for head in result.heads]
        found["sink_shares"] = [none if share is None else share for share in shares]
    return found


def _biases(scene: Scene) -> dict[str, Part]:
    """Return b_V of every head, zeros where it has none, and b_O, where the scene has any."""
    biases, none = [head.b_v for head in scene.heads], np.zeros((1, scene.d_v))
    has_any = any(bias is not None for bias in biases)
    of_heads = [(none if bias is None else bias)[0] for bias in biases]
    return ({"b_V": of_heads} if has_any else {}) | (
        {} if scene.b_o is None else {"b_O": scene.b_o[0]}
    )


def _unknown(scene: Scene) -> set[str]:
    """Return the arrays that there are none of: no numbers stand in place of what is not known."""
    values = {"X", "W_V", "V", "head_outputs", "concat", "W_O", "terms", "output"}
    return (set() if scene.has_values else values) | (set() if scene.has_queries else {"Q", "K"})


def _rows(
    number: int,
    head: HeadResult,
    result: Result,
    words: tuple[tuple[str, ...], tuple[str, ...]],
    *,
    has_biases: bool,
) -> Iterator[tuple[object, ...]]:
    """Yield the rows of one head: made line by line, for all of them would take gigabytes."""
    of_head = (head.head.name, head.head.layer, head.gain, "true" if head.active else "false")
    for t, allowed in enumerate(result.allowed):
        keys = np.flatnonzero(allowed)
        share = "" if head.sink_shares is None else float(head.sink_shares[t])
        biases = (head.head.slope, head.head.sink, share) if has_biases else ()
        weights, scores = (np.asarray(of[t])[keys].tolist() for of in (head.weights, head.scores))
        for i, weight, score in zip(keys.tolist(), weights, scores, strict=True):
            named = (of[at] for of, at in zip(words, (t, i), strict=True) if of)
            yield (number, t + 1, i + 1, weight, score, *of_head, *biases, *named)


def _write_npy(file: IO[bytes], part: Part) -> None:
    if isinstance(part, np.ndarray):
        np.lib.format.write_array(file, part, version=(1, 0), allow_pickle=False)
        return
    header = np.lib.format.header_data_from_array_1_0(np.asarray(part[0]))
    header["shape"] = (len(part), *part[0].shape)
    np.lib.format.write_array_header_1_0(file, header)
    for array in part:
        file.write(np.ascontiguousarray(array).data)


def _listed(part: Part) -> object:
    if not isinstance(part, np.ndarray):
        return [_listed(np.asarray(array)) for array in part]
    if part.dtype.kind != "f" or np.isfinite(part).all():
        return part.tolist()
    values = part.astype(object)
    values[~np.isfinite(part)] = None  # undefined
    return values.tolist()


def _check_size(scene: Scene, kind: str) -> None:
    if scene.n_weights > MAX_WEIGHTS_AS_TEXT:
        most = math.isqrt(MAX_WEIGHTS_AS_TEXT // scene.n_heads)
        raise UserError(
            f"A {kind} file lists every weight; with {_heads(scene.n_heads)} it does for T up to "
            f"{most}, and this scene has {scene.lengths}."
            f"{' NPZ holds it.' if are_kept(scene.n_weights) else ''}"
        )


def _heads(count: int) -> str:
    return "1 head" if count == 1 else f"{count} heads"
