"""Figures in motion: a number of the scene goes from one value to another, frame by frame."""

import enum
import math
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from mhagui import figures, formats
from mhagui.document import Head, Pattern, Scene, compute
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
from mhagui.document.provenance import provenance_to_text
from mhagui.document.scene import MAX_HEAD_WIDTH
from mhagui.errors import UserError
from mhagui.figures.style import Ground
from mhagui.figures.subject import Subject

if TYPE_CHECKING:
    from mhagui.figures.movies import Reel

Pixels = npt.NDArray[np.uint8]

# What a sweep can be written as, with how such files are called and how they end.
MOVIES = {"apng": "Animated PNG", "gif": "GIF", "mp4": "MP4"}
SUFFIXES = {"apng": ".png", "gif": ".gif", "mp4": ".mp4"}
LEAST_FRAMES, MOST_FRAMES = 2, 600
MOST_FPS = 50  # a GIF counts in hundredths of a second, and viewers slow a single one down
MOST_PIXELS = 4096 * 4096  # of a frame
_DIGITS = 12  # of the values between the ends: no binary dust in titles

# ------------------------------------------------------------------------------------- what moves


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
        return min(max(math.ceil(-math.log10(step)), 2), 8) if step else 2

    def check(self, scene: Scene) -> None:
        """Raise UserError, in the words of the edit, where ``scene`` cannot be at an end."""
        for value in self.values(scene)[:: self.n_frames - 1]:
            self.slider.moved(scene, value)


# --------------------------------------------------------------------------------------- the frames


class Film:
    """The frames of figure ``name`` of ``subject`` as ``sweep`` moves it.

    All have one size and the same scales, those that hold what any of them shows. They are drawn
    when they are asked for, in any order. Raises UserError where the scene cannot be so, or the
    figure not be drawn of it.
    """

    def __init__(self, subject: Subject, name: str, sweep: Sweep) -> None:
        if name not in figures.FIGURES:
            known = ", ".join(figures.FIGURES)
            raise UserError(f"There is no figure “{name}”; the figures are {known}.")
        sweep.check(subject.scene)
        self.name = name
        self.style = subject.style
        self._subject, self._sweep = subject, sweep
        self._values = sweep.values(subject.scene)
        self._result = subject.result
        self._size = (0.0, 0.0)  # as they are laid out
        self._limits: dict[str, float] = {}
        self._n_measured = 0

    def __len__(self) -> int:
        """Return the number of frames."""
        return len(self._values)

    def note(self, number: int) -> str:
        """Return what frame ``number``, from 0, says of what moves."""
        return self._sweep.note(self._subject.scene, self._values[number])

    def first_like(self, number: int) -> int:
        """Return the first frame that is the same as frame ``number``; both from 0."""
        return self._values.index(self._values[number])

    def measure(self) -> Iterator[int]:
        """Lay the frames out that have not been; yield how many have after each."""
        for number in range(self._n_measured, len(self)):
            if self.first_like(number) == number:
                size, reached = _laid_out(self.name, self.subject(number))
                self._size = max(self._size[0], size[0]), max(self._size[1], size[1])
                for scale, magnitude in reached.items():
                    self._limits[scale] = max(self._limits.get(scale, 0.0), magnitude)
            self._n_measured = number + 1
            yield self._n_measured

    def subject(self, number: int) -> Subject:
        """Return what frame ``number``, from 0, is drawn from, with the scales known so far."""
        given, value = self._subject, self._values[number]
        scene = self._sweep.slider.moved(given.scene, value)
        self._result = compute(scene, self._result)
        row = None if given.row is None else min(given.row, scene.n_positions - 1)
        scales = {**given.limits, **self._limits}
        note = self.note(number)
        return replace(given, scene=scene, result=self._result, row=row, limits=scales, note=note)

    def frame(self, number: int) -> Pixels:
        """Return frame ``number``, from 0: (height, width, 4) RGBA.

        Raises UserError where it is too large.
        """
        from mhagui.figures import drawing

        for _ in self.measure():  # unless all are measured
            pass
        pixels = drawing.pixels(self.name, self.subject(number), self._size)
        height, width, _ = pixels.shape
        if width * height > MOST_PIXELS:
            raise UserError(
                f"A frame would have {width} × {height} pixels, and {MOST_PIXELS:,} are the most "
                f"in a film; choose a smaller page or less than {self.style.dpi} dpi."
            )
        return pixels


