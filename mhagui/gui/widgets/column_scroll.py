"""A scroll area for what stands in one column."""

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtWidgets import QScrollArea, QWidget

from mhagui.gui.widgets.cards import bare_area


class ColumnScroll(QScrollArea):
    """Scrolls ``body`` up and down alone: it is never narrower than that is."""

    def __init__(self, body: QWidget) -> None:
        super().__init__()
        self._body = body
        bare_area(self, body, resizable=True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def minimumSizeHint(self) -> QSize:
        """Keep room for the body's least width beside a scroll bar."""
        bar = self.verticalScrollBar().sizeHint().width()
        width = self._body.minimumSizeHint().width() + bar
        return QSize(width, super().minimumSizeHint().height())

    def sizeHint(self) -> QSize:
        """Ask for all of the body to be seen."""
        return self._body.sizeHint().expandedTo(self.minimumSizeHint())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Ask for more room when the body needs it; Qt's scroll areas do not."""
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)
