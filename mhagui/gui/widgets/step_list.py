"""The steps of a process as a list of small pictures, one of which is the step of the moment."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QImage, QPaintEvent, QPalette, QPen, QPixmap
from PySide6.QtWidgets import (
    QButtonGroup,
    QGridLayout,
    QSizePolicy,
    QStyle,
    QStyleOptionToolButton,
    QStylePainter,
    QToolButton,
    QWidget,
)

from mhagui.gui.theme import theme_of

PICTURE = 1.05  # heights of a line of text
ICON_MARGIN = 2  # that styles leave on the left of an icon
COLUMNS = 4  # where steps lie side by side


class StepButton(QToolButton):
    """A flat button with a small picture that is framed as a card while it is checked.

    The picture is no icon: each new icon would stay behind in Qt's cache of pixmaps.
    """

    picture: QImage | None = None

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the frame, for what Fusion draws of it hardly shows in the dark."""
        option = QStyleOptionToolButton()
        self.initStyleOption(option)
        edge = self.style().pixelMetric(QStyle.PixelMetric.PM_DefaultFrameWidth, option, self)
        if not self.isChecked():
            super().paintEvent(event)
        painter = QStylePainter(self)
        if self.isChecked():
            painter.setPen(QPen(self.palette().color(QPalette.ColorRole.Highlight), 2.0))
            painter.setBrush(theme_of(self.palette()).card)
            painter.drawRoundedRect(self.rect().adjusted(1, 1, -1, -1), 3, 3)
            option.rect = self.rect().adjusted(edge, edge, -edge, -edge)
            painter.drawControl(QStyle.ControlElement.CE_ToolButtonLabel, option)
        beside_text = Qt.ToolButtonStyle.ToolButtonTextBesideIcon
        if self.picture is not None and self.toolButtonStyle() == beside_text:
            top = (self.height() - self.iconSize().height()) // 2
            painter.drawImage(QPoint(edge + ICON_MARGIN, top), self.picture)
        painter.end()


class StepList(QWidget):
    """Buttons, one below the other or four to a row; the keys for them are for others to handle.

    Signals
    -------
    chosen
        The step of that number, from 0, was clicked.
    """

    chosen = Signal(int)

    def __init__(self, steps: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._upright: bool | None = None
        self._group = QButtonGroup(self)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(0)
        self.buttons = [self._button(number, *step) for number, step in enumerate(steps)]
        self._group.idClicked.connect(self.chosen)
        self.set_upright(False)

    def _button(self, number: int, name: str, tip: str) -> StepButton:
        button = StepButton()
        button.setText(f"{number + 1} {name}")
        button.setToolTip(tip)
        button.setAccessibleName(f"Stage {number + 1}, {name}")
        button.setObjectName(f"stage{number + 1}")
        button.setCheckable(True)
        button.setAutoRaise(True)
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._group.addButton(button, number)
        return button

    def set_upright(self, upright: bool) -> None:
        """Put the steps one below the other, or in rows, where there is no room for pictures."""
        if upright == self._upright:
            return
        self._upright = upright
        style = Qt.ToolButtonStyle
        for number, button in enumerate(self.buttons):
            row, column = (number, 0) if upright else divmod(number, COLUMNS)
            self._grid.addWidget(button, row, column)
            beside, alone = style.ToolButtonTextBesideIcon, style.ToolButtonTextOnly
            button.setToolButtonStyle(beside if upright else alone)
        self._size_pictures()

    def set_step(self, number: int) -> None:
        """Show that ``number`` is the step of the moment."""
        self.buttons[number].setChecked(True)

    def picture_size(self) -> int:
        """Return the side of the pictures, in logical pixels."""
        return round(PICTURE * self.fontMetrics().height())

    def set_pictures(self, pictures: Sequence[QImage]) -> None:
        """Show a picture at each step."""
        for button, picture in zip(self.buttons, pictures, strict=True):
            if picture is not button.picture:
                button.picture = picture
                button.update()

    def changeEvent(self, event: QEvent) -> None:
        """Give the pictures the size that goes with another font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._size_pictures()

    def _size_pictures(self) -> None:
        side = self.picture_size()
        room = QPixmap(side, side)
        room.fill(Qt.GlobalColor.transparent)
        for button in self.buttons:
            button.setIcon(room)
            button.setIconSize(QSize(side, side))
