"""Maps from queries to keys that are not their positions, in the window."""

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QHelpEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QToolButton, QToolTip

from mhagui.document import Window, load_lesson
from mhagui.document.capture import Capture, CapturedLayer
from mhagui.document.captured_scene import scene_of
from mhagui.document.edits import OpenScene
from mhagui.gui.docks.heatmaps import HeatmapsDock
from mhagui.gui.widgets.matrix_card import MatrixCard
from mhagui.gui.widgets.matrix_view import MatrixView
from mhagui.gui.widgets.token_strip import TokenStrip

QUERIES = ("le", "chat", "dort")
KEYS = ("the", "cat", "is", "asleep", "on", "the", "mat")
KEY, CONTROL = Qt.Key, Qt.KeyboardModifier.ControlModifier
N_HEADS = 2
pytestmark = pytest.mark.usefixtures("no_tooltip_left")


def weights(n_queries, n_keys):
    cells = np.random.default_rng(7).random((N_HEADS, n_queries, n_keys)) ** 2
    return (cells / cells.sum(axis=2, keepdims=True)).astype(np.float32)


def scene(n_queries=3, n_keys=7, *, has_tokens=True):
    tokens = (QUERIES, KEYS) if has_tokens else ((), ())
    layer = CapturedLayer(0, given=weights(n_queries, n_keys))
    return scene_of(Capture("translation", (layer,), *tokens), 0)


@pytest.fixture
def put(window, settle):
    """Put a scene on the bench of a window: ``put(3, 7)``."""

    def put(*shape, **options):
        window.bench.edit(OpenScene(scene(*shape, **options)))
        settle()
        settle()  # once more for the tokens, which ask for room
        return window

    return put


def heatmap(window, place=1):
    return window.findChild(MatrixView, f"heatmap{place}")


def cursor(window):
    return window.bench.view.cursor.query, window.bench.view.cursor.key


def tip_at(view, point):
    QApplication.sendEvent(view, QHelpEvent(QEvent.Type.ToolTip, point, view.mapToGlobal(point)))
    return QToolTip.text()


def status(window):
    return window.findChild(QLabel, "cursorReadout").text()


# --------------------------------------------------------------------------------------- heatmaps


def test_the_pointer_on_the_last_column_is_read_out_with_both_words(put, qtbot, settle):
    window = put()
    view = heatmap(window, 2)
    qtbot.mouseMove(view, view.cell_rect(2, 6).center())
    settle()
    assert cursor(window) == (2, 6)
    name = window.bench.scene.heads[1].name
    assert status(window).startswith(f"head 2 {name} · t = 3 “dort” · i = 7 “mat” · weight ")
    assert "row t3 dort, column i7 mat: weight" in tip_at(view, view.cell_rect(2, 6).center())


def test_the_keyboard_reaches_each_corner(put, qtbot, settle):
    window = put()
    view = heatmap(window)
    view.setFocus()
    for keys, corner in (
        ((KEY.Key_End, CONTROL), (2, 6)),
        ((KEY.Key_Home,), (2, 0)),
        ((KEY.Key_Home, CONTROL), (0, 0)),
        ((KEY.Key_End,), (0, 6)),
        ((KEY.Key_Right,), (0, 6)),
        ((KEY.Key_Down, CONTROL), (2, 6)),
        ((KEY.Key_Down,), (2, 6)),
    ):
        qtbot.keyClick(view, *keys)
        assert cursor(window) == corner
    settle()
    assert heatmap(window, 2).cursor_cell == (2, 6)


def test_rows_and_columns_have_their_own_labels(put, settle):
    window = put()
    window.bench.look(enlarged=window.bench.scene.heads[0].uid)
    settle()
    view = heatmap(window)
    picture = view.picture
    assert picture.row_labels == ("t1", "t2", "t3")
    assert picture.column_labels == tuple(f"i{number}" for number in range(1, 8))
    assert (picture.row_words, picture.column_words) == (QUERIES, KEYS)
    layout = view.laid_out
    assert [label.place for label in layout.row_labels] == [0, 1, 2]
    assert layout.row_labels[0].text.endswith("le")
    assert any("asleep" in label.text for label in layout.column_labels)
    below = view.cell_rect(2, 3).center()
    below.setY(view.cell_rect(2, 3).bottom() + 8)
    assert "asleep" in tip_at(view, below)


