"""Boxes of the export dialog: of a few options, of a font, and of a type size."""

from collections.abc import Iterable
from enum import Enum

from PySide6.QtCore import QLocale, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QLineEdit

from mhagui.figures.style import LONGEST_FONT, MAX_FONT_SIZE, MIN_FONT_SIZE
from mhagui.gui.widgets.choice_box import ChoiceBox

DEFAULT_FONT = "DejaVu Sans (default)"
_FONT_STEP = 0.5  # points


class OptionBox(ChoiceBox):
    """Offers ``options`` by their texts."""

    def __init__(self, options: Iterable[Enum]) -> None:
        super().__init__()
        self._options = list(options)
        self.addItems([str(option) for option in self._options])

    def option(self) -> Enum:
        """Return the one that is chosen."""
        return self._options[self.currentIndex()]

    def show_option(self, option: Enum) -> None:
        """Show ``option`` as the one that is chosen."""
        self.setCurrentIndex(self._options.index(option))


class FontBox(ChoiceBox):
    """Offers the families that figures can be set in; any other can be typed.

    Signals
    -------
    wanted
        The user wants another.
    """

    wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._line = QLineEdit()
        self.setLineEdit(self._line)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(12)
        self.addItem(DEFAULT_FONT)
        self._line.setMaxLength(LONGEST_FONT)
        self._line.editingFinished.connect(self._on_finished)
        self.activated.connect(self._on_finished)
        self._shown = ""

    def family(self) -> str:
        """Return the family, empty for the default."""
        text = self.currentText().strip()
        known = {self.itemText(i).casefold(): self.itemText(i) for i in range(1, self.count())}
        family = known.get(text.casefold(), text)
        return "" if text == DEFAULT_FONT else family.encode(errors="ignore").decode()

    def show_family(self, family: str) -> None:
        """Show ``family``."""
        self._shown = family
        self.setEditText(family or DEFAULT_FONT)
        self._line.home(False)

    def offer(self, families: Iterable[str]) -> None:
        """Offer ``families`` in the list; what is written stays."""
        text = self.currentText()
        with QSignalBlocker(self):
            while self.count() > 1:
                self.removeItem(1)
            self.addItems(list(families))
            self.setEditText(text)

    def _on_finished(self) -> None:
        family = self.family()
        if family != self._shown:
            self.show_family(family)
            self.wanted.emit()


class TypeSizeBox(QDoubleSpinBox):
    """Points of type; what is less than figures can have stands for the page's own."""

    def __init__(self) -> None:
        super().__init__()
        self.setLocale(QLocale.c())
        self.setDecimals(1)
        self.setRange(0.0, MAX_FONT_SIZE)
        self.setSingleStep(_FONT_STEP)
        self.setSuffix(" pt")
        self.setKeyboardTracking(False)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def points(self) -> float | None:
        """Return the size; None for the page's own."""
        return self.value() or None

    def show_points(self, points: float | None, of_page: float) -> None:
        """Show ``points``, silently, beside what would be the page's own."""
        with QSignalBlocker(self):
            self.setSpecialValueText(f"as the page: {of_page:g} pt")
            self.setValue(points or 0.0)

    def minimumSizeHint(self) -> QSize:
        """Never cut the words that stand for the page's own; Qt leaves them out."""
        return self.sizeHint()

    def valueFromText(self, text: str) -> float:
        """Read what was typed."""
        return _large_enough(super().valueFromText(text))

    def stepBy(self, steps: int) -> None:
        """Step from the page's own to the least there is, and back."""
        self.interpretText()
        value = self.value() + steps * self.singleStep()
        self.setValue(_large_enough(value if self.value() else max(value, MIN_FONT_SIZE)))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Turn only while the box has the focus."""
        super().wheelEvent(event) if self.hasFocus() else event.ignore()


def _large_enough(points: float) -> float:
    return points if points >= MIN_FONT_SIZE else 0.0
