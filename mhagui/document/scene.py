"""The Scene: everything a user can change, in one frozen value."""

import math
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from mhagui.document.checks import check_finite, check_text, count, matrix, plain, shape_text
from mhagui.document.head import Head
from mhagui.document.patterns import MAX_POSITIONS, Pattern
from mhagui.document.records import Array, Record, sealed
from mhagui.document.token_source import TokenSource
from mhagui.errors import UserError

MAX_HEADS = 32
MAX_HEAD_WIDTH = 64
MAX_MODEL_WIDTH = 256
MAX_TITLE_LENGTH = 120
MAX_DESCRIPTION_LENGTH = 4000
MAX_TOKEN_LENGTH = 20
MAX_HAND_SET_POSITIONS = 256  # so that a scene can be kept as text
POSITION_FEATURES = 2  # a position is a cosine and a sine

# Patterns that write positions on a circle, which needs two columns of Q and K.
ON_CIRCLE = {Pattern.PREVIOUS_TOKEN, Pattern.SELF, Pattern.DELAY, Pattern.BLOCK_LOCAL}


@dataclass(frozen=True, slots=True, eq=False)
class Scene(Record):
    """A layer of attention heads on the bench, and what is fed to it.

    Attributes
    ----------
    title, description
        For people, 1 to 120 and at most 4,000 characters; the description says what is the
        lesson's and what is ours.
    heads
        1 to 32 heads, in the order in which Concat stacks their outputs.
    x
        The input X, shape (T, d_model).
    w_o
        The output projection, shape (H * d_v, d_model); head h owns rows h * d_v onwards.
    d_k
        Width of every head's queries and keys.
    master_gain
        Factor on every head's gain; any finite number.
    keep_margin
        Whether position codes on a circle grow with T, so that neighbours stay as far apart in
        score as they are at T = 6.
    tokens
        What stands at each position, T texts of 1 to 20 characters; none where the positions
        have only numbers.
    vocabulary
        The words that X tells apart: its first columns are one-hot of them, the content of a
        position. None where X is not made of words.
    has_position_code
        Whether the two columns of X behind the vocabulary hold the position, as a point on the
        unit circle.
    source
        Where the tokens come from whose information the heads carry.
    """

    title: str
    description: str
    heads: tuple[Head, ...]
    x: Array
    w_o: Array
    d_k: int
    master_gain: float = 1.0
    keep_margin: bool = False
    tokens: tuple[str, ...] = ()
    vocabulary: tuple[str, ...] = ()
    has_position_code: bool = False
    source: TokenSource = field(default_factory=TokenSource)

    def __post_init__(self) -> None:
        """Check that everything fits together and freeze the arrays."""
        check_text("A scene's title", self.title, MAX_TITLE_LENGTH)
        _check_description(self.description)
        set_field = partial(object.__setattr__, self)
        for name in ("heads", "tokens", "vocabulary"):
            set_field(name, tuple(getattr(self, name)))
        for name in ("keep_margin", "has_position_code"):
            set_field(name, bool(getattr(self, name)))
        set_field("x", matrix("X", self.x))
        set_field("w_o", matrix("W_O", self.w_o))
        set_field("d_k", count("d_k", self.d_k, MAX_HEAD_WIDTH))
        set_field("master_gain", plain(self.master_gain))
        check_finite("The master gain", self.master_gain)
        check_positions(self.n_positions)
        count("d_model", self.d_model, MAX_MODEL_WIDTH)
        count("The number of heads", self.n_heads, MAX_HEADS)
        count("d_v", self.d_v, MAX_HEAD_WIDTH)
        _check_heads(self)
        _check_gains(self)
        _check_tokens(self)
        _check_projection(self.w_o, self.n_heads * self.d_v, self.d_model)

    @property
    def n_positions(self) -> int:
        """T, the sequence length."""
        return int(self.x.shape[0])

    @property
    def d_model(self) -> int:
        """Width of the model: columns of X and of W_O."""
        return int(self.x.shape[1])

    @property
    def d_v(self) -> int:
        """Width of every head's values."""
        return int(self.heads[0].w_v.shape[1])

    @property
    def n_heads(self) -> int:
        """H, the number of heads."""
        return len(self.heads)

    @property
    def n_fixed_features(self) -> int:
        """How many columns of X, from the first, hold the words and positions of the tokens."""
        return len(self.vocabulary) + POSITION_FEATURES * self.has_position_code

    @property
    def active(self) -> tuple[bool, ...]:
        """For each head whether it reaches W_O: not muted, and soloed if any head is."""
        any_solo = any(head.soloed for head in self.heads)
        return tuple(head.soloed if any_solo else not head.muted for head in self.heads)

    def has_head(self, uid: int) -> bool:
        """Say whether head ``uid`` is in this scene."""
        return any(head.uid == uid for head in self.heads)

    def index_of(self, uid: int) -> int:
        """Return the place of head ``uid``, from 0; raises UserError if there is no such head."""
        for index, head in enumerate(self.heads):
            if head.uid == uid:
                return index
        raise UserError(f"There is no head {uid} in this scene.")

    def head(self, uid: int) -> Head:
        """Return head ``uid``."""
        return self.heads[self.index_of(uid)]

    def rows_of(self, place: int) -> slice:
        """Return the rows of W_O that the head at ``place``, from 0, owns."""
        return slice(place * self.d_v, (place + 1) * self.d_v)

    def with_head(self, uid: int, **changes: object) -> "Scene":
        """Return a scene in which head ``uid`` has ``changes``."""
        index = self.index_of(uid)
        changed = replace(self.heads[index], **changes)  # type: ignore[arg-type]
        return replace(self, heads=(*self.heads[:index], changed, *self.heads[index + 1 :]))


