"""The fonts that figures can be set in."""

import re
import unicodedata
from functools import cache

import matplotlib as mpl
from matplotlib import font_manager
from matplotlib.font_manager import FontProperties

# They come with matplotlib for formulas, and have no letters to write words with.
_SYMBOLS = re.compile(r"cm(ex|mi|sy)10|STIX(Size.*|NonUnicode)|.*Symbols.*|Last Resort.*")

_SHAPING = (3, 11)  # from this version on matplotlib joins letters, and writes from the right


def families() -> tuple[str, ...]:
    """Return the families of this machine, in the order of the alphabet."""
    names = set(font_manager.get_font_names())
    return tuple(sorted((n for n in names if not _SYMBOLS.fullmatch(n)), key=str.casefold))


def drawable(text: str) -> str:
    """Return ``text`` with U+0928 for a letter that no font of the house style has here."""
    return text if text.isascii() else "".join(map(_drawable, text))


def _drawable(letter: str) -> str:
    # What only joins or turns its neighbours needs no glyph; that of a selector is its letter's.
    if unicodedata.category(letter) == "Cf" or 0xFE00 <= ord(letter) < 0xFE10:
        return letter if mpl.__version_info__ >= _SHAPING else ""
    shows = any(ord(letter) in letters(family) for family in mpl.rcParams["font.family"])
    return letter if shows else f"U+{ord(letter):04X}"


@cache
def letters(family: str) -> frozenset[int]:
    """Return what a family, or the first there is of a generic one, has glyphs for."""
    path = font_manager.findfont(FontProperties(family=[family]))
    return frozenset(font_manager.get_font(path).get_charmap())
