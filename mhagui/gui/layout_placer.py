"""Puts the docks of a main window where a layout says."""

from collections.abc import Iterator, Mapping
from itertools import accumulate, pairwise

from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow, QStyle

from mhagui.gui.layout_reader import UnknownFormError, room_of_docks
from mhagui.gui.window_place import in_sight
from mhagui.layout_tree import Frame, Layout, Node, Split, Tabs, leaves, names_in

Horizontal, Vertical = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
ORIENTATIONS = {"across": Horizontal, "down": Vertical}


def place_docks(window: QMainWindow, docks: Mapping[str, QDockWidget], layout: Layout) -> None:
    """Put every dock where ``layout``, which names each once, has it; the window has to be shown.

    Qt 6.11 leaves a second tab bar behind wherever docks are tabbed in a window that is not
    shown, and so does its ``restoreState``.
    """
    _Placer(window, docks, layout).place()


class _Placer:
    def __init__(
        self, window: QMainWindow, docks: Mapping[str, QDockWidget], layout: Layout
    ) -> None:
        self._window, self._docks, self._layout = window, docks, layout
        self._hidden = {*layout.hidden}
        self._absent = self._hidden | layout.floating.keys()  # take no room

    def place(self) -> None:
        """Take all docks out and put them in anew, first those that others are put beside."""
        for dock in self._docks.values():
            if dock.isFloating():
                dock.setFloating(False)
            self._window.removeDockWidget(dock)
        first = self._docks[names_in(self._layout.tree)[0]]
        self._window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, first)
        self._split(self._layout.tree)
        for tabs in leaves(self._layout.tree):
            self._tabify(tabs)
        for name, frame in self._layout.floating.items():
            self._float(self._docks[name], frame)
        for name, dock in self._docks.items():
            dock.setVisible(name not in self._hidden)
        self._settle()  # or a window that is just being shown has neither tabs nor room
        for tabs in leaves(self._layout.tree):
            self._raise(tabs)
        self._share_room()
        self._settle()  # or it is painted once with the room that Qt has shared out

    def _settle(self) -> None:
        if layout := self._window.layout():
            layout.activate()

    def _split(self, node: Node) -> None:
        if isinstance(node, Tabs):
            return
        corners = [self._docks[names_in(child)[0]] for child in node.children]
        for corner, next_corner in pairwise(corners):
            self._window.splitDockWidget(corner, next_corner, ORIENTATIONS[node.direction])
        for child in node.children:
            self._split(child)

    def _tabify(self, tabs: Tabs) -> None:
        first, *others = (self._docks[name] for name in tabs.docks)
        for dock in others:
            self._window.tabifyDockWidget(first, dock)
            dock.move(-dock.width(), -dock.height())  # or it would be drawn as if in front

    def _raise(self, tabs: Tabs) -> None:
        present = [name for name in tabs.docks if name not in self._absent]
        if present:
            self._docks[tabs.front if tabs.front in present else present[0]].raise_()

    def _float(self, dock: QDockWidget, frame: Frame) -> None:
        dock.setFloating(True)
        dock.setGeometry(in_sight(frame))

    def _share_room(self) -> None:
        try:
            room = room_of_docks(self._window)
        except UnknownFormError:
            return  # it is as Qt has shared it out
        if room.isEmpty():
            return  # nothing stands in a window that is just being shown
        shares = list(self._shares(self._layout.tree, room.width(), room.height()))
        shares.sort(key=self._is_present)  # last, for each has its say in the rooms around it
        docks = [self._docks[name] for name, _, _ in shares]
        self._window.resizeDocks(docks, [width for _, width, _ in shares], Horizontal)
        # How high some have to be depends on how wide they are.
        self._settle()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        self._settle()
        self._window.resizeDocks(docks, [height for _, _, height in shares], Vertical)

    def _is_present(self, share: tuple[str, int, int]) -> bool:
        return share[0] not in self._absent

    def _shares(self, node: Node, width: int, height: int) -> Iterator[tuple[str, int, int]]:
        """Yield a dock of every place with the width and height of that place."""
        if isinstance(node, Tabs):
            present = [name for name in node.docks if name not in self._absent]
            yield (present or node.docks)[0], width, height
        elif node.direction == "across":
            for child, share in zip(node.children, self._divided(node, width), strict=True):
                yield from self._shares(child, share, height)
        else:
            for child, share in zip(node.children, self._divided(node, height), strict=True):
                yield from self._shares(child, width, share)

    def _divided(self, node: Split, length: int) -> list[int]:
        """Share out ``length`` as the children's sizes are; what is absent keeps its own for later.

        With neighbours of the same sizes as before, each gets the very pixels it had.
        """
        absent = [self._absent.issuperset(names_in(child)) for child in node.children]
        gap = self._window.style().pixelMetric(QStyle.PixelMetric.PM_DockWidgetSeparatorExtent)
        free = length - gap * (absent.count(False) - 1)
        sizes = [
            0 if gone else child.size for child, gone in zip(node.children, absent, strict=True)
        ]
        total = sum(sizes) or 1
        ends = [round(free * part / total) for part in accumulate(sizes, initial=0)]
        shares = [max(end - start, 1) for start, end in pairwise(ends)]
        return [
            child.size if gone else share
            for child, gone, share in zip(node.children, absent, shares, strict=True)
        ]
