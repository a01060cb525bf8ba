"""Edits of what stands at each position: swap, move, repeat, and a sequence of the user's own.

In all of them the content part of X goes with the token, and the position part stays where it is:
the content part is the columns of the vocabulary, or the whole row of an X that is not made of
words.
"""

from dataclasses import dataclass, replace

import numpy as np

from mhagui.document.edits import Edit, check_none_hand_set
from mhagui.document.records import Array
from mhagui.document.scene import Scene, check_positions, check_token
from mhagui.document.scene_input import embedded_tokens
from mhagui.errors import UserError


@dataclass(frozen=True, slots=True)
class SwapTokens:
    """Let the tokens of two positions, from 0, change places."""

    one: int
    other: int
    merge_key: None = None

    @property
    def text(self) -> str:
        """Name the positions, in their order."""
        first, last = sorted((self.one, self.other))
        return f"Swap t{first + 1} and t{last + 1}"

    def apply(self, scene: Scene) -> Scene:
        """Return the scene with the tokens swapped."""
        order = _places(scene, self.one, self.other)
        order[self.one], order[self.other] = self.other, self.one
        return _rearranged(scene, order)


@dataclass(frozen=True, slots=True)
class MoveToken:
    """Move a token to another position, both from 0; those between make room."""

    token: int
    to: int
    merge_key: None = None

    @property
    def text(self) -> str:
        """Name both positions."""
        return f"Move t{self.token + 1} to t{self.to + 1}"

    def apply(self, scene: Scene) -> Scene:
        """Return the scene with the token moved."""
        order = _places(scene, self.token, self.to)
        order.insert(self.to, order.pop(self.token))
        return _rearranged(scene, order)


@dataclass(frozen=True, slots=True)
class RepeatToken:
    """Put the token of one position at another as well, both from 0."""

    source: int
    target: int
    merge_key: None = None

    @property
    def text(self) -> str:
        """Name both positions."""
        return f"Repeat t{self.source + 1} at t{self.target + 1}"

    def apply(self, scene: Scene) -> Scene:
        """Return the scene with the token of ``source`` in place of that of ``target``."""
        order = _places(scene, self.source, self.target)
        order[self.target] = self.source
        return _rearranged(scene, order)


@dataclass(frozen=True, slots=True, eq=False)
class DragTokens:
    """One moment of a drag: the tokens as ``edit`` leaves those that the drag began with."""

    base: Scene
    edit: Edit | None
    merge_key: str = "tokens"

    @property
    def text(self) -> str:
        """Say what a drop would do now."""
        return self.edit.text if self.edit else "Drag token"

    def apply(self, scene: Scene) -> Scene:
        """Return the scene with these tokens; without ``edit`` all stands as it did."""
        after = self.edit.apply(self.base) if self.edit else self.base
        return replace(scene, x=after.x, tokens=after.tokens)


@dataclass(frozen=True, slots=True)
class SetTokens:
    """Put a sequence of the user's own on the bench; T becomes its length.

    A word that is new takes the place of one in the vocabulary that is no longer used.
    """

    tokens: tuple[str, ...]
    text: str = "Change tokens"
    merge_key: None = None

    def apply(self, scene: Scene) -> Scene:
        """Return the scene with the tokens; where it has no vocabulary they are but names.

        Raises UserError where there are more words than X tells apart, and for another T where
        X is not made of words or a head is hand-set.
        """
        _check_can_follow(scene)
        n_positions = check_positions(len(self.tokens))
        for token in self.tokens:
            check_token(token)
        if n_positions != scene.n_positions:
            _check_can_resize(scene)
        if not set(self.tokens) <= set(scene.tokens):  # no longer a tokenizer's alone
            scene = replace(scene, token_scheme="")
        if not scene.vocabulary:
            return replace(scene, tokens=self.tokens)
        vocabulary = _vocabulary_for(scene, self.tokens)
        x = _input_of(scene, self.tokens, vocabulary)
        return replace(scene, x=x, tokens=self.tokens, vocabulary=vocabulary)


def why_tokens_stay(scene: Scene) -> str:
    """Return why no other tokens can be put in the places of ``scene``; empty where they can.

    Queries, keys or weights that were made of them elsewhere would stay as they are.
    """
    if scene.vocabulary or not scene.tokens:
        return ""
    made = [
        "weights" if head.q is None else "queries and keys"
        for head in scene.heads
        if head.q is not None or head.a is not None
    ]
    if not made:
        return ""
    return f"{made[0].capitalize()} are made of these tokens; for others: Edit > Prompt."


def _check_can_follow(scene: Scene) -> None:
    """Raise UserError where what the heads hold would not follow other tokens."""
    reason = why_tokens_stay(scene)
    if reason:
        raise UserError(reason)


def _places(scene: Scene, *wanted: int) -> list[int]:
    """Return all positions in order; raises UserError unless there are tokens at those wanted."""
    if not scene.tokens:
        raise UserError("This scene has positions only, no tokens that could be moved.")
    _check_can_follow(scene)
    for place in wanted:
        if not 0 <= place < scene.n_positions:
            raise UserError(f"Tokens stand at positions 1 to {scene.n_positions}; got {place + 1}.")
    return list(range(scene.n_positions))


def _rearranged(scene: Scene, order: list[int]) -> Scene:
    """Return the scene with the token of ``order[t]`` at position t."""
    tokens = tuple(scene.tokens[place] for place in order)
    content = slice(0, len(scene.vocabulary) or scene.d_model)
    x = scene.x.copy()
    x[:, content] = scene.x[order, content]
    return replace(scene, x=x, tokens=tokens)


def _check_can_resize(scene: Scene) -> None:
    check_none_hand_set(scene)
    if not scene.vocabulary:
        raise UserError(
            f"X of this scene is not made of words: it takes {scene.n_positions} tokens, one for "
            "each of its rows."
        )


def _vocabulary_for(scene: Scene, tokens: tuple[str, ...]) -> tuple[str, ...]:
    """Return the vocabulary with new words in the places, from the first, of those not used."""
    known, used = set(scene.vocabulary), dict.fromkeys(tokens)
    if len(used) > len(scene.vocabulary):
        raise UserError(
            f"This scene tells {len(scene.vocabulary)} words apart; the sequence has "
            f"{len(used)} different ones."
        )
    new = iter([word for word in used if word not in known])
    return tuple(word if word in used else next(new, word) for word in scene.vocabulary)


def _input_of(scene: Scene, tokens: tuple[str, ...], vocabulary: tuple[str, ...]) -> Array:
    """Return X with the words of ``tokens``; in other columns what stood there, zeros behind."""
    made = embedded_tokens(
        tokens, vocabulary, scene.d_model, has_position_code=scene.has_position_code
    )
    is_resized = len(tokens) != scene.n_positions
    n_made = scene.n_fixed_features if is_resized else len(vocabulary)
    x = np.zeros_like(made)
    kept = min(len(x), scene.n_positions)
    x[:kept, n_made:] = scene.x[:kept, n_made:]
    x[:, :n_made] = made[:, :n_made]
    return x
