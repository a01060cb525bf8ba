"""The fonts that figures can be set in."""

import re

from matplotlib import font_manager

# They come with matplotlib for formulas, and have no letters to write words with.
_SYMBOLS = re.compile(r"cm(ex|mi|sy)10|STIX(Size.*|NonUnicode)|.*Symbols.*|Last Resort.*")


def families() -> tuple[str, ...]:
    """Return the families of this machine, in the order of the alphabet."""
    names = set(font_manager.get_font_names())
    return tuple(sorted((n for n in names if not _SYMBOLS.fullmatch(n)), key=str.casefold))
