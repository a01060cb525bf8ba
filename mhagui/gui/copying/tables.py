"""The tables of numbers that panels show, from a frame, in full precision."""

from collections.abc import Iterable, Sequence

import numpy as np

from mhagui.data.matrix_text import Table
from mhagui.document import HeadResult, WhatIf
from mhagui.document.cost import LENGTHS, costs_of, parameters_of, with_heads
from mhagui.document.cost import over_lengths as costs_over_lengths
from mhagui.document.designs import design_of
from mhagui.document.filter_bank import ablation_sites, filter_bank, why_no_wrong_site
from mhagui.document.information import places_of, study_divergences, study_information
from mhagui.document.pipeline import BIASED, Axis, StageMatrix, row_arithmetic
from mhagui.document.records import Array
from mhagui.document.response import FREQUENCIES, row_response, spectra
from mhagui.errors import UserError
from mhagui.formats import head_columns, positions
from mhagui.gui.bench import Frame
from mhagui.gui.docks import cost_tables
from mhagui.gui.docks.rank import MOST_LIVE_POSITIONS, is_affordable
from mhagui.gui.widgets.number_table import Numbers

Labels = Sequence[str]


def place_of(frame: Frame) -> int:
    """Return the place of the cursor's head, from 0."""
    return frame.scene.index_of(frame.view.cursor.head)


def _head(frame: Frame) -> HeadResult:
    return frame.result.heads[place_of(frame)]


def _heads(frame: Frame) -> tuple[str, ...]:
    return positions(frame.scene.n_heads, "h")


def _by_position(title: str, frame: Frame, values: Array, columns: Labels) -> Table:
    return Table(title, positions(frame.scene.n_positions), columns, values)


def _in_output(title: str, frame: Frame, values: Array) -> Table:
    return _by_position(title, frame, values, positions(frame.scene.d_model, "d"))


def _side_by_side(columns: Iterable[Array]) -> Array:
    """Return columns of different lengths as one matrix, NaN where a column has ended."""
    given = list(columns)
    values = np.full((max(map(len, given)), len(given)), np.nan)
    for number, column in enumerate(given):
        values[: len(column), number] = column
    return values


# --- heads, heatmaps, pipeline


def heads(frame: Frame) -> Table:
    """Return gain, |K|, rank and entropy of every head."""
    columns = ("gain", "|K|", "rank", "mean H (bits)", "mean 2^H (positions)", "active")
    rows = [
        (
            head.gain,
            head.head.key_magnitude if design_of(head.head.pattern).has_keys else np.nan,
            _rank(head),
            head.mean_row_entropy_bits,
            head.mean_effective_positions,
            head.active,
        )
        for head in frame.result.heads
    ]
    return Table("Heads", _heads(frame), columns, np.array(rows, dtype=float))


def weights(frame: Frame) -> Table:
    """Return A of the cursor's head, (T, T)."""
    return _of_scores("A", "weights", frame, np.asarray(_head(frame).weights))


def scores(frame: Frame) -> Table:
    """Return S of the cursor's head, (T, T)."""
    return _of_scores("S", "scores", frame, np.asarray(_head(frame).scores))


def _of_scores(symbol: str, noun: str, frame: Frame, values: Array) -> Table:
    rows, number = positions(frame.scene.n_positions), place_of(frame) + 1
    title = f"{symbol}_{number}: {noun} of head {number}"
    return Table(title, rows, frame.scene.key_names, values, frame.result.allowed)


def stage(frame: Frame, shown: StageMatrix) -> Table:
    """Return a matrix of the pipeline."""
    rows, columns = map(_labels, shown.axes, shown.values.shape)
    title = f"{shown.name}: in head {place_of(frame) + 1}"
    return Table(title, rows, columns, shown.values, shown.allowed)


def _labels(axis: Axis, length: int) -> tuple[str, ...]:
    prefix = {Axis.QUERY: "t", Axis.KEY: "t", Axis.CHANNEL: "d", Axis.FEATURE: ""}[axis]
    return positions(length, prefix)


def products(frame: Frame) -> Table:
    """Return q_t, k_i and their products, feature by feature, of the cursor's cell."""
    cursor = frame.view.cursor
    row = row_arithmetic(frame.result, place_of(frame), cursor.query)
    values = np.array([row.q, row.keys[cursor.key], row.feature_products(cursor.key)])
    names = (f"q_{cursor.query + 1}", f"k_{cursor.key + 1}", "product")
    return Table(
        "products: of q_t and k_i, feature by feature", names, positions(len(row.q), ""), values
    )


def neighbours(frame: Frame) -> Table:
    """Return the arithmetic of the cursor's cell and of those beside it."""
    cursor = frame.view.cursor
    row = row_arithmetic(frame.result, place_of(frame), cursor.query)
    keys = row.neighbours(cursor.key)
    parts = {"q_t·k_i": row.products, "S": row.scores, "g·S": row.gained}
    parts |= {BIASED: row.biased} if row.slope else {}
    parts |= {"exp": row.exponentials, "weight": row.weights}
    values = np.array([part[list(keys)] for part in parts.values()])
    names = tuple(parts)
    title = f"row_t{cursor.query + 1}: of head {place_of(frame) + 1}"
    return Table(title, names, [f"t{key + 1}" for key in keys], values)


