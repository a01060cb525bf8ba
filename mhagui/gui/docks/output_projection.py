"""The output projection: W_O to edit, and what it makes of the heads' outputs."""

from functools import partial

import numpy as np
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QAction, QColor, QGuiApplication, QHelpEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QScrollArea,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from mhagui import core, formats
from mhagui.document import Result, Scene
from mhagui.document.edits import SetProjectionBlock
from mhagui.document.presets import Preset, preset_edit
from mhagui.document.records import Array
from mhagui.document.table_text import write_table
from mhagui.errors import UserError
from mhagui.gui.bench import Bench, Frame
from mhagui.gui.docks.projection_presets import PresetMenu
from mhagui.gui.panel import Panel
from mhagui.gui.pictures import position_labels, signed_table, weight_table
from mhagui.gui.widgets.colour_bar import ColourRange
from mhagui.gui.widgets.colour_strip import ColourStrip
from mhagui.gui.widgets.fitting_label import FittingLabel
from mhagui.gui.widgets.matrix_picture import Picture
from mhagui.gui.widgets.matrix_view import MatrixView
from mhagui.gui.widgets.projection_model import Projection, ProjectionModel, round_limit
from mhagui.gui.widgets.projection_table import ProjectionTable, stepped
from mhagui.gui.widgets.snug_matrix_view import SnugMatrixView
from mhagui.palette import head_colour

W_O_TIP = (
    "W_O, the output projection: row h.k is feature k of head h, column d_j output channel j. "
    "The rows of head h are its synthesis block W_O^(h)"
)
CONCAT_TIP = "Concat = [O_1 .. O_H]: the heads' outputs A_h·X·W_V^h side by side, 0 where ablated"
OUTPUT_TIP = "O = Concat·W_O, the layer's output: rows are positions t, columns output channels"
LISTENING_TIP = (
    "Who listens to whom: ‖W_O^(h)[:, j]‖, the norm of column j of head h's block of W_O: "
    "how much output channel d_j takes from head h"
)
RESIDUAL_TIP = (
    "The filter-bank identity: Concat·W_O is the sum of what each head adds, A_h·X·W_V^h·W_O^(h). "
    "Computed both ways; the largest difference can only be rounding"
)
WIDE = 1.25  # times as wide as high: from here on W_O stands beside what it makes
IDENTITY = "max |Concat·W_O − Σ_h A_h X W_V^h W_O^(h)|"


