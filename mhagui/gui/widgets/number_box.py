"""Number fields that hold exactly what the scene holds, and say so when they refuse something."""

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QLocale, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QValidator, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QDoubleSpinBox,
    QSpinBox,
    QStyle,
    QStyleOptionSpinBox,
    QWidget,
)

from mhagui.document.table_text import parse_number
from mhagui.errors import UserError
from mhagui.formats import fixed, short

if TYPE_CHECKING:
    _SpinBox = QAbstractSpinBox
else:  # a class that derived from two of Qt's would be two C++ objects
    _SpinBox = object

# Qt rounds what a box holds to its decimals; with this many, the most it takes, it rounds nothing.
_ALL_DECIMALS = 323
_LONGEST = "−888.88"  # the widest text a box has to show


def box_text(value: float) -> str:
    """Return ``value`` in at most seven characters: two decimals, or up to four digits."""
    texts = [_with_digits(value, digits) for digits in (4, 3, 2, 1)]
    return next((text for text in texts if len(text) <= len(_LONGEST)), short(value))


def _with_digits(value: float, digits: int) -> str:
    magnitude = abs(value)
    if magnitude != 0 and not 1e-3 <= magnitude < 1e4:
        return short(value, digits)
    leading = math.floor(math.log10(magnitude)) if magnitude else 0
    whole, _, part = fixed(value, max(2, digits - 1 - leading)).partition(".")
    return f"{whole}.{part.rstrip('0').ljust(2, '0')}"


class _Field(_SpinBox):
    """What number and count boxes have in common; they say how texts are read and written.

    Signals
    -------
    refused
        What was typed was not taken; carries the sentence that says why.
    """

    refused = Signal(str)
    kind = "a number"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._subject = self._tip = ""
        self.setKeyboardTracking(False)
        self.setLocale(QLocale.c())
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)

    def describe(self, subject: str, tip: str) -> None:
        """Name the number: ``subject`` for refusals and screen readers, ``tip`` the tooltip."""
        self._subject, self._tip = subject, tip
        self.setAccessibleName(subject)
        self._show_tip()

    def _show_tip(self) -> None:
        self.setToolTip(self._tip)

    def _held_text(self) -> str:
        """Return the number held as it is shown."""
        raise NotImplementedError

    def _range(self) -> tuple[float, float]:
        """Return the least and the most that may be typed."""
        raise NotImplementedError

    def _read(self, text: str) -> float | None:
        """Return the number that ``text`` is, None where it is not taken."""
        try:
            number = parse_number(text) + 0.0  # no negative zero
        except UserError:
            return None
        low, high = self._range()
        return number if low <= number <= high else None

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        """Let anything be typed; only what can be taken is acceptable."""
        states = QValidator.State
        taken = self._read(text) is not None
        return states.Acceptable if taken else states.Intermediate, text, position

    def fixup(self, text: str) -> str:
        """Say why ``text`` is not taken; Qt then puts the old number back."""
        low, high = (short(limit, 7) for limit in self._range())
        wanted = f"must be {self.kind} from {low} to {high}"
        self.refused.emit(_refusal(self._subject, wanted, text))
        return text

    def event(self, event: QEvent) -> bool:
        """Leave the undo keys to the window, except while something is being typed."""
        if is_undo_key(event) and self.text() == self._held_text():
            event.ignore()
            return False
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape takes back what is being typed."""
        if event.key() == Qt.Key.Key_Escape and self.text() != self._held_text():
            self.lineEdit().setText(self._held_text())
            self.selectAll()
        else:
            super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Turn only while the box has the focus, so that scrolling past it changes nothing."""
        super().wheelEvent(event) if self.hasFocus() else event.ignore()

    def sizeHint(self) -> QSize:
        """Offer room for the widest text, whatever the range, so that boxes line up."""
        option = QStyleOptionSpinBox()
        self.initStyleOption(option)
        width = self.fontMetrics().horizontalAdvance(_LONGEST) + 2  # 2: the text cursor
        size = QSize(width, self.lineEdit().sizeHint().height())
        return self.style().sizeFromContents(QStyle.ContentsType.CT_SpinBox, option, size, self)

    def minimumSizeHint(self) -> QSize:
        """Never cut a number."""
        return self.sizeHint()