# --- output projection, filter bank


def _read(frame: Frame) -> tuple[str, ...]:
    return head_columns(frame.scene.n_heads, frame.scene.d_v)


def w_o(frame: Frame) -> Table:
    """Return W_O, (H·d_v, d_model)."""
    channels = positions(frame.scene.d_model, "d")
    return Table("W_O", _read(frame), channels, frame.scene.w_o)


def concat(frame: Frame) -> Table:
    """Return Concat, (T, H·d_v)."""
    return _by_position("Concat", frame, frame.result.concat, _read(frame))


def output(frame: Frame) -> Table:
    """Return O, (T, d_model)."""
    return _in_output("O", frame, frame.result.output)


def listening(frame: Frame) -> Table:
    """Return how much each output channel hears of each head, (d_model, H)."""
    rows = positions(frame.scene.d_model, "d")
    title = "norms: of column d of W_O^(h), who listens to whom"
    return Table(title, rows, _heads(frame), frame.result.listening)


def term(frame: Frame) -> Table:
    """Return what the cursor's head adds to O, (T, d_model)."""
    place = place_of(frame)
    return _in_output(
        f"term_{place + 1}: what head {place + 1} adds to O",
        frame,
        filter_bank(frame.result).terms[place],
    )


def sum_so_far(frame: Frame) -> Table:
    """Return the sum of the terms up to that of the cursor's head, (T, d_model)."""
    place = place_of(frame)
    title = f"sum_{place + 1}: terms of heads 1 to {place + 1}"
    return _in_output(title, frame, filter_bank(frame.result).sums[place])


def sum_of_terms(frame: Frame) -> Table:
    """Return the sum of all terms, (T, d_model)."""
    return _in_output("terms: sum over all heads", frame, filter_bank(frame.result).sums[-1])


def norms(frame: Frame) -> Table:
    """Return the Frobenius norm of each term, as it counts and as if no head were ablated."""
    bank = filter_bank(frame.result)
    values = np.column_stack([bank.norms, bank.norms_heard])
    return Table("norms: of the terms, ‖·‖_F", _heads(frame), ("norm", "norm if heard"), values)


def ablated(frame: Frame, site: str) -> Table:
    """Return O with the cursor's head zeroed ``before`` or ``after`` W_O, (T, d_model)."""
    place = place_of(frame)
    sites = ablation_sites(frame.scene, frame.result, place)
    values = sites.before if site == "before" else sites.after
    if values is None:
        raise UserError(why_no_wrong_site(frame.scene))
    return _in_output(f"O with head {place + 1} zeroed {site} W_O", frame, values)


# --- responses, entropy, rank


def taps(frame: Frame) -> Table:
    """Return the cursor's row of every head's weights, and behind each its ideal if it has one."""
    row = frame.view.cursor.query
    named: dict[str, Array] = {}
    for number, head in enumerate(frame.result.heads, 1):
        response = row_response(head, row)
        named[f"h{number}"] = response.taps
        if response.ideal is not None:
            named[f"h{number} ideal"] = response.ideal
    title = f"taps_t{row + 1}: impulse responses"
    return Table(title, tuple(named), positions(row + 1), np.array(list(named.values())))


def responses(frame: Frame) -> Table:
    """Return magnitude and group delay of the cursor's row of every head, by ω/π."""
    row = frame.view.cursor.query
    found = spectra(frame.result.heads, row)
    columns = [FREQUENCIES / np.pi, *(of.magnitude for of in found), *(of.delay for of in found)]
    names = _heads(frame)
    labels = ("ω/π", *(f"|H| {name}" for name in names), *(f"delay {name}" for name in names))
    rows = positions(len(FREQUENCIES), "")
    return Table(
        f"response_t{row + 1}: frequency responses", rows, labels, np.column_stack(columns)
    )


def entropy(frame: Frame) -> Table:
    """Return the ceiling and every head's row entropy, bits, (T, 1 + H)."""
    columns = [head.row_entropy_bits for head in frame.result.heads]
    values = np.column_stack([frame.result.ceiling_bits, *columns])
    names = frame.result.ceiling_name, *_heads(frame)
    return _by_position("H: row entropy in bits", frame, values, names)


def effective_positions(frame: Frame) -> Table:
    """Return every head's effective positions, (T, H)."""
    values = np.column_stack([head.effective_positions for head in frame.result.heads])
    return _by_position("positions: effective, 2^H", frame, values, _heads(frame))


def score_sigmas(frame: Frame) -> Table:
    """Return rank and singular values of Q·Kᵀ of every head."""
    found = frame.result.heads
    columns = [np.array([_rank(head), *head.score_singular_values]) for head in found]
    values = _side_by_side(columns)
    rows = ("rank", *positions(len(values) - 1, "σ"))
    return Table("sigma_QK: rank and singular values of Q·Kᵀ", rows, _heads(frame), values)


def _rank(head: HeadResult) -> float:
    return np.nan if head.score_rank is None else head.score_rank


