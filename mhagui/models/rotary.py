"""Rotary positions: pairs of numbers of a query or key, half a head apart, turned by its position.

Source: Su et al., RoFormer (2021); the slowed rotation is that of LLaMA 3.1.
"""

import math

import numpy as np
import numpy.typing as npt

from mhagui.errors import UserError
from mhagui.models.architecture import Architecture, SlowedRotation
from mhagui.models.tensor_file import Floats32

Floats64 = npt.NDArray[np.float64]


class Rotation:
    """The turns of all positions of a text."""

    def __init__(
        self, architecture: Architecture, n_positions: int, slowness: Floats32 | None = None
    ) -> None:
        """Work the angles out; ``slowness``, (d_head / 2,), divides the speed of each pair.

        Raises UserError where it is not above 0.
        """
        assert architecture.rope_theta is not None
        exponents = np.arange(0, architecture.d_head, 2) / architecture.d_head
        speeds = architecture.rope_theta**-exponents
        if architecture.slowed is not None:
            speeds = _slowed(speeds, architecture.slowed)
        if slowness is not None:
            if slowness.min() <= 0:
                raise UserError("The table that slows rotary positions has numbers of 0 or less.")
            speeds = speeds / slowness
        angles = np.arange(n_positions)[:, np.newaxis] * speeds
        self._cos = np.cos(angles).astype(np.float32)
        self._sin = np.sin(angles).astype(np.float32)

    def __call__(self, heads: Floats32) -> Floats32:
        """Return queries or keys, (heads, T, d_head), turned."""
        first, second = np.split(heads, 2, axis=-1)
        return np.concatenate(
            [first * self._cos - second * self._sin, second * self._cos + first * self._sin],
            axis=-1,
        )


def _slowed(speeds: Floats64, slowed: SlowedRotation) -> Floats64:
    """Return speeds, radians a position: slow ones divided by the factor, quick ones as they are.

    Between both, by how often a pair turns within the first context, a share of each.
    """
    turns = slowed.first_context * speeds / (2 * math.pi)
    share = (turns - slowed.low_freq_factor) / (slowed.high_freq_factor - slowed.low_freq_factor)
    share = np.clip(share, 0, 1)
    mixed: Floats64 = (1 - share) * speeds / slowed.factor + share * speeds
    return mixed
