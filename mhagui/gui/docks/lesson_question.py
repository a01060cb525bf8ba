"""A question of an exercise, with what it takes to answer it."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from mhagui.document.exercises import Choice, Number, Question
from mhagui.document.table_text import number_text, parse_number
from mhagui.errors import UserError
from mhagui.gui.theme import theme_of
from mhagui.gui.widgets.page import wrapped_label
from mhagui.gui.widgets.state_icon import StateIcon
from mhagui.gui.widgets.wrapped_radio import WrappedRadio

LONGEST = "0000000000"  # a field has room for such a number


class QuestionBox(QWidget):
    """The question, a field or the options, and the button that hands the answer in.

    Once it is answered rightly it stays so. What was wrong is said until something else is entered.

    Signals
    -------
    answered
        An answer is handed in; carries the question and the answer as ``Progress`` has it.
    refused
        What was typed is no answer; carries the sentence that says why.
    """

    answered = Signal(object, str)
    refused = Signal(str)

    def __init__(self, question: Question, name: str) -> None:
        super().__init__()
        self.question = question
        self._last: str | None = None
        self._right: bool | None = None
        self._field = (
            _Options(question, name) if isinstance(question, Choice) else _Field(question, name)
        )
        self.button = QPushButton("Check answer")
        self.button.setObjectName(f"{name}Check")
        self.button.setAccessibleName(f"Check answer: {question.text}")
        self.button.setToolTip("Compare the answer with the right one")
        self.icon, self.verdict = StateIcon(), QLabel()
        self.verdict.setObjectName(f"{name}Verdict")
        self._arrange()
        self._field.edited.connect(self._show_verdict)
        self._field.entered.connect(self._on_entered)
        self.button.clicked.connect(self._on_entered)

    def _arrange(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 4)
        column.setSpacing(3)
        column.addWidget(wrapped_label(self.question.text))
        column.addWidget(self._field)
        row = QHBoxLayout()
        row.setSpacing(6)
        for widget in (self.button, self.icon, self.verdict):
            row.addWidget(widget)
        row.addStretch(1)
        column.addLayout(row)

    def stops(self) -> list[QWidget]:
        """Return what takes the focus, from top to bottom."""
        return [*self._field.stops(), self.button]

    def show_answer(self, answer: str | None, right: bool | None) -> None:
        """Show what was answered last, None where nothing was, and whether it is right."""
        if answer != self._last or right != self._right:
            self._last, self._right = answer, right
            self._field.show_answer(answer)
        self._field.set_open(is_open=not right)
        self.button.setEnabled(not right)
        self._show_verdict()

    def _show_verdict(self) -> None:
        is_said = self._last is not None and self._entered() == self._last
        said = "Right" if self._right else "Not right"
        self.icon.set_met(is_said and bool(self._right))
        self.verdict.setText(said if is_said else "Not yet")

    def _entered(self) -> str | None:
        try:
            return self._field.answer()
        except UserError:
            return None

    def _on_entered(self) -> None:
        try:
            answer = self._field.answer()
        except UserError as error:
            self.refused.emit(f"An answer is a number: {error}")
            return
        if answer is None:
            self.refused.emit("Choose one of the options first.")
        else:
            self.answered.emit(self.question, answer)


class _Options(QWidget):
    """The options of a choice."""

    edited = Signal()
    entered = Signal()

    def __init__(self, question: Choice, name: str) -> None:
        super().__init__()
        self._options = question.options
        self._group = QButtonGroup(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for number, option in enumerate(question.options):
            line = WrappedRadio(option)
            line.radio.setObjectName(f"{name}Option{number + 1}")
            line.radio.setToolTip(f"Answer: {option}")
            self._group.addButton(line.radio, number)
            column.addWidget(line)
        self._group.idClicked.connect(self.edited)

    def stops(self) -> list[QAbstractButton]:
        """Return the buttons."""
        return self._group.buttons()

    def answer(self) -> str | None:
        """Return the option that is chosen."""
        number = self._group.checkedId()
        return None if number < 0 else self._options[number]

    def set_open(self, *, is_open: bool) -> None:
        """Let another option be chosen, or not."""
        for button in self._group.buttons():
            button.setEnabled(is_open)

    def show_answer(self, answer: str | None) -> None:
        """Choose ``answer``, or nothing."""
        self._group.setExclusive(False)
        for option, button in zip(self._options, self._group.buttons(), strict=True):
            button.setChecked(option == answer)
        self._group.setExclusive(True)


class _Field(QWidget):
    """A field for a number, and its unit."""

    edited = Signal()
    entered = Signal()

    def __init__(self, question: Number, name: str) -> None:
        super().__init__()
        self._edit = QLineEdit()
        self._edit.setObjectName(f"{name}Number")
        self._edit.setAcceptDrops(False)  # a file is for the window
        unit = f", in {question.unit}" if question.unit else ""
        self._edit.setAccessibleName(f"{question.text}{unit}")
        self._edit.setToolTip(f"A number{unit}; Enter checks it")
        self._edit.setFixedWidth(QFontMetrics(self.font()).horizontalAdvance(LONGEST) + 14)
        row = QHBoxLayout(self)
        row.setContentsMargins(1, 1, 0, 1)  # the rim
        row.setSpacing(6)
        row.addWidget(self._edit)
        row.addWidget(QLabel(question.unit), 1)
        self._edit.textEdited.connect(self.edited)
        self._edit.returnPressed.connect(self.entered)

    def stops(self) -> list[QLineEdit]:
        """Return the field."""
        return [self._edit]

    def answer(self) -> str | None:
        """Return the number that is typed; raises UserError where it is none."""
        text = self._edit.text()
        return number_text(parse_number(text)) if text.strip() else None

    def set_open(self, *, is_open: bool) -> None:
        """Let another number be typed, or not."""
        self._edit.setReadOnly(not is_open)

    def show_answer(self, answer: str | None) -> None:
        """Show ``answer``, or nothing."""
        self._edit.setText((answer or "").replace("-", "−"))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Rim the field in the dark, where the style's rim is darker than its ground."""
        theme = theme_of(self.palette())
        if theme.dark:
            painter = QPainter(self)
            painter.setPen(theme.muted)
            painter.drawRect(self._edit.geometry().adjusted(-1, -1, 0, 0))
            painter.end()
