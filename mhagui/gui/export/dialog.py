"""The dialog that writes figures of the scene, its numbers and scripts to files."""

import os
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import msgspec
from PySide6.QtCore import QSignalBlocker, QSize, Qt, QUrl
from PySide6.QtWidgets import (
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from mhagui import figures
from mhagui.document import Result
from mhagui.errors import UserError
from mhagui.figures import Chart, FigureStyle, Ground, Subject
from mhagui.figures.charts import by_name
from mhagui.files import absolute, check_into, write_into
from mhagui.gui import questions
from mhagui.gui.bench import Frame
from mhagui.gui.export.figure_list import FigureList
from mhagui.gui.export.files_form import FilesForm
from mhagui.gui.export.order import Order
from mhagui.gui.export.preview import Preview
from mhagui.gui.export.side import Sides
from mhagui.gui.export.style_form import StyleForm
from mhagui.gui.export.writing import WritingDialog
from mhagui.gui.widgets.naming import named
from mhagui.gui.widgets.number_box import CountBox
from mhagui.gui.widgets.page import label_of
from mhagui.settings import ExportChoices, Preferences

EPS_NOTE = "EPS files know no transparency: their ground is white."
DEFAULT_FOLDER = "mhagui-figures"
USUAL_SIZE = QSize(1240, 760)
MOST_NAMES = 8  # of files that would be replaced


class ExportDialog(WritingDialog):
    """Asks which figures, how they look, in which formats and where, and writes them.

    Beside those of the scene ``charts`` can be had, which are of something else.

    Begins with what was chosen last, as ``preferences`` have it, or with one ``figure`` alone.
    """

    def __init__(
        self,
        frame: Frame,
        preferences: Preferences | None = None,
        figure: str | None = None,
        charts: Sequence[Chart] = (),
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("exportDialog")
        self.setWindowTitle("Export figures")
        self._frame, self._figure, self._charts = frame, figure, by_name(charts)
        self._preferences = preferences or Preferences(None, print)
        view, scene = frame.view, frame.scene
        titles = {name: chart.title for name, chart in self._charts.items()}
        self._figures = FigureList(titles)
        self._preview = Preview()
        self._style = StyleForm(view.appearance, view.colour_scale, has_tokens=scene.has_tokens)
        self._files = FilesForm()
        self._row, self._head = CountBox(1, scene.n_positions), CountBox(1, scene.n_heads)
        self._folder = QLineEdit()
        self._build()
        self._connect()
        self._begin()

    # --- what it is made of

    def _build(self) -> None:
        cursor, scene = self._frame.view.cursor, self._frame.scene
        for box, name, value in (
            (self._row, "exportRow", cursor.query + 1),
            (self._head, "exportHead", scene.index_of(cursor.head) + 1),
        ):
            box.setObjectName(name)
            box.show_value(value)
        self._row.describe(
            "Query row t",
            "The row of A whose weights are drawn as impulse and frequency responses, and whose "
            "outputs are asked for information",
        )
        self._head.describe("Head", "The head of figures that show one head alone")
        named(self._folder, "exportFolder", "Folder", "The folder is made if it is not there")
        columns = QHBoxLayout()
        columns.setSpacing(12)
        self.inputs = [self._left(), self._sides(), self._folder_row()]
        left, side, below = self.inputs
        columns.addWidget(left)
        columns.addWidget(self._preview, 1)
        columns.addWidget(side)
        layout = QVBoxLayout(self)
        layout.addLayout(columns, 1)
        layout.addWidget(below)
        layout.addWidget(self.bottom)
        self.bottom.export.setDefault(True)  # once it is in the dialog: before it means nothing

    def _sides(self) -> QWidget:
        return Sides({"Style": self._style, "Files": self._files})

    def _left(self) -> QWidget:
        holder = QWidget()
        form = QFormLayout()
        form.addRow(label_of(self._row, "&Row t"), self._row)
        form.addRow(label_of(self._head, "&Head"), self._head)
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._figures, 1)
        column.addLayout(form)
        return holder

    def _folder_row(self) -> QWidget:
        browse = QPushButton("&Browse…")
        named(browse, "exportBrowse", "Browse for a folder", "Choose the folder to write to")
        browse.setAutoDefault(False)  # Enter exports
        browse.clicked.connect(self._browse)
        holder = QWidget()
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(label_of(self._folder, "&Folder"))
        row.addWidget(self._folder, 1)
        row.addWidget(browse)
        return holder

    def _connect(self) -> None:
        once = Qt.ConnectionType.SingleShotConnection
        self._preview.settled.connect(self._style.offer_fonts, once)
        self._preview.said.connect(self.bottom.say)
        self._figures.seen.connect(self._on_changed)
        self._style.changed.connect(self._on_changed)
        self._files.changed.connect(self._on_changed)
        self._row.valueChanged.connect(self._on_changed)
        self._head.valueChanged.connect(self._on_changed)
        for box in self.findChildren(CountBox):
            box.refused.connect(self.bottom.refuse)
        self.bottom.export.clicked.connect(self._export)
        self.bottom.reset.clicked.connect(self._reset)

    def _begin(self) -> None:
        self._show(self._preferences.settings.export)
        screen = self.screen().availableSize()
        wanted = USUAL_SIZE * (self.fontMetrics().height() / 15)
        self.resize(wanted.expandedTo(USUAL_SIZE).boundedTo(screen * 0.94))
        self._figures.take_focus()
        self._files.tell_scene(self._frame.scene)

    # --- what is chosen

    def choices(self) -> ExportChoices:
        """Return what is chosen, to be remembered."""
        before = self._preferences.settings.export
        folder = self._folder.text()
        choices = msgspec.structs.replace(
            before,
            figures=before.figures if self._figure else self._figures.names(),
            folder="" if folder == str(_usual_folder()) else folder,
            true_size=self._preview.is_in_true_size,
        )
        return self._files.taken_into(self._style.taken_into(choices))

    def subject(self) -> Subject:
        """Return what is drawn, as it is chosen here."""
        frame = self._frame
        return Subject(
            frame.scene,
            frame.result,
            self.choices().style,
            row=self._row.value() - 1,
            head=self._head.value() - 1,
            sizes=frame.view.what_if,
            charts=self._charts,
        )

    def _show(self, choices: ExportChoices) -> None:
        with QSignalBlocker(self._files), QSignalBlocker(self._style):
            self._style.show_choices(choices)
            self._files.show_choices(choices)
        self._offer_figures()
        names = (self._figure,) if self._figure else choices.figures
        self._figures.show_names(names, self._figure)
        self._folder.setText(choices.folder or str(_usual_folder()))
        self._preview.show_in_true_size(choices.true_size)
        self._on_changed()

    def _on_changed(self) -> None:
        choices = self.choices()
        is_lost = choices.style.ground is Ground.TRANSPARENT and "eps" in choices.formats
        self.bottom.say(EPS_NOTE if is_lost else "")
        self._offer_figures()
        name = self._figures.current()
        if name is not None:
            self._preview.show_figure(name, self.subject())

    def _offer_figures(self) -> None:
        style = self.choices().style
        result = self._frame.result
        self._figures.offer(partial(_why_not, self._charts, result=result, style=style))

    def _reset(self) -> None:
        self._show(ExportChoices())
        self.bottom.say("All choices are as at the first start.")

    def _browse(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, "Folder to write to", self._folder.text())
        if folder:
            self._folder.setText(folder)

    # --- writing

    def _export(self) -> None:
        choices = self.choices()
        order = Order(
            self.subject(),
            self._figures.names(),
            choices.formats,
            choices.data,
            choices.scripts,
            choices.reports,
        )
        self._remember(choices)
        if not (order.files and self._folder.text().strip()):
            self.bottom.say("Choose at least one figure, one format and a folder.")
            return
        try:
            folder = folder_of(self._folder.text())
            check_into(folder, order.files)
        except UserError as error:
            self.bottom.say(str(error))
            return
        if not self._may_replace(folder, order.files):
            self.bottom.say("Nothing is written.")
        else:
            self.make(order.steps(), partial(_write, folder))

    def _may_replace(self, folder: Path, files: list[str]) -> bool:
        # os.path's says no where one may not look; the writing will say why.
        there = [file for file in files if os.path.lexists(folder / file)]
        if not there:
            return True
        more = f" and {len(there) - MOST_NAMES} more" if len(there) > MOST_NAMES else ""
        names = f"{', '.join(there[:MOST_NAMES])}{more}"
        return questions.ask_to_replace_files(self, folder, names)

    def _remember(self, choices: ExportChoices) -> None:
        self._preferences.change(export=choices)

    def done(self, result: int) -> None:
        """Leave, remember what is chosen, and leave unwritten what is being drawn."""
        self._preview.cancel()
        self._files.forget_scene()
        self._remember(self.choices())
        super().done(result)


def _why_not(
    charts: Mapping[str, Chart], name: str, result: Result, style: FigureStyle
) -> str | None:
    return None if name in charts else figures.why_not(name, result, style)


def folder_of(text: str) -> Path:
    """Return the folder that was typed: a path, from the user's home with ``~``, or a file: URL.

    Raises UserError for the home of a user whom there is not, and for a URL of elsewhere.
    """
    text = text.strip()
    url = QUrl(text)
    if "://" in text or url.scheme() == "file":
        if url.scheme() != "file" or url.host() not in ("", "localhost") or not url.path():
            raise UserError(f"{text} is no folder of this machine; give a path.")
        url.setHost("")
        text = url.toLocalFile()
    elif text.startswith("~"):
        name, text = text, os.path.expanduser(text)  # noqa: PTH111 - Path's takes ./~ for it too
        if text == name:
            raise UserError(f"{name} is in no user's home; ./{name} is a folder of that name.")
    return absolute(Path(text))


def _write(folder: Path, contents: dict[str, bytes]) -> tuple[str, Path]:
    write_into(folder, contents)
    files = "1 file" if len(contents) == 1 else f"{len(contents)} files"
    return f"{files} written to {folder}", folder


def _usual_folder() -> Path:
    try:
        return Path.cwd() / DEFAULT_FOLDER
    except OSError:  # the folder the program was started in is gone
        return Path.home() / DEFAULT_FOLDER
