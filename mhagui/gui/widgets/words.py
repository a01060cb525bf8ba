"""Words of others, shown as they stand, and indices as they are written."""

import html
import re

_LOWERED = str.maketrans("t+−0123456789", "ₜ₊₋₀₁₂₃₄₅₆₇₈₉")


def plain(text: str) -> str:
    """Return ``text`` so that a tooltip or a message box shows it as it stands, tags and all.

    Qt takes whatever looks like HTML for that; names, paths and pasted texts may look like it.
    """
    if "<" not in text:
        return text
    return f"<p style='white-space:pre-wrap'>{html.escape(text)}</p>"


def with_subscripts(text: str) -> str:
    """Return ``text`` with the indices of X_t and X_{t+1} as subscripts."""
    return re.sub(r"_(?:\{([t+−\d]+)\}|(t)\b)", _lowered, text)


def _lowered(index: re.Match[str]) -> str:
    return (index[1] or index[2]).translate(_LOWERED)
