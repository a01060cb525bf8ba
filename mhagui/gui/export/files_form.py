"""The side of the export dialog that asks which files are written."""

import math
from collections.abc import Iterable, Mapping
from functools import partial

import msgspec
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QGridLayout, QHBoxLayout, QLabel, QWidget

from mhagui.document import Scene
from mhagui.document.provenance import size_in_figure
from mhagui.document.session import Session
from mhagui.document.session_file import session_to_bytes
from mhagui.figures import FORMATS
from mhagui.figures.style import MAX_DPI, MIN_DPI
from mhagui.gui.export.side import form_of
from mhagui.gui.widgets.naming import named
from mhagui.gui.widgets.number_box import CountBox
from mhagui.gui.widgets.page import heading, label_of
from mhagui.gui.worker import Worker
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
_EMBED_TIP = (
    "Whoever gets the file can open the scene it was drawn from; figures of a model's heads, of "
    "two compared or ablated ones hold none"
)
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
        self._worker = Worker(self)
        self._name()
        self._lay_out()
        self._connect()

    def tell_scene(self, scene: Scene) -> None:
        """Say how much larger the scene makes each file, once that is known."""
        make = partial(_size_in_figure, scene)
        self._worker.run(make, self._show_scene, self._on_failed)

    def forget_scene(self) -> None:
        """Want to know no more how large the scene is."""
        self._worker.cancel()

    def _show_scene(self, sizes: tuple[int, int | None]) -> None:
        whole, packed = sizes
        if packed is None:
            self._embed.setText("Scene in each file (too large)")
            tip = f"{_EMBED_TIP}. This one has {_in_words(whole)}, more than figures hold"
            self._embed.setToolTip(tip)
        else:
            self._embed.setText(f"Scene in each file ({_in_words(packed)})")

    def _on_failed(self, _error: Exception) -> None:
        """Say nothing of it: the figures are drawn all the same, and say what is wrong then."""

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
            "For each figure of the scene a short program that recomputes and redraws it with "
            "NumPy and matplotlib",
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
            self._embed, "exportEmbed", "The scene in each file", _EMBED_TIP
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


def _size_in_figure(scene: Scene) -> tuple[int, int | None]:
    """Return how many bytes the session file has, and how many it adds to a figure."""
    session = session_to_bytes(Session.of(scene))
    return len(session), size_in_figure(session)


def _in_words(n_bytes: int) -> str:
    return f"{n_bytes / 1e6:.1f} MB" if n_bytes >= 1e6 else f"{math.ceil(n_bytes / 1e3)} kB"


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
