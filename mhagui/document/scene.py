"""The Scene: everything a user can change, in one frozen value."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from mhagui.document.checks import check_finite, check_text, count, matrix, plain, shape_text
from mhagui.document.head import Head
from mhagui.document.mask_rule import MaskKind, MaskRule
from mhagui.document.on_demand import are_kept, most_kept
from mhagui.document.patterns import MAX_POSITIONS, Pattern
from mhagui.document.records import Array, Record
from mhagui.document.token_source import TokenSource
from mhagui.document.token_text import Scheme, ShownToken, shown_tokens, texts
from mhagui.errors import UserError
from mhagui.formats import positions

MAX_HEADS = 64
MAX_HEAD_WIDTH = 256
MAX_MODEL_WIDTH = 2048
MAX_NUMBERS = 2**24  # of all matrices of a scene together: 134 MB
MAX_MADE = 2**26  # of what is made of them and grows with T and H: half a gigabyte
MAX_TITLE_LENGTH = 120
MAX_DESCRIPTION_LENGTH = 4000
MAX_TOKEN_LENGTH = 512  # of the longest pieces that tokenizers have
MAX_WORDS_LENGTH = 2**17  # of all tokens and words together, so that they can be kept as text
MAX_SHOWN_LENGTH = 20  # of a token within a sentence
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
        1 to 64 heads, in the order in which Concat stacks their outputs.
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
        What stands at each position, T texts of 1 to 512 characters; none where the
        positions have only numbers.
    token_scheme
        How the tokens, pieces of a tokenizer, stand for text: a ``Scheme`` by its name. "" where
        nobody has said: it is guessed where they are shown.
    key_tokens
        What stands at each key where the mask goes across, T_k texts like the tokens; none where
        they have only numbers.
    vocabulary
        The words that X tells apart: its first columns are one-hot of them, the content of a
        position. None where X is not made of words.
    has_position_code
        Whether the two columns of X behind the vocabulary hold the position, as a point on the
        unit circle.
    source
        Where the tokens come from whose information the heads carry.
    mask
        Which keys a query may see, in all heads. Where it goes across, to keys that are not the
        queries' positions, every head has given weights, and there are no values.
    b_o
        b_O, shape (1, d_model), added to Concat W_O; None is none. Heads of layer 2 have none.
    has_values
        Whether X, W_V and W_O are known. Where they are not, as of a file that holds weights
        alone, they are zeros, and stay so.
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
    mask: MaskRule = field(default_factory=MaskRule)
    b_o: Array | None = None
    has_values: bool = True
    token_scheme: str = ""
    key_tokens: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check that everything fits together and freeze the arrays."""
        check_text("A scene's title", self.title, MAX_TITLE_LENGTH)
        _check_description(self.description)
        set_field = partial(object.__setattr__, self)
        for name in ("heads", "tokens", "vocabulary", "key_tokens"):
            set_field(name, tuple(getattr(self, name)))
        set_field("token_scheme", str(self.token_scheme))  # a Scheme is a text, too
        for name in ("keep_margin", "has_position_code", "has_values"):
            set_field(name, bool(getattr(self, name)))
        set_field("x", matrix("X", self.x))
        set_field("w_o", matrix("W_O", self.w_o))
        if self.b_o is not None:
            set_field("b_o", matrix("b_O", self.b_o))
        set_field("d_k", count("d_k", self.d_k, MAX_HEAD_WIDTH))
        set_field("master_gain", plain(self.master_gain))
        check_finite("The master gain", self.master_gain)
        check_positions(self.n_positions)
        count("d_model", self.d_model, MAX_MODEL_WIDTH)
        count("The number of heads", self.n_heads, MAX_HEADS)
        count("d_v", self.d_v, MAX_HEAD_WIDTH)
        sizes = self.n_positions, self.n_heads, self.d_k, self.d_v, self.d_model
        check_numbers(self.n_numbers, *sizes)
        _check_across(self)
        _check_heads(self)
        _check_gains(self)
        _check_tokens(self)
        _check_projection(self.w_o, self.n_heads * self.d_v, self.d_model)
        _check_bias(self)
        _check_mask(self)
        _check_values(self)

    @property
    def n_positions(self) -> int:
        """T, the sequence length."""
        return int(self.x.shape[0])

    @property
    def n_keys(self) -> int:
        """T_k, how many keys there are: T unless the mask goes across."""
        a = self.heads[0].a
        return self.n_positions if a is None or not self.mask.across else int(a.shape[1])

    @property
    def lengths(self) -> str:
        """T, and T_k where the mask goes across, in words."""
        return f"T = {self.n_positions}" + (f", T_k = {self.n_keys}" if self.mask.across else "")

    @property
    def n_weights(self) -> int:
        """How many weights all heads have together."""
        return self.n_heads * self.n_positions * self.n_keys

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
    def n_numbers(self) -> int:
        """How many numbers its matrices hold together."""
        return sum(array.size for array in self.matrices())

    @property
    def n_fixed_features(self) -> int:
        """How many columns of X, from the first, hold the words and positions of the tokens."""
        return len(self.vocabulary) + POSITION_FEATURES * self.has_position_code

    @property
    def active(self) -> tuple[bool, ...]:
        """For each head whether it reaches W_O: not muted, and soloed if any head is."""
        any_solo = any(head.soloed for head in self.heads)
        return tuple(head.soloed if any_solo else not head.muted for head in self.heads)

    @property
    def shown_tokens(self) -> tuple[ShownToken, ...]:
        """The tokens as they are shown."""
        return shown_tokens(self.tokens, self.token_scheme)

    @property
    def key_names(self) -> tuple[str, ...]:
        """What the keys are called: t1 .. tT, or i1 .. where the mask goes across."""
        return positions(self.n_keys, self.mask.key_sign)

    @property
    def has_tokens(self) -> bool:
        """Whether it is known what stands at the positions, of queries or of keys."""
        return bool(self.tokens or self.key_tokens)

    @property
    def tokens_of_keys(self) -> tuple[str, ...]:
        """What stands at each key: the tokens, unless the mask goes across."""
        return self.key_tokens if self.mask.across else self.tokens

    @property
    def texts(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What the tokens of queries and of keys stand for; of parts of characters the bytes."""
        queries, keys = (
            texts(tokens, self.token_scheme) for tokens in (self.tokens, self.tokens_of_keys)
        )
        return queries, keys

    def matrices(self) -> Iterator[Array]:
        """Yield every matrix of the scene."""
        yield self.x
        yield self.w_o
        if self.b_o is not None:
            yield self.b_o
        for head in self.heads:
            yield from head.matrices()

    @property
    def has_queries(self) -> bool:
        """Whether queries and keys of all heads are known, and not only the weights of some."""
        return all(head.pattern is not Pattern.GIVEN for head in self.heads)

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


def is_token(text: str) -> bool:
    """Say whether ``text`` can stand at a position: 1 to 512 characters on a line, that show.

    Joiners, which do not show, may be among them: emoji and several scripts need them.
    """
    shown = text.replace("\u200c", "").replace("\u200d", "")
    return bool(shown.strip()) and shown.isprintable() and len(text) <= MAX_TOKEN_LENGTH


def check_token(token: str) -> None:
    """Raise UserError unless ``token`` can stand at a position."""
    if not is_token(token):
        raise UserError(
            f"A token needs 1 to {MAX_TOKEN_LENGTH} printable characters; got {len(token)}: "
            f"{token[:MAX_SHOWN_LENGTH]!r}."
        )


def check_positions(n_positions: int) -> int:
    """Return ``n_positions`` as an int; raises UserError unless a scene can have that many."""
    return count("The sequence length T", n_positions, MAX_POSITIONS)


def check_numbers(
    n_numbers: int, n_positions: int, n_heads: int, d_k: int, d_v: int, d_model: int
) -> None:
    """Raise UserError where matrices of ``n_numbers``, or what heads make of them, are too much."""
    made = n_heads * n_positions * (2 * d_k + 2 * d_v + d_model)  # Q, K, V, O_h and the term
    for what, number, most in (
        ("The matrices of this scene hold", n_numbers, MAX_NUMBERS),
        ("The heads of this scene make", made, MAX_MADE),
    ):
        if number > most:
            raise UserError(
                f"{what} {number:,} numbers together, and there can be {most:,}: take a shorter "
                f"sequence (T = {n_positions}), fewer heads (H = {n_heads}) or smaller widths "
                f"(d_k = {d_k}, d_v = {d_v}, d_model = {d_model})."
            )


def _check_projection(w_o: Array, n_rows: int, n_columns: int) -> None:
    """Raise UserError unless ``w_o`` is a matrix of ``n_rows`` (H·d_v) by ``n_columns``."""
    if w_o.shape != (n_rows, n_columns):
        raise UserError(
            f"W_O is {shape_text(w_o)}, but these heads need {n_rows} × {n_columns} "
            "(H·d_v rows, d_model columns)."
        )


def _check_bias(scene: Scene) -> None:
    if scene.b_o is None:
        return
    if scene.b_o.shape != (1, scene.d_model):
        raise UserError(
            f"b_O is {shape_text(scene.b_o)}, but this scene needs 1 × {scene.d_model} (d_model "
            "columns)."
        )
    if any(head.layer > 1 for head in scene.heads):
        raise UserError("A scene with a bias b_O has one layer: no head can be of layer 2.")


def _check_mask(scene: Scene) -> None:
    mask, n_positions, n_keys = scene.mask, scene.n_positions, scene.n_keys
    if mask.left + mask.right >= n_keys:
        raise UserError(
            f"{mask.left + mask.right} positions of padding leave none of "
            f"{'T_k' if mask.across else 'T'} = {n_keys}."
        )
    most = most_kept(scene.n_heads)
    needs_all = "" if mask.is_causal else "a mask that is not plainly causal"
    if any(head.is_biased for head in scene.heads):
        needs_all = needs_all or "an ALiBi slope or a sink logit"
    if needs_all and not are_kept(scene.n_weights):
        raise UserError(
            f"With {needs_all}, T is at most {most:,} for {scene.n_heads} heads; this scene has "
            f"T = {n_positions:,}."
        )
    given = [(head.name, head.a) for head in scene.heads if head.a is not None]
    if not given or mask == MaskRule(MaskKind.FULL):
        return
    forbidden = ~mask.allowed(n_positions, n_keys)
    for name, a in given:
        wrong = (a != 0) & forbidden
        if wrong.any():
            row, column = np.unravel_index(wrong.argmax(), wrong.shape)
            raise UserError(
                f"Head “{name}” has a weight of {a[row, column]:g} on key "
                f"{mask.key_sign}{column + 1} at query t{row + 1}, which its mask ({mask.text}) "
                "does not let be seen."
            )


def _check_values(scene: Scene) -> None:
    biases = [head.b_v for head in scene.heads] + [scene.b_o]
    known = [scene.x, scene.w_o, *(head.w_v for head in scene.heads)]
    known += [bias for bias in biases if bias is not None]
    if not scene.has_values and any(array.any() for array in known):
        raise UserError(
            "This scene has no values: X, W_V and W_O of its file are not known, and no numbers "
            "can stand in their place."
        )


def _check_across(scene: Scene) -> None:
    """Raise UserError where keys of another sequence are said of a scene that cannot have them."""
    if not scene.mask.across:
        if scene.key_tokens:
            raise UserError(
                "Keys have tokens of their own where they are not the queries' positions; those of "
                f"this scene are: its mask is {scene.mask.text}."
            )
        return
    is_alone = not (scene.has_values or scene.vocabulary)
    if not is_alone or any(head.a is None or head.layer > 1 for head in scene.heads):
        raise UserError(
            "Where queries and keys are not the same positions, every head has given weights, in "
            "one layer, and there are neither values nor a vocabulary."
        )
    least = scene.n_positions if scene.mask.kind is MaskKind.CAUSAL else 1  # they are among them
    count("The number of keys T_k", scene.n_keys, MAX_POSITIONS, least)
    if scene.key_tokens and len(scene.key_tokens) != scene.n_keys:
        raise UserError(
            f"There are {len(scene.key_tokens)} tokens of keys, but A has {scene.n_keys} columns; "
            "each key needs one."
        )


def _check_heads(scene: Scene) -> None:
    if len({head.uid for head in scene.heads}) != scene.n_heads:
        raise UserError("Two heads of this scene have the same identity; each needs its own.")
    n_keys = scene.n_keys if scene.mask.across else None
    for head in scene.heads:
        head.check_sizes(scene.n_positions, scene.d_model, scene.d_k, scene.d_v, n_keys)
        if scene.d_k == 1 and head.pattern in ON_CIRCLE:
            raise UserError(
                f"Head “{head.name}” ({head.pattern.value}) writes positions on a circle, "
                "which needs d_k of at least 2; this scene has d_k = 1."
            )


def _check_gains(scene: Scene) -> None:
    for head in scene.heads:
        if not math.isfinite(head.gain * scene.master_gain):
            raise UserError(
                f"The gain of head “{head.name}”, {head.gain:g}, times the master gain, "
                f"{scene.master_gain:g}, is too large for a number; make one of them smaller."
            )


def _check_tokens(scene: Scene) -> None:
    schemes = [scheme.value for scheme in Scheme]
    if scene.token_scheme not in ("", *schemes):
        raise UserError(
            f"Tokens stand for text as one of {', '.join(schemes)}; got "
            f"{str(scene.token_scheme)[:MAX_SHOWN_LENGTH]!r}."
        )
    for token in (*scene.tokens, *scene.key_tokens, *scene.vocabulary):
        check_token(token)
    length = sum(map(len, scene.tokens + scene.key_tokens + scene.vocabulary))
    if length > MAX_WORDS_LENGTH:
        raise UserError(
            f"The tokens and the vocabulary have {length:,} characters together; a scene's have "
            f"at most {MAX_WORDS_LENGTH:,}."
        )
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
        check_words(scene.tokens, scene.vocabulary, scene.d_model, has_position_code=code)


def check_words(
    tokens: tuple[str, ...], vocabulary: tuple[str, ...], d_model: int, *, has_position_code: bool
) -> None:
    """Raise UserError unless every token is in the vocabulary, and that has room in X."""
    unknown = [token for token in tokens if token not in vocabulary]
    if unknown or not tokens:
        word = f"“{unknown[0][:MAX_SHOWN_LENGTH]}”" if unknown else ""
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
