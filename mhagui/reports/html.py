"""A report as one HTML file: it asks for nothing from outside, and runs nothing."""

import re
from collections.abc import Iterator
from html import escape

from mhagui import __version__
from mhagui._resources import resource_path
from mhagui.figures import Subject, render
from mhagui.reports.inline_svg import inlined
from mhagui.reports.model import Block, Picture, Report, Section, Table, Text

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
# Our notation in plain text: a name, what is low behind it, and what is high.
_SYMBOL = re.compile(
    r"(?<![A-Za-z0-9_])(?:([dWQKVOAΣ])_(model|[A-Za-z0-9])(?:\^\(?([a-z])\)?)?|(log)(2))"
    r"(?![A-Za-z0-9_])"
)


def html_of(report: Report, subject: Subject) -> bytes:
    """Return ``report`` as HTML, its figures within it; identical input gives identical bytes."""
    return ("\n".join(_lines(report, subject)) + "\n").encode()


def _lines(report: Report, subject: Subject) -> Iterator[str]:
    title = escape(report.title)
    style = resource_path("reports", "report.css").read_text(encoding="utf-8")
    yield from (
        "<!DOCTYPE html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta name="generator" content="mhagui {__version__}">',
        f"<title>{title}</title>",
        f"<style>\n{style}</style>",
        "</head>",
        "<body>",
        f"<header>\n<h1>{title}</h1>",
        *(_paragraph(text) for text in report.opening),
        "</header>",
        '<nav aria-labelledby="contents">\n<h2 id="contents">Contents</h2>\n<ul>',
        *(f'<li><a href="#{s.key}">{_set(s.title)}</a></li>' for s in report.sections),
        "</ul>\n</nav>",
        "<main>",
    )
    for section in report.sections:
        yield from _section(section, subject)
    yield "</main>\n</body>\n</html>"


def _section(section: Section, subject: Subject) -> Iterator[str]:
    yield f'<section aria-labelledby="{section.key}">'
    yield f'<h2 id="{section.key}">{_set(section.title)}</h2>'
    for block in section.blocks:
        yield from _block(block, subject)
    yield "</section>"


def _block(block: Block, subject: Subject) -> Iterator[str]:
    if isinstance(block, Text):
        yield _paragraph(block.text)
    elif isinstance(block, Table):
        yield from _table(block)
    else:
        yield from _picture(block, subject)


def _paragraph(text: str) -> str:
    return f"<p>{_set(text)}</p>"


def _table(table: Table) -> Iterator[str]:
    """Yield a table in a box of its own, which scrolls where the window is narrower."""
    name = f"table-{table.number}"
    caption = f"<b>Table {table.number}.</b> {_set(table.title)}"
    titles = tuple(column.title for column in table.columns)
    yield '<div class="table">'
    yield f'<div class="scroll" role="region" tabindex="0" aria-labelledby="{name}">'
    yield f'<table>\n<caption id="{name}">{caption}</caption>'
    yield f"<thead>\n{_row(table, titles, is_head=True)}\n</thead>\n<tbody>"
    for row in table.rows:
        yield _row(table, row, is_head=False)
    yield "</tbody>\n</table>\n</div>"
    if table.note:
        yield f'<p class="note">{_set(table.note)}</p>'
    yield "</div>"


def _row(table: Table, cells: tuple[str, ...], *, is_head: bool) -> str:
    row = []
    for place, (column, cell) in enumerate(zip(table.columns, cells, strict=True)):
        looks = ' class="words"' if column.is_text else ""
        scope = ' scope="col"' if is_head else ' scope="row"' if place == 0 else ""
        tag = "th" if scope else "td"
        row.append(f"<{tag}{scope}{looks}>{_set(cell)}</{tag}>")
    return f"<tr>{''.join(row)}</tr>"


def _picture(picture: Picture, subject: Subject) -> Iterator[str]:
    ground = "on-dark" if subject.style.is_dark else "on-light"
    drawn = inlined(render(picture.name, subject, "svg"), picture.name, picture.title)
    caption = f"<b>Figure {picture.number}.</b> {_set(picture.title)}. {_set(picture.caption)}"
    yield f'<figure>\n<div class="card {ground}">\n{drawn}\n</div>'
    yield f"<figcaption>{caption}</figcaption>\n</figure>"


def _set(text: str) -> str:
    """Return ``text`` as HTML, with the indices of our symbols low and high."""
    return _SYMBOL.sub(_symbol, escape(text))


def _symbol(found: re.Match[str]) -> str:
    name, low, high = found[1] or found[4], found[2] or found[5], found[3]
    return f"{name}<sub>{low}</sub>" + (f"<sup>{high}</sup>" if high else "")
