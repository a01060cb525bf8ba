"""Attention between the words of a text, merged of that between its tokens."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mhagui import core
from mhagui.document.capture import Capture, CapturedLayer, Flags, Floats
from mhagui.document.records import frozen
from mhagui.document.scorecard import weights_of
from mhagui.document.token_text import Scheme, ShownToken, guess_scheme, shown_tokens
from mhagui.document.words import words
from mhagui.errors import UserError

Words = tuple[slice, ...]


class LayerByWords(CapturedLayer):
    """A layer whose weights alone are known, merged by words when they are asked for.

    Attributes
    ----------
    whole
        The layer with all its tokens.
    query_words, key_words
        The positions of each word there.
    """

    whole: CapturedLayer
    query_words: Words
    key_words: Words
    _masks: "_Masks"

    def __init__(
        self, whole: CapturedLayer, query_words: Words, key_words: Words, masks: "_Masks"
    ) -> None:
        super().__init__(whole.number, sinks=whole.sinks)
        set_field = object.__setattr__
        set_field(self, "whole", whole)
        set_field(self, "query_words", query_words)
        set_field(self, "key_words", key_words)
        set_field(self, "_masks", masks)
        for made in ("given", "allowed"):  # below
            object.__delattr__(self, made)

    @cached_property
    def allowed(self) -> Flags | None:
        """Which words a word may see, (W_q, W_k); None means all."""
        return None if self.whole.allowed is None else self._masks.merged(self.whole.allowed)

    @cached_property
    def given(self) -> Floats:
        """The merged weights, (H, W_q, W_k), kept once they were asked for."""
        return frozen(self.recomputed())

    @property
    def has_weights(self) -> bool:
        """Whether the weights are there."""
        return "given" in vars(self)

    @property
    def n_heads(self) -> int:
        """H, the number of query heads."""
        return self.whole.n_heads

    @property
    def n_key_heads(self) -> int:
        """H_kv, the number of key and value heads of the model."""
        return self.whole.n_key_heads

    @property
    def shape(self) -> tuple[int, int]:
        """(W_q, W_k)."""
        return len(self.query_words), len(self.key_words)

    @property
    def chance(self) -> Floats:
        """What a head has by words that has the same weight on all allowed tokens, (W_q, W_k)."""
        return self._merged(core.uniform_weights(self.whole.mask))

    def recomputed(self) -> Floats:
        """Return the weights merged anew, (H, W_q, W_k); raises UserError where there are none."""
        return self._merged(weights_of(self.whole))

    def _merged(self, weights: Floats) -> Floats:
        with np.errstate(invalid="ignore"):  # ∞ − ∞ of a file is NaN
            return core.merged_weights(weights, self.query_words, self.key_words)


class _Masks:
    """Merges masks by words; layers that share one go on sharing it."""

    def __init__(self, queries: Words, keys: Words) -> None:
        self._starts = [[word.start for word in side] for side in (queries, keys)]
        self._known: dict[int, Flags] = {}

    def merged(self, allowed: Flags) -> Flags:
        """Return which words a word may see: those of which any token of it may see any."""
        if id(allowed) not in self._known:
            queries, keys = self._starts
            seen = np.logical_or.reduceat(allowed, queries, axis=0)
            self._known[id(allowed)] = frozen(np.logical_or.reduceat(seen, keys, axis=1))
        return self._known[id(allowed)]


@dataclass(frozen=True, slots=True)
class _Side:
    """The words of the queries, or of the keys; no texts where there are no tokens."""

    words: Words
    texts: tuple[str, ...]
    n_tokens: int

    @property
    def is_merged(self) -> bool:
        return len(self.words) < self.n_tokens

    @property
    def counts(self) -> str:
        return f"{self.n_tokens:,} tokens make {len(self.words):,} words"


def place_in(old: CapturedLayer, new: CapturedLayer, query: int, key: int) -> tuple[int, int]:
    """Return where ``query`` and ``key`` of a layer are in the same by words, or the other way."""
    if isinstance(new, LayerByWords):
        return _word_at(query, new.query_words), _word_at(key, new.key_words)
    if isinstance(old, LayerByWords):
        return _start_of(query, old.query_words), _start_of(key, old.key_words)
    return query, key


def _word_at(token: int, words: Words) -> int:
    return next((n for n, word in enumerate(words) if token < word.stop), len(words) - 1)


def _start_of(word: int, words: Words) -> int:
    start: int = words[min(word, len(words) - 1)].start
    return start


def by_words(capture: Capture) -> Capture:
    """Return ``capture`` with words in place of tokens, whose weights alone are known.

    Tokens make words by the rule of ``words``, from which spaces around them are left out. What a
    word gives to another is the sum over the tokens of the key and the mean over those of the query
    (``core.merged_weights``), made layer by layer when it is asked for. A query sees a key where
    any token of one sees any of the other: under a causal mask a word sees itself and those before
    it. Positions without tokens stay as they are. What is by words is returned as it is.

    Raises
    ------
    UserError
        Where there are no tokens, or not as many as positions, or each is a word: a sentence.
    """
    if capture.whole is not None:
        return capture
    queries, keys = _sides(capture)
    if not (queries.is_merged or keys.is_merged):
        raise UserError(
            f"There is nothing to merge: each of the {max(queries.n_tokens, keys.n_tokens):,} "
            "tokens is a word."
        )
    both = queries.words, keys.words
    masks = _Masks(*both)
    return Capture(
        title=f"{capture.title}, by words",
        layers=tuple(LayerByWords(layer, *both, masks) for layer in capture.layers),
        query_tokens=queries.texts,
        key_tokens=keys.texts,
        notes=(*capture.notes, _note(queries, keys)),
        pieces=queries.texts if queries == keys else (),
        token_scheme=Scheme.PLAIN if queries == keys else "",
        whole=capture,
    )


def _sides(capture: Capture) -> tuple[_Side, _Side]:
    """Return the words of queries and keys; raises UserError where tokens and layers do not fit."""
    shape = capture.layers[0].shape
    for layer in capture.layers[1:]:
        if layer.shape != shape:
            raise UserError(
                f"Layer {capture.layers[0].number} has {shape[0]} queries and {shape[1]} keys, "
                f"layer {layer.number} {layer.shape[0]} and {layer.shape[1]}: words are those of "
                "layers that are of one text."
            )
    queries, keys = capture.query_tokens, capture.key_tokens
    if shape[0] == shape[1]:  # of one sequence where one of them is not said
        queries, keys = queries or keys, keys or queries
    if not queries and not keys:
        raise UserError("There are no tokens that words could be made of; positions have none.")
    if queries == keys:
        both = _side(capture, queries, shape[0])
        return both, both
    return _side(capture, queries, shape[0]), _side(capture, keys, shape[1])


def _side(capture: Capture, tokens: Sequence[str], n_positions: int) -> _Side:
    if not tokens:
        alone = tuple(slice(place, place + 1) for place in range(n_positions))
        return _Side(alone, (), n_positions)
    if len(tokens) != n_positions:
        raise UserError(
            f"There are {len(tokens):,} tokens and {n_positions:,} positions; words are made where "
            "each position has its token."
        )
    pieces, scheme = tokens, ""
    if capture.token_scheme and len(capture.pieces) == n_positions:
        pieces, scheme = capture.pieces, capture.token_scheme
    scheme = scheme or guess_scheme(pieces)
    shown = shown_tokens(pieces, scheme)
    is_spaced = scheme in (Scheme.BYTE_LEVEL, Scheme.SENTENCEPIECE)
    found = words(shown, is_spaced=is_spaced)
    return _Side(found, tuple(_text(shown[word]) for word in found), n_positions)


def _text(tokens: Sequence[ShownToken]) -> str:
    """Return what stands in a word; bytes of a part of a character as they are drawn."""
    text = ""
    for place, token in enumerate(tokens):
        if token.is_partial and len(token.group) == 1:
            text += token.label
        elif place == 0 or token.group != tokens[place - 1].group:
            text += token.together
    return text.strip(" ") or text


def _note(queries: _Side, keys: _Side) -> str:
    if queries == keys:
        counts = keys.counts
    else:
        sides = (("queries", queries), ("keys", keys))
        counts = ", ".join(f"{side.counts} as {what}" for what, side in sides if side.is_merged)
    return (
        f"By words: {counts}. What goes to a word is the sum over its tokens, what it gives the "
        "mean over them."
    )
