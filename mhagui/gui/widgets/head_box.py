"""A box to choose a head from: with its whole name where there is room, else with its number."""

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QColor, QPixmap
from PySide6.QtWidgets import QSizePolicy

from mhagui.document import Head
from mhagui.gui.widgets.choice_box import ChoiceBox
from mhagui.gui.widgets.words import plain
from mhagui.palette import head_colour

SHORTEST = 4  # characters: h32 and a space
SWATCH = 10


class HeadBox(ChoiceBox):
    """Lists heads as "h2 previous token"; shows no more than "h2" where the whole would be cut.

    Signals
    -------
    head_chosen
        The user has chosen the head with this uid.
    """

    head_chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._names: list[tuple[int, str]] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setSizeAdjustPolicy(self.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(SHORTEST)
        self.activated.connect(self._on_activated)

    def show_heads(self, heads: Sequence[Head], chosen: int) -> None:
        """List ``heads``, and show the one whose uid is ``chosen``."""
        names = [(head.uid, head.name) for head in heads]
        with QSignalBlocker(self):
            if names != self._names:
                self._names = names
                self.clear()
                for place, (uid, name) in enumerate(self._names):
                    swatch = QPixmap(SWATCH, SWATCH)
                    swatch.fill(QColor(head_colour(uid)))
                    self.addItem(swatch, f"h{place + 1} {name}", uid)
                    self.setItemData(place, plain(name), Qt.ItemDataRole.ToolTipRole)
            self.setCurrentIndex(self.findData(chosen))

    def _on_activated(self, place: int) -> None:
        self.head_chosen.emit(self.itemData(place))

    def shortened(self, text: str, width: int) -> str:
        """Return the whole name if it fits, else the number alone."""
        room = width - self.iconSize().width() - 2 * self.fontMetrics().averageCharWidth()
        fits = self.fontMetrics().horizontalAdvance(text) <= room
        return text if fits else text.partition(" ")[0]
