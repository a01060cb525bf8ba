"""What the user is asked before anything could be lost."""

import enum
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QWidget

_B = QMessageBox.StandardButton

# What happens to changes that are not saved: where the window closes, and where it goes on.
LOST = "They are lost unless you save them."
CAN_BE_UNDONE = "If you do not, Undo brings them back until this window is closed."


class Leave(enum.Enum):
    """What becomes of changes when their scene is left."""

    SAVE = _B.Save
    DISCARD = _B.Discard
    CANCEL = _B.Cancel


class Replace(enum.Enum):
    """What becomes of a file that is not what the work on it began with."""

    OVERWRITE = enum.auto()
    SAVE_AS = enum.auto()
    CANCEL = enum.auto()


def ask_to_leave(parent: QWidget, name: str, otherwise: str) -> Leave:
    """Ask what becomes of the changes to ``name``; ``otherwise`` says what if they stay unsaved."""
    box = _box(parent, "Unsaved changes", f"Save the changes to “{name}”?")
    box.setInformativeText(otherwise)
    answer = _answer(box, _B.Save | _B.Discard | _B.Cancel, at_enter=_B.Save)
    return next((leave for leave in Leave if leave.value == answer), Leave.CANCEL)


def ask_to_forget(parent: QWidget, name: str) -> bool:
    """Ask whether unsaved work that was found may go for good."""
    box = _box(parent, "Discard unsaved work", f"Discard the unsaved work on “{name}”?")
    box.setInformativeText("It cannot be brought back.")
    return _answer(box, _B.Discard | _B.Cancel, at_enter=_B.Cancel) is _B.Discard


def ask_to_replace_files(parent: QWidget, folder: Path, names: str) -> bool:
    """Ask whether files that are in ``folder`` already, which ``names`` lists, may be replaced."""
    box = _box(parent, "Replace files?", f"{folder} already has {names}.")
    box.setInformativeText("Replace what is there?")
    return _answer(box, _B.Yes | _B.No, at_enter=_B.No) is _B.Yes


def ask_to_replace(parent: QWidget, path: Path) -> Replace:
    """Ask what becomes of a file that is not as it was last read or written here."""
    changed = f"Another program may have changed “{path.name}” since this work began."
    box = _box(parent, "File changed", changed)
    box.setInformativeText("Overwrite what is there now, or save to another file?")
    buttons = {
        box.addButton("&Overwrite", QMessageBox.ButtonRole.DestructiveRole): Replace.OVERWRITE,
        box.addButton("Save &as…", QMessageBox.ButtonRole.AcceptRole): Replace.SAVE_AS,
        box.addButton(_B.Cancel): Replace.CANCEL,
    }
    box.setDefaultButton(_B.Cancel)
    box.exec()
    answer = next((a for b, a in buttons.items() if b is box.clickedButton()), Replace.CANCEL)
    box.deleteLater()
    return answer


def _box(parent: QWidget, title: str, text: str) -> QMessageBox:
    box = QMessageBox(parent)
    box.setIcon(QMessageBox.Icon.Question)
    box.setWindowTitle(title)
    box.setTextFormat(Qt.TextFormat.PlainText)  # names may hold anything
    box.setText(text)
    return box


def _answer(
    box: QMessageBox, buttons: QMessageBox.StandardButton, at_enter: QMessageBox.StandardButton
) -> QMessageBox.StandardButton:
    """Return the button that is pressed; none where the program is told to end meanwhile."""
    box.setStandardButtons(buttons)
    box.setDefaultButton(at_enter)
    answer = _B(box.exec())
    box.deleteLater()
    return answer
