"""Figures in motion: a number of the scene goes from one value to another, frame by frame."""

from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import replace
from typing import Generic, NamedTuple, TypeVar

import msgspec

from mhagui import figures
from mhagui.document import compute
from mhagui.document.checks import count
from mhagui.document.provenance import provenance_to_text
from mhagui.errors import UserError, check_choices
from mhagui.figures import movies
from mhagui.figures.movies import Pixels, Reel
from mhagui.figures.style import Ground
from mhagui.figures.subject import Subject
from mhagui.figures.sweeps import Quantity, Sweep

Data = TypeVar("Data")

# What a sweep can be written as, with how such files are called and how they end.
MOVIES = {"apng": "Animated PNG", "gif": "GIF", "mp4": "MP4"}
SUFFIXES = {"apng": ".png", "gif": ".gif", "mp4": ".mp4"}
MOST_FPS = 50  # a GIF counts in hundredths of a second, and viewers slow a single one down
MOST_PIXELS = 4096 * 4096  # of a frame
MOST_SHOWN_PIXELS = 2**28  # of all frames of what Pillow writes: it holds them, 5 bytes a pixel


class Film:
    """The frames of figure ``name`` of ``subject`` as ``sweep`` moves it.

    All have one size and the same scales, those that hold what any of them shows. They are drawn
    when they are asked for, in any order. Raises UserError where the scene cannot be so, or the
    figure not be drawn of it.
    """

    def __init__(self, subject: Subject, name: str, sweep: Sweep) -> None:
        check_choices("figure", [name], figures.FIGURES)
        sweep.check(subject.scene)
        self.name = name
        self.style = subject.style
        self._subject, self._sweep = subject, sweep
        self._values = sweep.values(subject.scene)
        self._longest = None
        if sweep.slider.quantity is Quantity.LENGTH:
            self._longest = sweep.slider.moved(subject.scene, max(self._values))
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
        return replace(
            given,
            scene=scene,
            result=self._result,
            row=row,
            limits=scales,
            note=self.note(number),
            longest=self._longest,
        )

    def frame(self, number: int) -> Pixels:
        """Return frame ``number``, from 0: (height, width, 4) RGBA.

        Raises UserError where it is too large.
        """
        from mhagui.figures import drawing

        for _ in self.measure():  # unless all are measured
            pass
        figure = drawing.draw(self.name, self.subject(number), self._size)
        width, height = (int(side * self.style.dpi) for side in figure.get_size_inches())
        if width * height > MOST_PIXELS:
            raise UserError(
                f"A frame would have {width} × {height} pixels, and {MOST_PIXELS:,} are the most "
                f"in a film; choose a smaller page or less than {self.style.dpi} dpi."
            )
        return drawing.pixels(figure, self.style)


def _laid_out(name: str, subject: Subject) -> tuple[tuple[float, float], dict[str, float]]:
    """Return how large a figure is, as it is laid out, and what its colour scales reach."""
    from mhagui.figures import drawing
    from mhagui.figures.paper import Paper

    paper = Paper.of(subject)
    plan = drawing.plan(name, subject, paper)
    return (plan.width, plan.height), paper.reached


class Progress(NamedTuple, Generic[Data]):
    """How far something is: steps done and in all, in words, and with the last step what it is."""

    done: int
    total: int
    text: str
    data: Data | None = None


def animate(
    subject: Subject,
    name: str,
    sweep: Sweep,
    kind: str,
    fps: int,
    *,
    loop: bool = True,
    there_and_back: bool = False,
) -> Generator[Progress[bytes]]:
    """Yield how far figure ``name`` is drawn and written as one of ``MOVIES``; at last its file.

    Who stops before the end leaves nothing behind. The file tells, as those of figures do, of the
    scene that ``subject`` has. The same arguments give the same bytes, unless it is an MP4, which
    another program writes. In an animated PNG or GIF a frame like the one before is no other frame:
    that one lasts longer.

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
        or what is swept is out of range; a frame cannot be drawn or is too large; all frames of
        what is no MP4 are, which are held in memory.
    """
    from mhagui.figures.saving import provenance_of

    check_choices("format", [kind], MOVIES)
    count("The frames per second", fps, MOST_FPS)
    movies.check_writable(kind)
    film = Film(subject, name, sweep)
    provenance = provenance_of(name, subject)
    if kind == "mp4":  # a command line has no room for a scene
        provenance = msgspec.structs.replace(provenance, scene=None)
    order = playing_order(len(film), kind, loop=loop, there_and_back=there_and_back)
    reel = Reel(
        order=order,
        fps=fps,
        loop=loop,
        dpi=subject.style.dpi,
        title=figures.FIGURES[name],
        provenance=provenance_to_text(provenance),
        has_alpha=subject.style.ground is Ground.TRANSPARENT,
    )
    return _animate(film, reel, kind)


def why_no_movie(kind: str) -> str | None:
    """Return the sentence that says why ``kind`` cannot be written here; None when it can."""
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


def _animate(film: Film, reel: Reel, kind: str) -> Generator[Progress[bytes]]:
    n_frames, n_shown = len(film), len(reel.order)
    total = 2 * n_frames + n_shown
    for done in film.measure():
        yield Progress(done, total, f"Laying out frame {done} of {n_frames}")
    for number in range(n_frames):
        first = film.first_like(number)
        reel.repeat(first) if first < number else reel.add(film.frame(number))
        _check_room(reel, kind)
        text = f"Drawing frame {number + 1} of {n_frames}"
        yield Progress(n_frames + number + 1, total, text)
    text, data = f"Writing {n_shown} frames", b""
    yield Progress(2 * n_frames, total, text)
    with closing(movies.WRITERS[kind](reel)) as written:
        for number, piece in enumerate(written, start=1):
            data = piece  # nothing yet, and at last the file
            yield Progress(2 * n_frames + min(number, n_shown), total, text)
    yield Progress(total, total, "Written", data)


def _check_room(reel: Reel, kind: str) -> None:
    width, height = reel.size
    n_shown = len(reel.order)
    if kind != "mp4" and n_shown * width * height > MOST_SHOWN_PIXELS:
        raise UserError(
            f"{n_shown} frames of {width} × {height} pixels are more than {MOVIES[kind]} files can "
            f"have here, {MOST_SHOWN_PIXELS:,} pixels in all; choose fewer frames, a smaller page, "
            f"less than {reel.dpi} dpi, or MP4."
        )