def _laid_out(name: str, subject: Subject) -> tuple[tuple[float, float], dict[str, float]]:
    """Return how large a figure is, as it is laid out, and what its colour scales reach."""
    from mhagui.figures import drawing
    from mhagui.figures.paper import Paper

    paper = Paper.of(subject)
    plan = drawing.plan(name, subject, paper)
    return (plan.width, plan.height), paper.reached


class Progress(NamedTuple):
    """How far a film is: steps done and in all, in words, and at last the file."""

    done: int
    total: int
    text: str
    data: bytes | None = None


def animate(
    subject: Subject,
    name: str,
    sweep: Sweep,
    kind: str,
    fps: int,
    *,
    loop: bool = True,
    there_and_back: bool = False,
) -> Generator[Progress]:
    """Yield how far figure ``name`` is drawn and written as one of ``MOVIES``; at last its file.

    Who stops before the end leaves nothing behind. The file tells, as those of figures do, of the
    scene that ``subject`` has. The same arguments give the same bytes, unless
    it is an MP4, which another program writes.

    Parameters
    ----------
    fps
        Frames per second, 1 to 50.
    loop
        Whether a viewer is to begin again for ever; an MP4 leaves that to the viewer.
    there_and_back
        Whether the slider goes back too, so that a loop has no leap.

    Raises
    ------
    UserError
        When there is no such figure or format, or nothing here that writes it; the number of frames
        or what is swept is out of range; a frame cannot be drawn, or is too large.
    """
    from mhagui.figures import movies
    from mhagui.figures.saving import provenance_of

    if kind not in MOVIES:
        raise UserError(f"There is no format “{kind}”; the formats are {', '.join(MOVIES)}.")
    count("The frames per second", fps, MOST_FPS)
    movies.check_writable(kind)
    film = Film(subject, name, sweep)
    order = playing_order(len(film), kind, loop=loop, there_and_back=there_and_back)
    reel = movies.Reel(
        order=order,
        fps=fps,
        loop=loop,
        dpi=subject.style.dpi,
        title=figures.FIGURES[name],
        provenance=provenance_to_text(provenance_of(name, subject)),
        has_alpha=subject.style.ground is Ground.TRANSPARENT,
    )
    return _animate(film, reel, movies.WRITERS[kind])


def why_no_movie(kind: str) -> str | None:
    """Return the sentence that says why ``kind`` cannot be written here; None when it can."""
    from mhagui.figures import movies

    try:
        movies.check_writable(kind)
    except UserError as error:
        return str(error)
    return None


def playing_order(n_frames: int, kind: str, *, loop: bool, there_and_back: bool) -> list[int]:
    """Return which of ``n_frames``, from 0, are shown one after the other.

    On the way back of what begins again the first is left out: it comes next.
    """
    last = 0 if loop and kind != "mp4" else -1
    back = range(n_frames - 2, last, -1) if there_and_back else ()
    return [*range(n_frames), *back]


def _animate(
    film: Film, reel: "Reel", write: Callable[["Reel"], Generator[bytes]]
) -> Generator[Progress]:
    n_frames, n_shown = len(film), len(reel.order)
    total = 2 * n_frames + n_shown
    for done in film.measure():
        yield Progress(done, total, f"Laying out frame {done} of {n_frames}")
    for number in range(n_frames):
        first = film.first_like(number)
        reel.repeat(first) if first < number else reel.add(film.frame(number))
        text = f"Drawing frame {number + 1} of {n_frames}"
        yield Progress(n_frames + number + 1, total, text)
    pieces = []
    with closing(write(reel)) as written:
        for number, piece in enumerate(written, start=1):
            pieces.append(piece)
            done = min(number, n_shown)  # the last piece may be the end of the file alone
            yield Progress(2 * n_frames + done, total, f"Writing frame {done} of {n_shown}")
    yield Progress(total, total, "Written", b"".join(pieces))
