from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QHelpEvent, QMouseEvent, QPalette
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QToolTip

from mhagui.document import load_lesson
from mhagui.document.capture import Capture, CapturedLayer
from mhagui.document.captured_scene import scene_of
from mhagui.document.edits import OpenScene, SetSequenceLength, set_muted
from mhagui.document.token_edits import SetTokens, why_tokens_stay
from mhagui.gui.docks.tokens import TokensDock
from mhagui.gui.status import StatusBar
from mhagui.gui.theme import ThemeChoice, apply_theme
from mhagui.gui.widgets.token_strip import TokenStrip

KEY, LEFT = Qt.Key, Qt.MouseButton.LeftButton
NONE = Qt.KeyboardModifier.NoModifier
SHIFT, CONTROL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
AT_FIRST = "cat sat on the red mat"


@pytest.fixture
def dock(bench, open_dock):
    bench.edit(OpenScene(load_lesson("content-position")))
    return open_dock(TokensDock, 680, 80)


@pytest.fixture
def strip(dock) -> TokenStrip:
    strip = dock.findChild(TokenStrip, "tokenStrip")
    strip.setFocus()
    return strip


@pytest.fixture
def field(dock) -> QLineEdit:
    return dock.findChild(QLineEdit, "tokenSequence")


def words(bench):
    return " ".join(bench.scene.tokens)


def middle(strip, place):
    return strip.chip(place).center().toPoint()


def between(strip, place):
    """The place between a chip and the one before it."""
    return QPoint(round(strip.chip(place).left()) - 1, middle(strip, place).y())


def drag_to(strip, spot, modifiers=NONE, buttons=LEFT):
    place = QPointF(spot)
    event = QMouseEvent(
        QEvent.Type.MouseMove, place, QPointF(strip.mapToGlobal(spot)),
        Qt.MouseButton.NoButton, buttons, modifiers,
    )  # fmt: skip
    QApplication.sendEvent(strip, event)


@pytest.fixture
def drag(qtbot, strip, settle):
    """A function that drags a chip over some places, and lets go at the last."""

    def drag(source, *spots, modifiers=NONE):
        qtbot.mousePress(strip, LEFT, pos=middle(strip, source))
        for spot in spots:
            drag_to(strip, spot, modifiers)
            settle()
        qtbot.mouseRelease(strip, LEFT, pos=spots[-1])
        settle()

    return drag


# ----------------------------------------------------------------------------------- dragging chips


def test_a_chip_dropped_on_another_changes_places_with_it(bench, strip, drag):
    drag(0, middle(strip, 2), middle(strip, 3))
    assert words(bench) == "the sat on cat red mat"
    assert bench.history.undo_text == "Swap t1 and t4"
    bench.undo()
    assert words(bench) == AT_FIRST


@pytest.mark.parametrize(
    ("source", "gap", "after"),
    [
        (0, 3, "sat on cat the red mat"),
        (4, 1, "cat red sat on the mat"),
        (2, 2, AT_FIRST),
        (2, 3, AT_FIRST),
    ],
)
def test_a_chip_dropped_between_others_moves_there(bench, strip, drag, source, gap, after):
    drag(source, middle(strip, gap), between(strip, gap))
    assert words(bench) == after


def test_a_chip_dropped_with_ctrl_is_repeated(bench, strip, drag):
    drag(0, middle(strip, 4), modifiers=CONTROL)
    assert words(bench) == "cat sat on the cat mat"
    assert bench.history.undo_text == "Repeat t1 at t5"


def test_the_heads_follow_while_the_chip_is_dragged(qtbot, bench, strip, settle):
    first = bench.frame.result.heads
    qtbot.mousePress(strip, LEFT, pos=middle(strip, 0))
    for place in (1, 2, 3):
        drag_to(strip, middle(strip, place))
        settle()
        now = bench.frame.result.heads
        assert int(now[0].weights[5].argmax()) == place
        for head in (1, 2):
            assert np.array_equal(now[head].weights, first[head].weights)
        assert bench.view.cursor.query == place
    qtbot.mouseRelease(strip, LEFT, pos=middle(strip, 3))
    bench.undo()
    assert words(bench) == AT_FIRST


