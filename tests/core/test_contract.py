"""What holds for every public name: documented, harmless to its inputs, light to import."""

import inspect
import re
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import mhagui
from mhagui import core

RNG = np.random.default_rng(0)
HEADS, T, D_V, D_MODEL = 3, 5, 2, 4

FLOATS = {
    "q": RNG.normal(size=(HEADS, T, 2)),
    "k": RNG.normal(size=(HEADS, T, 2)),
    "p": RNG.normal(size=(HEADS, T, 2)),
    "taps": RNG.normal(size=(HEADS, T)),
    "frequencies": np.linspace(0, np.pi, D_MODEL),
    "scores": RNG.normal(size=(HEADS, T, T)),
    "gain": np.array([0.0, 1.0, -2.0]),
    "a": np.full((HEADS, T, T), 1 / T),
    "one": np.full((HEADS, T, T), 1 / T),
    "other": RNG.dirichlet(np.ones(T), size=(HEADS, T)),
    "o": RNG.normal(size=(HEADS, T, D_V)),
    "x": RNG.normal(size=(T, D_MODEL)),
    "w_v": RNG.normal(size=(HEADS, D_MODEL, D_V)),
    "w_o": RNG.normal(size=(HEADS * D_V, D_MODEL)),
    "terms": RNG.normal(size=(HEADS, T, D_MODEL)),
    "concat": RNG.normal(size=(T, HEADS * D_V)),
    "m": RNG.normal(size=(HEADS, 4, 3)),
    "weights": np.full((HEADS, T, T), 1 / T),
    "values": np.linspace(3.0, 0.0, HEADS * T * D_V).reshape(HEADS, T, D_V),
}
MASK = np.tri(T, dtype=bool)

# Axes: heads H, positions T, widths K (d_k), V (d_v) and M (d_model), and R = H·V.
SIZES = {"H": HEADS, "T": T, "K": 2, "V": D_V, "M": D_MODEL}
AXES = {
    "q": "HTK", "k": "HTK", "scores": "HTT", "gain": "H", "mask": "TT", "a": "HTT", "o": "HTV",
    "x": "TM", "w_v": "HMV", "w_o": "RM", "terms": "HTM", "m": "HTM", "values": "HTV",
    "weights": "HTT", "concat": "TR", "one": "HTT", "other": "HTT", "p": "HTK", "taps": "HT",
    "frequencies": "M",
}  # fmt: skip

