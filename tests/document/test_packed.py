"""The packed W_Q of a scene, and where there is none."""

import math
from dataclasses import replace

import numpy as np
from numpy.testing import assert_allclose

from mhagui.document import Pattern, compute, load_lesson
from mhagui.document import packed as packed_module
from mhagui.document.edits import SetSequenceLength, set_gain


def test_of_the_two_heads_it_is_the_lessons():
    circle = [[3 * math.cos(math.pi * t / 2), 3 * math.sin(math.pi * t / 2)] for t in range(1, 5)]
    wanted = np.hstack([circle, np.zeros((4, 2))])  # [K1b, Q2b]
    found = compute(load_lesson("two-heads")).packed_queries
    assert_allclose(found.matrix, wanted, atol=1e-14)
    assert found.why_none is None
    assert not found.matrix.flags.writeable


def test_it_gives_every_heads_queries_exactly_and_nothing_to_unused_features():
    scene = load_lesson("four-heads")
    result = compute(scene)
    w_q = result.packed_queries.matrix
    assert np.array_equal(scene.x @ w_q, np.hstack([head.q for head in result.heads]))
    assert not w_q[6:].any()


def test_it_is_found_for_tokens_that_are_not_one_hot():
    scene = load_lesson("four-heads")
    scene = replace(scene, x=np.random.default_rng(1).normal(size=(6, 8)))
    result = compute(scene)
    queries = np.hstack([head.q for head in result.heads])
    assert_allclose(scene.x @ result.packed_queries.matrix, queries, atol=1e-12)
    assert result.packed_queries.why_none is None


def test_there_is_none_where_tokens_repeat_and_queries_do_not():
    scene = SetSequenceLength(6).apply(load_lesson("two-heads"))  # t1 is the token of t5, t2 of t6
    why = compute(scene).packed_queries.why_none
    assert "are the same, but their queries are not; it does with a T of at most d_model = 4" in why


def test_there_is_one_where_tokens_repeat_and_so_do_the_queries():
    scene = SetSequenceLength(6).apply(load_lesson("two-heads"))
    heads = tuple(replace(head, pattern=Pattern.FIRST_TOKEN) for head in scene.heads)
    found = compute(replace(scene, heads=heads)).packed_queries
    assert_allclose(found.matrix, [[1.0, 0.0, 1.0, 0.0]] * 4, atol=1e-14)  # |Q| = 1
    assert found.why_none is None


def test_it_is_found_once_when_asked_for_and_kept_while_no_query_changes(monkeypatch):
    scene = SetSequenceLength(9).apply(load_lesson("four-heads"))
    calls, solve = [], np.linalg.lstsq
    monkeypatch.setattr(
        packed_module.np.linalg, "lstsq", lambda *a, **k: calls.append(a) or solve(*a, **k)
    )
    first = compute(scene)
    assert calls == []
    assert first.packed_queries.why_none
    later = compute(set_gain(1, 3.0).apply(scene), first)
    assert later.packed_queries.why_none
    assert later.packed_queries.matrix.shape == (8, 8)
    assert len(calls) == 1


# --- keys, values, heads with matrices of their own, two layers


def test_w_k_of_the_two_heads_is_the_lessons():
    circle = [[3 * math.cos(math.pi * t / 2), 3 * math.sin(math.pi * t / 2)] for t in range(1, 5)]
    found = compute(load_lesson("two-heads")).packed_keys
    assert_allclose(found.matrix, np.hstack([circle, np.zeros((4, 2))]), atol=1e-14)
    assert found.why_none is None


def test_w_v_is_what_the_heads_bring_along_and_makes_their_values():
    scene = load_lesson("four-heads")
    found = compute(scene).packed_values
    assert np.array_equal(found.matrix, np.hstack([head.w_v for head in scene.heads]))
    assert found.errors == (0.0,) * 4


def random_scene(layers=(1, 1), n_positions=5):
    """Two projected heads over random tokens."""
    rng = np.random.default_rng(7)
    scene = load_lesson("two-heads")
    heads = tuple(
        replace(
            head,
            pattern=Pattern.PROJECTED,
            w_q=rng.normal(size=(4, 2)),
            w_k=rng.normal(size=(4, 2)),
            layer=layer,
        )
        for head, layer in zip(scene.heads, layers, strict=True)
    )
    return replace(scene, heads=heads, x=rng.normal(size=(n_positions, 4)))


def test_slices_of_projected_heads_are_their_own_bit_for_bit():
    scene = random_scene()
    result = compute(scene)
    for packed, field in ((result.packed_queries, "w_q"), (result.packed_keys, "w_k")):
        own = [getattr(head, field) for head in scene.heads]
        assert np.array_equal(packed.matrix, np.hstack(own))
        assert np.array_equal(packed.matrix_of(1), own[1])
        assert packed.why_none is None  # though 5 tokens of width 4 depend on one another
        assert max(packed.errors) < 1e-14


def test_heads_of_layer_2_are_packed_for_what_they_read():
    scene = random_scene(layers=(1, 2))
    result = compute(scene)
    x2 = scene.x + result.heads[0].weights @ (scene.x @ scene.heads[0].w_v @ scene.w_o[:2])
    wanted = np.hstack([scene.x @ scene.heads[0].w_q, x2 @ scene.heads[1].w_q])
    assert_allclose(result.packed_queries.product, wanted, atol=1e-12)
    assert result.packed_queries.errors[1] < 1e-12


def test_a_designed_head_of_layer_2_says_that_it_reads_more_than_x():
    scene = SetSequenceLength(6).apply(load_lesson("two-heads"))
    scene = replace(scene, w_o=np.zeros_like(scene.w_o))  # so that X + O_1 repeats as X does
    heads = (
        replace(scene.heads[0], pattern=Pattern.FIRST_TOKEN),
        replace(scene.heads[0], uid=2, layer=2),
    )
    why = compute(replace(scene, heads=heads)).packed_queries.why_none
    assert " of X + O_1 are the same, but their queries are not." in why
    assert "tokens" not in why


def test_errors_are_the_largest_difference_of_each_slice():
    scene = SetSequenceLength(6).apply(load_lesson("two-heads"))
    found = compute(scene).packed_queries
    # t1 and t5 share a token, as t2 and t6 do: what comes closest is the mean of their queries.
    q = compute(scene).heads[0].q
    mean = (q[[0, 1]] + q[[4, 5]]) / 2
    wanted = np.abs(q[[0, 1]] - mean).max()
    assert_allclose(found.errors[0], wanted, rtol=1e-12)
    assert found.cause_of_none(1) is None  # the queries of the uniform head are all alike


def test_nothing_of_it_is_made_anew_by_a_gain_but_by_x():
    scene = load_lesson("four-heads")
    first = compute(scene)
    later = compute(set_gain(1, 3.0).apply(scene), first)
    moved = compute(replace(scene, x=np.array(scene.x)), first)
    for field in ("packed_queries", "packed_keys", "packed_values"):
        assert getattr(later, field) is getattr(first, field)
        assert getattr(moved, field) is not getattr(first, field)
