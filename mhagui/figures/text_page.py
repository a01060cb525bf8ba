"""Pages of text, with a figure at the end of the last."""

import io
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import matplotlib as mpl
from matplotlib.backends.backend_pdf import PdfPages
from matplotlib.figure import Figure

from mhagui import __version__
from mhagui.figures.page import (
    POINTS,
    TICK_SIZE,
    Plan,
    Sheet,
    house_style,
    new_page,
    text_width,
    wrapped,
)
from mhagui.figures.paper import Paper
from mhagui.figures.style import MM_PER_INCH, FigureStyle

PAGE_WIDTH, PAGE_HEIGHT = 8.27, 11.69  # inches: A4
TEXT_WIDTH = 170 / MM_PER_INCH
MARGIN = (PAGE_WIDTH - TEXT_WIDTH) / 2
LEADING = 1.45  # height of a line, in type sizes
TEXT_SIZE = 9.5
LEAD = 0.26  # inches that a text stands to the right of its number or mark
ABOVE_FIGURE = 0.25


class Paragraph(NamedTuple):
    """A paragraph, with what stands before it, its type size, and the space above it in inches."""

    text: str
    lead: str = ""
    size: float = TEXT_SIZE
    bold: bool = False
    above: float = 0.06


class _Placed(NamedTuple):
    """A line of text: inches from the left and the top of the page."""

    left: float
    top: float
    text: str
    size: float
    bold: bool


def pdf_of(parts: Iterable[tuple[list[Paragraph], Plan | None]], title: str) -> bytes:
    """Return a PDF in which each of ``parts`` begins a page: paragraphs, and a figure below them.

    Pages are A4, or larger where a figure is. The same parts give the same bytes every time.
    """
    buffer, paper = io.BytesIO(), Paper(FigureStyle())
    described = {"Title": title, "Creator": f"mhagui {__version__}", "CreationDate": None}
    kept = mpl.rc_context({"pdf.fonttype": 42})
    with house_style(), kept, PdfPages(buffer, metadata=described) as file:
        for paragraphs, plan in parts:
            for page in _pages_of(paragraphs, plan, title, paper, file.get_pagecount() + 1):
                file.savefig(page)
    return buffer.getvalue()


def _pages_of(
    paragraphs: list[Paragraph], plan: Plan | None, title: str, paper: Paper, first_number: int
) -> Iterator[Figure]:
    """Yield the pages that ``paragraphs`` fill, with ``plan`` below them or on one more page."""
    pages, bottom = _placed(paragraphs)
    if plan is not None and bottom > MARGIN:
        bottom += ABOVE_FIGURE
        if bottom + plan.height > PAGE_HEIGHT - MARGIN:
            pages, bottom = [*pages, []], MARGIN
    for number, lines in enumerate(pages, first_number):
        on_page = plan if lines is pages[-1] else None
        width = max(PAGE_WIDTH, on_page.width + 2 * MARGIN) if on_page else PAGE_WIDTH
        height = max(PAGE_HEIGHT, bottom + on_page.height + MARGIN) if on_page else PAGE_HEIGHT
        figure = new_page(width, height, title, paper)
        sheet = Sheet(figure, paper)
        _write(sheet, lines, str(number), width, height)
        if on_page:
            on_page.paint(sheet.moved(MARGIN, bottom))
        yield figure


def _placed(paragraphs: list[Paragraph]) -> tuple[list[list[_Placed]], float]:
    """Return the lines of each page, and where the text of the last one ends."""
    pages: list[list[_Placed]] = [[]]
    top = MARGIN
    for paragraph in paragraphs:
        top += paragraph.above if pages[-1] else 0.0
        left = MARGIN + (LEAD if paragraph.lead else 0.0)
        height = paragraph.size * LEADING / POINTS
        room = MARGIN + TEXT_WIDTH - left
        for number, text in enumerate(_wrapped(paragraph, room)):
            if top + height > PAGE_HEIGHT - MARGIN:
                pages.append([])
                top = MARGIN
            if number == 0 and paragraph.lead:
                pages[-1].append(_Placed(MARGIN, top, paragraph.lead, paragraph.size, False))
            pages[-1].append(_Placed(left, top, text, paragraph.size, paragraph.bold))
            top += height
    return pages, top


def _wrapped(paragraph: Paragraph, room: float) -> list[str]:
    """Return the lines; those in bold are wider than they are measured."""
    return wrapped(paragraph.text, room * (0.88 if paragraph.bold else 1.0), paragraph.size)


def _write(sheet: Sheet, lines: list[_Placed], foot: str, width: float, height: float) -> None:
    """Write the lines, and the number of the page at its foot."""
    for line in lines:
        weight = "bold" if line.bold else "normal"
        look = {"fontsize": line.size, "fontweight": weight, "parse_math": False}
        sheet.write(line.left, line.top, line.text, **look)
    middle = (width - text_width(foot, TICK_SIZE)) / 2
    below = height - MARGIN * 0.6
    sheet.write(middle, below, foot, fontsize=TICK_SIZE, color=sheet.inks.muted)
