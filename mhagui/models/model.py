"""Open a model, cut a prompt into its tokens, and run it: what the rest of the program calls."""

from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from mhagui.document.capture import Capture, CapturedLayer
from mhagui.document.layer_source import FileMark, mark_of
from mhagui.errors import UserError
from mhagui.models.architecture import Architecture
from mhagui.models.config_json import architecture_of_config
from mhagui.models.forward import BeforeLayer, Edit, ForwardPass
from mhagui.models.gguf_config import architecture_of_gguf
from mhagui.models.gguf_file import GgufFile
from mhagui.models.layouts import Layout, checkpoint_layout, gguf_layout
from mhagui.models.safetensors_file import INDEX, SafetensorsFile, shards
from mhagui.models.tensor_file import Floats32, Ids, TensorFile
from mhagui.models.tokenizer import Tokenizer, Tokens, tokenizer_of_folder, tokenizer_of_gguf
from mhagui.models.values import Values, read_values
from mhagui.models.weights import Weights

_ONE_FILE = "model.safetensors"


@dataclass(frozen=True)
class ModelFacts:
    """What a model is, without reading any of its weights.

    ``float32_bytes`` is the size of all weights as they are worked with; ``context`` the largest
    number of tokens.
    """

    title: str
    family: str
    n_layers: int
    n_heads: int
    n_key_heads: int
    d_model: int
    d_head: int
    n_vocabulary: int
    context: int
    float32_bytes: int
    predicts_next: bool


class Run:
    """What a model made of some tokens."""

    def __init__(
        self, model: "Model", ids: Ids, layers: tuple[CapturedLayer, ...], last: Floats32
    ) -> None:
        """Keep what a pass left: captured layers, and the last residual stream, (T, d_model)."""
        self._model = model
        self.ids = ids
        self.layers = layers
        self.last = last

    def logits(self, positions: slice = slice(None)) -> Floats32:
        """Return the logits of the token after each position, (positions, vocabulary).

        ``slice(-1, None)`` gives those of the last alone. Raises UserError where the model, an
        encoder, predicts none.
        """
        if not self._model.facts.predicts_next:
            raise UserError(f"A {self._model.facts.family} model predicts no next token.")
        return self.last[positions] @ self._model.weights.head().T

    def capture(self) -> Capture:
        """Return the layers that were kept; raises UserError where none were."""
        if not self.layers:
            raise UserError("No layer was kept of this run.")
        facts, tokens = self._model.facts, self._model.tokens_of(self.ids.tolist())
        return Capture(
            title=facts.title,
            layers=self.layers,
            query_tokens=tokens.texts,
            key_tokens=tokens.texts,
            token_ids=tuple(self.ids.tolist()),
            notes=(
                f"{facts.family} model of {facts.n_layers} layers, run here in float32 on "
                f"{len(self.ids)} tokens.",
            ),
            pieces=tokens.pieces,
            token_scheme=tokens.scheme,
        )


class Model:
    """A model in a file, ready to be run; made by ``open_model``.

    By its ``mark`` the file is known again, as it was when the model was opened; None: by none.
    """

    def __init__(self, opened: "_Opened", mark: FileMark | None) -> None:
        """Check that the file has all weights; none are read before a run."""
        self._opened, self.mark = opened, mark
        self._architecture = opened.architecture
        self.weights = Weights(opened.architecture, opened.layout, opened.file)
        self.facts = _facts(opened, self.weights.float32_bytes)

    def tokens(self, prompt: str) -> Tokens:
        """Return the tokens of ``prompt``, with the marks that the model wants around it.

        Raises UserError where it has none, or more than the context, or the model's tokenizer
        cannot be rebuilt.
        """
        ids = self._tokenizer.ids(prompt)
        self._require_room(len(ids))  # before millions of texts are made
        return self._tokenizer.of_ids(ids)

    def texts(self, ids: Sequence[int]) -> tuple[str, ...]:
        """Return the decoded texts of tokens; none where the tokenizer cannot be rebuilt."""
        return self.tokens_of(ids).texts

    def tokens_of(self, ids: Sequence[int]) -> Tokens:
        """Return the tokens of these numbers; no texts where the tokenizer cannot be rebuilt."""
        try:
            return self._tokenizer.of_ids(ids)
        except UserError:
            return Tokens(tuple(ids), (), ())

    def run(
        self,
        ids: Sequence[int],
        *,
        layers: Container[int] | None = None,
        before_layer: BeforeLayer | None = None,
        edit: Edit | None = None,
    ) -> Run:
        """Run the model on the tokens ``ids``, all layers, in float32.

        Parameters
        ----------
        layers
            Which are kept for ``Run.capture``; None keeps all, () none.
        before_layer
            Called with the number of each layer before it is worked out; what it raises ends the
            run.
        edit
            Called with the number of each layer and its head outputs A V, (H, T, d_head), float32;
            W_O reads what it returns instead, of the same shape. Later layers follow from that.

        Raises
        ------
        UserError
            Where there are no tokens, more than the context, or some that are not in the
            vocabulary; where weights or what is made of them are not finite; where memory does
            not do.
        """
        checked = self._checked(ids)
        wanted = range(self._architecture.n_layers) if layers is None else layers
        forward = ForwardPass(self._architecture, self.weights, checked)
        try:
            passed = forward.run(wanted, before_layer, edit)
        except MemoryError as error:
            raise UserError(
                "The run takes more memory than there is: take a shorter prompt."
            ) from error
        return Run(self, checked, passed.layers, passed.last)

    def _checked(self, ids: Sequence[int]) -> Ids:
        if len(ids) == 0:
            raise UserError("There are no tokens to run the model on.")
        self._require_room(len(ids))
        array = np.array(ids, dtype=np.intp)
        beyond = array[(array < 0) | (array >= self.facts.n_vocabulary)]
        if len(beyond):
            raise UserError(
                f"There is no token {beyond[0]}: {self.facts.title} has {self.facts.n_vocabulary}."
            )
        return array

    def _require_room(self, n_tokens: int) -> None:
        if n_tokens > self.facts.context:
            raise UserError(
                f"The prompt makes {n_tokens:,} tokens, but {self.facts.title} reads "
                f"{self.facts.context:,} at most: take a shorter prompt."
            )

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return self._opened.tokenizer()


