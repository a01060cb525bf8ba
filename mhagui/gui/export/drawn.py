"""A figure as the preview shows it: drawn in a thread, in as many pixels as it is seen in."""

from dataclasses import dataclass
from math import ceil

import msgspec
from PySide6.QtCore import QSizeF, Qt
from PySide6.QtGui import QImage

from mhagui.figures import FIGURES, FigureStyle, Ground, Subject
from mhagui.figures.movies import Pixels
from mhagui.figures.style import MAX_DPI, MIN_DPI, MM_PER_INCH

LEGIBLE_DPI = 150


@dataclass(frozen=True, slots=True)
class Room:
    """Where a figure is to be seen.

    Attributes
    ----------
    dots
        Points of the screen to an inch of it.
    ratio
        Pixels to such a point.
    fit
        The points that there are, for a figure that is to fill them; None for its true size.
    """

    dots: float
    ratio: float
    fit: QSizeF | None = None

    def points_per_inch(self, inches: QSizeF) -> float:
        """Return how large a figure of so many inches is to be seen."""
        if self.fit is None:
            return self.dots
        return min(self.fit.width() / inches.width(), self.fit.height() / inches.height())


@dataclass(frozen=True, slots=True)
class Drawn:
    """A figure as an image, as it was asked for, its size on paper in inches, and its caption."""

    name: str
    subject: Subject
    room: Room
    image: QImage
    inches: QSizeF
    caption: str

    @property
    def title(self) -> str:
        """What it shows, as in the list of figures."""
        chart = self.subject.charts.get(self.name)
        return FIGURES[self.name] if chart is None else chart.title

    @property
    def size_in_words(self) -> tuple[str, str]:
        """Its size in millimetres, and in pixels at the resolution of its files."""
        width, height = self.inches.width(), self.inches.height()
        dpi = self.subject.style.dpi
        millimetres = f"{width * MM_PER_INCH:.0f} × {height * MM_PER_INCH:.0f} mm"
        return millimetres, f"{int(width * dpi)} × {int(height * dpi)} px at {dpi} dpi"


def draw(name: str, subject: Subject, room: Room) -> Drawn:
    """Return figure ``name`` as it is seen in ``room``; raises UserError where it cannot be."""
    from mhagui.figures import drawing, page, paper

    on = paper.Paper.of(subject)
    plan = drawing.plan(name, subject, on)
    figure = page.painted(plan, on)
    inches = QSizeF(*map(float, figure.get_size_inches()))
    dots = room.points_per_inch(inches) * room.ratio
    # Small letters are legible only where they are drawn larger, and then made small.
    finer = ceil(LEGIBLE_DPI / dots) if room.fit is not None else 1
    dpi = min(max(round(dots * finer), MIN_DPI), MAX_DPI)
    style = msgspec.structs.replace(subject.style, dpi=dpi)
    image = image_of(drawing.pixels(figure, style), style)
    if room.fit is not None:
        size = (inches * dots).toSize()
        image = image.scaled(size, mode=Qt.TransformationMode.SmoothTransformation)
    return Drawn(name, subject, room, image, inches, plan.caption)


def image_of(pixels: Pixels, style: FigureStyle) -> QImage:
    """Return ``pixels``, (height, width, 4) RGBA, as an image with alpha where ``style`` has it."""
    height, width, _ = pixels.shape
    formats = QImage.Format
    is_clear = style.ground is Ground.TRANSPARENT
    kind = formats.Format_RGBA8888 if is_clear else formats.Format_RGBX8888
    return QImage(pixels.tobytes(), width, height, 4 * width, kind).copy()
