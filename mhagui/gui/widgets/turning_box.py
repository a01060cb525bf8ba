"""Widgets beside one another where there is room, else one below another."""

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QWidget

_Direction = QBoxLayout.Direction


class TurningBox(QWidget):
    """Holds its widgets in a row from so many digits of width on, and in a column below that."""

    def __init__(self, least_digits: int, spacing: int = 6) -> None:
        super().__init__()
        self._least_digits = least_digits
        self._parts: list[QWidget] = []
        self._box = QBoxLayout(_Direction.TopToBottom, self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.setSpacing(spacing)

    def add(self, widget: QWidget, stretch: int = 0) -> None:
        """Add ``widget`` behind the others."""
        self._parts.append(widget)
        self._box.addWidget(widget, stretch)

    def minimumSizeHint(self) -> QSize:
        """Return the least size: in a column, for it turns when it gets narrow."""
        width = max((part.minimumSizeHint().width() for part in self._parts), default=0)
        return QSize(width, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Turn when the width asks for it."""
        super().resizeEvent(event)
        least = self._least_digits * self.fontMetrics().horizontalAdvance("0")
        is_wide = self.width() >= least
        self._box.setDirection(_Direction.LeftToRight if is_wide else _Direction.TopToBottom)
