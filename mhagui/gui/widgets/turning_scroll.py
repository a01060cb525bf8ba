"""A scroll area for parts that stand side by side where it is wide, else one below the other."""

from PySide6.QtCore import QEvent, QObject, QSize, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QWidget

from mhagui.gui.widgets.column_scroll import ColumnScroll

WIDE = 1.25  # times as wide as high
LEAST_WIDTH = 160  # what a wide one can shrink to at once; when it has turned it says what it needs

Direction = QBoxLayout.Direction


class TurningScroll(ColumnScroll):
    """Turns the layout of its body as befits its size; it leaves all keys to what it stands in.

    Signals
    -------
    turned
        The parts stand otherwise now: side by side, or not.
    """

    turned = Signal(bool)

    def __init__(self, body: QWidget, parts: QBoxLayout, least_wide: int = 0) -> None:
        self._parts, self._least_wide = parts, least_wide
        super().__init__(body)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Turn where the size asks for it."""
        super().resizeEvent(event)
        self._turn()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Turn where the parts no longer fit side by side, or do so now."""
        handled = super().eventFilter(watched, event)
        if event.type() == QEvent.Type.LayoutRequest:
            self._turn()
        return handled

    def minimumSizeHint(self) -> QSize:
        """Return what the body needs; side by side it can be narrower, for it turns."""
        hint = super().minimumSizeHint()
        return QSize(LEAST_WIDTH, hint.height()) if self._is_wide() else hint

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Pass the key on."""
        event.ignore()

    def _is_wide(self) -> bool:
        return self._parts.direction() == Direction.LeftToRight

    def _turn(self) -> None:
        needed = max(self._width_side_by_side(), self._least_wide)
        wide = self.width() > WIDE * self.height() and self.width() >= needed
        if wide != self._is_wide():
            self._parts.setDirection(Direction.LeftToRight if wide else Direction.TopToBottom)
            self.updateGeometry()
            self.turned.emit(wide)

    def _width_side_by_side(self) -> int:
        items = [self._parts.itemAt(number) for number in range(self._parts.count())]
        margins, bar = self._parts.contentsMargins(), self.verticalScrollBar().sizeHint().width()
        between = (len(items) - 1) * self._parts.spacing()
        parts = sum(item.minimumSize().width() for item in items if item is not None)
        return parts + between + margins.left() + margins.right() + bar
