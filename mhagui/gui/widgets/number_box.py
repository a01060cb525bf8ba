"""Number fields that hold exactly what the scene holds, and say so when they refuse something."""

import math

from PySide6.QtCore import QEvent, QLocale, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QValidator, QWheelEvent
from PySide6.QtWidgets import (
    QDoubleSpinBox,
    QSpinBox,
    QStyle,
    QStyleOptionSpinBox,
    QWidget,
)

from mhagui.document.table_text import parse_number
from mhagui.errors import UserError
from mhagui.formats import fixed, short

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


class NumberBox(QDoubleSpinBox):
    """A spin box from ``low`` to ``high`` that never rounds, clamps or changes a number by itself.

    It shows few digits but holds all of them: entering and leaving it changes nothing, and a number
    from outside its range is shown as it is. ``valueChanged`` tells of what the user does alone;
    ``show_value`` is silent.

    Signals
    -------
    refused
        What was typed was not taken; carries the sentence that says why.
    """

    refused = Signal(str)

    def __init__(self, low: float, high: float, step: float, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._low, self._high = low, high
        self._subject = self._tip = ""
        self.setDecimals(_ALL_DECIMALS)
        self.setRange(low, high)
        self.setSingleStep(step)
        self.valueChanged.connect(self._show_tip)
        _set_habits(self)

    def describe(self, subject: str, tip: str) -> None:
        """Name the number: ``subject`` for refusals and screen readers, ``tip`` the tooltip."""
        self._subject, self._tip = subject, tip
        self.setAccessibleName(subject)
        self._show_tip()

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
        exact = parse_number(box_text(value)) == value
        self.setToolTip(self._tip if exact else f"{self._tip}\nExactly {value!r}".replace("-", "−"))

    def _read(self, text: str) -> float | None:
        if text == box_text(self.value()):
            return self.value()
        try:
            number = parse_number(text) + 0.0  # no negative zero
        except UserError:
            return None
        return number if self._low <= number <= self._high else None

    def textFromValue(self, value: float) -> str:
        """Write ``value`` in few digits."""
        return box_text(value)

    def valueFromText(self, text: str) -> float:
        """Read what was typed; the text of the number held is that number, unseen digits too."""
        number = self._read(text)
        return self.value() if number is None else number

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        """Let anything be typed; only what can be taken is acceptable."""
        return _state(self._read(text) is not None), text, position

    def fixup(self, text: str) -> str:
        """Say why ``text`` is not taken; Qt then puts the old number back."""
        wanted = f"must be a number from {short(self._low)} to {short(self._high)}"
        self.refused.emit(_refusal(self._subject, wanted, text))
        return text

    def stepBy(self, steps: int) -> None:
        """Step along decimal fractions, without the binary dust of repeated additions."""
        self.interpretText()
        self.setValue(round(self.value() + steps * self.singleStep(), 10))
        self.selectAll()

    def event(self, event: QEvent) -> bool:
        """Leave the undo keys to the window, except while something is being typed."""
        if is_undo_key(event) and self.text() == box_text(self.value()):
            event.ignore()
            return False
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape takes back what is being typed."""
        if not _escaped(self, event, box_text(self.value())):
            super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Turn only while the box has the focus, so that scrolling past it changes nothing."""
        super().wheelEvent(event) if self.hasFocus() else event.ignore()

    def sizeHint(self) -> QSize:
        """Offer room for the widest text, whatever the range."""
        return _size_for(self, _LONGEST)

    def minimumSizeHint(self) -> QSize:
        """Never cut a number."""
        return self.sizeHint()


class CountBox(QSpinBox):
    """A spin box for a count from ``low`` to ``high``; what is outside it refuses, uncut.

    Signals
    -------
    refused
        What was typed was not taken; carries the sentence that says why.
    """

    refused = Signal(str)

    def __init__(self, low: int, high: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._subject = ""
        self.setRange(low, high)
        _set_habits(self)

    def describe(self, subject: str, tip: str) -> None:
        """Name the count: ``subject`` for refusals and screen readers, ``tip`` the tooltip."""
        self._subject = subject
        self.setAccessibleName(subject)
        self.setToolTip(tip)

    def show_value(self, value: int) -> None:
        """Show ``value`` silently; text that is being typed stays unless the value changed."""
        if value != self.value():
            with QSignalBlocker(self):
                self.setValue(value)

    def _read(self, text: str) -> int | None:
        try:
            number = parse_number(text)
        except UserError:
            return None
        inside = self.minimum() <= number <= self.maximum()
        return int(number) if inside and number.is_integer() else None

    def textFromValue(self, value: int) -> str:
        """Write ``value`` without group separators."""
        return str(value)

    def valueFromText(self, text: str) -> int:
        """Read what was typed."""
        number = self._read(text)
        return self.value() if number is None else number

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        """Let anything be typed; only what can be taken is acceptable."""
        return _state(self._read(text) is not None), text, position

    def fixup(self, text: str) -> str:
        """Say why ``text`` is not taken; Qt then puts the old count back."""
        wanted = f"must be a whole number from {self.minimum()} to {self.maximum()}"
        self.refused.emit(_refusal(self._subject, wanted, text))
        return text

    def event(self, event: QEvent) -> bool:
        """Leave the undo keys to the window, except while something is being typed."""
        if is_undo_key(event) and self.text() == str(self.value()):
            event.ignore()
            return False
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape takes back what is being typed."""
        if not _escaped(self, event, str(self.value())):
            super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Turn only while the box has the focus, so that scrolling past it changes nothing."""
        super().wheelEvent(event) if self.hasFocus() else event.ignore()

    def sizeHint(self) -> QSize:
        """Be as wide as a number box, so that boxes below each other line up."""
        return _size_for(self, _LONGEST)

    def minimumSizeHint(self) -> QSize:
        """Never cut a number."""
        return self.sizeHint()


def is_undo_key(event: QEvent) -> bool:
    """Return whether a field is about to take the key of undo or redo for its own text."""
    if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.ShortcutOverride:
        return False
    return event.matches(QKeySequence.StandardKey.Undo) or event.matches(
        QKeySequence.StandardKey.Redo
    )


def _set_habits(box: NumberBox | CountBox) -> None:
    box.setKeyboardTracking(False)
    box.setLocale(QLocale.c())
    box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    box.setAlignment(Qt.AlignmentFlag.AlignRight)


def _state(taken: bool) -> QValidator.State:
    return QValidator.State.Acceptable if taken else QValidator.State.Intermediate


def _refusal(subject: str, wanted: str, text: str) -> str:
    if not text.strip():
        return f"{subject} {wanted}; got nothing."
    try:
        parse_number(text)
    except UserError as error:
        return f"{subject}: {error}"
    return f"{subject} {wanted}; got {text.strip()}."


def _escaped(box: NumberBox | CountBox, event: QKeyEvent, text: str) -> bool:
    if event.key() != Qt.Key.Key_Escape or box.text() == text:
        return False
    box.lineEdit().setText(text)
    box.selectAll()
    return True


def _size_for(box: NumberBox | CountBox, text: str) -> QSize:
    option = QStyleOptionSpinBox()
    box.initStyleOption(option)
    width = box.fontMetrics().horizontalAdvance(text) + 2  # 2: the text cursor
    size = QSize(width, box.lineEdit().sizeHint().height())
    return box.style().sizeFromContents(QStyle.ContentsType.CT_SpinBox, option, size, box)
