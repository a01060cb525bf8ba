"""A program for the tests: starts the application, uses it like a hand would, closes it.

Prints what came of it. With an argument it also saves there what the screen shows.
"""

import sys

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QLineEdit,
    QMessageBox,
    QSlider,
    QStyle,
    QStyleOptionSlider,
    QTableView,
)

from mhagui.document import load_lesson
from mhagui.gui.application import make_application, run
from mhagui.gui.main_window import MainWindow
from mhagui.gui.widgets.matrix_view import MatrixView

LEFT = Qt.MouseButton.LeftButton
NO_KEYS = Qt.KeyboardModifier.NoModifier


def handle_centre(slider: QSlider) -> QPoint:
    """Return the middle of the slider's handle."""
    option = QStyleOptionSlider()
    slider.initStyleOption(option)
    handle = slider.style().subControlRect(
        QStyle.ComplexControl.CC_Slider, option, QStyle.SubControl.SC_SliderHandle, slider
    )
    return handle.center()


def drag(slider: QSlider, pixels: int) -> None:
    """Press the handle, move it right by so many pixels, release it."""
    begin = handle_centre(slider)
    QTest.mousePress(slider, LEFT, NO_KEYS, begin)
    for move in range(4, pixels + 1, 4):
        QTest.mouseMove(slider, begin + QPoint(move, 0))
        QApplication.processEvents()
    QTest.mouseRelease(slider, LEFT, NO_KEYS, begin + QPoint(pixels, 0))


def type_into(table: QTableView, row: int, column: int, text: str) -> None:
    """Type into one cell, as a hand does: the first key opens the editor, which takes the rest."""
    table.setCurrentIndex(table.model().index(row, column))
    QTest.keyClicks(table, text[0])
    editor = table.findChild(QLineEdit)
    QTest.keyClicks(editor, text[1:])
    QTest.keyClick(editor, Qt.Key.Key_Return)
    QApplication.processEvents()


def shows_first_weight(window: MainWindow) -> bool:
    """Say whether the screen shows the weight of 1 that every head begins with, in yellow."""
    view = window.findChild(MatrixView, "heatmap1")
    corner = view.mapToGlobal(view.cell_rect(0, 0).topLeft() + QPoint(3, 3))
    colour = window.screen().grabWindow(0).toImage().pixelColor(corner)
    return (colour.red() > 240) and (colour.green() > 220) and (colour.blue() < 60)


def use_and_close() -> None:
    """Use the window, and close it whatever comes of that."""
    window = next(w for w in QApplication.topLevelWidgets() if isinstance(w, MainWindow))
    try:
        use(window)
    finally:
        QTimer.singleShot(0, discard)  # in the question that comes on closing
        window.close()


def discard() -> None:
    """Answer the question whether what was changed shall be saved."""
    question = QApplication.activeModalWidget()
    if isinstance(question, QMessageBox):
        QTest.mouseClick(question.button(QMessageBox.StandardButton.Discard), LEFT)


def use(window: MainWindow) -> None:
    """Drag the first gain, type into W_O, look at another panel."""
    drag(window.findChild(QSlider, "gainSlider1"), 200)
    type_into(window.findChild(QTableView, "outputProjectionTable"), 0, 1, "-2.5")
    if len(sys.argv) > 1:
        while not shows_first_weight(window):  # X draws in its own time
            QApplication.processEvents()
        window.screen().grabWindow(0).save(sys.argv[1])
    window.docks.rank.raise_()
    QApplication.processEvents()
    scene, entropy = window.bench.scene, window.bench.frame.result.heads[0].row_entropy_bits
    print(scene.heads[0].gain, scene.w_o[0, 1], window.bench.history.n_steps, entropy[-1])


if __name__ == "__main__":
    make_application()
    QTimer.singleShot(0, use_and_close)
    sys.exit(run(load_lesson("four-heads")))
