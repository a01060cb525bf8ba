"""What an export writes; no Qt here."""

from collections.abc import Generator, Iterator
from dataclasses import dataclass

from mhagui import figures
from mhagui.figures import Subject
from mhagui.figures.motion import Progress

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
        Names of ``mhagui.figures.FIGURES`` or of charts of the subject, and of ``FORMATS``.
    data
        Formats of ``mhagui.data`` in which the numbers are written.
    scripts
        Whether each figure of the scene has a script beside it, which redraws it.
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
        of_scripts = [f"{name}.py" for name in self._scripted]
        of_data = [f"numbers.{kind}" for kind in self.data]
        return of_figures + of_scripts + of_data + [REPORTS[kind] for kind in self.reports]

    @property
    def _scripted(self) -> list[str]:
        """The figures that have a script: those of the scene, which it computes anew."""
        return [name for name in self.figures if self.scripts and name not in self.subject.charts]

    def make(self) -> Iterator[tuple[str, bytes]]:
        """Yield the files by their names, one after the other; raises UserError."""
        yield from figures.render_each(self.subject, self.figures, self.formats)
        if self.scripts:
            from mhagui.figures.script import script

            for name in self._scripted:
                yield f"{name}.py", script(name, self.subject).encode()
        if self.data:
            from mhagui.data import render_data

            for kind in self.data:
                yield f"numbers.{kind}", render_data(self.subject.scene, self.subject.result, kind)
        if self.reports:
            from mhagui.reports import render_report

            of = self.subject
            for kind in self.reports:
                report = render_report(of.scene, of.result, kind, of.style, of.row)
                yield REPORTS[kind], report

    def steps(self) -> Generator[Progress[dict[str, bytes]]]:
        """Yield how far the making of the files is; at last all of them by their names."""
        contents: dict[str, bytes] = {}
        n_files = len(self.files)
        for name, data in self.make():
            contents[name] = data
            yield Progress(len(contents), n_files, f"{len(contents)} of {n_files} files are drawn")
        yield Progress(n_files, n_files, "", contents)
