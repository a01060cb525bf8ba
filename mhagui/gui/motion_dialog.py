"""The dialog that writes a figure in motion, while a slider goes from one value to another."""

from collections.abc import Generator
from functools import partial
from pathlib import Path

import msgspec
from PySide6.QtCore import QSize, QStandardPaths, Qt, QTimer
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLayout,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from mhagui import figures
from mhagui.errors import UserError
from mhagui.figures.motion import (
    LEAST_FRAMES,
    MOST_FPS,
    MOST_FRAMES,
    MOVIES,
    SUFFIXES,
    Film,
    Progress,
    Quantity,
    Sweep,
    animate,
    playing_order,
    sliders_of,
    why_no_movie,
)
from mhagui.figures.style import MIN_DPI, FigureStyle, Preset
from mhagui.figures.subject import Subject
from mhagui.files import write_atomically
from mhagui.gui.bench import Frame
from mhagui.gui.motion_preview import MotionPreview
from mhagui.gui.widgets.choice_box import ChoiceBox
from mhagui.gui.widgets.naming import named
from mhagui.gui.widgets.number_box import CountBox, NumberBox, box_text
from mhagui.gui.widgets.page import label_of, sentence
from mhagui.gui.widgets.words import plain
from mhagui.gui.worker import Worker
from mhagui.settings import ExportChoices

_FRAMES, _FPS, _DPI = 24, 12, 150  # what one begins with
_MOST_DPI = 600
_LARGEST = 1e6  # that can be typed for an end; what a slider takes is said by its edit
_STEP = 0.05
_LOOK_EVERY = 50  # milliseconds
_ROOM = QSize(240, 100)  # for a preview in which text can be read
_NO_CLEAR_GROUND = "Where a figure is transparent a GIF and an MP4 are white"


