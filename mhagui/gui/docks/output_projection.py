"""The output projection: W_O to edit, and what it makes of the heads' outputs."""

from functools import lru_cache, partial
from typing import ClassVar

import numpy as np
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from mhagui import formats
from mhagui.document import Cursor, Result, Scene
from mhagui.document.edits import SetProjectionBlock
from mhagui.document.filter_bank import identity_of
from mhagui.document.known import Need
from mhagui.document.presets import Preset, SetPreset
from mhagui.document.records import Array
from mhagui.formats import Precision
from mhagui.gui.bench import Bench, Frame
from mhagui.gui.docks.projection_presets import PresetMenu
from mhagui.gui.formulas import Formula
from mhagui.gui.growing import GrowingPanel
from mhagui.gui.pictures import position_labels, token_labels, token_tips, weight_range
from mhagui.gui.widgets.cards import bare_area
from mhagui.gui.widgets.colour_range import round_limit, signed_range
from mhagui.gui.widgets.colour_strip import ColourStrip
from mhagui.gui.widgets.drawing import demi_bold
from mhagui.gui.widgets.editable_model import EditableMatrix, EditableModel
from mhagui.gui.widgets.editable_table import EditableTable
from mhagui.gui.widgets.fitting_label import FittingLabel
from mhagui.gui.widgets.formula_tip import explain, put_above
from mhagui.gui.widgets.naming import named
from mhagui.gui.widgets.scrub import stepped
from mhagui.gui.widgets.snug_matrix_view import SnugMatrixView
from mhagui.palette import head_colour

WIDE = 1.25  # times as wide as high: from here on W_O stands beside what it makes


