"""The preview shows the figure that is looked at, as it will be, in true size or fitted."""

import re

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QCheckBox, QComboBox, QLabel, QListWidget, QScrollArea, QToolButton

from mhagui import figures
from mhagui.document.edits import SetSequenceLength
from mhagui.errors import UserError
from mhagui.figures import FigureStyle, Ground, Preset, drawing
from mhagui.figures.style import MM_PER_INCH
from mhagui.gui.export import drawn
from mhagui.gui.export.drawn import Room
from mhagui.settings import ExportChoices

LEFT = Qt.MouseButton.LeftButton
RIM, SQUARE = 1, 8


def size_label(dialog):
    return dialog.findChild(QLabel, "previewSize").text()


def pixels(image):
    image = image.convertToFormat(QImage.Format.Format_RGBX8888)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1, 4)
    return rows[RIM:-RIM, RIM : image.width() - RIM, :3].copy()


@pytest.mark.parametrize(
    ("preset", "mm"), [(Preset.SINGLE_COLUMN, 85), (Preset.DOUBLE_COLUMN, 170)]
)
def test_a_column_is_as_wide_on_the_screen_as_in_print(open_dialog, shown, preset, mm):
    dialog = open_dialog(choices=ExportChoices(style=FigureStyle(preset=preset)))
    image = shown(dialog)
    on_screen = (image.width() - 2 * RIM) / dialog.screen().physicalDotsPerInch() * MM_PER_INCH
    assert on_screen == pytest.approx(mm, abs=0.3)
    assert size_label(dialog).startswith(f"{mm} × ")


def test_the_stated_size_is_that_of_the_file(open_dialog, shown):
    dialog = open_dialog(choices=ExportChoices(style=FigureStyle(dpi=123)))
    shown(dialog)
    png = QImage.fromData(figures.render("heads", dialog.subject(), "png"))
    millimetres = [round(px / 123 * MM_PER_INCH) for px in (png.width(), png.height())]
    said = [int(number) for number in re.findall(r"\d+", size_label(dialog))]
    assert said == [*millimetres, png.width(), png.height(), 123]


def test_arrows_walk_the_list_and_the_preview_follows(open_dialog, shown, qtbot):
    dialog = open_dialog()
    first = shown(dialog)
    picture = dialog.findChild(QLabel, "previewPicture")
    assert picture.accessibleName() == "Preview: Weights of every head"
    assert picture.accessibleDescription().startswith("170 × ")
    qtbot.keyClick(dialog.focusWidget(), Qt.Key.Key_Down)
    assert dialog.findChild(QLabel, "previewPicture").pixmap().toImage() == first  # until then
    assert shown(dialog) != first
    assert picture.accessibleName() == "Preview: Weights of one head"


def test_of_a_quick_walk_only_the_end_is_drawn(open_dialog, shown, qtbot, monkeypatch):
    dialog = open_dialog()
    shown(dialog)
    names, plan = [], drawing.plan

    def noting(name, subject, paper):
        names.append(name)
        return plan(name, subject, paper)

    monkeypatch.setattr(drawing, "plan", noting)
    titles = dialog.findChild(QListWidget, "exportFigures")
    for _ in range(4):
        qtbot.keyClick(titles, Qt.Key.Key_Down)
    shown(dialog)
    assert len(names) < 4
    assert names[-1] == list(figures.FIGURES)[4]


def test_fitted_it_is_whole_and_nothing_scrolls(open_dialog, shown, qtbot, settle):
    dialog = open_dialog("four-heads", size=(900, 600))
    shown(dialog)
    settle()
    area = dialog.findChild(QScrollArea, "previewArea")
    assert area.horizontalScrollBar().maximum() > 0
    qtbot.mouseClick(dialog.findChild(QCheckBox, "previewTrueSize"), LEFT)
    image = shown(dialog)
    settle()
    assert area.horizontalScrollBar().maximum() == area.verticalScrollBar().maximum() == 0
    room = area.viewport().size()
    taken = max(image.width() / room.width(), image.height() / room.height())
    assert 0.85 < taken <= 1
    dialog.resize(1000, 640)
    assert shown(dialog).width() > image.width()


def test_arrows_scroll_what_is_larger_than_the_room(open_dialog, shown, qtbot, settle):
    dialog = open_dialog(size=(900, 600))
    shown(dialog)
    picture = dialog.findChild(QLabel, "previewPicture")
    picture.setFocus()
    settle()
    bar = dialog.findChild(QScrollArea, "previewArea").horizontalScrollBar()
    assert bar.value() == 0
    qtbot.keyClick(picture, Qt.Key.Key_Right)
    assert bar.value() > 0