def test_escape_lets_go_and_nothing_has_been(qtbot, bench, strip, settle):
    steps = bench.history.n_steps
    qtbot.mousePress(strip, LEFT, pos=middle(strip, 0))
    drag_to(strip, middle(strip, 3))
    settle()
    assert words(bench) != AT_FIRST
    qtbot.keyClick(strip, KEY.Key_Escape)
    assert words(bench) == AT_FIRST
    assert (bench.history.n_steps, bench.view.cursor.query) == (steps, 0)
    drag_to(strip, middle(strip, 4))
    qtbot.mouseRelease(strip, LEFT, pos=middle(strip, 4))
    assert words(bench) == AT_FIRST


def test_a_drag_ends_where_other_tokens_are_set(qtbot, bench, strip, settle):
    qtbot.mousePress(strip, LEFT, pos=middle(strip, 0))
    drag_to(strip, middle(strip, 3))
    settle()
    bench.edit(SetTokens(("mat", "mat", "mat", "mat", "mat", "cat")))
    settle()
    for place in (4, 5):
        drag_to(strip, middle(strip, place))
    assert words(bench) == "mat mat mat mat mat cat"
    assert not strip.is_dragging
    qtbot.keyClick(strip, KEY.Key_Escape)
    assert words(bench) == "mat mat mat mat mat cat"


def test_a_drag_ends_with_an_undo(qtbot, bench, strip, settle):
    qtbot.mousePress(strip, LEFT, pos=middle(strip, 0))
    drag_to(strip, middle(strip, 3))
    settle()
    bench.undo()
    settle()
    drag_to(strip, middle(strip, 4))
    assert words(bench) == AT_FIRST
    assert bench.history.redo_text == "Swap t1 and t4"


def test_far_from_the_row_nothing_is_dropped(bench, strip, drag):
    drag(0, middle(strip, 3), middle(strip, 3) + QPoint(0, 300))
    assert words(bench) == AT_FIRST


def test_ctrl_counts_when_it_is_pressed_and_let_go_without_a_move(qtbot, bench, strip):
    qtbot.mousePress(strip, LEFT, pos=middle(strip, 0))
    drag_to(strip, middle(strip, 3))
    qtbot.keyPress(strip, KEY.Key_Control)
    assert words(bench) == "cat sat on cat red mat"
    assert strip.cursor().shape() == Qt.CursorShape.DragCopyCursor
    qtbot.keyRelease(strip, KEY.Key_Control, CONTROL)
    assert words(bench) == "the sat on cat red mat"
    qtbot.mouseRelease(strip, LEFT, pos=middle(strip, 3))
    assert strip.cursor().shape() == Qt.CursorShape.OpenHandCursor


def test_a_release_that_nobody_told_of_ends_the_drag(qtbot, bench, strip):
    qtbot.mousePress(strip, LEFT, pos=middle(strip, 0))
    drag_to(strip, middle(strip, 3))
    drag_to(strip, middle(strip, 4), buttons=Qt.MouseButton.NoButton)
    assert words(bench) == AT_FIRST
    assert not strip.is_dragging


def test_where_a_chip_would_land_is_to_be_seen(qtbot, strip, grabbed, settle):
    at_rest = grabbed(strip)
    qtbot.mousePress(strip, LEFT, pos=middle(strip, 0))
    drag_to(strip, middle(strip, 4))
    settle()
    target = strip.chip(4).toAlignedRect()
    shown = grabbed(strip)[target.top() : target.bottom(), target.left() : target.right()]
    was = at_rest[target.top() : target.bottom(), target.left() : target.right()]
    assert (shown != was).any(axis=2).mean() > 0.2
    qtbot.keyClick(strip, KEY.Key_Escape)


