"""The three views of the atlas: a map of the heads, a table of them, and a scatter plot."""

from functools import partial

import numpy as np
from PySide6.QtCore import QRect, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QLineEdit,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from mhagui.document import Appearance
from mhagui.document.scorecard import EFFECTIVE_RANK, MEASURES, NO_LABEL, Column
from mhagui.gui.docks.atlas_heads import (
    FORMULAS,
    AtlasHeads,
    colour_scale,
    groups,
    scores,
    shades,
    tip,
    undefined,
    why_undefined,
)
from mhagui.gui.formulas import Formula
from mhagui.gui.theme import theme_of
from mhagui.gui.widgets.cards import bare_area
from mhagui.gui.widgets.choice_box import ChoiceBox
from mhagui.gui.widgets.colour_strip import ColourStrip
from mhagui.gui.widgets.formula_tip import put_above
from mhagui.gui.widgets.head_map import HeadCells, HeadMap
from mhagui.gui.widgets.head_scatter import HeadScatter
from mhagui.gui.widgets.naming import named
from mhagui.gui.widgets.page import label_of
from mhagui.gui.widgets.score_table import ScoreTable

LEAST_DIGITS = 62  # of a digit's width, that the map's controls have with all their words
ALL, LABELLED = "all heads", "heads with a label"
MAP_TIP = (
    "A cell to each head; its letter, or in small cells its mark, says what it is called: both are "
    "listed above. The frame in the cursor's red says that it is on the bench.\n"
    "A click, or Enter, puts the head on the bench; the arrows go to another head, with Ctrl to "
    "the edge"
)
TABLE_TIP = (
    "A click, ↑ or ↓ marks a head in all three views; Enter or a double click puts it on the "
    "bench.\nS, or a click on a label, sorts by a column: largest first, then smallest, then as "
    "the heads come. Ctrl+C copies the selected rows in full precision"
)
SCATTER_TIP = (
    "A point to each head; a click marks it in all three views. ← and → go to the next head by "
    "the score across, ↓ and ↑ by the one upwards; Enter puts it on the bench"
)
RANK_TIP = "; effective ranks take longer and are found when they are chosen"
CHANCE_TIP = (
    "Colour how far the score is above chance: (score − chance) / (1 − chance), 0 where a uniform "
    "head is under the same mask, 1 at a perfect one. For scores that are shares of the weight"
)
FILTER_TIP = "Show the heads whose name or label has these letters in it alone: L3, induction"


