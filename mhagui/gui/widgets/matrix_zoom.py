"""A matrix that can be looked at from closer by."""

from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QNativeGestureEvent, QWheelEvent

from mhagui.gui.widgets.matrix_picture import Part
from mhagui.gui.widgets.matrix_view import MatrixView

STEP = 2.0  # times as large cells that a key asks for
_TWICE = 240  # of the wheel, in eighths of a degree: two notches
_KEYS = {
    Qt.Key.Key_Plus: STEP,
    Qt.Key.Key_Equal: STEP,  # where + needs Shift
    Qt.Key.Key_Minus: 1 / STEP,
}
_OTHERS = (
    Qt.KeyboardModifier.ControlModifier
    | Qt.KeyboardModifier.AltModifier
    | Qt.KeyboardModifier.MetaModifier
)


class ZoomedView(MatrixView):
    """Shows all of a matrix, or a part of it with larger cells.

    Like its cursor it never moves its part itself: who hears what is wanted tells it.

    Signals
    -------
    zoomed
        Cells so many times as large are wanted; what is at the place (row, column), which may be
        inside a cell, should stay where it is; None for the cursor's cell.
    dragged
        The part with this first row and first column is wanted; they may be outside.
    whole_wanted
        All of the matrix is wanted.
    """

    zoomed = Signal(float, object)
    dragged = Signal(int, int)
    whole_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._part: Part | None = None
        self._grip: tuple[float, float] | None = None

    @property
    def part(self) -> Part | None:
        """The rows and columns that are shown, None for all."""
        if self._part is None or self.picture is None:
            return None
        is_inside = all(
            part.stop <= size for part, size in zip(self._part, self.picture.shape, strict=True)
        )
        return self._part if is_inside else None  # not of a picture that is about to change

    def set_part(self, part: Part | None) -> None:
        """Show a part of the matrix, or all of it for None."""
        if part != self._part:
            self._part = part
            self.lay_out_anew()

    def _place_at(self, position: QPointF) -> tuple[float, float]:
        layout = self.laid_out
        return layout.place_at(position.x(), position.y()) if layout else (0.0, 0.0)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Ask for larger or smaller cells with Ctrl."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier and self.picture is not None:
            factor = 2.0 ** (event.angleDelta().y() / _TWICE)
            self.zoomed.emit(factor, self._place_at(event.position()))
            event.accept()
        else:
            event.ignore()

    def event(self, event: QEvent) -> bool:
        """Ask for larger or smaller cells when two fingers are moved apart or together."""
        if (
            isinstance(event, QNativeGestureEvent)
            and event.gestureType() == Qt.NativeGestureType.ZoomNativeGesture
            and self.picture is not None
        ):
            factor = max(1.0 + event.value(), 1 / STEP)
            self.zoomed.emit(factor, self._place_at(event.position()))
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ask for larger or smaller cells, or for all of them."""
        is_plain = not event.modifiers() & _OTHERS and self.picture is not None
        key = event.keyCombination().key()
        if is_plain and key in _KEYS:
            self.zoomed.emit(_KEYS[key], None)
        elif is_plain and key == Qt.Key.Key_0:
            self.whole_wanted.emit()
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of a part."""
        with_shift = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        is_left = event.button() == Qt.MouseButton.LeftButton
        takes_hold = event.button() == Qt.MouseButton.MiddleButton or (is_left and with_shift)
        if takes_hold and self.part is not None:
            self._grip = self._place_at(event.position())
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
        else:
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Ask for the part that has under the pointer what was taken hold of."""
        if not event.buttons():
            self._let_go()  # where the release went to something that came in between
        if self._grip is None or self.part is None:
            super().mouseMoveEvent(event)
            return
        place = self._place_at(event.position())
        first = [
            cells.start + round(held - at)
            for cells, held, at in zip(self.part, self._grip, place, strict=True)
        ]
        if first != [cells.start for cells in self.part]:
            self.dragged.emit(*first)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go."""
        if self._grip is None:
            super().mouseReleaseEvent(event)
        self._let_go()

    def _let_go(self) -> None:
        if self._grip is not None:
            self._grip = None
            self.unsetCursor()
