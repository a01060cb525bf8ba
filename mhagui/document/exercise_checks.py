"""What shows on the bench that a step of an exercise is done, told with its numbers."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from mhagui import core
from mhagui.document.cost import is_standard, parameters_of
from mhagui.document.exercises import Check, Shown
from mhagui.document.head_result import HeadResult
from mhagui.document.lessons import load_lesson
from mhagui.document.presets import Preset, is_preset
from mhagui.document.records import Array, sealed
from mhagui.document.solver import gain_for
from mhagui.document.view_state import WhatIf
from mhagui.formats import fixed, short

ROW_4, ROW_6 = 3, 5  # from 0
MOST_CHANNELS = 8  # that a reading tells of
ROUNDING = 1e-9  # of what the solver finds, to either side


# --- exercise 1: what W_O is for


def _mixed_channels(shown: Shown) -> list[int]:
    """Return the output channels, from 0, that hear two heads or more."""
    hears = (shown.result.listening > 0).sum(axis=1)
    return [int(channel) for channel in np.flatnonzero(hears > 1)]


def unmixed(preset: Preset, shown: Shown) -> str | None:
    """Tell who hears whom where W_O is ``preset`` and no output channel hears two heads."""
    if shown.scene.n_heads < 2 or not is_preset(preset, shown.scene) or _mixed_channels(shown):
        return None
    return _who_hears_whom(shown, range(shown.scene.d_model))


def mixed(shown: Shown) -> str | None:
    """Tell which output channels hear several heads through a W_O that is not the lesson's."""
    channels = _mixed_channels(shown)
    if not channels or is_preset(Preset.LESSON, shown.scene):
        return None
    residual = short(shown.result.filter_bank_residual, 2)
    return f"{_who_hears_whom(shown, channels)}; filter-bank residual {residual}"


def _who_hears_whom(shown: Shown, channels: Sequence[int]) -> str:
    """Return what the first of ``channels`` hear: "d1: h1; d2: h1, h2"."""
    told = []
    for channel in channels[:MOST_CHANNELS]:
        heads = np.flatnonzero(shown.result.listening[channel] > 0)
        told.append(f"d{channel + 1}: {', '.join(f'h{head + 1}' for head in heads) or 'none'}")
    if len(channels) > MOST_CHANNELS:
        told.append(f"{len(channels) - MOST_CHANNELS} more")
    return "; ".join(told)


# --- exercises 2 and 5: what heads cost


def sizes_asked(wanted: WhatIf, shown: Shown) -> str | None:
    """Tell what ``wanted`` costs, where these sizes are asked for, at whatever T."""
    asked = shown.view.what_if
    if asked is None or replace(asked, n_positions=wanted.n_positions) != wanted:
        return None
    return f"d_k = {wanted.d_k}, {parameters_of(wanted).total:,} parameters"


def cost_check(wanted: WhatIf) -> Check:
    """Return the check that the cost of these sizes has been asked for."""
    text = f"d_model = {wanted.d_model}, H = {wanted.n_heads}"
    if not is_standard(wanted):
        text += f", d_k = d_v = {wanted.d_k}"
    return Check(f"h{wanted.n_heads}", text, partial(sizes_asked, wanted))


# --- exercise 3: more heads, same roles


def _groups_of_eight(shown: Shown) -> list[list[int]]:
    """Return the places of eight heads, those with equal outputs and weights together."""
    heads = shown.result.heads
    groups: list[list[int]] = []
    if len(heads) != 8:
        return groups
    for index, head in enumerate(heads):
        twins = (group for group in groups if _are_twins(head, heads[group[0]]))
        group = next(twins, None)
        if group is None:
            groups.append([index])
        else:
            group.append(index)
    return groups


def _are_twins(one: HeadResult, other: HeadResult) -> bool:
    # Outputs first, which are small.
    return np.array_equal(one.output, other.output) and np.array_equal(one.weights, other.weights)


def doubled(shown: Shown) -> str | None:
    """Tell the four pairs that eight heads make, equal in weights and outputs."""
    groups = _groups_of_eight(shown)
    if sorted(map(len, groups)) != [2] * 4:
        return None
    return ", ".join(f"h{one + 1} = h{other + 1}" for one, other in groups)


