"""What was found is offered: recovered, discarded, or left for the next time."""

import os
import shutil
from datetime import datetime

from mhagui.document import load_lesson
from mhagui.document.edits import set_gain
from mhagui.document.origin import Origin
from mhagui.gui import questions
from mhagui.gui import recovery as module
from mhagui.gui.recovery import RecoveryOffer


def test_recover_brings_the_very_work_back_as_unsaved(
    window, leave, bench, kept, folder, settle, dead
):
    scene = leave(2.5)
    window.offer.make()
    at = datetime.fromtimestamp((dead / "unsaved.mhascene").stat().st_mtime)
    assert window.notice() == (
        f"mhagui ended unexpectedly; unsaved work on “four heads” was kept at {at:%H:%M}."
    )
    window.press("&Recover")
    settle()
    assert bench.scene == scene
    assert window.files.is_modified
    ((path, session),) = kept()  # this window's own by now
    assert session.scene == scene
    assert path == window.recovery._place_of(window.files.origin).file
    assert not window.notices.isVisible()


def test_discard_removes_it_when_that_is_meant(window, leave, bench, kept, monkeypatch):
    leave(2.5)
    before = bench.scene
    window.offer.make()
    monkeypatch.setattr(questions, "ask_to_forget", lambda *_: False)
    window.press("D&iscard")
    assert window.notices.isVisible()  # it is offered still
    assert len(kept()) == 1
    monkeypatch.setattr(questions, "ask_to_forget", lambda *_: True)
    window.press("D&iscard")
    assert not window.notices.isVisible()
    assert bench.scene is before
    assert kept() == []


def test_recovered_work_that_an_undo_left_is_offered_at_the_next_start(
    window, leave, bench, open_window
):
    scene = leave(2.5)
    window.offer.make()
    window.press("&Recover")
    assert bench.scene == scene
    bench.undo()
    assert not window.files.is_modified  # closing asks nothing
    window.leave()
    (found,) = open_window().recovery.found()
    assert found.session.scene == scene


def test_work_that_was_left_on_purpose_is_not_offered(window, bench, kept, unsaved):
    bench.edit(set_gain(1, 2.0))
    assert window.recovery.keep_now()
    assert window.files.lay_out(load_lesson("two-heads"))  # discarded, says the question
    assert unsaved == ["four heads"]
    assert kept() == []
    bench.undo()  # it is back, and unsaved again
    assert window.recovery.keep_now()
    assert [session.scene.heads[0].gain for _, session in kept()] == [2.0]


def test_every_unsaved_work_has_a_place_of_its_own(window, leave, bench, kept):
    leave(2.5)
    bench.edit(set_gain(2, 3.5))
    assert window.recovery.keep_now()
    found = window.recovery.found()[0]
    bench.open(found.session.scene, Origin())  # with no question
    window.recovery.take(found)
    bench.edit(set_gain(1, 4.5))
    assert window.recovery.keep_now()
    gains = [[head.gain for head in session.scene.heads[:2]] for _, session in kept()]
    assert sorted(gains) == [[1.0, 3.5], [4.5, 1.0]]


def test_left_unanswered_it_is_offered_again(window, leave, open_window):
    leave(2.5)
    window.offer.make()
    window.leave()
    other = open_window()
    other.offer.make()
    assert "“four heads”" in other.notice()


def test_refused_in_favour_of_what_is_there_it_stays(window, leave, bench, folder, dead):
    leave(2.5)
    before = bench.scene
    RecoveryOffer(window.recovery, window.notices, lambda _session: False).make()
    window.press("&Recover")
    assert bench.scene is before
    assert (dead / "unsaved.mhascene").exists()


def test_what_cannot_be_kept_anew_stays_as_it_was(window, leave, bench, kept, monkeypatch):
    leave(2.5)
    window.offer.make()

    def full(path, data):
        raise module.UserError(f"{path} cannot be written: the disk is full.")

    monkeypatch.setattr(module, "write_atomically", full)
    window.press("&Recover")
    bench.edit(set_gain(1, 3.0))
    assert not window.recovery.keep_now()
    assert "the disk is full" in window.said[0]
    assert [session.scene.heads[0].gain for _, session in kept()] == [2.5]


def test_two_that_read_alike_are_two_offers(window, leave, bench, folder, monkeypatch, an_id):
    monkeypatch.setattr(questions, "ask_to_forget", lambda *_: True)
    for name in (an_id("one"), an_id("two")):
        leave(2.5, name)
        os.utime(folder / name / "unsaved.mhascene", (1_790_000_000, 1_790_000_000))
    window.offer.make()
    day = datetime.fromtimestamp(1_790_000_000)
    for number in (1, 2):
        assert window.notice() == (
            "mhagui ended unexpectedly; unsaved work on “four heads” was kept "
            f"on {day:%Y-%m-%d} at {day:%H:%M} ({number} of 2)."
        )
        window.press("D&iscard")
    assert not window.notices.isVisible()


def test_the_file_it_belongs_to_comes_back_with_it(
    window, bench, tmp_path, folder, open_window, dead
):
    path = tmp_path / "mine.mhascene"
    window.files.write(path)
    bench.edit(set_gain(1, 2.5))
    assert window.recovery.keep_now()
    shutil.copytree(window.recovery._place_of(window.files.origin).file.parent, dead)
    window.files.write(path)
    assert window.files.lay_out(load_lesson("two-heads"))
    assert window.files.state.path is None
    window.offer.make()
    window.press("&Recover")
    assert window.files.state.path == path
    assert window.files.is_modified
