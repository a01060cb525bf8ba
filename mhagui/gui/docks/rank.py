"""The rank dock: what a gain changes of a head's rank and what not, and what the heads cost."""

import math
from dataclasses import replace
from functools import lru_cache, partial

import numpy as np
from PySide6.QtWidgets import QPushButton, QSizePolicy, QStackedWidget, QVBoxLayout, QWidget

from mhagui.document import HeadResult, Result, Scene, WhatIf
from mhagui.document.cost import is_standard, parameters_of, score_flops
from mhagui.document.head_result import WeightSpectrum
from mhagui.document.known import why_unknown
from mhagui.formats import UNDEFINED, Precision
from mhagui.gui.bench import Bench, Frame
from mhagui.gui.docks.head_marks import head_columns, head_curve
from mhagui.gui.formulas import Formula
from mhagui.gui.panel import Panel
from mhagui.gui.widgets.colour_range import round_limit
from mhagui.gui.widgets.column_scroll import ColumnScroll
from mhagui.gui.widgets.curve_plot import CurvePlot
from mhagui.gui.widgets.formula_tip import explain
from mhagui.gui.widgets.naming import named
from mhagui.gui.widgets.number_table import Column, Numbers, Row
from mhagui.gui.widgets.page import heading, number_table, page, sentence
from mhagui.gui.worker import Worker

MOST_LIVE_POSITIONS = 256
CHEAP_POSITIONS = 64  # up to here a decomposition costs less than drawing what comes of it
LEAST_RANGE = 2.5  # of the singular values' axis, which so stays put at small T

SCORES_TEXT = (
    "Rank and singular values σ of Q·Kᵀ itself, before the gain: no gain moves them. "
    "The rank is at most d_k\xa0=\xa0{d_k}."
)
WEIGHTS_TEXT = (
    "Effective rank = exp(−Σ p ln p), p = each singular value's share of their sum; 1 to {most}."
)
COMPUTE_TIP = "Decompose the weights A of every head once, as they are now; again: cancel"


def _whole(value: float) -> str:
    return UNDEFINED if math.isnan(value) else f"{value:,.0f}"


