"""Make the pictures of the documents with the program itself: ``make pictures``."""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ["QT_SCALE_FACTOR"] = "1.5"

from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import QApplication, QCheckBox, QLineEdit, QWidget

from mhagui.document import Cursor, Pattern, load_lesson
from mhagui.document.edits import (
    SetPattern,
    SetProjectionBlock,
    set_gain,
    set_key_magnitude,
    set_muted,
)
from mhagui.gui.application import make_application
from mhagui.gui.export.dialog import ExportDialog
from mhagui.gui.export.preview import Preview
from mhagui.gui.main_window import MainWindow
from mhagui.gui.theme import ThemeChoice, apply_theme
from mhagui.home import Home

PICTURES = Path(__file__).parent / "pictures"
LIGHT, DARK = ThemeChoice.LIGHT, ThemeChoice.DARK


def main() -> None:
    """Write the window in light and dark, and a picture for each way of working with it."""
    PICTURES.mkdir(exist_ok=True)
    app = make_application()
    take(app, "window-light", "four-heads", leave)
    take(app, "window-dark", "four-heads", leave, DARK)
    take(app, "lesson", "four-heads", sharpen_head_1)
    take(app, "pipeline", "four-heads", explain_a_cell)
    take(app, "induction", "induction", point_at_the_prediction)
    take(app, "impulse", "four-heads", double_the_gain)
    take(app, "history", "four-heads", work_and_save)
    take(app, "export", "four-heads", choose_figures)


def take(
    app: QApplication,
    name: str,
    lesson: str,
    use: Callable[[MainWindow], QWidget | None],
    theme: ThemeChoice = LIGHT,
) -> None:
    """Write the picture ``name``: a new window with ``lesson``, after ``use`` has used it.

    Or of what that returns.
    """
    apply_theme(theme)
    with tempfile.TemporaryDirectory() as folder:
        window = MainWindow(load_lesson(lesson), home=Home.below(Path(folder)))
        window.show()
        settle(app)
        shown = use(window) or window
        settle(app)
        path = PICTURES / f"{name}.png"
        shown.grab().save(str(path))
        print(path)
        window.bench.open(load_lesson(lesson))  # or closing would ask whether to save
        window.close()
        window.deleteLater()
        settle(app)


def settle(app: QApplication) -> None:
    """Let layouts and frames come to rest."""
    for _ in range(8):
        app.processEvents()


def leave(window: MainWindow) -> None:
    """Leave the window as it opens."""


def sharpen_head_1(window: MainWindow) -> None:
    """Work on exercise 6 until a half of it is done."""
    session = window.docks.lesson.session
    session.choose(6)
    session.start()
    window.docks.show(["lessonDock"])
    for magnitude in (6.0, 9.0):
        window.bench.edit(set_key_magnitude(1, magnitude))
        QApplication.processEvents()  # the exercise watches frames
    session.answer(session.chosen.questions[0], "0.51")


def explain_a_cell(window: MainWindow) -> None:
    """Look at the mask of head 2, and at the arithmetic of its brightest cell of row t4."""
    window.docks.show(["pipelineDock", "cellDock"])
    window.bench.look(stage=4, cursor=Cursor(head=2, query=3, key=2))


def point_at_the_prediction(window: MainWindow) -> None:
    """Point at what head 2 finds from the last row."""
    window.bench.look(cursor=Cursor(head=2, query=7, key=4))
    window.docks.heatmaps.take_focus()


def double_the_gain(window: MainWindow) -> None:
    """Look at the filters with head 1 at twice its gain."""
    window.docks.show(["impulseDock"])
    window.bench.edit(set_gain(1, 2.0))


def work_and_save(window: MainWindow) -> None:
    """Take some steps, save in between, and take one back."""
    for edit in (set_gain(2, 2.68), set_muted(1, True), SetProjectionBlock(1, 7, [[0.25]])):
        window.bench.edit(edit)
    with tempfile.TemporaryDirectory() as folder:
        window.files.write(Path(folder) / "mine.mhascene")
    window.statusBar().clearMessage()  # which says where: nobody's business
    window.bench.edit(set_gain(3, 2.1))
    window.bench.edit(SetPattern(4, Pattern.DELAY))
    window.bench.undo()
    window.docks.show(["historyDock"])
    window.bench.point(head=window.bench.scene.heads[2].uid)


def choose_figures(window: MainWindow) -> QWidget:
    """Ask for two figures in two formats, and wait until the first is drawn."""
    dialog = ExportDialog(window.bench.frame, parent=window)
    dialog.findChild(QLineEdit, "exportFolder").setText("~/paper/figures")
    for name in ("format_svg", "style_caption"):
        dialog.findChild(QCheckBox, name).click()
    dialog.resize(1180, 700)
    dialog.show()
    drawn = QSignalSpy(dialog.findChild(Preview).settled)
    drawn.wait(30_000)
    return dialog


if __name__ == "__main__":
    main()
