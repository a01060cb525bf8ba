"""The weights dock: X, the packed projections, and the heads' queries, keys and values."""

from dataclasses import replace
from functools import partial
from typing import ClassVar

import numpy as np
from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QLabel,
    QRadioButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from mhagui.document import Pattern, Scene
from mhagui.document.known import Need
from mhagui.document.records import Array
from mhagui.document.weight_edits import to_pattern
from mhagui.errors import UserError
from mhagui.gui.bench import Bench, Frame
from mhagui.gui.docks.weights_content import (
    MAX_ROWS,
    Content,
    Shown,
    contents,
    errors_note,
    head_note,
    input_note,
    packed_of,
)
from mhagui.gui.formulas import Formula
from mhagui.gui.growing import GrowingPanel
from mhagui.gui.widgets.cards import bare_area
from mhagui.gui.widgets.column_scroll import ColumnScroll
from mhagui.gui.widgets.drawing import demi_bold
from mhagui.gui.widgets.formula_tip import explain
from mhagui.gui.widgets.head_box import HeadBox
from mhagui.gui.widgets.head_fields import PatternBox
from mhagui.gui.widgets.matrix_pane import MatrixPane
from mhagui.gui.widgets.naming import named
from mhagui.gui.widgets.scrub import stepped

_FORMULAS = {
    Shown.INPUT: Formula.INPUT,
    Shown.QUERIES: Formula.PACKED_QUERIES,
    Shown.KEYS: Formula.PACKED_KEYS,
    Shown.VALUES: Formula.PACKED_VALUES,
    Shown.HEAD: Formula.QUERIES_AND_KEYS,
}
OF_HEAD_TIP = "Q_h, K_h and V_h of the cursor's head"
PATTERN_TIP = (
    "Where Q and K of this head come from: designed for a pattern; “hand-set” keeps them as they "
    "are, to be edited; “projected” makes them of X with a W_Q and W_K to edit"
)
HEAD_TIP = "The cursor's head"


