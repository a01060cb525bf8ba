"""Random work on a scene, undone, redone, saved and opened, against a list of scenes."""

import os
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from mhagui.document import History, ViewState, lesson_names, load_lesson
from mhagui.document.edits import OpenScene, RemoveHead, SetSequenceLength, set_gain
from mhagui.document.origin import Origin
from mhagui.document.session import Session
from mhagui.document.session_file import read_session, write_session
from mhagui.document.view_state import Cursor
from mhagui.errors import UserError

# `make reliability` asks for more.
N_EXAMPLES = int(os.environ.get("MHAGUI_MACHINE_EXAMPLES", "30"))
N_STEPS = 50

numbers = st.floats(-1e6, 1e6) | st.sampled_from([0.0, -0.0, 1e-300, 1e30, -1e30, 1 / 3])


class Work(RuleBasedStateMachine):
    """The model: every scene there was, which of them is on the bench, and what the files hold."""

    files = Bundle("files")
    steps: ClassVar[Counter[str]] = Counter()

    def __init__(self, draw_edit):
        super().__init__()
        self.draw_edit = draw_edit

    @initialize(lesson=st.sampled_from(lesson_names()))
    def begin(self, lesson):
        self.now = 0.0
        self.history = History(load_lesson(lesson), clock=lambda: self.now)
        self.scenes, self.at = [self.history.scene], 0
        self.origins = [self.history.origin]
        self.kept = {id(self.history.origin): self.history.scene}
        self.on_disk = {}
        self.folder = TemporaryDirectory()
        self.n_files = 0

    def teardown(self):
        if hasattr(self, "folder"):
            self.folder.cleanup()

    def expect(self, scene, origin):
        """Note in the model that ``scene`` has come to the bench."""
        self.scenes[self.at + 1 :] = [scene]
        self.origins[self.at + 1 :] = [origin]
        self.at += 1

    @rule(data=st.data())
    def edit(self, data):
        self.do(self.draw_edit(data.draw, self.history.scene))

    @rule(uid=st.integers(1, 5), number=numbers, length=st.integers(1, 12))
    def edit_that_may_be_refused(self, uid, number, length):
        for edit in (set_gain(uid, number), RemoveHead(uid), SetSequenceLength(length)):
            self.do(edit)

    @rule(lesson=st.sampled_from(lesson_names()))
    def open_lesson(self, lesson):
        self.do(OpenScene(load_lesson(lesson)))

    def do(self, edit):
        self.steps["edit"] += 1
        self.now += 10  # no burst: each is a step of its own
        try:
            after = edit.apply(self.scenes[self.at])
        except UserError:
            with pytest.raises(UserError):
                self.history.do(edit)
            return
        self.history.do(edit)
        if after != self.scenes[self.at]:
            self.expect(after, self.origins[self.at])

    @rule(gains=st.lists(numbers, min_size=1, max_size=6))
    def drag(self, gains):
        """A gesture of many edits is one step, or none where it comes back."""
        self.steps["drag"] += 1
        gesture, uid = object(), self.history.scene.heads[-1].uid
        try:
            after = set_gain(uid, gains[-1]).apply(self.scenes[self.at])
            for gain in gains:
                set_gain(uid, gain).apply(self.scenes[self.at])
        except UserError:
            return
        for gain in gains:
            self.history.do(set_gain(uid, gain), gesture)
        if after != self.scenes[self.at]:
            self.expect(after, self.origins[self.at])

    @rule()
    def undo(self):
        self.steps["undo"] += 1
        self.history.undo()
        self.at = max(self.at - 1, 0)

    @rule()
    def redo(self):
        self.steps["redo"] += 1
        self.history.redo()
        self.at = min(self.at + 1, len(self.scenes) - 1)

    @rule(target=files, suffix=st.sampled_from(["mhascene", "json"]), data=st.data())
    def save(self, suffix, data):
        self.steps["save"] += 1
        scene = self.history.scene
        self.n_files += 1
        path = Path(self.folder.name) / f"{data.draw(st.integers(1, self.n_files))}.{suffix}"
        row = data.draw(st.integers(0, scene.n_positions - 1))
        cursor = Cursor(scene.heads[-1].uid, row, 0)
        session = Session(scene, ViewState(cursor, stage=row % 3))
        write_session(path, session)
        self.history.origin.kept = scene
        self.kept[id(self.history.origin)] = scene
        self.on_disk[path] = session
        return path

    @rule(path=files)
    def load(self, path):
        self.steps["load"] += 1
        session = read_session(path)
        assert session.scene == self.on_disk[path].scene
        assert session.view == self.on_disk[path].view
        uids = [head.uid for head in session.scene.heads]
        assert uids == [head.uid for head in self.on_disk[path].scene.heads]
        origin = Origin(path, session.scene)
        self.kept[id(origin)] = session.scene
        self.history.do(OpenScene(session.scene), origin=origin)
        self.expect(self.on_disk[path].scene, origin)

    @precondition(lambda self: hasattr(self, "history"))
    @invariant()
    def bench_and_model_are_equal(self):
        scene = self.scenes[self.at]
        assert self.history.scene == scene
        assert self.history.origin is self.origins[self.at]
        assert self.history.n_steps == self.at
        assert (self.history.redo_text is None) == (self.at == len(self.scenes) - 1)
        kept = self.kept[id(self.origins[self.at])]
        assert self.history.is_modified == (scene != kept)


@pytest.mark.timeout(1800)  # `make reliability` asks for many
def test_random_work_equals_a_list_of_scenes_at_every_step(draw_edit):
    Work.steps.clear()
    run_state_machine_as_test(
        lambda: Work(draw_edit),
        settings=settings(
            max_examples=N_EXAMPLES,
            stateful_step_count=N_STEPS,
            suppress_health_check=list(HealthCheck),
        ),
    )
    print(Work.steps.total(), "steps:", dict(Work.steps))
    if N_EXAMPLES >= 1000:  # in a few runs it may happen that nothing is opened
        names = ("edit", "drag", "undo", "redo", "save", "load")
        assert min(Work.steps[name] for name in names) > 0
    assert Work.steps.total() > 20 * N_EXAMPLES
