"""The numbers of the lesson, to 12 digits, and those of its learners' table."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mhagui import core

TO_12_DIGITS = {"rtol": 1e-12, "atol": 1e-15}


@pytest.fixture(scope="session")
def four_weights(lesson_heads):
    q, k = (np.stack(matrices) for matrices in zip(*lesson_heads, strict=True))
    return core.attention_weights(q, k)


def head_outputs(scene):
    weights = core.attention_weights(scene["q"], scene["k"])
    return weights @ (scene["x"] @ scene["w_v"])


def test_weights_of_four_heads(expected, four_weights):
    assert_allclose(four_weights, expected["four_heads"]["attention"], **TO_12_DIGITS)


def test_row_entropies_of_four_heads(expected, four_weights):
    bits = core.row_entropy_bits(four_weights)
    assert_allclose(bits, expected["four_heads"]["row_entropy_bits"], **TO_12_DIGITS)


def test_score_ranks_of_four_heads(expected, lesson_heads):
    ranks = [core.score_rank(q, k) for q, k in lesson_heads]
    assert ranks == expected["four_heads"]["score_rank"] == [1, 2, 2, 0]
    assert all(type(rank) is int for rank in ranks)


def test_weights_of_two_heads(expected, two_head_scene):
    weights = core.attention_weights(two_head_scene["q"], two_head_scene["k"])
    assert_allclose(weights, expected["two_heads"]["attention"], **TO_12_DIGITS)


def test_concat_and_output_of_two_heads(expected, two_head_scene):
    concat = core.concat_heads(head_outputs(two_head_scene))
    assert_allclose(concat, expected["two_heads"]["concat"], **TO_12_DIGITS)
    assert_allclose(concat @ two_head_scene["w_o"], expected["two_heads"]["output"], **TO_12_DIGITS)


def test_both_sums_of_heads_give_the_output(expected, two_head_scene):
    scene = two_head_scene
    weights = core.attention_weights(scene["q"], scene["k"])
    contributions = core.head_contributions(head_outputs(scene), scene["w_o"])
    terms = core.filter_bank_terms(weights, scene["x"], scene["w_v"], scene["w_o"])
    for parts in (contributions, terms):
        assert_allclose(parts.sum(axis=0), expected["two_heads"]["output"], **TO_12_DIGITS)


def test_lesson_identity_is_exact(two_head_scene):
    scene = two_head_scene
    o = head_outputs(scene)
    weights = core.attention_weights(scene["q"], scene["k"])
    terms = core.filter_bank_terms(weights, scene["x"], scene["w_v"], scene["w_o"])
    assert core.filter_bank_residual(o, scene["w_o"]) == 0.0
    assert core.filter_bank_residual(o, scene["w_o"], terms) == 0.0


def test_w_o_of_the_lesson_says_who_listens_to_whom(expected):
    norms = core.synthesis_norms(expected["two_heads"]["w_o"], 2)
    assert norms.tolist() == [[1, 1], [1, 0], [0, 1], [0, 1]]


def test_parameters_of_two_heads(expected):
    scene = expected["two_heads"]
    count = core.parameter_count(scene["d_model"], scene["H"])
    assert count.q + count.k + count.v == scene["parameters"]["w_q_w_k_w_v"]
    assert count.o == scene["parameters"]["w_o"]
    assert count.total == scene["parameters"]["total"] == sum(count[:4])


def test_exercise_1_identity_and_swap_keep_the_heads_apart():
    swap = np.roll(np.eye(4), 2, axis=1)
    assert core.synthesis_norms(np.eye(4), 2).tolist() == [[1, 0], [1, 0], [0, 1], [0, 1]]
    assert core.synthesis_norms(swap, 2).tolist() == [[0, 1], [0, 1], [1, 0], [1, 0]]


def test_exercise_2_parameters_do_not_depend_on_heads(expected):
    exercise = expected["exercises"]["2"]
    widths = [exercise["d_model"] // h for h in exercise["H"]]
    totals = [core.parameter_count(exercise["d_model"], h).total for h in exercise["H"]]
    assert widths == exercise["d_k"]
    assert totals == exercise["parameters"]


def test_exercise_5_parameters_grow_with_heads_of_fixed_width(expected):
    exercise = expected["exercises"]["5"]
    d_k = exercise["d_k"]
    totals = [core.parameter_count(exercise["d_model"], h, d_k, d_k).total for h in exercise["H"]]
    assert totals == exercise["parameters"]


def last_row_of_first_token_head(key_magnitude, measure):
    q, k = core.first_token_head(6, key_magnitude=key_magnitude)
    return measure(core.attention_weights(q, k))[-1]


def test_exercise_6_sharper_first_token_heads(expected):
    exercise = expected["exercises"]["6"]
    for measure, name in (
        (core.row_entropy_bits, "entropy_bits_at_t6"),
        (core.effective_positions, "effective_positions"),
    ):
        found = [last_row_of_first_token_head(m, measure) for m in exercise["key_magnitude"]]
        assert_allclose(found, exercise[name], **TO_12_DIGITS)


def test_exercise_6_key_magnitude_for_1_1_effective_positions(expected):
    low, high = 6.0, 9.0
    while (middle := (low + high) / 2) not in (low, high):
        is_blunt = last_row_of_first_token_head(middle, core.effective_positions) > 1.1
        low, high = (middle, high) if is_blunt else (low, middle)
    wanted = expected["exercises"]["6"]["key_magnitude_for_1.1_effective_positions"]
    assert_allclose(low, wanted, rtol=1e-12)


def test_score_flops_of_wide_and_narrow_heads(expected):
    case = expected["score_flops"]
    narrow = case["d_model"] // case["H"]
    assert core.score_flops(case["T"], 1, case["d_model"]) == case["wide"]
    assert core.score_flops(case["T"], case["H"], narrow) == case["narrow"]


# The learners' table: worked out apart from this program, to the decimals given.


def test_mean_entropy_and_mean_effective_positions(four_weights):
    bits = core.row_entropy_bits(four_weights).mean(axis=-1)
    positions = core.effective_positions(four_weights).mean(axis=-1)
    assert_allclose(bits, [1.0045, 0.3522, 0.2399, 1.5820], atol=5e-5)
    assert_allclose(positions, [2.1901, 1.2858, 1.1861, 3.5], atol=5e-5)


def test_ranks_of_the_weights(four_weights):
    sigma = core.singular_values(four_weights)
    numerical = (sigma > 6 * np.finfo(float).eps * sigma[:, :1]).sum(axis=-1)
    stable = (sigma**2).sum(axis=-1) / sigma[:, 0] ** 2
    assert numerical.tolist() == [6, 6, 6, 6]
    assert_allclose(stable, [1.0132, 2.7717, 5.3961, 1.3692], atol=5e-5)
    assert_allclose(core.effective_rank(four_weights), [2.1073, 4.9184, 5.9959, 4.2673], atol=5e-5)


@pytest.mark.parametrize(
    ("gain", "weight", "bits"),
    [
        (-1, 0.0234, 2.4278),
        (0, 0.1667, 2.585),
        (0.5, 0.3661, 2.4194),
        (1, 0.6252, 1.8244),
        (2, 0.9330, 0.5104),
        (4, 0.9990, 0.0141),
    ],
)
def test_gain_on_the_first_token_head(lesson_heads, gain, weight, bits):
    weights = core.attention_weights(*lesson_heads[0], gain=gain)
    assert_allclose(weights[5, 0], weight, atol=5e-5)
    assert_allclose(core.row_entropy_bits(weights)[5], bits, atol=5e-5)


@pytest.mark.parametrize(("gain", "rank"), [(0.5, 3.27), (1, 2.11), (2, 1.18), (4, 1.00)])
def test_effective_rank_falls_as_the_first_token_head_sharpens(lesson_heads, gain, rank):
    weights = core.attention_weights(*lesson_heads[0], gain=gain)
    assert_allclose(core.effective_rank(weights), rank, atol=5e-3)