class OutputProjectionDock(GrowingPanel):
    """W_O as an editable table; beside it Concat, O, who listens to whom, and the residual."""

    needs: ClassVar[tuple[Need, ...]] = ("values",)
    usual_size = QSize(1000, 420)
    shows_latest = True

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench, "outputProjectionDock", "Output projection")
        self._model = EditableModel(self)
        self.table = EditableTable(self._model)
        self._presets = PresetMenu()
        self.concat_view = _view("concatView", "Concat", Formula.CONCAT)
        self.output_view = _view("outputView", "O = Concat·W_O", Formula.OUTPUT)
        self._output_caption = _caption(Formula.OUTPUT, "O = Concat·W_O", "O")
        self.listening_view = _view("listeningView", "Who listens to whom", Formula.LISTENING)
        self._signed_strip, self._listening_strip = ColourStrip(), ColourStrip()
        self.residual = FittingLabel()
        self._name_widgets()
        self._connect()
        self.set_body(self._make_body())

    def _name_widgets(self) -> None:
        self.table.setObjectName("outputProjectionTable")
        self.table.setAccessibleName("Output projection W_O")
        put_above(self.table, Formula.OUTPUT_PROJECTION)
        put_above(self._signed_strip, Formula.OUTPUT)
        put_above(self._listening_strip, Formula.LISTENING)
        self.residual.setObjectName("filterBankResidual")
        explain(self.residual, Formula.RESIDUAL)
        self._signed_strip.setObjectName("signedColours")
        self._listening_strip.setObjectName("listeningColours")

    def _connect(self) -> None:
        self.table.block_written.connect(self._on_block_written)
        self.table.cell_stepped.connect(self._on_cell_stepped)
        self.table.refused.connect(self.bench.refused)
        self._presets.chosen.connect(self._on_preset)
        self.table.add_menu(self._presets.actions_of_menu())
        for view in (self.concat_view, self.output_view):
            view.pointed.connect(self._on_row_pointed)
        self.listening_view.pointed.connect(self._on_head_pointed)

    # --- layout

    def _make_body(self) -> QWidget:
        """Return the parts, which scroll where they must, above the residual, which does not."""
        self._parts = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._parts.setContentsMargins(8, 2, 8, 4)
        self._parts.setSpacing(10)
        self._editor, self._views = self._make_editor(), self._make_views()
        self._parts.addLayout(self._editor, 8)
        self._parts.addLayout(self._views, 15)
        inner, body, area = QWidget(), QWidget(), QScrollArea()
        inner.setLayout(self._parts)
        bare_area(area, inner, resizable=True)
        rows = QVBoxLayout(body)
        rows.setContentsMargins(0, 0, 0, 4)
        rows.setSpacing(0)
        rows.addWidget(area, 1)
        below = QHBoxLayout()
        below.setContentsMargins(8, 0, 8, 0)
        below.addWidget(self.residual)
        rows.addLayout(below)
        return body

    def _make_editor(self) -> QVBoxLayout:
        controls = QHBoxLayout()
        controls.setSpacing(6)
        controls.addWidget(_caption(Formula.OUTPUT_PROJECTION, "W_O"))
        controls.addWidget(self._presets.button)
        controls.addWidget(self._presets.seed)
        column = QVBoxLayout()
        column.setSpacing(4)
        column.addLayout(controls)
        column.addWidget(self.table, 1)
        return column

    def _make_views(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(4)
        grid.addWidget(_caption(Formula.CONCAT, "Concat"), 0, 0)
        grid.addWidget(self._output_caption, 0, 1)
        grid.addWidget(_caption(Formula.LISTENING, "Who listens to whom", "Listening"), 0, 2)
        for column, view in enumerate((self.concat_view, self.output_view, self.listening_view)):
            grid.addWidget(view, 1, column, Qt.AlignmentFlag.AlignTop)
            grid.setColumnStretch(column, 3 if view is self.listening_view else 6)
        signed = QHBoxLayout()
        signed.setSpacing(8)
        signed.addWidget(explain(QLabel("Concat, O"), Formula.OUTPUT))
        signed.addWidget(self._signed_strip, 1)
        grid.addLayout(signed, 2, 0, 1, 2)
        grid.addWidget(self._listening_strip, 2, 2)
        grid.setRowStretch(3, 1)
        return grid

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Stand the parts side by side, or one above the other in a dock that is rather high."""
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        width, height = self.width(), self.height()
        wide = width > WIDE * height and width >= self._width_side_by_side()
        direction = QBoxLayout.Direction
        self._parts.setDirection(direction.LeftToRight if wide else direction.TopToBottom)
        # The captions stand level with the controls beside them.
        self._views.setRowMinimumHeight(0, self._presets.seed.sizeHint().height() if wide else 0)

    def _width_side_by_side(self) -> int:
        margins = self._parts.contentsMargins()
        parts = self._editor.minimumSize().width() + self._views.minimumSize().width()
        return parts + self._parts.spacing() + margins.left() + margins.right()

    # --- drawing

    def keep_up(self, frame: Frame) -> None:
        """Show W_O in the table's model."""
        scene, bands = frame.latest, _bands(frame.latest)
        shown = self._model.matrix
        look = frame.view.appearance
        if scene.w_o is not shown.values or (bands, look) != (shown.row_bands, shown.look):
            rows = formats.head_columns(scene.n_heads, scene.d_v)
            columns = formats.positions(scene.d_model, "d")
            matrix = EditableMatrix(
                "W_O", scene.w_o, rows, columns, bands, per_head=scene.d_v, look=look,
                formula=Formula.OUTPUT_PROJECTION,
            )  # fmt: skip
            self._model.set_matrix(matrix)

    def show_frame(self, frame: Frame, previous: Frame | None) -> None:
        """Draw what differs from ``previous``."""
        if previous is None or frame.scene is not previous.scene:
            self._presets.show_scene(frame.scene)
        if previous is None or frame.result is not previous.result:
            self._show_signed(frame)
            if previous is None or not _hear_alike(frame, previous):
                self._show_listening(frame)
            residual = partial(_residual_texts, frame.result)
            self.residual.set_written(residual, frame.view.appearance.precision)
            self._arrange()  # longer labels and more rows need more room
        self._show_cursor(frame.scene, frame.view.cursor)

    def _show_cursor(self, scene: Scene, cursor: Cursor) -> None:
        place = scene.index_of(cursor.head)
        self.concat_view.set_cursor_cell(cursor.query, None)
        self.output_view.set_cursor_cell(cursor.query, None)
        self.listening_view.set_cursor_cell(None, place)
        self.table.mark_rows(place * scene.d_v, scene.d_v)

    def _show_signed(self, frame: Frame) -> None:
        scene, result = frame.scene, frame.result
        named = "O = Concat·W_O" + " + b_O" * (scene.b_o is not None)
        self._output_caption.set_texts(named, "O")
        self.output_view.setAccessibleName(named)
        limit = round_limit(result.concat, result.output)
        scale = signed_range(limit, "Concat and O", frame.view.appearance)
        rows, bands = position_labels(scene.n_positions), _bands(scene)
        columns = formats.head_columns(scene.n_heads, scene.d_v)
        tokens = scene.tokens, scene.token_scheme
        words = token_labels(*tokens), token_tips(*tokens)
        self.concat_view.show_values(result.concat, scale, rows, columns, bands, words)
        channels = formats.positions(scene.d_model, "d")
        # Bands that cannot be seen keep the rows level with those of Concat.
        unseen = (QColor(Qt.GlobalColor.transparent),) * scene.d_model
        self.output_view.show_values(result.output, scale, rows, channels, unseen, words)
        self._signed_strip.set_scale(scale)

    def _show_listening(self, frame: Frame) -> None:
        values = frame.result.listening
        look = frame.view.appearance
        scale = weight_range(round_limit(values), "norm ‖W_O^(h)[:, j]‖", look)
        rows = formats.positions(frame.scene.d_model, "d")
        columns = formats.positions(frame.scene.n_heads, "h")
        bands = tuple(QColor(head_colour(head.uid)) for head in frame.scene.heads)
        self.listening_view.show_values(values, scale, rows, columns, bands)
        self._listening_strip.set_scale(scale)

    # --- what the user does

    def _on_block_written(
        self, row: int, column: int, values: Array, text: str, gesture: object
    ) -> None:
        done = self.bench.edit(SetProjectionBlock(row, column, values, text), gesture)
        self.catch_up()  # a model that took a value gives it back at once
        if done and values.size > 1:
            self.table.select_block(row, column, values.shape)

    def _on_cell_stepped(self, row: int, column: int, by: float) -> None:
        # From the scene, for the next notch may come before the next frame.
        w_o = self.bench.scene.w_o
        if row >= w_o.shape[0]:
            return  # its head has gone since the last frame
        value = stepped(float(w_o[row, column]), by)
        self.bench.edit(SetProjectionBlock(row, column, np.array([[value]])))

    def _on_preset(self, preset: Preset, seed: int) -> None:
        self.bench.edit(SetPreset(preset, seed))

    def _on_row_pointed(self, row: int, _column: int) -> None:
        self.bench.point(query=row)
        self._show_cursor(self.bench.scene, self.bench.view.cursor)

    def _on_head_pointed(self, _row: int, column: int) -> None:
        heads = self.bench.scene.heads
        if column < len(heads):  # or it has gone since the last frame
            self.bench.point(head=heads[column].uid)
        self._show_cursor(self.bench.scene, self.bench.view.cursor)


def _residual_texts(result: Result, write: Precision) -> tuple[str, ...]:
    residual = write.short(result.filter_bank_residual, 2)
    bound = write.short(result.residual_bound, 2)
    return (
        f"{identity_of(result)} = {residual} (rounding alone can make {bound})",
        f"filter-bank residual = {residual} (rounding alone can make {bound})",
        f"residual = {residual} (rounding: {bound})",
        f"residual = {residual}",
    )


def _view(object_name: str, name: str, formula: Formula) -> SnugMatrixView:
    return explain(named(SnugMatrixView(), object_name, name, ""), formula)


def _hear_alike(frame: Frame, other: Frame) -> bool:
    """Say whether the same channels hear the same heads, in the same colours."""
    uids = [[head.uid for head in of.scene.heads] for of in (frame, other)]
    return frame.result.listening is other.result.listening and uids[0] == uids[1]


def _bands(scene: Scene) -> tuple[QColor, ...]:
    """Return the colour of each row of W_O and column of Concat."""
    return _bands_of(tuple(head.uid for head in scene.heads), scene.d_v)


@lru_cache(maxsize=4)
def _bands_of(uids: tuple[int, ...], d_v: int) -> tuple[QColor, ...]:
    return tuple(QColor(head_colour(uid)) for uid in uids for _ in range(d_v))


def _caption(formula: Formula, *texts: str) -> FittingLabel:
    label = FittingLabel(*texts)
    label.setFont(demi_bold(label.font()))
    return explain(label, formula)