# ------------------------------------------------------------------------------ cursor and keyboard


def test_a_click_points_at_a_row_and_with_shift_at_a_key(qtbot, bench, strip):
    qtbot.mouseClick(strip, LEFT, pos=middle(strip, 5))
    qtbot.mouseClick(strip, LEFT, SHIFT, pos=middle(strip, 1))
    assert (bench.view.cursor.query, bench.view.cursor.key) == (5, 1)
    assert words(bench) == AT_FIRST


def test_arrows_move_row_and_key_and_stop_at_the_ends(qtbot, bench, strip):
    bench.point(query=1, key=4)
    QApplication.processEvents()
    qtbot.keyClick(strip, KEY.Key_Left)
    qtbot.keyClick(strip, KEY.Key_Left)
    qtbot.keyClick(strip, KEY.Key_Right, SHIFT)
    qtbot.keyClick(strip, KEY.Key_Right, SHIFT)
    assert (bench.view.cursor.query, bench.view.cursor.key) == (0, 5)
    qtbot.keyClick(strip, KEY.Key_End)
    assert bench.view.cursor.query == 5
    qtbot.keyClick(strip, KEY.Key_Home)
    assert bench.view.cursor.query == 0


def test_keys_move_swap_and_repeat(qtbot, bench, strip):
    bench.point(query=0, key=3)
    QApplication.processEvents()
    for _ in range(2):
        qtbot.keyClick(strip, KEY.Key_Right, CONTROL | SHIFT)
    assert words(bench) == "sat on cat the red mat"
    assert bench.view.cursor.query == 2
    qtbot.keyClick(strip, KEY.Key_S)
    assert words(bench) == "sat on the cat red mat"
    qtbot.keyClick(strip, KEY.Key_R)
    assert words(bench) == "sat on cat cat red mat"


def test_a_token_does_not_move_beyond_the_ends(qtbot, bench, strip, refused):
    bench.point(query=0)
    QApplication.processEvents()
    qtbot.keyClick(strip, KEY.Key_Left, CONTROL | SHIFT)
    assert words(bench) == AT_FIRST
    assert refused == []


def test_the_cursor_is_said_to_those_who_listen(bench, strip, settle):
    bench.point(query=4, key=0)
    settle()
    assert strip.accessibleDescription() == "row t5 red, key t1 cat"


# ------------------------------------------------------------------------------------- the sequence


def test_typing_a_sequence_changes_tokens_and_length(bench, field, type_in, settle):
    type_in(field, "cat  sat owl")
    settle()
    assert bench.scene.tokens == ("cat", "sat", "owl")
    assert bench.scene.n_positions == 3
    assert field.text() == "cat sat owl"
    bench.undo()
    settle()
    assert field.text() == AT_FIRST


def test_too_many_words_are_refused_and_can_be_mended(bench, field, type_in, settle, refused):
    type_in(field, "a b c d e f g")
    settle()
    assert refused == ["This scene tells 6 words apart; the sequence has 7 different ones."]
    assert (words(bench), field.text()) == (AT_FIRST, "a b c d e f g")
    type_in(field, "a b c d e f f")
    assert words(bench) == "a b c d e f f"


def test_what_was_not_entered_is_not_kept(bench, strip, field, type_in, settle):
    type_in(field, "a b c", end=None)
    strip.setFocus()
    settle()
    assert (words(bench), field.text()) == (AT_FIRST, AT_FIRST)


def test_the_field_follows_the_chips(strip, drag, field):
    drag(0, middle(strip, 1))
    assert field.text() == "sat cat on the red mat"


def test_spaces_within_a_token_survive_the_field(qtbot, bench, field, settle):
    bench.edit(SetTokens(("New York", "is", "big")))
    settle()
    assert field.text() == "New␣York is big"
    field.setFocus()
    qtbot.keyClick(field, KEY.Key_End)
    qtbot.keyClicks(field, "ger")
    qtbot.keyClick(field, KEY.Key_Return)
    assert bench.scene.tokens == ("New York", "is", "bigger")


