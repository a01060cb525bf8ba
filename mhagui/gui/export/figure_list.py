"""The list of figures in the export dialog: ticked to be written, walked to be seen."""

from collections.abc import Callable, Collection, Mapping

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from mhagui.figures import FIGURES
from mhagui.gui.widgets.naming import named
from mhagui.gui.widgets.page import heading

_NAME = Qt.ItemDataRole.UserRole
_CHARACTERS = 24  # of a title on a line, beyond which it wraps


class FigureList(QWidget):
    """Lists all figures and ``more``, titles by names; grey with the reason where there is none.

    Signals
    -------
    seen
        Another one is looked at; carries its name.
    """

    seen = Signal(str)

    def __init__(self, more: Mapping[str, str] | None = None) -> None:
        super().__init__()
        self._list = FigureTitles()
        for name, title in {**FIGURES, **(more or {})}.items():
            self._list.addItem(_item(name, title))
        self._all, self._none = QPushButton("All"), QPushButton("None")
        self._build()

    def names(self) -> tuple[str, ...]:
        """Return the figures that are ticked."""
        return tuple(i.data(_NAME) for i in self._items() if _is_there(i) and _is_ticked(i))

    def offer(self, why_not: Callable[[str], str | None]) -> None:
        """Let those figures be chosen for which ``why_not`` gives no reason against them."""
        with QSignalBlocker(self._list):
            for item in self._items():
                name = item.data(_NAME)
                reason, flag = why_not(name), Qt.ItemFlag.ItemIsEnabled
                item.setToolTip(reason or f"Written as {name}")
                item.setFlags(item.flags() & ~flag if reason else item.flags() | flag)

    def current(self) -> str | None:
        """Return the figure that is looked at; None where there is none to look at."""
        if self._list.currentRow() < 0:
            return None
        return str(self._list.currentItem().data(_NAME))

    def show_names(self, names: Collection[str], current: str | None = None) -> None:
        """Tick ``names``, and look at ``current``, or else at the first of them."""
        with QSignalBlocker(self._list):
            for item in self._items():
                _tick(item, item.data(_NAME) in names)
        there = [item for item in self._items() if _is_there(item)]
        wanted = [i for i in there if i.data(_NAME) == current]
        ticked = [i for i in there if _is_ticked(i)]
        if best := (wanted or ticked or there):
            self._list.setCurrentItem(best[0])

    def take_focus(self) -> None:
        """Have the keyboard."""
        self._list.setFocus()

    def _build(self) -> None:
        named(
            self._list, "exportFigures", "Figures",
            "Arrows walk from figure to figure; Space ticks the one to be written",
        )  # fmt: skip
        label = heading("Fig&ures")
        label.setBuddy(self._list)
        named(self._all, "exportAll", "All figures", "Tick every figure of this scene")
        named(self._none, "exportNone", "No figure", "Tick no figure")
        buttons = QHBoxLayout()
        for button, slot in ((self._all, self._tick_all), (self._none, self._tick_none)):
            button.setAutoDefault(False)  # Enter exports
            button.clicked.connect(slot)
            buttons.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(label)
        column.addWidget(self._list, 1)
        column.addLayout(buttons)
        self._list.currentItemChanged.connect(self._on_current)

    def _items(self) -> list[QListWidgetItem]:
        return [self._list.item(row) for row in range(self._list.count())]

    def _tick_all(self) -> None:
        self.show_names([item.data(_NAME) for item in self._items()], self.current())

    def _tick_none(self) -> None:
        self.show_names((), self.current())

    def _on_current(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self.seen.emit(item.data(_NAME))


class FigureTitles(QListWidget):
    """A list of titles that wrap, and that no scroll bar across is needed for."""

    def __init__(self) -> None:
        super().__init__()
        self.setWordWrap(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)

    def sizeHint(self) -> QSize:
        """Ask for room for most titles on one line."""
        return QSize(self._width(_CHARACTERS + 8), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """Keep room for every word."""
        return QSize(self._width(_CHARACTERS - 10), super().minimumSizeHint().height())

    def _width(self, n_characters: int) -> int:
        return self.fontMetrics().averageCharWidth() * n_characters


def _item(name: str, title: str) -> QListWidgetItem:
    item = QListWidgetItem(title)
    item.setData(_NAME, name)
    item.setCheckState(Qt.CheckState.Unchecked)
    return item


def _is_there(item: QListWidgetItem) -> bool:
    return bool(item.flags() & Qt.ItemFlag.ItemIsEnabled)


def _tick(item: QListWidgetItem, is_ticked: bool) -> None:
    state = Qt.CheckState.Checked if is_ticked and _is_there(item) else Qt.CheckState.Unchecked
    item.setCheckState(state)


def _is_ticked(item: QListWidgetItem) -> bool:
    return item.checkState() == Qt.CheckState.Checked
