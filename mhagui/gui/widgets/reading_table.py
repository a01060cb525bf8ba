"""What tables of numbers to read have in common: their looks, Ctrl+C, and where the keys go."""

from PySide6.QtCore import QItemSelectionModel, QSignalBlocker
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QPainter, QPalette, QPen
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QTableView

from mhagui.gui.widgets.drawing import even_digits


class ReadingTable(QTableView):
    """A table without lines, of whole columns and digits of one width, that nobody edits."""

    def selected_text(self) -> str:
        """Return what is copied of the selection."""
        raise NotImplementedError

    def _prepare(self) -> None:
        """Look like that; to be called when the headers are those that it keeps."""
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)  # Tab goes on to the next widget; the arrows move in here
        self.setWordWrap(False)
        # Whole columns: half a number would be another number.
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setCornerButtonEnabled(False)
        for header in (self.horizontalHeader(), self.verticalHeader()):
            header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
            header.setHighlightSections(False)
            header.setMinimumSectionSize(1)
        self._use_even_digits()

    def _use_even_digits(self) -> None:
        font = even_digits(self.font())
        if font != self.font():
            self.setFont(font)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 6)

    def _follow(self, row: int, column: int) -> None:
        """Make a cell the current one and select its row, or none below 0; no signal, no scroll."""
        across, flag = self.horizontalScrollBar().value(), QItemSelectionModel.SelectionFlag
        with QSignalBlocker(self):
            if row < 0:
                self.selectionModel().clear()
            else:
                index = self.model().index(row, max(column, 0))
                self.selectionModel().setCurrentIndex(index, flag.ClearAndSelect | flag.Rows)
        self.horizontalScrollBar().setValue(across)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy the selection, or do what tables do."""
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.selected_text())
        else:
            super().keyPressEvent(event)

    def _frame_current_cell(self, painter: QPainter) -> None:
        """Do what Fusion does in the colour of the selection, where nobody sees it."""
        index, roles = self.currentIndex(), QPalette.ColorRole
        if not (self.hasFocus() and index.isValid()):
            return
        on_highlight = self.selectionModel().isSelected(index)
        ink = self.palette().color(roles.HighlightedText if on_highlight else roles.Highlight)
        painter.setPen(QPen(ink, 2))
        painter.drawRect(self.visualRect(index).adjusted(1, 1, -1, -1))
