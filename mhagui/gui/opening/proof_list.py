"""What the numbers of a file say of how it is read, each with a mark."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap, QResizeEvent
from PySide6.QtWidgets import QFrame, QListWidget, QListWidgetItem, QWidget

from mhagui.gui.icons import draw_icon
from mhagui.gui.theme import Theme, theme_of
from mhagui.gui.widgets.naming import named
from mhagui.gui.widgets.words import plain
from mhagui.sources import Proof

# By the verdict: what is said before the sentence, and the mark.
_MARKS = {"ok": ("Sound", "met"), "warn": ("Look", "notice"), "fault": ("Fault", "fault")}
_ORDER = tuple(reversed(_MARKS))  # what has to be looked at comes first
_LEAST_LINES = 4
NOTHING = "Nothing yet: something has to be said first."


class ProofList(QListWidget):
    """Lists proofs, faults first, each a wrapped sentence that arrow keys go through."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, "importProofs", "What proves it", "")
        self.setWordWrap(True)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setResizeMode(QListWidget.ResizeMode.Adjust)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextElideMode(Qt.TextElideMode.ElideNone)
        self._verdicts: list[str] = []

    def show_proofs(self, proofs: Sequence[Proof]) -> None:
        """List ``proofs`` from now on."""
        ordered = sorted(proofs, key=lambda proof: _ORDER.index(proof.verdict))
        texts = [f"{_MARKS[proof.verdict][0]}: {proof.sentence}" for proof in ordered]
        if texts and texts == [self.item(row).text() for row in range(self.count())]:
            return
        self._verdicts = [proof.verdict for proof in ordered]
        self.clear()
        for text in texts:
            item = QListWidgetItem(text)
            item.setToolTip(plain(text))
            self.addItem(item)
        if not texts:
            QListWidgetItem(NOTHING, self).setFlags(Qt.ItemFlag.NoItemFlags)
        self._mark()

    def _mark(self) -> None:
        """Draw the marks in the colours of the theme."""
        theme, side = theme_of(self.palette()), self.fontMetrics().height()
        self.setIconSize(QSize(side, side))
        icons = {verdict: self._icon(verdict, theme, side) for verdict in set(self._verdicts)}
        for row, verdict in enumerate(self._verdicts):
            self.item(row).setIcon(icons[verdict])

    def _icon(self, verdict: str, theme: Theme, side: int) -> QIcon:
        colours: dict[str, QColor] = {"ok": theme.met, "warn": theme.text, "fault": theme.cursor}
        ratio = self.devicePixelRatioF()
        pixmap = QPixmap(QSize(side, side) * ratio)
        pixmap.setDevicePixelRatio(ratio)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        draw_icon(painter, _MARKS[verdict][1], QRectF(0, 0, side, side), colours[verdict])
        painter.end()
        icon = QIcon(pixmap)
        icon.addPixmap(pixmap, QIcon.Mode.Selected)  # as it is, on the selection's colour too
        return icon

    def minimumSizeHint(self) -> QSize:
        """Return room for a few lines."""
        return QSize(200, _LEAST_LINES * self.fontMetrics().lineSpacing())

    def sizeHint(self) -> QSize:
        """Return room for twice as many."""
        return QSize(400, 2 * _LEAST_LINES * self.fontMetrics().lineSpacing())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Break the sentences anew."""
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()

    def changeEvent(self, event: QEvent) -> None:
        """Draw the marks of another theme, or as high as another font."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self._mark()
