"""How figures look, whatever they show; no matplotlib here."""

import enum
from typing import Annotated, NamedTuple

import msgspec

from mhagui.document.faults_of_text import fault_in_words
from mhagui.document.file_text import line
from mhagui.document.view_state import Appearance, ColourScale
from mhagui.errors import UserError
from mhagui.palette import SignedColours, WeightColours

MM_PER_INCH = 25.4
MIN_DPI, MAX_DPI = 30, 1200
MIN_FONT_SIZE, MAX_FONT_SIZE = 4.0, 60.0
LONGEST_FONT = 60


class Room(NamedTuple):
    """What a page offers: widths and heights in inches, type in points.

    A ``height`` makes every page exactly that large; None lets it end with the figure.
    """

    width: float
    height: float | None
    font_size: float


class Preset(enum.StrEnum):
    """What a figure is for; the value is what is typed for it."""

    SINGLE_COLUMN = "single"
    DOUBLE_COLUMN = "double"
    SLIDE = "slide"
    POSTER = "poster"

    def __str__(self) -> str:
        """Return the text in a menu."""
        return _PRESETS[self][0]

    @property
    def room(self) -> Room:
        """The page it stands for."""
        return _PRESETS[self][1]


_PRESETS = {
    Preset.SINGLE_COLUMN: ("Single column, 85 mm", Room(85 / MM_PER_INCH, None, 7.0)),
    Preset.DOUBLE_COLUMN: ("Double column, 170 mm", Room(170 / MM_PER_INCH, None, 8.0)),
    Preset.SLIDE: ("Slide, 16:9", Room(40 / 3, 7.5, 16.0)),
    Preset.POSTER: ("Poster, 600 mm wide", Room(600 / MM_PER_INCH, None, 28.0)),
}


class Ground(enum.StrEnum):
    """What a figure stands on."""

    LIGHT = "light"
    DARK = "dark"
    TRANSPARENT = "transparent"

    def __str__(self) -> str:
        """Return the text in a menu."""
        return self.value.capitalize()


class Labels(enum.StrEnum):
    """How positions are called, where the scene has tokens."""

    POSITIONS = "positions"
    TOKENS = "tokens"
    BOTH = "both"

    def __str__(self) -> str:
        """Return the text in a menu."""
        return {"positions": "t1, t2, …", "tokens": "tokens", "both": "t1 token"}[self.value]


class FigureStyle(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How figures look and are written.

    Attributes
    ----------
    preset
        The page, and the type size that goes with it.
    font
        A family of the machine; empty for DejaVu Sans, which every machine has with matplotlib.
    font_size
        Points of the labels, 4 to 60; None for the preset's.
    ground
        White, dark or nothing behind the figure; inks go with it.
    weight_colours, signed_colours
        The colours of weights, and of numbers that can be below zero.
    colour_scale
        How weights become colours.
    values
        Whether numbers are written into cells with room for them.
    labels
        How positions are called, where the scene has tokens.
    title, caption
        Whether the figure's title stands above it, and what it shows below it.
    dpi
        Pixels per inch of PNG and TIFF files, 30 to 1200.
    outlines
        Whether text in SVG files is drawn as outlines, instead of text in a font.
    embed_scene
        Whether files hold the scene they were drawn from.
    """

    preset: Preset = Preset.DOUBLE_COLUMN
    font: Annotated[str, msgspec.Meta(max_length=LONGEST_FONT)] = ""
    font_size: Annotated[float, msgspec.Meta(ge=MIN_FONT_SIZE, le=MAX_FONT_SIZE)] | None = None
    ground: Ground = Ground.LIGHT
    weight_colours: WeightColours = WeightColours.VIRIDIS
    signed_colours: SignedColours = SignedColours.BLUE_RED
    colour_scale: ColourScale = ColourScale.LINEAR
    values: bool = True
    labels: Labels = Labels.BOTH
    title: bool = False
    caption: bool = False
    dpi: Annotated[int, msgspec.Meta(ge=MIN_DPI, le=MAX_DPI)] = 300
    outlines: bool = False
    embed_scene: bool = True

    @property
    def type_size(self) -> float:
        """Points of the labels."""
        return self.font_size or self.preset.room.font_size

    @property
    def is_dark(self) -> bool:
        """Whether ink is light."""
        return self.ground is Ground.DARK

    def in_colours_of(self, look: Appearance, colour_scale: ColourScale) -> "FigureStyle":
        """Return this style with the colours that a window shows."""
        return msgspec.structs.replace(
            self,
            weight_colours=look.weight_colours,
            signed_colours=look.signed_colours,
            colour_scale=colour_scale,
        )


def style_to_entry(style: FigureStyle) -> dict[str, object]:
    """Return ``style`` as JSON has it: names and values of all its fields."""
    entry: dict[str, object] = msgspec.to_builtins(style)
    return entry


def style_of(entry: object) -> FigureStyle:
    """Return the style in ``entry``; raises UserError that names the field that is wrong."""
    try:
        return msgspec.convert(entry, FigureStyle)
    except msgspec.ValidationError as error:
        raise UserError(f"That is no style of figures: {line(fault_in_words(error))}.") from error


def checked(style: FigureStyle) -> FigureStyle:
    """Return ``style``; raises UserError where one of its values is out of range."""
    return style_of(style_to_entry(style))
