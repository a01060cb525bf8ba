"""The dialog that writes a figure in motion, while a slider goes from one value to another."""

from functools import partial
from pathlib import Path

import msgspec
from PySide6.QtCore import QSize, QStandardPaths, Qt, QTimer
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QVBoxLayout,
    QWidget,
)

from mhagui import figures
from mhagui.errors import UserError
from mhagui.figures.motion import (
    MOST_FPS,
    MOVIES,
    SUFFIXES,
    Film,
    animate,
    playing_order,
    why_no_movie,
)
from mhagui.figures.style import MIN_DPI, FigureStyle
from mhagui.figures.subject import Subject
from mhagui.figures.sweeps import LEAST_FRAMES, MOST_FRAMES, Quantity, Sweep, sliders_of
from mhagui.files import write_atomically
from mhagui.gui.bench import Frame
from mhagui.gui.export.side import Sides, form_of
from mhagui.gui.export.style_form import StyleForm
from mhagui.gui.export.writing import WritingDialog
from mhagui.gui.motion_preview import MotionPreview
from mhagui.gui.widgets.choice_box import ChoiceBox
from mhagui.gui.widgets.naming import named
from mhagui.gui.widgets.number_box import CountBox, NumberBox, box_text
from mhagui.gui.widgets.page import label_of, sentence
from mhagui.gui.widgets.words import plain
from mhagui.settings import ExportChoices, MotionChoices, Preferences

_MOST_DPI = 600
_LARGEST = 1e6  # that can be typed for an end; what a slider takes is said by its edit
_STEP = 0.05
_ROOM = QSize(300, 160)  # for a preview in which text can be read
_NO_CLEAR_GROUND = "Where a figure is transparent a GIF and an MP4 are white"


