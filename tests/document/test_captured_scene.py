"""A captured layer as a scene: the same weights and output, or a sentence that says why not."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mhagui.document import Pattern, compute
from mhagui.document.capture import Capture, CapturedLayer
from mhagui.document.captured_scene import heads_with_room, scene_of, why_left_out
from mhagui.document.filter_bank import in_bounds
from mhagui.document.mask_rule import MaskKind, MaskRule
from mhagui.errors import UserError

T, H, WIDTH, D_MODEL = 6, 6, 4, 20


def numbers(*shape, seed=0):
    return np.random.default_rng((seed, *shape)).standard_normal(shape).astype(np.float32)


def model_layer(n_key_heads=2, number=3, d_model=D_MODEL, **changes):
    """A layer of six heads over some key heads, with all that a model knows of it."""
    known = {
        "q": numbers(H, T, WIDTH),
        "k": numbers(n_key_heads, T, WIDTH, seed=1),
        "v": numbers(n_key_heads, T, WIDTH, seed=2),
        "allowed": np.tri(T, dtype=bool),
        "x": numbers(T, d_model, seed=3),
        "w_v": numbers(n_key_heads, d_model, WIDTH, seed=4),
        "b_v": numbers(n_key_heads, WIDTH, seed=5),
        "w_o": numbers(H * WIDTH, d_model, seed=6),
        "b_o": numbers(d_model, seed=7),
    }
    return CapturedLayer(number, **(known | changes))


def weights_alone(given=None, **changes):
    """A layer of a file that has nothing but weights."""
    if given is None:
        given = np.tril(np.random.default_rng(5).random((3, T, T))).astype(np.float32)
        given /= given.sum(axis=2, keepdims=True)
    return CapturedLayer(
        0, given=given, **({"allowed": np.tri(given.shape[1], dtype=bool)} | changes)
    )


def of(layer, *heads, **about):
    return scene_of(Capture("made up", (layer,), **about), layer.number, heads or None)


def refused(layer, *heads):
    with pytest.raises(UserError) as caught:
        of(layer, *heads)
    sentence = str(caught.value)
    assert sentence.startswith(f"Layer {layer.number}")
    assert sentence.endswith(".")
    assert sentence.isprintable()
    return sentence


def plain_output(layer, weights):
    """O of a layer, a head after the other."""
    group = len(weights) // len(layer.w_v)
    output = np.zeros((T, layer.w_o.shape[1]))
    for head, a in enumerate(weights):
        values = layer.x @ layer.w_v[head // group].astype(float)
        values = values if layer.b_v is None else values + layer.b_v[head // group]
        output += a @ values @ layer.w_o[head * WIDTH : (head + 1) * WIDTH].astype(float)
    return output if layer.b_o is None else output + layer.b_o


def plain_weights(layer, allowed):
    """The weights of queries and keys, in float64."""
    scale = WIDTH**-0.5 if layer.scale is None else layer.scale
    group = H // len(layer.k)
    found = []
    for head, q in enumerate(layer.q.astype(float)):
        scores = np.where(allowed, q @ layer.k[head // group].astype(float).T * scale, -np.inf)
        e = np.exp(scores - scores.max(axis=1, keepdims=True))
        found.append(e / e.sum(axis=1, keepdims=True))
    return np.stack(found)


@pytest.mark.parametrize("n_key_heads", [1, 2, 3, 6])
@pytest.mark.parametrize("biases", [{}, {"b_v": None}, {"b_o": None}, {"b_v": None, "b_o": None}])
@pytest.mark.parametrize("d_model", [D_MODEL, 300])
def test_a_layer_has_the_weights_and_the_output_of_the_model(n_key_heads, biases, d_model):
    layer = model_layer(n_key_heads, d_model=d_model, **biases)
    scene = of(layer)
    result = compute(scene)
    weights = plain_weights(layer, layer.allowed)
    assert_allclose(np.stack([head.weights for head in result.heads]), weights, atol=1e-12)
    assert_allclose(np.stack([head.weights for head in result.heads]), layer.weights, atol=1e-6)
    assert_allclose(result.output, plain_output(layer, weights), atol=1e-9)
    assert in_bounds(result) <= 1
    assert [head.name for head in scene.heads] == [f"L3 H{place}" for place in range(H)]
    assert {head.pattern for head in scene.heads} == {Pattern.HAND_SET}
    assert (scene.title, scene.mask) == ("made up, layer 3", MaskRule())


def test_heads_of_a_key_head_share_what_it_has():
    scene = of(model_layer(2))
    assert [head.key_head for head in scene.heads] == [0, 0, 0, 1, 1, 1]
    for field in ("k", "w_v", "b_v"):
        assert getattr(scene.heads[0], field) is getattr(scene.heads[2], field)
        assert getattr(scene.heads[2], field) is not getattr(scene.heads[3], field)
    assert {head.key_head for head in of(model_layer(6)).heads} == {None}
    assert "share the keys and values of 2 key heads" in scene.description


def test_another_scale_is_in_the_queries():
    layer = model_layer(scale=0.125)
    scene = of(layer)
    result = compute(scene)
    weights = np.stack([head.weights for head in result.heads])
    assert_allclose(weights, plain_weights(layer, layer.allowed), atol=1e-12)
    assert "The scale 0.125 is in the queries, beside 0.5." in scene.description
    usual = of(model_layer(scale=np.float32(0.5)))
    assert_array_equal(usual.heads[0].q, model_layer().q[0])


@pytest.mark.parametrize(
    "rule",
    [
        MaskRule(MaskKind.FULL),
        MaskRule(MaskKind.SLIDING, 3),
        MaskRule(MaskKind.PREFIX, 2),
        MaskRule(left=2),
        MaskRule(MaskKind.FULL, right=1),
    ],
)
def test_masks_of_models(rule):
    scene = of(model_layer(allowed=rule.allowed(T)))
    assert scene.mask == rule
    assert of(model_layer(allowed=None)).mask == MaskRule(MaskKind.FULL)


def test_some_heads_alone():
    layer = model_layer(2)
    scene = of(layer, 4, 1)
    assert [(head.uid, head.name, head.key_head) for head in scene.heads] == [
        (5, "L3 H4", 1),
        (2, "L3 H1", 0),
    ]
    result = compute(scene)
    weights = plain_weights(layer, layer.allowed)
    only = np.where(np.isin(np.arange(H), [1, 4])[:, None, None], weights, 0.0)
    assert_allclose(result.output, plain_output(layer, only), atol=1e-9)
    assert "Heads 4, 1 of the 6" in scene.description
    assert "O is the sum over these heads alone." in scene.description


def test_weights_alone_are_to_the_bit_and_have_no_values():
    layer = weights_alone()
    scene = of(layer)
    assert not scene.has_values
    assert not scene.has_queries
    for head, given in zip(compute(scene).heads, layer.given, strict=True):
        assert_array_equal(head.weights, given.astype(float))
    assert "X, W_V and W_O of the layer are not known" in scene.description


def test_given_weights_count_beside_queries_and_have_values_where_they_are_known():
    causal = weights_alone().given
    layer = model_layer(given=np.concatenate((causal, causal)), allowed=np.tri(T, dtype=bool))
    scene = of(layer)
    assert {head.pattern for head in scene.heads} == {Pattern.GIVEN}
    assert scene.has_values
    assert_allclose(compute(scene).output, plain_output(layer, layer.given), atol=1e-9)


@pytest.mark.parametrize("missing", ["x", "w_v", "w_o"])
def test_queries_and_keys_without_all_of_the_values(missing):
    scene = of(model_layer(**{missing: None}))
    assert not scene.has_values
    assert scene.has_queries
    name = {"x": "X", "w_v": "W_V", "w_o": "W_O"}[missing]
    assert f"{name} of the layer is not known" in scene.description
    assert not compute(scene).output.any()


def test_tokens_stand_at_the_positions_as_they_show():
    tokens = (" the", "\n", "", "שלום", "\N{MAN}\N{ZERO WIDTH JOINER}\N{GIRL}", "x" * 600)
    scene = of(model_layer(), query_tokens=tokens)
    assert (scene.tokens[0], scene.tokens[3], scene.tokens[4]) == (tokens[0], tokens[3], tokens[4])
    assert scene.tokens[1:3] == ("⏎", "∅")
    assert "…" in scene.tokens[5]
    assert len(scene.tokens[5]) <= 512
    assert of(model_layer(), query_tokens=("too", "few")).tokens == ()


def test_pieces_stand_for_text_as_their_tokenizer_has_it():
    pieces = ("The", "ĠcafÃ©", "ĠðŁ", "ĺ", "Ģ", "Ċ")
    about = {"query_tokens": ("a",) * 6, "pieces": pieces, "token_scheme": "byte-level"}
    scene = of(model_layer(), **about)
    assert (scene.tokens, scene.token_scheme) == (pieces, "byte-level")
    assert [token.text for token in scene.shown_tokens[:2]] == ["The", " café"]
    split = scene.shown_tokens[2:5]
    assert {(token.group, token.together.strip()) for token in split} == {(range(2, 5), "😀")}
    assert split[1].label == "…98…"
    assert scene.shown_tokens[5].label == "⏎"
    decoded = of(
        model_layer(), query_tokens=("a",) * 6, pieces=pieces[:5], token_scheme="byte-level"
    )
    assert (decoded.tokens, decoded.token_scheme) == (("a",) * 6, "")


def test_words_of_the_capture_are_kept_in_the_description():
    scene = of(model_layer(), notes=("Rows sum to 1 within 3e-7.", "A note\nof two lines."))
    assert scene.description.endswith("Rows sum to 1 within 3e-7.\nA note\nof two lines.")
    long = replace(Capture("t" * 300, (model_layer(),)), notes=("n" * 5000,))
    assert (len(scene_of(long, 3).title), len(scene_of(long, 3).description)) == (120, 4000)


# ------------------------------------------------------------------------------- what cannot be


def test_a_layer_or_a_head_that_is_not_there():
    capture = Capture("x", (model_layer(number=3), model_layer(number=7)))
    with pytest.raises(UserError, match=r"^There is no layer 0; the layers are 3, 7\.$"):
        scene_of(capture, 0)
    assert refused(model_layer(), 6) == "Layer 3 has heads 0 to 5; there is no head 6."
    assert "each once, can be on the bench; got 2." in refused(model_layer(), 1, 1)


def test_more_heads_than_the_bench_holds_can_be_chosen_from():
    layer = weights_alone(np.tril(np.ones((65, 2, 2))))
    assert "has 65 heads, and the bench holds 64 at most; all of them" in refused(layer)
    assert of(layer, *range(1, 65)).n_heads == 64


def test_heads_come_in_runs_where_the_bench_has_no_room_for_all():
    long = np.broadcast_to(np.tri(2048, dtype=np.float32), (32, 2048, 2048))
    capture = Capture("x", (weights_alone(long),))
    assert heads_with_room(capture, 0) == (0, 1, 2)
    assert heads_with_room(capture, 0, 5) == (3, 4, 5)
    assert heads_with_room(capture, 0, 31) == (30, 31)
    many = Capture("x", (weights_alone(np.tril(np.ones((65, 2, 2)))),))
    assert (len(heads_with_room(many, 0)), heads_with_room(many, 0, 64)) == (64, (64,))
    assert heads_with_room(Capture("x", (model_layer(),)), 3) == tuple(range(H))


def test_layers_under_a_mask_that_is_not_causal_have_room_for_what_is_kept():
    q = np.zeros((32, 4096, 8), dtype=np.float32)
    layer = CapturedLayer(0, q=q, k=q, allowed=np.tri(4096, dtype=bool))
    assert len(heads_with_room(Capture("x", (layer,)), 0)) == 32
    full = Capture("x", (replace(layer, allowed=None),))
    assert heads_with_room(full, 0) == (0, 1, 2, 3)
    assert scene_of(full, 0, (0, 1, 2, 3)).n_heads == 4


@pytest.mark.parametrize(
    ("layer", "sentence"),
    [
        (
            weights_alone(np.ones((2, 5, 7)), allowed=np.eye(5, 7, dtype=bool)),
            "Layer 0 lets 5 of 35 cells be seen by a mask that the bench does not know; it knows c",
        ),
        (
            weights_alone(np.ones((1, 2, 5000)), allowed=None),
            "Layer 0 cannot be on the bench. The number of keys T_k must be a whole number fr",
        ),
        (
            model_layer(bias=numbers(H, T, T)),
            "Layer 3 adds to the scores of head 0 what is no ALiBi bias, −slope · |t − i| with a ",
        ),
        (
            model_layer(sinks=np.full(H, np.nan)),
            "Layer 3 cannot be on the bench. The sink logit of head “L3 H0” must be a number from",
        ),
        (
            model_layer(allowed=np.eye(T, dtype=bool)[::-1]),
            "Layer 3 lets 6 of 36 cells be seen by a mask that the bench does not know; it know",
        ),
        (
            model_layer(w_o=numbers(23, D_MODEL)),
            "Layer 3 has a W_O of 23 rows; its 6 heads of width 4 need 24.",
        ),
        (
            model_layer(4),
            "Layer 3: n_heads must be a multiple of n_key_heads, got 6 query heads over 4 key",
        ),
        (
            model_layer(given=np.ones((H, T, T)) / T, w_v=numbers(3, D_MODEL, WIDTH), b_v=None),
            "Layer 3 has 2 key heads and 3 value heads; there have to be as many.",
        ),
        (
            model_layer(w_v=numbers(3, D_MODEL, WIDTH), b_v=None),
            "Layer 3 has 2 key heads and 3 value heads; there have to be as many.",
        ),
        (
            model_layer(q=numbers(H, T, WIDTH) * np.nan),
            "Layer 3 cannot be on the bench. Q of head “L3 H0” must hold numbers from -1e+30 to",
        ),
        (
            weights_alone(np.full((2, 3, 3), 0.5)),
            "Layer 0 cannot be on the bench. Head “L0 H0” has a weight of 0.5 on key t2 at query",
        ),
        (
            weights_alone(np.ones((64, 1100, 1100), dtype=np.float32), allowed=None),
            "Layer 0 cannot be on the bench. The matrices of this scene hold 77,441,228 numbers",
        ),
        (
            weights_alone(np.zeros((1, 5000, 5000), dtype=np.float32), allowed=None),
            "Layer 0 cannot be on the bench. The sequence length T must be a whole number fr",
        ),
    ],
)
def test_what_cannot_be_on_the_bench_is_said_with_its_numbers(layer, sentence):
    assert refused(layer).startswith(sentence)


def test_weights_that_are_no_numbers_are_counted():
    given = weights_alone().given.copy()
    given[1, 4, 2:4] = np.nan
    given[1, 5, 0] = np.inf
    assert refused(weights_alone(given)) == (
        "Layer 0, head 1: 3 of 36 weights are not numbers, the first on key t3 at query t5."
    )
    assert of(weights_alone(given), 0, 2).n_heads == 2


def test_too_much_is_refused_before_it_is_copied():
    many = np.broadcast_to(np.float32(0), (64, 4000, 4000))  # 4 GB, if anybody copied it
    assert "numbers together" in refused(weights_alone(many, allowed=None))


# ------------------------------------------------------------- heads whose weights are no numbers


def unsound(n_heads, *wrong):
    """A capture of a layer with a NaN in each of some heads."""
    given = np.tile(np.eye(T), (n_heads, 1, 1))
    given[list(wrong), 2, 1] = np.nan
    return Capture("made up", (weights_alone(given),))


def test_heads_that_are_no_numbers_are_left_out_and_it_is_said_why():
    capture = unsound(4, 0, 2)
    heads = heads_with_room(capture, 0)
    assert heads == (1, 3) == heads_with_room(capture, 0, 3)
    assert [head.name for head in scene_of(capture, 0, heads).heads] == ["L0 H1", "L0 H3"]
    assert why_left_out(capture, 0, heads) == (
        "2 of the 4 heads of layer 0 are not on the bench, for they have weights that are not "
        "numbers: H0, H2."
    )
    assert why_left_out(unsound(4, 2), 0, (0, 1, 3)) == (
        "Layer 0, head 2: 1 of 36 weights are not numbers, the first on key t2 at query t3. It is "
        "not on the bench."
    )
    assert why_left_out(unsound(4), 0, heads_with_room(unsound(4), 0)) == ""


def test_a_head_that_is_wanted_and_is_no_numbers_comes_alone_so_that_it_is_refused():
    capture = unsound(4, 2)
    assert heads_with_room(capture, 0, 2) == (2,)
    with pytest.raises(UserError, match="Layer 0, head 2: 1 of 36 weights are not numbers"):
        scene_of(capture, 0, (2,))


def test_where_the_first_heads_are_no_numbers_others_come_and_of_none_the_first():
    assert heads_with_room(unsound(70, *range(64)), 0) == tuple(range(64, 70))
    assert heads_with_room(unsound(70, *range(70)), 0) == (0,)
    left_out = why_left_out(unsound(70, *range(60)), 0, tuple(range(60, 64)))
    assert left_out.endswith("H0, H1, H2, H3, H4, H5, H6, H7 and 52 more.")


def test_what_is_no_number_in_padding_leaves_nothing_out():
    given = np.tile(np.eye(T), (2, 1, 1))
    given[0, 0] = np.nan
    allowed = np.tri(T, dtype=bool)
    allowed[0] = allowed[:, 0] = False
    capture = Capture("padded", (weights_alone(given, allowed=allowed),))
    assert heads_with_room(capture, 0) == (0, 1)
