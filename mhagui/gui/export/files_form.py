"""The side of the export dialog that asks which files are written."""

from collections.abc import Iterable, Mapping

import msgspec
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QGridLayout, QHBoxLayout, QLabel, QWidget

from mhagui.figures import FORMATS
from mhagui.figures.style import MAX_DPI, MIN_DPI
from mhagui.gui.export.side import form_of
from mhagui.gui.widgets.naming import named
from mhagui.gui.widgets.number_box import CountBox
from mhagui.gui.widgets.page import heading, label_of
from mhagui.settings import ExportChoices

_FORMATS = {
    "png": "Pixels: for slides and the web",
    "svg": "A vector picture that browsers show and drawing programs change",
    "pdf": "A vector picture with its fonts, for LaTeX and print",
    "eps": "A vector picture for older typesetting; it knows no transparency",
    "tiff": "Pixels: what some journals ask for",
}
_DATA = {
    "csv": "One table: head, t, i, weight, score",
    "npz": "NumPy arrays, each number exact",
    "json": "Numbers with their names, for any program",
}
_REPORTS = {
    "html": ("HTML", "One page with tables and figures, for browsers, light and dark"),
    "pdf": ("PDF", "Pages with tables and figures, to print or hand in"),
    "markdown": ("Markdown", "Text with tables and figures, for notebooks and notes"),
}
_COLUMNS = 3


class FilesForm(QWidget):
    """Shows which files are to be written, and what the user makes of it.

    Signals
    -------
    changed
        The user wants others.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._formats = {kind: QCheckBox(kind.upper()) for kind in FORMATS}
        self._data = {kind: QCheckBox(kind.upper()) for kind in _DATA}
        self._reports = {kind: QCheckBox(name) for kind, (name, _) in _REPORTS.items()}
        self._scripts = QCheckBox("Python scripts")
        self._dpi = CountBox(MIN_DPI, MAX_DPI)
        self._outlines = QCheckBox("SVG text as outlines")
        self._embed = QCheckBox("Scene in each file")
        self._name()
        self._lay_out()
        self._connect()

    def show_choices(self, choices: ExportChoices) -> None:
        """Show the files of ``choices``."""
        for kind, check in self._formats.items():
            check.setChecked(kind in choices.formats)
        for kind, check in self._data.items():
            check.setChecked(kind in choices.data)
        for kind, check in self._reports.items():
            check.setChecked(kind in choices.reports)
        self._scripts.setChecked(choices.scripts)
        self._dpi.show_value(choices.style.dpi)
        self._outlines.setChecked(choices.style.outlines)
        self._embed.setChecked(choices.style.embed_scene)

    def taken_into(self, choices: ExportChoices) -> ExportChoices:
        """Return ``choices`` with what is shown here."""
        style = msgspec.structs.replace(
            choices.style,
            dpi=self._dpi.value(),
            outlines=self._outlines.isChecked(),
            embed_scene=self._embed.isChecked(),
        )
        return msgspec.structs.replace(
            choices,
            style=style,
            formats=_ticked(self._formats),
            data=_ticked(self._data),
            reports=_ticked(self._reports),
            scripts=self._scripts.isChecked(),
        )

    def _name(self) -> None:
        for kind, check in self._formats.items():
            named(check, f"format_{kind}", f"{kind.upper()} files", _FORMATS[kind])
        for kind, check in self._data.items():
            named(check, f"data_{kind}", f"Numbers as {kind.upper()}", _DATA[kind])
        for kind, check in self._reports.items():
            name, tip = _REPORTS[kind]
            named(check, f"report_{kind}", f"Report as {name}", tip)
        named(
            self._scripts, "exportScripts", "Python scripts",
            "For each figure a short program that recomputes and redraws it with NumPy and "
            "matplotlib",
        )  # fmt: skip
        self._dpi.setObjectName("exportDpi")
        self._dpi.describe(
            "Resolution in dots per inch",
            "Pixels per inch of PNG and TIFF files; SVG, PDF and EPS are vector files",
        )
        named(
            self._outlines, "exportOutlines", "Text in SVG files as outlines",
            "Draw letters as shapes: they look the same everywhere, and are text no more",
        )  # fmt: skip
        named(
            self._embed, "exportEmbed", "The scene in each file",
            "Whoever gets the file can open the scene it was drawn from",
        )  # fmt: skip

    def _lay_out(self) -> None:
        form = form_of(self)
        form.addRow(heading("Figures as"))
        form.addRow(_in_columns(self._formats.values()))
        resolution = QHBoxLayout()
        resolution.addWidget(self._dpi, 1)
        resolution.addWidget(QLabel("dpi"))
        form.addRow(label_of(self._dpi, "Resolu&tion"), resolution)
        form.addRow(self._outlines)
        form.addRow(self._embed)
        form.addRow(heading("Numbers and scripts"))
        form.addRow(_in_columns(self._data.values()))
        form.addRow(self._scripts)
        form.addRow(heading("Report of the scene"))
        form.addRow(_in_columns(self._reports.values()))

    def _connect(self) -> None:
        for check in (*self._formats.values(), *self._data.values(), *self._reports.values()):
            check.clicked.connect(self.changed)
        for check in (self._scripts, self._outlines, self._embed):
            check.clicked.connect(self.changed)
        self._dpi.valueChanged.connect(self.changed)


def _ticked(checks: Mapping[str, QCheckBox]) -> tuple[str, ...]:
    return tuple(kind for kind, check in checks.items() if check.isChecked())


def _in_columns(checks: Iterable[QCheckBox]) -> QWidget:
    holder = QWidget()
    grid = QGridLayout(holder)
    grid.setContentsMargins(0, 0, 0, 0)
    for index, check in enumerate(checks):
        grid.addWidget(check, index // _COLUMNS, index % _COLUMNS)
    grid.setColumnStretch(_COLUMNS, 1)
    return holder
