"""What is open, shown by words and by tokens again: by the menu, the keyboard, an undo."""

from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QPushButton

from mhagui.document import load_lesson
from mhagui.document.capture import Capture, CapturedLayer
from mhagui.document.captured_words import by_words
from mhagui.document.edits import set_gain
from mhagui.gui import questions, view_window
from mhagui.gui.capture_commands import TOKENS_AGAIN
from mhagui.gui.capture_session import Opened
from mhagui.gui.view_window import ViewWindow
from mhagui.home import Home
from mhagui.models import open_model

PIECES = ("The", "Ġun", "happy", "Ġcat", "s", "Ġsat")
WORDS = ("The", "unhappy", "cats", "sat")


@pytest.fixture
def action(window):
    return window.findChild(QAction, "words")


@pytest.fixture
def opened(attention):
    layers = [CapturedLayer(number, given=attention(3, 6, 6)) for number in (2, 7)]
    mask = np.tri(6, dtype=bool)
    layers = [CapturedLayer(each.number, given=each.given, allowed=mask) for each in layers]
    return Opened(Capture("made up", tuple(layers), PIECES, PIECES))


@pytest.fixture
def tokens_file(tmp_path, attention):
    path = tmp_path / "attn.npz"
    np.savez(path, tokens=np.array(PIECES), layer_2=attention(3, 6, 6), layer_7=attention(3, 6, 6))
    return path


def shown(window):
    return window.bench.frame.scene.tokens


def test_a_shortcut_shows_the_layer_by_words_and_by_tokens_again(
    window, action, opened, settle, qtbot
):
    window.captures.open(opened, 7)
    window.bench.point(head=2, query=4, key=2)
    settle()
    assert (action.isEnabled(), action.isChecked()) == (True, False)
    QTest.keyClick(
        window,
        Qt.Key.Key_W,
        Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier,
    )
    settle()
    assert action.isChecked()
    assert shown(window) == WORDS
    assert "6 tokens make 4 words" in window.statusBar().currentMessage()
    merged = by_words(opened.capture).layer(7).weights
    for head, weights in zip(window.bench.frame.result.heads, merged, strict=True):
        np.testing.assert_array_equal(head.weights, weights)
    cursor = window.bench.view.cursor
    assert (cursor.head, cursor.query, cursor.key) == (2, 2, 1)  # cats looks at unhappy
    assert window.captures.layer == 7
    assert not window.files.is_modified
    action.trigger()
    settle()
    assert not action.isChecked()
    assert (len(shown(window)), window.captures.layer) == (6, 7)
    assert window.captures.opened is opened
    assert window.statusBar().currentMessage() == TOKENS_AGAIN


def test_an_undo_brings_back_the_tokens_everywhere_and_a_redo_the_words(
    window, action, opened, settle
):
    window.captures.open(opened)
    action.trigger()
    settle()
    by_now = window.captures.capture
    window.bench.undo()
    settle()
    assert not action.isChecked()
    assert (window.captures.opened, window.captures.layer) == (opened, 2)
    window.bench.redo()
    settle()
    assert action.isChecked()
    assert (window.captures.capture, window.captures.layer) == (by_now, 2)
    window.bench.go_to(0)  # what was there before anything was open
    settle()
    assert action.isChecked()
    assert window.captures.layer is None


def test_the_other_layers_come_by_words(window, action, opened, settle):
    window.captures.open(opened)
    action.trigger()
    assert window.captures.show(7, 1)
    settle()
    assert shown(window) == WORDS
    np.testing.assert_array_equal(
        window.bench.scene.heads[1].a, by_words(opened.capture).layer(7).weights[1]
    )


def test_unsaved_work_is_asked_about_and_may_stay(
    window, action, opened, settle, unsaved, monkeypatch
):
    window.captures.open(opened)
    window.bench.edit(set_gain(1, 2.0))
    changed = window.bench.scene
    monkeypatch.setattr(questions, "ask_to_leave", lambda *_: questions.Leave.CANCEL)
    action.trigger()
    settle()
    assert window.bench.scene is changed
    assert not action.isChecked()
    assert window.captures.opened is opened
    monkeypatch.undo()


