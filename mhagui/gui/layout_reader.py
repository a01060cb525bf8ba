"""What a main window says of where its docks are, as data."""

from PySide6.QtCore import QDataStream, QSize, Qt
from PySide6.QtWidgets import QMainWindow

from mhagui.layout_tree import LARGEST, Frame, Layout, Node, Split, Tabs, names_in, sized

# The marks in QMainWindow.saveState. Qt describes them nowhere, and still reads what Qt 4 wrote.
_WINDOW, _DOCKS, _SPLIT, _TABS, _DOCK = 0xFF, 0xFD, 0xFC, 0xFA, 0xFB
_IS_VISIBLE, _IS_FLOATING = 1, 2
_LEFT, _RIGHT, _TOP, _BOTTOM = range(4)  # the areas of a window, as Qt counts them
_UNSEEN = 200  # pixels, of a dock that had none yet

Areas = dict[int, tuple[QSize, Node]]


class UnknownFormError(ValueError):
    """The state of a window has another form than is known here."""


def read_layout(window: QMainWindow) -> Layout:
    """Return where the docks are; raises UnknownFormError where Qt says it in another way."""
    reader = _Reader(window)
    absent = {*reader.hidden, *reader.floating}
    return Layout(_joined(reader.areas, absent), tuple(reader.hidden), reader.floating)


def room_of_docks(window: QMainWindow) -> QSize:
    """Return the size of the room that the docks share, all of them being in the left area."""
    return _Reader(window).areas[_LEFT][0]


def _joined(areas: Areas, absent: set[str]) -> Node:
    """Return one tree; top and bottom are as wide as the window, which is Qt's habit."""
    sides = [areas[area] for area in (_LEFT, _RIGHT) if area in areas]
    across = [sized(node, _length(size.width())) for size, node in sides]
    rows = [(areas[area][0].height(), areas[area][1]) for area in (_TOP, _BOTTOM) if area in areas]
    if across:
        middle = Split("across", tuple(across))
        # Of those that can be seen: others have heights of long ago.
        seen = (size.height() for size, node in sides if not absent.issuperset(names_in(node)))
        rows.insert(_TOP in areas, (max(seen, default=0), middle))
    return Split("down", tuple(sized(node, _length(height)) for height, node in rows))


class _Reader:
    """Reads the state of a window once, from its beginning through its docks."""

    def __init__(self, window: QMainWindow) -> None:
        self._stream = QDataStream(window.saveState())
        self._stream.setVersion(QDataStream.Version.Qt_5_0)  # that which Qt writes it in
        self.hidden: list[str] = []
        self.floating: dict[str, Frame] = {}
        self._expect(self._number(), _WINDOW)
        self._number()  # which a program may give its states
        self._expect(self._stream.readUInt8(), _DOCKS)
        self.areas: Areas = dict(self._area() for _ in range(self._number()))

    def _area(self) -> tuple[int, tuple[QSize, Node]]:
        area, size = self._number(), QSize(self._number(), self._number())
        return area, (size, self._node(_UNSEEN))

    def _node(self, size: int) -> Node:
        """Read what shares one room."""
        mark = self._expect(self._stream.readUInt8(), _SPLIT, _TABS)
        front = self._number() if mark == _TABS else -1
        is_across = self._stream.readUInt8() == Qt.Orientation.Horizontal.value
        children = [self._item() for _ in range(self._number())]
        if mark == _SPLIT:
            return Split("across" if is_across else "down", tuple(children), size)
        docks = tuple(name for child in children if isinstance(child, Tabs) for name in child.docks)
        return Tabs(docks, docks[front] if 0 <= front < len(docks) else "", size)

    def _item(self) -> Node:
        """Read a dock, or a room within the room."""
        if self._expect(self._stream.readUInt8(), _DOCK, _SPLIT) == _SPLIT:
            return self._node(self._size())
        name, flags = self._stream.readQString(), self._stream.readUInt8()
        if not flags & _IS_VISIBLE:
            self.hidden.append(name)
        if not flags & _IS_FLOATING:
            return Tabs((name,), size=self._size())
        self.floating[name] = Frame(*(self._number() for _ in range(4)))
        return Tabs((name,), size=_UNSEEN)

    def _size(self) -> int:
        """Read a size, and pass over the place, and the sizes that are least and most."""
        _, size, _, _ = (self._number() for _ in range(4))
        return _length(size)

    def _number(self) -> int:
        number = self._stream.readInt32()
        self._expect_whole()
        return number

    def _expect_whole(self) -> None:
        if self._stream.status() != QDataStream.Status.Ok:
            raise UnknownFormError("the state of the window ends too early")

    def _expect(self, mark: int, *known: int) -> int:
        if mark not in known:
            raise UnknownFormError(f"the state of the window has an unknown mark, {mark:#x}")
        return mark


def _length(pixels: int) -> int:
    """Return a length as it may stand in a layout; what has nothing to show has none."""
    return pixels if 1 <= pixels <= LARGEST else _UNSEEN
