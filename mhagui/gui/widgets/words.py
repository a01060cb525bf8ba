"""Words of others, shown as they stand, and indices as they are written."""

import html
import re

_KEPT = "<p style='margin:0; white-space:pre-wrap'>"
_LOWERED = str.maketrans("t+−0123456789", "ₜ₊₋₀₁₂₃₄₅₆₇₈₉")


def plain(text: str) -> str:
    """Return ``text`` so that a tooltip or a message box shows it as it stands, tags and all.

    Qt takes whatever looks like HTML for that; names, paths and pasted texts may look like it.
    """
    return f"{_KEPT}{html.escape(text)}</p>" if "<" in text else text


def as_html(tip: str) -> str:
    """Return a tooltip, which ``plain`` has made, as HTML to stand among other HTML."""
    return tip if tip.startswith("<") else f"{_KEPT}{html.escape(tip)}</p>"


def below(tip: str, line: str) -> str:
    """Return a tooltip with another below it, either of which may be empty."""
    return f"{as_html(tip)}{as_html(line)}" if tip and line else tip or line


def with_subscripts(text: str) -> str:
    """Return ``text`` with the indices of X_t and X_{t+1} as subscripts."""
    return re.sub(r"_(?:\{([t+−\d]+)\}|(t)\b)", _lowered, text)


def _lowered(index: re.Match[str]) -> str:
    return (index[1] or index[2]).translate(_LOWERED)
