"""What areas that hold cards have in common."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget


def bare_area(area: QScrollArea, body: QWidget, *, resizable: bool = False) -> None:
    """Have ``area`` show ``body`` without a frame, and leave the keyboard to that."""
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidgetResizable(resizable)
    area.setWidget(body)


def lay_sheet(area: QScrollArea, sheet: QWidget) -> None:
    """Have ``area`` show ``sheet``, for cards to stand on, with neither frame nor ground."""
    bare_area(area, sheet)
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