class NumberBox(_Field, QDoubleSpinBox):
    """A spin box from ``low`` to ``high`` that never rounds, clamps or changes a number by itself.

    It shows few digits but holds all of them: entering and leaving it changes nothing, and a number
    from outside its range is shown as it is. ``valueChanged`` tells of what the user does alone;
    ``show_value`` is silent.
    """

    def __init__(self, low: float, high: float, step: float, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._low, self._high = low, high
        self.setDecimals(_ALL_DECIMALS)
        self.setRange(low, high)
        self.setSingleStep(step)
        self.valueChanged.connect(self._show_tip)

    def show_value(self, value: float) -> None:
        """Show ``value`` silently; text that is being typed stays unless the value changed."""
        low, high = min(self._low, value), max(self._high, value)
        if (low, high, value) == (self.minimum(), self.maximum(), self.value()):
            return
        with QSignalBlocker(self):
            self.setRange(low, high)
            self.setValue(value)
        self._show_tip()

    def _show_tip(self) -> None:
        value = self.value()
        exact = float(box_text(value).replace("−", "-")) == value
        self.setToolTip(self._tip if exact else f"{self._tip}\nExactly {value!r}".replace("-", "−"))

    def _held_text(self) -> str:
        return box_text(self.value())

    def _range(self) -> tuple[float, float]:
        return self._low, self._high

    def _read(self, text: str) -> float | None:
        return self.value() if text == self._held_text() else super()._read(text)

    def textFromValue(self, value: float) -> str:
        """Write ``value`` in few digits."""
        return box_text(value)

    def valueFromText(self, text: str) -> float:
        """Read what was typed; the text of the number held is that number, unseen digits too."""
        number = self._read(text)
        return self.value() if number is None else number

    def stepBy(self, steps: int) -> None:
        """Step along decimal fractions, without the binary dust of repeated additions."""
        self.interpretText()
        self.setValue(round(self.value() + steps * self.singleStep(), 10))
        self.selectAll()


class CountBox(_Field, QSpinBox):
    """A spin box for a count from ``low`` to ``high``; what is outside it refuses, uncut."""

    kind = "a whole number"

    def __init__(self, low: int, high: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setRange(low, high)

    def show_value(self, value: int) -> None:
        """Show ``value`` silently; text that is being typed stays unless the value changed."""
        if value != self.value():
            with QSignalBlocker(self):
                self.setValue(value)

    def _held_text(self) -> str:
        return str(self.value())

    def _range(self) -> tuple[float, float]:
        return self.minimum(), self.maximum()

    def _read(self, text: str) -> float | None:
        number = super()._read(text)
        return number if number is not None and number.is_integer() else None

    def textFromValue(self, value: int) -> str:
        """Write ``value`` without group separators."""
        return str(value)

    def valueFromText(self, text: str) -> int:
        """Read what was typed."""
        number = self._read(text)
        return self.value() if number is None else int(number)


def is_undo_key(event: QEvent) -> bool:
    """Return whether a field is about to take the key of undo or redo for its own text."""
    if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.ShortcutOverride:
        return False
    return event.matches(QKeySequence.StandardKey.Undo) or event.matches(
        QKeySequence.StandardKey.Redo
    )


def _refusal(subject: str, wanted: str, text: str) -> str:
    if not text.strip():
        return f"{subject} {wanted}; got nothing."
    try:
        parse_number(text)
    except UserError as error:
        return f"{subject}: {error}"
    return f"{subject} {wanted}; got {text.strip()}."
