"""A matrix under its caption: as numbers to type in, or as a picture."""

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from mhagui.gui.formulas import Formula
from mhagui.gui.widgets.colour_range import round_limit, signed_range
from mhagui.gui.widgets.colour_strip import ColourStrip
from mhagui.gui.widgets.drawing import demi_bold
from mhagui.gui.widgets.editable_model import EditableMatrix, EditableModel
from mhagui.gui.widgets.editable_table import EditableTable
from mhagui.gui.widgets.fitting_label import FittingLabel
from mhagui.gui.widgets.formula_tip import explain, put_above
from mhagui.gui.widgets.snug_matrix_view import SnugMatrixView


class MatrixPane(QWidget):
    """Shows an EditableMatrix as a table or, where that is asked for, in colours alone."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.model = EditableModel(self)
        self.table = EditableTable(self.model)
        self.table.setObjectName(f"{name}Table")
        self.view = SnugMatrixView()
        self.view.setObjectName(f"{name}View")
        for part in (self.table, self.view):
            part.setAccessibleName(f"Matrix {name}")  # until it is known which
        self.strip = ColourStrip()
        self.strip.setObjectName(f"{name}Colours")
        self.caption = FittingLabel()
        self.caption.setFont(demi_bold(self.caption.font()))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self.caption)
        column.addWidget(self.table, 1)
        column.addWidget(self.view, 0, Qt.AlignmentFlag.AlignTop)
        column.addWidget(self.strip)
        column.addStretch()

    def show_matrix(
        self,
        matrix: EditableMatrix,
        captions: tuple[str, ...],
        formula: Formula,
        *more: str,
        as_picture: bool,
    ) -> None:
        """Show ``matrix`` under the longest of ``captions`` that fits."""
        self.caption.set_texts(*captions)
        for part in (self.caption, self.table, self.view):
            explain(part, formula, *more)
        put_above(self.strip, formula)
        self.model.set_matrix(replace(matrix, formula=formula))
        self.table.setVisible(not as_picture)
        self.view.setVisible(as_picture)
        self.strip.setVisible(as_picture)
        self.table.setAccessibleName(matrix.name)
        self.view.setAccessibleName(matrix.name)
        if as_picture:
            self._paint(matrix)

    def mark(self, row: int | None, columns: range) -> None:
        """Mark the cursor's row, and the columns of its head."""
        self.table.outline_row(row)
        self.table.mark_columns(columns)
        self.view.set_cursor_cell(row, None)

    def _paint(self, matrix: EditableMatrix) -> None:
        scale = signed_range(round_limit(matrix.values), matrix.name, matrix.look)
        bands = matrix.column_bands or None
        self.view.show_values(matrix.values, scale, matrix.row_labels, matrix.column_labels, bands)
        self.strip.set_scale(scale)
