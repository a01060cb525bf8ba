"""Where the views of the atlas stand: beside each other, above each other, or behind tabs."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QTabWidget

from mhagui.gui.docks.atlas_panes import MapPane, Pane, ScatterPane, TablePane
from mhagui.gui.widgets.column_scroll import ColumnScroll
from mhagui.gui.widgets.naming import named
from mhagui.gui.widgets.sharing_split import SharingSplit

WIDE = 900  # pixels from where the map stands beside the others
TALL_LINES = 29  # of text, from where it stands above them
MAP_SHARE = 0.55  # of the room, that the map has at most


class AtlasViews(SharingSplit):
    """The map beside or above the others where there is room; else all three behind tabs.

    Behind them are the notes, wherever the map is: read once, they take no room of it. The map has
    what it asks for, up to its share, until the user moves the handle.
    """

    def __init__(
        self, heads: MapPane, table: TablePane, scatter: ScatterPane, notes: QLabel
    ) -> None:
        self._map, self._notes = heads, notes
        self.tabs = named(QTabWidget(), "atlasTabs", "Views of the heads", "")
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(heads, "Map")
        self.tabs.addTab(table, "Table")
        self.tabs.addTab(scatter, "Scatter")
        notes.setAlignment(Qt.AlignmentFlag.AlignTop)
        notes.setContentsMargins(6, 6, 6, 6)
        self.tabs.addTab(ColumnScroll(notes), "Notes")
        super().__init__(self.tabs)

    def take_focus(self) -> None:
        """Give the keyboard to what is in front: the map wherever it can be seen."""
        front = self.tabs.currentWidget() if self._is_in_tabs else self._map
        if isinstance(front, Pane):
            front.take_focus()
        else:
            self._notes.setFocus(Qt.FocusReason.TabFocusReason)

    def arrange(self) -> None:
        """Have the map where there is room for it, and share the room."""
        is_wide = self.width() >= WIDE
        is_tall = self.height() >= TALL_LINES * self.fontMetrics().height()
        self.setOrientation(Qt.Orientation.Horizontal if is_wide else Qt.Orientation.Vertical)
        if self._is_in_tabs and (is_wide or is_tall):
            self.insertWidget(0, self._map)
            self._map.show()
        elif not (self._is_in_tabs or is_wide or is_tall):
            self.tabs.insertTab(0, self._map, "Map")
            self.tabs.setCurrentIndex(0)
        if not self._is_in_tabs:
            super().arrange()

    def _wanted(self, room: int) -> int:
        return min(self._along(self._map.sizeHint()), round(MAP_SHARE * room))

    @property
    def _is_in_tabs(self) -> bool:
        return self.tabs.indexOf(self._map) >= 0
