"""What every widget that is used has: a name for tests, one to be spoken, and a tooltip."""

from typing import TypeVar

from PySide6.QtWidgets import QWidget

Named = TypeVar("Named", bound=QWidget)


def named(widget: Named, object_name: str, accessible_name: str, tip: str) -> Named:
    """Name ``widget`` and return it."""
    widget.setObjectName(object_name)
    widget.setAccessibleName(accessible_name)
    widget.setToolTip(tip)
    return widget
