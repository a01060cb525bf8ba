"""The labels of a NumberTable's rows and columns."""

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPalette
from PySide6.QtWidgets import QHeaderView, QStyleOptionHeader, QWidget

from mhagui.gui.theme import theme_of
from mhagui.palette import ink_on

BAND_ROLE = Qt.ItemDataRole.UserRole + 1
DIMMED_ROLE = Qt.ItemDataRole.UserRole + 2
BAND_PIXELS = 3


class TableLabels(QHeaderView):
    """Labels with a little room at their side; those of heads have a band in the head's colour.

    That of the ``marked`` column is filled with it.
    """

    def __init__(self, orientation: Qt.Orientation, parent: QWidget) -> None:
        super().__init__(orientation, parent)
        self.marked = -1

    def initStyleOptionForIndex(self, option: QStyleOptionHeader, section: int) -> None:
        """Mute the text of a dimmed column, and keep all text off the edge."""
        super().initStyleOptionForIndex(option, section)
        across = self.orientation() == Qt.Orientation.Horizontal
        option.text = f"{option.text}\xa0" if across else f"\xa0{option.text}"
        palette = QPalette(option.palette)
        band = self._band(section)
        if band is not None and section == self.marked:
            palette.setColor(QPalette.ColorRole.Button, band)
            ink = QColor(ink_on((band.red(), band.green(), band.blue())))
            palette.setColor(QPalette.ColorRole.ButtonText, ink)
        elif self.model().headerData(section, self.orientation(), DIMMED_ROLE):
            palette.setColor(QPalette.ColorRole.ButtonText, theme_of(self.palette()).muted)
        option.palette = palette

    def _band(self, section: int) -> QColor | None:
        band = self.model().headerData(section, self.orientation(), BAND_ROLE)
        return band if isinstance(band, QColor) else None

    def sectionSizeFromContents(self, section: int) -> QSize:
        """Return the size a label needs."""
        return super().sectionSizeFromContents(section) + QSize(
            self.fontMetrics().horizontalAdvance("\xa0"), 0
        )

    def paintSection(self, painter: QPainter, box: QRect, section: int) -> None:
        """Paint the label, and the band below it."""
        painter.save()
        super().paintSection(painter, box, section)
        painter.restore()
        band = self._band(section)
        if band is not None:
            painter.fillRect(box.adjusted(3, box.height() - BAND_PIXELS, -3, 0), band)
