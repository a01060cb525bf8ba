"""What stands beside the scores in a softmax: the slopes of ALiBi and sink logits, to be set."""

import math
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QAction, QFont, QPalette
from PySide6.QtWidgets import QCheckBox, QGridLayout, QMenu, QSizePolicy, QWidget

from mhagui.document import Head, HeadResult, Scene
from mhagui.document.bias_edits import (
    SetAlibi,
    SetSinks,
    add_sink,
    has_sinks,
    has_standard_slopes,
    set_sink,
    why_no_bias,
)
from mhagui.formats import Precision
from mhagui.gui.bench import Bench
from mhagui.gui.formulas import Formula
from mhagui.gui.widgets.drawing import even_digits
from mhagui.gui.widgets.fitting_label import FittingLabel
from mhagui.gui.widgets.formula_tip import explain, put_above
from mhagui.gui.widgets.naming import named
from mhagui.gui.widgets.number_box import NumberBox
from mhagui.gui.widgets.page import FieldLabel

MOST_SLOPE, MOST_SINK = 100.0, 1000.0
SLOPE_STEP, SINK_STEP = 0.05, 0.5
BIAS_TIP = "Slopes of ALiBi and sink logits, for all heads at once or for the selected one"


class Biases(NamedTuple):
    """Whether any head of a scene has a slope, and whether any has a sink."""

    slopes: bool
    sinks: bool

    @property
    def any(self) -> bool:
        """Whether any has either."""
        return self.slopes or self.sinks


NO_BIASES = Biases(slopes=False, sinks=False)


def biases_of(scene: Scene) -> Biases:
    """Return which of the two any head of ``scene`` has."""
    slopes = any(head.slope != 0 for head in scene.heads)
    return Biases(slopes, any(head.sink is not None for head in scene.heads))


class BiasMenu(QMenu):
    """Gives heads slopes and sinks, or takes them away."""

    def __init__(self, bench: Bench, parent: QWidget) -> None:
        super().__init__("Bias", parent)
        self._bench = bench
        self.alibi = self._entry("&ALiBi slopes", "The slope of ALiBi for every head, or none")
        self.sinks = self._entry("&Sink logits", "A sink logit of 0 for every head, or none")
        self.addSeparator()
        self.sink = self._entry("", "A sink logit of 0 for the selected head, or none")
        self.alibi.triggered.connect(self._on_alibi)
        self.sinks.triggered.connect(self._on_sinks)
        self.sink.triggered.connect(self._on_sink)
        self.aboutToShow.connect(self._show)
        self._show()

    def _entry(self, text: str, tip: str) -> QAction:
        action = self.addAction(text)
        action.setCheckable(True)
        action.setStatusTip(tip)
        return action

    def _show(self) -> None:
        """Mark what holds for all heads, and for the selected one."""
        scene, head = self._bench.scene, self._head()
        self.alibi.setChecked(has_standard_slopes(scene))
        own = biases_of(scene).slopes and not self.alibi.isChecked()
        self.alibi.setText("&ALiBi slopes (now others)" if own else "&ALiBi slopes")
        self.sinks.setChecked(has_sinks(scene))
        self.sink.setText(f"Sink logit of &h{scene.index_of(head.uid) + 1}")
        self.sink.setChecked(head.sink is not None)
        for action in (self.alibi, self.sinks):
            action.setEnabled(not why_no_bias(scene))
        self.sink.setEnabled(head.a is None)

    def _on_alibi(self) -> None:
        self._bench.edit(SetAlibi(not has_standard_slopes(self._bench.scene)))

    def _on_sinks(self) -> None:
        self._bench.edit(SetSinks(not has_sinks(self._bench.scene)))

    def _on_sink(self) -> None:
        head = self._head()
        self._bench.edit(add_sink(head.uid) if head.sink is None else set_sink(head.uid, None))

    def _head(self) -> Head:
        return self._bench.scene.head(self._bench.view.cursor.head)


