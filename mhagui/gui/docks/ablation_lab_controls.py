"""What is to be done to which heads: the choices of the ablation lab."""

import math
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QEvent, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QIcon,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from mhagui.document import Head, Scene
from mhagui.document.captured_ablation import Ablation, AblationKind
from mhagui.document.filter_bank import why_no_wrong_site
from mhagui.gui.bench import Frame
from mhagui.gui.formulas import Formula
from mhagui.gui.widgets.choice_box import ChoiceBox
from mhagui.gui.widgets.formula_tip import put_above
from mhagui.gui.widgets.naming import named
from mhagui.gui.widgets.number_box import NumberBox
from mhagui.gui.widgets.page import label_of, wrapped_label
from mhagui.gui.widgets.words import plain
from mhagui.palette import head_colour

SWATCH = 10  # pixels
GAP = 4  # pixels between heads
MOST_ROWS = 4  # of heads that are seen at a time
MOST_GAIN = 1000.0
# The value bias is a choice of its own beside zero.
KINDS = tuple(kind for kind in AblationKind if kind is not AblationKind.VALUE_BIAS)
PICKER_TIP = "The heads that are ablated together; Space or a click adds one or takes it out"
FOLLOW_TIP = "Ablate the head that the cursor is in, whichever that is"
KIND_TIP = "What is done to the heads' outputs O_h, before W_O"
GAIN_TIP = "Factor on the gain that the heads have: 1 changes nothing, 0 makes all keys alike"
BIAS_TIP = "Keep b_V·W_O^(h), which a head adds at every position wherever it looks"
WRONG_TIP = "Zero the same columns of O as well, after W_O: the usual mistake"
ONLY_ZERO = "Only zeroing is done at the wrong site by mistake: choose zero."
MUTE_TIP = "Mute these heads on the bench, in one step that can be undone"


