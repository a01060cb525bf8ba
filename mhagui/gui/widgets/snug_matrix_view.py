"""A MatrixView among other things: it wants no more height than its width can use."""

import math

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent

from mhagui.gui.widgets.matrix_layout import MARGIN
from mhagui.gui.widgets.matrix_view import MatrixView

WISHED_CELL = 12
MOST_AT_LEAST = 64  # pixels that cells take at the least: large matrices are shrunk
MOST_AT_FIRST = 16 * WISHED_CELL


class SnugMatrixView(MatrixView):
    """Asks for small cells at first, and then for the height that goes with the width it got."""

    def sizeHint(self) -> QSize:
        """Return the width of small cells, and the height that goes with the width there is."""
        if self.picture is None:
            return super().sizeHint()
        rows, columns = self.picture.shape
        around = self._width_around()
        cell = max(self.width() - around, 1) / columns
        height = rows * cell + 2 * MARGIN + self.gutters.bottom
        width = around + min(columns * WISHED_CELL, MOST_AT_FIRST)
        return QSize(width, math.ceil(height)).expandedTo(self.minimumSizeHint())

    def minimumSizeHint(self) -> QSize:
        """Return a size in which large matrices are shrunk more than when they stand alone."""
        least = super().minimumSizeHint()
        return QSize(min(least.width(), self._width_around() + MOST_AT_LEAST), least.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Ask for another height with another width."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

    def _width_around(self) -> int:
        return math.ceil(2 * MARGIN + self.gutters.left)
