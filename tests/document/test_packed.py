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
