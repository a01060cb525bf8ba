"""What areas that hold cards have in common."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget


def lay_sheet(area: QScrollArea, sheet: QWidget) -> None:
    """Have ``area`` show ``sheet``, for cards to stand on, with neither frame nor ground."""
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(sheet)
    for ground in (area.viewport(), sheet):
        ground.setAutoFillBackground(False)


def exchange(sheet: QWidget, before: Sequence[QWidget], cards: Sequence[QWidget]) -> None:
    """Put ``cards`` on ``sheet``; those that were there ``before`` and are not of them go."""
    for card in before:
        if card not in cards:
            card.hide()
            card.setParent(None)
            card.deleteLater()
    for card in cards:
        if card not in before:
            card.setParent(sheet)
