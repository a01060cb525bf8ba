"""Padding that given weights show: keys at either end that no head and no row has weight on."""

from dataclasses import replace

import numpy as np

from mhagui.document.capture import CapturedLayer, Flags
from mhagui.document.mask_rule import MaskKind, MaskRule


def with_padding(layer: CapturedLayer) -> CapturedLayer:
    """Return ``layer`` with its padding left out of its mask; the same where none is sure.

    What is at an end is padding where all heads, two or more, have no weight there at all and
    some head has weight in every other cell that causal or all keys allow: heads that look at
    single keys, as hand-made ones, leave keys out for other reasons.
    """
    given = layer.given
    if given is None or len(given) < 2 or given.shape[1] != given.shape[2]:
        return layer
    if (np.abs(given[:, :, 0]) > 0).any() and (np.abs(given[:, :, -1]) > 0).any():
        return layer
    used = np.zeros(given.shape[1:], dtype=np.bool_)
    for weights in given:
        used |= np.abs(weights) > 0  # NaN, as rows of padding may be, is none
    rule = _rule(used, is_causal=layer.allowed is not None)
    return layer if rule is None else replace(layer, allowed=rule.allowed(len(used)))


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
