"""A flat button that says as much as there is room for, and never cuts a word."""

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QStyle, QStyleOptionToolButton, QToolButton


class FittingButton(QToolButton):
    """Shows its icon and the longest of ``texts`` that fits; with the last of them it is least."""

    def __init__(self, *texts: str) -> None:
        super().__init__()
        self._texts = texts
        self.setAutoRaise(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._choose()

    def set_texts(self, *texts: str) -> None:
        """Show one of ``texts``, from the longest to the shortest."""
        if texts != self._texts:
            self._texts = texts
            self.updateGeometry()
            self._choose()

    def sizeHint(self) -> QSize:
        """Return the size with the longest text."""
        return self._size_with(self._texts[0])

    def minimumSizeHint(self) -> QSize:
        """Return the size with the shortest text."""
        return self._size_with(self._texts[-1])

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Say more, or less."""
        super().resizeEvent(event)
        self._choose()

    def changeEvent(self, event: QEvent) -> None:
        """Measure anew in another font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.updateGeometry()
            self._choose()

    def _choose(self) -> None:
        room = self.width()
        fitting = (text for text in self._texts if self._size_with(text).width() <= room)
        self.setText(next(fitting, self._texts[-1]))

    def _size_with(self, text: str) -> QSize:
        option = QStyleOptionToolButton()
        self.initStyleOption(option)
        metrics, icon = self.fontMetrics(), self.iconSize()
        width = icon.width() + 4 + metrics.horizontalAdvance(f" {text} ")
        size = QSize(width, max(icon.height(), metrics.height()))
        kind = QStyle.ContentsType.CT_ToolButton
        return self.style().sizeFromContents(kind, option, size, self)