# name -> the arrays it takes, and its other arguments
CALLS = {
    "attention_scores": (("q", "k"), {}),
    "attention_weights": (("q", "k", "gain", "mask"), {}),
    "weights_from_scores": (("scores", "gain", "mask"), {}),
    "softmax_exponents": (("scores", "gain", "mask"), {}),
    "biased_weights": (("scores", "gain", "mask"), {"bias": -0.25, "sinks": 0.5}),
    "weighted_sums": (("weights", "values"), {}),
    "weights_and_entropies": (("q", "k", "gain", "mask"), {}),
    "weights_and_entropies_from_scores": (("scores", "gain", "mask"), {}),
    "row_entropy_bits": (("a",), {}),
    "effective_positions": (("a",), {}),
    "jensen_shannon_bits": (("one", "other"), {}),
    "score_rank": (("q", "k"), {}),
    "score_singular_values": (("q", "k"), {}),
    "singular_values": (("m",), {}),
    "effective_rank": (("m",), {}),
    "effective_rank_from_singular_values": (("values",), {}),
    "concat_heads": (("o",), {}),
    "head_contributions": (("o", "w_o"), {}),
    "filter_bank_terms": (("a", "x", "w_v", "w_o"), {}),
    "filter_bank_bound": (("x", "w_v", "w_o"), {}),
    "filter_bank_residual": (("o", "w_o", "terms"), {}),
    "synthesis_norms": (("w_o",), {"n_heads": HEADS}),
    "frobenius_norms": (("m",), {}),
    "zero_head_columns": (("concat",), {"head": 1, "n_heads": HEADS}),
    "total_variation": (("p", "q"), {}),
    "frequency_response": (("taps", "frequencies"), {}),
    "group_delay": (("taps", "frequencies"), {}),
    "pool_maximum": (("a",), {"n_rows": 2, "n_columns": 2}),
    "pool_largest_magnitude": (("a",), {"n_rows": 2, "n_columns": 2}),
    "pool_extremes": (("a",), {"n_rows": 2, "n_columns": 2}),
    "quantise": (("a",), {"low": 0.1, "high": 0.9}),
}
# name -> the axes of the result, of several apart;
# S = min(T, K), D = min(T, M), P = min(T, 2), E = 2
RESULT_AXES = {
    "attention_scores": "HTT", "attention_weights": "HTT", "weights_from_scores": "HTT",
    "softmax_exponents": "HTT", "biased_weights": "HTT HT HT",
    "row_entropy_bits": "HT", "effective_positions": "HT", "jensen_shannon_bits": "HT",
    "score_rank": "H",
    "score_singular_values": "HS", "singular_values": "HD", "effective_rank": "H",
    "weighted_sums": "HTV", "weights_and_entropies": "HTT HT",
    "weights_and_entropies_from_scores": "HTT HT", "effective_rank_from_singular_values": "HT",
    "concat_heads": "TR", "head_contributions": "HTM",
    "filter_bank_terms": "HTM", "filter_bank_bound": "", "filter_bank_residual": "",
    "synthesis_norms": "MH", "frobenius_norms": "H", "zero_head_columns": "TR",
    "pool_maximum": "HPP", "pool_largest_magnitude": "HPP", "pool_extremes": "EHPP",
    "quantise": "HTT", "total_variation": "HT", "frequency_response": "HM", "group_delay": "HM",
}  # fmt: skip
# (axis, name) -> what is said where there is no result
REFUSED_EMPTY = (
    {
        ("K", name): "q must have shape (..., T_q, d_k) with d_k at least 1, got shape (3, 5, 0)."
        for name in (
            "attention_scores",
            "attention_weights",
            "score_rank",
            "score_singular_values",
            "weights_and_entropies",
        )
    }
    | {
        (axis, name): f"{first} must have shape (..., N) with N at least 1, got shape {shape}."
        for axis, name, first, shape in (
            ("K", "total_variation", "p", (3, 5, 0)),
            ("T", "frequency_response", "taps", (3, 0)),
            ("T", "group_delay", "taps", (3, 0)),
        )
    }
    | {
        ("H", name): "n_heads must be an integer of at least 1, got 0."
        for name in ("synthesis_norms", "zero_head_columns")
    }
)
WITHOUT_ARRAYS = {
    "AttentionStatistics",
    "BiasedWeights",
    "HEAD_PATTERNS",
    "HeadScores",
    "HeadScoring",
    "LARGEST_TARGET",
    "LEAST_CORRECTED",
    "LEAST_ROWS",
    "LEAST_UNIFORMITY",
    "Labels",
    "MOST_SEQUENCES",
    "MOST_TOKENS",
    "ParameterCount",
    "SCORES",
    "Score",
    "StageCosts",
    "TARGET_TOLERANCE",
    "TargetFit",
    "Tokens",
    "ablation_importance",
    "alibi_bias",
    "alibi_slopes",
    "allowed_counts",
    "attention_statistics",
    "block_local_head",
    "causal_mask",
    "delay_head",
    "enumerate_tokens",
    "first_token_head",
    "gradient_importance",
    "grouped_weights",
    "head_scores",
    "information_bits",
    "joint_labels",
    "key_head",
    "margin_factor",
    "mean_ablation",
    "merged_weights",
    "mutual_information_bits",
    "observed_labels",
    "overtaking_length",
    "padding_mask",
    "parameter_count",
    "pattern_targets",
    "prefix_mask",
    "previous_token_head",
    "queries_and_keys_for",
    "readable_rows",
    "recency_head",
    "score_flops",
    "self_head",
    "sliding_window_mask",
    "stage_costs",
    "synthesis_bound",
    "two_position_head",
    "uniform_head",
    "uniform_weights",
    "weights_block",
    "weights_with_sinks",
    "without_edge",
    "zero_ablation",
}
NOT_FLOAT_RESULTS = {
    "score_rank",
    "filter_bank_bound",
    "filter_bank_residual",
    "quantise",
    "frequency_response",
}


def parts_of(result):
    return result if isinstance(result, tuple) else (result,)


def read_only(name, dtype):
    array = MASK.copy() if name == "mask" else FLOATS[name].astype(dtype)
    array.setflags(write=False)
    return array


def test_every_public_name_is_listed_here():
    assert set(CALLS) | WITHOUT_ARRAYS == set(core.__all__)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", sorted(CALLS))
