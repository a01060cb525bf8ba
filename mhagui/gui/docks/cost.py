"""The cost dock: what a layer of any size costs, and how that grows with T and H."""

from functools import partial
from typing import ClassVar

from PySide6.QtCore import QModelIndex
from PySide6.QtWidgets import QLabel, QWidget

from mhagui.document import Scene, ViewState
from mhagui.document.cost import (
    CASES,
    Case,
    costs_of,
    is_divisible,
    is_standard,
    overtaking,
    with_size,
    with_standard_widths,
)
from mhagui.document.known import Need
from mhagui.document.view_state import WhatIf
from mhagui.formats import Precision
from mhagui.gui.bench import Bench, Frame
from mhagui.gui.docks.cost_sizes import CostSizes
from mhagui.gui.docks.cost_tables import (
    CASE_TIP,
    case_numbers,
    element_numbers,
    head_curves,
    length_curves,
    memory_numbers,
    stage_numbers,
)
from mhagui.gui.docks.key_heads import KeyHeadLegend
from mhagui.gui.formulas import Formula
from mhagui.gui.panel import Panel
from mhagui.gui.theme import theme_of
from mhagui.gui.widgets.column_scroll import ColumnScroll
from mhagui.gui.widgets.formula_tip import explain
from mhagui.gui.widgets.log_plot import LogPlot
from mhagui.gui.widgets.naming import named
from mhagui.gui.widgets.number_table import COPY_TIP, NumberTable
from mhagui.gui.widgets.page import heading, number_table, page, sentence, unbroken

LENGTH_TIP = (
    "Multiply–adds, and numbers to hold, over T at the other sizes above; both axes logarithmic, "
    "so a line's slope is the power of T. The vertical line is the T above"
)
HEADS_TIP = (
    "What grows with H at the d_model and T above, both axes logarithmic. "
    "The vertical line is the H above"
)
STAGES_TEXT = "For one sequence of T positions; the exponentials of the softmax are counted apart."
HEADS_TEXT = (
    "With d_k = d_v = d_model/H parameters and multiply–adds stay and the weights H·T² grow; "
    "with d_k and d_v kept all grow with H. Each head has keys and values of its own here."
)


