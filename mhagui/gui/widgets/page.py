"""What reads like a page: headings, sentences and tables, one below the other."""

import re
from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication, QLabel, QLayout, QSizePolicy, QVBoxLayout, QWidget

from mhagui.gui.formulas import Formula
from mhagui.gui.widgets.copyable import copyable
from mhagui.gui.widgets.drawing import demi_bold
from mhagui.gui.widgets.formula_tip import explain
from mhagui.gui.widgets.number_table import NumberTable


def page(*parts: QWidget, stretched: QWidget | None = None) -> QWidget:
    """Return a column of ``parts``; room that is left goes to ``stretched``, or below them all."""
    body = QWidget()
    rows = _fill(body, parts)
    rows.setContentsMargins(6, 2, 6, 6)
    if stretched is None:
        rows.addStretch(1)
    else:
        rows.setStretchFactor(stretched, 1)
    return body


def column(*parts: QWidget | QLayout) -> QWidget:
    """Return a column of ``parts`` without margins, to be a part of a page."""
    body = QWidget()
    _fill(body, parts).setContentsMargins(0, 0, 0, 0)
    return body


def _fill(body: QWidget, parts: Sequence[QWidget | QLayout]) -> QVBoxLayout:
    rows = QVBoxLayout(body)
    rows.setSpacing(4)
    for part in parts:
        rows.addWidget(part) if isinstance(part, QWidget) else rows.addLayout(part)
    return rows


def heading(title: str = "", formula: Formula | None = None) -> QLabel:
    """Return a heading with a little room above it, explained where it names a quantity."""
    label = QLabel(title)
    if formula is not None:
        explain(label, formula)
    label.setWordWrap(True)
    label.setFont(demi_bold(QFont()))
    label.setContentsMargins(0, 6, 0, 0)
    return label


def wrapped_label(text: str = "") -> QLabel:
    """Return a label of plain text that wraps wherever it has to, but in no equation."""
    label = QLabel(unbroken(text))
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    policy = label.sizePolicy()  # which says by now that the height depends on the width
    policy.setHorizontalPolicy(QSizePolicy.Policy.Ignored)
    policy.setVerticalPolicy(QSizePolicy.Policy.Minimum)
    label.setSizePolicy(policy)
    return label


def sentence(object_name: str = "", text: str = "") -> QLabel:
    """Return wrapped text that can be selected and copied."""
    label = QLabel(text)
    label.setObjectName(object_name)
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    return copyable(label)


class FieldLabel(QLabel):
    """The label of a field; its tooltip is that of the field."""

    def __init__(self, text: str, field: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setBuddy(field)

    def event(self, event: QEvent) -> bool:
        """Have the field explain itself."""
        if event.type() == QEvent.Type.ToolTip and self.buddy() is not None:
            return QApplication.sendEvent(self.buddy(), event)
        return super().event(event)


def label_of(field: QWidget, text: str) -> QLabel:
    """Return the label that stands before ``field``."""
    return FieldLabel(text, field)


def number_table(
    object_name: str, accessible_name: str, most_rows: int = 10, *, whole_rows: bool = False
) -> NumberTable:
    """Return a table as high as its rows, of which at most ``most_rows`` are seen at a time."""
    table = NumberTable(whole_rows=whole_rows, most_rows=most_rows)
    table.setObjectName(object_name)
    table.setAccessibleName(accessible_name)
    table.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
    return table


def unbroken(text: str) -> str:
    """Return ``text`` with its equations on one line each."""
    return re.sub(r"(?<=[=∝−]) | (?=[=%−])", "\xa0", text)
