"""What the tables and plots of the cost dock show of given sizes."""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from PySide6.QtGui import QColor

from mhagui.core import overtaking_length
from mhagui.document.cost import (
    BYTES,
    LENGTHS,
    Case,
    costs_of,
    over_lengths,
    parameters_of,
    with_heads,
)
from mhagui.document.view_state import WhatIf
from mhagui.formats import UNDEFINED, short, significant
from mhagui.gui.widgets.curve_legend import SYMBOLS
from mhagui.gui.widgets.curve_plot import Curve
from mhagui.gui.widgets.number_table import Column, Numbers, Row
from mhagui.palette import HEAD_COLOURS

FIRST_LONG = 10_000_000_000  # from here on a count is written in six digits

_BLUE, _GREEN, _RED, _VIOLET = (QColor(HEAD_COLOURS[number]) for number in (0, 2, 4, 6))
_CIRCLE, _SQUARE, _TRIANGLE, _DIAMOND, _STAR, _, _PENTAGON, _PLUS = SYMBOLS


def count_text(value: float) -> str:
    """Return a count with separators: 1,073,741,824; from ten thousand millions on 1.09951e12."""
    if math.isnan(value):
        return UNDEFINED
    return f"{value:,.0f}" if value < FIRST_LONG else short(value, 6)


def bytes_text(value: float) -> str:
    """Return a number of bytes in the largest unit that leaves it at least 1: 48 B, 4.00 MiB."""
    power = min(int(value).bit_length() - 1, 60) // 10
    if power < 1:
        return f"{value:.0f} B"
    return f"{significant(value / 1024**power, 3)} {'KMGTPE'[power - 1]}iB"


def _exponentials_text(value: float) -> str:
    if math.isnan(value):
        return UNDEFINED
    return f"{value:,.0f} exp" if value < 1e8 else f"{short(value, 6)} exp"


def stage_numbers(sizes: WhatIf) -> Numbers:
    """Return multiply-adds and FLOPs of each stage, in the order they are done in."""
    costs = costs_of(sizes)
    stages = (
        ("Q, K, V", costs.projections, "X·W_Q, X·W_K and X·W_V: T·d_model·H·(2·d_k + d_v)"),
        ("scores", costs.scores, "Q·Kᵀ of all heads, masked cells too: T²·H·d_k"),
        ("softmax", costs.exponentials, "Exponentials, counted apart: H·T²"),
        ("A·V", costs.weighted_sums, "A·V of all heads, masked cells too: T²·H·d_v"),
        ("W_O", costs.output_projection, "Concat·W_O: T·H·d_v·d_model"),
        ("total", costs.multiply_adds, "All multiply–adds, without the exponentials"),
    )
    rows = tuple(_stage_row(*stage) for stage in stages)
    counts = np.array([float(count) for _, count, _ in stages])
    values = np.column_stack([counts, 2 * counts])
    values[2, 1] = np.nan  # an exponential is no multiply-add
    return Numbers(rows, _STAGE_COLUMNS, values)


def _stage_row(label: str, count: int, formula: str) -> Row:
    write = _exponentials_text if label == "softmax" else count_text
    return Row(label, write, tip=f"{formula} = {count:,}", summary=label == "total")


_STAGE_COLUMNS = (
    Column("multiply–adds"),
    Column("FLOPs", "Floating-point operations: a multiply–add counts two"),
)


def element_numbers(sizes: WhatIf) -> Numbers:
    """Return how many numbers each matrix has, of all heads and of one."""
    count, costs = parameters_of(sizes), costs_of(sizes)
    matrices = (
        ("W_Q", count.q, "d_model·H·d_k"),
        ("W_K", count.k, "d_model·H·d_k"),
        ("W_V", count.v, "d_model·H·d_v"),
        ("W_O", count.o, "H·d_v·d_model"),
        ("parameters", count.total, "W_Q, W_K, W_V and W_O: 2·d_model·H·(d_k + d_v)"),
        ("weights A", costs.weights, "Weights of all heads: H·T²"),
        ("KV cache", costs.cache, f"{_CACHE}: T·H·(d_k + d_v)"),
    )
    rows = tuple(Row(label, count_text, tip=f"{tip} = {n:,}") for label, n, tip in matrices)
    elements = np.array([float(number) for _, number, _ in matrices])
    values = np.column_stack([elements, elements / sizes.n_heads])
    return Numbers(rows, _ELEMENT_COLUMNS, values)


