"""Pages of text, tables and figures, one below the other, as a PDF.

All lengths are in inches, but type sizes in points. Lines are measured within ``house_style``.
"""

import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import matplotlib as mpl
from matplotlib.backends.backend_pdf import PdfPages
from matplotlib.figure import Figure

from mhagui import __version__
from mhagui.document.provenance import KEYWORD
from mhagui.figures import drawing
from mhagui.figures.page import (
    POINTS,
    TICK_SIZE,
    Plan,
    Sheet,
    house_style,
    in_math,
    new_page,
    text_width,
    wrapped,
)
from mhagui.figures.paper import Paper
from mhagui.figures.style import MM_PER_INCH, FigureStyle
from mhagui.figures.subject import Subject

PAGE_WIDTH, PAGE_HEIGHT = 8.27, 11.69  # A4
TEXT_WIDTH = 170 / MM_PER_INCH
MARGIN = (PAGE_WIDTH - TEXT_WIDTH) / 2
TEXT_HEIGHT = PAGE_HEIGHT - 2 * MARGIN
LEADING = 1.45  # height of a line, in type sizes
BOLD = 0.88  # of a line's room: letters in bold are wider than they are measured
TEXT_SIZE = 9.5
LEAD = 0.26  # that a text stands to the right of its number or mark
ABOVE_CAPTION = 0.06
LEAST_SHARE = 0.74  # of their size that figures have, so that one more fits on a page
FIGURE_HEIGHT = TEXT_HEIGHT - 0.4  # at most, with its caption: a heading may stand above it


class Item(NamedTuple):
    """What stands on one page: how high it is, how far below what, and whether the next stays.

    Of a figure, ``drawn`` inches of the height become smaller by a share with ``scaled``.
    """

    height: float
    paint: Callable[[Sheet], None]
    above: float = 0.0
    keeps_next: bool = False
    key: str = ""
    drawn: float = 0.0
    scaled: "Callable[[float], Item] | None" = None


@dataclass(frozen=True)
class Look:
    """How a line of text is written."""

    size: float
    bold: bool = False
    muted: bool = False

    @property
    def height(self) -> float:
        """Of a line."""
        return self.size * LEADING / POINTS

    def lines(self, text: str, room: float = TEXT_WIDTH) -> list[str]:
        """Return ``text`` in lines of at most so many inches."""
        return wrapped(" ".join(text.split()), room * (BOLD if self.bold else 1.0), self.size)

    def write(self, sheet: Sheet, left: float, top: float, text: str, **more: Any) -> None:
        """Write a line with its upper left corner there, or what ``more`` says."""
        ink = sheet.inks.muted if self.muted else sheet.inks.ink
        weight = "bold" if self.bold else "normal"
        look = {"fontsize": self.size, "fontweight": weight, "color": ink}
        sheet.write(left, top, in_math(text, bold=self.bold), **look, **more)

    def write_all(self, sheet: Sheet, top: float, lines: Sequence[str]) -> None:
        """Write lines one below the other, at the left."""
        for number, line in enumerate(lines):
            self.write(sheet, 0.0, top + number * self.height, line)


BODY, CAPTION, FOOT = Look(TEXT_SIZE), Look(8.5), Look(TICK_SIZE, muted=True)


def paragraph(text: str, look: Look, above: float = 0.0, lead: str = "") -> list[Item]:
    """Return a paragraph with ``lead`` before it, no single line of which is alone on a page."""
    left = LEAD if lead else 0.0
    lines = look.lines(text, TEXT_WIDTH - left)
    alone = {0, len(lines) - 2}

    def paint(sheet: Sheet, number: int) -> None:
        if lead and number == 0:
            look.write(sheet, 0.0, 0.0, lead)
        look.write(sheet, left, 0.0, lines[number])

    return [
        Item(
            look.height,
            partial(paint, number=number),
            0.0 if number else above,
            keeps_next=number in alone and number < len(lines) - 1,
        )
        for number in range(len(lines))
    ]


def figure_of(name: str, subject: Subject, above: float, caption: str = "") -> Item:
    """Return a figure, as large as it is or as a page has room for, above its caption."""
    paper = Paper.of(subject)
    plan = drawing.plan(name, subject, paper)
    lines = CAPTION.lines(caption)
    below = ABOVE_CAPTION + len(lines) * CAPTION.height
    scale = min(paper.scale, TEXT_WIDTH / plan.width, (FIGURE_HEIGHT - below) / plan.height)

    def scaled(share: float) -> Item:
        height = plan.height * scale * share
        paint = partial(_paint_figure, subject, paper, plan, scale * share, lines)
        return Item(height + below, paint, above, drawn=height, scaled=scaled)

    return scaled(1.0)


def _paint_figure(
    subject: Subject, paper: Paper, plan: Plan, scale: float, caption: list[str], sheet: Sheet
) -> None:
    place = sheet.moved((TEXT_WIDTH - plan.width * scale) / 2, 0.0)
    with house_style(subject.style, scale):
        plan.paint(Sheet(sheet.figure, paper, scale, place.left / scale, place.top / scale))
    CAPTION.write_all(sheet, plan.height * scale + ABOVE_CAPTION, caption)


def pages_of(items: Iterable[Item]) -> list[list[Item]]:
    """Return the items of each page: what belongs together is not parted.

    Figures are a little smaller where a page has room for more then.
    """
    pages: list[list[Item]] = [[]]
    for group in _groups(items):
        if pages[-1] and _share([*pages[-1], *group]) < LEAST_SHARE:
            pages.append([])
        pages[-1] += group
    return [_fitted(page) for page in pages]


def _share(page: list[Item]) -> float:
    """Return of which size the figures of a page have room on it, at most 1."""
    over, drawn = _height(page) - TEXT_HEIGHT, sum(item.drawn for item in page)
    return 1.0 if over <= 0 else 1 - over / drawn if drawn else 0.0


def _fitted(page: list[Item]) -> list[Item]:
    share = _share(page) if page else 1.0
    if share == 1:
        return page
    return [i.scaled(share)._replace(above=i.above) if i.scaled else i for i in page]


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


def pdf_of(pages: Iterable[list[Item]], title: str, provenance: str | None = None) -> bytes:
    """Return a PDF with the items of each page on one of A4, and its number at its foot.

    The same pages give the same bytes every time. Its information has the text ``provenance``.
    """
    buffer = io.BytesIO()
    described = {"Title": title, "Creator": f"mhagui {__version__}", "CreationDate": None}
    kept = mpl.rc_context({"pdf.fonttype": 42})
    with house_style(), kept, PdfPages(buffer, metadata=described) as file:
        file.infodict().update({} if provenance is None else {KEYWORD: provenance})
        for number, page in enumerate(pages, 1):
            file.savefig(_painted(page, title, str(number)))
    return buffer.getvalue()


def _painted(page: list[Item], title: str, foot: str) -> Figure:
    paper = Paper(FigureStyle())
    sheet = Sheet(new_page(PAGE_WIDTH, PAGE_HEIGHT, title, paper), paper)
    top = MARGIN - page[0].above
    for item in page:
        top += item.above
        item.paint(sheet.moved(MARGIN, top))
        top += item.height
    middle = (PAGE_WIDTH - text_width(foot, FOOT.size)) / 2
    FOOT.write(sheet, middle, PAGE_HEIGHT - MARGIN * 0.6, foot)
    return sheet.figure