class ScoreBox(ChoiceBox):
    """A box to choose a score from: at first ``first``.

    Of heads for which that is not defined, as across sequences, ``instead`` is shown, until there
    are others for which it is.
    """

    chosen = Signal()

    def __init__(self, name: str, spoken: str, first: str, instead: str) -> None:
        super().__init__()
        self._wanted, self._instead = first, instead
        self._undefined: frozenset[str] = frozenset()
        named(self, name, spoken, f"{spoken}{RANK_TIP}")
        for measure in (*MEASURES, EFFECTIVE_RANK):
            self.addItem(measure.name)
            self.setItemData(self.count() - 1, measure.meaning, Qt.ItemDataRole.ToolTipRole)
        self.setCurrentText(first)
        put_above(self, FORMULAS[first])
        self.setSizeAdjustPolicy(ChoiceBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(8)
        self.currentIndexChanged.connect(self._on_changed)

    @property
    def wants_ranks(self) -> bool:
        """Whether it is the effective rank that is chosen."""
        return self.currentText() == EFFECTIVE_RANK.name

    def shown(self, heads: AtlasHeads) -> str:
        """Return the score to show: the chosen one, or the first until that is known."""
        return self._usual if self.wants_ranks and heads.ranks is None else self.currentText()

    @property
    def _usual(self) -> str:
        """The first score, or what is shown instead of it."""
        return self._instead if self.itemText(0) in self._undefined else self.itemText(0)

    def show_usual(self) -> None:
        """Choose no effective rank, where it is chosen."""
        if self.wants_ranks:
            self.setCurrentText(self._usual)

    def suit(self, heads: AtlasHeads) -> None:
        """Show a score that is defined, where ``heads`` have others than those before."""
        missing = undefined(heads)
        if missing != self._undefined:
            self._undefined = missing
            with QSignalBlocker(self):
                self.setCurrentText(self._instead if self._wanted in missing else self._wanted)
            put_above(self, FORMULAS[self.currentText()])

    def sizeHint(self) -> QSize:
        """Return a size for the longest name."""
        longest = max(self.fontMetrics().horizontalAdvance(m.name) for m in MEASURES)
        return super().sizeHint().expandedTo(QSize(longest + 3 * self.fontMetrics().height(), 0))

    def _on_changed(self, _index: int) -> None:
        self._wanted = self.currentText()
        put_above(self, FORMULAS[self.currentText()])
        self.chosen.emit()


class Pane(QWidget):
    """A view of the heads; one that is behind others draws them when it comes to the front.

    Signals
    -------
    pointed
        A head is to be the current one; carries its place.
    asked
        A head is to be on the bench; carries its place.
    rescored
        Another score is chosen.
    """

    pointed = Signal(int)
    asked = Signal(int)
    rescored = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.heads: AtlasHeads | None = None
        self.look: Appearance | None = None
        self._marks = (-1, -1)
        self._is_drawn = False
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(6, 4, 6, 4)
        self.column.setSpacing(4)

    @property
    def wants_ranks(self) -> bool:
        """Whether it is to show the effective rank."""
        return any(box.wants_ranks for box in self.findChildren(ScoreBox))

    def want_no_ranks(self) -> None:
        """Show another score instead of the effective rank."""
        for box in self.findChildren(ScoreBox):
            box.show_usual()

    def show_heads(self, heads: AtlasHeads, look: Appearance) -> None:
        """Show ``heads``, coloured and written as in ``look``."""
        self.heads, self.look = heads, look
        for box in self.findChildren(ScoreBox):
            box.suit(heads)
        self.redraw()

    def mark(self, current: int, on_bench: int) -> None:
        """Mark the current head, and that on the bench; -1 is none."""
        self._marks = (current, on_bench)
        if self._is_drawn:
            self.draw_marks(current, on_bench)

    def draw(self, heads: AtlasHeads, look: Appearance) -> None:
        """Draw what is to be shown."""
        raise NotImplementedError

    def draw_marks(self, current: int, on_bench: int) -> None:
        """Draw which head is the current one, and which is on the bench."""
        raise NotImplementedError

    def words_of(self, current: int, on_bench: int) -> str:
        """Return which head is the current one, and what it is called."""
        if self.heads is None or not 0 <= current < len(self.heads.names):
            return ""
        label = self.heads.card.labels[current] or NO_LABEL
        here = ", on the bench" if current == on_bench else ""
        return f"{self.heads.spoken[current]}: {label}{here}"

    def redraw(self) -> None:
        """Draw anew what is shown, by another choice, now or when it can be seen."""
        self._is_drawn = False
        if self.heads is not None and self.look is not None and not self.isHidden():
            self.draw(self.heads, self.look)
            self.draw_marks(*self._marks)
            self._is_drawn = True

    def showEvent(self, event: QShowEvent) -> None:
        """Draw what has come while others were in front."""
        super().showEvent(event)
        if not self._is_drawn:
            self.redraw()

    def take_focus(self) -> None:
        """Give the keyboard to the heads themselves."""
        raise NotImplementedError

    def _on_score(self) -> None:
        self.redraw()
        self.rescored.emit()


class MapPane(Pane):
    """The map of the heads in the colours of a score, and its colour bar."""

    def __init__(self) -> None:
        super().__init__()
        spoken = "Score that the map is coloured by"
        self.score = ScoreBox("atlasScore", spoken, MEASURES[0].name, "entropy")
        self._note = ""
        self.above = named(
            QCheckBox("Above chance"), "atlasAboveChance", "Above chance", CHANCE_TIP
        )
        put_above(self.above, Formula.CHANCE_CORRECTED)
        self.map = named(HeadMap(), "atlasMap", "Map of all heads", MAP_TIP)
        self.strip = ColourStrip()
        self.area = _MapArea(self.map)
        self.map.pointed.connect(self.pointed)
        self.map.chosen.connect(self.asked)
        self.score.chosen.connect(self._on_score)
        self.above.toggled.connect(self.redraw)
        line = QHBoxLayout()
        self._label = label_of(self.score, "Colour")
        line.addWidget(self._label)
        line.addWidget(self.score)
        line.addWidget(self.above)
        line.addWidget(self.strip, 1)
        self.column.addLayout(line)
        self.column.addWidget(self.area, 1)

    def draw(self, heads: AtlasHeads, look: Appearance) -> None:
        """Draw the map."""
        name, above = self.score.shown(heads), self.above.isChecked()
        is_share = heads.column(name).measure.is_share
        self.above.setEnabled(is_share)
        formula = Formula.CHANCE_CORRECTED if above and is_share else FORMULAS[name]
        for part in (self.map, self.strip):
            put_above(part, formula)
        scale = colour_scale(heads, name, look, above_chance=above)
        grid, letters = heads.grid, heads.letters
        values = shades(heads, name, above_chance=above)
        told = partial(tip, heads, look.precision, formula)
        self._note = "" if np.isfinite(values).any() else why_undefined(heads, name)
        cells = HeadCells(
            grid.rows, grid.columns, grid.cells, values, scale, letters, told, self._note
        )
        self.map.set_heads(cells)
        # A scroll area is told of neither by a widget that is hidden.
        self.map.setMinimumSize(self.map.minimumSizeHint())
        self.area.updateGeometry()
        self.strip.set_scale(scale)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave out a word where the colours need its room."""
        super().resizeEvent(event)
        self._label.setVisible(self.width() >= LEAST_DIGITS * self.fontMetrics().averageCharWidth())

    def shown(self, heads: AtlasHeads) -> tuple[Column, bool]:
        """Return the score that is coloured, and whether it is how far above chance."""
        return heads.column(self.score.shown(heads)), self.above.isChecked()

    def take_focus(self) -> None:
        """Give the keyboard to the heads themselves."""
        self.map.setFocus(Qt.FocusReason.TabFocusReason)

    def draw_marks(self, current: int, on_bench: int) -> None:
        """Draw which head is the current one, and which is on the bench."""
        self.map.mark(current, on_bench)
        said = filter(None, [self.words_of(current, on_bench), self._note])
        self.map.setAccessibleDescription(". ".join(said))


class _MapArea(QScrollArea):
    """Scrolls the map where its cells cannot be so small that all have room."""

    def __init__(self, heads: HeadMap) -> None:
        super().__init__()
        self._heads = heads
        bare_area(self, heads, resizable=True)
        heads.reached.connect(self._on_reached)

    def sizeHint(self) -> QSize:
        """Ask for room for all cells."""
        return self._heads.sizeHint()

    def _on_reached(self, cell: QRect) -> None:
        middle = cell.center()
        self.ensureVisible(middle.x(), middle.y(), cell.width(), cell.height())


class TablePane(Pane):
    """The table of the heads, and what of it is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.table = named(ScoreTable(), "atlasTable", "Scores of all heads", TABLE_TIP)
        self.which = named(ChoiceBox(), "atlasLabel", "Label of the heads that are shown", "")
        self.which.setToolTip("Show all heads, those with a label, or those of one label")
        self.which.setSizeAdjustPolicy(ChoiceBox.SizeAdjustPolicy.AdjustToContents)
        self.filter = named(QLineEdit(), "atlasFilter", "Letters of a head's name", FILTER_TIP)
        self.filter.setAcceptDrops(False)  # a file is for the window
        self.filter.setPlaceholderText("L3, induction …")
        self.filter.setClearButtonEnabled(True)
        for button in self.filter.findChildren(QToolButton):
            button.setAccessibleName("Clear the filter")
        self.table.pointed.connect(self.pointed)
        self.table.asked.connect(self.asked)
        self.which.currentIndexChanged.connect(self._on_filter)
        self.filter.textChanged.connect(self._on_filter)
        line = QHBoxLayout()
        line.addWidget(label_of(self.which, "Show"))
        line.addWidget(self.which)
        line.addWidget(self.filter, 1)
        self.column.addLayout(line)
        self.column.addWidget(self.table, 1)

    def draw(self, heads: AtlasHeads, look: Appearance) -> None:
        """Fill the table."""
        self._offer_labels(heads)
        self.table.set_scores(scores(heads, look.precision))
        self._on_filter()

    def take_focus(self) -> None:
        """Give the keyboard to the heads themselves."""
        self.table.setFocus(Qt.FocusReason.TabFocusReason)

    def draw_marks(self, current: int, on_bench: int) -> None:
        """Draw which head is the current one, and which is on the bench."""
        self.table.mark(current, on_bench)

    def _offer_labels(self, heads: AtlasHeads) -> None:
        kinds = [(ALL, ALL), (LABELLED, LABELLED)]
        counts = heads.grid.counts().items()
        kinds += [(f"{label or NO_LABEL} ({n})", label or NO_LABEL) for label, n in counts]
        if [text for text, _ in kinds] == [
            self.which.itemText(n) for n in range(self.which.count())
        ]:
            return
        chosen = self.which.currentData()
        self.which.blockSignals(True)
        self.which.clear()
        for text, kind in kinds:
            self.which.addItem(text, kind)
        self.which.setCurrentIndex(max(self.which.findData(chosen), 0))
        self.which.blockSignals(False)

    def _on_filter(self) -> None:
        if self.heads is None:
            return
        kind, wanted = self.which.currentData(), _plain(self.filter.text())
        heads = zip(self.heads.names, self.heads.card.labels, strict=True)
        kept = [
            (kind == ALL or (kind == LABELLED and bool(label)) or kind == (label or NO_LABEL))
            and (wanted in _plain(name) or wanted in _plain(label))
            for name, label in heads
        ]
        self.table.keep(np.array(kept, bool))


class ScatterPane(Pane):
    """The heads as points over two scores."""

    def __init__(self) -> None:
        super().__init__()
        self.across = ScoreBox("atlasAcross", "Score across", "mean distance", "confidence")
        self.up = ScoreBox("atlasUpwards", "Score upwards", "entropy", "entropy")
        self._note = ""
        self.plot = named(HeadScatter(), "atlasScatter", "All heads by two scores", SCATTER_TIP)
        self.plot.headed.connect(self.pointed)
        self.plot.asked.connect(self.asked)
        line = QHBoxLayout()
        for box, text in ((self.up, "↑"), (self.across, "→")):
            box.chosen.connect(self._on_score)
            box.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
            line.addWidget(label_of(box, text))
            line.addWidget(box, 1)
        self.column.addLayout(line)
        self.column.addWidget(self.plot, 1)

    def draw(self, heads: AtlasHeads, look: Appearance) -> None:
        """Draw the points."""
        across, up = self.shown(heads)
        titles = across.measure.with_unit, up.measure.with_unit
        formula = FORMULAS[up.measure.name]
        put_above(self.plot, formula)
        points = groups(heads, theme_of(self.palette()).muted)
        told = partial(tip, heads, look.precision, formula)
        names = dict.fromkeys(score.measure.name for score in (up, across))
        missing = [name for name in names if not np.isfinite(heads.column(name).values).any()]
        self._note = "\n".join(why_undefined(heads, name) for name in missing)
        self.plot.set_points((across.values, up.values), titles, points, told, self._note)

    def shown(self, heads: AtlasHeads) -> tuple[Column, Column]:
        """Return the scores across and upwards."""
        return heads.column(self.across.shown(heads)), heads.column(self.up.shown(heads))

    def take_focus(self) -> None:
        """Give the keyboard to the heads themselves."""
        self.plot.setFocus(Qt.FocusReason.TabFocusReason)

    def draw_marks(self, current: int, on_bench: int) -> None:
        """Draw which head is the current one, and which is on the bench."""
        self.plot.mark(current, on_bench)
        said = filter(None, [self.words_of(current, on_bench), *self._note.splitlines()])
        self.plot.setAccessibleDescription(". ".join(said))


def _plain(text: str) -> str:
    return text.casefold().replace(" ", "")
