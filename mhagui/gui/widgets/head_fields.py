"""The small fields of a head's card: name, pattern, the pattern's numbers, lettered switches."""

from PySide6.QtCore import QEvent, QObject, QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QLineEdit, QToolButton, QWidget

from mhagui.document import Pattern
from mhagui.document.head import MAX_NAME_LENGTH
from mhagui.document.patterns import Parameter
from mhagui.formats import short
from mhagui.gui.formulas import Formula
from mhagui.gui.theme import theme_of
from mhagui.gui.widgets.choice_box import ChoiceBox
from mhagui.gui.widgets.formula_tip import put_above
from mhagui.gui.widgets.number_box import CountBox, NumberBox, is_undo_key
from mhagui.gui.widgets.page import FieldLabel
from mhagui.gui.widgets.words import plain
from mhagui.palette import ink_on

_NAME_MARGIN = 4  # 2 of ours beside the 2 of every line edit
_SETTING_STEP = 0.1
_NAME_TIP = "Enter keeps what is typed as the head's name, Escape does not"


class NameEdit(QLineEdit):
    """A name that looks like a label until it is hovered or has the focus.

    Signals
    -------
    renamed
        Enter, or leaving the field, asks for the name it carries.
    """

    renamed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown = ""
        self.setFrame(False)
        self.setTextMargins(_NAME_MARGIN - 2, 0, _NAME_MARGIN - 2, 0)
        self.setMaxLength(MAX_NAME_LENGTH)
        self.setAcceptDrops(False)  # a file is for the window
        palette = QPalette()
        palette.setColor(QPalette.ColorRole.Base, QColor(0, 0, 0, 0))
        self.setPalette(palette)
        self.editingFinished.connect(self._finish)

    def show_name(self, name: str) -> None:
        """Show ``name``; text that is being typed stays unless the name changed."""
        if name != self._shown:
            self._shown = name
            self.setToolTip(plain(f"{name}\n{_NAME_TIP}"))
            self.restore()

    def restore(self) -> None:
        """Put back the name that was shown before anything was typed."""
        self.setText(self._shown)
        self.setCursorPosition(0)

    def _finish(self) -> None:
        if self.text().strip() != self._shown:
            self.renamed.emit(self.text())
        elif self.text() != self._shown:
            self.restore()

    def event(self, event: QEvent) -> bool:
        """Leave the undo keys to the window, except while something is being typed."""
        if is_undo_key(event) and self.text() == self._shown:
            event.ignore()
            return False
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape takes back what was typed."""
        if event.key() == Qt.Key.Key_Escape and self.text() != self._shown:
            self.restore()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the name, with dots where it is too long, in a frame where one can type at once."""
        inside = self.rect().adjusted(_NAME_MARGIN, 0, -_NAME_MARGIN, 0)
        dotted = self.fontMetrics().elidedText(
            self.text(), Qt.TextElideMode.ElideRight, inside.width()
        )
        is_whole = self.hasFocus() or dotted == self.text()
        if is_whole:
            super().paintEvent(event)
        painter = QPainter(self)
        if not is_whole:
            painter.drawText(inside, Qt.AlignmentFlag.AlignVCenter, dotted)
        if self.hasFocus() or self.underMouse():
            self._draw_frame(painter)

    def _draw_frame(self, painter: QPainter) -> None:
        focused = self.palette().color(QPalette.ColorRole.Highlight)
        hovered = theme_of(self.palette()).card_border
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(focused if self.hasFocus() else hovered)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 2.0, 2.0)


class PatternBox(ChoiceBox):
    """A choice among patterns; one of ``unasked`` is listed only while it is shown.

    Signals
    -------
    chosen
        The user asks for the pattern it carries.
    """

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None, *, unasked: tuple[Pattern, ...] = ()) -> None:
        super().__init__(parent)
        self._unasked = unasked
        self._listed: list[Pattern] = []
        self._list([pattern for pattern in Pattern if pattern not in unasked])
        self.currentIndexChanged.connect(self._choose)

    def show_pattern(self, pattern: Pattern) -> None:
        """Show ``pattern`` silently."""
        with QSignalBlocker(self):
            self._list([p for p in Pattern if p not in self._unasked or p is pattern])
            self.setCurrentIndex(self._listed.index(pattern))

    def _list(self, patterns: list[Pattern]) -> None:
        if patterns != self._listed:
            self._listed = patterns
            self.clear()
            self.addItems([pattern.value for pattern in patterns])

    def _choose(self, index: int) -> None:
        self.chosen.emit(self._listed[index])


class SettingField(QObject):
    """One number of a pattern: its label, and the box it is typed into.

    Signals
    -------
    edited
        The user asks for the number it carries.
    refused
        What was typed was not taken; carries the sentence that says why.
    """

    edited = Signal(float)
    refused = Signal(str)

    def __init__(self, parameter: Parameter, parent: QWidget) -> None:
        super().__init__(parent)
        self._parameter = parameter
        self.box = _box_for(parameter)
        self.label = FieldLabel(parameter.name, self.box, parent)
        put_above(self.box, Formula.SCORES)
        self.box.valueChanged.connect(self._on_value)
        self.box.refused.connect(self.refused)

    def describe(self, object_name: str, head: str) -> None:
        """Name the box; ``head`` is how the head is called, as in h1."""
        parameter = self._parameter
        self.box.setObjectName(object_name)
        subject = f"{parameter.name[0].upper()}{parameter.name[1:]} of {head}"
        kind = "whole number" if parameter.is_whole else "number"
        limits = f"{short(parameter.least)} to {short(parameter.most)}"
        self.box.describe(subject, f"{parameter.tip}\nA {kind}, {limits}")

    def show_value(self, value: float) -> None:
        """Show ``value`` silently."""
        if isinstance(self.box, CountBox):
            self.box.show_value(int(value))
        else:
            self.box.show_value(value)

    def _on_value(self, value: float) -> None:
        self.edited.emit(float(value))

    def remove(self) -> None:
        """Take label and box off the screen for good."""
        for widget in (self.label, self.box):
            widget.hide()
            widget.deleteLater()
        self.deleteLater()


def _box_for(parameter: Parameter) -> CountBox | NumberBox:
    if parameter.is_whole:
        return CountBox(int(parameter.least), int(parameter.most))
    return NumberBox(parameter.least, parameter.most, _SETTING_STEP)


class LetterButton(QToolButton):
    """A switch with one letter, filled with ``colour`` while it is on."""

    def __init__(self, letter: str, colour: QColor, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setText(letter)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._on = QPalette()
        self._on.setColor(QPalette.ColorRole.Button, colour)
        ink = QColor(ink_on((colour.red(), colour.green(), colour.blue())))
        self._on.setColor(QPalette.ColorRole.ButtonText, ink)

    def checkStateSet(self) -> None:
        """Take the colour of the new state, whoever set it."""
        super().checkStateSet()
        self._colour()

    def nextCheckState(self) -> None:
        """Take the colour of the new state after a click."""
        super().nextCheckState()
        self._colour()

    def _colour(self) -> None:
        self.setPalette(self._on if self.isChecked() else QPalette())

    def sizeHint(self) -> QSize:
        """Be a square as high as a combo box at this font."""
        side = self.fontMetrics().height() + 8
        return QSize(side, side)
