"""How two scenes differ, in a few words."""

import time
from dataclasses import replace

import numpy as np
import pytest

from mhagui.document import History, Pattern, load_lesson
from mhagui.document.changes import difference
from mhagui.document.edits import (
    AddHead,
    DescribeScene,
    DuplicateHead,
    HandSet,
    MoveHead,
    RemoveHead,
    ResetGains,
    SetKeepMargin,
    SetKeyWidth,
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
from mhagui.document.new_scene import new_scene
from mhagui.document.source_edits import SetSource
from mhagui.document.token_edits import SwapTokens
from mhagui.document.token_source import SourceKind, TokenSource
from mhagui.document.weight_edits import SetHeadBlock, SetInputBlock

FOUR = load_lesson("four-heads")
WORDS = load_lesson("induction")
CELL, ROW = np.array([[-0.5]]), np.array([[7.0, 8.0, 9.0]])


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (set_gain(2, 2.68), "h2 gain 2.68"),
        (set_key_magnitude(3, 1.5), "h3 |K| 1.5"),
        (rename_head(1, "mine"), "h1 name: mine"),
        (set_muted(1, True), "h1 muted"),
        (set_soloed(4, True), "h4 soloed"),
        (SetMasterGain(-1.0), "master gain −1"),
        (SetPattern(2, Pattern.DELAY), "h2 pattern: delay"),
        (AddHead(Pattern.SELF), "h5 added: self"),
        (DuplicateHead(1), "h2 added: first token"),
        (RemoveHead(2), "h2 removed: previous token"),
        (MoveHead(3, 0), "h3 moved to h1"),
        (MoveHead(1, 3), "h1 moved to h4"),
        (MoveHead(1, 1), "h1 and h2 swapped"),
        (SetSequenceLength(8), "T = 8"),
        (SetKeyWidth(3), "d_k = 3"),
        (SetKeepMargin(True), "margin kept"),
        (SetSource(TokenSource(SourceKind.MARKOV)), "token source"),
        (DescribeScene("mine", FOUR.description), "title “mine”"),
        (DescribeScene(FOUR.title, "new"), "description"),
        (SetProjectionBlock(1, 6, CELL), "W_O h1.2, d7: −0.5"),
        (SetProjectionBlock(1, 1, ROW), "3 cells of W_O"),
        (SetInputBlock(4, 2, CELL), "X t5, d3: −0.5"),
        (SetInputBlock(4, 2, ROW), "3 cells of X"),
        (SetHeadBlock((1, 2, 3, 4), "w_v", 5, 3, CELL, "Edit W_V"), "W_V d6, h2.2: −0.5"),
        (
            SetHeadBlock((1, 2, 3, 4), "w_v", 5, 3, ROW, "Edit W_V"),
            "W_V d6, h2.2: 7, 2 cells of W_V of h3",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_edit_is_told_by_what_it_changed_and_to_what(edit, words):
    assert difference(FOUR, edit.apply(FOUR)) == words


def test_a_setting_of_a_pattern_has_its_name():
    scene = SetPattern(2, Pattern.DELAY).apply(FOUR)
    words = difference(scene, SetSetting(2, 0, 3.0).apply(scene))
    assert words.startswith("h2 ")
    assert words.endswith(" 3")


def test_a_head_is_named_by_its_place_after_a_move():
    moved = MoveHead(4, 0).apply(FOUR)
    assert difference(moved, set_gain(4, 2.0).apply(moved)) == "h1 gain 2"


def test_all_that_two_edits_did_is_told_and_of_more_nothing():
    twice = set_muted(3, True).apply(set_gain(1, 2.0).apply(FOUR))
    assert difference(FOUR, twice) == "h1 gain 2, h3 muted"
    assert difference(FOUR, set_gain(4, 2.0).apply(twice)) == ""
    assert difference(twice, ResetGains().apply(twice)) == "h1 gain 1"


def test_what_words_do_not_tell_is_called_as_undo_calls_it():
    history = History(WORDS)
    history.do(SwapTokens(0, 2))
    history.do(set_gain(1, 3.0))
    assert [step.words for step in history.steps] == ["Swap t1 and t3", "h1 gain 3"]


def test_queries_of_ones_own_are_a_pattern():
    assert difference(FOUR, HandSet(1, np.eye(6, 2), np.eye(6, 2)).apply(FOUR)) == (
        "h1 pattern: hand-set"
    )


def test_the_same_scene_differs_in_nothing():
    assert difference(FOUR, FOUR) == ""
    assert difference(FOUR, replace(FOUR)) == ""


def test_the_largest_matrices_are_compared_in_no_time():
    x = np.ones((4096, 256))
    scene = replace(new_scene(4096, 1, 2, 2, 256), x=x)
    other = SetInputBlock(4000, 200, CELL).apply(scene)
    begin = time.perf_counter()
    assert difference(scene, other) == "X t4001, d201: −0.5"
    assert time.perf_counter() - begin < 0.1
