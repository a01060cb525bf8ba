"""A box to choose from that a wheel turned over it leaves alone."""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox, QStylePainter, QWidget


class ChoiceBox(QComboBox):
    """A combo box whose choice scrolling past it does not change."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def event(self, event: QEvent) -> bool:
        """Have Alt+↓ open the list, whatever else it means around the box."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            is_alt = event.modifiers() == Qt.KeyboardModifier.AltModifier
            if is_alt and event.key() == Qt.Key.Key_Down:
                event.accept()
                return True
        return super().event(event)

    def showPopup(self) -> None:
        """Open the list, which bears the name of the box."""
        self.view().setAccessibleName(self.accessibleName())
        super().showPopup()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Turn only while the box has the focus."""
        super().wheelEvent(event) if self.hasFocus() else event.ignore()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw what boxes look like, with dots where the text is too long; Fusion cuts letters."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        part, control = QStyle.SubControl.SC_ComboBoxEditField, QStyle.ComplexControl.CC_ComboBox
        field = self.style().subControlRect(control, option, part, self)
        option.currentText = self.shortened(option.currentText, field.width())
        painter = QStylePainter(self)
        painter.drawComplexControl(control, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()

    def shortened(self, text: str, width: int) -> str:
        """Return what of ``text`` is shown in a field of ``width`` pixels."""
        has_icon = not self.itemIcon(self.currentIndex()).isNull()
        room = width - 2 - (self.iconSize().width() + 4 if has_icon else 0)
        return self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room)