class CostDock(Panel):
    """What-if sizes, and what a layer of these sizes costs."""

    needs: ClassVar[tuple[Need, ...]] = ("values", "queries")

    is_complete_undrawn = True

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench, "costDock", "Cost")
        self._shown: WhatIf | None = None
        self.sizes, self._key_heads = CostSizes(), KeyHeadLegend()
        self._stages = number_table("costStages", "Operations of each stage")
        self._elements = number_table("costElements", "Numbers in each matrix")
        self._memory = number_table("costMemory", "Bytes of parameters, weights and cache")
        self._overtaking = explain(sentence("costOvertaking"), Formula.OVERTAKING)
        self._over_t = _plot(
            "costOverT", "T", "count", "Multiply–adds, weights and cache over T", LENGTH_TIP
        )
        self._over_h = _plot(
            "costOverH", "H", "count", "Parameters, multiply–adds and weights over H", HEADS_TIP
        )
        self._cases = [_case_table(case) for case in CASES]
        self._connect()
        self.set_body(ColumnScroll(self._make_body()))

    def _connect(self) -> None:
        self.sizes.changed.connect(self._on_changed)
        self.sizes.tied.connect(self._on_tied)
        self.sizes.bench_wanted.connect(self._on_bench_wanted)
        self.sizes.refused.connect(self.bench.refused)
        for case, table in zip(CASES, self._cases, strict=True):
            # Not when a row becomes the current one: Tab would make the first row that.
            table.clicked.connect(partial(self._on_case, case))
            table.activated.connect(partial(self._on_case, case))

    def _make_body(self) -> QWidget:
        parts: list[QWidget] = [
            heading("Sizes of a layer", Formula.SIZES),
            self.sizes,
            self._key_heads,
            heading("Operations", Formula.TOTAL_COST),
            _text(STAGES_TEXT, Formula.TOTAL_COST),
            self._stages,
            heading("Where T² overtakes", Formula.OVERTAKING),
            self._overtaking,
            self._over_t,
            heading("Parameters and memory", Formula.MEMORY),
            self._elements,
            self._memory,
            heading("More heads", Formula.PARAMETERS),
            _text(HEADS_TEXT, Formula.PARAMETERS),
            self._over_h,
        ]
        for case, numbers in zip(CASES, self._cases, strict=True):
            parts += [heading(case.title, Formula.PARAMETERS)]
            parts += [_text(case.text, Formula.PARAMETERS), numbers]
        return page(*parts)

    def show_frame(self, frame: Frame, previous: Frame | None) -> None:
        """Draw what the sizes of this frame cost."""
        sizes = _sizes(frame.view, frame.scene)
        tied = _widths_follow(frame.view, frame.scene)
        self.sizes.show_sizes(sizes, tied=tied, of_bench=frame.view.what_if is None)
        self._key_heads.show_scene(frame.scene)
        if previous is None or sizes != self._shown:
            self._shown = sizes
            self._show_costs(sizes, frame.view.appearance.precision)

    def _show_costs(self, sizes: WhatIf, write: Precision) -> None:
        self._stages.set_numbers(stage_numbers(sizes, write))
        self._elements.set_numbers(element_numbers(sizes, write))
        self._memory.set_numbers(memory_numbers(sizes, write))
        self._overtaking.setText(_overtaking_text(sizes, write))
        self._over_t.set_curves(length_curves(sizes, theme_of(self.palette()).text))
        self._over_t.set_cursor(sizes.n_positions)
        self._over_h.set_curves(head_curves(sizes))
        self._over_h.set_cursor(sizes.n_heads)
        for case, table in zip(CASES, self._cases, strict=True):
            table.set_numbers(case_numbers(case, sizes.n_positions, write))
            layers = case.layers(sizes.n_positions)
            if sizes in layers:
                table.follow_row(layers.index(sizes))
            else:
                table.clearSelection()

    def _on_changed(self, field: str, number: int) -> None:
        sizes = with_size(_sizes(self.bench.view, self.bench.scene), field, number)
        tied = _widths_follow(self.bench.view, self.bench.scene)
        if tied:
            sizes = with_standard_widths(sizes)
        self.bench.look(what_if=sizes, widths_follow=tied)

    def _on_tied(self, tied: bool) -> None:
        sizes = _sizes(self.bench.view, self.bench.scene)
        sizes = with_standard_widths(sizes) if tied else sizes
        self.bench.look(what_if=sizes, widths_follow=tied)

    def _on_bench_wanted(self) -> None:
        self.bench.look(what_if=None)

    def _on_case(self, case: Case, index: QModelIndex) -> None:
        sizes = _sizes(self.bench.view, self.bench.scene)
        wanted = case.layers(sizes.n_positions)[index.row()]
        self.bench.look(what_if=wanted, widths_follow=case.d_k is None)


def _sizes(view: ViewState, scene: Scene) -> WhatIf:
    return view.what_if or WhatIf.of(scene)


def _widths_follow(view: ViewState, scene: Scene) -> bool:
    """Return whether d_k and d_v follow d_model and H; the sizes may belie what was asked for."""
    sizes = _sizes(view, scene)
    if view.what_if is None:
        return is_standard(sizes)
    return view.widths_follow and (is_standard(sizes) or not is_divisible(sizes))


def _overtaking_text(sizes: WhatIf, write: Precision) -> str:
    costs, at = costs_of(sizes), overtaking(sizes)
    allowed = overtaking(sizes, masked_cells=False)
    once, twice, others = "2·d_model", "4·d_model − 1", "H, d_k and d_v"
    if sizes.is_shared:
        once, others = "(1 + H_kv/H)·d_model", "d_k and d_v"
        twice = "2·(1 + H_kv/H)·d_model − 1"
    percent = 100 * costs.quadratic / costs.multiply_adds
    return unbroken(
        f"Beyond T* = {once} = {at:,} scores and A·V (∝ T²) cost more than the projections "
        f"(∝ T), whatever {others}; at T = {sizes.n_positions:,} they are "
        f"{write.fixed(percent, 1)} % of all multiply–adds. Masked cells count too: "
        f"for the allowed keys alone T* = {twice} = {allowed:,}."
    )


def _text(text: str, formula: Formula) -> QLabel:
    return explain(sentence(text=unbroken(text)), formula)


def _case_table(case: Case) -> NumberTable:
    name = f"cost{case.title.replace(' ', '')}"
    table = number_table(name, f"{case.title}: {case.text}", whole_rows=True)
    table.setToolTip(f"{CASE_TIP}. {COPY_TIP}")
    return table


def _plot(object_name: str, x: str, y: str, accessible_name: str, tip: str) -> LogPlot:
    return explain(named(LogPlot(x, y), object_name, accessible_name, ""), Formula.TOTAL_COST, tip)
