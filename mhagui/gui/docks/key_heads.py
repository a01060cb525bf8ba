"""How heads that share keys and values are marked: with nothing that draws curves."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QWidget

from mhagui.document import Head, Scene
from mhagui.gui.widgets.key_line import KeyLabel
from mhagui.gui.widgets.naming import named

LINE_TIP = "They are underlined alike."
LEGEND_TIP = "Which heads of the bench share keys and values, and the line that marks them."
MOST_LISTED = 5
COLUMNS = 2


def key_head_mark(head: Head) -> str:
    """Return the mark that heads have alike which share keys and values: KV 0; or nothing."""
    return "" if head.key_head is None else f"KV {head.key_head}"


def key_head_tip(scene: Scene, head: Head) -> str:
    """Return in words with which others a head shares keys and values; nothing where it does not.

    A head that no other on the bench shares them with has its own all the same.
    """
    if head.key_head is None:
        return ""
    alike = [f"h{n}" for n, of in enumerate(scene.heads, 1) if of.key_head == head.key_head]
    which = f"Key and value head {head.key_head}"
    if len(alike) == 1:
        return f"{which}: no other head on the bench reads it."
    among = f"{which}, the keys and values of {', '.join(alike[:-1])} and {alike[-1]} alike."
    return f"{among} {LINE_TIP}"


def key_head_rows(scene: Scene) -> list[tuple[int, str]]:
    """Return each key head that heads share, and in words whose it is: KV 0: h1 h2 h3."""
    by_number: dict[int, list[str]] = {}
    for place, head in enumerate(scene.heads, 1):
        if head.key_head is not None:
            by_number.setdefault(head.key_head, []).append(f"h{place}")
    return [(number, f"KV {number}: {_listed(of)}") for number, of in sorted(by_number.items())]


def _listed(labels: list[str]) -> str:
    """Return ``labels``, many of which would be too long a line."""
    few = labels if len(labels) <= MOST_LISTED else [*labels[:3], "…", labels[-1]]
    return " ".join(few)


class KeyHeadLegend(QWidget):
    """Says of each key head which heads of the bench read it; hidden where none is shared."""

    def __init__(self) -> None:
        super().__init__()
        named(self, "keyHeadLegend", "Heads that share keys and values", LEGEND_TIP)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 2, 0, 0)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(2)
        self._grid.setColumnStretch(COLUMNS, 1)
        self._rows: list[tuple[int, str]] = []
        self._labels: list[KeyLabel] = []
        self.hide()

    def show_scene(self, scene: Scene) -> None:
        """Show the key heads of ``scene``."""
        rows = key_head_rows(scene)
        if rows == self._rows:
            return
        self._rows = rows
        for label in self._labels:
            self._grid.removeWidget(label)
            label.hide()
            label.deleteLater()
        self._labels = [KeyLabel() for _ in rows]
        for place, (label, (number, text)) in enumerate(zip(self._labels, rows, strict=True)):
            label.show_key_head(number, text)
            self._grid.addWidget(label, *divmod(place, COLUMNS), Qt.AlignmentFlag.AlignLeft)
        self.setAccessibleDescription("; ".join(text for _, text in rows))
        self.setVisible(bool(rows))
