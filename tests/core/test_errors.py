"""Each refusal: one sentence that names the argument, what came and what was wanted."""

import math

import numpy as np
import pytest

from mhagui import core

ONES = np.ones((3, 2))
SQUARE = np.full((3, 3), 0.25)
STACK = np.full((2, 3, 3), 0.25)
OUTPUTS = np.ones((2, 3, 2))
W_O = np.ones((4, 5))
NAN = np.array([[1.0, math.nan]])
INF = np.array([[1.0], [math.inf]])

CASES = [
    # counts
    (lambda: core.causal_mask(0), "n_queries must be an integer of at least 1, got 0."),
    (lambda: core.causal_mask(2, -1), "n_keys must be an integer of at least 1, got -1."),
    (lambda: core.causal_mask(2.0), "n_queries must be an integer of at least 1, got 2.0."),
    (lambda: core.causal_mask("2"), "n_queries must be an integer of at least 1, got '2'."),
    (
        lambda: core.causal_mask(3, 2**40),
        "n_keys must be at most 2147483647, got 1099511627776.",
    ),
    (
        lambda: core.causal_mask(10**5000),
        "n_queries must be at most 2147483647, got a number of thousands of digits.",
    ),
    (
        lambda: core.first_token_head(2, 2**40),
        "d_k must be at most 2147483647, got 1099511627776.",
    ),
    (
        lambda: core.synthesis_norms(np.ones((0, 3)), 2**40),
        "n_heads must be at most 2147483647, got 1099511627776.",
    ),
    (
        lambda: core.causal_mask(np.zeros((50, 50))),
        "n_queries must be an integer of at least 1, "
        "got an array of shape (50, 50) and dtype float64.",
    ),
    (
        lambda: core.causal_mask("x" * 100),
        f"n_queries must be an integer of at least 1, got '{'x' * 12}...{'x' * 13}'.",
    ),
    # scores
    (
        lambda: core.attention_scores(np.ones(2), ONES),
        "q must have shape (..., T_q, d_k), got shape (2,).",
    ),
    (
        lambda: core.attention_scores(ONES, 1.0),
        "k must have shape (..., T_k, d_k), got shape ().",
    ),
    (
        lambda: core.attention_scores(ONES, np.ones((3, 4))),
        "k must have shape (..., T_k, 2) to match q, got shape (3, 4).",
    ),
    (
        lambda: core.attention_scores(np.ones((3, 0)), np.ones((3, 0))),
        "q must have shape (..., T_q, d_k) with d_k at least 1, got shape (3, 0).",
    ),
    (
        lambda: core.attention_scores(np.ones((2, 3, 2)), np.ones((4, 3, 2))),
        "q and k must have leading axes that broadcast, got (2,) and (4,).",
    ),
    (
        lambda: core.attention_weights(NAN, NAN),
        "q must be finite, got nan at index (0, 1).",
    ),
    (
        lambda: core.attention_weights(np.ones((1, 1)), -INF),
        "k must be finite, got -inf at index (1, 0).",
    ),
    (
        lambda: core.attention_scores(ONES, ONES, scale=math.nan),
        "scale must be a finite number, got nan.",
    ),
    (
        lambda: core.attention_scores(ONES, ONES, scale="1"),
        "scale must be a finite number, got '1'.",
    ),
    (
        lambda: core.attention_scores(ONES * 1e200, ONES * 1e200),
        "q and k must be smaller: a score overflows float64.",
    ),
    (
        lambda: core.attention_weights(np.float32(ONES * 1e20), np.float32(ONES * -1e20)),
        "q and k must be smaller: a score overflows float32.",
    ),
    (
        lambda: core.attention_scores(ONES * 1j, ONES),
        "q must hold real numbers, got dtype complex128.",
    ),
    (
        lambda: core.attention_scores(ONES, ONES.astype(object)),
        "k must hold real numbers, got dtype object.",
    ),
    (
        lambda: core.attention_scores([["a", "b"]], ONES),
        "q must hold real numbers, got dtype <U1.",
    ),
    # weights
    (
        lambda: core.weights_from_scores(NAN, mask=None),
        "scores must be finite, got nan at index (0, 1).",
    ),
    (
        lambda: core.weights_from_scores(-INF, mask=None),
        "scores must be finite, got -inf at index (1, 0).",
    ),
    (
        lambda: core.weights_from_scores(INF, gain=-1, mask=np.array([[False], [True]])),
        "scores must be finite, got inf at index (1, 0).",
    ),
    (
        lambda: core.weights_from_scores([1.0, 2.0]),
        "scores must have shape (..., T_q, T_k), got shape (2,).",
    ),
    (
        lambda: core.weights_from_scores(SQUARE, gain=math.inf),
        "gain must be a finite number, got inf.",
    ),
    (
        lambda: core.weights_from_scores(SQUARE, gain=10**400),
        f"gain must be a finite number, got 1{'0' * 17}...{'0' * 19}.",
    ),
    (
        lambda: core.weights_from_scores(STACK, gain=[1.0, math.nan]),
        "gain must be finite, got nan at index (1,).",
    ),
    (
        lambda: core.weights_from_scores(STACK, gain=[1.0, 2.0, 3.0]),
        "gain must have shape that broadcasts to the leading axes (2,), got shape (3,).",
    ),
    (
        lambda: core.weights_from_scores(SQUARE, gain=[1.0, 2.0]),
        "gain must have shape that broadcasts to the leading axes (), got shape (2,).",
    ),
    (
        lambda: core.weights_from_scores(SQUARE, gain=1j),
        "gain must hold real numbers, got dtype complex128.",
    ),
    (
        lambda: core.weights_from_scores(SQUARE, gain="1"),
        "gain must hold real numbers, got dtype <U1.",
    ),
    (
        lambda: core.weights_from_scores(SQUARE, mask="diagonal"),
        "mask must be \"causal\", None or a boolean array, got 'diagonal'.",
    ),
    (
        lambda: core.weights_from_scores(SQUARE, mask=np.zeros((3, 3))),
        "mask must be boolean (True = allowed), got dtype float64.",
    ),
    (
        lambda: core.weights_from_scores(SQUARE, mask=np.ones((2, 3, 3), bool)),
        "mask must have shape that broadcasts to the scores' (3, 3), got shape (2, 3, 3).",
    ),
    # entropy
    (
        lambda: core.row_entropy_bits([0.5, 0.5]),
        "a must have shape (..., T_q, T_k), got shape (2,).",
    ),
    (lambda: core.row_entropy_bits(NAN), "a must hold weights within 0..1, got NaN."),
    (lambda: core.row_entropy_bits(INF), "a must hold weights within 0..1, got inf."),
    (lambda: core.row_entropy_bits([[1.5, -0.5]]), "a must hold weights within 0..1, got -0.5."),
    (lambda: core.effective_positions([[3, 1]]), "a must hold weights within 0..1, got 3.0."),
    # ranks
    (lambda: core.score_rank(NAN, NAN), "q must be finite, got nan at index (0, 1)."),
    (
        lambda: core.score_singular_values(ONES, np.ones((3, 1))),
        "k must have shape (..., T_k, 2) to match q, got shape (3, 1).",
    ),
    (
        lambda: core.score_singular_values(ONES * 1e200, ONES * 1e200),
        "q and k must be smaller: a singular value overflows float64.",
    ),
    (
        lambda: core.singular_values(np.full((4, 4), 1.7e308)),
        "m must be smaller: a singular value overflows float64.",
    ),
    (
        lambda: core.singular_values(np.full((4, 4), 3e38, np.float32)),
        "m must be smaller: a singular value overflows float32.",
    ),
    (lambda: core.singular_values([1.0]), "m must have shape (..., M, N), got shape (1,)."),
    (lambda: core.effective_rank(INF), "m must be finite, got inf at index (1, 0)."),
    # filter bank
    (
        lambda: core.head_contributions(OUTPUTS * 1e200, W_O * 1e200),
        "o and w_o must be smaller: their product overflows float64.",
    ),
    (
        lambda: core.filter_bank_terms(
            STACK, np.full((3, 4), 1e200), np.full((2, 4, 2), 1e200), W_O
        ),
        "a, x, w_v and w_o must be smaller: their product overflows float64.",
    ),
    (
        lambda: core.filter_bank_bound(np.full((3, 4), 1e200), np.full((2, 4, 2), 1e200), W_O),
        "x, w_v and w_o must be smaller: the product of their magnitudes overflows float64.",
    ),
    (
        lambda: core.filter_bank_residual(OUTPUTS, W_O, np.full((2, 3, 5), 1.7e308)),
        "o, w_o and terms must be smaller: their difference overflows float64.",
    ),
    (
        lambda: core.synthesis_norms(np.full((4, 1), 1.7e308), 1),
        "w_o must be smaller: a norm overflows float64.",
    ),
    (
        lambda: core.concat_heads(ONES),
        "o must have shape (..., H, T, d_v), got shape (3, 2).",
    ),
    (
        lambda: core.head_contributions(OUTPUTS, np.ones((5, 5))),
        "w_o must have shape (..., 4, d_model): 2 heads times d_v = 2, got shape (5, 5).",
    ),
    (
        lambda: core.filter_bank_residual(OUTPUTS, np.ones(4)),
        "w_o must have shape (..., H·d_v, d_model), got shape (4,).",
    ),
    (
        lambda: core.head_contributions(np.ones((3, 2, 3, 2)), np.ones((2, 4, 5))),
        "o and w_o must have leading axes that broadcast, got (3,) and (2,).",
    ),
    (
        lambda: core.filter_bank_residual(OUTPUTS, W_O, np.ones((2, 3, 4))),
        "terms must have shape (2, 3, 5) to match o and w_o, got shape (2, 3, 4).",
    ),
    (
        lambda: core.filter_bank_residual(OUTPUTS, W_O, np.full((2, 3, 5), math.nan)),
        "terms must be finite, got nan at index (0, 0, 0).",
    ),
    (
        lambda: core.filter_bank_terms(STACK, np.ones((3, 4)), np.ones((3, 4, 2)), W_O),
        "w_v must have shape (..., 2, d_model, d_v) to match a, got shape (3, 4, 2).",
    ),
    (
        lambda: core.filter_bank_terms(STACK, np.ones((2, 4)), np.ones((2, 4, 2)), W_O),
        "x must have shape (..., 3, 4) to match a and w_v, got shape (2, 4).",
    ),
    (
        lambda: core.filter_bank_terms(STACK, np.ones((3, 4)), np.ones((2, 4, 2)), np.ones((3, 4))),
        "w_o must have shape (..., 4, d_model): 2 heads times d_v = 2, got shape (3, 4).",
    ),
    (
        lambda: core.filter_bank_terms(
            np.ones((2, 2, 3, 3)), np.ones((3, 3, 4)), np.ones((2, 4, 2)), W_O
        ),
        "a, x, w_v and w_o must have leading axes that broadcast, got (2,) and (3,) and () and ().",
    ),
    (
        lambda: core.synthesis_norms(W_O, 3),
        "n_heads must divide the 4 rows of w_o, got 3.",
    ),
    (
        lambda: core.synthesis_norms(W_O, 0),
        "n_heads must be an integer of at least 1, got 0.",
    ),
    # costs
    (
        lambda: core.parameter_count(10, 4),
        "d_model must be divisible by n_heads when d_k is not given, got d_model 10 and n_heads 4.",
    ),
    (
        lambda: core.parameter_count(10, 4, 2),
        "d_model must be divisible by n_heads when d_v is not given, got d_model 10 and n_heads 4.",
    ),
    (
        lambda: core.parameter_count(12, 6, n_kv_heads=7),
        "n_kv_heads must be at most n_heads, 6, got 7.",
    ),
    (
        lambda: core.parameter_count(12, 6, d_k=0),
        "d_k must be an integer of at least 1, got 0.",
    ),
    (
        lambda: core.score_flops(6, 4, 2.5),
        "d_k must be an integer of at least 1, got 2.5.",
    ),
    # designed heads
    (
        lambda: core.self_head(6, 1),
        "d_k must be at least 2, got 1: a position on a circle needs a cosine and a sine.",
    ),
    (
        lambda: core.previous_token_head(6, 1),
        "d_k must be at least 2, got 1: a position on a circle needs a cosine and a sine.",
    ),
    (
        lambda: core.first_token_head(0),
        "n_positions must be an integer of at least 1, got 0.",
    ),
    (
        lambda: core.uniform_head(6, key_magnitude=math.inf),
        "key_magnitude must be a finite number, got inf.",
    ),
    (
        lambda: core.self_head(6, query_magnitude=1j),
        "query_magnitude must be a finite number, got 1j.",
    ),
    # display
    (
        lambda: core.pool_maximum([1.0], 1, 1),
        "a must have shape (..., M, N), got shape (1,).",
    ),
    (
        lambda: core.pool_largest_magnitude(SQUARE, 0, 1),
        "n_rows must be an integer of at least 1, got 0.",
    ),
    (
        lambda: core.pool_maximum(SQUARE, 1, 0),
        "n_columns must be an integer of at least 1, got 0.",
    ),
    (
        lambda: core.pool_maximum(SQUARE, 1, 1, seen=[1, 2]),
        "seen must have shape (3,) or (2, 3), got shape (2,).",
    ),
    (
        lambda: core.pool_extremes(SQUARE, 1, 1, seen=[0, 1, 4]),
        "seen must hold whole numbers from 0 to 3.",
    ),
    (
        lambda: core.pool_extremes(SQUARE, 1, 1, row_factors=[1.0]),
        "row_factors must have shape (3,), got shape (1,).",
    ),
    (
        lambda: core.quantise(SQUARE, 2, 1),
        "low must not exceed high, got low 2.0 and high 1.0.",
    ),
    (
        lambda: core.quantise(SQUARE, 0, 1, logarithmic=True),
        "low must be above 0 on a logarithmic scale, got 0.0.",
    ),
    (
        lambda: core.quantise(SQUARE, math.nan, 1),
        "low must be a finite number, got nan.",
    ),
    (
        lambda: core.quantise(SQUARE, 0, [1, 2]),
        "high must be a finite number, got [1, 2].",
    ),
    (lambda: core.quantise(["x"], 0, 1), "a must hold real numbers, got dtype <U1."),
]


