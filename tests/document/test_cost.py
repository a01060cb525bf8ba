"""The sizes worth comparing, and what the scene's own cost."""

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mhagui.document import cost, load_lesson
from mhagui.document.view_state import WhatIf

WIDTHS = st.integers(1, 3_000)


@pytest.fixture(scope="module")
def exercises():
    path = Path(__file__).parents[1] / "data" / "expected.json"
    return json.loads(path.read_text(encoding="utf-8"))["exercises"]


@pytest.mark.parametrize("number", ["2", "5"])
def test_the_cases_are_those_of_the_exercises(exercises, number):
    wanted = exercises[number]
    case = next(case for case in cost.CASES if case.title.endswith(number))
    layers = case.layers(100)
    widths = wanted["d_k"] if number == "2" else [wanted["d_k"]] * len(wanted["H"])
    assert {layer.d_model for layer in layers} == {wanted["d_model"]}
    assert {layer.n_positions for layer in layers} == {100}
    assert [layer.n_heads for layer in layers] == wanted["H"]
    assert [layer.d_k for layer in layers] == [layer.d_v for layer in layers] == widths
    totals = [cost.parameters_of(layer).total for layer in layers]
    assert totals == wanted["parameters"]


@given(WIDTHS, st.integers(1, 200))
def test_standard_widths(d_model, heads):
    sizes = cost.with_standard_widths(WhatIf(d_model, heads, 5, 7, 9))
    if d_model % heads:
        assert sizes == WhatIf(d_model, heads, 5, 7, 9)
        assert not cost.is_standard(sizes)
    else:
        assert (sizes.d_k, sizes.d_v) == (d_model // heads, d_model // heads)
        assert cost.is_standard(sizes)


def test_widths_that_are_not_both_standard_are_not_standard():
    assert not cost.is_standard(WhatIf(8, 4, 2, 3, 6))
    assert not cost.is_standard(WhatIf(8, 4, 3, 3, 6))


def test_the_scenes_own_are_those_of_the_lesson():
    path = Path(__file__).parents[1] / "data" / "expected.json"
    known = json.loads(path.read_text(encoding="utf-8"))["two_heads"]["parameters"]
    scene = load_lesson("two-heads")
    sizes = WhatIf.of(scene)
    count = cost.parameters_of(sizes)
    assert (sum(count[:3]), count.o, count.total) == (
        known["w_q_w_k_w_v"], known["w_o"], known["total"],
    )  # fmt: skip
    assert cost.score_flops(sizes) == 2 * 4**2 * 2 * 2  # 2·T²·H·d_k
    wider = WhatIf.of(replace(scene, d_k=3))
    assert cost.parameters_of(wider) == (24, 24, 16, 16, 80)  # d_model 4, two of d_k 3 and d_v 2
    assert cost.score_flops(wider) == 2 * 4**2 * 2 * 3


# SmolLM2-135M on a prompt of 14 tokens: d_model 576, 9 heads of width 64 on 3 key heads.
GROUPED = WhatIf(576, 9, 64, 64, 14, 3)


def test_shared_key_heads_cost_once():
    costs, count = cost.costs_of(GROUPED), cost.parameters_of(GROUPED)
    assert costs.projections == 14 * 576 * (9 * 64 + 3 * 64 + 3 * 64) == 7_741_440
    assert costs.projections == 14 * (count.q + count.k + count.v)
    assert 3 * 4 * costs.cache == 3 * 4 * 14 * 3 * 128  # a third of that of nine
    own = cost.costs_of(replace(GROUPED, n_key_heads=None))
    assert (own.projections, own.cache) == (13_934_592, 3 * costs.cache)
    assert (own.scores, own.weights, own.output_projection, own.weighted_sums) == (
        costs.scores, costs.weights, costs.output_projection, costs.weighted_sums,
    )  # fmt: skip
    assert cost.parameter_formula(GROUPED) == "d_model·(H + H_kv)·(d_k + d_v)"
    assert count.total == 576 * (9 + 3) * (64 + 64)


@given(st.integers(1, 8), st.integers(1, 8), WIDTHS, st.integers(1, 60), st.integers(1, 60))
def test_where_the_square_overtakes_shared_heads(shared, group, d_model, d_k, d_v):
    sizes = WhatIf(d_model, shared * group, d_k, d_v, 1, shared)
    at = cost.overtaking(sizes)

    def off(length):
        costs = cost.costs_of(replace(sizes, n_positions=length))
        return costs.quadratic - costs.linear

    assert off(at) >= 0
    assert at == 1 or off(at - 1) < 0


def test_a_scene_has_as_many_key_heads_as_its_heads_read():
    scene = load_lesson("four-heads")
    assert WhatIf.of(scene).n_key_heads is None
    heads = [replace(h, key_head=of) for h, of in zip(scene.heads, (0, 0, 1, None), strict=True)]
    sizes = WhatIf.of(replace(scene, heads=tuple(heads)))
    assert sizes.n_key_heads == 3
    assert cost.cost_report(replace(scene, heads=tuple(heads)))["kv_cache"]["elements"] == 72
    heads = [replace(head, key_head=of) for of, head in enumerate(scene.heads)]
    assert WhatIf.of(replace(scene, heads=tuple(heads))).n_key_heads is None


def test_sharing_ends_where_it_does_not_divide():
    assert cost.with_size(GROUPED, "n_positions", 20) == replace(GROUPED, n_positions=20)
    assert cost.with_size(GROUPED, "n_heads", 12) == replace(GROUPED, n_heads=12)
    assert cost.with_size(GROUPED, "n_heads", 8) == WhatIf(576, 8, 64, 64, 14)
    assert cost.with_size(GROUPED, "n_key_heads", 9) == WhatIf(576, 9, 64, 64, 14)
    assert {sizes.n_key_heads for sizes in cost.with_heads(GROUPED, keep_widths=True)} == {None}


@given(WIDTHS)
def test_divisors(d_model):
    heads = cost.divisors(d_model)
    assert all(d_model % one == 0 for one in heads)
    assert list(heads) == sorted(set(heads))
    # Divisors come in pairs, so those up to the root say which there are beyond it.
    small = {one for one in range(1, math.isqrt(d_model) + 1) if d_model % one == 0}
    every = small | {d_model // one for one in small}
    assert set(heads) == {one for one in every if one <= cost.MAX_HEADS}


def test_more_heads_of_standard_width_cost_the_same():
    layers = cost.with_heads(WhatIf(384, 5, 7, 7, 100), keep_widths=False)
    assert {layer.n_heads for layer in layers} >= {1, 2, 3, 4, 6, 8, 12, 384}
    assert {cost.parameters_of(layer).total for layer in layers} == {4 * 384 * 384}
    assert {cost.costs_of(layer).multiply_adds for layer in layers} == {
        4 * 100 * 384**2 + 2 * 100**2 * 384
    }


def test_more_heads_of_kept_width_cost_more():
    layers = cost.with_heads(WhatIf(512, 3, 64, 32, 10), keep_widths=True)
    assert [layer.n_heads for layer in layers] == [2**power for power in range(11)]
    assert {cost.parameters_of(layer).total // layer.n_heads for layer in layers} == {
        512 * (64 + 64 + 32 + 32)
    }


def test_costs_over_lengths_are_those_at_each_length():
    sizes = WhatIf(8, 4, 2, 3, 6)
    scores = [costs.scores for costs in cost.over_lengths(sizes)]
    assert scores == [length**2 * 4 * 2 for length in cost.LENGTHS]
    assert (cost.LENGTHS[0], cost.LENGTHS[-1]) == (1, cost.MAX_LENGTH)


def test_the_report_of_the_lessons_scene(exercises):
    report = cost.cost_report(load_lesson("four-heads"))
    assert json.loads(json.dumps(report)) == report
    # T = 6, d_model = 8, four heads of width 2: by hand.
    assert report["parameters"] == {"q": 64, "k": 64, "v": 64, "o": 64, "total": 256}
    assert report["multiply_adds"] == {
        "projections": 1152,
        "scores": 288,
        "weighted_sums": 288,
        "output_projection": 384,
        "total": 2112,
    }
    assert report["flops"]["total"] == 4224
    assert report["exponentials"] == 144
    assert report["weights"] == {
        "elements": 144,
        "bytes_float64": 1152,
        "bytes_float32": 576,
        "bytes_float16": 288,
    }
    assert report["kv_cache"]["elements"] == 96
    assert (report["overtaking_T"], report["overtaking_T_without_masked_cells"]) == (16, 31)
    two, five = report["cases"]
    assert [layer["parameters"] for layer in two["layers"]] == exercises["2"]["parameters"]
    assert [layer["parameters"] for layer in five["layers"]] == exercises["5"]["parameters"]
    assert [layer["d_k"] for layer in two["layers"]] == exercises["2"]["d_k"]
