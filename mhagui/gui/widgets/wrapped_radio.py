"""A radio button whose text wraps, which Qt's do not."""

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QHBoxLayout, QRadioButton, QWidget

from mhagui.gui.widgets.page import wrapped_label


class WrappedRadio(QWidget):
    """A radio button and its text: a click on either chooses it, and both are in its focus."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.radio, self.label = QRadioButton(), wrapped_label(text)
        self.radio.setAccessibleName(text)
        self.radio.installEventFilter(self)
        self._fit_radio()
        row = QHBoxLayout(self)
        row.setContentsMargins(2, 1, 2, 1)
        row.setSpacing(4)
        row.addWidget(self.radio, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.label, 1)

    def _fit_radio(self) -> None:
        """Have the button stand beside the first line of the text."""
        self.radio.setMinimumHeight(self.fontMetrics().height())

    def changeEvent(self, event: QEvent) -> None:
        """Do so in another font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit_radio()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Choose it by a click on the text."""
        if event.button() == Qt.MouseButton.LeftButton and self.radio.isEnabled():
            self.radio.setFocus(Qt.FocusReason.MouseFocusReason)
            self.radio.click()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take the press, so that the release comes here."""
        event.accept()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Show the focus when the button gets or loses it."""
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self.update()
        return super().eventFilter(watched, event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the focus around button and text."""
        if not self.radio.hasFocus():
            return
        painter = QPainter(self)
        painter.setPen(QPen(self.palette().color(QPalette.ColorRole.Highlight), 1.5))
        painter.drawRoundedRect(self.rect().adjusted(1, 1, -1, -1), 3, 3)
        painter.end()
