"""What a report is made of, whatever it is written as."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple


class Text(NamedTuple):
    """A paragraph."""

    text: str


class Column(NamedTuple):
    """A column of a table: words start at the left, numbers end at the right."""

    title: str
    is_text: bool = False


class Table(NamedTuple):
    """A table; the first of its columns names the rows."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    number: int = 0


class Picture(NamedTuple):
    """A figure, by its name in ``mhagui.figures.FIGURES``."""

    name: str
    title: str
    caption: str
    number: int = 0


Block = Text | Table | Picture


class Section(NamedTuple):
    """Blocks under a heading; ``key`` is what links to it."""

    key: str
    title: str
    blocks: tuple[Block, ...]


class Report(NamedTuple):
    """A title, paragraphs below it, and sections whose tables and pictures are numbered."""

    title: str
    opening: tuple[str, ...]
    sections: tuple[Section, ...]

    def pictures(self) -> list[Picture]:
        """Return the pictures in their order."""
        every = (block for section in self.sections for block in section.blocks)
        return [block for block in every if isinstance(block, Picture)]


def numbered(sections: Iterable[Section]) -> tuple[Section, ...]:
    """Return ``sections`` with their tables and their pictures numbered from 1."""
    counts = {Table: 0, Picture: 0}

    def blocks_of(section: Section) -> Iterator[Block]:
        for block in section.blocks:
            if isinstance(block, Text):
                yield block
                continue
            counts[type(block)] += 1
            yield block._replace(number=counts[type(block)])

    return tuple(section._replace(blocks=tuple(blocks_of(section))) for section in sections)
