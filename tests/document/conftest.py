"""What several tests of the document share: the lessons, random scenes, random edits on them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mhagui.document import Head, Pattern, Scene, compute, load_lesson
from mhagui.document.edits import (
    AddHead,
    DuplicateHead,
    Edit,
    HandSet,
    MoveHead,
    OpenScene,
    RemoveHead,
    SetKeepMargin,
    SetKeyWidth,
    SetMask,
    SetMasterGain,
    SetPattern,
    SetProjectionBlock,
    SetSequenceLength,
    SetSetting,
    rename_head,
    set_gain,
    set_key_magnitude,
    set_muted,
    set_soloed,
)
from mhagui.document.mask_rule import MaskKind, MaskRule
from mhagui.document.patterns import parameters_of
from mhagui.document.scene import MAX_HEADS, POSITION_FEATURES
from mhagui.document.scene_input import embedded_tokens
from mhagui.document.source_edits import SetSource
from mhagui.document.token_edits import (
    DragTokens,
    MoveToken,
    RepeatToken,
    SetTokens,
    SwapTokens,
    why_tokens_stay,
)
from mhagui.document.token_source import SourceKind, TokenSource
from mhagui.document.weight_edits import (
    SetHeadBlock,
    SetInputBlock,
    to_pattern,
    why_fixed,
)
from mhagui.errors import UserError

Draw = Callable[[st.SearchStrategy], object]

CELLS = st.sampled_from([0.0, -0.0, 1.0, -0.5, 1 / 3, 7.25, -1e-9, 1e6])
GAINS = st.sampled_from([1.0, 0.0, -0.0, -2.0, 0.1, 3.0, 20.0])
PATTERNS = st.sampled_from([pattern for pattern in Pattern if pattern.is_designed])
SOURCES = st.sampled_from(
    [TokenSource(), TokenSource(SourceKind.MARKOV, 3, resolution=0.25), TokenSource(SourceKind.SUM)]
)
NAMES = st.sampled_from(["self", "h", "größer", "head “1”"])


@pytest.fixture(scope="session")
def four_heads() -> Scene:
    return load_lesson("four-heads")


@pytest.fixture(scope="session")
def two_heads() -> Scene:
    return load_lesson("two-heads")


@pytest.fixture(scope="session")
def expected() -> dict[str, Any]:
    """Every number of the lesson, worked out with 40 digits by another program."""
    path = Path(__file__).parents[1] / "data" / "expected.json"
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def scenes() -> st.SearchStrategy[Scene]:
    """Return small scenes of every kind."""
    return _scenes()


@pytest.fixture(scope="session")
def draw_edit(scenes) -> Callable[[Draw, Scene], Edit]:
    """Return a function that draws an edit that can be done on a scene, of any kind there is."""
    return lambda draw, scene: draw(st.sampled_from(_KINDS))(draw, scene)


@pytest.fixture(scope="session")
def refusal() -> Callable[..., str]:
    """Return a function that gives the one sentence with which a call is refused."""

    def refusal(call: Callable[..., object], *args: object) -> str:
        with pytest.raises(UserError) as caught:
            call(*args)
        sentence = str(caught.value)
        assert sentence.isprintable()  # so it is one line too
        assert len(sentence) < 600
        assert sentence.endswith(".")
        assert not sentence.endswith("..")
        return sentence

    return refusal


@st.composite
def _scenes(draw: Draw) -> Scene:
    n_heads, d_v = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    d_k, d_model = draw(st.integers(2, 3)), draw(st.integers(1, 4))
    n_positions = draw(st.integers(1, 6))
    sizes = {"d_model": d_model, "d_k": d_k, "n_positions": n_positions}
    mask = draw(_masks(n_positions))
    sizes["allowed"] = mask.allowed(n_positions)
    heads = tuple(_head(draw, number, (d_model, d_v), **sizes) for number in range(1, n_heads + 1))
    return Scene(
        draw(NAMES),
        "two\nlines",
        heads,
        w_o=draw(_matrices(n_heads * d_v, d_model)),
        d_k=d_k,
        master_gain=draw(GAINS),
        keep_margin=draw(st.booleans()),
        source=draw(SOURCES),
        mask=mask,
        b_o=_maybe(draw, 1, d_model) if all(head.layer == 1 for head in heads) else None,
        **draw(st.sampled_from([_numbers, _words]))(draw, n_positions, d_model),
    )


@st.composite
def _masks(draw: Draw, n_positions: int) -> MaskRule:
    """Return any mask that leaves a position of ``n_positions``; the causal one in half of all."""
    if draw(st.booleans()):
        return MaskRule()
    kind = draw(st.sampled_from(MaskKind))
    left = draw(st.integers(0, n_positions - 1))
    right = draw(st.integers(0, n_positions - 1 - left))
    return MaskRule(kind, draw(st.integers(1, 7)) if kind.has_size else 0, left, right)


def _maybe(draw: Draw, rows: int, columns: int) -> np.ndarray | None:
    return draw(_matrices(rows, columns)) if draw(st.booleans()) else None


def _numbers(draw: Draw, n_positions: int, d_model: int) -> dict[str, object]:
    """Return an input that is not made of words, named or not."""
    tokens = tuple(draw(NAMES) for _ in range(n_positions * draw(st.booleans())))
    return {"x": draw(_matrices(n_positions, d_model)), "tokens": tokens}


def _words(draw: Draw, n_positions: int, d_model: int) -> dict[str, object]:
    """Return an input that is made of words, with the position behind them or not."""
    vocabulary = draw(st.lists(NAMES, min_size=1, max_size=d_model, unique=True).map(tuple))
    tokens = tuple(draw(st.sampled_from(vocabulary)) for _ in range(n_positions))
    coded = draw(st.booleans()) and len(vocabulary) + POSITION_FEATURES <= d_model
    x = embedded_tokens(tokens, vocabulary, d_model, has_position_code=coded)
    return {"x": x, "tokens": tokens, "vocabulary": vocabulary, "has_position_code": coded}


def _head(draw: Draw, uid: int, shape: tuple[int, int], **sizes: Any) -> Head:
    pattern = draw(st.sampled_from(Pattern))
    given = {}
    if pattern is Pattern.HAND_SET:
        names, rows = ("q", "k"), sizes["n_positions"]
    else:
        names, rows = ("w_q", "w_k"), sizes["d_model"]
    if pattern is Pattern.GIVEN:
        square = _matrices(*sizes["allowed"].shape)
        given = {"a": np.abs(draw(square)) * sizes["allowed"]}
    elif not pattern.is_designed:
        given = {name: draw(_matrices(rows, sizes["d_k"])) for name in names}
    return Head(
        uid,
        draw(NAMES),
        pattern,
        draw(_matrices(*shape)),
        gain=draw(GAINS),
        key_magnitude=abs(draw(GAINS)),
        muted=draw(st.booleans()),
        soloed=draw(st.integers(0, 3)) == 0,
        layer=draw(st.integers(1, 2)),
        b_v=_maybe(draw, 1, shape[1]),
        **given,
    )


def _matrices(rows: int, columns: int) -> st.SearchStrategy[np.ndarray]:
    return arrays(np.float64, (rows, columns), elements=CELLS)


def _uid(draw: Draw, scene: Scene) -> int:
    return draw(st.sampled_from([head.uid for head in scene.heads]))


def _length(draw: Draw, scene: Scene) -> int:
    is_hand_set = any(head.q is not None or head.a is not None for head in scene.heads)
    least = scene.mask.left + scene.mask.right + 1
    return scene.n_positions if is_hand_set else draw(st.integers(least, max(least, 6)))


def _hand_set(draw: Draw, scene: Scene) -> Edit:
    q, k = (draw(_matrices(scene.n_positions, scene.d_k)) for _ in "qk")
    return HandSet(_uid(draw, scene), q, k)


def _cell(draw: Draw, scene: Scene) -> Edit:
    rows, columns = scene.w_o.shape
    row, column = draw(st.integers(0, rows - 1)), draw(st.integers(0, columns - 1))
    return SetProjectionBlock(row, column, np.array([[draw(CELLS)]]))


def _any_edit(draw: Draw, scene: Scene) -> Edit:
    return set_gain(_uid(draw, scene), draw(GAINS))


def _input_cell(draw: Draw, scene: Scene) -> Edit:
    first = scene.n_fixed_features
    if first == scene.d_model:
        return _any_edit(draw, scene)
    row = draw(st.integers(0, scene.n_positions - 1))
    column = draw(st.integers(first, scene.d_model - 1))
    return SetInputBlock(row, column, np.array([[draw(CELLS)]]))


def _head_block(draw: Draw, scene: Scene) -> Edit:
    """Draw what is written into a matrix that some heads have, across two of them where it can."""
    field = draw(st.sampled_from(["q", "k", "w_q", "w_k", "w_v"]))
    heads = tuple(head.uid for head in scene.heads if not why_fixed(head, field))
    if not heads:
        return _any_edit(draw, scene)
    width = scene.d_v if field == "w_v" else scene.d_k
    last = len(heads) * width - 1
    column = draw(st.integers(0, last))
    values = draw(_matrices(1, min(2, last - column + 1)))
    return SetHeadBlock(heads, field, 0, column, values, "Edit a matrix")


def _pattern(draw: Draw, scene: Scene) -> Edit:
    """Draw another pattern for a head, hand-set and projected among them."""
    try:
        return to_pattern(compute(scene), _uid(draw, scene), draw(st.sampled_from(Pattern)))
    except UserError:  # no W_Q or W_K makes what the head has
        return _any_edit(draw, scene)


def _mask(draw: Draw, scene: Scene) -> Edit:
    """Draw another mask, of those that hide no weight that is given."""
    edit = SetMask(draw(_masks(scene.n_positions)))
    allowed = edit.rule.allowed(scene.n_positions)
    is_possible = all(head.a is None or not head.a[~allowed].any() for head in scene.heads)
    return edit if is_possible else _any_edit(draw, scene)


def _setting(draw: Draw, scene: Scene) -> Edit:
    heads = [head for head in scene.heads if head.settings]
    if not heads:
        return _any_edit(draw, scene)
    head = draw(st.sampled_from(heads))
    place = draw(st.integers(0, len(head.settings) - 1))
    least = parameters_of(head.pattern)[place].least
    return SetSetting(head.uid, place, least + draw(st.integers(0, 4)))


def _moved_tokens(draw: Draw, scene: Scene) -> Edit:
    if not scene.tokens or why_tokens_stay(scene):
        return _any_edit(draw, scene)
    kind = draw(st.sampled_from([SwapTokens, MoveToken, RepeatToken]))
    one, other = (draw(st.integers(0, scene.n_positions - 1)) for _ in range(2))
    edit = kind(one, other)
    return DragTokens(scene, edit) if draw(st.booleans()) else edit


def _tokens(draw: Draw, scene: Scene) -> Edit:
    if why_tokens_stay(scene):
        return _any_edit(draw, scene)
    count = _length(draw, scene) if scene.vocabulary else scene.n_positions
    new = ["new"] if len(scene.vocabulary) != 1 else []  # one more word than there is room for
    words = st.sampled_from([*scene.vocabulary[:-1], *new] or list(scene.vocabulary))
    return SetTokens(tuple(draw(words) for _ in range(count)))


def _removal(draw: Draw, scene: Scene) -> Edit:
    return RemoveHead(_uid(draw, scene)) if scene.n_heads > 1 else AddHead(draw(PATTERNS))


def _addition(draw: Draw, scene: Scene) -> Edit:
    return AddHead(draw(PATTERNS)) if scene.n_heads < MAX_HEADS else _removal(draw, scene)


_KINDS: list[Callable[[Draw, Scene], Edit]] = [
    lambda draw, scene: set_gain(_uid(draw, scene), draw(GAINS)),
    lambda draw, scene: set_key_magnitude(_uid(draw, scene), abs(draw(GAINS))),
    lambda draw, scene: SetMasterGain(draw(GAINS)),
    lambda draw, scene: rename_head(_uid(draw, scene), draw(NAMES)),
    lambda draw, scene: set_muted(_uid(draw, scene), draw(st.booleans())),
    lambda draw, scene: set_soloed(_uid(draw, scene), draw(st.booleans())),
    lambda draw, scene: SetPattern(_uid(draw, scene), draw(PATTERNS)),
    _pattern,
    _setting,
    lambda draw, scene: SetSequenceLength(_length(draw, scene)),
    lambda draw, scene: SetKeepMargin(draw(st.booleans())),
    lambda draw, scene: SetKeyWidth(scene.d_k + draw(st.integers(0, 2))),
    _mask,
    _hand_set,
    _addition,
    lambda draw, scene: DuplicateHead(_uid(draw, scene)),
    _removal,
    lambda draw, scene: MoveHead(_uid(draw, scene), draw(st.integers(0, scene.n_heads - 1))),
    _cell,
    _input_cell,
    _head_block,
    _moved_tokens,
    _tokens,
    lambda draw, scene: SetSource(draw(SOURCES)),
    lambda draw, scene: SetProjectionBlock(0, 0, draw(_matrices(*scene.w_o.shape))),
    lambda draw, scene: OpenScene(draw(_scenes())),
]