@pytest.mark.parametrize(("call", "sentence"), CASES, ids=[case[1][:40] for case in CASES])
def test_refusals(call, sentence):
    with pytest.raises(ValueError, match=r"\S") as caught:
        call()
    assert str(caught.value) == sentence


RAGGED = [[1, 2], [3]]


class Elsewhere:
    """An array that does not let itself be copied."""

    def __array__(self, *_args, **_options):
        raise TypeError("a message of somebody else")

    def __repr__(self):
        return "Elsewhere()"


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: core.attention_scores(ONES, RAGGED),
            "k must be a regular array, got rows of unequal length or depth.",
        ),
        (
            lambda: core.singular_values([[1, 2], 3]),
            "m must be a regular array, got rows of unequal length or depth.",
        ),
        (
            lambda: core.concat_heads((np.ones((2, 3)), np.ones((2, 2)))),
            "o must be a regular array, got rows of unequal length or depth.",
        ),
        (
            lambda: core.weights_from_scores(SQUARE, mask=[[True], [True, False]]),
            "mask must be a regular array, got rows of unequal length or depth.",
        ),
        (
            lambda: core.attention_scores(ONES, ONES, scale=RAGGED),
            "scale must be a finite number, got [[1, 2], [3]].",
        ),
        (
            lambda: core.concat_heads(Elsewhere()),
            "o must be a regular array, got Elsewhere().",
        ),
    ],
)
def test_what_is_no_regular_array_is_refused_by_name(call, sentence):
    with pytest.raises(ValueError, match=r"\S") as caught:
        call()
    assert str(caught.value) == sentence
