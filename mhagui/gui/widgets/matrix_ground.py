"""What matrices of one size with the same labels share: where all stands, and the painted labels.

Matrices side by side are laid out once, and their labels painted once, however often their numbers
change.
"""

from collections import deque

from PySide6.QtCore import QSizeF
from PySide6.QtGui import QPixmap

from mhagui.gui.theme import Theme
from mhagui.gui.widgets.matrix_layout import lay_out
from mhagui.gui.widgets.matrix_painter import ground_pixmap
from mhagui.gui.widgets.matrix_picture import Part
from mhagui.gui.widgets.matrix_surroundings import Surroundings

_KEPT = 4  # cards of a grid may differ in size by a pixel, to either side


class Ground:
    """The layout of a matrix in a widget of ``size``, and what is painted around its cells."""

    def __init__(self, around: Surroundings, size: QSizeF, ratio: float, part: Part | None) -> None:
        self.of = around, size, ratio, part
        self.layout = lay_out(around, around.gutters(), size, ratio, part)
        self._pixmaps: dict[bool, QPixmap] = {}

    def pixmap(self, theme: Theme) -> QPixmap:
        """Return a pixmap of the widget with labels and bands; no copy, so paint on a copy."""
        if theme.dark not in self._pixmaps:
            around, size = self.of[:2]
            self._pixmaps[theme.dark] = ground_pixmap(self.layout, size, around.font, theme)
        return self._pixmaps[theme.dark]


class Grounds:
    """Makes the grounds of matrices, one for all that are alike; it keeps the newest few."""

    def __init__(self) -> None:
        self._kept: deque[Ground] = deque(maxlen=_KEPT)

    def ground(self, around: Surroundings, size: QSizeF, ratio: float, part: Part | None) -> Ground:
        """Return where all stands in a widget of ``size``, with ``ratio`` pixels to a unit."""
        wanted = around, size, ratio, part
        found = next((ground for ground in self._kept if ground.of == wanted), None)
        if found is None:
            found = Ground(*wanted)
            self._kept.append(found)
        return found