def effective_ranks(frame: Frame) -> Table:
    """Return the effective rank of every head's A."""
    check_decomposed(frame)
    values = np.array([[head.effective_rank for head in frame.result.heads]])
    return Table("effective_rank: of A", ("effective rank",), _heads(frame), values)


def weight_sigmas(frame: Frame) -> Table:
    """Return the singular values of every head's A."""
    check_decomposed(frame)
    values = np.column_stack([head.weight_singular_values for head in frame.result.heads])
    return Table(
        "sigma_A: singular values of A", positions(len(values), "σ"), _heads(frame), values
    )


def check_decomposed(frame: Frame) -> None:
    """Raise UserError where the singular values of A would take long, and are not known yet."""
    if not all(map(is_affordable, frame.result.heads)):
        raise UserError(
            f"Above T = {MOST_LIVE_POSITIONS} singular values of A are computed on request only: "
            "press Compute in the Rank dock, then copy."
        )


def parameters(frame: Frame) -> Table:
    """Return the parameters of the projections."""
    count = parameters_of(WhatIf.of(frame.scene))
    names = ("W_Q", "W_K", "W_V", "W_O", "total")
    return Table(
        "parameters: of the projections", ("parameters",), names, np.array([count], dtype=float)
    )


# --- information, cost


def information(frame: Frame) -> Table:
    """Return what every head tells of the next token at the cursor's row, bits."""
    row = frame.view.cursor.query
    study = study_information(frame.scene, frame.result, row)
    values = np.array([[study.whole_past_bits, *(head.bits for head in study.heads)]])
    title = f"I_t{row + 1}: information about the next token in bits"
    return Table(title, ("bits",), ("whole past", *_heads(frame)), values)


def information_of_two(frame: Frame) -> Table:
    """Return what the two heads that are compared tell, each and together, bits."""
    one, other = places_of(frame.view, frame.scene) or (0, 0)
    row = frame.view.cursor.query
    pair = study_information(frame.scene, frame.result, row).pair(one, other)
    names = (f"h{one + 1}", f"h{other + 1}", "both", "redundancy − synergy")
    values = np.array([[*pair, pair.redundancy_minus_synergy]])
    title = f"I_t{row + 1}: information of h{one + 1} and h{other + 1} in bits"
    return Table(title, ("bits",), names, values)


def divergences(frame: Frame) -> Table:
    """Return the Jensen–Shannon divergence of each two heads, bits, (H, H)."""
    values = study_divergences(frame.result).bits
    title = "JSD: Jensen–Shannon divergence in bits"
    return Table(title, _heads(frame), _heads(frame), values)


def transitions(frame: Frame) -> Table:
    """Return the transition matrix of the token source."""
    names = positions(frame.scene.source.n_symbols, "s")
    return Table("P: transition matrix", names, names, frame.scene.source.probabilities)


def _sizes(frame: Frame) -> WhatIf:
    return frame.view.what_if or WhatIf.of(frame.scene)


def operations(frame: Frame) -> Table:
    """Return multiply-adds and FLOPs of each stage."""
    numbers = cost_tables.stage_numbers(_sizes(frame), frame.view.appearance.precision)
    return _as_shown("operations: of each stage", numbers)


def elements(frame: Frame) -> Table:
    """Return how many numbers each matrix has."""
    numbers = cost_tables.element_numbers(_sizes(frame), frame.view.appearance.precision)
    return _as_shown("numbers: in each matrix", numbers)


def memory(frame: Frame) -> Table:
    """Return the bytes of parameters, weights and cache, by the kind of number."""
    numbers = cost_tables.memory_numbers(_sizes(frame), frame.view.appearance.precision)
    return _as_shown("bytes: in memory", numbers)


def _as_shown(title: str, numbers: Numbers) -> Table:
    rows, columns = ([each.label for each in of] for of in (numbers.rows, numbers.columns))
    return Table(title, rows, columns, numbers.values)


def over_lengths(frame: Frame) -> Table:
    """Return what grows with T."""
    costs = costs_over_lengths(_sizes(frame))
    values = np.array(
        [(of.linear, of.quadratic, of.weights, of.cache) for of in costs], dtype=float
    )
    columns = ("Q, K, V and W_O", "scores and A·V", "weights", "KV cache")
    return Table(
        "costs_T: multiply–adds and numbers over T",
        [f"T = {length}" for length in LENGTHS],
        columns,
        values,
    )


def over_heads(frame: Frame) -> Table:
    """Return what more heads cost, with d_k = d_model/H and with d_k kept."""
    labels, rows = [], []
    for keep, how in ((False, "d_k = d_model/H"), (True, "d_k kept")):
        for sizes in with_heads(_sizes(frame), keep_widths=keep):
            costs = costs_of(sizes)
            labels.append(f"H = {sizes.n_heads}, {how}")
            total = parameters_of(sizes).total
            rows.append((sizes.d_k, total, costs.multiply_adds, costs.weights))
    columns = ("d_k", "parameters", "multiply–adds", "weights")
    return Table("costs_H: over the number of heads", labels, columns, np.array(rows, dtype=float))