class WeightsDock(GrowingPanel):
    """X, W_Q, W_K and W_V with what they make, or Q, K and V of one head, to see and to edit."""

    needs: ClassVar[tuple[Need, ...]] = ("values", "queries")
    usual_size = QSize(1000, 420)
    is_complete_undrawn = True

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench, "weightsDock", "Weights")
        self._contents: list[Content] = []
        self._drawn_from: tuple[object, ...] = ()
        self.choice = self._make_choice()
        self.head_box, self.pattern_box = self._make_head_box(), self._make_pattern_box()
        self.panes = [self._make_pane(place) for place in range(3)]
        self.note = self._make_note()
        self.set_body(self._make_body())

    @property
    def shown(self) -> Shown:
        """What is shown."""
        return list(Shown)[self.choice.checkedId()]

    @property
    def page_name(self) -> str:
        """What is shown, by the text of its button."""
        return self.shown.value

    # --- what it is made of

    def _make_choice(self) -> QButtonGroup:
        group = QButtonGroup(self)
        for place, shown in enumerate(Shown):
            name = f"weights{shown.name.title()}"
            button = named(QRadioButton(shown.value), name, f"Show {shown.value}", OF_HEAD_TIP)
            explain(button, _FORMULAS[shown], *([OF_HEAD_TIP] if shown is Shown.HEAD else []))
            group.addButton(button, place)
        group.button(list(Shown).index(Shown.QUERIES)).setChecked(True)
        group.idToggled.connect(self._on_choice)
        return group

    def _make_head_box(self) -> HeadBox:
        box = named(HeadBox(), "weightsHead", "Head", HEAD_TIP)
        box.head_chosen.connect(self._on_head)
        return box

    def _make_pattern_box(self) -> PatternBox:
        words = "Where Q and K of the head come from"
        box = named(PatternBox(unasked=(Pattern.GIVEN,)), "weightsPattern", words, PATTERN_TIP)
        box.chosen.connect(self._on_pattern)
        return box

    def _make_pane(self, place: int) -> MatrixPane:
        pane = MatrixPane(f"weights{place + 1}")
        pane.table.block_written.connect(partial(self._on_block_written, place))
        pane.table.cell_stepped.connect(partial(self._on_cell_stepped, place))
        pane.table.current_moved.connect(partial(self._on_pointed, place))
        pane.table.refused.connect(self.bench.refused)
        pane.view.pointed.connect(partial(self._on_pointed, place))
        return pane

    def _make_note(self) -> QLabel:
        note = QLabel()
        note.setObjectName("weightsNote")
        note.setWordWrap(True)
        note.setTextFormat(Qt.TextFormat.PlainText)
        note.setContentsMargins(8, 0, 8, 2)
        return explain(note, Formula.PACKED_ERROR)

    def _make_body(self) -> QWidget:
        controls = QHBoxLayout()
        controls.setSpacing(10)
        for button in self.choice.buttons():
            controls.addWidget(button)
        controls.addStretch(1)
        controls.addWidget(self.head_box)
        controls.addWidget(self.pattern_box)
        self._row = QHBoxLayout()
        self._row.setSpacing(12)
        for pane in self.panes:
            self._row.addWidget(pane)
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(8, 0, 8, 0)
        column.setSpacing(2)
        column.addLayout(controls)
        column.addLayout(self._row, 1)
        return self._scrolled(inside)

    def _scrolled(self, inside: QWidget) -> QWidget:
        """Return ``inside`` such that it scrolls, over what is said of it."""
        area = QScrollArea()
        bare_area(area, inside, resizable=True)
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(area, 1)
        column.addWidget(_Remark(self.note))
        return body

    # --- drawing

    def show_frame(self, frame: Frame, previous: Frame | None) -> None:
        """Draw what differs from ``previous``."""
        cursor, scene = frame.view.cursor, frame.scene
        if previous is None or scene is not previous.scene or cursor != previous.view.cursor:
            self._show_head(scene, cursor.head)
        self._show_matrices(frame, anew=previous is None)
        for pane, content in zip(self.panes, self._contents, strict=False):
            row = cursor.query if content.rows_are_positions else None
            pane.mark(row, content.columns_of(cursor.head))

    def _show_head(self, scene: Scene, uid: int) -> None:
        self.head_box.show_heads(scene.heads, uid)
        self.pattern_box.show_pattern(scene.head(uid).pattern)

    def _show_matrices(self, frame: Frame, *, anew: bool = False) -> None:
        """Draw the matrices and what is said of them, unless a gain or the like has changed."""
        scene, result = frame.scene, frame.result
        packed = (result.packed_queries, result.packed_keys, result.packed_values)
        heads = tuple((head.uid, head.name, head.pattern, head.layer) for head in scene.heads)
        of_head = frame.view.cursor.head if self.shown is Shown.HEAD else None
        drawn_from = (self.shown, of_head, heads, scene.shown_tokens, scene.vocabulary, *packed)
        if drawn_from == self._drawn_from and not anew:
            return
        self._drawn_from = drawn_from
        self._contents = contents(frame, self.shown)
        for place, pane in enumerate(self.panes):
            pane.setVisible(place < len(self._contents))
        for pane, content in zip(self.panes, self._contents, strict=False):
            matrix = replace(content.matrix, look=frame.view.appearance)
            pane.show_matrix(
                matrix,
                content.captions,
                content.formula,
                *content.more,
                as_picture=content.as_picture,
            )
            self._row.setStretchFactor(pane, _stretch(content))
        self._say(frame)

    def _say(self, frame: Frame) -> None:
        """Say how near the packed matrix comes, or why there is none."""
        text = self._note(frame)
        self.note.setText(text)
        is_sentence = text.endswith(".")
        self.note.setFont(demi_bold(self.font()) if is_sentence else self.font())

    def _note(self, frame: Frame) -> str:
        write = frame.view.appearance.precision
        if frame.scene.n_positions > MAX_ROWS and self.shown in (Shown.INPUT, Shown.HEAD):
            return f"More than {MAX_ROWS} rows are shown as a picture, and not to be edited."
        if self.shown is Shown.HEAD:
            return head_note(frame.result, frame.scene.index_of(frame.view.cursor.head), write)
        if self.shown is Shown.INPUT and (text := input_note(frame.scene)):
            return text
        packed = packed_of(frame.result, self.shown)
        return packed.why_none or errors_note(packed, write)

    # --- what the user does

    def _on_choice(self, _place: int, checked: bool) -> None:
        if checked:
            self.redraw()

    def _on_head(self, uid: int) -> None:
        self.bench.point(head=uid)

    def _on_pattern(self, pattern: Pattern) -> None:
        frame = self.bench.frame
        try:
            edit = to_pattern(frame.result, frame.view.cursor.head, pattern)
        except UserError as error:
            self.bench.refused.emit(str(error))
            self._show_head(frame.scene, frame.view.cursor.head)
            return
        self.bench.edit(edit)
        self._show_head(self.bench.scene, self.bench.view.cursor.head)

    def _on_block_written(
        self, place: int, row: int, column: int, values: Array, text: str, gesture: object
    ) -> None:
        done = self.bench.edit(self._contents[place].edit(row, column, values, text), gesture)
        self._show_matrices(self.bench.frame)  # a model that took a value gives it back at once
        if done and values.size > 1:
            self.panes[place].table.select_block(row, column, values.shape)

    def _on_cell_stepped(self, place: int, row: int, column: int, by: float) -> None:
        # From the scene, for the next notch may come before the next frame.
        self._show_matrices(self.bench.frame)
        content = self._contents[place]
        rows, columns = content.matrix.values.shape
        if row < rows and column < columns:
            value = stepped(float(content.matrix.values[row, column]), by)
            text = f"Edit {content.matrix.name}"
            self.bench.edit(content.edit(row, column, np.array([[value]]), text))

    def _on_pointed(self, place: int, row: int, column: int) -> None:
        content = self._contents[place]
        if content.rows_are_positions:
            self.bench.point(query=row)
        elif content.heads:
            self.bench.point(head=content.heads[column // content.matrix.per_head])


class _Remark(ColumnScroll):
    """As high as its ``label`` needs; that scrolls where large type needs more than there is."""

    def __init__(self, label: QLabel) -> None:
        self._sheet = QWidget()  # it hears when other words need another height
        column = QVBoxLayout(self._sheet)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(label)
        super().__init__(self._sheet)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def heightForWidth(self, width: int) -> int:
        """Return the height of all lines."""
        return self._sheet.heightForWidth(width)

    def minimumSizeHint(self) -> QSize:
        """Return the height of one line."""
        return QSize(super().minimumSizeHint().width(), self.fontMetrics().lineSpacing())


def _stretch(content: Content) -> int:
    """Return how much of the width a pane gets: a table twice what a picture of its size gets."""
    columns = min(len(content.matrix.column_labels), 16)
    return (1 if content.as_picture else 2) * (columns + 2)
