"""What ``import mhagui`` offers: real attention scored, and put on the bench, from Python.

Heads, layers and positions count from 0 here, as they do in models. Qt is loaded by ``view`` alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mhagui import core, sources
from mhagui.data.scorecard_table import (
    Cell,
    scorecard_csv,
    scorecard_json,
    scorecard_rows,
)
from mhagui.data.scorecard_text import scorecard_html, scorecard_text
from mhagui.document import scorecard as scoring
from mhagui.document.capture import Capture, Floats
from mhagui.document.captured_bias import alibi_view
from mhagui.document.captured_scene import layer_of
from mhagui.document.captured_words import by_words
from mhagui.errors import UserError
from mhagui.files import write_atomically

if TYPE_CHECKING:
    from mhagui.document import Scene
    from mhagui.figures import FigureStyle
    from mhagui.gui.view_window import ViewWindow

_SHOWN = 20  # heads of a table that is printed
_SCENES = (".mhascene", ".json")
_IN_TABLE = {int: "i8", str: "U32"}  # the type of a column by that of its cells; else a number


def view(  # noqa: PLR0913  # all but the first two by name
    attentions: object = None,
    tokens: Sequence[str] | None = None,
    *,
    q: object = None,
    k: object = None,
    v: object = None,
    mask: object = None,
    slopes: object = None,
    sinks: object = None,
    bias: object = None,
    ids: object = None,
    title: str | None = None,
    words: bool = False,
    layer: int | None = None,
    block: bool | None = None,
    **choices: Any,
) -> View:
    """Open the window on attention that is in memory; return what drives it.

    Parameters
    ----------
    attentions, tokens, q, k, v, mask, slopes, sinks, bias, ids, title, words, choices
        As for ``capture``. What is shown by ``words`` can be turned back in the window.
    layer
        Which layer comes to the bench; the first unless given.
    block
        Whether to return when the window is closed, or at once. Unless given, at once where Qt's
        event loop runs already, as after ``%gui qt`` in IPython and Jupyter.

    Raises
    ------
    UserError
        A ValueError: where the arrays cannot be read, a choice is missing, the bench cannot hold
        the layer, or no window can open here.
    """
    said: dict[str, Any] = {"mask": mask, "ids": ids, "title": title, "words": words}
    terms: dict[str, Any] = {"slopes": slopes, "sinks": sinks, "bias": bias}
    taken = capture(attentions, tokens, q=q, k=k, v=v, **terms, **said, **choices)
    from mhagui.display_check import missing_libraries, why_no_display

    obstacle = why_no_display() or missing_libraries()
    if obstacle is not None:
        raise UserError(f"{obstacle}; mhagui.scorecard works without a window.")
    from mhagui.gui.view_window import ViewWindow, is_loop_running

    opened = View(ViewWindow(taken, layer), taken)
    if not is_loop_running() if block is None else block:
        opened.wait()
    return opened


def scorecard(  # noqa: PLR0913  # all but the first three by name
    attentions: object = None,
    tokens: Sequence[str] | None = None,
    ids: object = None,
    *,
    q: object = None,
    k: object = None,
    mask: object = None,
    slopes: object = None,
    sinks: object = None,
    bias: object = None,
    words: bool = False,
    ranks: bool = False,
    **choices: Any,
) -> ScoreTable:
    """Score all heads against chance, without a window and without Qt.

    Parameters
    ----------
    attentions, tokens, ids, q, k, mask, slopes, sinks, bias, words, choices
        As for ``capture``. Induction and duplicate tokens need ``ids`` or ``tokens``.
    ranks
        Whether to score the effective rank too, which takes far longer.
    """
    terms: dict[str, Any] = {"slopes": slopes, "sinks": sinks, "bias": bias}
    said: dict[str, Any] = {"ids": ids, "mask": mask, "words": words}
    taken = capture(attentions, tokens, q=q, k=k, **terms, **said, **choices)
    return ScoreTable(scoring.scorecard(taken), taken.notes, with_ranks=ranks)


def capture(  # noqa: PLR0913  # all but the first two by name
    attentions: object = None,
    tokens: Sequence[str] | None = None,
    *,
    q: object = None,
    k: object = None,
    v: object = None,
    mask: object = None,
    slopes: object = None,
    sinks: object = None,
    bias: object = None,
    ids: object = None,
    key_tokens: Sequence[str] | None = None,
    title: str | None = None,
    words: bool = False,
    **choices: Any,
) -> Capture:
    """Return attention that is in memory as ``view`` and ``scorecard`` take it; nothing is changed.

    Parameters
    ----------
    attentions
        Weights: what a model of transformers returns as ``attentions`` (or all that it returns), of
        ``generate`` too: a list of layers, (batch, head, T_q, T_k) each, or of steps of such lists;
        an array of one to five axes; tensors of any library. Or a capture, of which ``title`` and
        ``words`` alone can be said.
    tokens, key_tokens
        A text for each position; ``key_tokens`` where keys are of another sequence.
    q, k, v
        Queries, keys and values, with positions encoded, in place of weights or beside them.
    mask
        Boolean, (T_q, T_k), True where a query may see a key; None leaves it to ``causal`` or to
        what the weights show.
    slopes
        What ALiBi takes from the scores for each position of distance, beside q and k alone: a
        number for each head, (H,), or for each head of each layer, (L, H); "alibi" for the usual
        ones.
    sinks
        A logit that takes part in the softmax and is no key, in the same way.
    bias
        Whatever else is added to the scaled scores of each layer, (H, T_q, T_k), finite.
    ids
        The numbers of the tokens, one for each key position.
    title
        What it is called.
    words
        Whether to merge the tokens of each word: weights on them are summed, those of them
        averaged, and weights alone are left (``mhagui.document.captured_words``).
    choices
        What the arrays leave open, by the names of ``mhagui.sources.Choices``: ``batch``,
        ``layers``, ``axes`` (as in "head,query,key"), ``heads``, ``key_heads``, ``causal``.

    Raises
    ------
    UserError
        A ValueError: where an array cannot be read, something does not fit or has to be said; a
        sentence that names the array, the axis and the numbers.
    """
    labels = {"tokens": tokens, "key_tokens": key_tokens, "ids": ids}
    terms = {"slopes": slopes, "sinks": sinks, "bias": bias}
    if isinstance(attentions, Capture):
        _refuse({**labels, "q": q, "k": k, "v": v, "mask": mask, **terms, **choices})
        taken = replace(attentions, title=title) if title else attentions
    else:
        made_of = {"q": q, "k": k, "v": v}
        _check_terms(attentions, made_of, terms)
        if not _are_usual(slopes):
            made_of["slopes"] = slopes
        arrays = {"attentions": _attentions_of(attentions), **made_of, "sinks": sinks}
        taken = _read(arrays, labels, mask, choices)
        if bias is not None or _are_usual(slopes):
            taken = _biased(taken, bias)
        taken = replace(taken, title=title or "Attention from Python")
    return by_words(taken) if words else taken


def _refuse(said: dict[str, object]) -> None:
    """Raise UserError where something is ``said`` of a capture, which has its own."""
    for name, value in said.items():
        if value is not None:
            raise UserError(
                f"{name} cannot be given beside a capture, which is taken as it is; title and "
                "words can."
            )


def _check_terms(attentions: object, made_of: dict[str, object], terms: dict[str, object]) -> None:
    """Raise UserError where slopes, sinks or a bias are not beside q and k alone."""
    said = [name for name, value in terms.items() if value is not None]
    if said and (attentions is not None or made_of["q"] is None or made_of["k"] is None):
        raise UserError(
            f"{said[0]} can be given where weights are made of q and k: give both of these, and no "
            "attentions, which have all in them that was added to their scores."
        )
    if terms["slopes"] is not None and terms["bias"] is not None:
        raise UserError("Give slopes or bias: slopes are a bias that is made here.")


def _are_usual(slopes: object) -> bool:
    return isinstance(slopes, str) and slopes == "alibi"


def _biased(taken: Capture, bias: object) -> Capture:
    """Return the capture with ``bias``, or where that is None with that of the usual slopes."""
    added = None if bias is None else _finite_bias(bias)
    layers = []
    for layer in taken.layers:
        assert layer.q is not None
        if added is None:
            usual = core.alibi_slopes(layer.n_heads)
            own = alibi_view(usual, layer.shape, layer.q.dtype)
        elif added.shape == (layer.n_heads, *layer.shape):
            own = added
        else:
            raise UserError(
                f"bias is of shape {added.shape}; layer {layer.number} needs "
                f"{(layer.n_heads, *layer.shape)}, (H, T_q, T_k)."
            )
        layers.append(replace(layer, bias=own))
    return replace(taken, layers=tuple(layers))


def _finite_bias(bias: object) -> Floats:
    entry = sources.found_in_arrays("bias", {"bias": bias}).entries[0]
    if entry.name != "bias" or entry.dtype == "bool":
        raise UserError("bias is one array of numbers, (H, T_q, T_k), added to the scaled scores.")
    floats = entry.read((None,) * len(entry.shape))
    n_wrong = floats.size - int(np.count_nonzero(np.isfinite(floats)))
    if n_wrong:
        raise UserError(
            f"bias holds {n_wrong:,} numbers that are NaN or infinite; keys that are not to be "
            "seen are told by mask."
        )
    return floats


def _read(
    given: dict[str, object],
    labels: dict[str, Any],
    mask: object,
    choices: dict[str, Any],
) -> Capture:
    """Return what is read of the arrays that are ``given``, weights or q and k among them."""
    tokens, key_tokens, ids = labels.values()
    arrays = {
        **given,
        "tokens" if key_tokens is None else "query_tokens": tokens,
        "key_tokens": key_tokens,
        "token_ids": ids,
    }
    if mask is not None and arrays["attentions"] is None:
        choices = {"causal": False, **choices}  # it is replaced by the mask
    try:
        said = sources.Choices(**choices)
    except TypeError as error:
        raise UserError(f"{error}; choices are {', '.join(vars(sources.Choices()))}.") from error
    name = "attentions" if arrays["attentions"] is not None else "q and k"
    taken = sources.read_only_way(sources.found_in_arrays(name, arrays), said)
    _check_labels(taken, tokens, key_tokens, ids)
    return taken if mask is None else _masked(taken, mask)


def _attentions_of(value: object) -> object:
    try:
        return getattr(value, "attentions", value)
    except Exception:  # noqa: BLE001  # whatever its own code raises: it is no model's output
        return value


def _check_labels(taken: Capture, tokens: object, key_tokens: object, ids: Any) -> None:  # noqa: ANN401  # tensors have no common type
    """Raise UserError where what was given for positions fits no layer, and would be left out."""
    n_queries, n_keys = taken.layers[0].shape
    given = (
        ("tokens", tokens, taken.query_tokens),
        ("key tokens", key_tokens, taken.key_tokens),
        ("ids", ids, taken.token_ids),
    )
    for what, labels, used in given:
        if labels is not None and not used:
            raise UserError(
                f"The {what} do not fit the positions: {n_queries} queries and {n_keys} keys."
            )


def _masked(taken: Capture, mask: Any) -> Capture:  # noqa: ANN401  # tensors have no common type
    try:
        allowed = np.array(mask.detach().cpu() if hasattr(mask, "detach") else mask)
    except Exception as error:  # whatever the library of the tensor raises
        raise UserError(
            "mask cannot be read; it is an array of booleans, (T_q, T_k), True where a query may "
            "see a key."
        ) from error
    allowed.flags.writeable = False
    if allowed.dtype != np.bool_:
        raise UserError(
            f"mask holds {allowed.dtype.name}; it is boolean, True where a query may see a key."
        )
    for layer in taken.layers:
        if allowed.shape != layer.shape:
            raise UserError(
                f"mask is of shape {allowed.shape}; layer {layer.number} needs {layer.shape}, "
                "(T_q, T_k)."
            )
    layers = tuple(replace(layer, allowed=allowed) for layer in taken.layers)
    return replace(taken, layers=layers)


class ScoreTable:
    """The scores of all heads: a row to each, in the order of layers and heads.

    It can be gone through, row by row as a dict; ``numpy.asarray`` makes a structured array of it.
    """

    def __init__(
        self, card: scoring.Scorecard, notes: tuple[str, ...] = (), *, with_ranks: bool = False
    ) -> None:
        """Take the scores, and ``notes`` on how the attention was read."""
        self.card, self._with_ranks = card, with_ranks
        self._notes = notes
        self._rows = tuple(scorecard_rows(card, with_ranks=with_ranks))

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, as docs/data.md lists them."""
        return tuple(self._rows[0])

    @property
    def notes(self) -> tuple[str, ...]:
        """What was taken for granted or left out, a sentence each."""
        return (*self._notes, *self.card.notes)

    def called(self, label: str) -> tuple[tuple[int, int], ...]:
        """Return layer and head of those with this label, as "induction"."""
        labelled = zip(self.card.heads, self.card.labels, strict=True)
        return tuple((place.layer, place.head) for place, given in labelled if given == label)

    def to_csv(self, path: str | Path) -> None:
        """Write all digits of the table to a CSV file, replacing it."""
        write_atomically(Path(path), scorecard_csv(self.card, with_ranks=self._with_ranks))

    def to_json(self, path: str | Path) -> None:
        """Write all digits of the table to a JSON file, replacing it."""
        card = replace(self.card, notes=self.notes)
        write_atomically(Path(path), scorecard_json(card, with_ranks=self._with_ranks))

    def to_numpy(self) -> npt.NDArray[np.void]:
        """Return the table as a structured array, (heads,); NaN where a score is not defined."""
        kinds = [(name, _IN_TABLE.get(type(cell), "f8")) for name, cell in self._rows[0].items()]
        rows = [
            tuple(np.nan if cell is None else cell for cell in row.values()) for row in self._rows
        ]
        return np.array(rows, dtype=kinds)

    def __array__(
        self, dtype: npt.DTypeLike | None = None, copy: bool | None = None
    ) -> npt.NDArray[Any]:
        return np.array(self.to_numpy(), dtype=dtype)

    def __iter__(self) -> Iterator[dict[str, Cell]]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, at: int) -> dict[str, Cell]:
        return self._rows[at]

    def __repr__(self) -> str:
        return scorecard_text(self.card, _SHOWN, with_ranks=self._with_ranks).rstrip("\n")

    def _repr_html_(self) -> str:
        return scorecard_html(self.card, _SHOWN, with_ranks=self._with_ranks)


