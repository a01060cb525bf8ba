"""What the tables and plots of the cost dock show of given sizes."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache, partial

import numpy as np
from PySide6.QtGui import QColor

from mhagui.document.cost import (
    BYTES,
    LENGTHS,
    Case,
    costs_of,
    over_lengths,
    overtaking,
    parameters_of,
    with_heads,
)
from mhagui.document.view_state import WhatIf
from mhagui.formats import UNDEFINED, Precision
from mhagui.gui.formulas import Formula
from mhagui.gui.widgets.curve_legend import SYMBOLS
from mhagui.gui.widgets.curve_plot import Curve
from mhagui.gui.widgets.number_table import Column, Numbers, Row
from mhagui.palette import HEAD_COLOURS

FIRST_LONG = 10_000_000_000  # from here on a count is written in six digits

_BLUE, _GREEN, _RED, _VIOLET = (QColor(HEAD_COLOURS[number]) for number in (0, 2, 4, 6))
_CIRCLE, _SQUARE, _TRIANGLE, _DIAMOND, _STAR, _, _PENTAGON, _PLUS = SYMBOLS


def count_text(value: float, write: Precision) -> str:
    """Return a count with separators: 1,073,741,824; from ten thousand millions on 1.09951e12."""
    if math.isnan(value):
        return UNDEFINED
    return f"{value:,.0f}" if value < FIRST_LONG or write.is_exact else write.short(value, 6)


def bytes_text(value: float, write: Precision) -> str:
    """Return a number of bytes in the largest unit that leaves it at least 1: 48 B, 4.00 MiB."""
    power = min(int(value).bit_length() - 1, 60) // 10
    if power < 1:
        return f"{value:.0f} B"
    return f"{write.significant(value / 1024**power, 3)} {'KMGTPE'[power - 1]}iB"


def _exponentials_text(value: float, write: Precision) -> str:
    if math.isnan(value) or value < 1e8:
        return UNDEFINED if math.isnan(value) else f"{value:,.0f} exp"
    return f"{count_text(value, write) if write.is_exact else write.short(value, 6)} exp"


@lru_cache(maxsize=1)  # rows are the same while they are written by the same function
def _counts(write: Precision) -> Callable[[float], str]:
    return partial(count_text, write=write)


def stage_numbers(sizes: WhatIf, write: Precision) -> Numbers:
    """Return multiply-adds and FLOPs of each stage, in the order they are done in."""
    costs = costs_of(sizes)
    stages = (
        ("Q, K, V", costs.projections, Formula.PROJECTION_COST),
        ("scores", costs.scores, Formula.SCORE_COST),
        ("softmax", costs.exponentials, Formula.EXPONENTIALS),
        ("A·V", costs.weighted_sums, Formula.MIX_COST),
        ("W_O", costs.output_projection, Formula.OUTPUT_COST),
        ("total", costs.multiply_adds, Formula.TOTAL_COST),
    )
    rows = tuple(_stage_row(*stage, write) for stage in stages)
    counts = np.array([float(count) for _, count, _ in stages])
    values = np.column_stack([counts, 2 * counts])
    values[2, 1] = np.nan  # an exponential is no multiply-add
    return Numbers(rows, _STAGE_COLUMNS, values)


def _stage_row(label: str, count: int, formula: Formula, write: Precision) -> Row:
    said = partial(_exponentials_text, write=write) if label == "softmax" else _counts(write)
    return Row(label, said, "", _tip(formula, count), label == "total", formula)


def _tip(formula: Formula, count: int) -> str:
    return f"{formula.sentences}\nHere: {count:,}."


_STAGE_COLUMNS = (
    Column("multiply–adds", formula=Formula.TOTAL_COST),
    Column("FLOPs", formula=Formula.FLOPS),
)


def element_numbers(sizes: WhatIf, write: Precision) -> Numbers:
    """Return how many numbers each matrix has, of all heads and of one."""
    count, costs = parameters_of(sizes), costs_of(sizes)
    matrices = (
        ("W_Q", count.q, Formula.QUERY_PARAMETERS),
        ("W_K", count.k, Formula.QUERY_PARAMETERS),
        ("W_V", count.v, Formula.VALUE_PARAMETERS),
        ("W_O", count.o, Formula.VALUE_PARAMETERS),
        ("parameters", count.total, Formula.PARAMETERS),
        ("weights A", costs.weights, Formula.WEIGHT_COUNT),
        ("KV cache", costs.cache, Formula.CACHE),
    )
    said = _counts(write)
    rows = tuple(Row(label, said, tip=_tip(of, n), formula=of) for label, n, of in matrices)
    elements = np.array([float(number) for _, number, _ in matrices])
    values = np.column_stack([elements, elements / sizes.n_heads])
    return Numbers(rows, _ELEMENT_COLUMNS, values)


_ELEMENT_COLUMNS = (
    Column("numbers", "How many numbers there are", formula=Formula.PARAMETERS),
    Column("per head", "How many of them are one head's", formula=Formula.PARAMETERS),
)


def memory_numbers(sizes: WhatIf, write: Precision) -> Numbers:
    """Return the bytes of parameters, weights and keys and values, by the kind of number."""
    costs = costs_of(sizes)
    elements = (parameters_of(sizes).total, costs.weights, costs.cache)
    values = np.outer(np.array(elements, dtype=float), list(BYTES.values()))
    return Numbers(_memory_rows(write), _MEMORY_COLUMNS, values)


@lru_cache(maxsize=1)
def _memory_rows(write: Precision) -> tuple[Row, ...]:
    said = partial(bytes_text, write=write)
    return (
        Row("parameters", said, formula=Formula.PARAMETERS),
        Row("weights A", said, formula=Formula.WEIGHT_COUNT),
        Row("KV cache", said, formula=Formula.CACHE),
    )


_MEMORY_COLUMNS = tuple(Column(kind, formula=Formula.MEMORY) for kind in BYTES)


def case_numbers(case: Case, n_positions: int, write: Precision) -> Numbers:
    """Return what the layers of ``case`` have and hold, a row to each."""
    layers = case.layers(n_positions)
    rows = tuple(Row(f"H = {sizes.n_heads}", _counts(write), tip=CASE_TIP) for sizes in layers)
    values = [[sizes.d_k, parameters_of(sizes).total, costs_of(sizes).weights] for sizes in layers]
    return Numbers(rows, _CASE_COLUMNS, np.array(values, dtype=float))


CASE_TIP = "A click, or Enter, takes these sizes; T stays"
_CASE_COLUMNS = (
    Column(
        "d_k",
        "Width of each head; the rank of its Q·Kᵀ is at most this",
        formula=Formula.SCORE_RANK,
    ),
    Column("parameters", formula=Formula.PARAMETERS),
    Column("weights H·T²", formula=Formula.WEIGHT_COUNT),
)


def length_curves(sizes: WhatIf, ink: QColor) -> list[Curve]:
    """Return what grows with T, and in ``ink`` the point where the T² part overtakes."""
    costs = over_lengths(sizes)
    meet = overtaking(sizes)
    there = costs_of(replace(sizes, n_positions=meet)).linear
    curve = partial(_curve, LENGTHS)
    return [
        curve(
            "Q, K, V and W_O", [each.linear for each in costs], _BLUE, _CIRCLE, Formula.LINEAR_COST
        ),
        curve(
            "scores and A·V",
            [each.quadratic for each in costs],
            _RED,
            _SQUARE,
            Formula.QUADRATIC_COST,
        ),
        curve(
            "weights H·T²", [each.weights for each in costs], _GREEN, _STAR, Formula.WEIGHT_COUNT
        ),
        curve("KV cache", [each.cache for each in costs], _VIOLET, _PENTAGON, Formula.CACHE),
        _curve([meet], f"T* = {meet:,}", [there], ink, _PLUS, Formula.OVERTAKING),
    ]


def head_curves(sizes: WhatIf) -> list[Curve]:
    """Return parameters, multiply-adds and weights over H, with d_k = d_model/H and with d_k kept.

    The weights do not depend on d_k, and so are one curve.
    """
    divided, kept = with_heads(sizes, keep_widths=False), with_heads(sizes, keep_widths=True)
    curves = []
    for layers, tail, symbols in (
        (divided, "d_k = d_model/H", (_CIRCLE, _SQUARE)),
        (kept, f"d_k = {sizes.d_k:,} kept", (_TRIANGLE, _DIAMOND)),
    ):
        heads = [layer.n_heads for layer in layers]
        totals = [parameters_of(layer).total for layer in layers]
        adds = [costs_of(layer).multiply_adds for layer in layers]
        sizes_of = _curve(
            heads, f"parameters, {tail}", totals, _BLUE, symbols[0], Formula.PARAMETERS
        )
        work = _curve(heads, f"multiply–adds, {tail}", adds, _RED, symbols[1], Formula.TOTAL_COST)
        curves += [sizes_of, work]
    heads = [layer.n_heads for layer in kept]
    weights = [costs_of(layer).weights for layer in kept]
    of_weights = _curve(heads, "weights H·T²", weights, _GREEN, _STAR, Formula.WEIGHT_COUNT)
    return [*curves, of_weights]


def _curve(
    at: Sequence[int],
    label: str,
    values: Sequence[int],
    colour: QColor,
    symbol: str,
    formula: Formula,
) -> Curve:
    heights, places = np.array(values, dtype=float), np.array(at, dtype=float)
    return Curve(label, heights, colour, symbol, at=places, formula=formula)
