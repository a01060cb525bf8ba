"""The pipeline: one head from queries and keys to its part of the output, stage by stage."""

from functools import partial
from typing import ClassVar

from PySide6.QtCore import QKeyCombination, QSize, Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QHBoxLayout,
    QLabel,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from mhagui.document import HeadResult
from mhagui.document.known import Need
from mhagui.document.mask_rule import MaskRule
from mhagui.document.pipeline import (
    BIASED,
    GAINED,
    SOFTMAX,
    STAGES,
    Axis,
    StageMatrix,
    StageStudy,
    row_arithmetic,
    stage_of,
    study_stage,
)
from mhagui.document.recall import Recall, Steps
from mhagui.gui.bench import Bench, Frame
from mhagui.gui.docks.pipeline_pictures import stage_pictures, thumbnails
from mhagui.gui.docks.pipeline_words import stage_words
from mhagui.gui.formulas import Formula
from mhagui.gui.growing import GrowingPanel
from mhagui.gui.icons import icon
from mhagui.gui.theme import theme_of
from mhagui.gui.widgets.colour_range import ColourRange
from mhagui.gui.widgets.colour_strip import ColourStrip
from mhagui.gui.widgets.drawing import demi_bold, scaled_font
from mhagui.gui.widgets.fitting_label import FittingLabel
from mhagui.gui.widgets.formula_tip import explain, put_above
from mhagui.gui.widgets.head_box import HeadBox
from mhagui.gui.widgets.matrix_keys import moved
from mhagui.gui.widgets.matrix_picture import Picture
from mhagui.gui.widgets.matrix_row import MatrixRow, Term
from mhagui.gui.widgets.naming import named
from mhagui.gui.widgets.step_list import StepList
from mhagui.gui.widgets.turning_scroll import TurningScroll

PLAY_MILLISECONDS = 1500
LEAST_WIDE = 440  # pixels, from which on the stages can stand beside the matrices
MOST_NUMBERED = 64  # positions, beyond which no cell has room for its number
NAME_LENGTH = 15  # wide letters, the room for most heads' names
ROW_TIP = (
    "The matrices of this stage, with the cursor's query t and key i marked.\n"
    "Left and Right, or Page Up and Page Down, go to the stage before and after; Home and End to\n"
    "the first and last; Space plays. Shift with the arrows moves the cursor's cell; Enter or a\n"
    "click shows its arithmetic."
)
STAGE_FORMULAS = (
    Formula.QUERIES_AND_KEYS,
    Formula.PRODUCT,
    Formula.SCORES,
    Formula.GAINED_SCORES,
    Formula.MASK,
    Formula.SOFTMAX,
    Formula.HEAD_OUTPUT,
    Formula.TERM,
)
_MATRIX_FORMULAS = {
    "Q": Formula.QUERIES,
    "K": Formula.KEYS,
    "Kᵀ": Formula.KEYS,
    "Q·Kᵀ": Formula.PRODUCT,
    "S": Formula.SCORES,
    "g·S": Formula.GAINED_SCORES,
    "g·S, masked": Formula.GAINED_SCORES,
    "bias": Formula.ALIBI,
    BIASED: Formula.ALIBI,
    f"{BIASED}, masked": Formula.ALIBI,
    "masked": Formula.MASK,
    "A": Formula.SOFTMAX,
    "V": Formula.VALUES,
    "O_h": Formula.HEAD_OUTPUT,
    "W_O^(h)": Formula.OUTPUT_PROJECTION,
    "O_h·W_O^(h)": Formula.TERM,
}
_STAGE_KEYS = {
    Qt.Key.Key_Left: -1,
    Qt.Key.Key_PageUp: -1,
    Qt.Key.Key_Right: 1,
    Qt.Key.Key_PageDown: 1,
    Qt.Key.Key_Home: -len(STAGES),
    Qt.Key.Key_End: len(STAGES),
}


