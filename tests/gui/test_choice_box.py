"""Scrolling past a box to choose from changes nothing."""

from PySide6.QtWidgets import QComboBox, QMainWindow

from mhagui.gui.capture_session import CaptureSession
from mhagui.gui.file_session import FileSession
from mhagui.gui.layout import Docks
from mhagui.gui.lesson_session import LessonSession
from mhagui.gui.widgets.choice_box import ChoiceBox

DOWN = -120


def test_a_wheel_turns_the_box_only_while_it_has_the_keyboard(qtbot, wheel):
    box = ChoiceBox()
    qtbot.addWidget(box)
    box.addItems(["one", "two"])
    with qtbot.waitActive(box):
        box.show()
        box.activateWindow()
    box.clearFocus()
    assert not wheel(box, DOWN)  # so that what is around it scrolls
    assert box.currentText() == "one"
    box.setFocus()
    assert wheel(box, DOWN)
    assert box.currentText() == "two"


def test_no_box_of_any_dock_is_turned_by_scrolling_past(qtbot, bench, wheel, settle):
    window = QMainWindow()
    qtbot.addWidget(window)
    captures = CaptureSession(bench, FileSession(bench, window, settle), window)
    docks = Docks(window, bench, LessonSession(bench, None, window), captures)
    settle()
    boxes = [box for dock in docks.all for box in dock.findChildren(QComboBox)]
    names = {box.objectName() for box in boxes}
    assert {"firstHead", "weightsHead", "lessonExercise", "colourScale", "sourceKind"} <= names
    for box in boxes:
        before = box.currentIndex()
        for delta in (DOWN, -DOWN):
            wheel(box, delta)
            assert box.currentIndex() == before, box.objectName()
