"""A menu of which one entry is chosen."""

from collections.abc import Callable, Iterable

from PySide6.QtCore import Signal
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from mhagui.gui.actions import with_mnemonics


class ChoiceMenu(QMenu):
    """Offers ``choices`` by their names, and marks the one in force; ``tip`` has {} for a name.

    Signals
    -------
    chosen
        The user wants another; carries the choice.
    """

    chosen = Signal(object)

    def __init__(
        self,
        title: str,
        choices: Iterable[object],
        name: Callable[[object], str],
        tip: str,
        parent: QWidget,
    ) -> None:
        super().__init__(title, parent)
        self._group = QActionGroup(self)
        self._group.triggered.connect(self._on_triggered)
        choices = list(choices)
        for choice, text in zip(choices, with_mnemonics(map(name, choices)), strict=True):
            action = self._group.addAction(text)
            action.setStatusTip(tip.format(name(choice)))
            action.setCheckable(True)
            action.setData(choice)
        self.addActions(self._group.actions())

    def mark(self, choice: object) -> None:
        """Mark ``choice`` as the one in force."""
        for action in self._group.actions():
            action.setChecked(action.data() == choice)

    def allow(self, allowed: bool) -> None:
        """Let one be chosen, or leave all grey where none makes a difference."""
        self._group.setEnabled(allowed)

    def _on_triggered(self, action: object) -> None:
        self.chosen.emit(action.data())  # type: ignore[attr-defined]