class OutputProjectionDock(Panel):
    """W_O as an editable table; beside it Concat, O, who listens to whom, and the residual."""

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench, "outputProjectionDock", "Output projection")
        self._model = ProjectionModel(self)
        self.table = ProjectionTable(self._model)
        self._presets = PresetMenu()
        self.concat_view = self._make_view("concatView", "Concat", CONCAT_TIP)
        self.output_view = self._make_view("outputView", "O = Concat·W_O", OUTPUT_TIP)
        self.listening_view = self._make_view("listeningView", "Who listens to whom", LISTENING_TIP)
        self._signed_strip, self._listening_strip = ColourStrip(), ColourStrip()
        self.residual = FittingLabel()
        self._name_widgets()
        self._connect()
        self.set_body(self._make_body())

    def _make_view(self, object_name: str, name: str, tip: str) -> MatrixView:
        view = SnugMatrixView()
        view.setObjectName(object_name)
        view.setAccessibleName(name)
        view.setToolTip(tip)
        view.installEventFilter(self)
        copy = QAction("&Copy values", view)
        copy.setShortcuts(QKeySequence.StandardKey.Copy)
        copy.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        copy.triggered.connect(partial(_copy, view))
        view.addAction(copy)
        view.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        return view

    def _name_widgets(self) -> None:
        self.table.setObjectName("outputProjectionTable")
        self.table.setAccessibleName("Output projection W_O")
        self.residual.setObjectName("filterBankResidual")
        self.residual.setToolTip(RESIDUAL_TIP)
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

    def _make_body(self) -> QScrollArea:
        self._parts = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._parts.setContentsMargins(8, 2, 8, 4)
        self._parts.setSpacing(10)
        self._parts.addLayout(self._make_editor(), 8)
        self._parts.addLayout(self._make_views(), 15)
        body = QWidget()
        body.setLayout(self._parts)
        area = QScrollArea()
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setWidget(body)
        return area

    def _make_editor(self) -> QVBoxLayout:
        controls = QHBoxLayout()
        controls.setSpacing(6)
        controls.addWidget(_caption(W_O_TIP, "W_O"))
        controls.addWidget(self._presets.button)
        controls.addWidget(self._presets.seed)
        column = QVBoxLayout()
        column.setSpacing(4)
        column.addLayout(controls)
        column.addWidget(self.table, 1)
        return column

    def _make_views(self) -> QGridLayout:
        grid = self._views = QGridLayout()
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(4)
        grid.addWidget(_caption(CONCAT_TIP, "Concat"), 0, 0)
        grid.addWidget(_caption(OUTPUT_TIP, "O = Concat·W_O", "O"), 0, 1)
        grid.addWidget(_caption(LISTENING_TIP, "Who listens to whom", "Listening"), 0, 2)
        for column, view in enumerate((self.concat_view, self.output_view, self.listening_view)):
            grid.addWidget(view, 1, column, Qt.AlignmentFlag.AlignTop)
            grid.setColumnStretch(column, 3 if view is self.listening_view else 6)
        grid.addWidget(self._signed_strip, 2, 0, 1, 2)
        grid.addWidget(self._listening_strip, 2, 2)
        grid.addWidget(self.residual, 3, 0, 1, 3)
        grid.setRowStretch(4, 1)
        return grid

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Stand the parts side by side, or one above the other in a dock that is rather high."""
        super().resizeEvent(event)
        wide = event.size().width() > WIDE * event.size().height()
        direction = QBoxLayout.Direction
        self._parts.setDirection(direction.LeftToRight if wide else direction.TopToBottom)
        # The captions stand level with the controls beside them.
        self._views.setRowMinimumHeight(0, self._presets.seed.sizeHint().height() if wide else 0)

    # --- drawing

    def keep_up(self, frame: Frame) -> None:
        """Show W_O in the table's model."""
        scene, bands = frame.scene, _bands(frame.scene)
        shown = self._model.projection
        if scene.w_o is not shown.values or bands != shown.row_bands:
            rows = formats.head_columns(scene.n_heads, scene.d_v)
            columns = formats.positions(scene.d_model, "d")
            self._model.set_projection(Projection(scene.w_o, rows, columns, bands, scene.d_v))

    def show_frame(self, frame: Frame, previous: Frame | None) -> None:
        """Draw what differs from ``previous``."""
        if previous is None or frame.scene is not previous.scene:
            self._presets.show_scene(frame.scene)
        if previous is None or frame.result is not previous.result:
            self._show_signed(frame)
            self._show_listening(frame)
            self._show_residual(frame.result)
        cursor = frame.view.cursor
        self.concat_view.set_cursor_cell(cursor.query, None)
        self.output_view.set_cursor_cell(cursor.query, None)
        self.listening_view.set_cursor_cell(None, frame.scene.index_of(cursor.head))

    def _show_signed(self, frame: Frame) -> None:
        scene, result = frame.scene, frame.result
        limit = round_limit(result.concat, result.output)
        scale = ColourRange(-limit, limit, "Concat and O", signed_table())
        rows, bands = position_labels(scene.n_positions), _bands(scene)
        columns = formats.head_columns(scene.n_heads, scene.d_v)
        _show(self.concat_view, result.concat, scale, rows, columns, bands)
        _show(self.output_view, result.output, scale, rows, formats.positions(scene.d_model, "d"))
        self._signed_strip.set_scale(scale)

    def _show_listening(self, frame: Frame) -> None:
        values = frame.result.listening
        scale = ColourRange(0.0, round_limit(values), "norm ‖W_O^(h)[:, j]‖", weight_table())
        rows = formats.positions(frame.scene.d_model, "d")
        columns = formats.positions(frame.scene.n_heads, "h")
        bands = tuple(QColor(head_colour(head.uid)) for head in frame.scene.heads)
        _show(self.listening_view, values, scale, rows, columns, bands)
        self._listening_strip.set_scale(scale)

    def _show_residual(self, result: Result) -> None:
        residual = formats.short(result.filter_bank_residual, 2)
        bound = formats.short(result.residual_bound, 2)
        self.residual.set_texts(
            f"{IDENTITY} = {residual}\n(rounding alone can make {bound})",
            f"filter-bank residual = {residual}\n(rounding alone can make {bound})",
            f"residual = {residual}\n(rounding: {bound})",
        )

    # --- what the user does

    def _on_block_written(
        self, row: int, column: int, values: Array, text: str, gesture: object
    ) -> None:
        self.bench.edit(SetProjectionBlock(row, column, values, text), gesture)

    def _on_cell_stepped(self, row: int, column: int, by: float) -> None:
        # From the scene, for the next notch may come before the next frame.
        value = stepped(float(self.bench.scene.w_o[row, column]), by)
        self.bench.edit(SetProjectionBlock(row, column, np.array([[value]])))

    def _on_preset(self, preset: Preset, seed: int) -> None:
        try:
            self.bench.edit(preset_edit(preset, self.bench.scene, seed))
        except UserError as error:
            self.bench.refused.emit(str(error))

    def _on_row_pointed(self, row: int, _column: int) -> None:
        self.bench.point(query=row)

    def _on_head_pointed(self, _row: int, column: int) -> None:
        self.bench.point(head=self.bench.scene.heads[column].uid)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Say in a tooltip the number under the pointer."""
        if isinstance(event, QHelpEvent) and isinstance(watched, MatrixView):
            cell = watched.cell_at(event.pos().toPointF())
            if cell is not None and watched.picture is not None:
                QToolTip.showText(event.globalPos(), _read_out(watched, *cell), watched)
                return True
        return super().eventFilter(watched, event)


def _show(
    view: MatrixView,
    values: Array,
    scale: ColourRange,
    rows: tuple[str, ...],
    columns: tuple[str, ...],
    bands: tuple[QColor, ...] | None = None,
) -> None:
    """Give ``view`` a picture, unless it is what it shows."""
    indices, signed = core.quantise(values, scale.low, scale.high), scale.low < 0
    new = Picture(values, indices, scale.table, rows, columns, column_bands=bands, signed=signed)
    if view.picture is None or not _look_alike(new, view.picture):
        view.set_picture(new)


def _look_alike(one: Picture, other: Picture) -> bool:
    labels = [(p.row_labels, p.column_labels, p.column_bands) for p in (one, other)]
    return (
        labels[0] == labels[1]
        and np.array_equal(one.values, other.values)
        and np.array_equal(one.indices, other.indices)
    )


def _read_out(view: MatrixView, row: int, column: int) -> str:
    picture = view.picture
    if picture is None:
        return ""
    where = f"row {picture.row_labels[row]}, column {picture.column_labels[column]}"
    number = formats.short(float(picture.values[row, column]), 6)
    return f"{view.accessibleName()}, {where}: {number}"


def _copy(view: MatrixView, _checked: bool = False) -> None:
    if view.picture is not None:
        QGuiApplication.clipboard().setText(write_table(view.picture.values))


def _bands(scene: Scene) -> tuple[QColor, ...]:
    """Return the colour of each row of W_O and column of Concat."""
    colours = (QColor(head_colour(head.uid)) for head in scene.heads)
    return tuple(colour for colour in colours for _ in range(scene.d_v))


def _caption(tip: str, *texts: str) -> FittingLabel:
    label = FittingLabel(*texts)
    font = label.font()
    font.setWeight(font.Weight.DemiBold)
    label.setFont(font)
    label.setToolTip(tip)
    return label
