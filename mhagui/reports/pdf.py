"""A report as a PDF: text, tables and figures one below the other, on pages of A4."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import msgspec

from mhagui.figures import Ground, Subject, drawing
from mhagui.figures.page import Plan, Sheet, house_style
from mhagui.figures.paper import Paper
from mhagui.figures.text_page import MARGIN, PAGE_HEIGHT, TEXT_SIZE, TEXT_WIDTH, pdf_of
from mhagui.reports.model import Block, Picture, Report, Section, Table, Text
from mhagui.reports.pdf_tables import Look, tables

# All lengths are in inches.
HEIGHT = PAGE_HEIGHT - 2 * MARGIN
BETWEEN, ABOVE_HEADING, BELOW_HEADING, ABOVE_PARAGRAPH = 0.26, 0.34, 0.1, 0.07
ABOVE_CAPTION = 0.06


class Item(NamedTuple):
    """What stands on one page: how high it is, how far below what, and whether the next stays."""

    height: float
    paint: Callable[[Sheet], None]
    above: float = 0.0
    keeps_next: bool = False
    key: str = ""


_TITLE, _HEADING = Look(17.0, bold=True), Look(12.5, bold=True)
_BODY, _CAPTION = Look(TEXT_SIZE), Look(8.5)


def report_pdf(report: Report, subject: Subject) -> bytes:
    """Return ``report`` as a PDF; identical input gives identical bytes.

    Its pages are white, whatever ground the style has.
    """
    style = msgspec.structs.replace(subject.style, ground=Ground.LIGHT)
    subject = replace(subject, style=style)
    with house_style():
        numbers: dict[str, int] = {}
        pages = _pages(_items(report, subject, numbers))
        for number, page in enumerate(pages, 1):
            numbers.update((item.key, number) for item in page if item.key)
        return pdf_of((([], _page_plan(page, report.title)) for page in pages), report.title)


# ----------------------------------------------------------------------------------------- pages


def _pages(items: Iterable[Item]) -> list[list[Item]]:
    """Return the items of each page: what belongs together is not parted."""
    pages: list[list[Item]] = [[]]
    for group in _groups(items):
        if pages[-1] and _height([*pages[-1], *group]) > HEIGHT:
            pages.append([])
        pages[-1] += group
    return pages


def _groups(items: Iterable[Item]) -> Iterator[list[Item]]:
    group: list[Item] = []
    for item in items:
        group.append(item)
        if not item.keeps_next:
            yield group
            group = []
    if group:
        yield group


def _height(page: list[Item]) -> float:
    return sum(item.above + item.height for item in page) - page[0].above


def _page_plan(page: list[Item], title: str) -> Plan:
    def paint(sheet: Sheet) -> None:
        top = -page[0].above
        for item in page:
            top += item.above
            item.paint(sheet.moved(0.0, top))
            top += item.height

    return Plan(title, "", TEXT_WIDTH, _height(page), paint)


# ----------------------------------------------------------------------------------------- items


def _items(report: Report, subject: Subject, numbers: dict[str, int]) -> Iterator[Item]:
    """Yield all that the report has; ``numbers`` will have the page of each section."""
    yield from _lines(report.title, _TITLE)
    for text in report.opening:
        yield from _lines(text, _BODY, ABOVE_PARAGRAPH)
    yield from _contents(report.sections, numbers)
    for section in report.sections:
        first, *others = _lines(section.title, _HEADING, ABOVE_HEADING)
        yield first._replace(key=section.key, keeps_next=True)
        yield from (item._replace(keeps_next=True) for item in others)
        for number, block in enumerate(section.blocks):
            for item in _block(block, subject):
                yield item if number else item._replace(above=min(item.above, BELOW_HEADING))


def _lines(text: str, look: Look, above: float = 0.0) -> list[Item]:
    """Return a paragraph, no single line of which stands on a page alone."""
    lines = look.lines(text)
    alone = {0, len(lines) - 2}
    return [
        Item(
            look.height,
            partial(_write_line, look=look, text=line),
            0.0 if number else above,
            keeps_next=number in alone and number < len(lines) - 1,
        )
        for number, line in enumerate(lines)
    ]


def _write_line(sheet: Sheet, look: Look, text: str) -> None:
    look.write(sheet, 0.0, 0.0, text)


def _contents(sections: tuple[Section, ...], numbers: dict[str, int]) -> Iterator[Item]:
    def paint(sheet: Sheet, section: Section) -> None:
        _BODY.write(sheet, 0.0, 0.0, section.title)
        _BODY.write(sheet, TEXT_WIDTH / 2, 0.0, str(numbers[section.key]), ha="right")

    for number, section in enumerate(sections):
        above = 0.0 if number else BETWEEN
        yield Item(_BODY.height, partial(paint, section=section), above, keeps_next=True)
    yield Item(0.0, lambda _: None)


def _block(block: Block, subject: Subject) -> Iterator[Item]:
    if isinstance(block, Text):
        yield from _lines(block.text, _BODY, ABOVE_PARAGRAPH)
    elif isinstance(block, Table):
        for part in tables(block, HEIGHT):
            yield Item(part.height, part.paint, BETWEEN)
    else:
        yield _picture(block, subject)


def _picture(picture: Picture, subject: Subject) -> Item:
    """Return a figure, as large as it is or as a page has room for, above its caption."""
    paper = Paper.of(subject)
    plan = drawing.plan(picture.name, subject, paper)
    caption = _CAPTION.lines(f"Figure {picture.number}. {picture.title}. {picture.caption}")
    below = ABOVE_CAPTION + len(caption) * _CAPTION.height
    scale = min(paper.scale, TEXT_WIDTH / plan.width, (HEIGHT - below) / plan.height)

    def paint(sheet: Sheet) -> None:
        middle = (TEXT_WIDTH - plan.width * scale) / 2
        place = sheet.moved(middle, 0.0)
        with house_style(subject.style, scale):
            plan.paint(Sheet(sheet.figure, paper, scale, place.left / scale, place.top / scale))
        _CAPTION.write_all(sheet, plan.height * scale + ABOVE_CAPTION, caption)

    return Item(plan.height * scale + below, paint, BETWEEN)
