"""Tables on a page."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mhagui.figures.page import FILL, Box, Sheet, text_width
from mhagui.figures.text_page import BOLD, CAPTION, TEXT_HEIGHT, TEXT_WIDTH, Item, Look
from mhagui.reports.model import Table

# All lengths are in inches, but type sizes in points.
CELL_SIZE = 7.5
GAP, RULE, SPACE = 0.13, 0.008, 0.04
LEAST_WORDS = 0.9  # of a column of words that makes room for others

NAME, NOTE = Look(CAPTION.size, bold=True), Look(CELL_SIZE, muted=True)


class _Setting(NamedTuple):
    """How wide the columns of a table are, and how its cells are written."""

    widths: list[float]
    cell: Look
    head: Look

    @property
    def width(self) -> float:
        return sum(self.widths) + GAP * (len(self.widths) - 1)


Row = list[list[str]]  # the lines of every cell


def tables(table: Table) -> Iterator[Item]:
    """Yield ``table``, or its parts if it is higher than a page."""
    whole = _item(table)
    if whole.height <= TEXT_HEIGHT or len(table.rows) < 2:
        yield whole
        return
    half = len(table.rows) // 2
    yield from tables(table._replace(rows=table.rows[:half], note=""))
    yield from tables(table._replace(rows=table.rows[half:]))


def _item(table: Table) -> Item:
    setting = _setting(table)
    name, note = NAME.lines(f"Table {table.number}. {table.title}"), NOTE.lines(table.note)
    head = _titles(table, setting)
    body = [_in_lines(table, row, setting) for row in table.rows]
    at_head = len(name) * NAME.height + SPACE
    at_body = at_head + _height(head, setting.head)
    at_end = at_body + sum(_height(row, setting.cell) for row in body)
    height = at_end + (2 * SPACE + len(note) * NOTE.height if note else RULE)

    def paint(sheet: Sheet) -> None:
        NAME.write_all(sheet, 0.0, name)
        for top in (at_head, at_body, at_end):
            _rule(sheet, top, setting.width)
        _paint_row(sheet.moved(0.0, at_head), table, head, setting, setting.head)
        top = at_body
        for row in body:
            _paint_row(sheet.moved(0.0, top), table, row, setting, setting.cell)
            top += _height(row, setting.cell)
        NOTE.write_all(sheet, at_end + 2 * SPACE, note)

    return Item(height, paint)


def _setting(table: Table) -> _Setting:
    """Return columns as wide as their numbers and as the page allows for words."""
    widths = [_natural_width(table, place) for place in range(len(table.columns))]
    between = GAP * (len(widths) - 1)
    widest = max(w for w, c in zip(widths, table.columns, strict=True) if not c.is_text)
    even = [w if c.is_text else widest for w, c in zip(widths, table.columns, strict=True)]
    if sum(even) + between <= TEXT_WIDTH:
        widths = even
    excess = sum(widths) + between - TEXT_WIDTH
    words = [n for n, c in enumerate(table.columns) if c.is_text and widths[n] > LEAST_WORDS]
    spare = sum(widths[n] - LEAST_WORDS for n in words)
    if excess > 0 and spare > 0:
        for n in words:
            widths[n] -= (widths[n] - LEAST_WORDS) * min(excess / spare, 1.0)
    smaller = min((TEXT_WIDTH - between) / sum(widths), 1.0)
    size = CELL_SIZE * smaller
    return _Setting([width * smaller for width in widths], Look(size), Look(size, bold=True))


def _natural_width(table: Table, place: int) -> float:
    """Return the width of the widest cell, and of the title or, above numbers, its longest word."""
    column = table.columns[place]
    cells = max((text_width(row[place], CELL_SIZE) for row in table.rows), default=0.0)
    words = [column.title] if column.is_text else column.title.split()
    title = max((text_width(word, CELL_SIZE) for word in words), default=0.0)
    return (max(cells, title / BOLD) + SPACE / 4) / FILL


def _titles(table: Table, setting: _Setting) -> Row:
    lines = zip(table.columns, setting.widths, strict=True)
    return [setting.head.lines(column.title, width) for column, width in lines]


def _in_lines(table: Table, cells: Sequence[str], setting: _Setting) -> Row:
    """Return the cells of a row: words in as many lines as they need, numbers in one."""
    return [
        setting.cell.lines(cell, width) if column.is_text else [cell]
        for column, cell, width in zip(table.columns, cells, setting.widths, strict=True)
    ]


def _height(row: Row, look: Look) -> float:
    return max(map(len, row)) * look.height + SPACE


def _paint_row(sheet: Sheet, table: Table, row: Row, setting: _Setting, look: Look) -> None:
    """Write the cells of a row: words from the left of their column, numbers up to its right."""
    left = 0.0
    for column, lines, width in zip(table.columns, row, setting.widths, strict=True):
        at, side = (left, "left") if column.is_text else (left + width, "right")
        # Titles end at the rule below them, cells begin at the one above.
        first = max(map(len, row)) - len(lines) if look.bold else 0
        for number, line in enumerate(lines, first):
            look.write(sheet, at, SPACE / 2 + (number + 0.18) * look.height, line, ha=side)
        left += width + GAP


def _rule(sheet: Sheet, top: float, width: float) -> None:
    """Draw a line: axes without anything but their ground."""
    axes = sheet.place(Box(0.0, top, width, RULE))
    axes.set(xticks=[], yticks=[], facecolor=sheet.inks.ink)
    for side in axes.spines.values():
        side.set_visible(False)
