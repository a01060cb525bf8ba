"""The solver: which gain gives a row so many effective positions."""

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QPushButton, QWidget

from mhagui.document import Scene
from mhagui.gui.formulas import Formula
from mhagui.gui.widgets.formula_tip import put_above
from mhagui.gui.widgets.head_box import HeadBox
from mhagui.gui.widgets.number_box import CountBox, NumberBox

FIRST_ROW, FIRST_COUNT = 6, 1.1


class LessonSolver(QWidget):
    """Asks for a number of effective positions, a row and a head.

    Signals
    -------
    wanted
        The gain is to be set; carries the head's uid, the row from 0 and the effective positions.
    refused
        What was typed was not taken; carries the sentence that says why.
    """

    wanted = Signal(int, int, float)
    refused = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._count = NumberBox(1.0, 4096.0, 0.1)
        self._row = CountBox(1, FIRST_ROW)
        self._head = HeadBox()
        self._button = QPushButton("Set gain")
        self._count.show_value(FIRST_COUNT)
        self._row.show_value(FIRST_ROW)
        self._describe()
        self._arrange()
        for box in (self._count, self._row):
            box.refused.connect(self.refused)
        self._button.clicked.connect(self._on_button)

    def _describe(self) -> None:
        self._count.setObjectName("solverCount")
        self._count.describe("Effective positions", "2^H, effective positions that are wanted")
        self._row.setObjectName("solverRow")
        self._row.describe("Query position t", "t, the row of A that shall have so many")
        self._head.setObjectName("solverHead")
        self._head.setAccessibleName("Head whose gain is set")
        self._head.setToolTip("The head whose gain is set")
        for part in (self._count, self._row, self._button):
            put_above(part, Formula.EFFECTIVE_POSITIONS)
        self._button.setObjectName("solverSet")
        self._button.setToolTip(
            "Find the gain g with 2^H(softmax(g·S[t,:])) as wanted, by halving, and set it"
        )

    def _arrange(self) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(6)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        first, second = QHBoxLayout(), QHBoxLayout()
        first.setSpacing(6)
        second.setSpacing(6)
        first.addWidget(self._count)
        first.addWidget(QLabel("effective positions"))
        first.addStretch(1)
        second.addWidget(self._row)
        second.addWidget(QLabel("of"))
        second.addWidget(self._head)
        grid.addWidget(QLabel("Gain for"), 0, 0)
        grid.addLayout(first, 0, 1)
        grid.addWidget(QLabel("in row t"), 1, 0)
        grid.addLayout(second, 1, 1)
        grid.addWidget(self._button, 2, 1)

    def stops(self) -> list[QWidget]:
        """Return what takes the focus, from top to bottom."""
        return [self._count, self._row, self._head, self._button]

    def show_scene(self, scene: Scene) -> None:
        """Offer the heads and rows of ``scene``; the head stays chosen where it is still there."""
        chosen = self._head.currentData()
        first = scene.heads[0].uid
        self._head.show_heads(scene.heads, chosen if scene.has_head(chosen) else first)
        with QSignalBlocker(self._row):
            self._row.setRange(1, scene.n_positions)

    def _on_button(self) -> None:
        uid, row = self._head.currentData(), self._row.value() - 1
        self.wanted.emit(uid, row, self._count.value())
