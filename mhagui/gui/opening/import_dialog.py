"""The dialog that shows what a file of tensors holds, and takes how it is to be read."""

from functools import partial

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QSizePolicy,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from mhagui.document import Appearance
from mhagui.gui.opening.heads_preview import PreviewBox
from mhagui.gui.opening.proof_list import ProofList
from mhagui.gui.opening.reading_form import ReadingForm
from mhagui.gui.opening.trial import Look, Trial, attempt
from mhagui.gui.watch import Watch
from mhagui.gui.widgets.column_scroll import ColumnScroll
from mhagui.gui.widgets.naming import named
from mhagui.gui.widgets.page import heading, sentence
from mhagui.gui.widgets.words import plain
from mhagui.gui.worker import Worker
from mhagui.sources import Entry
from mhagui.sources.entries import shape_text

LOOK_EVERY = 100  # milliseconds
_AT_FIRST = 50, 38  # heights of a line of text, across and down
_LEAST_TABLE, _LEAST_ROW = 16, 6
_COLUMNS = ("Name", "Shape", "Type", "Size")
_MESSAGE_LINES = 2


class ImportDialog(QDialog):
    """Shows a file and a reading of it, tries what is chosen otherwise, and offers to open it.

    Attributes
    ----------
    seen
        The file as it was looked at.
    trial
        What came of the reading that is chosen; None while it is being tried.
    """

    def __init__(self, seen: Look, look: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.seen, self._found = seen, seen.found
        self.trial: Trial | None = seen.trial
        self._worker = Worker(self)
        self._watch = Watch()
        self._table = _table(seen.found.entries)
        self._form = ReadingForm(seen.found, seen.readings, seen.trial.reading)
        self._proofs, self._preview = ProofList(), PreviewBox(look)
        self._message = sentence("importMessage")
        buttons = QDialogButtonBox.StandardButton
        self._buttons = QDialogButtonBox(buttons.Open | buttons.Cancel)
        self._open = self._buttons.button(buttons.Open)
        self._progress = QTimer(self)
        self._progress.setInterval(LOOK_EVERY)
        self._name()
        self._lay_out()
        self._connect()
        self._show_trial(seen.trial)
        self._form.setFocus()

    # --- what it is made of

    def _name(self) -> None:
        self.setObjectName("importDialog")
        self.setWindowTitle(f"Open {self._found.path.name}")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        named(self._open, "importOpen", "Open", "Put the first layer that is read on the bench")
        cancel = self._buttons.button(QDialogButtonBox.StandardButton.Cancel)
        named(cancel, "importCancel", "Cancel", "Open nothing")

    def _lay_out(self) -> None:
        scroll = ColumnScroll(self._form)
        self._form.installEventFilter(scroll)
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        for title, part, row, column in (
            ("What is in the file", self._table, 0, 0),
            ("How it is read", scroll, 0, 1),
            ("What the numbers prove", self._proofs, 2, 0),
            ("The first heads", self._preview, 2, 1),
        ):
            grid.addWidget(heading(title), row, column)
            grid.addWidget(part, row + 1, column)
            part.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        for row in (1, 3):  # equal, however much either could take
            grid.setRowStretch(row, 1)
            grid.setRowMinimumHeight(row, _LEAST_ROW * self.fontMetrics().lineSpacing())
        for column in (0, 1):
            grid.setColumnStretch(column, 1)
        self._message.setMinimumHeight(_MESSAGE_LINES * self.fontMetrics().lineSpacing() + 2)
        bottom = QHBoxLayout()
        bottom.addWidget(self._message, 1)
        bottom.addSpacing(12)
        bottom.addWidget(self._buttons, 0, Qt.AlignmentFlag.AlignBottom)
        rows = QVBoxLayout(self)
        rows.addLayout(grid, 1)
        rows.addLayout(bottom)
        line = self.fontMetrics().lineSpacing()
        self._table.setMinimumWidth(_LEAST_TABLE * line)
        wanted = QSize(*(lines * line for lines in _AT_FIRST)).expandedTo(self.minimumSizeHint())
        self.resize(wanted.boundedTo(self.screen().availableSize()))

    def _connect(self) -> None:
        self._form.changed.connect(self._try)
        self._form.refused.connect(self._message.setText)
        self._progress.timeout.connect(self._show_progress)
        self._buttons.accepted.connect(self.accept)
        self._buttons.rejected.connect(self.reject)

    # --- a reading tried

    def _try(self) -> None:
        """Try what is chosen, in a thread; the proofs and pictures shown rest meanwhile."""
        self._watch.drop()
        self._watch, self.trial = Watch(), None
        self._open.setEnabled(False)
        self._message.setText("Reading…")
        self._progress.start()
        make = partial(attempt, self._found, self._form.reading, self._watch)
        self._worker.run(make, self._show_trial, self._on_failed)

    def _show_progress(self) -> None:
        if self._watch.at is not None:
            self._message.setText(f"Reading layer {self._watch.at}…")

    def _show_trial(self, trial: Trial) -> None:
        self._progress.stop()
        self.trial = trial
        self._form.show_reading(trial.reading)
        self._proofs.show_proofs(trial.proofs)
        self._preview.show_heads(trial.preview)
        self._open.setEnabled(trial.capture is not None)
        self._message.setText(trial.why_not or _summary(trial))

    def _on_failed(self, _error: Exception) -> None:
        self._progress.stop()
        self._message.setText("The file cannot be read so.")

    def done(self, result: int) -> None:
        """Leave, and leave unread what is being read."""
        self._watch.drop()
        self._worker.cancel()
        self._progress.stop()
        super().done(result)


def _summary(trial: Trial) -> str:
    capture = trial.capture
    assert capture is not None  # or it says why not
    n_layers, first = len(capture.layers), capture.layers[0]
    size = f"{first.shape[0]:,} × {first.shape[1]:,}"
    layers = f"{n_layers} layers" if n_layers > 1 else "One layer"
    heads = f"{first.n_heads} heads" if first.n_heads > 1 else "one head"
    return f"{layers} of {heads}, {size} positions."


def _table(entries: tuple[Entry, ...]) -> QTableWidget:
    table = QTableWidget(len(entries), len(_COLUMNS))
    named(table, "importEntries", "What is in the file", "")
    table.setHorizontalHeaderLabels(list(_COLUMNS))
    table.verticalHeader().hide()
    table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    table.verticalHeader().setMinimumSectionSize(0)
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setTabKeyNavigation(False)
    table.setShowGrid(False)
    table.setWordWrap(False)
    right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
    for row, entry in enumerate(entries):
        size = f"{len(entry.texts):,} texts" if entry.texts is not None else _bytes(entry.n_bytes)
        name = entry.name or "(no name)"
        texts = (name, shape_text(entry.shape), entry.dtype, size)
        for column, text in enumerate(texts):
            item = QTableWidgetItem(text)
            item.setToolTip(plain(entry.problem or text))
            if column == 3:
                item.setTextAlignment(right)
            if entry.problem and entry.texts is None:
                item.setFlags(item.flags() & ~Qt.ItemFlag.ItemIsEnabled)
            table.setItem(row, column, item)
    header = table.horizontalHeader()
    header.setHighlightSections(False)
    header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
    return table


def _bytes(count: int) -> str:
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 1000)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count} B"