class RankDock(Panel):
    """Score rank, effective rank, parameters and score FLOPs of the scene."""

    is_complete_undrawn = True

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench, "rankDock", "Rank")
        self._scores_text, self._weights_text = sentence(), sentence()
        self._parameters_text, self._flops_text = sentence(), sentence("scoreFlops")
        self.rank_table = number_table("rankTable", "Rank and singular values of Q·Kᵀ, per head", 6)
        self.effective_table = number_table(
            "effectiveRankTable", "Effective rank of A, per head", 1
        )
        self.parameter_table = number_table("parameterTable", "Parameters of the projections", 1)
        self.parameter_table.verticalHeader().hide()
        explain(self._scores_text, Formula.SCORE_RANK)
        explain(self._weights_text, Formula.EFFECTIVE_RANK)
        explain(self._parameters_text, Formula.PARAMETERS)
        explain(self._flops_text, Formula.SCORE_FLOPS)
        self._spectrum = _Spectrum()
        self._spectrum.button.clicked.connect(self._on_compute)
        self._awaited: list[WeightSpectrum] = []
        self._worker = Worker(self)
        self.set_body(ColumnScroll(self._make_body()))

    def _make_body(self) -> QWidget:
        parts = [
            heading("Scores Q·Kᵀ: what a gain does not change", Formula.SCORE_RANK),
            self._scores_text,
            self.rank_table,
            heading("Weights A: what a gain does change", Formula.EFFECTIVE_RANK),
            self._weights_text,
            self.effective_table,
            self._spectrum,
            heading("Parameters", Formula.PARAMETERS),
            self._parameters_text,
            self.parameter_table,
            heading("Score FLOPs", Formula.SCORE_FLOPS),
            self._flops_text,
        ]
        return page(*parts, stretched=self._spectrum)

    def show_frame(self, frame: Frame, previous: Frame | None) -> None:
        """Draw what has changed of weights and sizes."""
        if previous is None or frame.result is not previous.result:
            self._show_weights(frame)
        column = frame.scene.index_of(frame.view.cursor.head)
        self.rank_table.mark_column(column)
        self.effective_table.mark_column(column)

    def keep_up(self, frame: Frame) -> None:
        """Show what is cheap to know, unlike the decompositions of A below."""
        # Where no head has queries, 1 stands in for d_k: what there is of it means nothing.
        is_unknown = all(head.a is not None for head in frame.scene.heads)
        for table in (self.rank_table, self.parameter_table):
            table.setHidden(is_unknown)
        if is_unknown:
            for text in (self._scores_text, self._parameters_text, self._flops_text):
                text.setText(why_unknown(("queries",), frame.scene))
        else:
            self._scores_text.setText(SCORES_TEXT.format(d_k=frame.scene.d_k))
            self.rank_table.set_numbers(_rank_numbers(frame))
            self._show_cost(frame.scene)
        if _work(frame.result.allowed.shape) <= CHEAP_POSITIONS**3:
            self._show_effective_ranks(frame)

    def _show_weights(self, frame: Frame) -> None:
        result, scene = frame.result, frame.scene
        n_known = self._show_effective_ranks(frame)
        name = "T_k" if scene.n_keys < scene.n_positions else "T"
        most = f"{name}\xa0=\xa0{min(scene.n_positions, scene.n_keys)}"
        self._weights_text.setText(WEIGHTS_TEXT.format(most=most))
        shown = [head.weight_spectrum for head in result.heads]
        if any(spectrum not in shown for spectrum in self._awaited):
            self._wait_no_longer()
        if n_known == len(result.heads):
            self._spectrum.show_curves(result)
        elif not self._awaited:
            shape = scene.n_positions, scene.n_keys
            self._spectrum.ask(*shape, len(result.heads) - n_known)

    def _show_effective_ranks(self, frame: Frame) -> int:
        """Show those that are known or cheap, and return how many they are."""
        result, rows = frame.result, _effective_rows(frame.view.appearance.precision)
        known = [is_affordable(head) for head in result.heads]
        ranks = [
            head.effective_rank if is_known else math.nan
            for head, is_known in zip(result.heads, known, strict=True)
        ]
        self.effective_table.set_numbers(Numbers(rows, head_columns(result), np.array([ranks])))
        return sum(known)

    def _show_cost(self, scene: Scene) -> None:
        sizes = WhatIf.of(scene)
        count = parameters_of(sizes)
        self._parameters_text.setText(_parameter_formula(sizes, count.total))
        self.parameter_table.set_numbers(
            Numbers(_PARAMETER_ROWS, _PARAMETER_COLUMNS, np.array([count], dtype=float))
        )
        self._flops_text.setText(_flops_formula(sizes))

    def _on_compute(self) -> None:
        """Begin, or go no further than the head that is at work."""
        if self._awaited:
            self._wait_no_longer()
            self.redraw()
            return
        heads = self.bench.frame.result.heads
        self._awaited = [head.weight_spectrum for head in heads if not is_affordable(head)]
        self._decompose_next()

    def _decompose_next(self, _: float = 0.0) -> None:
        self._awaited = [spectrum for spectrum in self._awaited if not spectrum.is_known]
        if not self._awaited:
            self.redraw()  # there is more to draw of the same frame
            return
        self._spectrum.count_down(len(self._awaited))
        decompose = partial(_decompose, self._awaited[0])
        self._worker.run(decompose, self._decompose_next, self._on_failed)

    def _on_failed(self, _: Exception) -> None:
        self._wait_no_longer()
        self.redraw()

    def _wait_no_longer(self) -> None:
        self._awaited.clear()
        self._worker.cancel()


class _Spectrum(QStackedWidget):
    """The singular values of A as curves, or the reason why they are not there and a button."""

    def __init__(self) -> None:
        super().__init__()
        self.plot = CurvePlot("index k", "σ_k of A")
        named(self.plot, "spectrumPlot", "Singular values of the weights A, per head", "")
        explain(self.plot, Formula.SINGULAR_VALUES)
        self._reason = explain(sentence(), Formula.SINGULAR_VALUES)
        self.button = QPushButton("Compute")
        named(self.button, "computeRankButton", "Compute the singular values of A", COMPUTE_TIP)
        self.button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        request = QWidget()
        column = QVBoxLayout(request)
        column.setContentsMargins(0, 4, 0, 0)
        column.addWidget(self._reason)
        column.addWidget(self.button)
        column.addStretch(1)
        self.addWidget(self.plot)
        self.addWidget(request)

    def show_curves(self, result: Result) -> None:
        """Show the singular values of every head, on a round range that stays put in a drag."""
        heads = enumerate(result.heads, 1)
        values = [head.weight_singular_values for head in result.heads]
        # √T is the most there can be; at large T little comes near it.
        most = min(math.sqrt(len(result.allowed)), max(round_limit(*values), LEAST_RANGE))
        self.plot.set_y_range(0.0, most)
        curves = [head_curve(number, head, head.weight_singular_values) for number, head in heads]
        self.plot.set_curves(curves)
        self.setCurrentIndex(0)

    def ask(self, n_positions: int, n_keys: int, n_heads: int) -> None:
        """Offer to decompose the weights of ``n_heads`` heads, and say why it is not done yet."""
        some = f"{n_heads} decompositions" if n_heads > 1 else "one decomposition"
        self._reason.setText(
            f"T = {n_positions}: {some} of {n_positions} × {n_keys} would take too long to "
            f"follow a gain, so they are not live above T = {MOST_LIVE_POSITIONS}."
        )
        self.button.setText("Compute")
        self.setCurrentIndex(1)

    def count_down(self, n_heads: int) -> None:
        """Show that it is being computed, with ``n_heads`` to go, and offer to cancel."""
        self.button.setText(f"Cancel ({n_heads} to go)")