def parted(shown: Shown) -> str | None:
    """Tell which two of eight heads differ, where the others are three pairs."""
    groups = _groups_of_eight(shown)
    if sorted(map(len, groups)) != [1, 1, 2, 2, 2]:
        return None
    alone = (f"h{group[0] + 1}" for group in groups if len(group) == 1)
    return f"{' and '.join(alone)} differ"


# --- exercise 4: two things at once


def _splits(head: HeadResult) -> bool:
    row = head.weights[ROW_4]
    return bool(abs(row[0] - row[2]) < 0.1 and row[0] + row[2] > 0.9)


def two_at_once(shown: Shown) -> str | None:
    """Tell how a head splits row t4 between t1 and t3."""
    if shown.scene.n_positions <= ROW_4 or shown.scene.mask.across:
        return None
    for number, head in enumerate(shown.result.heads, 1):
        if _splits(head):
            row = head.weights[ROW_4]
            bits = fixed(float(head.row_entropy_bits[ROW_4]))
            return f"h{number}, row t4: t1 {fixed(row[0])}, t3 {fixed(row[2])}; {bits} bits"
    return None


def beside_one_hot(shown: Shown) -> str | None:
    """Tell the bits of a nearly one-hot row t4, where another head splits its own."""
    if two_at_once(shown) is None:
        return None
    for number, head in enumerate(shown.result.heads, 1):
        bits = float(head.row_entropy_bits[ROW_4])
        if bits < 0.05:
            return f"h{number}, row t4: {fixed(bits)} bits"
    return None


# --- exercise 6: a sharper head


def _magnitudes(shown: Shown) -> Iterator[tuple[float, HeadResult]]:
    """Yield the heads that in row t6 single out t1 alone, with what |K|·g they are as sharp as.

    Their weights depend on nothing but how far t1 leads in g·S: in the lesson's head, whose query
    is 1 and d_k is 2, that is |K|·g/√2. So heads that are set by hand count too, at any d_k.
    """
    if shown.scene.n_positions <= ROW_6 or shown.scene.mask.across:
        return
    for head in shown.result.heads:
        scores = head.scores[ROW_6, : ROW_6 + 1]
        is_alone = not head.head.is_biased  # nothing but scores is in the softmax
        if is_alone and np.ptp(scores[1:]) <= ROUNDING * np.abs(scores).max():
            yield float(head.gain * (scores[0] - scores[1])) * math.sqrt(2), head


def _sharpness(head: HeadResult) -> str:
    bits, spread = (
        fixed(float(values[ROW_6])) for values in (head.row_entropy_bits, head.effective_positions)
    )
    return f"{bits} bits, 2^H = {spread}"


def sharper(wanted: float, shown: Shown) -> str | None:
    """Tell how sharp a first-token head is at t6, where |K|·g is ``wanted``."""
    for magnitude, head in _magnitudes(shown):
        if abs(magnitude - wanted) < 1e-6:
            return f"row t6: {_sharpness(head)}"
    return None


def just_sharp_enough(shown: Shown) -> str | None:
    """Tell how sharp a first-token head is at t6, where 2^H is 1.1 or just below."""
    for magnitude, head in _magnitudes(shown):
        if magnitude > 0 and 1.09 <= head.effective_positions[ROW_6] < 1.1 + ROUNDING:
            return f"|K|·g = {short(magnitude)}: {_sharpness(head)}"
    return None


def _lesson_scores() -> Array:
    """Return the scores in row t6 of the first of the lesson's four heads, (6,)."""
    scene = load_lesson("four-heads")
    q, k = core.first_token_head(scene.n_positions, scene.d_k)
    return sealed(core.attention_scores(q, k)[ROW_6])


def bits_at(magnitude: float) -> float:
    """Return what the lesson's first head spends at t6 with ``magnitude``, in bits."""
    scores = _lesson_scores()
    weights = core.weights_from_scores(scores[np.newaxis], gain=magnitude / 3, mask=None)
    return float(core.row_entropy_bits(weights)[0])


def needed_magnitude() -> float:
    """Return the magnitude at which the lesson's first head has 2^H = 1.1 at t6."""
    return 3 * gain_for(_lesson_scores(), 1.1)