class View:
    """A window that was opened from Python, and the attention in it.

    What is done by these methods counts as what work in the window begins with: nobody is asked
    whether to save it. Each raises UserError, a ValueError, where it cannot be done.
    """

    def __init__(self, window: ViewWindow, taken: Capture) -> None:
        self._window = window
        self.capture = taken

    @property
    def scene(self) -> Scene:
        """What is on the bench, with all that was changed by hand."""
        return self._window.scene

    @property
    def is_open(self) -> bool:
        """Whether the window is there."""
        return self._window.is_open

    def show(self, layer: int, head: int | None = None) -> None:
        """Put a layer on the bench, and the cursor on one of its heads."""
        if head is not None:
            layer_of(self.capture, layer).require_head(head)
        self._window.show(layer, head)

    def set_gain(self, head: int, gain: float) -> None:
        """Set the gain of a head of the layer on the bench to any finite number."""
        self._window.set_gain(head, gain)

    def weights(self, layer: int, head: int) -> Floats:
        """Return the weights as they were given, (T_q, T_k), read-only; no gain counts."""
        known = layer_of(self.capture, layer)
        known.require_head(head)
        weights: Floats = known.weights[head]
        return weights

    def scorecard(self, *, ranks: bool = False) -> ScoreTable:
        """Return the scores of all heads as they were given; no gain counts."""
        return scorecard(self.capture, ranks=ranks)

    def screenshot(self, path: str | Path) -> None:
        """Write a picture of the window to a PNG file, replacing it."""
        target = Path(path)
        if target.suffix.lower() != ".png":
            raise UserError(f"{target.name}: a picture of the window is a PNG file.")
        write_atomically(target, self._window.picture())

    def export(
        self,
        path: str | Path,
        figure: str = "heads",
        *,
        row: int | None = None,
        head: int = 0,
        style: FigureStyle | None = None,
    ) -> None:
        """Write a figure of the scene, or the scene itself, to a file, replacing it.

        By how its name ends: .png, .svg, .pdf, .eps or .tiff of ``figure``, which ``mhagui export
        --help`` lists; or .mhascene or .json.
        """
        from mhagui.document import Session, compute, write_session
        from mhagui.figures import FigureStyle, Subject, render

        target, scene = Path(path), self.scene
        if target.suffix.lower() in _SCENES:
            write_session(target, Session.of(scene))
            return
        subject = Subject(scene, compute(scene), style or FigureStyle(), row=row, head=head)
        write_atomically(target, render(figure, subject, target.suffix.lower().removeprefix(".")))

    def wait(self) -> None:
        """Return when the window is closed."""
        self._window.wait()

    def close(self) -> None:
        """Close the window; whoever has changed something by hand is asked whether to save it."""
        self._window.close()

    def __repr__(self) -> str:
        layers = self.capture.layers
        n_heads = sum(layer.n_heads for layer in layers)
        state = "open" if self.is_open else "closed"
        counts = f"{len(layers)} layers, {n_heads} heads"
        return f"<mhagui.View of {self.capture.title}: {counts}, {state}>"
