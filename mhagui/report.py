"""Every number of a scene: as a dict for JSON, and as text for a terminal."""

import math
import textwrap
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

import numpy as np

from mhagui.document.bias_words import bias_words
from mhagui.document.compute import Result
from mhagui.document.cost import cost_report, parameter_formula, parameters_of, score_flops
from mhagui.document.designs import design_of, filter_of
from mhagui.document.filter_bank import (
    filter_bank,
    filter_bank_report,
    identity_of,
    residual_text,
)
from mhagui.document.head_result import HeadResult
from mhagui.document.information import (
    MOST_REPORTED_HEADS,
    InformationStudy,
    information_report,
    study_information,
    verdict,
)
from mhagui.document.json_text import finite, json_text
from mhagui.document.known import why_unknown
from mhagui.document.records import Array
from mhagui.document.response import impulse_report, row_response, shown_row
from mhagui.document.scene import Scene
from mhagui.document.token_text import SHORT_LABEL, labels
from mhagui.document.view_state import WhatIf
from mhagui.errors import UserError
from mhagui.formats import UNDEFINED, fixed, head_columns, positions, short

# Up to this many positions and channels the text holds the matrices too.
MAX_PRINTED = 12
# Weights of all heads in a report as JSON, a score of bytes each.
MAX_JSON_WEIGHTS = 2**24
WIDTH = 96  # of a line of tokens
# From here on six decimals are too many.
_LARGE = 1e6


def report(scene: Scene, result: Result, row: int | None = None) -> dict[str, object]:
    """Return every number of ``result``, in full precision, as JSON can hold it.

    Entropies are in bits, singular values those of Q·Kᵀ; lists over positions start at t1. A value
    that is undefined or beyond float64 is None, and so is the cost of maps between two sequences;
    where ``has_values`` or ``has_queries`` is False,
    what follows from them is 0 or None and means nothing. Impulse responses and information are
    those of ``row``, t from 0, t4 where it is None. The effective rank costs a T × T decomposition
    per head when first asked for.
    """
    sizes = WhatIf.of(scene)
    return {
        "title": scene.title,
        "T": scene.n_positions,
        **({"T_k": scene.n_keys} if scene.mask.across else {}),
        "d_model": scene.d_model,
        "H": scene.n_heads,
        "d_k": scene.d_k,
        "d_v": scene.d_v,
        "master_gain": scene.master_gain,
        "keep_margin": scene.keep_margin,
        "mask": scene.mask.text,
        "has_values": scene.has_values,
        "has_queries": scene.has_queries,
        "tokens": list(scene.tokens),
        "token_scheme": scene.token_scheme,
        **({"key_tokens": list(scene.key_tokens)} if scene.mask.across else {}),
        "heads": [_head(head) for head in result.heads],
        "w_o": _listed(scene.w_o),
        "concat": _listed(result.concat),
        "output": _listed(result.output),
        "filter_bank_residual": finite(result.filter_bank_residual),
        "residual_bound": finite(result.residual_bound),
        "parameters": None if scene.mask.across else parameters_of(sizes)._asdict(),
        "score_flops": None if scene.mask.across else score_flops(sizes),
        "impulse": impulse_report(scene, result, row),
        "filter_bank": filter_bank_report(scene, result),
        "cost": None if scene.mask.across else cost_report(scene),
        **information_report(scene, result, row),
    }