class PipelineDock(GrowingPanel):
    """One stage of the cursor's head shown large, and all of them as a list to go through."""

    is_complete_undrawn = True
    needs: ClassVar[tuple[Need, ...]] = ("queries",)
    usual_size = QSize(700, 430)

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench, "pipelineDock", "Pipeline")
        self._study: StageStudy | None = None
        self._pictures: Steps = {}
        self.timer = QTimer(self)
        self.timer.setInterval(PLAY_MILLISECONDS)
        self.timer.timeout.connect(self._on_tick)
        self.heads = HeadBox()
        self.steps = StepList([(stage.name, "") for stage in STAGES])
        self.back, self.player, self.forth = (QToolButton() for _ in range(3))
        self.title, self.words = FittingLabel(), FittingLabel()
        self.row = MatrixRow()
        self.strips = ColourStrip(), ColourStrip()
        self._strip_names = QLabel(), QLabel()
        self._name_widgets()
        self._connect()
        parts = self._lay_out()
        body = QWidget()
        body.setLayout(parts)
        self.visibilityChanged.connect(self._on_seen)
        scroll = TurningScroll(body, parts, LEAST_WIDE)
        scroll.turned.connect(self.steps.set_upright)
        self.set_body(scroll)

    def _name_widgets(self) -> None:
        tip = "The head whose stages are shown: the cursor's"
        named(self.heads, "pipelineHead", "Head whose pipeline is shown", tip)
        self.heads.setMinimumContentsLength(NAME_LENGTH)
        for button, name, tip in (
            (self.back, "previous", "Previous stage (Left or Page Up)"),
            (self.player, "play", ""),
            (self.forth, "next", "Next stage (Right or Page Down)"),
        ):
            named(button, f"{name}Stage", tip.partition(" (")[0], tip)
            button.setIcon(icon(name))
            button.setAutoRaise(True)
        self.title.setObjectName("stageTitle")
        self.words.setObjectName("stageWords")
        self.row.setObjectName("stageMatrices")
        self._show_playing()

    def _explain_steps(self, mask: MaskRule) -> None:
        for number, button in enumerate(self.steps.buttons):
            more = f"Stage {number + 1} of {len(STAGES)}: {stage_of(number, mask).meaning}."
            explain(button, STAGE_FORMULAS[number], more)

    def _connect(self) -> None:
        self.heads.head_chosen.connect(self._on_head)
        self.steps.chosen.connect(self._go_to)
        self.back.clicked.connect(self._on_back)
        self.forth.clicked.connect(self._on_forth)
        self.player.clicked.connect(self._on_play)
        self.row.pointed.connect(self._on_pointed)
        self.row.asked.connect(self._on_asked)

    def take_focus(self) -> None:
        """Give the keyboard to the stages."""
        self.row.setFocus()

    # --- layout

    def _lay_out(self) -> QBoxLayout:
        top = QHBoxLayout()
        top.setSpacing(2)
        top.addWidget(self.title, 1)
        for button in (self.back, self.player, self.forth):
            top.addWidget(button)
        side = QVBoxLayout()
        side.setSpacing(2)
        side.addWidget(self.heads)
        side.addWidget(self.steps)
        side.addStretch(1)
        colours = QHBoxLayout()
        colours.setSpacing(6)
        for name, strip in zip(self._strip_names, self.strips, strict=True):
            colours.addSpacing(6 if name is self._strip_names[1] else 0)
            colours.addWidget(name)
            colours.addWidget(strip, 1)
        large = QVBoxLayout()
        large.setSpacing(3)
        large.addLayout(top)
        large.addWidget(self.row, 1)
        large.addWidget(self.words)
        large.addLayout(colours)
        parts = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        parts.setContentsMargins(8, 2, 8, 6)
        parts.setSpacing(8)
        parts.addLayout(side)
        parts.addLayout(large, 1)
        return parts

    def _size_title(self) -> None:
        """Make title and icons as many times as large as the other type of the dock is."""
        growth = self.growth()
        self.title.setFont(demi_bold(scaled_font(self.font(), 1.15 * growth)))
        side = round(16 * growth)
        for button in (self.back, self.player, self.forth):
            button.setIconSize(QSize(side, side))

    # --- drawing

    def show_frame(self, frame: Frame, previous: Frame | None) -> None:
        """Draw what differs from ``previous``."""
        stage, cursor = _stage(frame), frame.view.cursor
        if previous is None:
            self._size_title()
        place = frame.scene.index_of(cursor.head)
        if previous is None or (frame.scene, cursor) != (previous.scene, previous.view.cursor):
            self.heads.show_heads(frame.scene.heads, cursor.head)
        if previous is None or frame.scene.mask != previous.scene.mask:
            self._explain_steps(frame.scene.mask)
        self.steps.set_step(stage)
        self.back.setEnabled(stage > 0)
        self.forth.setEnabled(stage < _last(frame))
        head = frame.result.heads[place]
        recall = Recall(self._pictures)
        self._show_stage(frame, place, stage, recall)
        self._show_thumbnails(frame, head, recall)
        self._pictures = recall.steps
        row = row_arithmetic(frame.result, place, cursor.query)
        words = partial(stage_words, stage, row, cursor.key, head)
        self.words.set_written(words, frame.view.appearance.precision)
        explain(self.title, _formula(stage, head))
        self.row.setAccessibleName(_tip(stage, head))
        self.row.setAccessibleDescription(self.words.accessibleName())

    def forget(self) -> None:
        """Let go of matrices and pictures."""
        self._study, self._pictures = None, {}
        self.row.forget_pictures()

    def _show_stage(self, frame: Frame, place: int, stage: int, recall: Recall) -> None:
        head, cursor = frame.result.heads[place], frame.view.cursor
        self._study = study_stage(frame.scene, frame.result, place, stage, self._study)
        drawn, scales = stage_pictures(self._study.matrices, frame.view.appearance, recall)
        marks = {Axis.QUERY: cursor.query, Axis.KEY: cursor.key}
        self.row.show_terms(
            [
                _term(matrix, picture, marks)
                for matrix, picture in zip(self._study.matrices, drawn, strict=True)
            ]
        )
        self.title.set_texts(*_titles(stage, head, place, frame.scene.n_positions))
        self._show_scales(scales)
        explain(self.row, _formula(stage, head), ROW_TIP)
        for part in (self.words, *self._strip_names, *self.strips):
            put_above(part, _formula(stage, head))

    def _show_scales(self, scales: dict[str, ColourRange]) -> None:
        shown = [*scales.items(), None, None]
        for name, strip, what in zip(self._strip_names, self.strips, shown, strict=False):
            name.setVisible(what is not None)
            strip.setVisible(what is not None)
            if what is not None:
                name.setText(what[0])
                strip.set_scale(what[1])

    def _show_thumbnails(self, frame: Frame, head: HeadResult, recall: Recall) -> None:
        ratio, theme = self.devicePixelRatioF(), theme_of(self.palette())
        side = round(self.steps.picture_size() * ratio)
        look, allowed = frame.view.appearance, frame.result.allowed
        drawn = thumbnails(head, allowed, side, theme, look, recall)
        for image in drawn:
            image.setDevicePixelRatio(ratio)
        self.steps.set_pictures(drawn)

    # --- what the user does

    def _on_head(self, uid: int) -> None:
        self.bench.point(head=uid)

    def _go_to(self, stage: int) -> None:
        self._pause()
        self.bench.look(stage=min(max(stage, 0), _last(self.bench.frame)))

    def _on_back(self) -> None:
        self._go_to(_stage(self.bench.frame) - 1)

    def _on_forth(self) -> None:
        self._go_to(_stage(self.bench.frame) + 1)

    def _on_play(self) -> None:
        if self.timer.isActive():
            self._pause()
            return
        if _stage(self.bench.frame) == _last(self.bench.frame):
            self.bench.look(stage=0)
        self.timer.start()
        self._show_playing()

    def _pause(self) -> None:
        self.timer.stop()
        self._show_playing()

    def _on_tick(self) -> None:
        stage = min(_stage(self.bench.frame) + 1, _last(self.bench.frame))
        self.bench.look(stage=stage)
        if stage == _last(self.bench.frame):
            self._pause()

    def _on_seen(self, seen: bool) -> None:
        if not seen:
            self._pause()

    def _show_playing(self) -> None:
        playing = self.timer.isActive()
        self.player.setIcon(icon("pause" if playing else "play"))
        self.player.setAccessibleName("Pause" if playing else "Play all stages")
        self.player.setToolTip(f"{self.player.accessibleName()} (Space)")

    def _on_pointed(self, number: int, row: int, column: int) -> None:
        if self._study is not None and number < len(self._study.matrices):
            axes = self._study.matrices[number].axes
            at = dict(zip(axes, (row, column), strict=True))
            self.bench.point(query=at.get(Axis.QUERY), key=at.get(Axis.KEY))

    def _on_asked(self, number: int, row: int, column: int) -> None:
        self._on_pointed(number, row, column)
        self.cell_asked.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go from stage to stage, play, move the cursor's cell, or ask about it."""
        key = event.key()
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if modifiers == Qt.KeyboardModifier.ShiftModifier and self._move_cursor(event):
            return
        if modifiers != Qt.KeyboardModifier.NoModifier:
            super().keyPressEvent(event)
        elif key in _STAGE_KEYS:
            self._go_to(_stage(self.bench.frame) + _STAGE_KEYS[Qt.Key(key)])
        elif key == Qt.Key.Key_Space:
            self._on_play()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.cell_asked.emit()
        else:
            super().keyPressEvent(event)

    def _move_cursor(self, event: QKeyEvent) -> bool:
        """Move the cursor as the arrows do in a heatmap; false where the key is none."""
        cursor, n_positions = self.bench.view.cursor, self.bench.scene.n_positions
        target = moved(
            QKeyCombination(Qt.Key(event.key())),
            (cursor.query, cursor.key),
            (n_positions, n_positions),
        )
        if target is not None:
            self.bench.point(query=target[0], key=target[1])
        return target is not None


