"""What an export writes, and the drawing of it in a thread; no Qt here."""

from collections.abc import Iterator
from dataclasses import dataclass

from mhagui import figures
from mhagui.figures import Subject

# The file of a report by its format.
REPORTS = {"html": "report.html", "pdf": "report.pdf", "markdown": "report.md"}


@dataclass(frozen=True, eq=False)
class Order:
    """Figures of a subject in some formats, its numbers and its report in others, and scripts.

    Attributes
    ----------
    subject
        What is drawn.
    figures, formats
        Names of ``mhagui.figures.FIGURES``, and of its ``FORMATS``.
    data
        Formats of ``mhagui.data`` in which the numbers are written.
    scripts
        Whether each figure has a script beside it, which redraws it.
    reports
        Formats in which the report is written, of ``REPORTS``.
    """

    subject: Subject
    figures: tuple[str, ...]
    formats: tuple[str, ...]
    data: tuple[str, ...] = ()
    scripts: bool = False
    reports: tuple[str, ...] = ()

    @property
    def files(self) -> list[str]:
        """The names of the files, in the order in which they are made."""
        of_figures = [f"{name}.{kind}" for name in self.figures for kind in self.formats]
        of_scripts = [f"{name}.py" for name in self.figures if self.scripts]
        of_data = [f"numbers.{kind}" for kind in self.data]
        return of_figures + of_scripts + of_data + [REPORTS[kind] for kind in self.reports]

    def make(self) -> Iterator[tuple[str, bytes]]:
        """Yield the files by their names, one after the other; raises UserError."""
        yield from figures.render_each(self.subject, self.figures, self.formats)
        if self.scripts:
            from mhagui.figures.script import script

            for name in self.figures:
                yield f"{name}.py", script(name, self.subject).encode()
        if self.data:
            from mhagui.data import render_data

            for kind in self.data:
                yield f"numbers.{kind}", render_data(self.subject.scene, self.subject.result, kind)
        if self.reports:
            from mhagui.reports import render_report

            scene, result, style = self.subject.scene, self.subject.result, self.subject.style
            for kind in self.reports:
                yield REPORTS[kind], render_report(scene, result, kind, style)


class Making:
    """Makes the files of an order in one thread, while another looks how far it is."""

    def __init__(self, order: Order) -> None:
        self.order = order
        self.n_made = 0
        self.is_stopped = False  # nothing more is made once somebody sets it

    def __call__(self) -> dict[str, bytes]:
        """Return all files by their names; not all of them where it was stopped."""
        contents: dict[str, bytes] = {}
        for name, data in self.order.make():
            if self.is_stopped:
                break
            contents[name] = data
            self.n_made = len(contents)
        return contents
