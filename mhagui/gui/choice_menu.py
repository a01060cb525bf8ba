"""A menu of which one entry is chosen."""

from collections.abc import Iterable
from enum import Enum

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from mhagui.gui.actions import with_mnemonics


class ChoiceMenu(QMenu):
    """Offers ``choices`` by their texts, and marks the one in force; ``tip`` has {} for a text.

    Signals
    -------
    chosen
        The user wants another; carries the choice.
    """

    chosen = Signal(object)

    def __init__(self, title: str, choices: Iterable[Enum], tip: str, parent: QWidget) -> None:
        super().__init__(title, parent)
        self._group = QActionGroup(self)
        self._group.triggered.connect(self._on_triggered)
        self._choices = list(choices)
        texts = with_mnemonics(map(str, self._choices))
        for number, (choice, text) in enumerate(zip(self._choices, texts, strict=True)):
            action = self._group.addAction(text)
            action.setStatusTip(tip.format(choice))
            action.setCheckable(True)
            action.setData(number)  # Qt makes mere text of a choice that is text
        self.addActions(self._group.actions())

    def mark(self, choice: object) -> None:
        """Mark ``choice`` as the one in force."""
        for action, own in zip(self._group.actions(), self._choices, strict=True):
            action.setChecked(own == choice)

    def allow(self, allowed: bool) -> None:
        """Let one be chosen, or leave all grey where none makes a difference."""
        self._group.setEnabled(allowed)

    def _on_triggered(self, action: QAction) -> None:
        self.chosen.emit(self._choices[action.data()])
