""".safetensors files: the length of the header is checked before it is read, all places before use.

The format is a length, a JSON text and numbers. The library of that name reads bfloat16 into NumPy
not at all, and is one more thing to install: docs/decisions/0027.
"""

import math
from pathlib import Path

import msgspec
import numpy as np

from mhagui.errors import UserError
from mhagui.sources.entries import BFLOAT16, Block, Entry, check_shape, text_entry

MOST_HEADER = 8 * 2**20  # bytes; a model of a thousand tensors has a tenth of one of them
_METADATA = "__metadata__"
_TYPES = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "I32": "<i4",
    "I16": "<i2", "I8": "|i1", "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "|u1", "BOOL": "|b1",
}  # fmt: skip


class _Tensor(msgspec.Struct):
    dtype: str
    shape: list[int]
    data_offsets: tuple[int, int]


def looks_like_safetensors(start: bytes) -> bool:
    """Say whether ``start``, the first bytes of a file, is that of a .safetensors file."""
    return len(start) > 9 and start[8:9] == b"{" and int.from_bytes(start[:8], "little") > 1


def safetensors_entries(path: Path, size: int) -> tuple[Entry, ...]:
    """Return the tensors of the file at ``path``, which has ``size`` bytes, by their places."""
    name = path.name
    with path.open("rb") as file:
        n_header = int.from_bytes(file.read(8), "little")
        if n_header > min(MOST_HEADER, size - 8):
            raise UserError(
                f"The header of {name} says it has {n_header:,} bytes; there can be "
                f"{min(MOST_HEADER, max(0, size - 8)):,} at most: the file is damaged or cut short."
            )
        text = file.read(n_header)
    try:
        raw = msgspec.json.decode(text, type=dict[str, msgspec.Raw])
        metadata = msgspec.json.decode(raw.pop(_METADATA, b"{}"), type=dict[str, str])
        tensors = {key: msgspec.json.decode(value, type=_Tensor) for key, value in raw.items()}
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UserError(f"The header of {name} is damaged: it is not what it should be.") from error
    start = 8 + n_header
    _check_places(name, tensors, size - start)
    tensors = dict(sorted(tensors.items(), key=lambda item: (item[1].data_offsets, item[0])))
    entries = [_entry(path, start, key, tensor) for key, tensor in tensors.items()]
    return (*entries, *_labels(metadata))


def _check_places(name: str, tensors: dict[str, _Tensor], n_data: int) -> None:
    end = 0
    for key, tensor in sorted(tensors.items(), key=lambda item: item[1].data_offsets):
        first, last = tensor.data_offsets
        if not end <= first <= last:
            raise UserError(
                f"{key[:80]} of {name} lies over another tensor, or ends before it begins."
            )
        if last > n_data:
            raise UserError(
                f"{name} is cut short: {key[:80]} ends at byte {last:,} of the numbers, of which "
                f"there are {n_data:,}."
            )
        end = last


def _entry(path: Path, start: int, key: str, tensor: _Tensor) -> Entry:
    shape, n_bytes = tuple(tensor.shape), tensor.data_offsets[1] - tensor.data_offsets[0]
    if tensor.dtype not in _TYPES:
        wanted = "F64, F32, F16 or BF16"
        problem = f"{key} holds {tensor.dtype[:20]}, which is not read; save it as {wanted}."
        return Entry(key, shape, tensor.dtype[:20], n_bytes, problem)
    dtype = np.dtype(_TYPES[tensor.dtype])
    try:
        check_shape(key, shape)
    except UserError as error:
        return Entry(key, (), tensor.dtype, n_bytes, str(error))
    if math.prod(shape) * dtype.itemsize != n_bytes:
        needed = math.prod(shape) * dtype.itemsize
        shown = ", ".join(map(str, shape))
        problem = f"{key} has {n_bytes:,} bytes, but ({shown}) of {tensor.dtype} has {needed:,}."
        return Entry(key, shape, tensor.dtype, n_bytes, problem)
    block = Block(path, start + tensor.data_offsets[0], dtype, shape)
    kind = BFLOAT16 if tensor.dtype == "BF16" else dtype.name
    return Entry(key, shape, kind, n_bytes, take=block.take)


def _labels(metadata: dict[str, str]) -> list[Entry]:
    """Return the lists of texts in the metadata, written there as JSON."""
    labels = []
    for key in sorted(metadata):
        try:
            texts = msgspec.json.decode(metadata[key], type=list[str])
        except (msgspec.MsgspecError, RecursionError):
            continue  # any other remark, which is not for us
        labels.append(text_entry(key, texts, len(metadata[key])))
    return labels
