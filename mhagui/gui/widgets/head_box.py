"""A box to choose a head from: with its whole name where there is room, else with its number."""

from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import (
    QComboBox,
    QSizePolicy,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
)

SHORTEST = 4  # characters: h32 and a space


class HeadBox(QComboBox):
    """Lists heads as "h2 previous token"; shows no more than "h2" where the whole would be cut."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setSizeAdjustPolicy(self.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(SHORTEST)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw what boxes look like, with the text that fits."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        part, control = QStyle.SubControl.SC_ComboBoxEditField, QStyle.ComplexControl.CC_ComboBox
        field = self.style().subControlRect(control, option, part, self)
        room = field.width() - self.iconSize().width() - 2 * self.fontMetrics().averageCharWidth()
        if self.fontMetrics().horizontalAdvance(option.currentText) > room:
            option.currentText = option.currentText.partition(" ")[0]
        painter = QStylePainter(self)
        painter.drawComplexControl(control, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()