def _stage(frame: Frame) -> int:
    return min(max(frame.view.stage, 0), _last(frame))


def _last(frame: Frame) -> int:
    """Return the last stage of which anything is known."""
    return len(STAGES) - 1 if frame.scene.has_values else SOFTMAX


def _formula(number: int, head: HeadResult) -> Formula:
    """Return the formula of a stage of a head, in which slope and sink are where it has them."""
    if number == GAINED and head.head.slope:
        return Formula.ALIBI
    has_sink = number == SOFTMAX and head.head.sink is not None
    return Formula.SINK if has_sink else STAGE_FORMULAS[number]


def _tip(number: int, head: HeadResult) -> str:
    stage = stage_of(number, head.mask, head.head)
    return f"Stage {number + 1} of {len(STAGES)}: {stage.formula}: {stage.meaning}"


def _titles(stage: int, head: HeadResult, place: int, n_positions: int) -> tuple[str, ...]:
    """Return the stage's formula with the head and what the stage means, and shorter ones."""
    _, formula, meaning = stage_of(stage, head.mask, head.head)
    if stage == 0 and head.head.w_q is not None:
        formula = "Q = X·W_Q, K = X·W_K"
    short = f"{stage + 1}/{len(STAGES)}  {formula}"
    full = f"{short} — {meaning}"
    named = f"h{place + 1} {head.head.name}  ·  {full}"
    if n_positions <= MOST_NUMBERED:
        return named, full, short
    limit = f" (no numbers above T = {MOST_NUMBERED})"
    return named + limit, full + limit, named, full, short


def _term(matrix: StageMatrix, picture: Picture, marks: dict[Axis, int]) -> Term:
    rows, columns = matrix.axes
    marked = marks.get(rows), marks.get(columns)
    return Term(matrix.sign, matrix.name, _MATRIX_FORMULAS[matrix.name], picture, marked)