def one_hot_tokens(n_positions: int, d_model: int) -> Array:
    """Return X of shape (T, d_model), row t one-hot at t.

    Where T is larger than d_model the tokens repeat in turn: row d_model + 1 equals row 1.
    """
    positions = np.arange(check_positions(n_positions))
    x = np.zeros((len(positions), count("d_model", d_model, MAX_MODEL_WIDTH)))
    x[positions, positions % d_model] = 1.0
    return sealed(x)


def embedded_tokens(
    tokens: tuple[str, ...], vocabulary: tuple[str, ...], d_model: int, *, has_position_code: bool
) -> Array:
    """Return X of shape (T, d_model) for ``tokens``, each of them in ``vocabulary``.

    Columns: the word, one-hot; with ``has_position_code`` cos 2πt/T and sin 2πt/T; zeros. Raises
    UserError where a token is no such word, or ``d_model`` has no room for all of them.
    """
    _check_words(tokens, vocabulary, d_model, has_position_code=has_position_code)
    x = np.zeros((check_positions(len(tokens)), d_model))
    n_words, positions = len(vocabulary), np.arange(len(tokens))
    place = {word: column for column, word in enumerate(vocabulary)}
    x[positions, [place[token] for token in tokens]] = 1.0
    if has_position_code:
        angles = 2 * np.pi * (positions + 1) / len(tokens)
        x[:, n_words] = np.cos(angles)
        x[:, n_words + 1] = np.sin(angles)
    return sealed(x)


def made_input(
    n_positions: int,
    d_model: int,
    tokens: tuple[str, ...] = (),
    vocabulary: tuple[str, ...] = (),
    *,
    has_position_code: bool = False,
) -> Array:
    """Return X of shape (T, d_model) as it is where nobody wrote into it.

    One-hot tokens; with a vocabulary ``tokens``, again from the first where they end.
    """
    if not vocabulary:
        return one_hot_tokens(n_positions, d_model)
    tokens = repeated(tokens, check_positions(n_positions))
    return embedded_tokens(tokens, vocabulary, d_model, has_position_code=has_position_code)


def designed_input(scene: Scene, n_positions: int) -> Array:
    """Return the X that ``scene`` begins with at T = ``n_positions``."""
    code = scene.has_position_code
    words = scene.tokens, scene.vocabulary
    return made_input(n_positions, scene.d_model, *words, has_position_code=code)


