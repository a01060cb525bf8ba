"""The labels of W_O's rows and columns."""

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QHeaderView, QWidget

from mhagui.gui.theme import theme_of
from mhagui.gui.widgets.drawing import demi_bold
from mhagui.gui.widgets.projection_delegate import GAP, cell_box
from mhagui.gui.widgets.projection_model import BAND_ROLE, NEW_BLOCK_ROLE

BAND = 4
BAND_GAP = 2
LABEL_GAP = 4
ROW_LABEL_MARGIN = BAND + BAND_GAP + 2 * LABEL_GAP


class ProjectionHeader(QHeaderView):
    """Labels without boxes; rows have a band in the colour of their head, and can be marked."""

    def __init__(self, orientation: Qt.Orientation, parent: QWidget) -> None:
        super().__init__(orientation, parent)
        self.setSectionsClickable(True)
        self.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setMinimumSectionSize(1)
        self.viewport().setBackgroundRole(parent.backgroundRole())
        self._marked = range(0)

    def mark(self, sections: range) -> None:
        """Write the labels of ``sections`` bold."""
        if sections != self._marked:
            self._marked = sections
            self.viewport().update()

    def sectionSizeFromContents(self, section: int) -> QSize:
        """Return the size of a label, with its band."""
        label = self.model().headerData(section, self.orientation(), Qt.ItemDataRole.DisplayRole)
        rows = self.orientation() == Qt.Orientation.Vertical
        metrics = QFontMetrics(demi_bold(self.font()) if rows else self.font())
        width = metrics.horizontalAdvance(str(label)) + (ROW_LABEL_MARGIN if rows else 0)
        return QSize(width, metrics.height() + GAP)

    def paintSection(self, painter: QPainter, box: QRect, section: int) -> None:
        """Paint the label, and the band beside it."""
        orientation = self.orientation()
        new_block = bool(self.model().headerData(section, orientation, NEW_BLOCK_ROLE))
        inner = cell_box(box, new_block=new_block)
        across = Qt.AlignmentFlag.AlignHCenter
        if orientation == Qt.Orientation.Vertical:
            # Down to the next row, so that the bands of one head are one.
            band = QRect(box.right() + 1 - BAND_GAP - BAND, inner.top(), BAND, 0)
            band.setBottom(box.bottom())
            painter.fillRect(band, self.model().headerData(section, orientation, BAND_ROLE))
            inner.setRight(band.left() - LABEL_GAP)
            across = Qt.AlignmentFlag.AlignRight
        label = self.model().headerData(section, orientation, Qt.ItemDataRole.DisplayRole)
        theme, marked = theme_of(self.palette()), section in self._marked
        painter.setPen(theme.text if marked else theme.muted)
        painter.setFont(demi_bold(self.font()) if marked else self.font())
        painter.drawText(inner, across | Qt.AlignmentFlag.AlignVCenter, str(label))