def test_where_another_scene_is_on_the_bench_it_stays(window, action, opened, settle):
    window.captures.open(opened)
    window.bench.undo()
    settle()
    scene = window.bench.scene
    action.trigger()
    settle()
    assert action.isChecked()
    assert window.bench.scene is scene
    assert window.captures.capture.query_tokens == WORDS


def test_where_there_is_nothing_to_merge_it_says_why(
    window, action, attention, layers_file, qtbot, settle
):
    assert not action.isEnabled()  # with nothing open
    window.openings.open(layers_file.path)
    qtbot.waitUntil(lambda: window.captures.capture is not None)
    alone = CapturedLayer(0, given=attention(2, 4, 4))
    for capture, why_not in (
        (None, "each of the 5 tokens is a word"),
        (Capture("alone", (alone,)), "There are no tokens that words could be made of"),
    ):
        if capture is not None:
            window.captures.open(Opened(capture))
        settle()
        scene = window.bench.scene
        assert action.isEnabled()
        action.trigger()
        assert why_not in window.findChild(QLabel, "refusal").text()
        assert not action.isChecked()
        assert window.bench.scene is scene


def test_what_the_bench_cannot_hold_by_words_is_by_words_all_the_same(
    window, action, attention, settle, qtbot
):
    # By a window of three tokens the four words see 1, 2, 3 and 2 words.
    seen = np.tri(6, dtype=bool) & ~np.tri(6, k=-3, dtype=bool)
    layer = CapturedLayer(0, given=attention(2, 6, 6) * seen, allowed=seen)
    pieces = ("Ġa", "Ġb", "Ġc", "d", "e", "Ġf")
    window.captures.open(Opened(Capture("window", (layer,), pieces, pieces)))
    settle()
    scene = window.bench.scene
    assert scene.n_positions == 6
    with qtbot.waitSignal(window.files.failed) as told:
        action.trigger()
    assert "a mask that the bench does not know" in told.args[0]
    assert action.isChecked()
    assert window.bench.scene is scene
    assert window.captures.layer is None  # what is there is a layer by tokens


def test_the_scorecard_is_of_words_and_the_scores_of_both_are_kept(
    window, action, opened, settle, qtbot, monkeypatch
):
    window.captures.open(opened)
    dock = window.docks.dock("atlasDock")
    window.docks.enter(dock)
    qtbot.waitUntil(lambda: dock._heads is not None)
    by_tokens = dock._heads.card.column("self").values
    action.trigger()
    qtbot.waitUntil(lambda: "Scored by words" in dock.notes.text())
    assert dock.state.text().startswith("6\xa0heads\xa0by\xa0words")
    by_word = dock._heads.card.column("self").values
    weights = np.concatenate([each.weights for each in by_words(opened.capture).layers])
    np.testing.assert_allclose(by_word, np.diagonal(weights, axis1=1, axis2=2).mean(axis=1))
    scored = SimpleNamespace(n=0)

    def score(*_arguments, **_more):
        scored.n += 1

    monkeypatch.setattr(dock._scoring, "score", score)
    action.trigger()
    settle()
    np.testing.assert_array_equal(dock._heads.card.column("self").values, by_tokens)
    assert "Scored by words" not in dock.notes.text()
    action.trigger()
    settle()
    np.testing.assert_array_equal(dock._heads.card.column("self").values, by_word)
    assert scored.n == 0


def test_heads_of_words_are_compared(window, action, opened, settle):
    window.captures.open(opened)
    action.trigger()
    dock = window.docks.compare
    window.docks.enter(dock)
    settle()
    titles = [dock.sides[0].source_box.itemText(n) for n in range(dock.sides[0].source_box.count())]
    assert "made up, by words" in titles
    assert "made up" not in titles


# -------------------------------------------------------------------------------- models and files


@pytest.fixture
def ran(window, tiny_model):
    """A model of bytes, run on a prompt of three words."""
    model = open_model(tiny_model)
    capture = model.run(model.tokens("the cat sat").ids).capture()
    assert window.captures.open(Opened(capture, tiny_model, model, "the cat sat"), 1)
    return capture


