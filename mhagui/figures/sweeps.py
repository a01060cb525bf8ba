"""What of a scene can be moved, and how a sweep moves it."""

import enum
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mhagui import formats
from mhagui.document import Head, Pattern, Scene
from mhagui.document.checks import check_finite, count
from mhagui.document.designs import design_of
from mhagui.document.edits import (
    Edit,
    SetKeyWidth,
    SetMasterGain,
    SetSequenceLength,
    SetSetting,
    set_gain,
    set_key_magnitude,
)
from mhagui.document.patterns import MAX_POSITIONS, Parameter, parameters_of
from mhagui.document.scene import MAX_HEAD_WIDTH
from mhagui.errors import UserError

LEAST_FRAMES, MOST_FRAMES = 2, 600
_DIGITS = 12  # of the values between the ends: no binary dust in titles


class Quantity(enum.Enum):
    """What of a scene a slider sets; the value is the symbol that frames show."""

    MASTER_GAIN = "master gain"
    GAIN = "gain"
    KEY_MAGNITUDE = "|K|"
    SETTING = "setting"
    LENGTH = "T"
    WIDTH = "d_k"


@dataclass(frozen=True, slots=True)
class Slider:
    """A number of a scene that can be moved.

    Attributes
    ----------
    quantity
        What it is.
    head
        The place, from 0, of the head whose number it is; of T, d_k and the master gain 0.
    setting
        Which of the numbers its pattern takes, from 0, where the quantity is one of these.
    """

    quantity: Quantity
    head: int = 0
    setting: int = 0

    def edit(self, scene: Scene, value: float) -> Edit:
        """Return the edit that sets it to ``value``; raises UserError where there is no such."""
        uid = self._head_of(scene).uid
        match self.quantity:
            case Quantity.MASTER_GAIN:
                return SetMasterGain(value)
            case Quantity.GAIN:
                return set_gain(uid, value)
            case Quantity.KEY_MAGNITUDE:
                return set_key_magnitude(uid, value)
            case Quantity.SETTING:
                return SetSetting(uid, self.setting, value)
            case Quantity.LENGTH:
                return SetSequenceLength(int(value))
            case Quantity.WIDTH:
                return SetKeyWidth(int(value))

    def moved(self, scene: Scene, value: float) -> Scene:
        """Return ``scene`` with it at ``value``; raises UserError where that cannot be."""
        return self.edit(scene, value).apply(scene)

    def is_whole(self, scene: Scene) -> bool:
        """Say whether it takes whole numbers alone."""
        if self.quantity is Quantity.SETTING:
            return self._parameter_of(scene).is_whole
        return self.quantity in (Quantity.LENGTH, Quantity.WIDTH)

    def symbol(self, scene: Scene) -> str:
        """Return what it is called in the frames: gain g2, |K| of h2, T."""
        if self.quantity is Quantity.GAIN:
            return f"gain g{self.head + 1}"
        if self.quantity is Quantity.KEY_MAGNITUDE:
            return f"|K| of h{self.head + 1}"
        if self.quantity is Quantity.SETTING:
            return f"{self._parameter_of(scene).name} of h{self.head + 1}"
        symbol: str = self.quantity.value
        return symbol

    def _parameter_of(self, scene: Scene) -> Parameter:
        parameters = parameters_of(self._head_of(scene).pattern)
        if not 0 <= self.setting < len(parameters):
            raise UserError(f"The pattern of head {self.head + 1} has no such number to move.")
        return parameters[self.setting]

    def _head_of(self, scene: Scene) -> Head:
        if not 0 <= self.head < scene.n_heads:
            there = f"this scene has 1 to {scene.n_heads}"
            raise UserError(f"There is no head {self.head + 1}; {there}.")
        return scene.heads[self.head]


class Movable(NamedTuple):
    """A slider of a scene: its name in files, its title, the ends of a sweep and where it stands.

    The ends are those one begins with; others can be asked for.
    """

    slider: Slider
    name: str
    title: str
    low: float
    high: float
    current: float


