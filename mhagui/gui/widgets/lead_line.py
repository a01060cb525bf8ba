"""A text that wraps beside something short: a number, or a mark of how it stands."""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from mhagui.gui.widgets.drawing import LABEL_FONT, scaled_font
from mhagui.gui.widgets.page import wrapped_label
from mhagui.gui.widgets.state_icon import StateIcon


class LeadLine(QWidget):
    """``lead``, the text beside it, and below that, smaller, a note where there is one."""

    def __init__(self, lead: QWidget, text: str) -> None:
        super().__init__()
        self.text, self.note = wrapped_label(text), wrapped_label()
        self._shrink_note()
        self.note.hide()
        texts = QVBoxLayout()
        texts.setSpacing(0)
        texts.addWidget(self.text)
        texts.addWidget(self.note)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(lead, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(texts, 1)

    def set_note(self, note: str) -> None:
        """Show ``note``, or nothing where it is empty."""
        self.note.setText(note)
        self.note.setVisible(bool(note))

    def changeEvent(self, event: QEvent) -> None:
        """Keep the note smaller than the text in another font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._shrink_note()

    def _shrink_note(self) -> None:
        self.note.setFont(scaled_font(self.font(), LABEL_FONT))


class StateLine(LeadLine):
    """A text with a mark that says whether it is met; screen readers are told in words."""

    def __init__(self, text: str) -> None:
        self.icon, self._said = StateIcon(), text
        super().__init__(self.icon, text)
        self.set_state(met=False)

    def set_state(self, *, met: bool, note: str = "") -> None:
        """Show whether it is met, and by what."""
        self.icon.set_met(met)
        self.set_note(note)
        said = f"{'Met' if met else 'Not met yet'}: {self._said}"
        self.text.setAccessibleName(said)
        self.setAccessibleName(f"{said}; {note}" if note.strip() else said)
