"""The arithmetic of one weight in words and numbers."""

from typing import NamedTuple

import numpy as np

from mhagui.document.pipeline import BIASED, RowArithmetic
from mhagui.formats import Precision
from mhagui.gui.docks.pipeline_words import Arithmetic, Texts, biased_numbers
from mhagui.gui.formulas import Formula


class Line(NamedTuple):
    """One step: what it is called, its numbers, what comes out, and the formula of it."""

    name: str
    working: str
    result: str
    formula: Formula


def title(place: int, name: str, row: RowArithmetic, key: int, precision: Precision) -> Texts:
    """Return which cell it is and its weight, from the longest to the shortest."""
    cell = f"A[{row.query + 1},{key + 1}] = {Arithmetic(precision).weight(row.weights[key])}"
    return (f"h{place} {name}  ·  {cell}", f"h{place}  ·  {cell}", cell)


def lines(row: RowArithmetic, key: int, precision: Precision) -> tuple[Line, ...]:
    """Return the steps from q_t and k_i to the weight: as many for all cells of a head."""
    say = Arithmetic(precision)
    exponent, largest = row.exponents[key], row.subtracted
    product, score, gained = map(say.number, (row.products[key], row.scores[key], row.gained[key]))
    biased = say.number(row.biased[key])
    power, total = say.small(row.exponentials[key]), say.number(row.total)
    share, factors = say.weight(row.weights[key]), map(say.factor, (row.gain, row.scores[key]))
    n_features = len(row.q)
    less = f"{biased} − {say.factor(largest)}" if row.allowed[key] else "masked"
    keys = _of(row.n_allowed, "key")
    from_what = "sink" if row.subtracted == row.sink else "row's max"
    steps = [
        ("q_t·k_i", _of(n_features, "product"), product, Formula.PRODUCT),
        ("÷ √d_k", f"{product} / √{n_features}", score, Formula.SCORES),
        ("× g", " · ".join(factors), gained, Formula.GAINED_SCORES),
    ]
    if row.slope:
        numbers = biased_numbers(row, key, say)
        steps.append(("− slope·|t − i|", numbers, biased, Formula.ALIBI))
    if row.sink is not None:
        keys = f"{keys}, and the sink"
    steps += [
        (f"− {from_what}", less, say.number(exponent), Formula.EXPONENTIAL),
        ("exp", f"e^{say.factor(exponent)}", power, Formula.EXPONENTIAL),
    ]
    if row.sink is not None:
        sunk = f"e^({say.number(row.sink)} − {say.factor(largest)})"
        steps.append(("exp of the sink", sunk, say.small(row.sink_exponential), Formula.SINK))
    steps += [
        ("Σ exp", keys, total, Formula.SOFTMAX),
        ("÷ Σ exp", f"{power} / {total}", share, Formula.SOFTMAX),
    ]
    return tuple(Line(*step) for step in steps)


def reason(row: RowArithmetic, key: int, precision: Precision) -> Texts:
    """Return why the weight is what it is, in two lines, from the longest to the shortest."""
    t, i, n_keys = row.query + 1, key + 1, row.n_allowed
    if not row.allowed[key] and not row.mask.is_causal:
        why = row.why_masked(key)
        return (f"{why},\nso A[{t},{i}] = 0 whatever its score.", f"{why}:\nA[{t},{i}] = 0.")
    if not row.allowed[key]:
        return (
            f"Key t{i} comes after query t{t}: the causal mask hides it,\n"
            f"so A[{t},{i}] = 0 whatever its score.",
            f"Key t{i} comes after query t{t}: it is masked,\nso A[{t},{i}] = 0.",
        )
    if row.sink is not None:
        return _beside_sink(row, key, precision)
    if n_keys == 1:
        return (f"Query t{t} may see key t{i} alone,\nso its weight is 1.",)
    n_largest, what = int(np.count_nonzero(row.ties)), _what(row)
    if n_largest == n_keys:
        return (
            f"All {n_keys} keys that t{t} may see have the same {what},\nso each takes 1/{n_keys}.",
            f"All {n_keys} keys have the same {what},\nso each takes 1/{n_keys}.",
        )
    if row.ties[key]:
        share = precision.fixed(100 * float(row.weights[key]), 1)
        which = "has" if n_largest == 1 else f"is one of {n_largest} that have"
        return (f"Key t{i} {which} the row's largest {what}:\nit takes {share} % of row t{t}.",)
    return _smaller(row, key, Arithmetic(precision))


def _beside_sink(row: RowArithmetic, key: int, precision: Precision) -> Texts:
    """Return what key and sink take of a row."""
    share = precision.fixed(100 * float(row.weights[key]), 1)
    sunk = precision.fixed(100 * row.sink_share, 1)
    rest = "" if row.n_allowed == 1 else ", the other keys share the rest"
    return (
        f"Key t{key + 1} takes {share} % of row t{row.query + 1},\nthe sink logit {sunk} %{rest}.",
        f"Key t{key + 1} takes {share} %,\nthe sink {sunk} %.",
    )


def _what(row: RowArithmetic) -> str:
    return BIASED if row.slope else "g·S"


def _smaller(row: RowArithmetic, key: int, say: Arithmetic) -> Texts:
    best, distance = f"t{row.largest + 1}", say.number(row.below(key))
    ratio = f"e^(−{distance}) = {say.small(row.exponentials[key])}"
    return (
        f"Its {_what(row)} is {distance} below the row's largest, that of {best},\n"
        f"so its weight is {ratio} times that of {best}.",
        f"{distance} below the row's largest {_what(row)}, of {best}:\n{ratio} times its weight.",
    )


def _of(count: int, what: str) -> str:
    return f"sum of {count} {what}s" if count > 1 else f"one {what}"
