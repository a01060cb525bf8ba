"""The output projection dock: what it shows, its presets, and that it fits."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import QApplication, QLabel, QToolTip, QWidget

from mhagui.document import Pattern, load_lesson
from mhagui.document.edits import (
    AddHead,
    MoveHead,
    OpenScene,
    RemoveHead,
    SetProjectionBlock,
    set_gain,
    set_muted,
)
from mhagui.gui.widgets.matrix_picture import shown_indices

Key, Button, Modifier = Qt.Key, Qt.MouseButton, Qt.KeyboardModifier
Role = Qt.ItemDataRole

# The lesson on multi-head attention, head_concatenation.
TWO_HEADS_CONCAT = np.array(
    [
        [0, 0, 1, 0],
        [0, 0, 1 / 2, 1 / 2],
        [0.998277474916094, 0, 1 / 3, 1 / 3],
        [0.0017166112632271775, 0.9965638205588271, 1 / 4, 1 / 4],
    ]
)
TWO_HEADS_OUTPUT = np.array(
    [
        [1, 0, -1, 0],
        [0.5, 0, -0.5, 0.5],
        [1.3316108082494273, 0, -1 / 3, 1 / 3],
        [0.2517166112632272, 0.9965638205588271, -0.25, 0.25],
    ]
)


@pytest.fixture
def dock(projection_dock):
    return projection_dock


def settle(bench):
    """Let the frame of this moment be drawn."""
    for _ in range(3):
        QApplication.processEvents()
    assert bench.frame.scene is bench.scene


def w_o(bench):
    return np.array(bench.scene.w_o)


def shown(table):
    """What the model says W_O is."""
    model = table.model()
    return np.array(
        [
            [model.index(row, column).data(Role.EditRole) for column in range(model.columnCount())]
            for row in range(model.rowCount())
        ]
    )


def preset(dock, name):
    return next(a for a in dock.table.actions() if a.objectName() == f"preset{name}")


# --- what is shown


def test_the_model_passes_qts_tests(dock, qtmodeltester):
    qtmodeltester.check(dock.table.model())


def test_w_o_is_shown_with_labels(dock, four_heads_w_o):
    model = dock.table.model()
    horizontal, vertical = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
    assert shown(dock.table).tolist() == four_heads_w_o.tolist()
    assert [model.headerData(i, vertical) for i in range(8)] == (
        ["h1.1", "h1.2", "h2.1", "h2.2", "h3.1", "h3.2", "h4.1", "h4.2"]
    )
    assert [model.headerData(i, horizontal) for i in range(8)] == [
        "d1",
        "d2",
        "d3",
        "d4",
        "d5",
        "d6",
        "d7",
        "d8",
    ]


def test_cells_are_read_out_and_short_to_see(dock):
    model = dock.table.model()
    assert model.index(4, 2).data(Role.AccessibleTextRole) == "W_O row h3.1, column d3, −1"
    assert [model.index(1, column).data() for column in (0, 1, 7)] == ["0", "1", "−0.5"]


def test_two_heads_give_the_output_of_the_lesson(dock, bench):
    bench.edit(OpenScene(load_lesson("two-heads")))
    settle(bench)
    np.testing.assert_allclose(dock.concat_view.picture.values, TWO_HEADS_CONCAT, atol=1e-15)
    np.testing.assert_allclose(dock.output_view.picture.values, TWO_HEADS_OUTPUT, atol=1e-15)
    assert dock.concat_view.picture.column_labels == ("h1.1", "h1.2", "h2.1", "h2.2")
    assert dock.output_view.picture.column_labels == ("d1", "d2", "d3", "d4")
    assert dock.residual.accessibleName().startswith(
        "max |Concat·W_O − Σ_h A_h X W_V^h W_O^(h)| = 0 ("
    )


def test_who_listens_to_whom(dock, four_heads_w_o):
    blocks = four_heads_w_o.reshape(4, 2, 8)
    norms = np.sqrt((blocks**2).sum(axis=1)).T
    picture = dock.listening_view.picture
    np.testing.assert_allclose(picture.values, norms, rtol=1e-15)
    assert picture.row_labels[7] == "d8"
    assert picture.column_labels == ("h1", "h2", "h3", "h4")


def test_concat_and_o_share_symmetric_colours(dock):
    # The middle of 255 levels is zero; equal values have equal colours in both.
    concat, output = dock.concat_view.picture, dock.output_view.picture
    assert concat.values[0, 0] == output.values[0, 0] == 1
    assert shown_indices(concat)[0, 0] == shown_indices(output)[0, 0] > 127
    assert shown_indices(concat)[0, 1] == shown_indices(output)[0, 1] == 127
    scale = dock.findChild(QWidget, "signedColours").scale
    assert scale.low == -scale.high
    assert scale.high >= np.abs(output.values).max()


def luminance(colour):
    channels = np.array([colour.redF(), colour.greenF(), colour.blueF()])
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


def test_cells_are_tinted_by_sign_and_every_number_can_be_read(dock, bench):
    values = np.linspace(-1, 1, 64).reshape(8, 8)
    values[0, 1] = 0
    bench.edit(SetProjectionBlock(0, 0, values))
    settle(bench)
    model = dock.table.model()
    for row in range(8):
        for column in range(8):
            index, value = model.index(row, column), values[row, column]
            ground, ink = index.data(Role.BackgroundRole), index.data(Role.ForegroundRole)
            dark, light = sorted([luminance(ground), luminance(ink)])
            assert (light + 0.05) / (dark + 0.05) >= 4.5
            assert np.sign(ground.red() - ground.blue()) in (0, np.sign(value))
    assert model.index(0, 1).data(Role.ForegroundRole).lightness() > 80  # a zero is muted


def test_a_row_has_the_colour_of_its_head_wherever_that_goes(dock, bench):
    model, vertical = dock.table.model(), Qt.Orientation.Vertical
    colours = [model.headerData(row, vertical, Role.UserRole + 1).name() for row in range(8)]
    assert colours[0] == colours[1] != colours[2]
    bench.edit(MoveHead(bench.scene.heads[0].uid, 3))
    settle(bench)
    assert model.headerData(7, vertical, Role.UserRole + 1).name() == colours[0]


def test_the_table_shows_every_frame_even_when_hidden(dock, bench):
    dock.hide()
    bench.edit(SetProjectionBlock(0, 0, np.array([[0.25]])))
    settle(bench)
    assert shown(dock.table)[0, 0] == 0.25
    dock.show()
    assert dock.output_view.picture.values[0, 0] == pytest.approx(0.25 + 0)


# --- presets


def test_presets_are_offered_by_button_and_among_the_actions_of_the_table(dock):
    button = dock.findChild(QWidget, "projectionPresets")
    names = ["Lesson", "Identity", "Swap head blocks", "Random orthogonal, seed 0", "Zero"]
    assert [action.text() for action in button.menu().actions()] == names
    assert [action.text() for action in dock.table.actions()][-5:] == names


def test_swapping_sends_each_heads_block_to_the_other_end(dock, bench):
    preset(dock, "Swap").trigger()
    settle(bench)
    blocks = dock.concat_view.picture.values.reshape(6, 4, 2)
    swapped = blocks[:, ::-1].reshape(6, 8)
    np.testing.assert_allclose(dock.output_view.picture.values, swapped, rtol=1e-14)
    assert bench.history.undo_text == "Set W_O to swap head blocks"


def test_presets_are_one_step_each_and_the_lessons_comes_back(dock, bench, four_heads_w_o):
    for name in ("Identity", "RandomOrthogonal", "Zero", "Lesson"):
        preset(dock, name).trigger()
    assert w_o(bench).tolist() == four_heads_w_o.tolist()
    assert bench.history.n_steps == 4
    bench.undo()
    assert not w_o(bench).any()


def test_the_seed_is_the_boxs(qtbot, dock, bench):
    box = dock.findChild(QWidget, "projectionSeed")
    box.setFocus()
    box.selectAll()
    qtbot.keyClicks(box, "17")
    action = preset(dock, "RandomOrthogonal")
    assert action.text() == "Random orthogonal, seed 17"
    action.trigger()
    drawn = w_o(bench)
    np.testing.assert_allclose(drawn @ drawn.T, np.identity(8), atol=1e-14)
    preset(dock, "Zero").trigger()
    action.trigger()
    assert w_o(bench).tolist() == drawn.tolist()
    assert bench.history.undo_text == "Set W_O to random orthogonal (seed 17)"


def test_what_needs_a_square_is_grey_and_says_why(dock, bench):
    bench.edit(AddHead(Pattern.SELF))
    settle(bench)
    for name, words in (("Identity", "identity"), ("Swap", "swap head blocks")):
        action = preset(dock, name)
        assert not action.isEnabled()
        assert action.toolTip() == f"W_O is 10 × 8: {words} needs as many rows as columns."
        assert action.text().endswith("needs as many rows as columns")
    assert not preset(dock, "Lesson").isEnabled()
    assert preset(dock, "Zero").isEnabled()
    bench.undo()
    settle(bench)
    assert preset(dock, "Identity").isEnabled()


def test_a_scene_of_ones_own_has_no_lesson(dock, bench):
    bench.edit(OpenScene(replace(bench.scene, title="mine")))
    settle(bench)
    assert not preset(dock, "Lesson").isEnabled()
    assert "“mine” is not one of the lessons" in preset(dock, "Lesson").text()


# --- one flow


def test_o_follows_an_edit_of_w_o(dock, bench):
    bench.edit(OpenScene(load_lesson("two-heads")))
    settle(bench)
    dock.table.model().setData(dock.table.model().index(3, 0), "0.75")
    settle(bench)
    edited = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [1, 0, -1, 0], [0.75, 0, 0, 1]])
    np.testing.assert_allclose(
        dock.output_view.picture.values, TWO_HEADS_CONCAT @ edited, atol=1e-14
    )
    np.testing.assert_allclose(dock.listening_view.picture.values[0], [1, 1.25], rtol=1e-15)


def test_an_edit_of_w_o_leaves_the_picture_of_concat(dock, bench):
    concat, output = dock.concat_view.picture, dock.output_view.picture
    bench.edit(SetProjectionBlock(0, 1, np.array([[0.1]])))
    settle(bench)
    assert dock.concat_view.picture is concat
    assert dock.output_view.picture is not output


def test_a_gain_moves_concat_and_o_in_one_frame_and_not_w_o(dock, bench):
    concat, listening = dock.concat_view.picture, dock.listening_view.picture
    changes = QSignalSpy(dock.table.model().dataChanged)
    frames = QSignalSpy(bench.shown)
    bench.edit(set_gain(bench.scene.heads[0].uid, 0.0))
    settle(bench)
    assert frames.count() == 1
    # Gain 0: head 1 averages the past, and reads tokens 1 and 2.
    uniform = [1, 1 / 2, 1 / 3, 1 / 4, 1 / 5, 1 / 6]
    np.testing.assert_allclose(dock.concat_view.picture.values[:, 0], uniform, rtol=1e-14)
    expected = uniform[4] + dock.concat_view.picture.values[4, 4]  # d1 hears h1.1 and h3.1
    assert dock.output_view.picture.values[4, 0] == pytest.approx(expected, rel=1e-14)
    assert dock.concat_view.picture is not concat
    assert dock.listening_view.picture is listening
    assert changes.count() == 0


def test_a_muted_heads_columns_of_concat_are_zero(dock, bench):
    bench.edit(set_muted(bench.scene.heads[3].uid, True))
    settle(bench)
    assert not dock.concat_view.picture.values[:, 6:].any()
    assert dock.concat_view.picture.values[:, :6].any()


def test_a_block_is_told_once_with_its_roles(dock, bench):
    model = dock.table.model()
    changes, resets = QSignalSpy(model.dataChanged), QSignalSpy(model.modelReset)
    bench.edit(SetProjectionBlock(2, 3, np.array([[0.1, 0.2], [0.3, 0.4]])))
    settle(bench)
    assert (changes.count(), resets.count()) == (1, 0)
    first, last, roles = changes.at(0)
    assert (first.row(), first.column(), last.row(), last.column()) == (2, 3, 3, 4)
    assert Role.EditRole in roles
    assert Role.BackgroundRole in roles


def test_only_another_shape_resets_the_model(dock, bench):
    resets = QSignalSpy(dock.table.model().modelReset)
    preset(dock, "Zero").trigger()
    settle(bench)
    assert resets.count() == 0
    bench.edit(AddHead(Pattern.SELF))
    settle(bench)
    assert resets.count() == 1
    assert shown(dock.table).shape == (10, 8)


@pytest.mark.parametrize("name", ["concat_view", "output_view"])
def test_hovering_moves_the_query_row_and_the_row_is_marked_in_both(qtbot, dock, bench, name):
    view = getattr(dock, name)
    key = bench.view.cursor.key
    qtbot.mouseMove(view, view.cell_rect(5, 2).center())
    settle(bench)
    assert (bench.view.cursor.query, bench.view.cursor.key) == (5, key)
    assert dock.concat_view.cursor_cell == dock.output_view.cursor_cell == (5, None)


def test_hovering_over_a_listened_head_points_at_it(qtbot, dock, bench):
    view = dock.listening_view
    qtbot.mouseMove(view, view.cell_rect(0, 2).center())
    settle(bench)
    assert bench.view.cursor.head == bench.scene.heads[2].uid
    assert view.cursor_cell == (None, 2)


def test_the_number_under_the_pointer_is_told(qtbot, dock, bench, monkeypatch):
    told = []
    monkeypatch.setattr(QToolTip, "showText", lambda *told_with: told.append(told_with[:2]))
    view = dock.output_view
    spot = view.cell_rect(4, 2).center()
    event = QHelpEvent(QEvent.Type.ToolTip, spot, view.mapToGlobal(spot))
    QApplication.sendEvent(view, event)
    # d3 hears h2.1 as it is and h3.1 turned round: 0.0383 − 0.9600 in the lesson's row t5.
    ((place, words),) = told
    assert "O = Concat·W_O, row t5, column d3: −0.921696" in words
    assert view.mapFromGlobal(place).y() >= view.cell_rect(5, 0).bottom()  # it covers no cell


def test_keys_leave_the_cursor_where_every_panel_has_it(qtbot, dock, bench):
    bench.point(query=2, key=1)
    settle(bench)
    view = dock.concat_view
    for key, row in ((Key.Key_Down, 3), (Key.Key_Down, 4), (Key.Key_Right, 4), (Key.Key_End, 4)):
        qtbot.keyClick(view, key)
        assert (bench.view.cursor.query, bench.view.cursor.key) == (row, 1)
        assert view.cursor_cell == dock.output_view.cursor_cell == (row, None)


def test_the_rows_of_w_o_that_read_the_cursors_head_are_marked(dock, bench, grabbed):
    def labels():
        pixels = grabbed(dock.table.verticalHeader())
        tops = [dock.table.rowViewportPosition(row) for row in range(9)]
        tops[8] = pixels.shape[0]
        return [pixels[top:end, :-8].astype(int) for top, end in itertools.pairwise(tops)]

    bench.point(head=1)
    settle(bench)
    before = labels()
    bench.point(head=3)
    settle(bench)
    ink = [(now - old).sum() for now, old in zip(labels(), before, strict=True)]
    # darker is bolder: h3.1 and h3.2 gain ink, h1.1 and h1.2 lose it, the others stay
    assert [int(np.sign(change)) for change in ink] == [1, 1, 0, 0, -1, -1, 0, 0]


def test_the_strip_says_whose_colours_it_shows(dock):
    strip = dock.findChild(QWidget, "signedColours")
    beside = [label for label in dock.findChildren(QLabel) if label.text() == "Concat, O"]
    assert len(beside) == 1
    assert beside[0].geometry().right() < strip.geometry().left()
    assert abs(beside[0].geometry().center().y() - strip.geometry().center().y()) <= 2


def test_pointing_at_a_head_that_has_just_gone_does_nothing(qtbot, dock, bench):
    view = dock.listening_view
    place = view.cell_rect(0, 3).center()
    bench.edit(RemoveHead(4))
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=place)  # before the next frame
    assert bench.view.cursor.head == 1