def test_another_prompt_of_the_model_is_shown_by_words_too(
    window, action, ran, settle, qtbot, dialog_of
):
    action.trigger()
    settle()
    assert shown(window) == ("the", "cat", "sat")
    window.findChild(QAction, "prompt").trigger()
    dialog = dialog_of(window, "modelDialog")
    dialog.findChild(QPlainTextEdit, "modelPrompt").setPlainText("a dog")
    run = dialog.findChild(QPushButton, "modelRun")
    qtbot.waitUntil(run.isEnabled)
    qtbot.mouseClick(run, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.captures.opened.prompt == "a dog")
    settle()
    assert shown(window) == ("a", "dog")
    assert window.captures.layer == 1
    assert action.isChecked()


def test_the_model_is_not_run_while_the_bench_shows_words(window, action, ran, settle):
    lab = window.docks.dock("ablationLabDock")
    window.docks.enter(lab)
    action.trigger()
    settle()
    assert "no values" in " ".join(each.text() for each in lab.findChildren(QLabel))
    window.bench.open(load_lesson("four-heads"))
    next(button for button, page in lab.pages.items() if page is lab.next_token).click()
    settle()
    assert "a model runs on tokens" in lab.next_token.state.text()
    assert not lab.next_token.button.isVisible()


def test_a_file_is_opened_by_words_where_that_is_asked_for(window, action, tokens_file, qtbot):
    window.openings.open(tokens_file, by_words=True)
    qtbot.waitUntil(lambda: window.captures.capture is not None)
    assert action.isChecked()
    assert window.captures.layer == 2
    action.trigger()  # and can be turned back
    assert window.captures.capture.query_tokens == PIECES
    action.trigger()
    window.openings.open(tokens_file)  # which is asked for each time
    qtbot.waitUntil(lambda: window.captures.capture.query_tokens == PIECES)
    assert not action.isChecked()


def test_what_cannot_be_opened_by_words_is_open_by_tokens_and_says_so(
    window, action, layers_file, qtbot, settle
):
    window.openings.open(layers_file.path, by_words=True)
    qtbot.waitUntil(lambda: window.captures.capture is not None)
    settle()
    told = window.statusBar().currentMessage()
    assert "is open with all its tokens" in told
    assert "each of the 5 tokens is a word" in told
    assert not action.isChecked()


@pytest.fixture
def session(window, tokens_file, tmp_path, qtbot):
    """A session of layer 7 by words; something else is open now."""
    window.openings.open(tokens_file, by_words=True)
    qtbot.waitUntil(lambda: window.captures.capture is not None)
    assert window.captures.show(7)
    path = tmp_path / "words.mhascene"
    assert window.files.write(path)
    weights = CapturedLayer(0, given=np.eye(6)[np.newaxis])
    assert window.captures.open(Opened(Capture("other", (weights,), PIECES, PIECES)))
    return path


def test_a_session_of_words_has_them_open_again(window, action, session, qtbot):
    window.openings.open(session)
    bar = window.notices
    qtbot.waitUntil(
        lambda: "layer 7, by words, of attn.npz" in window.findChild(QLabel, "notice").text()
    )
    button = next(each for each in bar.findChildren(QPushButton) if "Open" in each.text())
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.captures.layer == 7)
    assert action.isChecked()
    assert window.captures.capture.query_tokens == WORDS
    assert window.bench.scene.tokens == WORDS


def test_a_session_of_words_is_known_where_its_file_is_open_by_tokens(
    window, action, session, tokens_file, qtbot, settle
):
    window.openings.open(tokens_file)
    qtbot.waitUntil(lambda: window.captures.capture.query_tokens == PIECES)
    settle()
    assert not action.isChecked()
    window.openings.open(session)
    qtbot.waitUntil(lambda: window.captures.layer == 7)
    assert action.isChecked()
    assert window.captures.capture.query_tokens == WORDS


@pytest.mark.thorough
def test_a_window_from_python_goes_on_with_what_is_by_words(opened, tmp_path, monkeypatch):
    monkeypatch.setattr(view_window, "set_up", lambda app: None)  # the tests' own style stays
    window = ViewWindow(by_words(opened.capture), home=Home.below(tmp_path))
    assert window.scene.tokens == WORDS
    inner = window._window
    inner.findChild(QAction, "words").trigger()
    assert len(window.scene.tokens) == 6
    window.show(7, 1)  # in whichever way it is shown now
    assert (len(window.scene.tokens), inner.captures.layer) == (6, 7)
    window.close()
