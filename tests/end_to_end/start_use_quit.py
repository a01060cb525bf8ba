"""A program for the tests: starts the application, uses it like a hand would, closes it."""

import sys

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QSlider, QStyle, QStyleOptionSlider, QTableView

from mhagui.document import load_lesson
from mhagui.gui.application import make_application, run

LEFT = Qt.MouseButton.LeftButton
NONE = Qt.KeyboardModifier.NoModifier


def handle_centre(slider: QSlider) -> QPoint:
    """Return the middle of the slider's handle."""
    option = QStyleOptionSlider()
    slider.initStyleOption(option)
    handle = slider.style().subControlRect(
        QStyle.ComplexControl.CC_Slider, option, QStyle.SubControl.SC_SliderHandle, slider
    )
    return handle.center()


def use() -> None:
    """Drag the first gain, type into W_O, take a screenshot when asked for, close."""
    window = next(w for w in QApplication.topLevelWidgets() if hasattr(w, "bench"))
    slider = window.findChild(QSlider, "gainSlider1")
    begin = handle_centre(slider)
    QTest.mousePress(slider, LEFT, NONE, begin)
    for step in range(1, 40):
        QTest.mouseMove(slider, begin + QPoint(4 * step, 0))
        QApplication.processEvents()
    QTest.mouseRelease(slider, LEFT, NONE, begin + QPoint(160, 0))
    table = window.findChild(QTableView, "outputProjectionTable")
    table.setCurrentIndex(table.model().index(0, 1))
    QTest.keyClicks(table, "2")
    QTest.keyClick(table.focusWidget() or table, Qt.Key.Key_Return)
    QApplication.processEvents()
    if len(sys.argv) > 1:
        window.screen().grabWindow(0).save(sys.argv[1])
    scene = window.bench.scene
    print(f"gain {scene.heads[0].gain!r} steps {window.bench.history.n_steps}")
    window.close()


if __name__ == "__main__":
    make_application()
    QTimer.singleShot(200, use)
    sys.exit(run(load_lesson("four-heads")))
