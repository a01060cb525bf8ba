"""The presets of W_O as a menu, with the seed of the random one beside it."""

from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QPushButton, QSpinBox

from mhagui.document import Scene
from mhagui.document.presets import MAX_SEED, Preset, why_not
from mhagui.gui.widgets.naming import named

_TIPS = {
    Preset.LESSON: "The W_O that the scene's lesson begins with",
    Preset.IDENTITY: "W_O = I: output channel j is column j of Concat",
    Preset.SWAP: "The permutation that passes every head's block on in reverse order",
    Preset.RANDOM_ORTHOGONAL: "A random orthogonal W_O (Haar); the same seed gives the same W_O",
    Preset.ZERO: "W_O = 0: no output channel listens to any head",
}


class PresetMenu(QObject):
    """A button with a menu of presets, and a box for the seed.

    Signals
    -------
    chosen
        A preset is wanted; carries it and the seed.
    """

    chosen = Signal(object, int)

    def __init__(self) -> None:
        super().__init__()
        self.button, self.seed = _button(), _seed_box()
        self._menu = QMenu(self.button)
        self._menu.setToolTipsVisible(True)
        self._actions = {preset: self._make_action(preset) for preset in Preset}
        self.button.setMenu(self._menu)
        self._scene: Scene | None = None
        self.seed.valueChanged.connect(self._name_actions)

    def actions_of_menu(self) -> list[QAction]:
        """Return the menu's actions, to be shown in other menus too."""
        return self._menu.actions()

    def show_scene(self, scene: Scene) -> None:
        """Offer what ``scene`` can have, and say of the rest why not."""
        self._scene = scene
        self._name_actions()

    def _make_action(self, preset: Preset) -> QAction:
        action = self._menu.addAction(preset.value)
        action.setObjectName(f"preset{preset.name.title().replace('_', '')}")
        action.triggered.connect(partial(self._on_triggered, preset))
        return action

    def _name_actions(self) -> None:
        for preset, action in self._actions.items():
            reason = why_not(preset, self._scene) if self._scene else None
            name = preset.value.capitalize()
            if preset is Preset.RANDOM_ORTHOGONAL:
                name += f", seed {self.seed.value()}"
            action.setEnabled(reason is None)
            action.setText(f"{name} — {reason.removesuffix('.')}" if reason else name)
            action.setToolTip(reason or _TIPS[preset])

    def _on_triggered(self, preset: Preset) -> None:
        self.chosen.emit(preset, self.seed.value())


def _button() -> QPushButton:
    button = QPushButton()  # not a QToolButton: Fusion shows no focus on those
    button.setText("Presets")
    tip = "Set W_O as a whole: the lesson's, I, head blocks swapped, orthogonal, 0"
    return named(button, "projectionPresets", "Presets of W_O", tip)


def _seed_box() -> QSpinBox:
    box = QSpinBox()
    box.setRange(0, MAX_SEED)
    box.setPrefix("seed ")
    words = "Seed of the random orthogonal preset"
    return named(box, "projectionSeed", words, f"{words}: the same seed gives the same W_O")
