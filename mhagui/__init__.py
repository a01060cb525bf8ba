"""An instrument for multi-head attention.

>>> import mhagui
>>> mhagui.view(outputs.attentions, tokens)  # opens the window; docs/python.md
>>> mhagui.scorecard(outputs.attentions, tokens)  # what each head does, without a window
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mhagui.errors import UserError
    from mhagui.python_api import ScoreTable, View, capture, scorecard, view

__version__ = "0.1.0"

__all__ = ["ScoreTable", "UserError", "View", "capture", "scorecard", "view"]


def __getattr__(name: str) -> object:
    """Import what is offered when it is asked for: neither NumPy nor Qt before."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from mhagui import python_api

    return getattr(python_api, name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
