"""A report as a PDF: text, tables and figures one below the other, on pages of A4."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import msgspec

from mhagui.document.provenance import provenance_to_text
from mhagui.figures import Ground, Subject
from mhagui.figures.page import Sheet, house_style
from mhagui.figures.saving import provenance_of
from mhagui.figures.text_page import (
    BODY,
    TEXT_WIDTH,
    Item,
    Look,
    figure_of,
    pages_of,
    paragraph,
    pdf_of,
)
from mhagui.reports.model import Block, Report, Section, Table, Text
from mhagui.reports.pdf_tables import tables

# All lengths are in inches.
BETWEEN, ABOVE_HEADING, BELOW_HEADING, ABOVE_PARAGRAPH = 0.26, 0.34, 0.1, 0.07

_TITLE, _HEADING = Look(17.0, bold=True), Look(12.5, bold=True)


def report_pdf(report: Report, subject: Subject) -> bytes:
    """Return ``report`` as a PDF; identical input gives identical bytes.

    Its pages are white, whatever ground the style has.
    """
    style = msgspec.structs.replace(subject.style, ground=Ground.LIGHT)
    subject = replace(subject, style=style)
    with house_style():
        numbers: dict[str, int] = {}
        pages = pages_of(_items(report, subject, numbers))
        for number, page in enumerate(pages, 1):
            numbers.update((item.key, number) for item in page if item.key)
        provenance = provenance_to_text(provenance_of("report", subject))
        return pdf_of(pages, report.title, provenance)


def _items(report: Report, subject: Subject, numbers: dict[str, int]) -> Iterator[Item]:
    """Yield all that the report has; ``numbers`` will have the page of each section."""
    yield from paragraph(report.title, _TITLE)
    for text in report.opening:
        yield from paragraph(text, BODY, ABOVE_PARAGRAPH)
    yield from _contents(report.sections, numbers)
    for section in report.sections:
        first, *others = paragraph(section.title, _HEADING, ABOVE_HEADING)
        yield first._replace(key=section.key, keeps_next=True)
        yield from (item._replace(keeps_next=True) for item in others)
        for number, block in enumerate(section.blocks):
            for item in _block(block, subject):
                yield item if number else item._replace(above=min(item.above, BELOW_HEADING))


def _contents(sections: tuple[Section, ...], numbers: dict[str, int]) -> Iterator[Item]:
    def paint(sheet: Sheet, section: Section) -> None:
        BODY.write(sheet, 0.0, 0.0, section.title)
        BODY.write(sheet, TEXT_WIDTH / 2, 0.0, str(numbers[section.key]), ha="right")

    for number, section in enumerate(sections):
        above = 0.0 if number else BETWEEN
        yield Item(BODY.height, partial(paint, section=section), above, keeps_next=True)
    yield Item(0.0, lambda _: None)


def _block(block: Block, subject: Subject) -> Iterator[Item]:
    if isinstance(block, Text):
        yield from paragraph(block.text, BODY, ABOVE_PARAGRAPH)
    elif isinstance(block, Table):
        yield from (part._replace(above=BETWEEN) for part in tables(block))
    else:
        caption = f"Figure {block.number}. {block.title}. {block.caption}"
        yield figure_of(block.name, subject, BETWEEN, caption)
