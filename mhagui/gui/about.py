"""What the Help menu says of the program and of the scene."""

import platform

import numpy as np
import pyqtgraph as pg
import PySide6
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QPlainTextEdit, QVBoxLayout, QWidget

from mhagui import __version__
from mhagui.document import Scene
from mhagui.document.scene import designed_input


def about_text() -> str:
    """Return what the About box says, as rich text."""
    runs_on = f"PySide6 {PySide6.__version__}, pyqtgraph {pg.__version__}, NumPy {np.__version__}"
    return (
        f"<h3>mhagui {__version__}</h3>"
        "<p>An instrument for multi-head attention: drag a head's gain and see its weights, "
        "entropy, rank and output move in the same frame.</p>"
        f"<p>MIT licence. Python {platform.python_version()}, {runs_on}.</p>"
    )


def scene_text(scene: Scene) -> str:
    """Return what ``scene`` is: its own words, and what X is at its present length."""
    sizes = (
        f"Now on the bench: T = {scene.n_positions}, H = {scene.n_heads}, "
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
