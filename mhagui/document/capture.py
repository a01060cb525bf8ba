"""What a file or a model gives of its attention on one input: of each layer, all heads."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from mhagui import core
from mhagui.document.records import frozen
from mhagui.document.token_text import texts
from mhagui.errors import UserError

Floats: TypeAlias = npt.NDArray[np.floating[Any]]  # float32 or float64, read-only
Flags: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False, repr=False)
class CapturedLayer:
    """The heads of one layer; what is not known of them is None. Arrays are read-only.

    Either ``given`` is known, or ``q`` and ``k`` are; where all three are, ``given`` counts.

    Attributes
    ----------
    number
        Which layer of its model this is, from 0; it stays so when others are left out.
    given
        The weights as they were given, (H, T_q, T_k), float32 or float64: never renormalised, and
        with NaN or infinities where the file has them.
    q, k, v
        What the scores and head outputs are made of, positions encoded: (H, T_q, d_k),
        (H_kv, T_k, d_k) and (H_kv, T_k, d_v). Query head h reads key head ``key_head(h)``.
    scale
        Factor on q·k; None means 1/√d_k.
    allowed
        Which keys a query may see, (T_q, T_k); None means all.
    bias
        What is added to the scaled scores, (H, T_q, T_k), as by ALiBi.
    sinks
        A logit of each head that takes part in the softmax and is no key, (H,): with it rows sum
        to less than 1.
    x
        What the layer's attention reads, after its norm, (T, d_model).
    w_v, b_v
        Where values come from: V = x W_V + b_V, (H_kv, d_model, d_v) and (H_kv, d_v).
    w_o, b_o
        The output projection, (H * d_v, d_model), row vectors times it, and its bias, (d_model,).
    """

    number: int
    given: Floats | None = None
    q: Floats | None = None
    k: Floats | None = None
    v: Floats | None = None
    scale: float | None = None
    allowed: Flags | None = None
    bias: Floats | None = None
    sinks: Floats | None = None
    x: Floats | None = None
    w_v: Floats | None = None
    b_v: Floats | None = None
    w_o: Floats | None = None
    b_o: Floats | None = None

    def __repr__(self) -> str:
        return f"CapturedLayer(number={self.number}, n_heads={self.n_heads}, shape={self.shape})"

    @property
    def n_heads(self) -> int:
        """H, the number of query heads."""
        return len(self._queries)

    @property
    def n_key_heads(self) -> int:
        """H_kv, the number of key and value heads; H where neither are known."""
        parts = (self.k, self.v, self.w_v)
        return len(next((part for part in parts if part is not None), self._queries))

    @property
    def shape(self) -> tuple[int, int]:
        """(T_q, T_k)."""
        if self.given is not None:
            return self.given.shape[1], self.given.shape[2]
        assert self.k is not None
        return self._queries.shape[1], self.k.shape[1]

    @property
    def mask(self) -> Flags:
        """Which keys a query may see, (T_q, T_k), also where these are all."""
        return np.ones(self.shape, dtype=bool) if self.allowed is None else self.allowed

    @property
    def has_values(self) -> bool:
        """Whether x, w_v and w_o are known: all that O is made of, beside the weights."""
        return all(part is not None for part in (self.x, self.w_v, self.w_o))

    def require_head(self, head: int) -> None:
        """Raise UserError where there is no query head ``head``, from 0."""
        if not 0 <= head < self.n_heads:
            raise UserError(
                f"Layer {self.number} has heads 0 to {self.n_heads - 1}; there is no head {head}."
            )

    def key_head(self, head: int) -> int:
        """Return which key and value head query head ``head`` reads, both from 0.

        Raises UserError where there is no such head, or heads cannot share as many key heads.
        """
        self.require_head(head)
        try:
            return core.key_head(head, self.n_heads, self.n_key_heads)
        except ValueError as error:
            raise UserError(f"Layer {self.number}: {error}") from error

    def states_of(self, head: int) -> "CapturedLayer":
        """Return query head ``head`` as a layer of its own, with all that its weights are made of.

        Raises UserError where there is no such head, or q and k are not known.
        """
        place, one = self.key_head(head), slice(head, head + 1)
        q, k = self._states
        return CapturedLayer(
            self.number,
            q=q[one],
            k=k[place : place + 1],
            scale=self.scale,
            allowed=self.allowed,
            bias=None if self.bias is None else self.bias[one],
            sinks=None if self.sinks is None else self.sinks[one],
        )

    @property
    def has_weights(self) -> bool:
        """Whether the weights are there; else they are made when they are asked for, and kept."""
        return self.given is not None or "weights" in vars(self)

    @property
    def chance(self) -> Floats | None:
        """What a head has by chance, (T_q, T_k); None for the same weight on all allowed keys."""
        return None

    @cached_property
    def weights(self) -> Floats:
        """A as given, or made of q and k when first asked for, (H, T_q, T_k)."""
        if self.given is not None:
            return self.given
        return frozen(self.recomputed())

    def recomputed(self) -> Floats:
        """Return A made of q and k, (H, T_q, T_k), with mask, scale, bias and sinks as they are.

        Raises UserError where either is not known, or they make no weights.
        """
        q, k = self._states
        try:
            return core.grouped_weights(
                q,
                k,
                mask=self.allowed,
                scale=self.scale,
                bias=self.bias,
                sinks=self.sinks,
            )
        except ValueError as error:
            raise UserError(f"Layer {self.number}: {error}") from error

    @property
    def _states(self) -> tuple[Floats, Floats]:
        if self.q is None or self.k is None:
            raise UserError(
                f"Layer {self.number} holds no queries and keys that weights could be made of."
            )
        return self.q, self.k

    @property
    def _queries(self) -> Floats:
        known = self.q if self.given is None else self.given
        assert known is not None
        return known


@dataclass(frozen=True, eq=False)
class Capture:
    """The attention of some layers of a model on one input.

    Attributes
    ----------
    title
        What it is, for people: the file's or the model's name.
    layers
        At least one, by rising ``number``; their numbers of heads and positions may differ.
    query_tokens, key_tokens
        What stands at each query and key position, decoded, T_q and T_k texts of any length; none
        where only positions are known. The same for self-attention.
    token_ids
        The numbers of the tokens where a tokenizer gave them, for scores that compare tokens.
    pieces, token_scheme
        The same as the tokenizer has it, T pieces, and how these stand for text: a ``Scheme`` by
        its name. Empty where that is not known.
    notes
        What was found and proven of the file, a sentence each, for people.
    whole
        The capture with all tokens that this is by words; None where it is not by words.
    """

    title: str
    layers: tuple[CapturedLayer, ...]
    query_tokens: tuple[str, ...] = ()
    key_tokens: tuple[str, ...] = ()
    token_ids: tuple[int, ...] = ()
    notes: tuple[str, ...] = field(default=())
    pieces: tuple[str, ...] = ()
    token_scheme: str = ""
    whole: "Capture | None" = None

    @property
    def texts(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What the tokens of queries and of keys stand for; of parts of characters the bytes."""
        queries, keys = self.query_tokens, self.key_tokens or self.query_tokens
        if self.token_scheme and queries == keys and len(self.pieces) == len(keys):
            queries = keys = texts(self.pieces, self.token_scheme)
        return queries, keys

    def layer(self, number: int) -> CapturedLayer:
        """Return layer ``number``; raises KeyError where there is none."""
        return {layer.number: layer for layer in self.layers}[number]
