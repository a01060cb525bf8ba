"""tokenizer.json, checked before the ``tokenizers`` package has it.

What a file says is done to a prompt can make it longer at every step, beyond all memory; then the
package ends the process.
"""

from __future__ import annotations

import binascii
from typing import TYPE_CHECKING

import msgspec

from mhagui.errors import UserError
from mhagui.models.package_faults import said

if TYPE_CHECKING:
    import tokenizers

_MOST_STEPS = 32
_LONGEST = 16  # characters that a step puts in at once
_LONGEST_MAPPED = 64  # bytes that a table of characters makes of one; NFKC makes 33
_MOST_OF_ONE = 128  # characters, or tokens, that all steps together make of one
# How many characters a step can make of one, apart from what it puts in; others are not taken.
_GROWTH = {
    "Sequence": 1, "Replace": 1, "Prepend": 1, "Lowercase": 1, "Nmt": 1, "Strip": 1,
    "StripAccents": 1, "NFC": 3, "NFD": 3, "NFKC": 3, "NFKD": 3, "Precompiled": 3,
    "BertNormalizer": 3, "ByteLevel": 4, "Metaspace": 2, "BertPreTokenizer": 1, "Digits": 1,
    "CharDelimiterSplit": 1, "FixedLength": 1, "Punctuation": 1, "Split": 1, "UnicodeScripts": 1,
    "Whitespace": 1, "WhitespaceSplit": 1,
}  # fmt: skip
_MARKS = {
    "Sequence": 1, "TemplateProcessing": 1, "ByteLevel": 1, "BertProcessing": 3,
    "RobertaProcessing": 3,
}  # fmt: skip


class _Ids(msgspec.Struct):
    ids: list[int]


class _Named(msgspec.Struct):
    id: str


class _Piece(msgspec.Struct):
    special: _Named | None = msgspec.field(name="SpecialToken", default=None)


class _Step(msgspec.Struct):
    """What a step of any kind says that can make a prompt longer."""

    type: str
    content: str = ""
    prepend: str = ""
    pattern: dict[str, str] = {}
    precompiled_charsmap: str | None = None
    normalizers: list[_Step] = []
    pretokenizers: list[_Step] = []
    processors: list[_Step] = []
    single: list[_Piece] = []
    special_tokens: dict[str, _Ids] = {}

    def all(self) -> list[_Step]:
        """Return this and the steps within it."""
        steps = [self]
        for step in steps:  # no recursion: a file may nest them deeply
            steps += (*step.normalizers, *step.pretokenizers, *step.processors)
        return steps


class _Model(msgspec.Struct):
    dropout: float | None = None
    continuing_subword_prefix: str | None = None
    end_of_word_suffix: str | None = None


class _File(msgspec.Struct):
    model: _Model
    normalizer: _Step | None = None
    pre_tokenizer: _Step | None = None
    post_processor: _Step | None = None


def tokenizer_of_json(text: bytes, where: str) -> tokenizers.Tokenizer:
    """Return the tokenizer that ``text``, the file ``where``, describes.

    Raises UserError where it cannot be read, or makes far more of a prompt than it is.
    """
    from tokenizers import Tokenizer as Package

    with said(f"{where} is no tokenizer that can be read"):
        whole = msgspec.json.decode(text, type=dict[str, object])
        file = msgspec.convert(whole, _File)
    _check(file, where)
    with said(f"{where} is no tokenizer that can be read"):
        # As it was checked: of what a text says twice a reader takes the one or the other.
        return Package.from_str(msgspec.json.encode(whole).decode())


def _check(file: _File, where: str) -> None:
    if file.model.dropout:
        raise UserError(
            f"{where} drops merges at random (dropout {file.model.dropout:g}), so that a prompt "
            "has other tokens each time; tokenizers without are taken."
        )
    steps = [
        (step, known)
        for part, known in (
            (file.normalizer, _GROWTH),
            (file.pre_tokenizer, _GROWTH),
            (file.post_processor, _MARKS),
        )
        if part is not None
        for step in part.all()
    ]
    if len(steps) > _MOST_STEPS:
        raise UserError(f"{where} has {len(steps):,} steps; {_MOST_STEPS} are taken at most.")
    affixes = file.model.continuing_subword_prefix, file.model.end_of_word_suffix
    _check_short(where, *(affix or "" for affix in affixes))
    of_one = 1.0
    for step, known in steps:
        if step.type not in known:
            raise UserError(f"{where} has a step “{step.type[:40]}”, which is not known here.")
        _check_step(step, where)
        of_one *= known[step.type] * _put_in(step, where)
    if of_one > _MOST_OF_ONE:
        raise UserError(
            f"{where} can make {of_one:,.0f} characters or tokens of one character; "
            f"{_MOST_OF_ONE} are taken at most."
        )


def _check_step(step: _Step, where: str) -> None:
    _check_short(where, step.content, step.prepend)
    if "" in step.pattern.values():
        raise UserError(f"{where} has a step “{step.type}” that looks for an empty text.")
    if step.precompiled_charsmap and _longest_mapped(step.precompiled_charsmap) > _LONGEST_MAPPED:
        raise UserError(
            f"{where} has a table that makes more than {_LONGEST_MAPPED} bytes of a character."
        )


def _check_short(where: str, *texts: str) -> None:
    longest = max(map(len, texts))
    if longest > _LONGEST:
        raise UserError(
            f"{where} puts {longest:,} characters into a prompt at once; {_LONGEST} are taken at "
            "most."
        )


def _put_in(step: _Step, where: str) -> float:
    """Return how much longer what a step puts in can make a text of one character."""
    if step.type == "TemplateProcessing":
        marks = [piece.special.id if piece.special else None for piece in step.single]
        if not marks or any(mark is not None and mark not in step.special_tokens for mark in marks):
            raise UserError(f"{where} puts marks around a prompt that it does not name.")
        return sum(1 if mark is None else len(step.special_tokens[mark].ids) for mark in marks)
    if step.type == "Replace" and "Regex" not in step.pattern:
        found = min(map(len, step.pattern.values()), default=1)
        return max(len(step.content) / found, 1)
    # A regex may find nothing, between any two characters, and put something in there.
    return 1 + len(step.content) + len(step.prepend)


def _longest_mapped(table: str) -> int:
    """Return the length in bytes of the longest text that characters are mapped to."""
    try:
        data = binascii.a2b_base64(table)
    except ValueError:
        return 0  # the package says what is wrong
    texts = data[4 + int.from_bytes(data[:4], "little") :]
    return max(map(len, texts.split(b"\0")))
