"""Tokens as people read them: pieces of a tokenizer decoded, and nothing of them invisible."""

import re
import unicodedata
from codecs import getincrementaldecoder
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import groupby
from operator import itemgetter

from mhagui.formats import SPACE

EMPTY, ELLIPSIS = "∅", "…"
ISOLATE, END_ISOLATE = "\u2068", "\u2069"
LONGEST_LABEL = 40  # characters; what is longer is cut in the middle
SHORT_LABEL = 10  # of a label where room is short: three bytes in brackets
_SIGNS = {" ": SPACE, "\n": "⏎", "\t": "⇥"}
_JOINERS = {"\u200c", "\u200d"}  # at work between two letters, to be seen anywhere else
# Letters, marks and symbols without a look of their own.
_BLANK = {"\u034f", "\u115f", "\u1160", "\u2800", "\u3164", "\uffa0"}
_DOTTED_CIRCLE = "◌"
_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>")
_SPECIAL = re.compile(r"<[^<>\s]+>|\[/?[A-Z_]+\]|\[unused\d+\]")

Run = list[tuple[int, int]]  # bytes, each behind the position of its token


class Scheme(StrEnum):
    """How the pieces of a tokenizer stand for text.

    BYTE_LEVEL: each character stands for a byte, as in GPT-2 and LLaMA 3: Ġ for a space. A piece
    with any other character stands for itself. SENTENCEPIECE: ▁ stands for a space, <0xE2> for a
    byte. WORDPIECE: ## before a piece says that it goes on with a word. PLAIN: pieces are text.
    """

    BYTE_LEVEL = "byte-level"
    SENTENCEPIECE = "sentencepiece"
    WORDPIECE = "wordpiece"
    PLAIN = "plain"


@dataclass(frozen=True, slots=True)
class ShownToken:
    """A token, and how it is shown.

    Attributes
    ----------
    raw
        The piece as the tokenizer has it: what is copied.
    text
        What it stands for; "\N{REPLACEMENT CHARACTER}" for bytes of a character that it has only a
        part of.
    label
        What is drawn: spaces, line ends and whatever else is invisible as signs, ∅ for an empty
        one, bytes of a part of a character in hexadecimal. The bracket around these is open where
        the character goes on in the token beside: ⟨F0 9F… and …98 80⟩ are one emoji.
    is_partial
        Whether it has part of a character.
    group
        The positions of the tokens that make its characters together, its own among them.
    together
        What these stand for together.
    """

    raw: str
    text: str
    label: str
    is_partial: bool
    group: range
    together: str

    @property
    def is_special(self) -> bool:
        """Whether it is a mark of the tokenizer, like <s>, <|endoftext|> or [CLS]."""
        return _SPECIAL.fullmatch(self.raw) is not None

    @property
    def goes_on(self) -> bool:
        """Whether its scheme says that it goes on with a word: ##ing."""
        return self.raw != self.text and self.raw == f"##{self.text}"


def guess_scheme(pieces: Sequence[str]) -> Scheme:
    """Return how ``pieces`` seem to stand for text, tokens like <s> and [CLS] left out.

    Sentencepiece where one begins with ▁ or is a byte like <0xE2>. Byte-level where all are of its
    characters, not all of them ASCII, and stand for UTF-8 without control characters other than
    tabs and line ends; it may end within a character where there are spaces as these pieces have
    them. Wordpiece where some begin with ## and go on, and others do not. Otherwise they are text.
    """
    if any(piece.startswith("▁") or _BYTE.fullmatch(piece) for piece in pieces):
        return Scheme.SENTENCEPIECE
    pieces = [piece for piece in pieces if not _SPECIAL.fullmatch(piece)]
    if _are_bytes("".join(pieces)):
        return Scheme.BYTE_LEVEL
    if len({piece.startswith("##") and len(piece) > 2 for piece in pieces}) == 2:
        return Scheme.WORDPIECE
    return Scheme.PLAIN


def shown_tokens(
    pieces: Sequence[str], scheme: Scheme | str | None = None
) -> tuple[ShownToken, ...]:
    """Return how ``pieces`` are shown; a ``scheme`` of None or "" is guessed (``guess_scheme``).

    Raises ValueError for a scheme there is none of.
    """
    return _shown(tuple(pieces), Scheme(scheme or guess_scheme(pieces)))


def labels(
    pieces: Sequence[str], length: int = LONGEST_LABEL, scheme: Scheme | str | None = None
) -> tuple[str, ...]:
    """Return what is drawn for ``pieces``, of at most ``length`` characters each."""
    return tuple(elided(token.label, length) for token in shown_tokens(pieces, scheme))


