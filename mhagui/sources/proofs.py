"""What the numbers say of a reading: each a sentence, a verdict and the number behind it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from mhagui.document.capture import CapturedLayer
from mhagui.sources.head_facts import HeadFacts

Verdict: TypeAlias = Literal["ok", "warn", "fault"]

# How far a row may sum from 1 by the file's type, a few roundings of its largest weight; and how
# far recomputed weights may be from the stored, for which scores were rounded too.
_SUM_WITHIN = {"float16": 4e-3, "bfloat16": 2e-2}
_SAME_WITHIN = {"float16": 1e-2, "bfloat16": 5e-2}
_HALF = 2e-2  # arithmetic in bfloat16 leaves so much, also where its results are kept as float32
_MOST_PLACES = 4


@dataclass(frozen=True)
class Proof:
    """One thing that was looked at.

    Attributes
    ----------
    about
        ``rows``, ``columns``, ``finite``, ``negative``, ``empty``, ``above``, ``padding``,
        ``recomputed``, ``terms``, ``positions``, ``key heads``, ``tokens`` or ``steps``.
    sentence
        What was found, with the numbers.
    verdict
        ``ok``, ``warn`` or ``fault``.
    number
        What the verdict rests on: a difference, a mass or a count.
    """

    about: str
    sentence: str
    verdict: Verdict
    number: float


@dataclass(frozen=True)
class Evidence:
    """All that was looked at for one reading."""

    proofs: tuple[Proof, ...]

    @property
    def verdict(self) -> Verdict:
        """The worst of all verdicts."""
        found = {proof.verdict for proof in self.proofs}
        return "fault" if "fault" in found else "warn" if "warn" in found else "ok"

    def about(self, what: str) -> tuple[Proof, ...]:
        """Return what was found about ``what``."""
        return tuple(proof for proof in self.proofs if proof.about == what)


def tolerance(dtype: str) -> float:
    """Return how far a row of weights that were kept as ``dtype`` may sum from 1."""
    return _SUM_WITHIN.get(dtype, 1e-5)


def same_within(dtype: str) -> float:
    """Return how far weights made of numbers that were kept as ``dtype`` may be from the stored."""
    return _SAME_WITHIN.get(dtype, 1e-4)


def weights_proofs(
    facts: Sequence[HeadFacts],
    within: float,
    *,
    is_causal: bool | None,
    is_square: bool,
    has_sinks: bool = False,
) -> list[Proof]:
    """Return what the counts of all heads say; nothing where no weights were given.

    ``is_square`` says that there are as many queries as keys, ``has_sinks`` that there are logits
    of sinks, which take part of each row.
    """
    if not facts:
        return []
    proofs = [
        _rows(facts, within, has_sinks=has_sinks),
        _columns(facts, within),
        _finite(facts),
        _negative(facts),
        _empty(facts),
        _above(facts, is_causal=is_causal, is_square=is_square),
    ]
    return [proof for proof in proofs if proof.sentence]


def _rows(facts: Sequence[HeadFacts], within: float, *, has_sinks: bool) -> Proof:
    n_rows, n_wrong = (sum(f.n_rows for f in facts), sum(f.n_wrong for f in facts))
    worst = max(facts, key=lambda head: abs(head.sum - 1.0))
    off = abs(worst.sum - 1.0)
    if not n_rows:
        return Proof("rows", "No row has weights that could sum to 1.", "fault", 0.0)
    if not n_wrong:
        rows = f"All {n_rows:,} rows sum" if n_rows > 1 else "The only row sums"
        text = f"{rows} to 1, to within {off:.1g}."
        return Proof("rows", text, "ok", off)
    text = (
        f"{n_wrong:,} of {n_rows:,} rows do not sum to 1 to within {within:g}: farthest is "
        f"{worst.sum:.6g}, in {worst.name}, query {worst.sum_row}"
    )
    if has_sinks and not any(head.n_long or head.n_negative for head in facts):
        return Proof("rows", text + "; none sums to more: the sinks take the rest.", "ok", off)
    if off <= _HALF:
        return Proof("rows", text + "; half-precision arithmetic leaves as much.", "warn", off)
    if not any(head.n_long or head.n_negative for head in facts):
        text += "; none sums to more, as where a sink takes the rest, and nothing is renormalised."
        return Proof("rows", text, "warn", off)
    return Proof("rows", text + "; nothing is renormalised.", "fault", off)


def _columns(facts: Sequence[HeadFacts], within: float) -> Proof:
    off = max(head.column_off for head in facts)
    is_turned = any(head.n_wrong for head in facts) and off <= max(within, _HALF)
    text = (
        f"The columns sum to 1, to within {off:.1g}, and the rows do not: the last two axes seem "
        "to be key and query, not query and key."
    )
    return Proof("columns", text if is_turned else "", "fault" if is_turned else "ok", off)


def _finite(facts: Sequence[HeadFacts]) -> Proof:
    total, places = _counted(facts, lambda head: head.n_not_finite)
    if not total:
        return Proof("finite", "All weights are finite.", "ok", 0.0)
    text = f"Weights that are NaN or infinite: {total:,} ({places}); they stay as they are."
    return Proof("finite", text, "fault", float(total))


def _negative(facts: Sequence[HeadFacts]) -> Proof:
    total, places = _counted(facts, lambda head: head.n_negative)
    text = f"Negative weights: {total:,} ({places}); scores are negative, before the softmax."
    return Proof("negative", text if total else "", "fault" if total else "ok", float(total))


def _empty(facts: Sequence[HeadFacts]) -> Proof:
    total, places = _counted(facts, lambda head: head.n_empty)
    text = f"Rows that are all zero, as where no key is allowed: {total:,} ({places})."
    return Proof("empty", text if total else "", "warn" if total else "ok", float(total))


def _counted(facts: Sequence[HeadFacts], count: Callable[[HeadFacts], int]) -> tuple[int, str]:
    """Return how many there are in all heads, and where."""
    having = [head for head in facts if count(head)]
    places = [f"{head.name}: {count(head):,}" for head in having[:_MOST_PLACES]]
    if len(having) > _MOST_PLACES:
        places.append(f"the rest in {len(having) - _MOST_PLACES} more heads")
    return sum(map(count, having)), "; ".join(places)


def _above(facts: Sequence[HeadFacts], *, is_causal: bool | None, is_square: bool) -> Proof:
    most = max(facts, key=lambda head: head.above)
    mass, n_rows = most.above, sum(head.n_rows for head in facts)
    if not n_rows:
        return Proof("above", "", "ok", 0.0)
    if mass == 0:
        text = "No query has weight on keys after its own position: causal."
        if is_causal is False:
            return Proof("above", text + " It was said not to be.", "warn", 0.0)
        return Proof("above", text, "ok", 0.0)
    if is_causal is None and not is_square:
        text = "Read as not causal, as where keys are of another sequence than queries."
        return Proof("above", text, "ok", mass)
    n_above = sum(head.n_above for head in facts)
    text = (
        f"Queries have weight on keys after their own position, in {n_above:,} of {n_rows:,} rows, "
        f"up to {mass:.6g} (in {most.name}, query {most.above_row})"
    )
    if is_causal:
        return Proof("above", text + ": not causal, as was said.", "fault", mass)
    if is_causal is None:
        text += ": read as not causal; if the model is, its mask was not applied"
    return Proof("above", text + ".", "ok" if is_causal is False else "warn", mass)


def padding_proofs(
    facts: Sequence[HeadFacts], ends: Sequence[tuple[int, int]], *, sees_padding: bool = False
) -> list[Proof]:
    """Return what was taken as padding, ``ends`` at the start and the end of each layer's mask.

    ``sees_padding`` says that those at the start have weight from their own rows. Of keys without
    weight that were not taken so, only those at the end are spoken of.
    """
    proofs = []
    for end, found in zip(("first", "last"), zip(*ends, strict=True), strict=True):
        if any(found):
            least, most = min(found), max(found)
            which = f"{most:,} keys" if most > 1 else "key"
            if least < most:
                which = f"{least:,} to {most:,} keys, by layer,"
            has = "has" if most == 1 else "have"
            where = "no weight in any head or row"
            if sees_padding and end == "first":
                where = "weight from their own rows alone, which look ahead as no others do"
            text = f"The {end} {which} {has} {where}: taken as padding."
            proofs.append(Proof("padding", text, "ok", float(most)))
    n_unseen = min((head.n_unseen for head in facts), default=0)
    if n_unseen and not any(after for _, after in ends):
        text = f"The last {n_unseen:,} keys have no weight from any query, as padding; they stay."
        proofs.append(Proof("padding", text, "warn", float(n_unseen)))
    return proofs


def states_proofs(layer: CapturedLayer) -> list[Proof]:
    """Return what there is to say of the other arrays of one layer: of those that are not sound."""
    proofs = []
    for name in ("x", "q", "k", "v", "w_v", "w_o"):
        array = getattr(layer, name)
        count = 0 if array is None else int(array.size - np.isfinite(array).sum())
        if count:
            text = f"Numbers of {name} in layer {layer.number} that are NaN or infinite: {count:,}."
            proofs.append(Proof("finite", text, "fault", float(count)))
    return proofs


def key_heads_proof(layer: CapturedLayer) -> list[Proof]:
    """Return how query heads share key heads, where they do."""
    n_heads, n_key_heads = layer.n_heads, layer.n_key_heads
    if n_heads == n_key_heads:
        return []
    text = f"{n_heads} query heads share {n_key_heads} key heads, {n_heads // n_key_heads} each."
    return [Proof("key heads", text, "ok", float(n_key_heads))]


def difference(layer: CapturedLayer) -> float | None:
    """Return how far the recomputed weights are from the given at most; None without both.

    Cells that are not finite in the file, and rows of padding, are left out. NaN where nothing can
    be recomputed.
    """
    if layer.given is None or layer.q is None or layer.k is None:
        return None
    try:
        recomputed = layer.recomputed()
    except ValueError:  # a score that is not finite
        return float("nan")
    reads = True if layer.allowed is None else np.any(layer.allowed, axis=1, keepdims=True)
    largest = 0.0
    for ours, given in zip(recomputed, layer.given, strict=True):
        with np.errstate(invalid="ignore", over="ignore"):
            off = np.abs(ours - given)
        counts = np.isfinite(given) & reads
        largest = max(largest, float(np.max(off, where=counts, initial=0.0)))
    return largest


def recomputed_proof(how: str, largest: float, within: float, *, is_chosen: bool) -> Proof:
    """Return what the largest difference says of how weights were recomputed."""
    if np.isnan(largest):
        text = f"The weights cannot be recomputed from q and k{how}: a score is not finite."
        return Proof("recomputed", text, "warn", largest)
    text = (
        f"Weights recomputed from q and k{how} differ from the stored ones by {largest:.2g} at most"
    )
    if largest <= within:
        return Proof("recomputed", text + ": the same.", "ok", largest)
    verdict: Verdict = "fault" if is_chosen else "ok"
    return Proof("recomputed", text + ": not the same.", verdict, largest)
