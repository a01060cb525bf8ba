"""A head's stems under its name and its filter's; and many of them in as many columns as fit."""

import math
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from mhagui.gui.widgets.drawing import LABEL_FONT, scaled_font
from mhagui.gui.widgets.matrix_card import HeadTitle
from mhagui.gui.widgets.stem_plot import StemPlot

GAP = 8
TO_ZERO = str.maketrans("123456789", "000000000")


class StemCard(QWidget):
    """A head's title, what filter it approaches and how far it is from that, and its stems.

    Signals
    -------
    pointed
        The cursor is wanted at (head, row, key): the head by uid.
    """

    pointed = Signal(int, int, int)

    def __init__(self, place: int) -> None:
        super().__init__()
        self.uid = 0
        self.title, self.caption, self.plot = HeadTitle(), QLabel(), StemPlot()
        self._least_captions: tuple[str, ...] = ()
        self._least_width = 0  # 0 where it is yet to be measured
        self.caption.setTextFormat(Qt.TextFormat.PlainText)
        self.caption.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.caption.setFont(scaled_font(self.font(), LABEL_FONT))
        self.caption.setObjectName(f"impulseCaption{place}")
        self.plot.setObjectName(f"impulsePlot{place}")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(1)
        column.addWidget(self.title)
        column.addWidget(self.caption)
        column.addWidget(self.plot, 1)
        self.plot.pointed.connect(self._on_pointed)

    def set_caption(self, lines: Sequence[str], others: Sequence[str] = ()) -> None:
        """Show ``lines``; there is room for ``others`` too, so that nothing moves for them."""
        self.caption.setText("\n".join(lines))
        self.caption.setAccessibleName(", ".join(lines))
        self._least_captions = (*lines, *others)
        self._least_width = 0

    @property
    def least_width(self) -> int:
        """The width in which any of the captions can be read, whatever their digits."""
        if not self._least_width:
            metrics = self.caption.fontMetrics()
            texts = {text.translate(TO_ZERO) for text in self._least_captions}
            widest = max((metrics.horizontalAdvance(text) for text in texts), default=0)
            self._least_width = max(widest + 1, self.minimumSizeHint().width())
        return self._least_width

    def changeEvent(self, event: QEvent) -> None:
        """Keep the caption a little smaller than the title."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.caption.setFont(scaled_font(self.font(), LABEL_FONT))
            self._least_width = 0

    def _on_pointed(self, row: int, key: int) -> None:
        self.pointed.emit(self.uid, row, key)


class CardFlow(QWidget):
    """Cards in as many columns as have room, each row as full as the others."""

    def __init__(self) -> None:
        super().__init__()
        self._cards: tuple[StemCard, ...] = ()
        self._shape = (0, 0)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(GAP)
        self._grid.setVerticalSpacing(GAP)

    @property
    def cards(self) -> tuple[StemCard, ...]:
        """The cards in order."""
        return self._cards

    def set_cards(self, cards: Sequence[StemCard]) -> None:
        """Hold ``cards`` from now on; those held before and no longer are deleted."""
        for card in self._cards:
            if card not in cards:
                self._grid.removeWidget(card)
                card.hide()
                card.deleteLater()
        self._cards = tuple(cards)
        self._shape = (0, 0)
        self.arrange()

    def minimumSizeHint(self) -> QSize:
        """Return the least size: one card wide, for more are put below."""
        return QSize(self._card_width(), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put more or fewer cards in a row."""
        super().resizeEvent(event)
        self.arrange()

    def _card_width(self) -> int:
        return max((card.least_width for card in self._cards), default=0)

    def arrange(self) -> None:
        """Put as many cards in a row as their captions allow."""
        if not self._cards:
            return
        most = max((self.width() + GAP) // (self._card_width() + GAP), 1)
        n_rows = math.ceil(len(self._cards) / most)
        n_columns = math.ceil(len(self._cards) / n_rows)
        if (n_rows, n_columns) == self._shape:
            return
        for place, card in enumerate(self._cards):
            self._grid.addWidget(card, *divmod(place, n_columns))
        for row in range(max(n_rows, self._shape[0], self._grid.rowCount())):
            self._grid.setRowStretch(row, int(row < n_rows))
        for column in range(max(n_columns, self._grid.columnCount())):
            self._grid.setColumnStretch(column, int(column < n_columns))
        self._shape = (n_rows, n_columns)
