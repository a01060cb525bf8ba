"""A matrix that can be looked at from closer by."""

from typing import NamedTuple, Protocol

from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QNativeGestureEvent, QWheelEvent

from mhagui.gui.widgets.matrix_cells import Cells, stand_in
from mhagui.gui.widgets.matrix_layout import MatrixLayout
from mhagui.gui.widgets.matrix_picture import Levels, Part, Picture
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


class Wanted(NamedTuple):
    """What cells are to be made of."""

    picture: Picture
    layout: MatrixLayout


class MadeAside(Protocol):
    """Makes cells that take long, of many views, while the window goes on."""

    def takes(self, view: "ZoomedView") -> bool:
        """Say whether it makes the cells that ``view`` wants, and hands them over later."""


class ZoomedView(MatrixView):
    """Shows all of a matrix, or a part of it with larger cells.

    Where its cells are made aside, it shows meanwhile what is known of them, and numbers, cursor
    and labels as they are.

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
        self._aside: MadeAside | None = None
        self._whole: Cells | None = None  # the newest of a whole picture
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

    # --- cells that take long

    def set_aside(self, aside: MadeAside) -> None:
        """Have cells made by ``aside`` where that takes them."""
        self._aside = aside

    @property
    def wanted(self) -> Wanted | None:
        """What is to be painted, unless its cells are there; None out of sight."""
        picture, layout = self.picture, self.laid_out
        if picture is None or layout is None or self.visibleRegion().isEmpty():
            return None
        is_there = self._cells is not None and self._cells.are_of(picture, layout)
        return None if is_there else Wanted(picture, layout)

    def take(self, cells: Cells) -> None:
        """Paint ``cells``; those of another picture or layout are better than none."""
        if self.picture is None:  # forgotten meanwhile
            return
        self._keep(cells)
        self._pixmap = None
        self.update()

    def forget_picture(self) -> None:
        """Let go of the picture and all its cells."""
        super().forget_picture()
        self._whole = None

    def _keep(self, cells: Cells) -> None:
        self._cells = cells
        if cells.layout.part == cells.picture.whole:
            self._whole = cells

    def _indices(self, picture: Picture, layout: MatrixLayout) -> Levels | None:
        if self._aside is not None and self.wanted is not None and self._aside.takes(self):
            known = (self._whole, self._cells)
            return stand_in([c for c in known if c and c.picture.shape == picture.shape], layout)
        indices = super()._indices(picture, layout)
        if self._cells is not None:
            self._keep(self._cells)
        return indices

    def _place_at(self, position: QPointF) -> tuple[float, float]:
        layout = self.laid_out
        return layout.place_at(position.x(), position.y()) if layout else (0.0, 0.0)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Ask for larger or smaller cells with Ctrl."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier and self.picture is not None:
            self.setFocus(Qt.FocusReason.MouseFocusReason)  # so that 0 leads back
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
