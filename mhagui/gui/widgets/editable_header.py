"""The labels of a matrix's rows and columns."""

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QHeaderView, QWidget

from mhagui.gui.theme import theme_of
from mhagui.gui.widgets.drawing import demi_bold
from mhagui.gui.widgets.editable_delegate import GAP, cell_box
from mhagui.gui.widgets.editable_model import BAND_ROLE, NEW_BLOCK_ROLE

BAND = 4
BAND_GAP = 2
LABEL_GAP = 4


def label_margin(*, rows: bool, banded: bool) -> int:
    """Return the room beside a row's label or below a column's, with its band if it has one."""
    band = BAND + BAND_GAP if banded else 0
    return band + (2 * LABEL_GAP if rows else GAP)


class EditableHeader(QHeaderView):
    """Labels without boxes, with a band in the colour of their head; some can be marked."""

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
        rows = self.orientation() == Qt.Orientation.Vertical
        margin = label_margin(rows=rows, banded=self._data(section, BAND_ROLE) is not None)
        metrics = QFontMetrics(demi_bold(self.font()) if rows else self.font())
        width = metrics.horizontalAdvance(str(self._data(section, Qt.ItemDataRole.DisplayRole)))
        if rows:
            return QSize(width + margin, metrics.height() + GAP)
        return QSize(width, metrics.height() + margin)

    def paintSection(self, painter: QPainter, box: QRect, section: int) -> None:
        """Paint the label, and the band beside or below it."""
        rows = self.orientation() == Qt.Orientation.Vertical
        new_block = bool(self._data(section, NEW_BLOCK_ROLE))
        inner = cell_box(box, new_block and rows, new_block and not rows)
        colour = self._data(section, BAND_ROLE)
        if colour is not None:
            # Up to the next section, so that the bands of one head are one.
            band = QRect(inner.left(), box.bottom() + 1 - BAND_GAP - BAND, 0, BAND)
            band.setRight(box.right())
            if rows:
                band = QRect(box.right() + 1 - BAND_GAP - BAND, inner.top(), BAND, 0)
                band.setBottom(box.bottom())
            painter.fillRect(band, colour)
            inner = _beside(inner, band, rows=rows)
        elif rows:
            inner.setRight(box.right() - LABEL_GAP)
        theme, marked = theme_of(self.palette()), section in self._marked
        painter.setPen(theme.text if marked else theme.muted)
        painter.setFont(demi_bold(self.font()) if marked else self.font())
        across = Qt.AlignmentFlag.AlignRight if rows else Qt.AlignmentFlag.AlignHCenter
        label = str(self._data(section, Qt.ItemDataRole.DisplayRole))
        painter.drawText(inner, across | Qt.AlignmentFlag.AlignVCenter, label)

    def _data(self, section: int, role: int) -> object:
        return self.model().headerData(section, self.orientation(), role)


def _beside(inner: QRect, band: QRect, *, rows: bool) -> QRect:
    """Return what of ``inner`` the band leaves to the label."""
    if rows:
        return inner.adjusted(0, 0, band.left() - LABEL_GAP - inner.right(), 0)
    return inner.adjusted(0, 0, 0, band.top() - inner.bottom())
