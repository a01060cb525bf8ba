"""Attention of real models for commands: read from files of tensors, or made by running a model."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mhagui.commands.output import progress
from mhagui.commands.shared import listed, whole_number
from mhagui.errors import UserError

if TYPE_CHECKING:
    from mhagui.document.capture import Capture
    from mhagui.sources import Choices

_SCENE = ".mhascene"
_NUMBERS = ("batch", "heads", "key_heads")
_TEXTS = ("weights", "axes", "orientation")
# Where a sentence names what can be said, as (axes=head,query,key or axes=…).
_NAMES = (*_NUMBERS, *_TEXTS, "layers", "causal")
_SAID = re.compile(rf"(?:(?<=\()|(?<= or ))(?=(?:{'|'.join(_NAMES)})=)")
_TRUTHS = {"yes": True, "no": False}
READ_HELP = (
    "say what a file of tensors leaves open: batch=0, layers=0,5, axes=head,query,key, heads=12, "
    "key_heads=4, causal=yes, orientation='in x out', weights=NAME"
)


WORDS_HELP = "merge the tokens of a word: weights on them are summed, those of them averaged"


def capture_of(
    name: str, prompt: str | None, said: Sequence[str], *, by_words: bool = False
) -> "Capture":
    """Return the attention in the file ``name``, or of the model there on ``prompt``.

    What is ``said`` of a file of tensors is NAME=VALUE each. Raises UserError where it cannot be
    had, or cannot be shown ``by_words``.
    """
    capture = _with_tokens(name, prompt, said)
    if not by_words:
        return capture
    from mhagui.document.captured_words import by_words as merged

    return merged(capture)


def _with_tokens(name: str, prompt: str | None, said: Sequence[str]) -> "Capture":
    from mhagui.document import lesson_names
    from mhagui.file_kinds import CONFIG, Kind, kind_of

    path = Path(name)
    if name in lesson_names() or path.suffix.lower() == _SCENE:
        raise UserError(f"{name} is a scene; give a file of tensors or a model.")
    if kind_of(path) is Kind.MODEL:
        if path.is_dir() and not (path / CONFIG).is_file():
            raise UserError(f"{name} is no model: there is no {CONFIG} in that folder.")
        if said:
            raise UserError(f"{name} is a model: --read is for files of tensors.")
        if prompt is None:
            raise UserError(f"{name} is a model: give --prompt TEXT to run it on.")
        return _of_model(path, prompt)
    if prompt is not None:
        raise UserError(f"{name} is no model: --prompt is for models alone.")
    from mhagui.sources import open_capture

    choices = choices_of(said)
    try:
        with progress(0, " layers") as shown:  # of how many is not known before
            return open_capture(path, choices, before_layer=lambda _: shown.step())
    except UserError as error:
        raise UserError(_SAID.sub("--read ", str(error))) from error


def check_not_read(names: Sequence[str]) -> None:
    """Raise UserError where one of ``names``, of files, is what is said of one with --read."""
    for name in names:
        if name.partition("=")[0] in _NAMES and "=" in name and not Path(name).exists():
            raise UserError(f"There is no file {name}; to say how a file is read: --read {name}.")


def choices_of(said: Sequence[str]) -> "Choices":
    """Return what is ``said``, NAME=VALUE each; raises UserError that names what is wrong."""
    from mhagui.sources import Choices

    values: dict[str, Any] = {}
    for text in said:
        name, _, value = text.partition("=")
        option = f"--read {name}"
        if name in _NUMBERS:
            values[name] = whole_number(option, value)
        elif name == "layers":
            values[name] = tuple(whole_number(option, layer) for layer in listed([value]))
        elif name == "causal" and value in _TRUTHS:
            values[name] = _TRUTHS[value]
        elif name in _TEXTS and value:
            values[name] = value
        else:
            known = ", ".join(("layers", "causal=yes", "causal=no", *_NUMBERS, *_TEXTS))
            raise UserError(f"--read {text}: give NAME=VALUE; names are {known}.")
    return Choices(**values)


def _of_model(path: Path, prompt: str) -> "Capture":
    from mhagui.models import open_model

    model = open_model(path)
    ids = model.tokens(prompt).ids
    with progress(model.facts.n_layers, " layers") as shown:
        return model.run(ids, before_layer=lambda _: shown.step()).capture()
