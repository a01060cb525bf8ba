"""What takes long is known from the edit, and so is whether cells stay what they are."""

from dataclasses import replace

import numpy as np
import pytest

from mhagui.document import Pattern, load_lesson
from mhagui.document.edits import (
    AddHead,
    MoveHead,
    SetKeepMargin,
    SetMasterGain,
    SetPattern,
    SetProjectionBlock,
    SetSequenceLength,
    rename_head,
    set_gain,
    set_key_magnitude,
    set_muted,
    set_soloed,
)
from mhagui.document.effort import effort, moves_numbers_alone
from mhagui.document.new_scene import new_scene
from mhagui.document.weight_edits import SetHeadBlock

CELL = SetProjectionBlock(0, 0, np.array([[5.0]]))


@pytest.fixture
def long_scene():
    return SetSequenceLength(100).apply(load_lesson("four-heads"))


def of(edit, scene):
    return effort(edit.apply(scene), scene)


def test_heads_whose_weights_change_count(long_scene):
    one, all_four = of(set_gain(1, 2.0), long_scene), of(SetMasterGain(2.0), long_scene)
    sums = of(set_muted(1, True), long_scene)
    assert all_four - sums == 4 * (one - sums) > 0
    assert of(set_key_magnitude(1, 2.0), long_scene) == one
    assert of(SetPattern(1, Pattern.SELF), long_scene) == one
    assert of(SetSequenceLength(101), long_scene) > all_four
    longer = SetSequenceLength(200).apply(long_scene)
    assert of(set_gain(1, 2.0), longer) > 3 * one  # about the square of the length


def test_what_touches_no_head_costs_little_or_nothing(long_scene):
    assert of(rename_head(1, "first"), long_scene) == 0
    assert effort(replace(long_scene, title="another"), long_scene) == 0
    sums = of(set_muted(1, True), long_scene)
    assert of(CELL, long_scene) > 0
    assert sums == of(set_soloed(1, True), long_scene) > 0


def test_a_cell_of_w_o_costs_the_columns_that_it_stands_in(long_scene):
    numbers = np.random.default_rng(2)
    heads = tuple(replace(head, w_v=np.ones((64, 2))) for head in long_scene.heads)
    wide = replace(long_scene, heads=heads, x=numbers.normal(size=(100, 64)), w_o=np.ones((8, 64)))
    row = SetProjectionBlock(0, 0, np.zeros((1, 64)))
    assert 4 * of(CELL, wide) == of(row, wide) == of(set_muted(1, True), wide)


def test_a_head_costs_what_it_reads_and_where_it_is_heard():
    scene = new_scene(20, 4, d_k=4, d_v=16, d_model=64)  # each head reads and writes a quarter
    dense = replace(scene, w_o=np.ones((64, 64)))
    reading = replace(dense, heads=tuple(replace(h, w_v=np.ones((64, 16))) for h in scene.heads))
    costs = [of(set_gain(2, 2.0), each) for each in (scene, dense, reading)]
    assert costs[1] - costs[0] == 20 * 64 * 48  # columns of O
    assert costs[2] - costs[1] == 20**2 // 2 * 48  # features of X


def test_heads_that_read_what_others_add_are_counted():
    scene = load_lesson("induction")
    layers = [head.layer for head in scene.heads]
    first, second = (scene.heads[layers.index(layer)].uid for layer in (1, 2))
    sums = of(set_muted(second, True), scene)
    one = of(set_gain(second, 1.75), scene) - sums
    all_of_second = layers.count(2) * one
    assert of(set_gain(first, 1.75), scene) - sums == one + all_of_second
    assert of(set_muted(first, True), scene) - sums == all_of_second


@pytest.mark.parametrize(
    ("edit", "is_alone"),
    [
        (set_gain(1, 2.0), True),
        (SetMasterGain(2.0), True),
        (CELL, True),
        (set_muted(1, True), True),
        (set_soloed(1, True), True),
        (rename_head(1, "first"), False),
        (set_key_magnitude(1, 2.0), False),
        (SetPattern(1, Pattern.SELF), False),
        (SetHeadBlock((1,), "w_v", 0, 0, np.array([[5.0]]), "Edit W_V"), False),
        (SetSequenceLength(99), False),
        (SetKeepMargin(True), False),
        (AddHead(Pattern.SELF), False),
        (MoveHead(1, 2), False),
    ],
)
def test_gains_ablation_and_w_o_are_numbers_alone(long_scene, edit, is_alone):
    assert moves_numbers_alone(edit.apply(long_scene), long_scene) is is_alone
    assert moves_numbers_alone(long_scene, edit.apply(long_scene)) is is_alone