def report_json(scene: Scene, result: Result, row: int | None = None) -> str:
    """Return ``report`` as strict JSON, a line to each row of a matrix, undefined values null.

    Raises UserError where that would be more than a few hundred megabytes of weights.
    """
    if scene.n_weights > MAX_JSON_WEIGHTS:
        most = math.isqrt(MAX_JSON_WEIGHTS // scene.n_heads)
        raise UserError(
            f"A report in JSON lists every weight; with {scene.n_heads} heads it does for T up to "
            f"{most}, and this scene has {scene.lengths}."
        )
    return json_text(report(scene, result, row))


def report_text(scene: Scene, result: Result, row: int | None = None) -> str:
    """Return the numbers of ``result`` as aligned text, with the matrices where they are small."""
    parts, unknown = [_opening(scene), _heads(result)], why_unknown(("values",), scene)
    if not unknown:
        parts.append(_filters(scene, result, row))
    parts += [_entropies(result), _information(scene, result, row)]
    if max(scene.n_positions, scene.n_keys, scene.d_model) <= MAX_PRINTED:
        parts += _weights(scene, result)
        parts += () if unknown else _projection(scene, result)
    parts.append(unknown or _closing(scene, result))
    return "\n\n".join(parts) + "\n"


def _head(head: HeadResult) -> dict[str, object]:
    has_keys = design_of(head.head.pattern).has_keys
    return {
        "name": head.head.name,
        "pattern": head.head.pattern.value,
        "settings": list(head.head.settings),
        "layer": head.head.layer,
        "gain": head.head.gain,
        "gain_in_force": head.gain,
        "key_magnitude": head.head.key_magnitude if has_keys else None,
        "muted": head.head.muted,
        "soloed": head.head.soloed,
        "active": head.active,
        "weights": _listed(np.asarray(head.weights)),
        "row_entropy_bits": _listed(head.row_entropy_bits),
        "effective_positions": _listed(head.effective_positions),
        "score_rank": head.score_rank,
        "singular_values": _listed(head.score_singular_values),
        "effective_rank": finite(head.effective_rank),
        **(_bias(head) if head.head.is_biased else {}),
    }


def _bias(head: HeadResult) -> dict[str, object]:
    shares = head.sink_shares
    return {
        "slope": head.head.slope,
        "sink": head.head.sink,
        "sink_shares": None if shares is None else _listed(shares),
    }


def _listed(array: Array) -> object:
    """Return nested lists of Python floats, None for what is not a finite number."""
    if np.isfinite(array).all():
        return array.tolist()
    values = array.astype(object)
    values[~np.isfinite(array)] = None
    return values.tolist()


def _opening(scene: Scene) -> str:
    keys = f" · T_k {scene.n_keys}" if scene.mask.across else ""
    sizes = (
        f"T {scene.n_positions}{keys} · d_model {scene.d_model} · H {scene.n_heads}"
        f" · d_k {scene.d_k} · d_v {scene.d_v} · master gain {short(scene.master_gain)}"
    )
    lines = []
    for name, tokens in (("tokens", scene.tokens), ("tokens of keys", scene.key_tokens)):
        if tokens and len(tokens) <= MAX_PRINTED:
            shown = " ".join(labels(tokens, SHORT_LABEL, scene.token_scheme))
            text = f"{name}: {shown}"
            lines += textwrap.wrap(text, WIDTH, subsequent_indent="  ", break_on_hyphens=False)
    return "\n".join([scene.title, sizes, *lines])


def _heads(result: Result) -> str:
    titles = ("head", "name", "pattern", "gain", "|K|", "rank", "eff. rank", "mean bits", "")
    rows = [_head_row(number, head) for number, head in enumerate(result.heads, 1)]
    notes = (
        "  gain: in force, the head's times the master gain; rank: of Q·Kᵀ;\n"
        "  eff. rank: effective rank of the weights A; mean bits: mean row entropy of A"
    )
    biases = bias_words(result.heads)
    notes += f"\n{_wrapped(biases)}" if biases else ""
    return f"{_table('Heads', titles, rows, left=(0, 1, 2, 8))}\n{notes}"


def _head_row(number: int, head: HeadResult) -> list[str]:
    design = design_of(head.head.pattern)
    return [
        f"h{number}",
        head.head.name,
        head.head.pattern.value,
        short(head.gain),
        short(head.head.key_magnitude) if design.has_keys else UNDEFINED,
        head.score_rank_text,
        fixed(head.effective_rank),
        fixed(head.mean_row_entropy_bits, 6),
        head.standing,
    ]


def _filters(scene: Scene, result: Result, row: int | None) -> str:
    at = shown_row(scene, row)
    norms = filter_bank(result).norms
    rows = [
        [f"h{number}", str(head.head.layer), name, *_six([distance, norm])]
        for number, (head, norm) in enumerate(zip(result.heads, norms, strict=True), 1)
        for name, distance in [(filter_of(head.head, head.mask), row_response(head, at).distance)]
    ]
    titles = ("head", "layer", "filter", f"TV at t{at + 1}", "norm")
    notes = (
        "  filter: what A tends to as the gain grows; TV: total-variation distance of the row;\n"
        "  norm: Frobenius norm of what the head adds to O; a head of layer 2 reads X + O_1"
    )
    return f"{_table('Filter bank', titles, rows, left=(0, 1, 2))}\n{notes}"


def _entropies(result: Result) -> str:
    heads = result.heads
    bits = np.column_stack([result.ceiling_bits, *(head.row_entropy_bits for head in heads)])
    mean_bits = [result.mean_ceiling_bits, *(head.mean_row_entropy_bits for head in heads)]
    mean_positions = [result.mean_allowed, *(head.mean_effective_positions for head in heads)]
    rows = [[str(t), *_six(row)] for t, row in enumerate(bits, 1)]
    rows += [["mean", *_six(mean_bits)], ["positions", *_six(mean_positions)]]
    titles = ("t", result.ceiling_name, *positions(len(result.heads), "h"))
    notes = (
        f"  {result.ceiling_name} is the ceiling; positions: mean over t of the effective "
        "positions,\n  2 to the row entropy"
    )
    return f"{_table('Row entropy, bits', titles, rows)}\n{notes}"


def _information(scene: Scene, result: Result, row: int | None) -> str:
    study = study_information(scene, result, shown_row(scene, row))
    source, at = study.source, study.row + 1
    made = f"{source.kind.value}, S = {source.n_symbols}, {source.formula}"
    title, note = f"Information on the next token at t{at}, bits", f"source of tokens: {made}"
    if study.why_not:
        return "\n".join([title, _wrapped(study.why_not), _wrapped(note)])
    rows = [
        [f"h{number}", head.head.name, *_six([told.bits])]
        for number, (head, told) in enumerate(zip(result.heads, study.heads, strict=True), 1)
    ]
    rows.append(["all", "the whole past", *_six([study.whole_past_bits])])
    parts = [_table(title, ("head", "name", "bits"), rows, left=(0, 1))]
    parts += map(_wrapped, [*study.reasons(), note])
    if len(rows) > 2:
        parts.append(_pairs(study))
    return "\n".join(parts)


def _pairs(study: InformationStudy) -> str:
    rows = []
    for one, other in combinations(range(min(len(study.heads), MOST_REPORTED_HEADS)), 2):
        pair, names = study.pair(one, other), (f"h{one + 1}", f"h{other + 1}")
        numbers = _six([pair.joint, pair.redundancy_minus_synergy])
        rows.append([", ".join(names), *numbers, verdict(pair, *names)])
    titles = ("heads", "together", "R − S", "verdict")
    notes = "  R − S: redundancy less synergy, the bits of both alone less those together"
    if len(study.heads) > MOST_REPORTED_HEADS:
        notes += f";\n  pairs of the first {MOST_REPORTED_HEADS} heads"
    return f"{_table('Of two heads', titles, rows, left=(0, 3))}\n{notes}"


def _wrapped(text: str) -> str:
    return textwrap.fill(text, WIDTH, initial_indent="  ", subsequent_indent="  ")


def _weights(scene: Scene, result: Result) -> Iterator[str]:
    numbers = positions(scene.n_positions)
    for number, head in enumerate(result.heads, 1):
        title = f"Weights A of head {number}, {head.head.name} (rows: queries, columns: keys)"
        yield _matrix(title, numbers, scene.key_names, np.asarray(head.weights))


def _projection(scene: Scene, result: Result) -> Iterator[str]:
    rows, channels = positions(scene.n_positions), positions(scene.d_model, "d")
    reads = head_columns(scene.n_heads, scene.d_v)
    yield _matrix("Concat = [O_1 .. O_H]", rows, reads, result.concat)
    yield _matrix("W_O", reads, channels, scene.w_o)
    bias = " + b_O" if scene.b_o is not None else ""
    yield _matrix(f"O = Concat · W_O{bias}", rows, channels, result.output)


def _closing(scene: Scene, result: Result) -> str:
    sizes = WhatIf.of(scene)
    count = parameters_of(sizes)
    formula = parameter_formula(sizes)
    lines = [
        f"Filter-bank residual, {identity_of(result)}:",
        f"  {residual_text(result)}",
        f"Parameters: W_Q {count.q}, W_K {count.k}, W_V {count.v}, W_O {count.o}; "
        f"total {count.total} = {formula}",
        f"Score FLOPs, 2·T²·H·d_k: {score_flops(sizes)}",
    ]
    return "\n".join(lines)


def _six(values: Iterable[float]) -> list[str]:
    return [
        fixed(v, 6) if abs(v) < _LARGE or math.isnan(v) else short(v, 7) for v in map(float, values)
    ]


def _matrix(title: str, rows: Sequence[str], columns: Sequence[str], values: Array) -> str:
    body = [[label, *_six(row)] for label, row in zip(rows, values, strict=True)]
    width = max(len(cell) for row in body for cell in row)
    return _table(title, ("", *(column.rjust(width) for column in columns)), body)


def _table(
    title: str, titles: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[int] = (0,)
) -> str:
    """Return a titled table: columns ``left`` start at the left, numbers end at the right."""
    lines = [titles, *rows]
    widths = [max(map(_width, column)) for column in zip(*lines, strict=True)]
    text = [
        "  ".join(
            _padded(cell, width, to_left=column in left)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]
    return "\n".join([title, *(f"  {line}" for line in text)])


def _padded(text: str, width: int, *, to_left: bool) -> str:
    space = " " * (width - _width(text))
    return text + space if to_left else space + text


def _width(text: str) -> int:
    """Return how many columns of a terminal ``text`` takes: wide characters two, accents none."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )
