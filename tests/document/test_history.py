from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from mhagui.document import Head, History, Pattern, Scene
from mhagui.document.edits import (
    AddHead,
    OpenScene,
    RemoveHead,
    SetMasterGain,
    SetProjectionBlock,
    SetSequenceLength,
    set_gain,
    set_key_magnitude,
    set_muted,
)
from mhagui.document.history import MAX_STEPS
from mhagui.document.origin import Origin
from mhagui.document.scene_input import one_hot_tokens
from mhagui.errors import UserError


class Clock:
    """A clock that is moved by hand."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def history(four_heads, clock):
    return History(four_heads, clock)


def gains(history):
    return [head.gain for head in history.scene.heads]


def test_undo_and_redo_go_back_and_forth(history, four_heads):
    history.do(set_muted(1, True))
    history.do(AddHead(Pattern.SELF))
    assert (history.undo_text, history.redo_text, history.n_steps) == ("Add head", None, 2)
    history.undo()
    assert (history.undo_text, history.redo_text) == ("Mute head", "Add head")
    assert history.scene.active == (False, True, True, True)
    history.undo()
    assert (history.undo_text, history.redo_text) == (None, "Mute head")
    assert history.scene is four_heads
    history.redo()
    history.redo()
    assert history.scene.n_heads == 5


def test_nothing_to_undo_or_redo_is_no_fault(history, four_heads):
    history.undo()
    history.redo()
    assert history.scene is four_heads


def test_a_drag_is_one_step(history, clock):
    drag = object()
    for value in (1.2, 1.5, 2.0):
        history.do(set_gain(2, value), drag)
        clock.now += 5.0  # the hand may rest
    assert (gains(history), history.n_steps) == ([1.0, 2.0, 1.0, 1.0], 1)
    history.undo()
    assert gains(history) == [1.0] * 4
    history.redo()
    assert gains(history) == [1.0, 2.0, 1.0, 1.0]


def test_two_drags_are_two_steps_however_quick(history):
    for value in (1.5, 2.0):
        history.do(set_gain(2, value), object())
    assert history.n_steps == 2


def test_another_number_in_the_same_drag_is_another_step(history):
    drag = object()
    history.do(set_gain(2, 2.0), drag)
    history.do(set_gain(3, 2.0), drag)
    history.do(set_key_magnitude(3, 2.0), drag)
    assert history.n_steps == 3


def test_a_drag_does_not_grow_the_keys_before_it(history):
    history.do(set_gain(2, 2.0))
    history.do(set_gain(2, 3.0), object())
    history.do(set_gain(2, 4.0))
    assert history.n_steps == 3


@pytest.mark.parametrize(("seconds", "n_steps"), [(0.99, 1), (1.0, 3), (60.0, 3)])
def test_a_burst_of_keys_is_one_step_while_less_than_a_second_lies_between(
    history, clock, seconds, n_steps
):
    for value in (1.1, 1.2, 1.3):
        history.do(set_gain(2, value))
        clock.now += seconds
    assert history.n_steps == n_steps


def test_edits_that_never_merge_stay_apart(history):
    history.do(set_muted(1, True))
    history.do(set_muted(2, True))
    assert history.n_steps == 2


def test_an_edit_that_changes_nothing_is_no_step_and_keeps_redo(history):
    history.do(set_muted(1, True))
    history.undo()
    history.do(set_gain(2, 1.0))
    assert (history.n_steps, history.redo_text) == (0, "Mute head")


def test_a_new_edit_clears_redo(history):
    history.do(set_muted(1, True))
    history.undo()
    history.do(SetMasterGain(2.0))
    assert history.redo_text is None


def test_a_drag_back_to_where_it_began_is_as_if_it_had_never_been(history, four_heads):
    history.do(set_muted(1, True))
    history.do(set_muted(2, True))
    history.undo()
    before, drag = history.scene, object()
    history.do(set_gain(3, 2.0), drag)
    assert history.redo_text is None
    history.do(set_gain(3, 1.0), drag)
    assert history.scene is before
    assert (history.n_steps, history.undo_text, history.redo_text) == (1, "Mute head", "Mute head")
    history.redo()
    assert history.scene.active == (False, False, True, True)


def test_a_drag_can_go_on_after_it_came_back_to_where_it_began(history):
    history.do(set_muted(1, True))
    history.undo()
    drag = object()
    for value in (2.0, 1.0, 3.0, 4.0):
        history.do(set_gain(3, value), drag)
    assert (history.n_steps, history.redo_text) == (1, None)
    history.undo()
    assert gains(history) == [1.0] * 4


@pytest.mark.parametrize("steps_between", [("undo",), ("undo", "redo")])
def test_after_an_undo_nothing_merges_with_what_was_before(history, steps_between):
    history.do(set_gain(2, 2.0))
    history.do(set_muted(1, True))
    for step in steps_between:
        getattr(history, step)()
    n_steps = history.n_steps
    history.do(set_gain(2, 3.0))
    assert history.n_steps == n_steps + 1


def test_a_refused_edit_changes_nothing(history):
    history.do(set_muted(1, True))
    history.do(set_muted(2, True))
    history.undo()
    before = history.scene
    with pytest.raises(UserError):
        history.do(set_gain(2, float("nan")))
    assert history.scene is before
    assert (history.n_steps, history.redo_text) == (1, "Mute head")


def test_a_refused_edit_in_mid_drag_does_not_end_it(history):
    drag = object()
    history.do(SetSequenceLength(7), drag)
    with pytest.raises(UserError):
        history.do(SetSequenceLength(0), drag)
    history.do(SetSequenceLength(8), drag)
    assert history.n_steps == 1


def test_a_drag_is_over_after_an_undo_and_redo_is_still_there(history, four_heads):
    drag = object()
    history.do(set_gain(2, 2.0), drag)
    history.undo()
    assert not history.do(set_gain(2, 3.0), drag)
    assert history.scene is four_heads
    history.redo()
    assert gains(history) == [1.0, 2.0, 1.0, 1.0]
    assert not history.do(set_gain(2, 3.0), drag)
    assert history.n_steps == 1


def test_a_drag_is_over_after_another_edit(history):
    drag = object()
    assert history.do(set_gain(2, 2.0), drag)
    history.do(set_muted(1, True))
    for value in (3.0, 4.0):
        assert not history.do(set_gain(2, value), drag)
    assert (gains(history), history.n_steps) == ([1.0, 2.0, 1.0, 1.0], 2)
    assert history.do(set_gain(2, 3.0), object())


def test_a_drag_that_has_changed_nothing_yet_goes_on_after_another_edit(history):
    drag = object()
    history.do(set_gain(2, 1.0), drag)
    history.do(set_muted(1, True))
    assert history.do(set_gain(2, 2.0), drag)


def test_a_drag_that_had_gone_further_ends_where_it_is_returned_to(history, four_heads):
    drag = object()
    history.do(set_gain(1, 2.0), drag)
    mark = history.mark
    history.do(set_gain(1, 3.0), drag)
    history.do(set_muted(2, True))
    history.return_to(mark)
    assert (history.scene, history.n_steps, history.redo_text) == (mark.scene, 1, None)
    assert history.do(set_gain(1, 4.0), drag) is False
    history.undo()
    assert history.scene is four_heads


@pytest.mark.parametrize("n_steps", [1, MAX_STEPS])
def test_the_scene_that_is_returned_to_is_kept_where_it_was(history, two_heads, n_steps):
    """Though another scene is opened in the place of its step, or of one that was let go."""
    for value in range(n_steps):
        history.do(SetMasterGain(2.0 + value), object())
    mark, other = history.mark, Origin(kept=two_heads)
    if n_steps == 1:
        history.undo()
    history.do(OpenScene(two_heads), origin=other)
    assert history.n_steps == n_steps
    history.return_to(mark)
    assert history.scene is mark.scene
    assert history.origin is mark.origin is not other


def test_what_was_undone_and_done_otherwise_is_there_again(history):
    history.do(SetMasterGain(2.0), object())
    history.do(set_muted(1, True))
    history.undo()
    mark, steps = history.mark, history.steps
    history.undo()
    history.do(SetMasterGain(3.0), object())
    history.do(SetMasterGain(4.0), object())
    history.return_to(mark)
    assert history.scene is mark.scene
    assert history.steps == steps
    assert (history.n_steps, history.redo_text) == (1, "Mute head")


def test_what_is_returned_from_is_no_more_though_steps_were_let_go_meanwhile(history):
    for value in range(MAX_STEPS):
        history.do(SetMasterGain(2.0 + value), object())
    mark = history.mark
    for value in (0.25, 0.5, 0.75):
        history.do(SetMasterGain(value), object())
    history.return_to(mark)
    assert history.scene is mark.scene
    history.undo()
    assert history.scene.master_gain == MAX_STEPS


def test_only_the_last_five_hundred_steps_are_kept(history):
    for value in range(MAX_STEPS + 20):
        history.do(SetMasterGain(value), object())
    assert history.n_steps == MAX_STEPS
    while history.undo_text:
        history.undo()
    assert history.scene.master_gain == 19.0
    while history.redo_text:
        history.redo()
    assert history.scene.master_gain == MAX_STEPS + 19.0


def test_steps_share_what_they_do_not_change(four_heads):
    history = History(SetSequenceLength(1024).apply(four_heads))
    x, w_o, others = history.scene.x, history.scene.w_o, history.scene.heads[1:]
    for value in range(2, 502):
        history.do(set_gain(1, value), object())
    assert history.n_steps == 500
    while history.undo_text:
        scene = history.scene
        assert scene.x is x
        assert scene.w_o is w_o
        assert scene.heads[0].w_v is four_heads.heads[0].w_v
        assert all(one is other for one, other in zip(scene.heads[1:], others, strict=True))
        history.undo()


def test_steps_of_large_arrays_are_kept_up_to_a_quarter_of_a_gigabyte():
    heads = tuple(Head(uid, "h", Pattern.SELF, np.zeros((256, 64))) for uid in range(1, 33))
    history = History(
        Scene("large", "", heads, one_hot_tokens(2, 256), np.zeros((32 * 64, 256)), 2)
    )
    for value in range(1, 101):
        history.do(set_gain(1, float(-value)), object())  # costs nothing, and is not forgotten
        history.do(SetProjectionBlock(0, 0, np.array([[float(value)]])), object())
    assert history.n_steps == 2 * 2**28 // (8 * 32 * 64 * 256)
    while history.undo_text:
        history.undo()
    assert history.scene.w_o[0, 0] == 100 - 64
    while history.redo_text:
        history.redo()
    assert history.scene.w_o[0, 0] == 100


def test_undoing_a_removal_brings_the_block_back(history, four_heads):
    history.do(SetProjectionBlock(2, 0, np.array([[5.0]])))
    edited = history.scene
    history.do(RemoveHead(2))
    history.undo()
    assert history.scene is edited
    history.undo()
    assert history.scene is four_heads


# --------------------------------------------------------------------------------- against a model


@dataclass
class Model:
    """The states of the scene as a plain list, and which of them is on the bench."""

    states: list
    texts: list = field(default_factory=list)
    at: int = 0
    open_step: tuple | None = None  # (merge key, gesture, time, states and texts it cut off)
    held: object = None  # the gesture of the last change
    over: list = field(default_factory=list)  # gestures that were interrupted

    def do(self, edit, gesture, now):
        after = edit.apply(self.states[self.at])
        if after == self.states[self.at] or (gesture is not None and gesture in self.over):
            return
        if gesture is not self.held:
            self.over.append(self.held)
            self.held = gesture
        if self._grows(edit, gesture, now):
            key, gesture, _, cut = self.open_step
            self.open_step = (key, gesture, now, cut)
        else:
            cut = (self.states[self.at + 1 :], self.texts[self.at :])
            self.open_step = (edit.merge_key, gesture, now, cut)
            self.at += 1
        self.states[self.at :], self.texts[self.at - 1 :] = [after], [edit.text]
        if after == self.states[self.at - 1]:
            self.at -= 1
            self.states[self.at + 1 :], self.texts[self.at :] = cut
            self.open_step = None

    def _grows(self, edit, gesture, now):
        if self.open_step is None or edit.merge_key is None:
            return False
        key, its_gesture, then, _ = self.open_step
        close = gesture is not None or now - then < 1.0
        return edit.merge_key == key and gesture is its_gesture and close

    def move(self, by):
        if 0 <= self.at + by < len(self.states):
            self.at += by
            self.open_step = None
            self.over.append(self.held)


class Machine(RuleBasedStateMachine):
    """Edits, gestures, waits, undos and redos in any order, on a History and on the model."""

    def __init__(self, scenes, draw_edit):
        super().__init__()
        self.scenes, self.draw_edit = scenes, draw_edit

    @initialize(data=st.data())
    def open(self, data):
        scene = data.draw(self.scenes)
        self.clock, self.gesture = Clock(), None
        self.history, self.model = History(scene, self.clock), Model([scene])

    def edit(self, edit):
        self.model.do(edit, self.gesture, self.clock.now)
        self.history.do(edit, self.gesture)

    @rule(data=st.data())
    def any_edit(self, data):
        self.edit(self.draw_edit(data.draw, self.history.scene))

    @rule(master=st.booleans(), value=st.sampled_from([1.0, 2.0]))
    def turn_a_knob(self, master, value):
        """Few knobs with few values, so that gestures and bursts meet and come back."""
        uid = self.history.scene.heads[0].uid
        self.edit(SetMasterGain(value) if master else set_gain(uid, value))

    @rule()
    def press(self):
        self.gesture = object()

    @rule()
    def release(self):
        self.gesture = None

    @rule(seconds=st.sampled_from([0.3, 0.99, 1.0, 5.0]))
    def wait(self, seconds):
        self.clock.now += seconds

    @rule()
    def undo(self):
        self.model.move(-1)
        self.history.undo()

    @rule()
    def redo(self):
        self.model.move(+1)
        self.history.redo()

    @invariant()
    def they_agree(self):
        model, history = self.model, self.history
        assert history.scene == model.states[model.at]
        assert history.n_steps == model.at
        assert history.undo_text == (model.texts[model.at - 1] if model.at else None)
        assert history.redo_text == dict(enumerate(model.texts)).get(model.at)


def test_history_is_a_list_of_states(scenes, draw_edit):
    run_state_machine_as_test(
        lambda: Machine(scenes, draw_edit),
        settings=settings(max_examples=60, stateful_step_count=40),
    )