class HeadPicker(QListWidget):
    """All heads side by side, of which any number is chosen.

    Signals
    -------
    picked
        The user has chosen other heads; carries their uids.
    """

    picked = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        named(self, "ablatedHeads", "Heads to ablate", PICKER_TIP)
        self._heads: list[tuple[int, str]] = []
        self._fitted_width = 0
        self.setFlow(QListWidget.Flow.LeftToRight)
        self.setWrapping(True)
        self.setResizeMode(QListWidget.ResizeMode.Adjust)
        self.setSelectionMode(QAbstractItemView.SelectionMode.MultiSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTextElideMode(Qt.TextElideMode.ElideNone)
        self.setTabKeyNavigation(False)
        self.viewport().setAutoFillBackground(False)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.itemSelectionChanged.connect(self._on_selection)

    def show_heads(self, heads: Sequence[Head], chosen: Sequence[int]) -> None:
        """List ``heads``, with those chosen whose uids are given."""
        named_heads = [(head.uid, head.name) for head in heads]
        with QSignalBlocker(self):
            if named_heads != self._heads:
                self._heads = named_heads
                self._list(heads)
            for row, head in enumerate(heads):
                self.item(row).setSelected(head.uid in chosen)
                if (head.uid,) == tuple(chosen):
                    self.scrollToItem(self.item(row))

    def _list(self, heads: Sequence[Head]) -> None:
        self.clear()
        for number, head in enumerate(heads, 1):
            item = QListWidgetItem(_swatch(QColor(head_colour(head.uid))), f"h{number}")
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"h{number} {head.name}")
            item.setToolTip(plain(f"h{number} {head.name}"))
            self.addItem(item)
        self.setCurrentRow(0)
        self._fit()

    def _fit(self) -> None:
        """Be as high as the rows that the heads take at this width, up to some."""
        cell = QSize(self.sizeHintForColumn(0) + GAP, self.sizeHintForRow(0))
        self._fitted_width = self.width()  # first: what follows resizes the viewport
        self.setGridSize(cell)
        across = max(self.width() // cell.width(), 1)
        n_rows = math.ceil(self.count() / across)
        # Where it may be needed Qt keeps room for a scroll bar, needed or not.
        policies = Qt.ScrollBarPolicy
        is_long = n_rows > MOST_ROWS
        self.setVerticalScrollBarPolicy(
            policies.ScrollBarAlwaysOn if is_long else policies.ScrollBarAlwaysOff
        )
        self.setFixedHeight(min(n_rows, MOST_ROWS) * cell.height() + 2)

    def sizeHint(self) -> QSize:
        """Ask for no more width than there is."""
        return QSize(self.minimumSizeHint().width(), self.height())

    def minimumSizeHint(self) -> QSize:
        """Return room for three heads."""
        return QSize(3 * max(self.gridSize().width(), 1) + GAP, self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Take as many rows as it needs now."""
        super().resizeEvent(event)
        if self.count() and self.width() != self._fitted_width:
            self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Measure anew in another font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and self.count():
            self._fit()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Frame the head that Space is for, in a colour that Fusion's own frame has not."""
        super().paintEvent(event)
        item = self.currentItem()
        if self.hasFocus() and item is not None:
            roles = QPalette.ColorRole
            ink = roles.HighlightedText if item.isSelected() else roles.Highlight
            painter = QPainter(self.viewport())
            painter.setPen(QPen(self.palette().color(ink), 2))
            painter.drawRect(self.visualItemRect(item).adjusted(1, 1, -1, -1))
            painter.end()

    def _on_selection(self) -> None:
        rows = sorted(index.row() for index in self.selectedIndexes())
        self.picked.emit(tuple(self._heads[row][0] for row in rows))


class AblationControls(QWidget):
    """Which heads, what is done to them, and whether the wrong site is shown as well.

    Signals
    -------
    changed
        Something else is chosen.
    mute_wanted
        The heads are to be muted on the bench; carries their uids.
    refused
        What was typed is not taken; carries the sentence that says why.
    """

    changed = Signal()
    mute_wanted = Signal(object)
    refused = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._picked: tuple[int, ...] | None = None  # None: the cursor's
        self._uids: tuple[int, ...] = ()
        self.follows = named(
            QCheckBox("Cursor's head"), "followCursor", "Cursor's head", FOLLOW_TIP
        )
        self.picker = HeadPicker()
        self.kind = named(ChoiceBox(), "ablationKind", "What is done to the heads", KIND_TIP)
        self.gain = NumberBox(-MOST_GAIN, MOST_GAIN, 0.1)
        self.keeps_bias = named(QCheckBox("Keep b_V"), "keepValueBias", "Keep b_V", BIAS_TIP)
        self.words = wrapped_label()
        self.wrong = named(QCheckBox("Wrong site too"), "wrongSite", "Wrong site too", WRONG_TIP)
        self.mute = named(
            QPushButton("Mute on the bench"), "muteAblated", "Mute on the bench", MUTE_TIP
        )
        self._prepare()
        self._lay_out()
        self._connect()

    def _prepare(self) -> None:
        self.follows.setChecked(True)
        self.gain.setObjectName("ablationGain")
        self.gain.describe("The factor on the gain", GAIN_TIP)
        self.gain.show_value(0.0)
        self.words.setObjectName("ablationWords")
        for kind in KINDS:
            self.kind.addItem(kind.value, kind)
        for widget, formula in (
            (self.picker, Formula.ABLATED),
            (self.follows, Formula.ABLATED),
            (self.kind, Formula.ABLATED),
            (self.words, Formula.ABLATED),
            (self.gain, Formula.GAINED_SCORES),
            (self.keeps_bias, Formula.VALUES),
            (self.wrong, Formula.WRONG_SITE),
        ):
            put_above(widget, formula)

    def _lay_out(self) -> None:
        heads, what = QHBoxLayout(), QHBoxLayout()
        heads_label = label_of(self.picker, "Ablate")
        heads.addWidget(heads_label)
        heads.addStretch(1)
        heads.addWidget(self.follows)
        what.addWidget(label_of(self.kind, "How"))
        what.addWidget(self.kind, 1)
        what.addWidget(self.gain)
        what.addWidget(self.keeps_bias)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 4, 8, 4)
        column.setSpacing(4)
        column.addLayout(heads)
        column.addWidget(self.picker)
        column.addLayout(what)
        column.addWidget(self.words)
        column.addWidget(self.wrong, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.mute, 0, Qt.AlignmentFlag.AlignLeft)
        column.addStretch(1)

    def _connect(self) -> None:
        self.picker.picked.connect(self._on_picked)
        self.follows.clicked.connect(self._on_follows)
        self.kind.activated.connect(self._on_other)
        self.gain.valueChanged.connect(self._on_other)
        self.gain.refused.connect(self.refused)
        self.keeps_bias.clicked.connect(self._on_other)
        self.wrong.clicked.connect(self._on_other)
        self.mute.clicked.connect(self._on_mute)

    # --- what is chosen

    def ablations(self, frame: Frame) -> tuple[Ablation, ...]:
        """Return what is to be done, head by head, to the scene of ``frame``."""
        cursor, kind = frame.view.cursor, self.kind.currentData()
        if kind is AblationKind.ZERO and self._keeps(frame.scene):
            kind = AblationKind.VALUE_BIAS
        details: dict[str, Any] = {}
        if kind is AblationKind.EDGE:
            details = {"query": cursor.query, "key": cursor.key}
        elif kind is AblationKind.GAIN:
            details = {"gain": self.gain.value()}
        places = map(frame.scene.index_of, self._uids)
        return tuple(Ablation(kind, place, **details) for place in places)

    def title(self, scene: Scene) -> str:
        """Return which heads are ablated, and how."""
        heads = ", ".join(f"h{scene.index_of(uid) + 1}" for uid in self._uids)
        return f"{heads}, {self.kind.currentText()}"

    @property
    def wants_wrong(self) -> bool:
        """Whether the wrong site is to be shown as well."""
        return self.wrong.isChecked() and self.wrong.isEnabled()

    def _keeps(self, scene: Scene) -> bool:
        return self.keeps_bias.isChecked() and self._has_bias(scene)

    def _has_bias(self, scene: Scene) -> bool:
        return any(scene.head(uid).b_v is not None for uid in self._uids)

    # --- drawing

    def show_frame(self, frame: Frame) -> None:
        """Show the heads of the scene, and what can be done to them."""
        scene = frame.scene
        if self._picked is not None:
            self._picked = tuple(uid for uid in self._picked if scene.has_head(uid)) or None
        self._uids = (frame.view.cursor.head,) if self._picked is None else self._picked
        self.picker.show_heads(scene.heads, self._uids)
        self.follows.setChecked(self._picked is None)
        kind = self.kind.currentData()
        self.gain.setVisible(kind is AblationKind.GAIN)
        self.keeps_bias.setVisible(kind is AblationKind.ZERO and self._has_bias(scene))
        self.words.setText(self._said(frame))
        why_not = ONLY_ZERO if kind is not AblationKind.ZERO else why_no_wrong_site(scene)
        self.wrong.setEnabled(not why_not)
        self.wrong.setToolTip(why_not or WRONG_TIP)
        self.mute.setEnabled(not all(scene.head(uid).muted for uid in self._uids))

    def _said(self, frame: Frame) -> str:
        """Return in words what is done."""
        cursor, scene = frame.view.cursor, frame.scene
        match self.kind.currentData():
            case AblationKind.ZERO if self._keeps(scene):
                text = (
                    "O_h becomes its value bias: what the head adds wherever it looks, "
                    "b_V·W_O^(h), stays."
                )
            case AblationKind.ZERO if self._has_bias(scene):
                text = (
                    "O_h becomes 0: b_V·W_O^(h), which the head adds wherever it looks, goes as "
                    "well."
                )
            case AblationKind.ZERO:
                text = "O_h becomes 0: what the head adds to O is gone."
            case AblationKind.MEAN:
                text = (
                    "Each row of O_h becomes the mean of them all: what the head adds everywhere "
                    "stays."
                )
            case AblationKind.UNIFORM:
                text = "The head looks at all keys that its mask allows alike."
            case AblationKind.EDGE:
                text = (
                    f"Query t{cursor.query + 1} no longer sees key t{cursor.key + 1}, the "
                    "cursor's; its other weights grow in proportion."
                )
            case _:
                text = "Scores times this factor, on the gain that the head has."
        several_layers = len({head.layer for head in scene.heads}) > 1
        return text + " Heads of layer 2 read what they read before." * several_layers

    # --- what the user does

    def _on_picked(self, uids: tuple[int, ...]) -> None:
        self._picked = uids or None
        self.changed.emit()

    def _on_follows(self, follows: bool) -> None:
        self._picked = None if follows else self._uids
        self.changed.emit()

    def _on_other(self) -> None:
        self.changed.emit()

    def _on_mute(self) -> None:
        self.mute_wanted.emit(self._uids)


def _swatch(colour: QColor) -> QIcon:
    """Return an icon in a head's colour, with an edge where it is selected: both may be blue."""
    plain_one, edged = QPixmap(SWATCH, SWATCH), QPixmap(SWATCH, SWATCH)
    plain_one.fill(colour)
    edged.fill(Qt.GlobalColor.white)
    painter = QPainter(edged)
    painter.fillRect(edged.rect().adjusted(1, 1, -1, -1), colour)
    painter.end()
    icon = QIcon(plain_one)
    icon.addPixmap(edged, QIcon.Mode.Selected)
    return icon