def test_pieces_are_written_as_they_are_drawn_and_stay_what_they_are(qtbot, bench, field, settle):
    scene = replace(
        load_lesson("four-heads"),
        tokens=("The", "ĠcafÃ©", "ĠðŁ", "ĺĢ", "Ċ", "Ġ"),
        token_scheme="byte-level",
    )
    bench.edit(OpenScene(scene))
    settle()
    assert field.text() == "The ␣café ĠðŁ ĺĢ ⏎ ␣"  # of an emoji in parts there is no short sign
    field.setFocus()
    qtbot.keyClick(field, KEY.Key_Home)
    qtbot.keyClick(field, KEY.Key_Right)
    qtbot.keyClick(field, KEY.Key_Return)
    assert bench.scene.tokens == scene.tokens
    assert bench.scene.token_scheme == "byte-level"


# ------------------------------------------------------------------------------------------- looks


def test_a_scene_without_tokens_says_so(bench, dock, strip, settle):
    note = dock.findChild(QLabel, "tokensNote")
    assert strip.isVisible()
    bench.edit(OpenScene(load_lesson("four-heads")))
    settle()
    assert not strip.isVisible()
    assert note.isVisible()
    assert note.text().startswith("This scene has positions only.")
    for name in ("content-position", "induction"):
        assert load_lesson(name).title in note.text()
    bench.undo()
    settle()
    assert strip.isVisible()


@pytest.mark.parametrize("points", [9, 14])
@pytest.mark.parametrize("lesson", ["content-position", "induction"])
def test_every_word_has_room_on_its_chip(bench, dock, strip, settle, lesson, points):
    bench.edit(OpenScene(load_lesson(lesson)))
    font = QFont(dock.font())
    font.setPointSize(points)
    dock.setFont(font)
    settle()
    metrics = QFontMetricsF(strip.font())
    for place, word in enumerate(bench.scene.tokens):
        assert metrics.horizontalAdvance(word) <= strip.chip(place).width() - 8
    assert strip.chip(0).height() > 1.6 * metrics.height()
    assert strip.chip(len(bench.scene.tokens) - 1).right() <= strip.width()


def test_a_long_word_is_cut_and_told_in_full(bench, strip, settle):
    bench.edit(SetTokens(("incomprehensible", "cat")))
    settle()
    metrics = QFontMetricsF(strip.font())
    assert metrics.horizontalAdvance("incom…ible") <= strip.chip(0).width()
    assert strip.chip(0).width() < metrics.horizontalAdvance("incomprehensible")
    spot = middle(strip, 0)
    event = QHelpEvent(QEvent.Type.ToolTip, spot, strip.mapToGlobal(spot))
    QApplication.sendEvent(strip, event)
    assert QToolTip.text().startswith("t1 incomprehensible\n")
    QToolTip.hideText()
    settle()


def test_many_tokens_scroll_and_the_cursors_row_is_seen(qtbot, bench, dock, strip, settle):
    height = dock.widget().sizeHint().height()
    bench.edit(SetSequenceLength(1000))
    bench.point(query=900)
    qtbot.waitUntil(lambda: bench.frame.scene is bench.scene)
    settle()
    assert strip.visibleRegion().boundingRect().contains(middle(strip, 900))
    assert dock.width() == 680
    assert dock.widget().sizeHint().height() > height  # room for the scroll bar
    for word in ("cat", "mat"):
        assert word in dock.field.text()


def test_in_a_narrow_dock_the_field_stands_below(dock, strip, field, settle):
    def top(widget):
        return widget.mapTo(dock, QPoint()).y()

    assert top(field) < top(strip) + strip.height()
    dock.resize(320, 140)
    settle()
    assert top(field) >= top(strip) + strip.height()
    assert field.width() > 280


