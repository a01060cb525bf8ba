"""A label that says as much as there is room for, and never cuts a word."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy

from mhagui.formats import USUAL, Precision

Words = Callable[[Precision], tuple[str, ...]]


class FittingLabel(QLabel):
    """Shows the longest of its texts that fits, each of the same number of lines."""

    def __init__(self, *texts: str) -> None:
        super().__init__()
        self._texts: tuple[str, ...] = ("",)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        if texts:
            self.set_texts(*texts)

    def set_texts(self, *texts: str) -> None:
        """Show one of ``texts``, which say the same from the longest to the shortest."""
        if texts != self._texts:
            self._texts = texts
            self.setAccessibleName(texts[0])
            self.updateGeometry()
            self._choose()

    def set_written(self, write: Words, precision: Precision) -> None:
        """Show what ``write`` says to ``precision``, in usual digits where that has no room."""
        texts = write(precision)
        self.set_texts(*texts, *(() if precision == USUAL else write(USUAL)))

    def sizeHint(self) -> QSize:
        """Return the size of the longest text."""
        return self._size_of(self._texts[0])

    def minimumSizeHint(self) -> QSize:
        """Return the size of the shortest text."""
        return self._size_of(self._texts[-1])

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Say more, or less."""
        super().resizeEvent(event)
        self._choose()

    def changeEvent(self, event: QEvent) -> None:
        """Measure anew in another font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.updateGeometry()
            self._choose()

    def _choose(self) -> None:
        room = self.width()
        fitting = (text for text in self._texts if self._size_of(text).width() <= room)
        self.setText(next(fitting, self._texts[-1]))

    def _size_of(self, text: str) -> QSize:
        metrics, lines = self.fontMetrics(), text.split("\n")
        width = max(metrics.horizontalAdvance(line) for line in lines) + 1
        return QSize(width, metrics.lineSpacing() * len(lines))
