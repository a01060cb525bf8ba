"""The forms at the side of the export dialog, which fold where there is little room."""

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QEvent, QObject, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFormLayout, QVBoxLayout, QWidget

from mhagui.gui.widgets.column_scroll import ColumnScroll

_Role, _Policy = QFormLayout.ItemRole, QFormLayout.RowWrapPolicy


class Side(ColumnScroll):
    """Scrolls forms; where it is narrow, every label stands above its field."""

    def __init__(self, forms: Sequence[QWidget]) -> None:
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 6, 0)
        for form in forms:
            column.addWidget(form)
        column.addStretch(1)
        self._layouts = [lay for form in forms if isinstance(lay := form.layout(), QFormLayout)]
        self._margin = column.contentsMargins().right()
        super().__init__(body)

    def sizeHint(self) -> QSize:
        """Ask for room for labels beside their fields."""
        bar = self.verticalScrollBar().sizeHint().width()
        return QSize(self._unfolded() + bar, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """Keep room for the widest label or field."""
        bar = self.verticalScrollBar().sizeHint().width()
        widest = max(max(pair) for pair in self._rows())
        return QSize(widest + self._margin + bar, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fold where there is too little room."""
        super().resizeEvent(event)
        self._fold()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Fold where there is too little room for another font."""
        handled = super().eventFilter(watched, event)
        if event.type() == QEvent.Type.LayoutRequest:
            self._fold()
        return handled

    def _fold(self) -> None:
        self._align()
        is_narrow = self.viewport().width() < self._unfolded()
        policy = _Policy.WrapAllRows if is_narrow else _Policy.DontWrapRows
        for layout in self._layouts:
            if layout.rowWrapPolicy() != policy:
                layout.setRowWrapPolicy(policy)

    def _align(self) -> None:
        """Have the fields of all forms begin at one place."""
        rows = [(lay, row) for lay in self._layouts for row in range(lay.rowCount())]
        items = [layout.itemAt(row, _Role.LabelRole) for layout, row in rows]
        labels = [item.widget() for item in items if item is not None]
        there = [label for label in labels if label is not None]
        widest = max(label.sizeHint().width() for label in there)
        for label in there:
            label.setMinimumWidth(widest)

    def _unfolded(self) -> int:
        """Return how wide labels and the fields beside them are."""
        spacing = max(layout.horizontalSpacing() for layout in self._layouts)
        rows = list(self._rows())
        beside = max(label for label, _ in rows) + spacing
        return max(field + (beside if label else 0) for label, field in rows) + self._margin

    def _rows(self) -> Iterator[tuple[int, int]]:
        """Yield the least widths of each label and its field; 0 for that of what has none."""
        for layout in self._layouts:
            for row in range(layout.rowCount()):
                label, field = (
                    layout.itemAt(row, _Role.LabelRole),
                    layout.itemAt(row, _Role.FieldRole),
                )
                if label is not None and field is not None:
                    yield label.minimumSize().width(), field.minimumSize().width()
                elif (span := layout.itemAt(row, _Role.SpanningRole)) is not None:
                    yield 0, span.minimumSize().width()
