"""A row of buttons, with what is said beside them, or below where there is no room for it."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QPushButton, QSizePolicy, QWidget

from mhagui.gui.widgets.fitting_label import FittingLabel

SPACING, BELOW = 6, 3  # pixels


class TurningRow(QWidget):
    """Buttons and a label behind them, which goes below where ``least`` has no room beside them."""

    def __init__(self, buttons: Sequence[QPushButton], label: FittingLabel, least: str) -> None:
        super().__init__()
        self._least, self._label = least, label
        self._row = QHBoxLayout()
        self._row.setSpacing(SPACING)
        for button in buttons:
            button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
            self._row.addWidget(button)
        self._box = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.addLayout(self._row)
        self._box.setAlignment(self._row, Qt.AlignmentFlag.AlignLeft)
        self._box.addWidget(label, 1)
        self._turn()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Say it beside the buttons, or below."""
        super().resizeEvent(event)
        self._turn()

    def changeEvent(self, event: QEvent) -> None:
        """Measure anew in another font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._turn()

    def _turn(self) -> None:
        least = self._label.fontMetrics().horizontalAdvance(self._least) + 1
        fits = self._row.sizeHint().width() + SPACING + least <= self.width()
        direction = QBoxLayout.Direction
        self._box.setDirection(direction.LeftToRight if fits else direction.TopToBottom)
        self._box.setSpacing(SPACING if fits else BELOW)