def test_both_themes(strip, grabbed, settle):
    light = grabbed(strip)
    apply_theme(ThemeChoice.DARK)
    settle()
    dark = grabbed(strip)
    place = strip.chip(1).toAlignedRect().center()  # the word stands below, the position above
    assert light[place.y() // 3, place.x() - 10].min() > 200
    assert dark[place.y() // 3, place.x() - 10].max() < 80


def test_what_two_layers_guess_to_come_next_is_told(bench, dock, settle):
    assert not dock.guess.isVisible()  # one layer guesses nothing
    bench.edit(OpenScene(load_lesson("induction")))
    bench.point(query=7)
    settle()
    assert dock.guess.text().startswith("t8 → “D” ")  # ^ A B C D A B C: C was followed by D
    bench.edit(set_muted(1, True))
    settle()
    assert not dock.guess.isVisible() or "“D”" not in dock.guess.text()


def test_a_text_that_was_refused_does_not_outlive_its_scene(qtbot, bench, dock, field, settle):
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, "one two three four five six seven eight")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    settle()
    bench.edit(OpenScene(load_lesson("induction")))
    settle()
    assert field.text() == "^ A B C D A B C"


# ------------------------------------------------------- tokens that heads of a real model are of


@pytest.fixture(params=["queries", "weights"])
def captured(request, bench, dock, settle):
    """A layer of a model on the bench: its heads hold queries and keys, or weights alone."""
    rng = np.random.default_rng(7)
    if request.param == "queries":
        parts = {"q": rng.normal(size=(2, 4, 3)), "k": rng.normal(size=(2, 4, 3))}
        parts |= {"x": rng.normal(size=(4, 5)), "w_v": rng.normal(size=(2, 5, 3))}
        layer = CapturedLayer(1, **parts, w_o=rng.normal(size=(6, 5)))
    else:
        layer = CapturedLayer(1, given=np.full((2, 4, 4), 0.25))
    words = {"query_tokens": ("the", " cat", " sat", " on")}
    words["key_tokens"] = words["query_tokens"]
    bench.edit(OpenScene(scene_of(Capture("made up", (layer,), **words), 1)))
    settle()
    return bench.scene


@pytest.mark.parametrize("modifiers", [NONE, CONTROL])
def test_no_token_is_dragged_away_from_what_was_made_of_it(
    bench, captured, strip, drag, refused, modifiers
):
    n_steps = bench.history.n_steps
    drag(0, middle(strip, 1), middle(strip, 2), middle(strip, 3), modifiers=modifiers)
    assert bench.scene is captured
    assert bench.history.n_steps == n_steps
    (told,) = refused  # once, however far the pointer goes
    assert "made of these tokens" in told
    assert ("Weights" if captured.heads[0].q is None else "Queries and keys") in told
    assert "Edit > Prompt" in told
    assert not strip.is_dragging
    assert strip.cursor().shape() is Qt.CursorShape.ArrowCursor
    assert told in strip.toolTip()
    assert "Drag" not in strip.toolTip()


def test_keys_move_no_such_token_either_but_the_cursor(
    qtbot, bench, captured, strip, settle, refused
):
    bench.point(query=1, key=3)
    settle()
    for key, modifiers in ((KEY.Key_S, NONE), (KEY.Key_R, NONE), (KEY.Key_Right, SHIFT | CONTROL)):
        qtbot.keyClick(strip, key, modifiers)
    assert bench.scene is captured
    assert len(refused) == 3
    qtbot.keyClick(strip, KEY.Key_Right)
    assert bench.view.cursor.query == 2
    qtbot.mouseClick(strip, LEFT, pos=middle(strip, 0))
    assert bench.view.cursor.query == 0
    assert len(refused) == 3


def test_why_tokens_stay_is_said_in_full_in_a_narrow_window(qtbot, bench, captured, strip, settle):
    bar = StatusBar()
    qtbot.addWidget(bar)
    bar.resize(1024, 24)
    bar.show_frame(bench.frame)
    bar.show()
    qtbot.keyClick(strip, KEY.Key_S)
    bar.refuse(why_tokens_stay(captured), captured)
    settle()
    said = bar.findChild(QLabel, "refusal")
    margins = said.contentsMargins()
    wanted = said.fontMetrics().horizontalAdvance(said.text()) + margins.left() + margins.right()
    assert "L1 H0" in bar.findChild(QLabel, "cursorReadout").text()
    assert wanted <= said.width()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_such_a_sequence_has_neither_ground_nor_frame(
    bench, captured, field, settle, theme, grabbed, request
):
    request.getfixturevalue(theme)
    settle()
    corners = [grabbed(field)[y, x] for x, y in ((0, 0), (-1, 0), (0, -1), (-1, -1), (-4, 8))]
    ground = field.palette().color(QPalette.ColorRole.Window)
    for corner in corners:
        assert tuple(corner[:3]) in (ground.getRgb()[:3], ground.getRgb()[2::-1])
    bench.undo()
    settle()
    assert field.hasFrame()
    assert field.palette().color(QPalette.ColorRole.Base) == QApplication.palette().color(
        QPalette.ColorRole.Base
    )


def test_such_a_sequence_is_read_and_copied_not_typed(qtbot, bench, captured, field, settle):
    assert field.isReadOnly()
    text = field.text()
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, "dog ")
    qtbot.keyClick(field, KEY.Key_Return)
    assert field.text() == text
    assert bench.scene is captured
    assert "Edit > Prompt" in field.toolTip()
    bench.undo()
    settle()
    assert not field.isReadOnly()
    assert "Enter makes it the input" in field.toolTip()