class MotionDialog(QDialog):
    """Asks which figure, what moves in it and how, shows it, and writes the film.

    ``choices`` are those of the export dialog: figures look the same.
    """

    def __init__(
        self,
        frame: Frame,
        choices: ExportChoices = ExportChoices(),  # noqa: B008 - it is frozen
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._frame, self._style = frame, choices.style
        if choices.as_in_window:
            self._style = self._style.in_colours_of(frame.view.appearance, frame.view.colour_scale)
        self._movable = sliders_of(frame.scene)
        self._figure, self._slider, self._format = ChoiceBox(), ChoiceBox(), ChoiceBox()
        self._start, self._stop = _EndBox(), _EndBox()
        self._n_frames, self._fps = CountBox(LEAST_FRAMES, MOST_FRAMES), CountBox(1, MOST_FPS)
        self._back, self._loop = QCheckBox("There and &back"), QCheckBox("Repeat for e&ver")
        self._page, self._dpi = ChoiceBox(), CountBox(MIN_DPI, _MOST_DPI)
        self._inputs, self._duration = QWidget(), sentence("motionDuration")
        self._message, self._bar = sentence("motionMessage"), QProgressBar()
        self._write, self._leave = QPushButton("&Export…"), QPushButton("Close")
        self._worker = Worker(self)
        self._preview = MotionPreview(self._worker)
        self._making: _Making | None = None
        self._is_possible = True
        self._had_focus: QWidget | None = None
        self._look = QTimer(self)
        self._fill()
        self._name()
        self._lay_out()
        self._connect()
        self._show_ends()

    # --- what it is made of

    def _fill(self) -> None:
        for name, title in figures.FIGURES.items():
            _offer(self._figure, title, name, figures.why_not(name, self._frame.result))
        for movable in self._movable:
            self._slider.addItem(movable.title)
        sliders, head = [movable.slider for movable in self._movable], self._head()
        gain = next(s for s in sliders if (s.quantity, s.head) == (Quantity.GAIN, head))
        self._slider.setCurrentIndex(sliders.index(gain))
        for kind, title in MOVIES.items():
            _offer(self._format, f"{title} ({SUFFIXES[kind]})", kind, why_no_movie(kind))
        for box, value in ((self._n_frames, _FRAMES), (self._fps, _FPS), (self._dpi, _DPI)):
            box.show_value(value)
        for preset in Preset:
            self._page.addItem(str(preset), preset.value)
        self._page.setCurrentIndex(self._page.findData(self._style.preset.value))
        self._loop.setChecked(True)

    def _name(self) -> None:
        self.setObjectName("motionDialog")
        self.setWindowTitle("Export animation")
        self._start.setObjectName("motionStart")
        self._start.describe("The first value", "Where the slider is in the first frame")
        self._stop.setObjectName("motionStop")
        self._stop.describe("The last value", "Where the slider is in the last frame")
        self._n_frames.setObjectName("motionFrames")
        self._n_frames.describe("The number of frames", "How many values, the ends among them")
        self._fps.setObjectName("motionFps")
        self._fps.describe("Frames per second", f"How many frames a second: 1 to {MOST_FPS}")
        self._dpi.setObjectName("motionDpi")
        self._dpi.describe("Resolution in dots per inch", "Pixels per inch of the page")
        for widget, name, spoken, tip in (
            (self._figure, "motionFigure", "Figure",
             "What is drawn in every frame; figures of one head show the cursor's"),
            (self._slider, "motionSlider", "What moves", "What goes from one value to another"),
            (self._back, "motionBack", "There and back",
             "Go back to the first value too, so that a repetition has no leap"),
            (self._loop, "motionLoop", "Repeat for ever",
             "Have viewers begin again at the end; for an MP4 the player decides"),
            (self._format, "motionFormat", "Format", _NO_CLEAR_GROUND),
            (self._page, "motionPage", "Page", "How wide the figure is, and how large its type"),
            (self._bar, "motionProgress", "Progress", ""),
            (self._write, "motionExport", "Export", "Choose a file, and write the film to it"),
        ):  # fmt: skip
            named(widget, name, spoken, tip)
        self._leave.setObjectName("motionLeave")
        self._show_leaving()

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setContentsMargins(0, 0, 0, 0)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.addRow(label_of(self._figure, "F&igure"), self._figure)
        form.addRow(label_of(self._slider, "&Moves"), self._slider)
        ends = _line(self._start, label_of(self._stop, "&to"), self._stop)
        form.addRow(label_of(self._start, "F&rom"), ends)
        times = _line(self._n_frames, label_of(self._fps, "per &second"), self._fps)
        form.addRow(label_of(self._n_frames, "Fr&ames"), times)
        form.addRow("", self._back)
        form.addRow("", self._loop)
        form.addRow(label_of(self._page, "&Page"), self._page)
        form.addRow(label_of(self._dpi, "&Dots per inch"), _line(self._dpi))
        form.addRow(label_of(self._format, "F&ormat"), self._format)
        form.addRow("", self._duration)
        self._inputs.setLayout(form)
        left = QVBoxLayout()
        left.addWidget(self._inputs)
        left.addStretch(1)
        left.addWidget(self._message)
        em = self.fontMetrics().lineSpacing()
        self._message.setMinimumHeight(3 * em)
        self._message.setAlignment(Qt.AlignmentFlag.AlignBottom)
        across = QHBoxLayout()
        across.setSpacing(16)
        across.addLayout(left)
        across.addWidget(self._preview, 1)
        rows = QVBoxLayout(self)
        rows.addLayout(across, 1)
        rows.addLayout(self._last_line())
        self.resize(self.minimumSizeHint() + _ROOM)

    def _last_line(self) -> QLayout:
        policy = self._bar.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # so that nothing moves
        self._bar.setSizePolicy(policy)
        self._bar.hide()
        buttons = QDialogButtonBox()
        buttons.addButton(self._write, QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.addButton(self._leave, QDialogButtonBox.ButtonRole.RejectRole)
        self._leave.setAutoDefault(False)
        self._write.setDefault(True)
        self._write.clicked.connect(self._export)
        buttons.rejected.connect(self.reject)
        line = QHBoxLayout()
        line.addWidget(self._bar, 1)
        line.addWidget(buttons)
        return line

    def _connect(self) -> None:
        self._slider.currentIndexChanged.connect(self._show_ends)
        for box in (self._figure, self._page, self._format):
            box.currentIndexChanged.connect(self._show_film)
        for number in (self._start, self._stop, self._n_frames, self._fps, self._dpi):
            number.valueChanged.connect(self._show_film)
            number.refused.connect(self._on_refused)
        for check in (self._back, self._loop):
            check.toggled.connect(self._show_film)
        self._preview.failed.connect(self._message.setText)
        self._look.setInterval(_LOOK_EVERY)
        self._look.timeout.connect(self._show_progress)
        QTimer.singleShot(0, self, self._show_film)  # once there is a size to draw it in

    # --- what is asked for

    def _head(self) -> int:
        """Return the place of the cursor's head, from 0."""
        return self._frame.scene.index_of(self._frame.view.cursor.head)

    def _preset(self) -> Preset:
        return Preset(self._page.currentData())

    def _sweep(self) -> Sweep:
        """Return the sweep; raises UserError where the scene does not take an end of it."""
        slider = self._movable[self._slider.currentIndex()].slider
        sweep = Sweep(slider, self._start.value(), self._stop.value(), self._n_frames.value())
        sweep.check(self._frame.scene)
        return sweep

    def _subject(self, style: FigureStyle) -> Subject:
        view = self._frame.view
        style = msgspec.structs.replace(style, preset=self._preset())
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
        for box, value in ((self._start, movable.low), (self._stop, movable.high)):
            box.show_end(value, is_whole=is_whole)
        self._show_film()

    def _show_film(self) -> None:
        """Show what would be written, or say why nothing would."""
        if not self.isVisible():
            return
        self._message.clear()
        try:
            style = self._preview.style_of(self._style, self._preset().room.width)
            subject = self._subject(style)
            film = Film(subject, self._figure.currentData(), self._sweep())
        except UserError as error:
            self._preview.show_nothing()
            self._message.setText(str(error))
            self._duration.clear()
            self._allow(False)
            return
        self._allow(True)
        self._duration.setText(self._duration_in_words())
        self._preview.show_film(film, self._order(), self._fps.value())

    def _duration_in_words(self) -> str:
        n_shown, fps = len(self._order()), self._fps.value()
        width = int(self._preset().room.width * self._dpi.value())  # whole pixels alone
        return f"{n_shown} frames in {n_shown / fps:.3g} s, {width} pixels wide"

    def _on_refused(self, words: str) -> None:
        """Say why; the key that ended the typing must not export what is there."""
        self._message.setText(words)
        self._write.setEnabled(False)
        QTimer.singleShot(0, self, self._allow_again)

    def _allow(self, is_possible: bool) -> None:
        self._is_possible = is_possible
        self._allow_again()

    def _allow_again(self) -> None:
        self._write.setEnabled(self._is_possible and self._making is None)

    # --- writing

    def _export(self) -> None:
        kind = self._format.currentData()
        path = self._ask_for_path(kind)
        if path is None:
            return
        style = msgspec.structs.replace(self._style, dpi=self._dpi.value())
        try:
            steps = animate(
                self._subject(style),
                self._figure.currentData(),
                self._sweep(),
                kind,
                self._fps.value(),
                loop=self._loop.isChecked(),
                there_and_back=self._back.isChecked(),
            )
        except UserError as error:
            self._message.setText(str(error))
            return
        self._preview.stop()
        self._making = _Making(steps)
        self._set_busy(True)
        self._worker.run(self._making, partial(self._on_made, path), self._on_failed)

    def _ask_for_path(self, kind: str) -> Path | None:
        """Ask for the file; where it is there the system's dialog asks whether to replace it."""
        movable = self._movable[self._slider.currentIndex()]
        dialog = QFileDialog(self, "Export animation", str(_start_folder()))
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
            self._message.setText(f"{path.name} is not written: {wanted}.")
            return None
        return path

    def _show_progress(self) -> None:
        progress = self._making and self._making.progress
        if progress:
            self._bar.setMaximum(progress.total)
            self._bar.setValue(progress.done)
            self._message.setText(progress.text)

    def _on_made(self, path: Path, data: bytes) -> None:
        self._set_busy(False)
        try:
            write_atomically(path, data)
        except UserError as error:
            self._message.setText(str(error))
        else:
            self._message.setText(f"{len(data) / 1e6:.2g} MB written to {path}")

    def _on_failed(self, error: Exception) -> None:
        self._set_busy(False)
        is_told = isinstance(error, UserError)
        self._message.setText(str(error) if is_told else "It cannot be drawn; nothing is written.")

    def _set_busy(self, busy: bool) -> None:
        if busy:
            self._had_focus = self.focusWidget()
            self._bar.reset()
            self._look.start()
        else:
            self._making = None
            self._look.stop()
        for part in (self._inputs, self._preview):
            part.setEnabled(not busy)
        self._allow_again()
        self._bar.setVisible(busy)
        self._show_leaving()
        if busy:
            self._leave.setFocus()
        elif self._had_focus is not None:
            self._had_focus.setFocus()

    def _show_leaving(self) -> None:
        is_busy = self._making is not None
        self._leave.setText("Cancel" if is_busy else "Close")
        self._leave.setAccessibleName(self._leave.text())
        self._leave.setToolTip("Stop, and write nothing" if is_busy else "Leave the scene as it is")

    def _stop_making(self) -> None:
        if self._making is not None:
            self._making.is_stopped = True
        self._worker.cancel()

    def reject(self) -> None:
        """Stop what is being made, and stay; else leave."""
        if self._making is None:
            super().reject()
            return
        self._stop_making()
        self._set_busy(False)
        self._message.setText("Cancelled; nothing is written.")

    def done(self, result: int) -> None:
        """Leave, and leave unwritten what is being made."""
        self._stop_making()
        self._preview.stop()
        self._look.stop()
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


class _Making:
    """Makes a film in one thread, while another looks how far it is; no Qt here."""

    def __init__(self, steps: Generator[Progress]) -> None:
        self._steps = steps
        self.progress: Progress | None = None
        self.is_stopped = False  # nothing more is made once somebody sets it

    def __call__(self) -> bytes:
        """Return the file; nothing of it where it was stopped."""
        for progress in self._steps:
            if self.is_stopped:
                break
            self.progress = progress
            if progress.data is not None:
                return progress.data
        self._steps.close()
        return b""


def _offer(box: ChoiceBox, title: str, name: str, reason: str | None) -> None:
    """Offer ``name``, or show it greyed with the ``reason`` why it cannot be had."""
    box.addItem(title, name)
    if reason is not None:
        model = box.model()
        assert isinstance(model, QStandardItemModel)
        model.item(box.count() - 1).setEnabled(False)
        box.setItemData(box.count() - 1, plain(reason), Qt.ItemDataRole.ToolTipRole)


def _line(*widgets: QWidget) -> QHBoxLayout:
    line = QHBoxLayout()
    for widget in widgets:
        line.addWidget(widget)
    line.addStretch(1)
    return line


def _start_folder() -> Path:
    pictures = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.PicturesLocation)
    return Path(pictures) if Path(pictures).is_dir() else Path.home()
