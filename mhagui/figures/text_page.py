"""Pages of text, with a figure at the end of the last."""

import io
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from matplotlib.backends.backend_pdf import PdfPages
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from mhagui import __version__
from mhagui.figures.page import (
    FULL_WIDTH,
    INK,
    MUTED_INK,
    POINTS,
    TICK_SIZE,
    house_style,
    new_page,
    text_width,
    wrapped,
    write,
)

PAGE_WIDTH, PAGE_HEIGHT = 8.27, 11.69  # inches: A4
MARGIN = (PAGE_WIDTH - FULL_WIDTH) / 2
LEADING = 1.45  # height of a line, in type sizes
TEXT_SIZE = 9.5
LEAD = 0.26  # inches that a text stands to the right of its number or mark
ABOVE_FIGURE = 0.25

Drawing = Figure  # what the functions of this package draw


class Paragraph(NamedTuple):
    """A paragraph, with what stands before it, its type size, and the space above it in inches."""

    text: str
    lead: str = ""
    size: float = TEXT_SIZE
    bold: bool = False
    above: float = 0.06


class _Page(NamedTuple):
    """A page: what to save, and the rectangle of it, in inches, that is the page."""

    figure: Figure
    cut: Bbox


class _Placed(NamedTuple):
    """A line of text: inches from the left and the top of the page."""

    left: float
    top: float
    text: str
    size: float
    bold: bool


def pdf_of(parts: Iterable[tuple[list[Paragraph], Drawing | None]], title: str) -> bytes:
    """Return a PDF in which each of ``parts`` begins a page: paragraphs, and a figure below them.

    Pages are A4, or larger where a figure is. The same parts give the same bytes every time.
    """
    buffer = io.BytesIO()
    described = {"Title": title, "Creator": f"mhagui {__version__}", "CreationDate": None}
    with house_style(), PdfPages(buffer, metadata=described) as file:
        for paragraphs, figure in parts:
            for page in _pages_of(paragraphs, figure, title, file.get_pagecount() + 1):
                file.savefig(page.figure, bbox_inches=page.cut)
    return buffer.getvalue()


def _pages_of(
    paragraphs: list[Paragraph], figure: Drawing | None, title: str, first_number: int
) -> Iterator[_Page]:
    """Yield the pages that ``paragraphs`` fill, with ``figure`` below them or on one more page.

    The text is written around the figure, which stays as it was drawn: hence the cut.
    """
    pages, bottom = _placed(paragraphs)
    if figure is not None and bottom > MARGIN:
        bottom += ABOVE_FIGURE
        if bottom + figure.get_size_inches()[1] > PAGE_HEIGHT - MARGIN:
            pages, bottom = [*pages, []], MARGIN
    for number, lines in enumerate(pages, first_number):
        is_last = lines is pages[-1]
        holder = figure if is_last and figure is not None else None
        yield _page(lines, holder, bottom, title, number)


def _placed(paragraphs: list[Paragraph]) -> tuple[list[list[_Placed]], float]:
    """Return the lines of each page, and where the text of the last one ends."""
    pages: list[list[_Placed]] = [[]]
    top = MARGIN
    for paragraph in paragraphs:
        top += paragraph.above if pages[-1] else 0.0
        left = MARGIN + (LEAD if paragraph.lead else 0.0)
        height = paragraph.size * LEADING / POINTS
        room = MARGIN + FULL_WIDTH - left
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


def _page(lines: list[_Placed], drawn: Figure | None, top: float, title: str, number: int) -> _Page:
    figure = drawn or new_page(PAGE_WIDTH, PAGE_HEIGHT, title)
    left, top = (MARGIN, top) if drawn else (0.0, 0.0)
    for legend in figure.legends:
        if legend.get_bbox_to_anchor() is figure.bbox:  # which becomes the page when that is cut
            legend.set_bbox_to_anchor((0, 0, 1, 1), transform=figure.transFigure)
    width, height = (float(inches) for inches in figure.get_size_inches())
    page_width = max(PAGE_WIDTH, width + 2 * left)
    page_height = max(PAGE_HEIGHT, top + height + left)
    for line in lines:
        weight = "bold" if line.bold else "normal"
        look = {"fontsize": line.size, "fontweight": weight, "color": INK, "parse_math": False}
        write(figure, line.left - left, line.top - top, line.text, **look)
    foot = str(number)
    middle = (page_width - text_width(foot, TICK_SIZE)) / 2
    below = page_height - MARGIN * 0.6
    write(figure, middle - left, below - top, foot, fontsize=TICK_SIZE, color=MUTED_INK)
    bottom = height + top - page_height
    return _Page(figure, Bbox.from_extents(-left, bottom, page_width - left, height + top))
