"""The dialog in which a head is designed row by row: weights asked for, and what is found."""

import math
from functools import partial

import numpy as np
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from mhagui import core, formats
from mhagui.core import TargetFit
from mhagui.document.records import Array
from mhagui.document.table_text import parse_number
from mhagui.document.target import asked_rows, fit_text
from mhagui.errors import UserError
from mhagui.gui.bench import Frame
from mhagui.gui.pictures import position_labels, weight_table
from mhagui.gui.widgets.matrix_picture import Picture
from mhagui.gui.widgets.matrix_view import MatrixView
from mhagui.gui.widgets.naming import named
from mhagui.gui.widgets.wanted_table import WantedTable
from mhagui.gui.worker import Worker

_PATIENCE = 150  # milliseconds until it is said that the search goes on
_SEARCHING = "Searching for queries and keys…"
_INTRO = (
    "Give the rows of A that matter. Each is scaled to sum 1, so 1 0 1 0 is .5 0 .5 0;"
    " empty rows are free."
)


class TargetDialog(QDialog):
    """Asks for rows of a head's weights, and shows the nearest that its width was found to do.

    Signals
    -------
    found
        The user takes what was found; carries the ``TargetFit``.
    """

    found = Signal(object)

    def __init__(self, frame: Frame, place: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._current, self._d_k = frame.result.heads[place].weights, frame.scene.d_k
        n_positions = frame.scene.n_positions
        self._wanted = np.full((n_positions, n_positions), math.nan)
        self._worker = Worker(self)
        self._fit: TargetFit | None = None
        self._look = frame.view.appearance
        self.setObjectName("targetDialog")
        self.setWindowTitle(f"Design head h{place + 1} by rows")
        self._row, self._cells = QSpinBox(), QLineEdit()
        self._set_row = QPushButton("&Set row")
        self._table, self._view = WantedTable(), MatrixView()
        self._take_current, self._clear = QPushButton("Take &current"), QPushButton("&Empty all")
        self._message = QLabel()
        self._buttons = QDialogButtonBox()
        self._apply = self._buttons.addButton("&Apply", QDialogButtonBox.ButtonRole.AcceptRole)
        self._cancel = self._buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        self._patience = QTimer(self)
        self._lay_out()
        self._describe(n_positions, f"h{place + 1}")
        self._connect()
        self._row.setValue(frame.view.cursor.query + 1)
        self._cells.setFocus()
        self._ask()

    # --- what it is made of

    def _lay_out(self) -> None:
        intro = QLabel(_INTRO)
        intro.setWordWrap(True)
        line, below = QHBoxLayout(), QHBoxLayout()
        label = QLabel("&Row")
        label.setBuddy(self._row)
        for widget, stretch in ((label, 0), (self._row, 0), (self._cells, 1), (self._set_row, 0)):
            line.addWidget(widget, stretch)
        for button in (self._take_current, self._clear):
            below.addWidget(button)
        below.addStretch(1)
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.addWidget(QLabel("Wanted"), 0, 0)
        grid.addWidget(QLabel(f"Found, at gain 1 and d_k = {self._d_k}"), 0, 1)
        grid.addWidget(self._table, 1, 0)
        grid.addWidget(self._view, 1, 1)
        grid.addLayout(below, 2, 0)
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(1, 1)
        grid.setRowStretch(1, 1)
        rows = QVBoxLayout(self)
        rows.addWidget(intro)
        rows.addLayout(line)
        rows.addLayout(grid, 1)
        rows.addWidget(self._message)
        rows.addWidget(self._buttons)
        self._message.setWordWrap(True)
        self._message.setMinimumHeight(2 * self.fontMetrics().lineSpacing())
        em = self.fontMetrics().height()
        self.resize(51 * em, 30 * em)

    def _describe(self, n_positions: int, head: str) -> None:
        self._row.setRange(1, n_positions)
        self._row.setPrefix("t")
        self._cells.setPlaceholderText(".5 0 .5 0")
        for button in (self._set_row, self._take_current, self._clear, self._apply, self._cancel):
            button.setAutoDefault(False)  # Enter sets the row
        self._view.setMinimumWidth(220)
        for widget, name, spoken, tip in (
            (self._row, "targetRow", "Row t", "Which row of A the numbers at the right are for"),
            (self._cells, "targetCells", "Weights of the row",
             "Weights of positions t1, t2 … of the row; Enter sets them"),
            (self._set_row, "targetSetRow", "Set row", "Ask for this row"),
            (self._table, "targetWanted", "Wanted weights", self._table.toolTip()),
            (self._view, "targetFound", "Found weights", ""),
            (self._take_current, "targetCurrent", "Take current weights",
             f"Ask for the weights that {head} has now"),
            (self._clear, "targetClear", "Empty all rows", "Leave every row free"),
            (self._message, "targetMessage", "What was found", ""),
            (self._apply, "targetApply", "Apply", f"Make {head} hand-set, with the Q and K found"),
            (self._cancel, "targetCancel", "Cancel", "Leave the head as it is"),
        ):  # fmt: skip
            named(widget, name, spoken, tip)

    def _connect(self) -> None:
        self._cells.returnPressed.connect(self._on_row)
        self._set_row.clicked.connect(self._on_row)
        self._table.written.connect(self._on_written)
        self._table.refused.connect(self._message.setText)
        self._table.row_pointed.connect(self._on_pointed)
        self._view.pointed.connect(self._on_pointed)
        self._row.valueChanged.connect(self._on_row_number)
        self._take_current.clicked.connect(self._on_take_current)
        self._clear.clicked.connect(self._on_clear)
        self._buttons.accepted.connect(self.accept)
        self._buttons.rejected.connect(self.reject)
        self._patience.setSingleShot(True)
        self._patience.setInterval(_PATIENCE)
        self._patience.timeout.connect(self._on_patience)

    # --- what the user does

    def _on_row(self) -> None:
        row = self._row.value() - 1
        texts = [text.rstrip(",;") for text in self._cells.text().split()]
        try:
            if not 1 <= len(texts) <= row + 1:
                raise UserError(f"Row t{row + 1} takes 1 to {row + 1} numbers; got {len(texts)}.")
            numbers = [parse_number(text) for text in texts]
        except UserError as error:
            self._message.setText(str(error))
            return
        cells = np.zeros((1, row + 1))
        cells[0, : len(numbers)] = numbers
        if self._on_written(row, 0, cells):
            self._cells.selectAll()

    def _on_written(self, row: int, column: int, values: Array) -> bool:
        """Write a block where it fits; what it has past the diagonal must be 0 or empty."""
        n = len(self._wanted)
        height, width = values.shape
        rows, columns = np.arange(row, row + height), np.arange(column, column + width)
        inside = (columns <= rows[:, np.newaxis]) & (rows < n)[:, np.newaxis]
        refusal = ""
        if (values < 0).any():
            refusal = f"A weight is at least 0; got {formats.short(float(np.nanmin(values)))}."
        elif np.nan_to_num(values[~inside]).any():
            refusal = f"Weights past the diagonal are masked; row t{row + 1} ends at t{row + 1}."
        if refusal:
            self._message.setText(refusal)
            return False
        wanted = self._wanted.copy()
        n_rows, n_columns = min(height, n - row), min(width, n - column)
        block = wanted[row : row + n_rows, column : column + n_columns]
        block[...] = np.where(inside, values, math.nan)[:n_rows, :n_columns]
        self._want(wanted)
        return True

    def _on_take_current(self) -> None:
        allowed = core.causal_mask(len(self._current))
        self._want(np.where(allowed, self._current, math.nan))

    def _on_clear(self) -> None:
        self._want(np.full_like(self._wanted, math.nan))

    def _on_row_number(self, number: int) -> None:
        self._view.set_cursor_cell(number - 1, None)

    def _on_pointed(self, row: int, _column: int = 0) -> None:
        self._row.setValue(row + 1)

    # --- the search

    def _want(self, wanted: Array) -> None:
        self._wanted = wanted
        self._ask()

    def _ask(self) -> None:
        """Search for what is wanted now."""
        self._forget_search()
        self._fit = None
        self._apply.setEnabled(False)
        self._table.show_weights(self._wanted)
        try:
            asked = asked_rows(self._wanted)
        except UserError as error:
            self._message.setText(str(error))
            return
        self._patience.start()
        search = partial(core.queries_and_keys_for, asked, self._d_k)
        self._worker.run(search, self._take, self._on_failed)

    def _forget_search(self) -> None:
        self._worker.cancel()
        self._patience.stop()

    def _on_patience(self) -> None:
        self._message.setText(_SEARCHING)

    def _on_failed(self, error: Exception) -> None:
        self._patience.stop()
        self._message.setText(f"The search broke off: {type(error).__name__}: {error}.")

    def _take(self, fit: TargetFit) -> None:
        self._patience.stop()
        self._fit = fit
        self._apply.setEnabled(fit.worst_row is not None)
        self._message.setText(fit_text(fit, self._d_k))
        self._show_found(fit.realised)

    def _show_found(self, weights: Array) -> None:
        labels = position_labels(len(weights))
        self._view.set_picture(
            Picture(
                values=weights,
                low=0.0,
                high=1.0,
                table=weight_table(self._look.weight_colours),
                row_labels=labels,
                column_labels=labels,
                seen=np.arange(1, len(weights) + 1),
                noun="weight",
                precision=self._look.precision,
            )
        )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let Enter press the button it is on alone: a refused row must not apply an old one."""
        focused = self.focusWidget()
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)
        elif isinstance(focused, QPushButton):
            focused.click()

    def done(self, result: int) -> None:
        """Hand over what was found when it is taken."""
        self._forget_search()
        if result == QDialog.DialogCode.Accepted and self._fit is not None:
            self.found.emit(self._fit)
        super().done(result)
