"""Labels of tokens as there are glyphs and room for them."""

import unicodedata
from functools import lru_cache

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontDatabase, QFontMetricsF

from mhagui.document.token_text import END_ISOLATE, ISOLATE

# What joins or turns its neighbours, and has no glyph of its own: isolates, joiners and selectors.
_INVISIBLE = {ISOLATE, END_ISOLATE, "\u200c", "\u200d", *map(chr, range(0xFE00, 0xFE10))}
_System = QFontDatabase.WritingSystem
# Scripts that Qt complains of when it is asked to write them and there is no font that can.
_SHAPED = {
    system.name.upper(): system
    for system in (
        _System.Syriac, _System.Thaana, _System.Devanagari, _System.Bengali, _System.Gurmukhi,
        _System.Gujarati, _System.Oriya, _System.Tamil, _System.Telugu, _System.Kannada,
        _System.Malayalam, _System.Sinhala, _System.Khmer, _System.Nko,
    )
}  # fmt: skip


@lru_cache(maxsize=32)  # many matrices have the same tokens
def drawable(labels: tuple[str, ...], font: str) -> tuple[str, ...]:
    """Return ``labels`` with U+0928 for a letter that neither ``font`` nor others here have.

    ``font`` is a QFont's ``toString``.
    """
    return tuple(
        label
        if label.isascii()
        else "".join(letter if _shows(letter, font) else f"U+{ord(letter):04X}" for letter in label)
        for label in labels
    )


def fitted(label: str, metrics: QFontMetricsF, room: float) -> str:
    """Return ``label`` as wide as ``room`` at most: "…" for some of it in the middle."""
    if metrics.horizontalAdvance(label) <= room:
        return label
    is_isolated = label.startswith(ISOLATE)
    inner = label[1:-1] if is_isolated else label
    cut = metrics.elidedText(inner, Qt.TextElideMode.ElideMiddle, room)
    return f"{ISOLATE}{cut}{END_ISOLATE}" if is_isolated else cut


@lru_cache(maxsize=4096)
def _shows(letter: str, font: str) -> bool:
    if letter.isascii() or letter in _INVISIBLE:
        return True
    system = _SHAPED.get(unicodedata.name(letter, "").partition(" ")[0])
    if system is not None and not QFontDatabase.families(system):
        return False
    written_in = QFont()
    written_in.fromString(font)
    return QFontMetricsF(written_in).inFontUcs4(ord(letter))