_CACHE = "K and V of all heads, kept for the next position"
_ELEMENT_COLUMNS = (
    Column("numbers", "How many numbers there are"),
    Column("per head", "How many of them are one head's"),
)


def memory_numbers(sizes: WhatIf) -> Numbers:
    """Return the bytes of parameters, weights and keys and values, by the kind of number."""
    costs = costs_of(sizes)
    elements = (parameters_of(sizes).total, costs.weights, costs.cache)
    values = np.outer(np.array(elements, dtype=float), list(BYTES.values()))
    return Numbers(_MEMORY_ROWS, _MEMORY_COLUMNS, values)


_MEMORY_ROWS = (
    Row("parameters", bytes_text, tip="W_Q, W_K, W_V and W_O"),
    Row("weights A", bytes_text, tip="Weights of all heads, H·T² numbers"),
    Row("KV cache", bytes_text, tip=_CACHE),
)
_MEMORY_COLUMNS = tuple(
    Column(kind, f"{size} bytes to a number; 1 KiB is 1,024 bytes") for kind, size in BYTES.items()
)


def case_numbers(case: Case, n_positions: int) -> Numbers:
    """Return what the layers of ``case`` have and hold, a row to each."""
    layers = case.layers(n_positions)
    rows = tuple(Row(f"H = {sizes.n_heads}", count_text, tip=CASE_TIP) for sizes in layers)
    values = [[sizes.d_k, parameters_of(sizes).total, costs_of(sizes).weights] for sizes in layers]
    return Numbers(rows, _CASE_COLUMNS, np.array(values, dtype=float))


CASE_TIP = "A click, or Enter, takes these sizes; T stays"
_CASE_COLUMNS = (
    Column("d_k", "Width of each head; the rank of its Q·Kᵀ is at most this"),
    Column("parameters", "W_Q, W_K, W_V and W_O: 2·d_model·H·(d_k + d_v)"),
    Column("weights H·T²", "Weights A to hold, and exponentials to compute, at this T"),
)


def length_curves(sizes: WhatIf, ink: QColor) -> list[Curve]:
    """Return what grows with T, and in ``ink`` the point where the T² part overtakes."""
    costs = over_lengths(sizes)
    meet = overtaking_length(sizes.d_model)
    there = costs_of(replace(sizes, n_positions=meet)).linear
    curve = partial(_curve, LENGTHS)
    return [
        curve("Q, K, V and W_O", [cost.linear for cost in costs], _BLUE, _CIRCLE),
        curve("scores and A·V", [cost.quadratic for cost in costs], _RED, _SQUARE),
        curve("weights H·T²", [cost.weights for cost in costs], _GREEN, _STAR),
        curve("KV cache", [cost.cache for cost in costs], _VIOLET, _PENTAGON),
        _curve([meet], f"T* = {meet:,}", [there], ink, _PLUS),
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
        curves.append(_curve(heads, f"parameters, {tail}", totals, _BLUE, symbols[0]))
        curves.append(_curve(heads, f"multiply–adds, {tail}", adds, _RED, symbols[1]))
    heads = [layer.n_heads for layer in kept]
    weights = [costs_of(layer).weights for layer in kept]
    return [*curves, _curve(heads, "weights H·T²", weights, _GREEN, _STAR)]


def _curve(
    at: Sequence[int], label: str, values: Sequence[int], colour: QColor, symbol: str
) -> Curve:
    return Curve(label, np.array(values, dtype=float), colour, symbol, at=np.array(at, dtype=float))