def test_a_transparent_ground_is_a_checkerboard(open_dialog, shown, qtbot):
    dialog = open_dialog()
    assert np.ptp(pixels(shown(dialog))[:SQUARE, : 2 * SQUARE]) == 0
    ground = dialog.findChild(QComboBox, "style_ground")
    ground.setFocus()
    qtbot.keyClick(ground, Qt.Key.Key_End)
    corner = pixels(shown(dialog))[:SQUARE, : 2 * SQUARE]
    left, right = corner[:, :SQUARE], corner[:, SQUARE:]
    assert np.ptp(left) == np.ptp(right) == 0
    assert left[0, 0, 0] != right[0, 0, 0]


def test_a_dark_ground_is_dark(open_dialog, shown):
    dialog = open_dialog(choices=ExportChoices(style=FigureStyle(ground=Ground.DARK)))
    assert pixels(shown(dialog))[0, 0].max() < 64


def test_each_pixel_of_a_dense_screen_is_drawn(open_dialog):
    subject = open_dialog().subject()
    usual, dense = (drawn.draw("heads", subject, Room(96.0, ratio)) for ratio in (1.0, 2.0))
    assert usual.image.width() == pytest.approx(170 / MM_PER_INCH * 96, abs=1)
    assert dense.image.width() == pytest.approx(2 * usual.image.width(), abs=1)
    assert dense.inches == usual.inches


def test_what_cannot_be_drawn_says_why_and_the_next_is_shown(
    open_dialog, shown, qtbot, monkeypatch
):
    def plan(_name, _subject, _paper):
        raise UserError("It is too large to be drawn.")

    dialog = open_dialog()
    shown(dialog)
    with monkeypatch.context() as patch:
        patch.setattr(drawing, "plan", plan)
        qtbot.keyClick(dialog.focusWidget(), Qt.Key.Key_Down)
        assert shown(dialog).isNull()
    picture = dialog.findChild(QLabel, "previewPicture")
    assert picture.text() == "It is too large to be drawn."
    assert picture.accessibleDescription() == picture.text()
    qtbot.keyClick(dialog.focusWidget(), Qt.Key.Key_Up)
    assert not shown(dialog).isNull()


@pytest.mark.parametrize("by", ["button", "menu"])
def test_the_caption_is_copied_whether_the_figure_has_it_or_not(open_dialog, shown, qtbot, by):
    dialog = open_dialog()
    copy = dialog.findChild(QToolButton, "previewCaption")
    assert not copy.isEnabled()  # nothing is drawn yet
    shown(dialog)
    assert copy.toolButtonStyle() is Qt.ToolButtonStyle.ToolButtonIconOnly
    assert not copy.icon().isNull()
    QGuiApplication.clipboard().clear()
    if by == "button":
        copy.setFocus()
        qtbot.keyClick(copy, Qt.Key.Key_Space)
    else:
        picture = dialog.findChild(QLabel, "previewPicture")
        assert picture.contextMenuPolicy() is Qt.ContextMenuPolicy.ActionsContextMenu
        (action,) = picture.actions()
        action.trigger()
    assert QGuiApplication.clipboard().text().startswith("Attention weights A of the 2 heads")
    assert dialog.findChild(QLabel, "exportMessage").text().startswith("Copied: caption of ")


def test_closed_while_it_draws_it_shows_nothing_more(open_dialog, qtbot):
    dialog = open_dialog()
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()
    assert not dialog._preview._worker._timer.isActive()


def test_a_figure_that_this_scene_lacks_is_not_walked_to(qtbot, bench, open_dialog, item):
    bench.edit(SetSequenceLength(64))  # one-hot tokens repeat, so no W_Q gives back Q
    dialog = type(open_dialog())(bench.frame)
    qtbot.addWidget(dialog)
    lacking = item(dialog, "packed-wq")
    assert not lacking.flags() & Qt.ItemFlag.ItemIsEnabled
    assert lacking.checkState() == Qt.CheckState.Unchecked
    assert "W_Q" in lacking.toolTip()
    titles = dialog.findChild(QListWidget, "exportFigures")
    titles.setCurrentItem(item(dialog, "filter-bank"))
    qtbot.keyClick(titles, Qt.Key.Key_Down)
    assert titles.currentItem() is item(dialog, "packed-wv")
