"""The forms at the side of a dialog, a tab for each, which fold where there is little room."""

from collections.abc import Iterator, Mapping

from PySide6.QtCore import QEvent, QObject, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFormLayout, QTabWidget, QVBoxLayout, QWidget

from mhagui.gui.widgets.column_scroll import ColumnScroll
from mhagui.gui.widgets.naming import named

_Role, _Policy = QFormLayout.ItemRole, QFormLayout.RowWrapPolicy
_ROLES = (_Role.LabelRole, _Role.FieldRole, _Role.SpanningRole)


def form_of(holder: QWidget) -> QFormLayout:
    """Return a form in ``holder``, with no margins and with fields as wide as there is room."""
    form = QFormLayout(holder)
    form.setContentsMargins(0, 0, 0, 0)
    form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
    return form


class Sides(QTabWidget):
    """Shows one of some forms, by their titles; Ctrl+Tab goes to the next."""

    def __init__(self, forms: Mapping[str, QWidget]) -> None:
        super().__init__()
        for title, form in forms.items():
            self.addTab(Side(form), title)
        named(self.tabBar(), "sideTabs", "Choices", "What can be chosen; Ctrl+Tab goes to the next")


class Side(ColumnScroll):
    """Scrolls a form; where it is narrow, every label stands above its field."""

    def __init__(self, form: QWidget) -> None:
        body = QWidget()
        column = QVBoxLayout(body)
        column.addWidget(form)
        column.addStretch(1)
        margins = column.contentsMargins()
        self._margin = margins.left() + margins.right()
        layout = form.layout()
        assert isinstance(layout, QFormLayout)
        self._layout = layout
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
        is_narrow = self.viewport().width() < self._unfolded()
        policy = _Policy.WrapAllRows if is_narrow else _Policy.DontWrapRows
        if self._layout.rowWrapPolicy() != policy:
            self._layout.setRowWrapPolicy(policy)

    def _unfolded(self) -> int:
        """Return how wide labels and the fields beside them are."""
        rows = list(self._rows())
        beside = max(label for label, _ in rows) + self._layout.horizontalSpacing()
        return max(field + (beside if label else 0) for label, field in rows) + self._margin

    def _rows(self) -> Iterator[tuple[int, int]]:
        """Yield the least widths of each label and its field; 0 for that of what has none."""
        for row in range(self._layout.rowCount()):
            label, field, span = (self._layout.itemAt(row, role) for role in _ROLES)
            if label is not None and field is not None:
                yield label.minimumSize().width(), field.minimumSize().width()
            elif span is not None:
                yield 0, span.minimumSize().width()