def sliders_of(scene: Scene) -> list[Movable]:
    """Return all that can be moved in ``scene``; each range has in it where the slider stands."""
    found = [
        _movable(Slider(Quantity.MASTER_GAIN), "Master gain", 0, 4, scene.master_gain),
        *(movable for place in range(scene.n_heads) for movable in _of_head(scene, place)),
    ]
    if all(head.q is None for head in scene.heads):  # a hand-set head holds T
        longest = min(max(2 * scene.n_positions, 12), MAX_POSITIONS)
        found.append(
            _movable(Slider(Quantity.LENGTH), "Length T", 2, longest, scene.n_positions, "T")
        )
    if all(head.pattern.is_designed for head in scene.heads):  # given matrices would be cut
        widest = min(max(scene.d_k, 8), MAX_HEAD_WIDTH)
        found.append(_movable(Slider(Quantity.WIDTH), "Width d_k", 2, widest, scene.d_k, "d_k"))
    return found


def _of_head(scene: Scene, place: int) -> Iterator[Movable]:
    head, label = scene.heads[place], f"h{place + 1}"
    gain = Slider(Quantity.GAIN, place)
    yield _movable(gain, f"{label} gain, {head.name}", 0, 4, head.gain, f"{label}-gain")
    if design_of(head.pattern).has_keys:
        key = Slider(Quantity.KEY_MAGNITUDE, place)
        title = f"{label} key magnitude |K|"
        yield _movable(key, title, 0, 6, head.key_magnitude, f"{label}-key-magnitude")
    for number, parameter in enumerate(parameters_of(head.pattern)):
        setting = Slider(Quantity.SETTING, place, number)
        most = min(parameter.most, _usual_most(head, scene.n_positions))
        title = f"{label} {parameter.name}"
        yield _movable(setting, title, parameter.least, most, head.settings[number])


def _usual_most(head: Head, n_positions: int) -> float:
    """Return up to where the numbers of a pattern make a difference that is seen."""
    if head.pattern is Pattern.RECENCY:
        return 2.0
    return n_positions - 1 if head.pattern is Pattern.DELAY else n_positions


def _movable(
    slider: Slider, title: str, low: float, high: float, current: float, name: str = ""
) -> Movable:
    name = name or title.lower().replace(" ", "-")
    return Movable(slider, name, title, min(low, current), max(high, current), current)


@dataclass(frozen=True, slots=True)
class Sweep:
    """A slider that goes from ``start`` to ``stop`` in ``n_frames`` steps of one size.

    What takes whole numbers alone goes by the nearest ones. Raises UserError unless the ends are
    finite and there are 2 to 600 frames.
    """

    slider: Slider
    start: float
    stop: float
    n_frames: int

    def __post_init__(self) -> None:
        """Check the numbers."""
        check_finite("The start of a sweep", self.start)
        check_finite("The end of a sweep", self.stop)
        count("The number of frames", self.n_frames, MOST_FRAMES, LEAST_FRAMES)

    def values(self, scene: Scene) -> list[float]:
        """Return the value in every frame; the first and the last are the ends."""
        shares = np.linspace(0.0, 1.0, self.n_frames)
        between = [float(self.start * (1 - share) + self.stop * share) for share in shares]
        if self.slider.is_whole(scene):
            return [float(math.floor(value + 0.5)) for value in between]
        rounded = [float(f"{value:.{_DIGITS}g}") for value in between[1:-1]]
        return [self.start, *rounded, self.stop]

    def note(self, scene: Scene, value: float) -> str:
        """Return what a frame says of the slider: “gain g2 = 1.85”, as wide in all of them."""
        is_whole = self.slider.is_whole(scene)
        text = f"{value:g}" if is_whole else formats.fixed(value, self._decimals())
        return f"{self.slider.symbol(scene)} = {text}"

    def _decimals(self) -> int:
        step = abs(self.stop - self.start) / (self.n_frames - 1)
        return min(max(math.ceil(-math.log10(step)), 2), 8) if 0 < step < 1 else 2

    def check(self, scene: Scene) -> None:
        """Raise UserError, in the words of the edit, where ``scene`` cannot be at an end."""
        for value in self.values(scene)[:: self.n_frames - 1]:
            self.slider.moved(scene, value)