def test_a_scene_of_words_can_be_changed_again_after_it(bench, captured, strip, drag, settle):
    bench.undo()
    settle()
    drag(0, middle(strip, 2), middle(strip, 3))
    assert words(bench) == "the sat on cat red mat"
    assert strip.cursor().shape() is Qt.CursorShape.OpenHandCursor
    assert "Drag onto a token" in strip.toolTip()


def test_what_is_only_read_takes_no_room_from_the_chips(bench, dock, strip, field, settle):
    words = ("The", "photographer", "'s", "unbelievable", "mistakes", "let", "them", "down")
    layer = CapturedLayer(0, given=np.full((2, 8, 8), 0.125))
    scene = scene_of(Capture("made up", (layer,), query_tokens=words, key_tokens=words), 0)
    bench.edit(OpenScene(scene))
    settle()
    scroll, seen = strip.parentWidget().parentWidget(), set()
    for width in (1100, 780, 680, 480, 400, 1100):
        dock.resize(width, 80)
        settle()
        all_fit = scroll.width() >= strip.sizeHint().width()
        seen.add((all_fit, field.isVisible()))
        assert all_fit or scroll.width() >= dock.width() - 20
    assert seen - {(True, False)} == {(True, True), (False, False)}
    assert field.isVisible()
    dock.resize(400, 80)
    bench.undo()
    settle()
    assert field.isVisible()  # something can be typed


@pytest.mark.parametrize("size", [(1280, 800), (1440, 900), (1800, 1000)])
def test_a_larger_window_gives_its_room_to_what_can_use_it(open_window, settle, size):
    window = open_window("induction", size=(1280, 800))
    settle()
    tokens, heatmaps = window.docks.tokens, window.docks.heatmaps
    before = heatmaps.height()
    assert tokens.height() == tokens.minimumSizeHint().height()
    window.resize(*size)
    settle()
    assert tokens.height() == tokens.minimumSizeHint().height()
    assert heatmaps.height() - before >= (size[1] - 800) // 2


def test_tabbed_with_others_it_leaves_them_their_room(open_window, settle):
    window = open_window("induction", size=(1440, 900))
    settle()
    before = window.docks.heatmaps.height()
    window.tabifyDockWidget(window.docks.heatmaps, window.docks.tokens)
    window.docks.tokens.raise_()
    settle()
    assert window.docks.tokens.height() > before