def texts(pieces: Sequence[str], scheme: Scheme | str | None = None) -> tuple[str, ...]:
    """Return what ``pieces`` stand for; of a part of a character its bytes, as they are drawn.

    Two that stand for different bytes have different texts.
    """
    shown = shown_tokens(pieces, scheme)
    return tuple(token.label if token.is_partial else token.text for token in shown)


def told(shown: Sequence[ShownToken], ids: Sequence[int] = ()) -> tuple[str, ...]:
    """Return all there is to say of each token, in lines; ``ids`` are their numbers, if known."""
    return tuple(
        "\n".join(_told(token, place, ids[place] if ids else None))
        for place, token in enumerate(shown)
    )


def _told(token: ShownToken, place: int, number: int | None) -> Iterator[str]:
    whole = token.label if token.is_partial else _visible(token.text)
    yield f"t{place + 1} {whole or EMPTY}"
    if token.raw != token.text:
        yield f"piece {token.raw}"
    if len(token.group) > 1:
        first, last = token.group.start + 1, token.group.stop
        yield f"t{first} to t{last} make {_visible(token.together)} together"
    elif token.is_partial:
        yield "bytes in brackets make no character"
    if number is not None:
        yield f"number {number} of the vocabulary"


def elided(label: str, length: int) -> str:
    """Return ``label`` with at most ``length`` characters: "…" for some in the middle.

    No mark is torn from its letter, and isolates stay around what they isolate.
    """
    if label.startswith(ISOLATE):
        return f"{ISOLATE}{elided(label[1:-1], length)}{END_ISOLATE}"
    if len(label) <= length:
        return label
    end = length // 2
    start = len(label) - (length - 1 - end)
    while end > 1 and _clings(label[end]):
        end -= 1
    while start < len(label) and _clings(label[start]):
        start += 1
    return label[:end] + ELLIPSIS + label[start:]


# ------------------------------------------------------------------------------------- decoding


@lru_cache(maxsize=16)  # many panels show the same tokens
def _shown(pieces: tuple[str, ...], scheme: Scheme) -> tuple[ShownToken, ...]:
    shown: list[ShownToken] = []
    contents = [_content(piece, scheme) for piece in pieces]
    are_parts = [_decoded(content) is None for content in contents]
    at = 0
    while at < len(pieces):
        end = at + 1
        if are_parts[at]:  # characters may go on in what follows, over empty tokens too
            while end < len(pieces) and (are_parts[end] or not contents[end]):
                end += 1
            shown += _in_parts(pieces[at:end], contents[at:end], at)
        else:
            text, label = _whole(pieces[at], scheme)
            shown.append(ShownToken(pieces[at], text, label, False, range(at, end), text))
        at = end
    return tuple(shown)


@lru_cache(maxsize=8192)
def _whole(piece: str, scheme: Scheme) -> tuple[str, str]:
    """Return text and label of a piece whose bytes are whole characters."""
    text = _content(piece, scheme).decode("utf-8")
    mark = "##" if scheme is Scheme.WORDPIECE and piece != text else ""
    return text, _label(mark, [(text, "")])


def _in_parts(pieces: Sequence[str], contents: Sequence[bytes], first: int) -> Iterator[ShownToken]:
    """Yield tokens that may share characters with one another; ``first`` is where they begin."""
    runs = _characters(contents)
    groups, parts = _groups(runs, len(pieces)), _parts(runs, len(pieces))
    for piece, own, group in zip(pieces, parts, groups, strict=True):
        text, is_partial = "".join(text for text, _ in own), any(sign for _, sign in own)
        together = b"".join(contents[group.start : group.stop]).decode("utf-8", "replace")
        label, where = _label("", own), range(first + group.start, first + group.stop)
        yield ShownToken(piece, text, label, is_partial, where, together)


def _parts(runs: Sequence[Run], count: int) -> list[list[tuple[str, str]]]:
    """Return what each token consists of: texts, each with the sign that stands for it, if any."""
    parts: list[list[tuple[str, str]]] = [[] for _ in range(count)]
    for run in runs:
        first, last = run[0][0], run[-1][0]
        text = _decoded(bytes(byte for _, byte in run))
        if first == last and text is not None:
            parts[first].append((text, ""))
            continue
        for place in sorted({place for place, _ in run}):
            own = bytes(byte for at, byte in run if at == place)
            opened = "⟨" if place == first else ELLIPSIS
            closed = "⟩" if place == last else ELLIPSIS
            parts[place].append(("\ufffd", f"{opened}{own.hex(' ').upper()}{closed}"))
    return parts