@pytest.mark.parametrize("shape", [(1, 9), (9, 1), (2, 1), (40, 9), (5, 12)])
def test_cells_are_under_the_pointer_whatever_the_shape(put, qtbot, shape):
    view, (rows, columns) = heatmap(put(*shape, has_tokens=False)), shape
    for cell in ((0, 0), (rows - 1, columns - 1), (rows // 2, columns // 2)):
        qtbot.mouseMove(view, view.cell_rect(*cell).center())
        assert cursor(view.window()) == cell


def test_larger_cells_are_of_the_longer_side(put, qtbot, settle):
    window = put(40, 9, has_tokens=False)
    view = heatmap(window)
    view.setFocus()
    window.bench.point(query=20, key=4)
    settle()
    qtbot.keyClick(view, KEY.Key_Plus)
    settle()
    part = view.part
    assert (len(part.rows), len(part.columns)) == (20, 9)
    assert 20 in part.rows
    point = QPointF(view.cell_rect(20, 8).center())
    wheel = QWheelEvent(
        point, view.mapToGlobal(point), QPoint(), QPoint(0, 240), Qt.MouseButton.NoButton,
        CONTROL, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(view, wheel)
    settle()
    assert (len(view.part.rows), len(view.part.columns)) == (10, 9)
    assert view.part.columns == range(9)
    qtbot.keyClick(view, KEY.Key_0)
    settle()
    assert (view.part, window.bench.view.window) == (None, None)


def test_the_cursor_and_the_part_fit_the_next_scene(put, settle):
    window = put(40, 9, has_tokens=False)
    window.bench.look(window=Window(30, 1, 8))
    window.bench.point(query=39, key=8)
    settle()
    put(3, 7)
    assert (cursor(window), window.bench.view.window) == ((2, 6), None)
    window.bench.undo()
    settle()
    assert heatmap(window).picture.shape == (40, 9)
    window.bench.undo()
    settle()
    assert heatmap(window).picture.shape == (6, 6)
    assert heatmap(window).picture.column_labels[0] == "t1"


def test_cards_stand_as_befits_the_shape_of_the_next_scene(put):
    are_wide = []
    for shape in ((9, 3), (3, 9), (9, 3)):  # with labels that are as wide
        card = put(*shape, has_tokens=False).docks.heatmaps.findChild(MatrixCard)
        are_wide.append(card.width() > card.height())
    assert are_wide == [False, True, False]


# ---------------------------------------------------------------------------------------- tokens


def test_keys_have_chips_of_their_own(put, qtbot, settle):
    window = put()
    window.docks.show(["tokensDock"])
    settle()
    strips = [window.findChild(TokenStrip, name) for name in ("tokenStrip", "keyStrip")]
    assert all(strip.isVisible() for strip in strips)
    of_queries, of_keys = strips
    qtbot.mouseClick(of_keys, Qt.MouseButton.LeftButton, pos=of_keys.chip(4).center().toPoint())
    qtbot.mouseClick(
        of_queries, Qt.MouseButton.LeftButton, pos=of_queries.chip(1).center().toPoint()
    )
    assert cursor(window) == (1, 4)
    qtbot.keyClick(of_keys, KEY.Key_End)
    assert cursor(window) == (1, 6)
    of_queries.setFocus()
    qtbot.keyClick(of_queries, KEY.Key_Tab)
    qtbot.keyClick(QApplication.focusWidget(), KEY.Key_Tab)
    assert of_keys.hasFocus()
    assert of_keys.accessibleDescription() == "key i7 mat"
    assert of_queries.accessibleDescription() == "row t2 chat"
    before = cursor(window)
    qtbot.keyClick(of_queries, KEY.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert cursor(window) == before  # a key is none of these chips
    window.bench.undo()
    settle()
    assert not of_keys.isVisible()


@pytest.mark.parametrize("size", [(1440, 900), (1024, 700)])
def test_chips_of_keys_are_covered_by_no_dock(put, qtbot, settle, size):
    window = put()
    window.resize(*size)
    window.docks.show(["tokensDock", "outputProjectionDock"])
    settle()
    tokens, below = (window.docks.dock(name) for name in ("tokensDock", "outputProjectionDock"))

    def is_free():
        return tokens.geometry().bottom() < below.geometry().top()

    qtbot.waitUntil(is_free)
    assert tokens.height() == tokens.minimumSizeHint().height()  # and none is blank
    window.resizeDocks([tokens], [210], Qt.Orientation.Vertical)
    settle()
    higher = tokens.height()
    assert higher > tokens.minimumSizeHint().height()
    put(5, 12, has_tokens=False)
    put()
    assert tokens.height() == higher


# ---------------------------------------------------------------------------------- other docks


def test_heads_say_what_stays_as_it_was_given(put):
    window = put()
    mask = window.findChild(QComboBox, "maskBox")
    assert not mask.isEnabled()
    assert "the same positions" in mask.toolTip()
    assert "t3 sees 7 keys" in mask.accessibleDescription()
    pattern = window.findChild(QComboBox, "patternBox1")
    assert not pattern.isEnabled()
    assert "every head has given weights" in pattern.toolTip()
    add = [b for b in window.findChildren(QToolButton) if b.text().startswith("Add")]
    assert [button.isEnabled() for button in add] == [False]


def test_controls_are_free_again_in_another_scene(put, settle):
    window = put()
    window.bench.undo()
    settle()
    mask = window.findChild(QComboBox, "maskBox")
    assert mask.isEnabled()
    assert "same positions" not in mask.toolTip()
    assert window.findChild(QComboBox, "patternBox1").isEnabled()


@pytest.mark.parametrize("shape", [(1, 4), (4, 1), (3, 7), (12, 5)])
def test_every_dock_shows_it_or_says_why_not(put, settle, shape):
    window = put(*shape, has_tokens=False)
    for dock in window.docks.all:
        window.docks.show([dock.objectName()])
        settle()
        assert dock.isVisible()
        assert window.grab().width() > 0
    assert not window.notices.isVisible()  # where a fault would be told


def test_the_status_bar_says_how_many_keys_there_are(put):
    window = put()
    assert window.findChild(QLabel, "sceneFacts").text().startswith("T 3 · T_k 7 · H 2 ")


def test_rank_says_the_least_of_both_lengths(put, settle):
    window = put(12, 5, has_tokens=False)
    window.docks.show(["rankDock"])
    settle()
    texts = [label.text() for label in window.docks.dock("rankDock").findChildren(QLabel)]
    assert any("1 to T_k\xa0=\xa05." in text for text in texts)


def test_compare_has_the_cursor_of_the_bench(put, qtbot, settle):
    window = put()
    window.docks.show(["compareDock"])
    settle()
    view = window.findChild(MatrixView, "compareA")
    qtbot.waitUntil(lambda: view.picture is not None and view.picture.shape == (3, 7))
    assert view.picture.column_words == KEYS
    window.bench.point(query=1, key=5)
    settle()
    assert view.cursor_cell == (1, 5)
    qtbot.mouseMove(view, view.cell_rect(2, 6).center())
    assert cursor(window) == (2, 6)


# ------------------------------------------------------------------------------ words on both axes


ENGLISH = ("the", "cat", "sat", "on", "mat")
GERMAN = (
    "die", "Katze", "saß", "auf", "der", "Matte", "und", "sah", "zum", "großen", "Hund", "hin",
)  # fmt: skip


def translated():
    cells = np.random.default_rng(3).random((8, 5, 12)) ** 6
    layer = CapturedLayer(0, given=cells / cells.sum(axis=2, keepdims=True))
    return scene_of(Capture("translated", (layer,), ENGLISH, GERMAN), 0)


def words_of(labels):
    return {word for label in labels for word in label.text.split()}


def assert_words_on_both_axes(views):
    for view in views:
        layout = view.laid_out
        rows, columns = words_of(layout.row_labels), words_of(layout.column_labels)
        assert len(rows & set(ENGLISH)) >= 3  # each, or every second
        assert len(columns & set(GERMAN)) >= 6
        boxes = [label.box for label in layout.row_labels + layout.column_labels]
        for place, box in enumerate(boxes):
            assert QRectF(view.rect()).contains(box)
            assert not any(box.intersects(other) for other in boxes[place + 1 :])


@pytest.mark.parametrize("size", [(690, 360), (900, 500), (690, 560)])
def test_words_of_queries_and_keys_stand_at_all_heatmaps(open_dock, bench, settle, size):
    dock = open_dock(HeatmapsDock, *size)
    bench.edit(OpenScene(translated()))
    settle()
    views = [card.view for card in dock.findChildren(MatrixCard)]
    assert len(views) == 8
    assert_words_on_both_axes(views)


@pytest.mark.parametrize("size", [(690, 370), (900, 500), (520, 620)])
def test_words_of_queries_and_keys_stand_at_what_is_compared(open_window, settle, size):
    window = open_window(size=(1440, 900))
    window.bench.edit(OpenScene(translated()))
    dock = window.docks.compare
    window.docks.show(["compareDock"])
    dock.setFloating(True)
    dock.resize(*size)
    settle()
    settle()
    views = dock.pictures.views[:3]
    assert_words_on_both_axes(views)
    assert len({view.cell_rect(0, 0).width() for view in views}) == 1


def test_words_that_rows_say_as_well_take_no_room_from_cells(open_dock, bench, settle):
    dock = open_dock(HeatmapsDock, 690, 360)
    bench.edit(OpenScene(load_lesson("content-position")))
    settle()
    assert all(card.view.word_room.isEmpty() for card in dock.findChildren(MatrixCard))