def is_affordable(head: HeadResult) -> bool:
    """Return whether the spectrum of A may be asked for: it is small, or known already."""
    return _work(head.weights.shape) <= MOST_LIVE_POSITIONS**3 or head.weight_spectrum.is_known


def _work(shape: tuple[int, ...]) -> int:
    """Return what a decomposition of A costs, as T³ does where it is T × T."""
    return math.prod(shape) * min(shape)


def _decompose(spectrum: WeightSpectrum) -> float:
    return spectrum.effective_rank


def _rank_numbers(frame: Frame) -> Numbers:
    """Return the score ranks, and below them the singular values of Q·Kᵀ as far as there are."""
    result, d_k = frame.result, frame.scene.d_k
    values = np.full((1 + d_k, len(result.heads)), np.nan)
    for column, head in enumerate(result.heads):
        sigma = head.score_singular_values
        values[0, column] = math.nan if head.score_rank is None else head.score_rank
        values[1 : 1 + len(sigma), column] = sigma
    return Numbers(_rank_rows(d_k, frame.view.appearance.precision), head_columns(result), values)


@lru_cache(maxsize=1)  # rows are the same while they are written by the same function
def _rank_rows(d_k: int, write: Precision) -> tuple[Row, ...]:
    sigma = partial(Row, write=write.significant, formula=Formula.SCORE_SINGULAR_VALUES)
    sigmas = (sigma(f"σ{k}") for k in range(1, d_k + 1))
    return (Row("rank", _whole, formula=Formula.SCORE_RANK), *sigmas)


@lru_cache(maxsize=1)
def _effective_rows(write: Precision) -> tuple[Row, ...]:
    return (Row("eff. rank", write.significant, formula=Formula.EFFECTIVE_RANK),)


def _parameter_formula(sizes: WhatIf, total: int) -> str:
    d, heads, d_k, d_v = sizes.d_model, sizes.n_heads, sizes.d_k, sizes.d_v
    if is_standard(sizes) and not sizes.is_shared:
        return f"4·d² = 4 · {d}² = {total:,} (d\xa0=\xa0d_model = H·d_k = H·d_v)"
    name, own = ("H_kv" if sizes.is_shared else "H"), sizes.key_heads
    return (
        f"d·H·d_k + d·{name}·d_k + d·{name}·d_v + H·d_v·d = {d}·{heads}·{d_k} + {d}·{own}·{d_k} + "
        f"{d}·{own}·{d_v} + {heads}·{d_v}·{d} = {total:,} (d\xa0=\xa0d_model)"
    )


def _flops_formula(sizes: WhatIf) -> str:
    t, heads, d_k = sizes.n_positions, sizes.n_heads, sizes.d_k
    wide = replace(sizes, n_heads=1, d_k=heads * d_k)
    return (
        f"{heads} {'head' if heads == 1 else 'heads'} of width d_k\xa0=\xa0{d_k}: "
        f"2·T²·H·d_k = 2\xa0·\xa0{t}²\xa0·\xa0{heads}\xa0·\xa0{d_k} = {score_flops(sizes):,}; "
        f"one head of width H·d_k\xa0=\xa0{wide.d_k}: the same {score_flops(wide):,}."
    )


_PARAMETER_ROWS = (Row("parameters", _whole),)
_PARAMETER_COLUMNS = (
    Column("W_Q", formula=Formula.QUERY_PARAMETERS),
    Column("W_K", formula=Formula.QUERY_PARAMETERS),
    Column("W_V", formula=Formula.VALUE_PARAMETERS),
    Column("W_O", formula=Formula.VALUE_PARAMETERS),
    Column("total", formula=Formula.PARAMETERS),
)
