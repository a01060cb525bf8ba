"""One side of a comparison: which head of what it is, and the boxes to choose it from."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from mhagui.gui.docks.compare_sources import Choice, ComparedHead, Source
from mhagui.gui.widgets.choice_box import ChoiceBox
from mhagui.gui.widgets.naming import named
from mhagui.gui.widgets.words import plain

SOURCE_TIP = (
    "What a head of is compared: the scene on the bench, a former state of it, a file or prompt "
    "that is open, or a head that was pinned"
)
LAYER_TIP = "Which layer of it, counted from 0 as in models"
HEAD_TIP = "Which head; “cursor’s head” follows the cursor"
PIN_TIP = "Keep this head as it is now, to compare others with it"
KEPT = " (kept)"  # behind what is no more in the history, or no more open
UNPIN_TIP = "Let go of this pinned head"


@dataclass(frozen=True, slots=True)
class Pick:
    """A head that was chosen: of which source by its key, in which layer, and which."""

    key: Hashable
    layer: int = 0
    head: int = 0


class EntryBox(ChoiceBox):
    """Offers texts that each stand for something."""

    def __init__(self, least: int) -> None:
        super().__init__()
        self._entries: list[tuple[str, Hashable]] = []
        self.setSizeAdjustPolicy(self.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(least)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def offer(self, entries: Sequence[tuple[str, Hashable]], chosen: Hashable) -> None:
        """Have ``entries`` to choose from, and ``chosen`` be what is chosen, silently."""
        known = [what for _, what in entries]
        with QSignalBlocker(self):
            if [what for _, what in self._entries] != known:
                self.clear()
                self.addItems([text for text, _ in entries])
                self._entries = []
            if self._entries != list(entries):
                self._entries = list(entries)
                for row, (text, _) in enumerate(entries):
                    self.setItemText(row, text)
                    self.setItemData(row, plain(text), Qt.ItemDataRole.ToolTipRole)
            self.setCurrentIndex(known.index(chosen) if chosen in known else -1)


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
        self._sources: Sequence[Source] = ()
        self._choices: list[Choice] = []
        box = f"compare{name}"
        self.source_box = named(EntryBox(6), f"{box}Source", f"{name}: what it is of", SOURCE_TIP)
        self.layer_box = named(EntryBox(3), f"{box}Layer", f"{name}: layer", LAYER_TIP)
        self.head_box = named(EntryBox(6), f"{box}Head", f"{name}: head", HEAD_TIP)
        self.pin = named(QPushButton("Pin"), f"{box}Pin", f"Pin head {name}", PIN_TIP)
        self.pin.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.source_box.activated.connect(self._on_source)
        self.layer_box.activated.connect(self._on_layer)
        self.head_box.activated.connect(self._on_head)
        self.pin.clicked.connect(self.pin_wanted)

    @property
    def boxes(self) -> tuple[EntryBox, ...]:
        """The boxes from left to right."""
        return self.source_box, self.layer_box, self.head_box

    # --- what is shown

    def show_sources(self, sources: Sequence[Source]) -> None:
        """Offer ``sources``; what is chosen stays, also where it is no more among them."""
        known, kept = {source.key: source for source in sources}, ""
        if self.pick.key not in known:
            if self.source is None or self.source.key != self.pick.key:
                self.pick = Pick(sources[0].key)
            else:
                sources, kept = [*sources, self.source], KEPT
                known[self.source.key] = self.source
        self._sources, self.source = sources, known[self.pick.key]
        entries = [(each.title, each.key) for each in sources]
        entries[-1] = entries[-1][0] + kept, entries[-1][1]
        self.source_box.offer(entries, self.pick.key)
        self._show_heads(self.source)

    def _show_heads(self, source: Source) -> None:
        layers = source.layers
        layer = self.pick.layer if self.pick.layer in layers or not layers else layers[0]
        self._choices = choices = source.choices(layer)
        heads = [choice.head for choice in choices]
        head = self.pick.head if self.pick.head in heads else heads[0]
        self.pick = replace(self.pick, layer=layer, head=head)
        self.layer_box.offer([(f"L{number}", number) for number in layers], layer)
        self.layer_box.setVisible(bool(layers))
        self.head_box.offer([(choice.text, choice.head) for choice in choices], head)

    def show_head(self, head: ComparedHead | None, *, is_pinned: bool) -> None:
        """Say which head it is, and offer to pin it, or to let go of it."""
        self.pin.setText("Unpin" if is_pinned else "Pin")
        self.pin.setAccessibleName(f"{self.pin.text()} head {self.name}")
        self.pin.setToolTip(UNPIN_TIP if is_pinned else PIN_TIP)
        self.pin.setEnabled(head is not None)

    def choose(self, pick: Pick) -> None:
        """Have ``pick`` in place of what is chosen, once sources are shown."""
        self.pick, self.source = pick, None

    def differ_from(self, uid: int, uids: Sequence[int], *, is_new: bool) -> None:
        """Have another of the heads ``uids`` than ``uid``, where its own is gone or it is new."""
        others = [other for other in uids if other != uid]
        if others and (self.pick.head not in uids or (is_new and self.pick.head == uid)):
            self.choose(replace(self.pick, head=others[0]))

    def exchange(self, other: "Side") -> None:
        """Have what the ``other`` side has, and the other what this one has."""
        self.pick, other.pick = other.pick, self.pick
        self.source, other.source = other.source, self.source

    # --- what the user does

    def _on_source(self, row: int) -> None:
        source = self._sources[row]
        is_alike = self.source is not None and bool(self.source.layers) == bool(source.layers)
        # Heads of captures are numbered from 0, those of scenes have uids.
        self._become(replace(self.pick, key=source.key) if is_alike else Pick(source.key))

    def _on_layer(self, row: int) -> None:
        assert self.source is not None  # or there are no layers
        self._become(replace(self.pick, layer=self.source.layers[row]))

    def _on_head(self, row: int) -> None:
        self._become(replace(self.pick, head=self._choices[row].head))

    def _become(self, pick: Pick) -> None:
        if pick != self.pick:
            self.pick = pick
            self.changed.emit()