def describe(path: Path | str) -> ModelFacts:
    """Return what the model at ``path`` is; raises UserError where it cannot be opened.

    ``path`` is a .gguf file, a .safetensors file with config.json beside it, or a folder that has
    these. Only headers are read, and checked as for a run.
    """
    return open_model(path).facts


def open_model(path: Path | str) -> Model:
    """Return the model at ``path``, as for ``describe``; its weights are read when it is run."""
    path = Path(path).absolute()  # so that a folder given as “.” has a name
    with _readable(path):
        if not path.exists():
            raise UserError(f"There is no file or folder “{path}”.")
        opened = _opened(path)
        return Model(opened, mark_of(path))  # of what is another by now no weights are read


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Make a sentence of what the system says where ``path`` cannot be read."""
    try:
        yield
    except OSError as error:
        raise UserError(f"{path.name} cannot be read: {error.strerror or error}.") from error


@dataclass(frozen=True)
class _Opened:
    """A model's file with what it says of itself: a GGUF file's values, or another's folder."""

    title: str
    architecture: Architecture
    layout: Layout
    file: TensorFile
    values: Values | None = None
    folder: Path = Path()

    def tokenizer(self) -> Tokenizer:
        if self.values is not None:
            return tokenizer_of_gguf(self.values)
        with _readable(self.folder):
            return tokenizer_of_folder(self.folder)


def _facts(opened: _Opened, float32_bytes: int) -> ModelFacts:
    architecture = opened.architecture
    return ModelFacts(
        title=opened.title,
        family=architecture.family.name,
        n_layers=architecture.n_layers,
        n_heads=architecture.n_heads,
        n_key_heads=architecture.n_key_heads,
        d_model=architecture.d_model,
        d_head=architecture.d_head,
        n_vocabulary=architecture.n_vocabulary,
        context=architecture.context,
        float32_bytes=float32_bytes,
        predicts_next=architecture.family.is_causal,
    )


def _opened(path: Path) -> _Opened:
    if path.suffix.lower() == ".gguf" and not path.is_dir():
        file = GgufFile(path)
        values = Values(path.name, file.values)
        architecture = architecture_of_gguf(values)
        return _Opened(path.stem, architecture, gguf_layout(architecture), file, values)
    if not path.is_dir() and path.suffix.lower() != ".safetensors":
        raise UserError(
            f"{path.name} is no model: give a .gguf or .safetensors file, or a folder that holds "
            "config.json."
        )
    folder = path if path.is_dir() else path.parent
    config = folder / "config.json"
    if not config.is_file():
        raise UserError(
            f"There is no config.json in {folder.name}, which says how the model is built."
        )
    architecture = architecture_of_config(read_values(config))
    checkpoint = _checkpoint(path, folder)
    return _Opened(
        title=checkpoint.title,
        architecture=architecture,
        layout=checkpoint_layout(architecture, checkpoint.shapes),
        file=checkpoint,
        folder=folder,
    )


def _checkpoint(path: Path, folder: Path) -> SafetensorsFile:
    """Return the tensors in ``folder``, or in the one file of it that is given."""
    index = folder / INDEX
    if index.is_file():
        paths = shards(index)
        if path.is_dir() or path in paths:
            return SafetensorsFile(folder.name, paths)
    whole = folder / _ONE_FILE if path.is_dir() else path
    if not whole.is_file():
        raise UserError(f"There is neither {_ONE_FILE} nor {INDEX} in {folder.name}.")
    return SafetensorsFile(folder.name if path.is_dir() else path.stem, [whole])
