"""A MatrixView among other things: it wants no more height than its width can use."""

import math
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QColor, QGuiApplication, QKeySequence, QResizeEvent

from mhagui.document.records import Array
from mhagui.document.table_text import write_table
from mhagui.gui.widgets.colour_range import ColourRange
from mhagui.gui.widgets.matrix_layout import MARGIN, MIN_WHOLE_CELL
from mhagui.gui.widgets.matrix_picture import Picture
from mhagui.gui.widgets.matrix_view import MatrixView

WISHED_CELL = 12
MOST_AT_LEAST = QSize(40, 64)  # pixels that cells take at the least: large matrices are shrunk
MOST_AT_FIRST = 16 * WISHED_CELL

Names = tuple[str, ...]


class SnugMatrixView(MatrixView):
    """Asks for small cells at first, and then for the height that goes with the width it got.

    Its numbers, of which few have room in cells so small, can be copied.
    """

    def __init__(self) -> None:
        super().__init__()
        self._range: ColourRange | None = None
        copy = QAction("&Copy values", self)
        copy.setShortcuts(QKeySequence.StandardKey.Copy)
        copy.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        copy.triggered.connect(self.copy)
        self.addAction(copy)

    def show_values(
        self,
        values: Array,
        colours: ColourRange,
        rows: Names,
        columns: Names,
        bands: tuple[QColor, ...] | None = None,
        words: tuple[Names, Names] = ((), ()),
    ) -> None:
        """Paint ``values`` in ``colours``, unless they are what is painted; never change them.

        ``words`` are what stands at each row, and all there is to say of it.
        """
        shown = self.picture
        if shown is not None and shown.values is values and self._range == colours:
            look = (shown.row_labels, shown.column_labels, shown.column_bands, shown.row_words)
            if look == (rows, columns, bands, words[0]):
                return
        self._range = colours
        what = Picture(values, colours.low, colours.high, colours.table, rows, columns, bands)
        signed = colours.low < 0
        what = replace(what, row_words=words[0], row_tips=words[1])
        self.set_picture(replace(what, signed=signed, precision=colours.precision))

    def copy(self) -> None:
        """Copy the numbers, tabs between columns, with all digits."""
        if self.picture is not None:
            QGuiApplication.clipboard().setText(write_table(np.asarray(self.picture.values)))

    def value_words(self, picture: Picture, row: int, column: int) -> str:
        """Return the number of a cell, to more digits than there is room for in it."""
        return picture.precision.short(float(picture.values[row, column]), 6)

    def sizeHint(self) -> QSize:
        """Return the width of small cells, and the height that goes with the width there is."""
        if self.picture is None:
            return super().sizeHint()
        rows, columns = self.picture.shape
        around = self._width_around()
        cell = max(self.width() - around, 1) / columns
        if cell >= MIN_WHOLE_CELL:
            cell = int(cell)  # as it will be: matrices side by side are level
        height = rows * cell + self._height_around()
        width = around + min(columns * WISHED_CELL, MOST_AT_FIRST)
        return QSize(width, math.ceil(height)).expandedTo(self.minimumSizeHint())

    def minimumSizeHint(self) -> QSize:
        """Return a size in which large matrices are shrunk more than when they stand alone."""
        most = QSize(self._width_around(), self._height_around()) + MOST_AT_LEAST
        return super().minimumSizeHint().boundedTo(most)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Ask for another height with another width."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

    def _height_around(self) -> int:
        return math.ceil(2 * MARGIN + self.gutters.bottom)

    def _width_around(self) -> int:
        return math.ceil(2 * MARGIN + self.gutters.left)
