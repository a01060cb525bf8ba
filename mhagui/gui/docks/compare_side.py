"""One side of a comparison: which head of what it is, and the boxes to choose it from."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from mhagui.gui.docks.compare_sources import Choice, ComparedHead, Source
from mhagui.gui.widgets.choice_box import ChoiceBox
from mhagui.gui.widgets.naming import named
from mhagui.gui.widgets.words import plain

SHORTEST = 6  # characters that a box shows at least
SOURCE_TIP = (
    "What a head of is compared: the scene on the bench, a former state of it, a file or prompt "
    "that is open, or a head that was pinned"
)
LAYER_TIP = "Which layer of it, counted from 0 as in models"
HEAD_TIP = "Which head; “cursor’s head” follows the cursor"
PIN_TIP = "Keep this head as it is now, to compare others with it"
UNPIN_TIP = "Let go of this pinned head"


@dataclass(frozen=True, slots=True)
class Pick:
    """A head that was chosen: of which source by its key, in which layer, and which."""

    key: Hashable
    layer: int = 0
    head: int = 0


class Side(QObject):
    """The boxes of side A or B, which a dock puts into its rows.

    Signals
    -------
    changed
        The user has chosen another head; ``pick`` is the new one.
    pin_wanted
        The head that is shown is to be pinned, or let go of where it is a pinned one.
    """

    changed = Signal()
    pin_wanted = Signal()

    def __init__(self, name: str, pick: Pick, parent: QWidget) -> None:
        super().__init__(parent)
        self.name, self.pick = name, pick
        self.source: Source | None = None  # what was chosen, once it is known
        box = f"compare{name}"
        self.source_box = named(ChoiceBox(), f"{box}Source", f"{name}: what it is of", SOURCE_TIP)
        self.layer_box = named(ChoiceBox(), f"{box}Layer", f"{name}: layer", LAYER_TIP)
        self.head_box = named(ChoiceBox(), f"{box}Head", f"{name}: head", HEAD_TIP)
        self.pin = named(QPushButton("Pin"), f"{box}Pin", f"Pin head {name}", PIN_TIP)
        self._lay_out()
        self.source_box.activated.connect(self._on_source)
        self.layer_box.activated.connect(self._on_layer)
        self.head_box.activated.connect(self._on_head)
        self.pin.clicked.connect(self.pin_wanted)

    @property
    def boxes(self) -> tuple[ChoiceBox, ...]:
        """The boxes from left to right."""
        return self.source_box, self.layer_box, self.head_box

    def _lay_out(self) -> None:
        for box in self.boxes:
            box.setSizeAdjustPolicy(box.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(SHORTEST)
            box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.layer_box.setMinimumContentsLength(3)
        self.pin.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    # --- what is shown

    def show_sources(self, sources: Sequence[Source]) -> None:
        """Offer ``sources``; what is chosen stays, also where it is no more among them."""
        known = {source.key: source for source in sources}
        if self.pick.key not in known:
            if self.source is None or self.source.key != self.pick.key:
                self.pick = Pick(sources[0].key)
            else:
                sources = [*sources, self.source]
                known[self.source.key] = self.source
        self.source = known[self.pick.key]
        _offer(self.source_box, [(each.title, each.key) for each in sources], self.pick.key)
        self._show_heads(self.source)

    def _show_heads(self, source: Source) -> None:
        layers = source.layers
        layer = self.pick.layer if self.pick.layer in layers or not layers else layers[0]
        choices = source.choices(layer)
        heads = [choice.head for choice in choices]
        head = self.pick.head if self.pick.head in heads else heads[0]
        self.pick = replace(self.pick, layer=layer, head=head)
        _offer(self.layer_box, [(f"L{number}", number) for number in layers], layer)
        self.layer_box.setVisible(bool(layers))
        _offer(self.head_box, [_entry(choice) for choice in choices], head)

    def show_head(self, head: ComparedHead | None, *, is_pinned: bool) -> None:
        """Say which head it is, and offer to pin it, or to let go of it."""
        self.pin.setText("Unpin" if is_pinned else "Pin")
        self.pin.setAccessibleName(f"{self.pin.text()} head {self.name}")
        self.pin.setToolTip(UNPIN_TIP if is_pinned else PIN_TIP)
        self.pin.setEnabled(head is not None)

    # --- what the user does

    def _on_source(self, row: int) -> None:
        self._become(Pick(_data(self.source_box, row), self.pick.layer, self.pick.head))

    def _on_layer(self, row: int) -> None:
        self._become(replace(self.pick, layer=_data(self.layer_box, row)))

    def _on_head(self, row: int) -> None:
        self._become(replace(self.pick, head=_data(self.head_box, row)))

    def _become(self, pick: Pick) -> None:
        if pick != self.pick:
            self.pick = pick
            self.changed.emit()


def _entry(choice: Choice) -> tuple[str, Hashable]:
    return choice.text, choice.head


def _offer(box: ChoiceBox, entries: Sequence[tuple[str, Hashable]], chosen: Hashable) -> None:
    """Have ``entries``, texts with what they stand for, in ``box``, silently."""
    keys = [key for _, key in entries]
    with QSignalBlocker(box):
        if [_data(box, row) for row in range(box.count())] != keys:
            box.clear()
            for text, key in entries:
                box.addItem(text, [key])  # in a list, or Qt makes its own of it
        for row, (text, _) in enumerate(entries):
            if box.itemText(row) != text:
                box.setItemText(row, text)
            if box.itemData(row, Qt.ItemDataRole.ToolTipRole) != text:
                box.setItemData(row, plain(text), Qt.ItemDataRole.ToolTipRole)
        box.setCurrentIndex(keys.index(chosen) if chosen in keys else -1)


def _data(box: ChoiceBox, row: int) -> object:
    found: list[object] = box.itemData(row)
    return found[0]