class BiasRows(QWidget):
    """Slope and sink of one head, each shown while any head of the scene has such a thing.

    Signals
    -------
    slope_asked
        The user wants the slope it carries.
    sink_asked
        The user wants the sink logit it carries, None for none.
    refused
        What was typed was not taken; carries the sentence that says why.
    """

    slope_asked = Signal(float)
    sink_asked = Signal(object)
    refused = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.slope = NumberBox(0.0, MOST_SLOPE, SLOPE_STEP)
        self.sink = NumberBox(-MOST_SINK, MOST_SINK, SINK_STEP)
        self.has_sink = QCheckBox("sink")
        self._slope_label = FieldLabel("ALiBi slope", self.slope)
        self._share = FittingLabel()
        self._share.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        rows = QGridLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setHorizontalSpacing(8)
        rows.setVerticalSpacing(3)
        rows.setColumnStretch(1, 1)
        rows.addWidget(self._slope_label, 0, 0, 1, 2)
        rows.addWidget(self.slope, 0, 2)
        rows.addWidget(self.has_sink, 1, 0)
        rows.addWidget(self._share, 1, 1)
        rows.addWidget(self.sink, 1, 2)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setSizePolicy(policy)
        self._describe("")
        put_above(self.slope, Formula.ALIBI)
        put_above(self.sink, Formula.SINK)
        explain(self._share, Formula.SINK)
        self.slope.valueChanged.connect(self.slope_asked)
        self.sink.valueChanged.connect(self._on_sink)
        self.has_sink.clicked.connect(self._on_has_sink)
        for box in (self.slope, self.sink):
            box.refused.connect(self.refused)
        self._kinds = NO_BIASES
        self.hide()

    def number(self, number: int) -> None:
        """Name everything after the head's place, from 1."""
        self.slope.setObjectName(f"slopeBox{number}")
        self.sink.setObjectName(f"sinkBox{number}")
        named(self.has_sink, f"hasSinkBox{number}", f"Sink logit of h{number}", "")
        explain(self.has_sink, Formula.SINK, "Give this head a sink logit, or take it away")
        self._describe(f" of h{number}")

    def _describe(self, of: str) -> None:
        self.slope.describe(f"ALiBi slope{of}", Formula.ALIBI.sentences)
        self.sink.describe(f"Sink logit{of}", Formula.SINK.sentences)

    def stops(self) -> tuple[QWidget, ...]:
        """Return what Tab goes through, in order."""
        return self.slope, self.has_sink, self.sink

    def show_kinds(self, kinds: Biases) -> None:
        """Show the fields of these kinds alone."""
        if kinds == self._kinds:
            return
        self._kinds = kinds
        for parts, are_shown in (
            ((self._slope_label, self.slope), kinds.slopes),
            ((self.has_sink, self._share, self.sink), kinds.sinks),
        ):
            for part in parts:
                part.setVisible(are_shown)
        self.setVisible(kinds.any)

    def show_head(self, head: Head, result: HeadResult, query: int, write: Precision) -> None:
        """Show ``head``, and what its sink takes of row ``query``, from 0."""
        self.slope.show_value(head.slope)
        self.sink.setEnabled(head.sink is not None)
        self.sink.show_value(head.sink or 0.0)
        with QSignalBlocker(self.has_sink):
            self.has_sink.setChecked(head.sink is not None)
        self._share.set_written(partial(sink_texts, result, query), write)

    def restyle(self, small: QFont, palette: QPalette) -> None:
        """Write labels in the card's muted colour, the share small."""
        self._share.setFont(even_digits(small))
        for label in (self._slope_label, self._share):
            label.setPalette(palette)

    def _on_sink(self, sink: float) -> None:
        self.sink_asked.emit(sink)

    def _on_has_sink(self, checked: bool) -> None:
        self.sink_asked.emit(0.0 if checked else None)


def sink_texts(result: HeadResult, query: int, write: Precision) -> tuple[str, ...]:
    """Return what the sink of a head takes of row ``query``, from 0; nothing without one."""
    if result.sink_shares is None:
        return ("",)
    share = float(result.sink_shares[query])
    if math.isnan(share):  # the row sees no key
        return ("",)
    taken = f"{write.fixed(100 * share, 1)} %"
    return (f"takes {taken} of row t{query + 1}", f"takes {taken}", taken)
