"""Text to be read and copied, and not to be typed into."""

from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

Words = TypeVar("Words", bound=QLabel)


def copyable(label: Words) -> Words:
    """Let the text of ``label`` be selected by the mouse or Ctrl+A, and copied; return it.

    Were it selected letter by letter as well, it would have the caret of what can be typed into.
    """
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
