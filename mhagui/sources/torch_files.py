"""Files saved by PyTorch: read by its own loader of weights alone, where PyTorch is installed.

There is no unpickler of ours: a pickle is a program, and whoever runs it trusts its author.
"""

import importlib
import importlib.util
import pickle
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from mhagui.errors import UserError
from mhagui.sources.entries import (
    BFLOAT16,
    MOST_AXES,
    NOT_RETURNED,
    Entry,
    Picks,
    Stored,
    first_line,
    picked,
    text_entry,
    unreadable,
)

SUFFIXES = (".pt", ".pth", ".bin", ".ckpt")
_KINDS = {
    "float64", "float32", "float16", BFLOAT16, "int64", "int32", "int16", "int8", "uint8", "bool",
}  # fmt: skip
_MOST_ENTRIES = 20_000
# Bytes; larger files are mapped. A mapped file that somebody cuts short ends the whole program.
_MOST_LOADED = 2**30


def torch_entries(path: Path, size: int) -> tuple[Entry, ...]:
    """Return the tensors in the file at ``path``, which has ``size`` bytes.

    Raises UserError where PyTorch is not installed, or refuses the file.
    """
    if importlib.util.find_spec("torch") is None:
        raise UserError(
            f"{path.name} was saved by PyTorch, which is not installed: install torch, or save "
            "the tensors with safetensors or numpy.savez."
        )
    value = _loaded(path, size)
    entries: list[Entry] = []
    for entry in _entries("", value, size, 0):
        entries.append(entry)
        if len(entries) > _MOST_ENTRIES:
            raise UserError(f"{path.name} holds more than {_MOST_ENTRIES:,} tensors.")
    return tuple(entries)


def _loaded(path: Path, size: int) -> object:
    torch = importlib.import_module("torch")
    # A file of the older kind, which is no zip, cannot be mapped.
    is_mapped = size > _MOST_LOADED and zipfile.is_zipfile(path)
    try:
        loaded: object = torch.load(path, map_location="cpu", weights_only=True, mmap=is_mapped)
    except pickle.UnpicklingError as error:  # PyTorch says how to run it all the same
        raise UserError(
            f"{path.name} holds more than tensors, or is damaged, and PyTorch's loader of weights "
            "alone refuses it: save a dict or a list of tensors, as state_dict() gives."
        ) from error
    except Exception as error:  # damaged files raise nearly anything there
        raise UserError(
            f"{path.name} cannot be read as weights alone by PyTorch, and is not opened in any "
            f"other way: {first_line(error)}."
        ) from error
    return loaded


def _entries(name: str, value: object, size: int, depth: int) -> Iterator[Entry]:
    if hasattr(value, "untyped_storage"):
        yield _entry(name or "tensor", value, size)
    elif isinstance(value, Mapping | list | tuple) and not value:  # counted, however many
        yield unreadable(name, f"{name or 'What it holds'} is empty{NOT_RETURNED}.")
    elif isinstance(value, Mapping) and depth < MOST_AXES:
        for key, item in value.items():
            yield from _entries(f"{name}.{key}" if name else str(key), item, size, depth + 1)
    elif isinstance(value, list | tuple) and isinstance(value[0], str):
        yield text_entry(name, tuple(map(str, value)))
    elif isinstance(value, list | tuple) and depth < MOST_AXES:
        for index, item in enumerate(value):
            yield from _entries(f"{name}[{index}]", item, size, depth + 1)
    else:
        is_none = value is None
        kind = (
            f"None, not a tensor{NOT_RETURNED}"
            if is_none
            else f"a {type(value).__name__}, not a tensor"
        )
        yield unreadable(name, f"{name or 'What it holds'} is {kind}.")


def _entry(name: str, tensor: Any, size: int) -> Entry:  # noqa: ANN401  # torch may be missing
    if tensor.is_nested:
        return unreadable(
            name, f"{name} is of several shapes in one; save them as a list of tensors."
        )
    kind, shape = str(tensor.dtype).removeprefix("torch."), tuple(tensor.shape)
    n_bytes = tensor.numel() * tensor.element_size()
    problem = ""
    if tensor.is_meta:
        problem = f"{name} is on the meta device: a shape without numbers."
    elif kind not in _KINDS:
        why = (
            "complex numbers, which are no weights"
            if "complex" in kind
            else f"{kind}, which is not read"
        )
        problem = f"{name} holds {why}; save it as float32, float16 or bfloat16."
    elif tensor.layout is not importlib.import_module("torch").strided:
        problem = f"{name} is sparse; save it as a full tensor."
    elif n_bytes > size:  # one number may stand for a million by a stride of 0
        problem = f"{name} says it has {n_bytes:,} bytes in a file of {size:,}."
    detached = tensor.detach()

    def take(picks: Picks) -> Stored:
        if kind == BFLOAT16:
            torch = importlib.import_module("torch")
            bits: Stored = detached.contiguous().view(torch.int16).numpy()
            return picked(bits.view("uint16"), picks)
        numbers: Stored = detached.numpy()
        return picked(numbers, picks)

    return Entry(name, shape, kind, n_bytes, problem, take=take)
