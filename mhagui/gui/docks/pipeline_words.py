"""What each stage does to the cell under the cursor, said with its numbers."""

from collections.abc import Callable
from dataclasses import dataclass

from mhagui import formats
from mhagui.document import HeadResult
from mhagui.document.pipeline import MASKED, MIXED, PROJECTED, RowArithmetic
from mhagui.document.records import Array
from mhagui.formats import Precision

MOST_FEATURES = 4
SMALL = 0.001  # smaller numbers are written with significant digits
ROUNDING = 1e-12  # of a sine, say; as products go, nothing
WHOLE = 10_000
Texts = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """Writes the numbers of the arithmetic, to the digits that are asked for."""

    precision: Precision

    def number(self, value: float) -> str:
        """Return ``value`` as it is written in the arithmetic: 7.788, 9, −1.500, 2.3e−5, ≈0."""
        write = self.precision
        if float(value).is_integer() and abs(value) < WHOLE:
            return formats.fixed(value, 0)
        if abs(value) < ROUNDING and not write.is_exact:
            return "≈0"
        if abs(value) < SMALL:
            return write.short(value, 3)
        return write.fixed(value, 4) if abs(value) < 1 else write.significant(value)

    def small(self, value: float) -> str:
        """Return ``value`` as an exponential is written: however small, it is not nothing."""
        return self.precision.short(value, 3) if 0 < value < SMALL else self.number(value)

    def weight(self, value: float) -> str:
        """Return a weight as it is written elsewhere, to four decimals as a rule: 0.9233."""
        write = self.precision
        if value in (0.0, 1.0):
            return formats.fixed(value, 0)
        return write.short(value, 3) if value < SMALL else write.fixed(value, 4)

    def factor(self, value: float) -> str:
        """Return a number that stands behind another sign: negative ones in brackets."""
        text = self.number(value)
        return f"({text})" if text.startswith("−") else text

    def vector(self, values: Array) -> str:
        """Return a vector, or its first numbers and how many there are: (1.27, 2.72)."""
        shown = ", ".join(self.precision.cell(float(v)) for v in values[:MOST_FEATURES])
        left_out = f", … {len(values)} in all" if len(values) > MOST_FEATURES else ""
        return f"({shown}{left_out})"


def stage_words(
    stage: int, row: RowArithmetic, key: int, head: HeadResult, precision: Precision
) -> Texts:
    """Return what ``stage`` does to ``key`` of a row of ``head``: two lines, the longest first."""
    say = Arithmetic(precision)
    if stage == MIXED:
        return _mixed(row, key, head, say)
    if stage == PROJECTED:
        return _projected(row, head, say)
    if stage >= MASKED and not row.allowed[key]:
        t, i = row.query + 1, key + 1
        then = "its weight is 0" if stage == MASKED else "exp and weight are 0"
        why = f"i = {i} > t = {t}" if row.mask.is_causal else row.mask.text
        return (f"{why}: masked\nquery t{t} cannot see key t{i}, so {then}",)
    return _CELLS[stage](row, key, say)


def _factors(row: RowArithmetic, key: int, say: Arithmetic) -> Texts:
    q, k = say.vector(row.q), say.vector(row.keys[key])
    return (f"q_{row.query + 1} = {q}\nk_{key + 1} = {k}",)


def _product(row: RowArithmetic, key: int, say: Arithmetic) -> Texts:
    name, result = f"q_{row.query + 1}·k_{key + 1}", say.number(row.products[key])
    pairs = zip(row.q, row.keys[key], strict=True)
    terms = " + ".join(f"{say.factor(a)}·{say.factor(b)}" for a, b in pairs)
    short = f"{name}\n= sum of {len(row.q)} products = {result}"
    return (f"{name}\n= {terms} = {result}", short) if len(row.q) <= MOST_FEATURES else (short,)


def _scaled(row: RowArithmetic, key: int, say: Arithmetic) -> Texts:
    t, i, width = row.query + 1, key + 1, len(row.q)
    product, root, score = map(say.number, (row.products[key], row.root, row.scores[key]))
    numbers = f"{product} / {root} = {score}"
    return (f"S[{t},{i}] = q_{t}·k_{i} / √{width}\n= {numbers}",)


def biased_numbers(row: RowArithmetic, key: int, say: Arithmetic) -> str:
    """Return what a slope takes from a gained score: 1.2 − 0.5·3."""
    distance = abs(row.query - key)
    return f"{say.number(row.gained[key])} − {say.number(row.slope)}·{distance}"


def _gained(row: RowArithmetic, key: int, say: Arithmetic) -> Texts:
    name = f"g·S[{row.query + 1},{key + 1}]"
    gain, gained = say.number(row.gain), say.number(row.gained[key])
    if row.slope:
        numbers = f"{biased_numbers(row, key, say)} = {say.number(row.biased[key])}"
        slope = f"g = {gain}, slope = {say.number(row.slope)}"
        return (f"{name} − slope·|t − i|, {slope}\n= {numbers}", f"{name} + bias\n= {numbers}")
    numbers = f"{say.factor(row.gain)} · {say.factor(row.scores[key])} = {gained}"
    return (f"{name}, g = {gain}\n= {numbers}",)


def _masked(row: RowArithmetic, key: int, say: Arithmetic) -> Texts:
    t, i = row.query + 1, key + 1
    bias = " + bias" if row.slope else ""
    stays = f"g·S[{t},{i}]{bias} = {say.number(row.biased[key])} stays"
    why = f"i = {i} ≤ t = {t}" if row.mask.is_causal else row.mask.text
    return (f"{why}: allowed\n{stays}",)


def _softmax(row: RowArithmetic, key: int, say: Arithmetic) -> Texts:
    t, i = row.query + 1, key + 1
    power, total = say.number(row.exponentials[key]), say.number(row.total)
    share = f"{power} / {total} = {say.weight(row.weights[key])}"
    less = f"{say.number(row.biased[key])} − {say.factor(row.subtracted)}"
    total = "the row's exp" if row.sink is None else "the exp of row and sink"
    return (
        f"A[{t},{i}] = exp({less}) / sum of {total}\n= {share}",
        f"A[{t},{i}] = exp({less}) / Σ exp\n= {share}",
        f"A[{t},{i}]\n= {share}",
    )


def _mixed(row: RowArithmetic, key: int, head: HeadResult, say: Arithmetic) -> Texts:
    t, i = row.query + 1, key + 1
    share = f"A[{t},{i}]·v_{i} = {say.weight(row.weights[key])}·{say.vector(head.values[key])}"
    output = say.vector(head.output[row.query])
    total = f"o_{t} = Σ_i A[{t},i]·v_i = {output}"
    return (
        f"key t{i} adds {share}\n{total}",
        f"{share}\n{total}",
        f"{share}\no_{t} = {output}",
    )


def _projected(row: RowArithmetic, head: HeadResult, say: Arithmetic) -> Texts:
    t = row.query + 1
    adds = f"o_{t}·W_O^(h) = {say.vector(head.term[row.query])}"
    if head.active:
        return (f"o_{t} = {say.vector(head.output[row.query])}\n{adds}",)
    return (f"{head.standing}: does not reach O\n{adds}",)


_CELLS: tuple[Callable[[RowArithmetic, int, Arithmetic], Texts], ...] = (
    _factors,
    _product,
    _scaled,
    _gained,
    _masked,
    _softmax,
)
