"""What the Help menu says of the program and of the scene."""

from PySide6.QtCore import qVersion
from PySide6.QtGui import QFontInfo, QGuiApplication
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QDialogButtonBox,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from mhagui import __version__
from mhagui.document import Scene
from mhagui.document.scene_input import designed_input
from mhagui.gui.details_dialog import DetailsDialog
from mhagui.system_info import info_text, system_info

WHAT_IT_IS = (
    "An instrument for multi-head attention: drag a head's gain and see its weights, entropy, rank "
    "and output move in the same frame. MIT licence."
)


def system_text() -> str:
    """Return what the program runs on, its windows included, as lines to be pasted in a report."""
    font = QFontInfo(QApplication.font())
    screens = (
        f"{screen.size().width()}×{screen.size().height()} at {screen.devicePixelRatio():g}"
        for screen in QGuiApplication.screens()
    )
    return info_text(
        system_info()
        | {
            "Qt": qVersion(),
            "Qt platform": QGuiApplication.platformName(),
            "style": QApplication.style().name(),
            "colour scheme": QGuiApplication.styleHints().colorScheme().name.lower(),
            "font": f"{font.family()}, {font.pixelSize()} px",
            "screens": ", ".join(screens),
        }
    )


class AboutDialog(DetailsDialog):
    """Names the program and what it runs on, which can be copied for a report."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(f"mhagui {__version__}. {WHAT_IT_IS}", system_text(), parent=parent)
        self.setObjectName("aboutDialog")
        self.setWindowTitle("About mhagui")


def scene_text(scene: Scene) -> str:
    """Return what ``scene`` is: its own words, and what X is at its present length."""
    sizes = (
        f"Now on the bench: {scene.lengths}, H = {scene.n_heads}, "
        f"d_model = {scene.d_model}. X: {_tokens(scene)}."
    )
    return f"{scene.description}\n\n{sizes}".strip()


class SceneDialog(QDialog):
    """Shows what ``scene`` is; its own words may be long, and are shown as they stand."""

    def __init__(self, scene: Scene, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(scene.title)
        text = QPlainTextEdit(scene_text(scene))
        text.setReadOnly(True)
        text.setTabChangesFocus(True)
        text.setAccessibleName("About this scene")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addWidget(text)
        column.addWidget(buttons)
        self.resize(520, 300)


def _tokens(scene: Scene) -> str:
    if not (scene.x == designed_input(scene, scene.n_positions)).all():
        return "as the scene's file gives it, or edited since"
    if scene.vocabulary:
        position = ", with a position code behind it" if scene.has_position_code else ""
        return f"the tokens, one-hot over {len(scene.vocabulary)} words{position}"
    if scene.n_positions > scene.d_model:
        return f"one-hot tokens, which repeat after {scene.d_model}, the width of the model"
    return "one-hot tokens, all different"