def repeated(tokens: tuple[str, ...], n_positions: int) -> tuple[str, ...]:
    """Return ``tokens`` for ``n_positions``, again from the first where they end."""
    return tuple(tokens[position % len(tokens)] for position in range(n_positions if tokens else 0))


def check_positions(n_positions: int) -> int:
    """Return ``n_positions`` as an int; raises UserError unless a scene can have that many."""
    return count("The sequence length T", n_positions, MAX_POSITIONS)


def _check_projection(w_o: Array, n_rows: int, n_columns: int) -> None:
    """Raise UserError unless ``w_o`` is a matrix of ``n_rows`` (H·d_v) by ``n_columns``."""
    if w_o.shape != (n_rows, n_columns):
        raise UserError(
            f"W_O is {shape_text(w_o)}, but these heads need {n_rows} × {n_columns} "
            "(H·d_v rows, d_model columns)."
        )


def _check_heads(scene: Scene) -> None:
    if len({head.uid for head in scene.heads}) != scene.n_heads:
        raise UserError("Two heads of this scene have the same identity; each needs its own.")
    for head in scene.heads:
        head.check_sizes(scene.n_positions, scene.d_model, scene.d_k, scene.d_v)
        if scene.d_k == 1 and head.pattern in ON_CIRCLE:
            raise UserError(
                f"Head “{head.name}” ({head.pattern.value}) writes positions on a circle, "
                "which needs d_k of at least 2; this scene has d_k = 1."
            )
        if head.q is not None and scene.n_positions > MAX_HAND_SET_POSITIONS:
            raise UserError(
                f"Head “{head.name}” is hand-set, which T up to {MAX_HAND_SET_POSITIONS} can be; "
                f"this scene has T = {scene.n_positions}."
            )


def _check_gains(scene: Scene) -> None:
    for head in scene.heads:
        if not math.isfinite(head.gain * scene.master_gain):
            raise UserError(
                f"The gain of head “{head.name}”, {head.gain:g}, times the master gain, "
                f"{scene.master_gain:g}, is too large for a number; make one of them smaller."
            )


def _check_tokens(scene: Scene) -> None:
    for token in (*scene.tokens, *scene.vocabulary):
        check_text("A token", token, MAX_TOKEN_LENGTH)
    if scene.tokens and len(scene.tokens) != scene.n_positions:
        raise UserError(
            f"There are {len(scene.tokens)} tokens, but X has {scene.n_positions} rows; "
            "each position needs one."
        )
    if len(set(scene.vocabulary)) != len(scene.vocabulary):
        raise UserError("A word is in the vocabulary twice; each needs a column of its own.")
    if scene.has_position_code and not scene.vocabulary:
        raise UserError("A position code stands behind a vocabulary; this scene has none.")
    if scene.vocabulary:
        code = scene.has_position_code
        _check_words(scene.tokens, scene.vocabulary, scene.d_model, has_position_code=code)


def _check_words(
    tokens: tuple[str, ...], vocabulary: tuple[str, ...], d_model: int, *, has_position_code: bool
) -> None:
    unknown = [token for token in tokens if token not in vocabulary]
    if unknown or not tokens:
        word = f"“{unknown[0][:MAX_TOKEN_LENGTH]}”" if unknown else ""
        what = f"{word} is not in it" if word else "there are no tokens"
        raise UserError(f"A scene with a vocabulary has tokens of it; {what}.")
    n_features = len(vocabulary) + POSITION_FEATURES * has_position_code
    if n_features > d_model:
        raise UserError(
            f"The vocabulary and the position need {n_features} columns of X; it has "
            f"d_model = {d_model}."
        )


def _check_description(text: str) -> None:
    if len(text) > MAX_DESCRIPTION_LENGTH or not text.replace("\n", "").isprintable():
        raise UserError(
            f"A scene's description has at most {MAX_DESCRIPTION_LENGTH} printable characters "
            f"and line ends; got {len(text)}: {text[:20]!r}."
        )
