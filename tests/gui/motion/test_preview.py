"""The preview of the dialog of films: its frames one by one, or played."""

from itertools import pairwise

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QLabel, QSlider, QToolButton, QWidget

from mhagui.gui.motion_preview import MotionPreview
from mhagui.settings import MotionChoices, Preferences

LENGTH = "Length T"


@pytest.fixture
def shown(bench, open_dialog, qtbot):
    """A dialog that shows a film of five frames, the first of which is drawn."""
    preferences = Preferences(None, print)
    preferences.change(motion=MotionChoices(n_frames=5))
    bench.point(head=2)
    dialog = open_dialog(preferences)
    figure = dialog.findChild(QComboBox, "motionFigure")
    figure.setCurrentIndex(figure.findData("w-o"))
    await_frame(dialog, qtbot, "Frame 1 of 5: gain g2 = 0.00")
    return dialog


def await_frame(dialog, qtbot, words):
    note = dialog.findChild(QLabel, "motionNote")
    qtbot.waitUntil(lambda: note.text() == words, timeout=20_000)


def test_each_frame_can_be_looked_at(shown, qtbot, grabbed):
    slider = shown.findChild(QSlider, "motionFrame")
    slider.setFocus()
    qtbot.keyClick(slider, Qt.Key.Key_End)
    await_frame(shown, qtbot, "Frame 5 of 5: gain g2 = 4.00")
    picture = shown.findChild(QWidget, "motionPicture")
    last = grabbed(picture)
    assert len({tuple(pixel) for pixel in last.reshape(-1, 3)}) > 10  # something is drawn
    qtbot.keyClick(slider, Qt.Key.Key_Home)
    await_frame(shown, qtbot, "Frame 1 of 5: gain g2 = 0.00")
    assert (grabbed(picture) != last).any()  # what it says of the gain, at least


def test_played_the_frames_follow_one_another_until_it_is_paused(shown, qtbot, monkeypatch):
    seen = []
    show = MotionPreview._show

    def noted(preview, film, number):
        show(preview, film, number)
        seen.append(shown.findChild(QLabel, "motionNote").text())

    monkeypatch.setattr(MotionPreview, "_show", noted)
    player = shown.findChild(QToolButton, "motionPlay")
    shown.findChild(QWidget, "motionFps").setValue(50)
    assert player.accessibleName() == "Play"
    player.setFocus()
    qtbot.keyClick(player, Qt.Key.Key_Space)
    assert player.accessibleName() == "Pause"
    qtbot.waitUntil(lambda: len(seen) > 6, timeout=20_000)
    numbers = [int(words.split()[1]) for words in seen]
    assert all(after == before % 5 + 1 for before, after in pairwise(numbers))
    qtbot.keyClick(player, Qt.Key.Key_Space)
    assert player.accessibleName() == "Play"


def test_another_film_takes_the_place_of_the_one_that_is_shown(bench, shown, qtbot):
    shown.findChild(QComboBox, "motionSlider").setCurrentText(LENGTH)
    await_frame(shown, qtbot, "Frame 1 of 5: T = 2")
    shown.findChild(QWidget, "motionStart").setValue(4)
    await_frame(shown, qtbot, "Frame 1 of 5: T = 4")


def test_what_cannot_be_is_not_shown(bench, shown, type_in, qtbot):
    shown.findChild(QComboBox, "motionSlider").setCurrentText(LENGTH)
    await_frame(shown, qtbot, "Frame 1 of 5: T = 2")
    type_in(shown.findChild(QWidget, "motionStop"), "5000", Qt.Key.Key_Tab)
    assert "from 1 to 4096" in shown.findChild(QLabel, "exportMessage").text()
    assert not shown.findChild(QSlider, "motionFrame").isEnabled()
    assert not shown.findChild(QToolButton, "motionPlay").isEnabled()
    assert shown.findChild(QLabel, "motionNote").text() == ""
    type_in(shown.findChild(QWidget, "motionStop"), "3", Qt.Key.Key_Tab)
    await_frame(shown, qtbot, "Frame 1 of 5: T = 2")
    assert shown.findChild(QSlider, "motionFrame").isEnabled()