def _label(mark: str, parts: Sequence[tuple[str, str]]) -> str:
    """Return what is drawn for texts, each with the sign that stands for it, if there is one."""
    label = mark
    for sign, run in groupby(parts, key=itemgetter(1)):
        label += sign or _visible("".join(text for text, _ in run))
    label = elided(label, LONGEST_LABEL) or EMPTY
    texts = "".join(text for text, _ in parts)
    if not texts.isascii() and any(map(_is_from_the_right, texts)):
        return f"{ISOLATE}{label}{END_ISOLATE}"
    return label


def _content(piece: str, scheme: Scheme) -> bytes:
    """Return the bytes that a piece stands for; of half a surrogate pair some that are no text."""
    if scheme is Scheme.BYTE_LEVEL and _BYTES.keys() >= set(piece):
        return bytes(map(_BYTES.__getitem__, piece))
    if scheme is Scheme.SENTENCEPIECE:
        if byte := _BYTE.fullmatch(piece):
            return bytes.fromhex(byte[1])
        piece = piece.replace("▁", " ")
    if scheme is Scheme.WORDPIECE and len(piece) > 2:
        piece = piece.removeprefix("##")
    return piece.encode("utf-8", "surrogatepass")


def _characters(contents: Sequence[bytes]) -> list[Run]:
    """Return the characters of a sequence: of each the bytes, with the token each byte is of.

    Of what is no character each byte stands for itself, but those of one token are together.
    """
    stream = [(place, byte) for place, content in enumerate(contents) for byte in content]
    runs: list[Run] = []
    at, is_open = 0, False
    while at < len(stream):
        wanted = _length(stream[at][1])
        run = stream[at : at + wanted]
        if _decoded(bytes(byte for _, byte in run)) is None:
            run = run[:1]
            if is_open and runs[-1][-1][0] == run[0][0]:
                runs[-1] += run
            else:
                runs.append(run)
            is_open = True
        else:
            runs.append(run)
            is_open = False
        at += len(run)
    return runs


def _length(first: int) -> int:
    """Return how many bytes a character has in UTF-8 that begins with ``first``."""
    return 1 if first < 0xC0 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4


def _decoded(content: bytes) -> str | None:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _groups(runs: Sequence[Run], count: int) -> list[range]:
    """Return the positions that each token shares characters with, over others in between."""
    firsts = list(range(count))
    for run in runs:
        for place in range(run[0][0], run[-1][0] + 1):
            firsts[place] = firsts[run[0][0]]
    groups: list[range] = []
    for _, places in groupby(range(count), key=firsts.__getitem__):
        together = list(places)
        groups += [range(together[0], together[-1] + 1)] * len(together)
    return groups


def _byte_alphabet() -> dict[str, int]:
    """Return the byte that each of GPT-2's 256 characters stands for.

    Bytes with a look of their own in Latin-1 are those characters; the others, in their order,
    are the characters from U+0100 on.
    """
    own = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = [byte for byte in range(256) if byte not in own]
    return {chr(byte): byte for byte in sorted(own)} | {
        chr(0x100 + number): byte for number, byte in enumerate(others)
    }


_BYTES = _byte_alphabet()


def _are_bytes(text: str) -> bool:
    if text.isascii() or not _BYTES.keys() >= set(text):
        return False
    content = bytes(map(_BYTES.__getitem__, text))
    try:
        decoded = getincrementaldecoder("utf-8")().decode(content, final=b" " not in content)
    except UnicodeDecodeError:
        return False
    controls = {letter for letter in set(decoded) if unicodedata.category(letter) == "Cc"}
    return controls <= {"\n", "\r", "\t"}


# ------------------------------------------------------------------------------------- labels


def _visible(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text.replace(" ", SPACE)
    return "".join(_signs(text))


def _signs(text: str) -> Iterator[str]:
    """Yield each character as it is drawn; marks that stand on nothing stand on a circle."""
    has_base = False
    for before, letter, after in zip(f" {text}", text, f"{text[1:]} ", strict=False):
        joins = letter in _JOINERS and has_base and not before.isascii() and _has_look(after)
        if not (_has_look(letter) or joins):
            yield _SIGNS.get(letter) or f"\\u{ord(letter):04X}"
            has_base = False
        elif unicodedata.category(letter).startswith("M") and not has_base:
            yield _DOTTED_CIRCLE + letter
            has_base = True
        else:
            yield letter
            has_base = True


def _is_from_the_right(letter: str) -> bool:
    return unicodedata.bidirectional(letter) in ("R", "AL", "AN")


def _has_look(letter: str) -> bool:
    return unicodedata.category(letter)[0] not in "CZ" and letter not in _BLANK


def _clings(letter: str) -> bool:
    """Return whether a letter belongs to the one before it."""
    return letter in _JOINERS or unicodedata.category(letter).startswith("M")
