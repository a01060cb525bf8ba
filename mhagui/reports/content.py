"""What stands in the report of a scene."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations, pairwise

import numpy as np

from mhagui import __version__
from mhagui.document import HeadResult, Scene
from mhagui.document.bias_words import bias_words
from mhagui.document.cost import costs_of, parameter_formula, parameters_of, score_flops
from mhagui.document.designs import filter_of
from mhagui.document.filter_bank import filter_bank, identity_of, residual_text
from mhagui.document.information import (
    MOST_REPORTED_HEADS,
    InformationStudy,
    study_information,
    verdict,
)
from mhagui.document.known import Need, why_unknown
from mhagui.document.provenance import sha256
from mhagui.document.records import Array
from mhagui.document.response import mean_distance, row_response, shown_row, spaced_rows
from mhagui.document.session import Session
from mhagui.document.session_file import session_to_bytes
from mhagui.document.token_text import labels
from mhagui.document.view_state import WhatIf
from mhagui.figures import FIGURES, Subject, why_not
from mhagui.formats import fixed, head_columns, positions, short
from mhagui.reports.model import Block, Column, Picture, Report, Section, Table, Text, numbered

MOST_ROWS = 32  # of a table; of more, some are shown
MOST_COLUMNS = 24  # of a matrix that is shown
COLUMNS_A_TABLE = 10  # of numbers, so that a table is no wider than a page
MOST_TOKENS = 32
LONGEST_TOKEN = 20
DECIMALS = 4

# What has to be known of a scene for a section, where that is not the weights alone.
_NEEDS: dict[str, tuple[Need, ...]] = {
    "responses": ("filters",),
    "filter-bank": ("values",),
    "output": ("values",),
    "cost": ("values", "queries"),
}
_EVERY_NUMBER = "“mhagui export --data npz” writes every number in full."


def report_of(subject: Subject) -> Report:
    """Return what the report of ``subject`` says.

    The effective ranks cost a T × T decomposition per head when first asked for.
    """
    scene = subject.scene
    sections = (
        ("layer", "The layer", _layer(scene)),
        ("heads", "Heads", _heads(subject)),
        ("entropy", "Row entropy", _entropies(subject)),
        ("responses", "Responses", _responses(subject)),
        ("ranks", "Ranks", _pictures(subject, "singular-values")),
        ("information", "Information and redundancy", _information(subject)),
        ("filter-bank", "Filter bank", _filter_bank(subject)),
        ("output", "Concat, W_O and output", _projection(subject)),
        ("cost", "Cost", _cost(subject)),
        ("provenance", "Provenance", _provenance(scene)),
    )
    opening = tuple(line.strip() for line in scene.description.split("\n") if line.strip())
    return Report(
        scene.title,
        opening,
        numbered(
            Section(key, title, _known(key, subject, blocks)) for key, title, blocks in sections
        ),
    )


def _known(key: str, subject: Subject, blocks: Iterator[Block]) -> tuple[Block, ...]:
    """Return the blocks of a section, or the sentence that says what of it is not known."""
    reason = why_unknown(_NEEDS.get(key, ()), subject.result)
    return (Text(reason),) if reason else tuple(blocks)


def _layer(scene: Scene) -> Iterator[Block]:
    keys = ("T_k", "keys, which are not the queries' positions", str(scene.n_keys))
    sizes = (
        ("T", "sequence length: positions", str(scene.n_positions)),
        *((keys,) if scene.mask.across else ()),
        ("H", "heads", str(scene.n_heads)),
        ("d_model", "width of the input X and of the output O", str(scene.d_model)),
        ("d_k", "width of every head's queries and keys", str(scene.d_k)),
        ("d_v", "width of every head's values", str(scene.d_v)),
        ("master gain", "factor on every head's gain", short(scene.master_gain)),
    )
    columns = Column("Size", is_text=True), Column("What it is", is_text=True), Column("Value")
    yield Table("Sizes", columns, sizes)
    for name, tokens in (("Tokens", scene.tokens), ("Tokens of keys", scene.key_tokens)):
        if tokens:
            shown = " ".join(labels(tokens, LONGEST_TOKEN, scene.token_scheme)[:MOST_TOKENS])
            left = len(tokens) - MOST_TOKENS
            yield Text(f"{name}: {shown}" + (f" … and {left:,} more." if left > 0 else ""))


def _heads(subject: Subject) -> Iterator[Block]:
    result = subject.result
    words = ("Head", "Name", "Pattern")
    numbers = ("Gain", "Score rank", "Effective rank", "Entropy, bits", "Effective positions")
    columns = (*(Column(word, is_text=True) for word in words), *map(Column, numbers))
    note = (
        "Gain: in force, the head's own times the master gain. Score rank: numerical rank of Q·Kᵀ, "
        "which no gain changes. Effective rank (Roy and Vetterli): of the weights A. Entropy and "
        "effective positions, 2 to the entropy: means over the rows of A."
    )
    note = f"{note} {bias_words(result.heads)}".rstrip()
    rows = tuple(_head_row(number, head) for number, head in enumerate(result.heads, 1))
    if any(head.standing for head in result.heads):
        columns = (*columns, Column("State", is_text=True))
        rows = tuple((*row, head.standing) for row, head in zip(rows, result.heads, strict=True))
    yield Table("Heads", columns, rows, note)
    yield from _pictures(subject, "heads", "scores")


def _head_row(number: int, head: HeadResult) -> tuple[str, ...]:
    return (
        f"h{number}",
        head.head.name,
        head.head.pattern.value,
        short(head.gain),
        head.score_rank_text,
        fixed(head.effective_rank),
        _four(head.mean_row_entropy_bits),
        _four(head.mean_effective_positions),
    )


def _entropies(subject: Subject) -> Iterator[Block]:
    scene, result = subject.scene, subject.result
    heads = result.heads
    shown, times = spaced_rows(scene.n_positions, MOST_ROWS), _positions(scene)
    rows = [
        [times[t], _four(result.ceiling_bits[t])]
        + [_four(head.row_entropy_bits[t]) for head in heads]
        for t in shown
    ]
    means = [head.mean_row_entropy_bits for head in heads]
    rows.append(["mean", *map(_four, [result.mean_ceiling_bits, *means])])
    columns = (
        Column("t", is_text=True),
        Column(result.ceiling_name),
        *map(Column, positions(len(heads), "h")),
    )
    ceiling = result.ceiling_name
    note = f"{ceiling} is the ceiling: the entropy of equal weights on all allowed keys."
    if len(shown) < scene.n_positions:
        note += f" {_sample(len(shown), scene.n_positions)} The means are over all rows."
    yield from _split(Table("Row entropy, bits", columns, tuple(map(tuple, rows)), note), 2)
    yield from _pictures(subject, "entropy")


def _responses(subject: Subject) -> Iterator[Block]:
    at = shown_row(subject.scene, subject.row)
    rows = tuple(
        (f"h{number}", name, *map(_four, (distance, mean_distance(head))))
        for number, head in enumerate(subject.result.heads, 1)
        for name, distance in [(filter_of(head.head, head.mask), row_response(head, at).distance)]
    )
    words = Column("Head", is_text=True), Column("Filter", is_text=True)
    note = (
        f"Row t of A is the impulse response of the head at t. Distance: total-variation distance "
        f"of row t{at + 1}, and the mean over the rows, to the filter that the head approaches as "
        f"its gain grows."
    )
    columns = (*words, Column(f"Distance at t{at + 1}"), Column("Mean distance"))
    yield Table("Filters", columns, rows, note)
    yield from _pictures(subject, "impulse", "frequency")


def _information(subject: Subject) -> Iterator[Block]:
    scene, heads = subject.scene, subject.result.heads
    study = study_information(scene, subject.result, shown_row(scene, subject.row))
    at = study.row + 1
    made = f"{study.source.kind.value}, S = {study.source.n_symbols}, {study.source.formula}"
    source = f"Source of tokens: {made}."
    if study.why_not:
        yield Text(f"{source} {study.why_not}")
    else:
        whole = f"{_four(study.whole_past_bits)} bits of the next token"
        yield Text(f"{source} At t = {at} the whole past tells {whole}.")
        rows = tuple(
            (f"h{number}", head.head.name, _four(told.bits))
            for number, (head, told) in enumerate(zip(heads, study.heads, strict=True), 1)
        )
        columns = Column("Head", is_text=True), Column("Name", is_text=True), Column("Bits")
        note = f"Bits: mutual information of the next token and the head's output at t = {at}."
        note = " ".join([note, *study.reasons()])
        yield Table("What each head tells of the next token", columns, rows, note)
        if len(heads) > 1:
            yield _pairs(study)
    yield from _pictures(subject, "information", "redundancy")


def _pairs(study: InformationStudy) -> Table:
    n_heads = len(study.heads)
    rows = tuple(
        (f"{names[0]}, {names[1]}", *map(_four, (pair.joint, balance)), verdict(pair, *names))
        for one, other in combinations(range(min(n_heads, MOST_REPORTED_HEADS)), 2)
        for names in [(f"h{one + 1}", f"h{other + 1}")]
        for pair in [study.pair(one, other)]
        for balance in [pair.redundancy_minus_synergy]
    )
    columns = (
        Column("Heads", is_text=True), Column("Bits together"), Column("Redundancy − synergy"),
        Column("Verdict", is_text=True),
    )  # fmt: skip
    note = "Redundancy − synergy: the bits of both alone, less those of both together."
    if n_heads > MOST_REPORTED_HEADS:
        note += f" Pairs of the first {MOST_REPORTED_HEADS} heads."
    return Table("What two heads tell together", columns, rows, note)


def _filter_bank(subject: Subject) -> Iterator[Block]:
    result = subject.result
    yield Text(
        "Concat·W_O is the sum of what the heads add, each through its own block of W_O. The "
        f"residual of this identity, {identity_of(result)}, is {residual_text(result)}."
    )
    bank = filter_bank(result)
    heads = zip(result.heads, bank.norms, strict=True)
    rows = tuple(
        (f"h{number}", head.head.name, str(head.head.layer), _four(norm))
        for number, (head, norm) in enumerate(heads, 1)
    )
    words = Column("Head", is_text=True), Column("Name", is_text=True)
    note = "Norm: Frobenius norm of what the head adds to O, 0 where it is muted."
    if any(head.head.layer > 1 for head in result.heads):
        note += " A head of layer 2 reads X + O_1."
    yield Table("Terms", (*words, Column("Layer"), Column("Norm")), rows, note)
    yield from _pictures(subject, "filter-bank")


def _projection(subject: Subject) -> Iterator[Block]:
    scene, result = subject.scene, subject.result
    yield from _pictures(subject, "projection")
    times = _positions(scene)
    reads, channels = head_columns(scene.n_heads, scene.d_v), positions(scene.d_model, "d")
    yield from _matrix("Concat = [O_1 .. O_H]", "t", times, reads, result.concat)
    yield from _matrix("W_O", "Row", reads, channels, scene.w_o)
    bias = " + b_O" if scene.b_o is not None else ""
    yield from _matrix(f"O = Concat·W_O{bias}", "t", times, channels, result.output)


def _cost(subject: Subject) -> Iterator[Block]:
    sizes = WhatIf.of(subject.scene)
    count, costs = parameters_of(sizes), costs_of(sizes)
    formula = parameter_formula(sizes)
    parameters = [
        *zip(("W_Q", "W_K", "W_V", "W_O"), count, strict=False),
        (f"all = {formula}", count.total),
    ]
    columns = Column("Matrices of all heads", is_text=True), Column("Parameters")
    yield Table("Parameters", columns, tuple((name, f"{n:,}") for name, n in parameters))
    stages = (
        ("projections to Q, K and V", costs.projections),
        ("scores Q·Kᵀ", costs.scores),
        ("weighted sums A·V", costs.weighted_sums),
        ("output projection", costs.output_projection),
        ("all", costs.multiply_adds),
    )
    rows = tuple((name, f"{n:,}", f"{2 * n:,}") for name, n in stages)
    titles = Column("Stage", is_text=True), Column("Multiply-adds"), Column("FLOPs")
    note = f"The scores take 2·T²·H·d_k = {score_flops(sizes):,} FLOPs, masked cells counted."
    yield Table(f"Arithmetic of one sequence of T = {sizes.n_positions}", titles, rows, note)
    yield from _pictures(subject, "cost")


def _provenance(scene: Scene) -> Iterator[Block]:
    data = session_to_bytes(Session.of(scene))
    yield Text(f"Computed and drawn by mhagui {__version__}. {_EVERY_NUMBER}")
    yield Text(f"The scene's session file has {len(data):,} bytes and the SHA-256 {sha256(data)}.")


# --- tables and pictures


def _pictures(subject: Subject, *names: str) -> Iterator[Block]:
    for name in names:
        if why_not(name, subject.result) is None:
            yield Picture(name, FIGURES[name], _caption(name, subject))


def _caption(name: str, subject: Subject) -> str:
    from mhagui.figures import drawing
    from mhagui.figures.paper import Paper

    return drawing.plan(name, subject, Paper.of(subject)).caption


def _matrix(
    title: str, corner: str, rows: Sequence[str], columns: Sequence[str], values: Array
) -> Iterator[Block]:
    if len(columns) > MOST_COLUMNS:
        size = f"{len(rows)} × {len(columns)}"
        yield Text(f"{title} is {size}, too wide for a table. {_EVERY_NUMBER}")
        return
    shown = spaced_rows(len(rows), MOST_ROWS)
    write = partial(fixed, decimals=_decimals(values))
    body = tuple((rows[row], *map(write, values[row].tolist())) for row in shown)
    note = _sample(len(shown), len(rows)) if len(shown) < len(rows) else ""
    titles = Column(corner, is_text=True), *map(Column, columns)
    yield from _split(Table(title, titles, body, note), 1)


def _split(table: Table, n_labels: int) -> Iterator[Table]:
    """Yield the table as several that are no wider than a page, each with the first columns."""
    n_columns = len(table.columns) - n_labels
    n_parts = -(-n_columns // COLUMNS_A_TABLE)
    if n_parts == 1:
        yield table
        return
    cuts = [n_labels + n_columns * part // n_parts for part in range(n_parts + 1)]
    for start, stop in pairwise(cuts):
        columns = table.columns[:n_labels] + table.columns[start:stop]
        rows = tuple(row[:n_labels] + row[start:stop] for row in table.rows)
        span = f"{columns[n_labels].title} to {columns[-1].title}"
        note = table.note if stop == len(table.columns) else ""
        yield Table(f"{table.title}, {span}", columns, rows, note)


def _sample(n_shown: int, n_rows: int) -> str:
    return f"{n_shown} of {n_rows} rows, evenly spaced up to the last."


def _positions(scene: Scene) -> Sequence[str]:
    """Return what the positions are called: t1, or t1 the."""
    names = positions(scene.n_positions)
    if not scene.tokens:
        return names
    words = labels(scene.tokens, LONGEST_TOKEN, scene.token_scheme)
    return [f"{name} {word}" for name, word in zip(names, words, strict=True)]


def _decimals(values: Array) -> int:
    """Return with how many decimals the values are exact, four where that is not enough."""
    places = range(DECIMALS)
    return next((n for n in places if np.array_equal(values.round(n), values)), DECIMALS)


def _four(value: float) -> str:
    return fixed(float(value), DECIMALS)
