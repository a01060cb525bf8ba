"""A computation that nobody wants any more ends within a head, not with it."""

import threading

import pytest

from mhagui import core
from mhagui.document import compute
from mhagui.document.new_scene import new_scene
from mhagui.document.on_demand import most_kept

HEADS = 32


class Unwanted(Exception):  # noqa: N818 - nothing is wrong
    """Raised where a computation is to end."""


class Wanted:
    """Is called back; lets so many calls pass once a head is being computed."""

    def __init__(self, head, calls):
        self.head, self.left, self.told = head, calls, []

    def __call__(self, n_done):
        self.told.append(n_done)
        if n_done == self.head:
            self.left -= 1
            if self.left < 0:
                raise Unwanted


def test_it_ends_between_the_steps_of_a_head():
    scene, wanted = new_scene(12, 4, 2, 2, 8), Wanted(head=2, calls=3)
    with pytest.raises(Unwanted):
        compute(scene, None, wanted)
    assert wanted.told.count(0) > 1
    assert (max(wanted.told), wanted.told.count(2)) == (2, 4)


def test_it_tells_how_many_heads_are_done():
    wanted = Wanted(head=None, calls=0)
    compute(new_scene(12, 4, 2, 2, 8), None, wanted)
    assert wanted.told == sorted(wanted.told)
    assert set(wanted.told) == {0, 1, 2, 3}


def test_where_weights_are_not_kept_it_ends_within_their_making(monkeypatch):
    """A head of a long sequence is made in one pass, tile by tile."""
    made, statistics = [], core.attention_statistics

    def noted(*given, **named):
        found = statistics(*given, **named)
        made.append(found)
        return found

    monkeypatch.setattr(core, "attention_statistics", noted)
    scene = new_scene(most_kept(HEADS) + 1, HEADS, 2, 2, 8)
    steps = Wanted(head=1, calls=0)
    with pytest.raises(Unwanted):
        compute(scene, None, steps)
    n_steps = steps.told.count(0)
    assert len(made) == 1
    made.clear()
    within = Wanted(head=0, calls=n_steps // 2)
    before = threading.active_count()
    with pytest.raises(Unwanted):
        compute(scene, None, within)
    assert made == []
    assert threading.active_count() == before


def test_it_ends_within_the_scores_of_a_head(monkeypatch):
    begun, made, scores = [], [], core.attention_scores

    def noted(*given, **named):
        begun.append(None)
        found = scores(*given, **named)
        made.append(found)
        return found

    def check(_n_done):
        if begun:
            calls.append(None)
            if len(calls) > 1:  # some rows are there
                raise Unwanted

    calls = []
    monkeypatch.setattr(core, "attention_scores", noted)
    with pytest.raises(Unwanted):
        compute(new_scene(600, 1, 2, 2, 8), None, check)
    assert (len(begun), made) == (1, [])
