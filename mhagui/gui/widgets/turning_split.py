"""What is chosen and what comes of it, both in sight: side by side, or one above the other."""

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtWidgets import QScrollArea, QWidget

from mhagui.gui.widgets.cards import bare_area
from mhagui.gui.widgets.column_scroll import ColumnScroll
from mhagui.gui.widgets.sharing_split import SharingSplit
from mhagui.gui.widgets.turning_scroll import LEAST_WIDTH, WIDE

MOST_CHOICES = 0.5  # of the room, that the choices have where that is less than they ask for
LEAST_LINES = 2  # of text, of which each part shows so many at least
LEAST_CHARACTERS = 22  # in a line of an answer that stands beside the choices


class TurningSplit(SharingSplit):
    """Scrolls each of two parts by itself; the second has the room that the first does not need.

    Wide, they stand side by side, else one above the other, whatever the answer is at the moment.
    The user may share the room otherwise.
    """

    def __init__(self, choices: QWidget, answer: QWidget) -> None:
        self._parts = ColumnScroll(choices), QScrollArea()
        bare_area(self._parts[1], answer, resizable=True)
        super().__init__(*self._parts)
        self.setStretchFactor(1, 1)
        self._measure()

    def minimumSizeHint(self) -> QSize:
        """Return what the parts need; side by side they can be narrower, for they turn."""
        hint = super().minimumSizeHint()
        is_wide = self.orientation() is Qt.Orientation.Horizontal
        return QSize(LEAST_WIDTH, hint.height()) if is_wide else hint

    def _measure(self) -> None:
        metrics = self.fontMetrics()
        for part in self._parts:
            part.setMinimumHeight(LEAST_LINES * metrics.height())
        self._parts[1].setMinimumWidth(LEAST_CHARACTERS * metrics.averageCharWidth())

    def arrange(self) -> None:
        """Stand as befits the size, and share the room."""
        needed = self._parts[0].minimumSizeHint().width() + self._parts[1].minimumWidth()
        is_wide = self.width() > WIDE * self.height() and self.width() >= needed
        wanted = Qt.Orientation.Horizontal if is_wide else Qt.Orientation.Vertical
        if wanted is not self.orientation():
            self._is_moved = False
            self.setOrientation(wanted)
            self.updateGeometry()
        super().arrange()

    def _wanted(self, room: int) -> int:
        return min(self._along(self._parts[0].sizeHint()), round(MOST_CHOICES * room))

    def reveal(self, widget: QWidget | None) -> None:
        """Have ``widget`` in sight, where it stands in one of the parts."""
        for part in self._parts:
            if widget is not None and part.isAncestorOf(widget):
                part.ensureWidgetVisible(widget)

    def changeEvent(self, event: QEvent) -> None:
        """Measure anew in another font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._measure()
