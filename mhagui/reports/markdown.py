"""A report as one Markdown file: its pictures are data at the end of it."""

import base64
import re
from collections.abc import Iterator
from dataclasses import replace

import msgspec

from mhagui.figures import Subject, render_each
from mhagui.reports.model import Block, Report, Table, Text

# Pictures are PNG: the readers that take pictures as data take no SVG so.
DPI = 150
# What Markdown would obey within a line; an underscore within a word is a letter.
_SPECIAL = re.compile(r"[\\`*\[\]<>|~$#]|&(?=#?\w+;)|(?<![^\W_])_|_(?![^\W_])")
_AT_START = re.compile(r"^(\d*)([-+=]|(?<=\d)[.)])")


def markdown_of(report: Report, subject: Subject) -> bytes:
    """Return ``report`` as Markdown; identical input gives identical bytes."""
    return ("\n\n".join(_parts(report, subject)) + "\n").encode()


def plain(text: str) -> str:
    """Return ``text`` with what Markdown would obey marked as plain, in one line."""
    return _SPECIAL.sub(r"\\\g<0>", " ".join(text.split()))


def _parts(report: Report, subject: Subject) -> Iterator[str]:
    yield f"# {plain(report.title)}"
    yield from map(_paragraph, report.opening)
    for section in report.sections:
        yield f"## {plain(section.title)}"
        yield from map(_block, section.blocks)
    subject = replace(subject, style=msgspec.structs.replace(subject.style, dpi=DPI))
    names = [picture.name for picture in report.pictures()]
    for file, data in render_each(subject, names, ["png"]):
        text = base64.b64encode(data).decode()
        yield f"[{file.removesuffix('.png')}]: data:image/png;base64,{text}"


def _block(block: Block) -> str:
    if isinstance(block, Text):
        return _paragraph(block.text)
    if isinstance(block, Table):
        return _table(block)
    caption = f"**Figure {block.number}.** {plain(block.title)}. {plain(block.caption)}"
    return f"![{plain(block.title)}][{block.name}]\n\n{caption}"


def _table(table: Table) -> str:
    titles = _row(column.title for column in table.columns)
    rule = "|" + "|".join("---" if column.is_text else "--:" for column in table.columns) + "|"
    lines = "\n".join([titles, rule, *map(_row, table.rows)])
    note = f"\n\n{_paragraph(table.note)}" if table.note else ""
    return f"**Table {table.number}.** {plain(table.title)}\n\n{lines}{note}"


def _row(cells: "Iterator[str] | tuple[str, ...]") -> str:
    return f"| {' | '.join(map(plain, cells))} |"


def _paragraph(text: str) -> str:
    return _AT_START.sub(r"\1\\\2", plain(text))
