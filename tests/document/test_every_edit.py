"""Every kind of edit there is: what undo calls it, and that undo and redo are exact.

A scene is frozen, and the bench hands scenes out alone: what changes on it is an edit of these.
"""

import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mhagui.document
from mhagui.document import History, Pattern, load_lesson, scene_to_json
from mhagui.document.ablation import MuteHeads
from mhagui.document.bias_edits import SetAlibi, SetSinks, add_sink, set_sink, set_slope
from mhagui.document.edits import (
    AddHead,
    DescribeScene,
    DuplicateHead,
    Edit,
    HandSet,
    MoveHead,
    OpenScene,
    RemoveHead,
    ResetGains,
    SetBlock,
    SetKeepMargin,
    SetKeyWidth,
    SetMask,
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
from mhagui.document.mask_rule import MaskKind, MaskRule
from mhagui.document.presets import Preset, SetPreset
from mhagui.document.source_edits import SetSource
from mhagui.document.token_edits import DragTokens, MoveToken, RepeatToken, SetTokens, SwapTokens
from mhagui.document.token_source import SourceKind, TokenSource
from mhagui.document.weight_edits import ProjectHead, SetHeadBlock, SetInputBlock

GUI = Path(mhagui.document.__file__).parents[1] / "gui"
WORDS = load_lesson("induction")
NUMBERS = load_lesson("four-heads")
CELL = np.array([[7.0]])
KEYS = np.eye(6, 2)
WINDOW = MaskRule(MaskKind.SLIDING, 3)

# What undo says, the edit, and the scene it is done on.
CASES = [
    ("Change gain", set_gain(1, 2.5), NUMBERS),
    ("Change key magnitude", set_key_magnitude(1, 2.5), NUMBERS),
    ("Rename head", rename_head(1, "mine"), NUMBERS),
    ("Mute head", set_muted(1, True), NUMBERS),
    ("Unmute head", set_muted(1, False), set_muted(1, True).apply(NUMBERS)),
    ("Mute 2 heads", MuteHeads((1, 2)), NUMBERS),
    ("Solo head", set_soloed(1, True), NUMBERS),
    ("End solo", set_soloed(1, False), set_soloed(1, True).apply(NUMBERS)),
    ("Change master gain", SetMasterGain(2.0), NUMBERS),
    ("Reset gains", ResetGains(), SetMasterGain(2.0).apply(NUMBERS)),
    ("Change pattern", SetPattern(1, Pattern.UNIFORM), NUMBERS),
    (
        "Change pattern",
        SetSetting(1, 0, 3.0),
        SetPattern(1, Pattern.DELAY).apply(NUMBERS),
    ),
    ("Set queries and keys", HandSet(1, KEYS, KEYS), NUMBERS),
    ("Project queries and keys", ProjectHead(1, np.eye(8, 2), np.eye(8, 2)), NUMBERS),
    ("Change ALiBi slope", set_slope(1, 0.5), NUMBERS),
    ("Change sink logit", set_sink(1, 0.5), NUMBERS),
    ("Add sink logit", add_sink(1), NUMBERS),
    ("Remove sink logit", set_sink(1, None), add_sink(1).apply(NUMBERS)),
    ("Add ALiBi slopes", SetAlibi(True), NUMBERS),
    ("Remove ALiBi slopes", SetAlibi(False), SetAlibi(True).apply(NUMBERS)),
    ("Add sink logits", SetSinks(True), NUMBERS),
    ("Remove sink logits", SetSinks(False), SetSinks(True).apply(NUMBERS)),
    ("Set mask to sliding window of 3 keys", SetMask(WINDOW), NUMBERS),
    ("Keep margin", SetKeepMargin(True), NUMBERS),
    ("Let margin shrink", SetKeepMargin(False), SetKeepMargin(True).apply(NUMBERS)),
    ("Change d_k", SetKeyWidth(3), NUMBERS),
    ("Change sequence length", SetSequenceLength(9), NUMBERS),
    ("Add head", AddHead(Pattern.SELF), NUMBERS),
    ("Duplicate head", DuplicateHead(2), NUMBERS),
    ("Remove head", RemoveHead(2), NUMBERS),
    ("Move head", MoveHead(2, 0), NUMBERS),
    ("Edit W_O", SetProjectionBlock(0, 0, CELL), NUMBERS),
    ("Edit X", SetInputBlock(0, 0, CELL), NUMBERS),
    ("Edit W_V of h1", SetHeadBlock((1,), "w_v", 0, 0, CELL, "Edit W_V of h1"), NUMBERS),
    ("Set W_O to zero", SetPreset(Preset.ZERO), NUMBERS),
    ("Set W_O to random orthogonal (seed 3)", SetPreset(Preset.RANDOM_ORTHOGONAL, 3), NUMBERS),
    ("Change token source", SetSource(TokenSource(SourceKind.SUM)), NUMBERS),
    ("Swap t1 and t2", SwapTokens(1, 0), WORDS),
    ("Move t1 to t3", MoveToken(0, 2), WORDS),
    ("Repeat t1 at t2", RepeatToken(0, 1), WORDS),
    ("Swap t1 and t2", DragTokens(WORDS, SwapTokens(0, 1)), WORDS),
    ("Drag token", DragTokens(WORDS, None), SwapTokens(0, 1).apply(WORDS)),
    ("Change tokens", SetTokens(WORDS.tokens[::-1]), WORDS),
    ("Open “induction”", OpenScene(WORDS), NUMBERS),
    ("Revert to “induction”", OpenScene(WORDS, "Revert to"), NUMBERS),
    ("Describe scene", DescribeScene("mine", "What it is."), NUMBERS),
]
VERBS = (
    "Add", "Change", "Describe", "Drag", "Duplicate", "Edit", "End", "Keep", "Let", "Move", "Mute",
    "Open", "Project", "Remove", "Rename", "Repeat", "Reset", "Revert", "Set", "Solo", "Swap",
    "Unmute",
)  # fmt: skip


def kinds_of_edits():
    """Return every class of the document that has what an edit has."""
    found = set()
    for module in pkgutil.iter_modules(mhagui.document.__path__, "mhagui.document."):
        for _, kind in inspect.getmembers(importlib.import_module(module.name), inspect.isclass):
            if all(hasattr(kind, name) for name in ("apply", "text", "merge_key")):
                found.add(kind)
    return found - {Edit, SetBlock}  # what edits are, and what two of them share


def test_every_kind_of_edit_is_among_the_cases():
    assert {type(edit) for _, edit, _ in CASES} == kinds_of_edits()


@pytest.mark.parametrize(("text", "edit", "scene"), CASES, ids=lambda part: str(part)[:30])
def test_an_edit_is_named_by_a_verb_and_undone_and_redone_exactly(text, edit, scene):
    history, before = History(scene), scene_to_json(scene)
    history.do(edit)
    after = scene_to_json(history.scene)
    assert after != before
    assert history.undo_text == text
    assert text.split()[0] in VERBS
    history.undo()
    assert (history.scene is scene, scene_to_json(scene), history.redo_text) == (True, before, text)
    history.redo()
    assert scene_to_json(history.scene) == after


@given(st.data())
def test_a_walk_through_the_history_passes_the_very_scenes_that_were(scenes, draw_edit, data):
    history = History(data.draw(scenes))
    states = [history.scene]
    for _ in range(5):
        before = history.n_steps
        history.do(draw_edit(data.draw, history.scene), object())
        if history.n_steps > before:
            states.append(history.scene)
    assert [step.after for step in history.steps] == states[1:]
    for place in data.draw(st.lists(st.integers(0, len(states) - 1), max_size=8)):
        history.go_to(place)
        assert history.scene is states[place]
        assert len(history.steps) == len(states) - 1


def test_no_part_of_the_window_changes_the_scene_but_the_bench():
    """The history's doors are opened there alone, and no scene is made of another elsewhere."""
    doors = re.compile(r"\bhistory\.(do|undo|redo|go_to)\(|\.with_head\(|History\(")
    found = {
        path.name for path in GUI.rglob("*.py") if doors.search(path.read_text(encoding="utf-8"))
    }
    assert found == {"bench.py"}
