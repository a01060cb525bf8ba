"""A grid of cards with the key to their colours, where that leaves the matrices most room."""

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from mhagui.gui.formulas import Formula
from mhagui.gui.widgets.colour_bar import ColourBar
from mhagui.gui.widgets.colour_range import ColourRange
from mhagui.gui.widgets.colour_strip import ColourStrip
from mhagui.gui.widgets.formula_tip import put_above
from mhagui.gui.widgets.matrix_card import MatrixCard
from mhagui.gui.widgets.matrix_grid import CardGrid

ACROSS, DOWN = 10, 4  # pixels between the cards and the key
WORTH_LYING = 1.12  # so many times larger matrices are at least, with a key that lies below them


class KeyedGrid(QWidget):
    """An upright colour bar beside the cards, or a strip below them where they are small for it."""

    def __init__(self) -> None:
        super().__init__()
        self.grid, self.bar, self.strip = CardGrid(), ColourBar(), ColourStrip()
        self._caption = QLabel()
        self._caption.setBuddy(self.strip)
        parts = QGridLayout(self)
        parts.setContentsMargins(0, 0, 0, 0)
        parts.setHorizontalSpacing(ACROSS)
        parts.setVerticalSpacing(DOWN)
        parts.addWidget(self.grid, 0, 0, 1, 2)
        parts.addWidget(self.bar, 0, 2)
        parts.addWidget(self._caption, 1, 0)
        parts.addWidget(self.strip, 1, 1)
        parts.setColumnStretch(1, 1)
        parts.setRowStretch(0, 1)
        self._lay_down(False)

    def set_scale(self, scale: ColourRange) -> None:
        """Show which colour stands for which number."""
        self.bar.set_scale(scale)
        self.strip.set_scale(scale)
        self._caption.setText(scale.caption)

    def explain(self, formula: Formula) -> None:
        """Have the key explained by ``formula``."""
        for part in (self.bar, self.strip, self._caption):
            put_above(part, formula)

    def show_cards(self, alone: MatrixCard | None) -> None:
        """Show one card alone, or all of them for None, as large as fits."""
        self.grid.show_cards(alone)
        self._place_key()

    def _place_key(self) -> None:
        width, height = self.width(), self.height()
        beside = self.grid.shape_in(QSize(width - self.bar.sizeHint().width() - ACROSS, height))
        below = self.grid.shape_in(QSize(width, height - self.strip.sizeHint().height() - DOWN))
        if beside is not None and below is not None:
            is_larger = below.side >= WORTH_LYING * beside.side
            scrolls = beside.grid.scrolls, below.grid.scrolls
            self._lay_down(is_larger if scrolls[0] == scrolls[1] else scrolls[0])

    def _lay_down(self, lies: bool) -> None:
        self.bar.setVisible(not lies)
        for part in (self._caption, self.strip):
            part.setVisible(lies)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the key anew."""
        super().resizeEvent(event)
        self._place_key()

    def changeEvent(self, event: QEvent) -> None:
        """Place the key anew in another font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._place_key()
