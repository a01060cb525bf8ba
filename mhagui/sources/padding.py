"""Padding that given weights show: keys at either end that no head and no row has weight on."""

from dataclasses import replace

import numpy as np

from mhagui.document.capture import CapturedLayer, Flags, Floats
from mhagui.document.mask_rule import MaskKind, MaskRule, rule_across


def rows_that_look_ahead(layer: CapturedLayer) -> int:
    """Return how many rows of ``layer`` at the start are of padding that looks at every key.

    So it is where a model pads at the start and softmax has nothing but masked scores in a row:
    these rows are no causal ones, and see padding. All others are, by all heads, two or more, and
    see none; where that is not sure there are no such rows.
    """
    given = layer.given
    if given is None or len(given) < 2 or given.shape[1] != given.shape[2]:
        return 0
    last = np.any(np.abs(given[:, -1]) > 0, axis=0)
    first = int(last.argmax())
    if first == 0:
        return 0
    used = np.tri(len(given[0]), dtype=np.bool_)
    used[:, :first] = False
    used[:first] = True
    return first if np.array_equal(_used(given), used) else 0


def looks_at_padding(layer: CapturedLayer) -> bool:
    """Say whether keys at the start that are left out as padding have weight in the file."""
    before = padded(layer)[0]
    return layer.given is not None and bool(np.any(np.abs(layer.given[:, :before, :before]) > 0))


def with_padding(layer: CapturedLayer, n_ahead: int = 0) -> CapturedLayer:
    """Return ``layer`` with its padding left out of its mask; the same where none is sure.

    The first ``n_ahead`` rows are known to be of padding, and count for nothing.

    What is at an end is padding where all heads, two or more, have no weight there at all and
    some head has weight in every other cell that causal or all keys allow: heads that look at
    single keys, as hand-made ones, leave keys out for other reasons.
    """
    given = layer.given
    if given is None or len(given) < 2:
        return layer
    ends = given[:, n_ahead:, 0], given[:, n_ahead:, -1]
    if all((np.abs(of_end) > 0).any() for of_end in ends):
        return layer
    used = _used(given)
    if given.shape[1] != given.shape[2]:
        return _with_padded_keys(layer, used)
    used[:n_ahead] = False
    rule = _rule(used, is_causal=layer.allowed is not None)
    return layer if rule is None else replace(layer, allowed=rule.allowed(len(used)))


def _with_padded_keys(layer: CapturedLayer, used: Flags) -> CapturedLayer:
    """Return ``layer`` of another sequence's keys with those at the ends left out of its mask."""
    rule = rule_across(used) if layer.allowed is None else None
    if rule is None or rule.kind is not MaskKind.FULL:
        return layer
    return replace(layer, allowed=rule.allowed(*used.shape))


def _used(given: Floats) -> Flags:
    """Return which cells have weight in some head."""
    used = np.zeros(given.shape[1:], dtype=np.bool_)
    for weights in given:
        used |= np.abs(weights) > 0  # NaN, as rows of padding may be, is none
    return used


def _rule(used: Flags, *, is_causal: bool) -> MaskRule | None:
    keys = np.any(used, axis=0)
    if not keys.any():
        return None
    n_positions = len(used)
    left, right = int(keys.argmax()), int(keys[::-1].argmax())
    tokens = slice(left, n_positions - right)
    kind = MaskKind.CAUSAL if is_causal else MaskKind.FULL
    allowed = MaskRule(kind).allowed(n_positions)
    if not np.array_equal(used[tokens, tokens], allowed[tokens, tokens]):
        return None
    return MaskRule(kind, left=left, right=right)


def padded(layer: CapturedLayer) -> tuple[int, int]:
    """Return how many positions at the start and the end of ``layer`` its mask leaves out."""
    if layer.allowed is None or not layer.allowed.any():
        return 0, 0
    seen = np.any(layer.allowed, axis=0)
    return int(seen.argmax()), int(seen[::-1].argmax())