def test_inputs_may_be_read_only_and_keep_their_values(name, dtype):
    names, others = CALLS[name]
    arrays = {n: read_only(n, dtype) for n in names}
    before = {n: array.copy() for n, array in arrays.items()}
    result = getattr(core, name)(**arrays, **others)
    for n in names:
        np.testing.assert_array_equal(arrays[n], before[n])
    if name not in NOT_FLOAT_RESULTS:
        for array in parts_of(result):
            assert array.dtype == dtype
            assert array.flags.writeable


@pytest.mark.parametrize("name", sorted(CALLS))
def test_writable_inputs_are_left_alone(name):
    names, others = CALLS[name]
    arrays = {n: MASK.copy() if n == "mask" else FLOATS[n].copy() for n in names}
    getattr(core, name)(**arrays, **others)
    for n in names:
        np.testing.assert_array_equal(arrays[n], MASK if n == "mask" else FLOATS[n])


@pytest.mark.parametrize("name", sorted(CALLS))
def test_lists_give_what_arrays_give(name):
    names, others = CALLS[name]
    arrays = {n: MASK if n == "mask" else FLOATS[n] for n in names}
    function = getattr(core, name)
    from_lists = function(**{n: array.tolist() for n, array in arrays.items()}, **others)
    from_arrays = function(**arrays, **others)
    for one, other in zip(parts_of(from_lists), parts_of(from_arrays), strict=True):
        np.testing.assert_array_equal(one, other)


def with_sizes(axes, sizes):
    h, t, k, v, m = (sizes[axis] for axis in "HTKVM")
    sizes = sizes | {"R": h * v, "S": min(t, k), "D": min(t, m), "P": min(t, 2), "E": 2}
    return tuple(sizes[axis] for axis in axes)


def called_with_shapes(name, shapes, n_heads=HEADS):
    """Call a function with halves, each warning an error; return (result, what it refused)."""
    others = CALLS[name][1]
    others = others | {"n_heads": n_heads} if "n_heads" in others else others
    arrays = {n: np.full(shape, n == "mask" or 0.5) for n, shape in shapes.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return getattr(core, name)(**arrays, **others), None
        except ValueError as error:
            return None, str(error)


@pytest.mark.parametrize("axis", SIZES)
@pytest.mark.parametrize("name", sorted(CALLS))
def test_an_axis_that_is_empty_everywhere(name, axis):
    sizes = SIZES | {axis: 0}
    shapes = {n: with_sizes(AXES[n], sizes) for n in CALLS[name][0]}
    result, refusal = called_with_shapes(name, shapes, sizes["H"])
    assert refusal == REFUSED_EMPTY.get((axis, name))
    if refusal is None:
        shapes = [np.shape(part) for part in parts_of(result)]
        assert shapes == [with_sizes(axes, sizes) for axes in RESULT_AXES[name].split(" ")]


@pytest.mark.parametrize("name", sorted(CALLS))
def test_one_empty_axis_of_one_argument_is_taken_or_refused_by_name(name):
    names = CALLS[name][0]
    for emptied in names:
        for place in range(len(AXES[emptied])):
            shapes = {n: with_sizes(AXES[n], SIZES) for n in names}
            before, after = shapes[emptied][:place], shapes[emptied][place + 1 :]
            _, refusal = called_with_shapes(name, shapes | {emptied: (*before, 0, *after)})
            if refusal is not None:
                subject, must, _ = refusal.partition(" must ")
                assert must
                assert set(re.split(", | and ", subject)) <= {*names, "n_heads"}


@pytest.mark.parametrize("name", sorted(core.__all__))
def test_every_public_name_is_documented(name):
    member = getattr(core, name)
    text = inspect.getdoc(member)
    assert text
    if inspect.isfunction(member):
        for section in ("Parameters", "Returns", "Raises", "Notes"):
            assert f"\n{section}\n{'-' * len(section)}\n" in text
        assert "Source: " in text or "Source:\n" in text
        assert "ValueError" in text
        missing = [p for p in inspect.signature(member).parameters if p not in text]
        assert not missing


def test_import_in_a_fresh_interpreter_loads_numpy_alone():
    code = (
        "import sys; import mhagui.core; "
        "heavy = {'PySide6', 'shiboken6', 'pyqtgraph', 'matplotlib', 'scipy', 'msgspec'}; "
        "print(sorted(heavy & {name.partition('.')[0] for name in sys.modules}), "
        "'numpy' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=Path(mhagui.__file__).parents[1],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout.split() == ["[]", "True"]