class MotionDialog(WritingDialog):
    """Asks which figure, what moves in it and how, shows it, and writes the film.

    Begins with what was chosen last, as ``preferences`` have it, and with the gain of the cursor's
    head. Figures look as in the export dialog, but for the page, which is one of its own.
    """

    def __init__(
        self, frame: Frame, preferences: Preferences | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._frame = frame
        self._preferences = preferences or Preferences(None, print)
        view, scene = frame.view, frame.scene
        self._style = StyleForm(view.appearance, view.colour_scale, has_tokens=scene.has_tokens)
        self._folder = ""
        self._movable = sliders_of(frame.scene)
        self._figure, self._slider, self._format = ChoiceBox(), ChoiceBox(), ChoiceBox()
        self._start, self._stop_at = _EndBox(), _EndBox()
        self._n_frames, self._fps = CountBox(LEAST_FRAMES, MOST_FRAMES), CountBox(1, MOST_FPS)
        self._back, self._loop = QCheckBox("There and &back"), QCheckBox("Repeat for e&ver")
        self._dpi = CountBox(MIN_DPI, _MOST_DPI)
        self._duration = sentence("motionDuration")
        self._preview = MotionPreview()
        self._fill()
        self._name()
        self._lay_out()
        self._show(self._preferences.settings.motion, self._preferences.settings.export)
        self._connect()
        self._figure.setFocus()

    # --- what it is made of

    def _fill(self) -> None:
        for name, title in figures.FIGURES.items():
            _offer(self._figure, title, name, figures.why_not(name, self._frame.result))
        for kind, title in MOVIES.items():
            _offer(self._format, f"{title} ({SUFFIXES[kind]})", kind, why_no_movie(kind))
        self._slider.addItems([movable.title for movable in self._movable])

    def _name(self) -> None:
        self.setObjectName("motionDialog")
        self.setWindowTitle("Export animation")
        for box, name, subject, tip in (
            (self._start, "motionStart", "The first value", "Where the slider is at first"),
            (self._stop_at, "motionStop", "The last value", "Where the slider is at last"),
            (self._n_frames, "motionFrames", "The number of frames",
             "How many values, the ends among them"),
            (self._fps, "motionFps", "Frames per second",
             f"How many frames a second: 1 to {MOST_FPS}"),
            (self._dpi, "motionDpi", "Resolution in dots per inch",
             "Pixels per inch of the page"),
        ):  # fmt: skip
            box.setObjectName(name)
            box.describe(subject, tip)
        for widget, name, spoken, tip in (
            (self._figure, "motionFigure", "Figure",
             "What is drawn in every frame; figures of one head show the cursor's"),
            (self._slider, "motionSlider", "What moves", "What goes from one value to another"),
            (self._back, "motionBack", "There and back",
             "Go back to the first value too, so that a repetition has no leap"),
            (self._loop, "motionLoop", "Repeat for ever",
             "Have viewers begin again at the end; for an MP4 the player decides"),
            (self._format, "motionFormat", "Format", _NO_CLEAR_GROUND),
        ):  # fmt: skip
            named(widget, name, spoken, tip)

    def _lay_out(self) -> None:
        form_holder = QWidget()
        form = form_of(form_holder)
        form.addRow(label_of(self._figure, "F&igure"), self._figure)
        form.addRow(label_of(self._slider, "&Moves"), self._slider)
        ends = _line(self._start, label_of(self._stop_at, "&to"), self._stop_at)
        form.addRow(label_of(self._start, "F&rom"), ends)
        times = _line(self._n_frames, label_of(self._fps, "per secon&d"), self._fps)
        form.addRow(label_of(self._n_frames, "Fr&ames"), times)
        form.addRow(self._back)
        form.addRow(self._loop)
        form.addRow(label_of(self._dpi, "Resolutio&n"), _line(self._dpi, QLabel("dpi")))
        form.addRow(label_of(self._format, "F&ormat"), self._format)
        form.addRow(self._duration)
        side = Sides({"Film": form_holder, "Style": self._style})
        self.inputs = [side, self._preview]
        across = QHBoxLayout()
        across.setSpacing(16)
        across.addWidget(side)
        across.addWidget(self._preview, 1)
        rows = QVBoxLayout(self)
        rows.addLayout(across, 1)
        rows.addWidget(self.bottom)
        self.bottom.export.setText("&Export…")
        self.bottom.export.setDefault(True)  # once it is in the dialog: before it means nothing
        self.resize(self.minimumSizeHint() + _ROOM)

    def _connect(self) -> None:
        self._slider.currentIndexChanged.connect(self._show_ends)
        self._style.changed.connect(self._show_film)
        for box in (self._figure, self._format):
            box.currentIndexChanged.connect(self._show_film)
        for number in (self._start, self._stop_at, self._n_frames, self._fps, self._dpi):
            number.valueChanged.connect(self._show_film)
            number.refused.connect(self.bottom.refuse)
        for check in (self._back, self._loop):
            check.toggled.connect(self._show_film)
        self._preview.failed.connect(self.bottom.say)
        once = Qt.ConnectionType.SingleShotConnection
        self._preview.drawn.connect(self._style.offer_fonts, once)
        self.bottom.export.clicked.connect(self._export)
        self.bottom.reset.clicked.connect(self._reset)
        QTimer.singleShot(0, self, self._show_film)  # once there is a size to draw it in

    # --- what is chosen

    def choices(self) -> MotionChoices:
        """Return what is chosen, to be remembered."""
        return MotionChoices(
            figure=self._figure.currentData(),
            kind=self._format.currentData(),
            preset=self._figure_style().preset,
            dpi=self._dpi.value(),
            n_frames=self._n_frames.value(),
            fps=self._fps.value(),
            there_and_back=self._back.isChecked(),
            loop=self._loop.isChecked(),
            folder=self._folder,
        )

    def _figure_style(self) -> FigureStyle:
        """Return the style of the film."""
        return self._style.taken_into(self._preferences.settings.export).style

    def _show(self, choices: MotionChoices, look: ExportChoices) -> None:
        _choose(self._figure, choices.figure)
        _choose(self._format, choices.kind)
        for box, value in (
            (self._n_frames, choices.n_frames),
            (self._fps, choices.fps),
            (self._dpi, choices.dpi),
        ):  # which may come from any file
            box.show_value(min(max(value, box.minimum()), box.maximum()))
        style = msgspec.structs.replace(look.style, preset=choices.preset)
        self._style.show_choices(msgspec.structs.replace(look, style=style))
        self._back.setChecked(choices.there_and_back)
        self._loop.setChecked(choices.loop)
        self._folder = choices.folder
        sliders, head = [movable.slider for movable in self._movable], self._head()
        gain = next(s for s in sliders if (s.quantity, s.head) == (Quantity.GAIN, head))
        self._slider.setCurrentIndex(sliders.index(gain))
        self._show_ends()

    def _reset(self) -> None:
        self._show(MotionChoices(), ExportChoices())
        self.bottom.say("All choices are as at the first start.")

    def _head(self) -> int:
        """Return the place of the cursor's head, from 0."""
        return self._frame.scene.index_of(self._frame.view.cursor.head)

    def _sweep(self) -> Sweep:
        """Return the sweep; raises UserError where the scene does not take an end of it."""
        slider = self._movable[self._slider.currentIndex()].slider
        sweep = Sweep(slider, self._start.value(), self._stop_at.value(), self._n_frames.value())
        sweep.check(self._frame.scene)
        return sweep

    def _subject(self, style: FigureStyle) -> Subject:
        view = self._frame.view
        return Subject(
            self._frame.scene,
            self._frame.result,
            style,
            row=view.cursor.query,
            head=self._head(),
            sizes=view.what_if,
        )

    def _order(self) -> list[int]:
        loop, back = self._loop.isChecked(), self._back.isChecked()
        kind = self._format.currentData()
        return playing_order(self._n_frames.value(), kind, loop=loop, there_and_back=back)

    def _show_ends(self) -> None:
        movable = self._movable[self._slider.currentIndex()]
        is_whole = movable.slider.is_whole(self._frame.scene)
        for box, value in ((self._start, movable.low), (self._stop_at, movable.high)):
            box.show_end(value, is_whole=is_whole)
        self._show_film()

    def _show_film(self) -> None:
        """Show what would be written, or say why nothing would."""
        if not self.isVisible():
            return
        self.bottom.say("")
        try:
            style = self._figure_style()
            style = self._preview.style_of(style, style.preset.room.width)
            film = Film(self._subject(style), self._figure.currentData(), self._sweep())
        except UserError as error:
            self._preview.show_nothing()
            self.bottom.say(str(error))
            self.bottom.allow(False)
            self._duration.clear()
            return
        self.bottom.allow(True)
        self._loop.setEnabled(self._format.currentData() != "mp4")
        self._duration.setText(self._duration_in_words())
        self._preview.show_film(film, self._order(), self._fps.value())

    def _duration_in_words(self) -> str:
        n_shown, fps = len(self._order()), self._fps.value()
        width = int(self._figure_style().preset.room.width * self._dpi.value())
        width += width % 2 if self._format.currentData() == "mp4" else 0  # as H.264 has it
        return f"{n_shown} frames in {n_shown / fps:.3g} s, {width} pixels wide"

    # --- writing

    def _export(self) -> None:
        choices = self.choices()
        path = self._ask_for_path(choices.kind)
        if path is None:
            return
        self._folder = str(path.parent)
        style = msgspec.structs.replace(self._figure_style(), dpi=choices.dpi)
        try:
            steps = animate(
                self._subject(style),
                choices.figure,
                self._sweep(),
                choices.kind,
                choices.fps,
                loop=choices.loop,
                there_and_back=choices.there_and_back,
            )
        except UserError as error:
            self.bottom.say(str(error))
            return
        self._preview.pause()
        self.make(steps, partial(_write, path))

    def _ask_for_path(self, kind: str) -> Path | None:
        """Ask for the file; where it is there the system's dialog asks whether to replace it."""
        movable = self._movable[self._slider.currentIndex()]
        dialog = QFileDialog(self, "Export animation", self._folder or _pictures())
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilters([f"{MOVIES[kind]} (*{SUFFIXES[kind]})"])
        dialog.setDefaultSuffix(SUFFIXES[kind].lstrip("."))
        dialog.selectFile(f"{self._figure.currentData()}-{movable.name}{SUFFIXES[kind]}")
        is_chosen = bool(dialog.exec())
        chosen = dialog.selectedFiles()
        dialog.deleteLater()
        if not is_chosen:
            return None
        path = Path(chosen[0])
        if path.suffix.lower() != SUFFIXES[kind]:
            wanted = f"{MOVIES[kind]} files end in {SUFFIXES[kind]}"
            self.bottom.say(f"{path.name} is not written: {wanted}.")
            return None
        return path

    def done(self, result: int) -> None:
        """Leave, remember what is chosen, and leave unwritten what is being made."""
        self._preview.stop()
        before = self._preferences.settings.export
        after = self._style.taken_into(before)
        style = msgspec.structs.replace(after.style, preset=before.style.preset)
        export = msgspec.structs.replace(after, style=style)
        self._preferences.change(motion=self.choices(), export=export)
        super().done(result)


class _EndBox(NumberBox):
    """An end of a sweep: any number; what the slider takes of them its edit says."""

    _is_whole = False  # before there is an object: Qt writes the number while it makes the box

    def __init__(self) -> None:
        super().__init__(-_LARGEST, _LARGEST, _STEP)

    def show_end(self, value: float, *, is_whole: bool) -> None:
        """Show ``value`` silently, as a slider of whole numbers or of any has it."""
        self._is_whole = is_whole
        self.setSingleStep(1 if is_whole else _STEP)
        self.show_value(value)
        self.lineEdit().setText(self._held_text())  # one value may be written either way

    def _held_text(self) -> str:
        return self.textFromValue(self.value())

    def textFromValue(self, value: float) -> str:
        """Write whole numbers whole where the slider has no others."""
        return f"{value:.0f}" if self._is_whole and value.is_integer() else box_text(value)


def _offer(box: ChoiceBox, title: str, name: str, reason: str | None) -> None:
    """Offer ``name``, or show it greyed with the ``reason`` why it cannot be had."""
    box.addItem(title, name)
    if reason is not None:
        model = box.model()
        assert isinstance(model, QStandardItemModel)
        model.item(box.count() - 1).setEnabled(False)
        box.setItemData(box.count() - 1, plain(reason), Qt.ItemDataRole.ToolTipRole)


def _choose(box: ChoiceBox, name: str) -> None:
    """Choose ``name``, or the first where it is not there or cannot be had."""
    row = max(box.findData(name), 0)
    is_there = box.model().flags(box.model().index(row, 0)) & Qt.ItemFlag.ItemIsEnabled
    box.setCurrentIndex(row if is_there else 0)


def _line(*widgets: QWidget) -> QHBoxLayout:
    line = QHBoxLayout()
    for widget in widgets:
        line.addWidget(widget)
    line.addStretch(1)
    return line


def _write(path: Path, data: bytes) -> tuple[str, Path]:
    write_atomically(path, data)
    return f"{len(data) / 1e6:.2g} MB written to {path}", path.parent


def _pictures() -> str:
    folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.PicturesLocation)
    return folder if Path(folder).is_dir() else str(Path.home())
