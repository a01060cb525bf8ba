"""Words of several tokens."""

import unicodedata
from collections.abc import Sequence
from itertools import pairwise

from mhagui.document.token_text import ShownToken

_APOSTROPHES = {"'", "’"}
_SIGN, _ANY = "sign", "letter of any script"
# Scripts without spaces between words, by the first words of their letters' names.
_CHINESE = {"CJK", "IDEOGRAPHIC", "BOPOMOFO"}
_JAPANESE = {"HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "HALFWIDTH"}
_UNSPACED = _CHINESE | _JAPANESE | {"THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN"}


def words(shown: Sequence[ShownToken], *, is_spaced: bool = False) -> tuple[slice, ...]:
    """Return the positions of each word; all of them together are those of ``shown``, in order.

    A word begins

    - where the scheme marks tokens that go on with a word (##ing): at every token without it;
    - otherwise, where some token begins with whitespace, or text ``is_spaced`` by its scheme: at
      each that does, unless the whole word before it is spaces; behind a line end or a tab; where
      the kind of text changes, between letters of two scripts, or between letters, with digits
      and apostrophes among them, and other signs; and at every token of a script without spaces
      between words, such as Chinese, Japanese and Thai;
    - where no token has either mark, which is so of words typed one by one: at every token.

    A token like <s>, or one without text, is a word of its own; tokens that make a character
    together are in one.
    """
    firsts = [0] if shown else []
    has_marks = any(token.goes_on for token in shown)
    has_spaces = is_spaced or any(token.together[:1].isspace() for token in shown)
    for place, (before, token) in enumerate(pairwise(shown), start=1):
        if place != token.group.start:
            continue
        if _stands_alone(before) or _stands_alone(token):
            begins = True
        elif has_marks:
            begins = not token.goes_on
        else:
            begins = not has_spaces or _begins(before.together, token.together)
        if begins:
            firsts.append(place)
    return tuple(slice(*ends) for ends in pairwise([*firsts, len(shown)]))


def _stands_alone(token: ShownToken) -> bool:
    return token.is_special or not token.together


def _begins(before: str, text: str) -> bool:
    """Return whether a word begins with ``text``, in text that has spaces between words."""
    if text[:1].isspace():
        return True
    if before.isspace():
        return before.strip(" ") != ""  # spaces alone go with the word behind them
    if before[-1:].isspace():
        return True
    last = next((kind for letter in reversed(before) if (kind := _kind(letter))), None)
    kinds = {last, _kind(text[0])}
    if None in kinds:
        return False
    if kinds & _UNSPACED:
        return True
    return len(kinds) == 2 and (_SIGN in kinds or _ANY not in kinds)


def _kind(letter: str) -> str | None:
    """Return the script of a letter, or another kind of sign; None for what goes with any."""
    category = unicodedata.category(letter)
    if category[0] == "M" or category == "Cf":  # marks, and joiners that are not seen
        return None
    if category[0] == "N" or letter in _APOSTROPHES:
        return _ANY
    return unicodedata.name(letter, _SIGN).split()[0] if category[0] == "L" else _SIGN
