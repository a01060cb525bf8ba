"""What a figure is drawn with: how much room there is, which inks, which colours."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol

from mhagui.document import Scene
from mhagui.document.token_text import SHORT_LABEL, elided, labels
from mhagui.figures.style import FigureStyle, Labels
from mhagui.figures.subject import Subject
from mhagui.formats import positions

# Figures are laid out in inches for labels of this size, and then enlarged to the size asked for.
UNIT_SIZE = 8.0
LEAST_WIDTH = 3.0  # inches at that size; what is narrower is laid out so wide and made smaller
MOST_LETTERS = 13  # of a token, codes of letters without a glyph counted
LARGEST_STRETCH = 1.5  # of type on a slide, where there is room

EDGE = 0.08  # inches around a figure
NARROW = 5.0  # inches of paper, below which parts are below one another and not side by side


class Positions(Protocol):
    """Positions and what stands there, as a scene has them.

    Attributes
    ----------
    tokens
        The pieces of a tokenizer; none where that is not known.
    token_scheme
        How these stand for text; empty where that is to be guessed.
    """

    @property
    def n_positions(self) -> int: ...  # noqa: D102
    @property
    def tokens(self) -> Sequence[str]: ...  # noqa: D102
    @property
    def token_scheme(self) -> str: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Axis:
    """Positions that are no scene's, or its keys where these are not the queries' positions.

    Attributes
    ----------
    n_positions, tokens, token_scheme
        As of ``Positions``.
    sign
        What stands before their numbers: t, or i of keys that are no queries too.
    """

    n_positions: int
    tokens: tuple[str, ...] = ()
    token_scheme: str = ""
    sign: str = "t"


def keys_of(scene: Scene) -> Positions:
    """Return the positions of the keys: those of ``scene`` itself unless its mask goes across."""
    if not scene.mask.across:
        return scene
    return Axis(scene.n_keys, scene.key_tokens, scene.token_scheme, scene.mask.key_sign)


class Inks(NamedTuple):
    """Colours of everything that stands for no number."""

    ground: str
    ink: str
    muted: str
    rule: str
    hatch: str
    band: str


ON_LIGHT = Inks("#ffffff", "#000000", "#5f5f5f", "#b0b0b0", "#a6a6a6", "#d0d0d0")
ON_DARK = Inks("#1b1d20", "#f2f2f2", "#b4b4b4", "#63666a", "#75787c", "#4d5054")


@dataclass(frozen=True, eq=False)
class Paper:
    """A style, in the inches in which figures are laid out.

    Attributes
    ----------
    style
        How the figure is to look.
    limits
        Magnitudes that colour scales reach at least, by their names.
    share, tallest
        Of a part of a page: the share of the width that it may take, and how many inches high its
        cells or axes are at most, from top to bottom.
    taken
        Of the height of a page, by what stands above and below the figure.
    reached
        Those magnitudes that they do reach, noted as they are made.
    longest
        The scene for whose positions there is room; None for the one that is drawn.
    """

    style: FigureStyle
    limits: Mapping[str, float] = field(default_factory=dict)
    share: float = 1.0
    tallest: float = math.inf
    taken: float = 0.0
    reached: dict[str, float] = field(default_factory=dict)
    longest: Scene | None = None

    @classmethod
    def of(cls, subject: Subject) -> "Paper":
        """Return the paper that ``subject`` asks for."""
        return cls(subject.style, subject.limits, longest=subject.longest)

    def part(self, tallest: float, share: float = 1.0) -> "Paper":
        """Return the paper of a part of the page."""
        return replace(self, tallest=tallest, share=share)

    @property
    def is_part(self) -> bool:
        """Whether there are other figures on the page."""
        return self.tallest < math.inf

    @property
    def scale(self) -> float:
        """How many times larger type is asked for than it is laid out."""
        return self.style.type_size / UNIT_SIZE

    @property
    def width(self) -> float:
        """How many inches wide a figure may be."""
        return max(self.style.preset.room.width / self.scale, LEAST_WIDTH) * self.share

    @property
    def height(self) -> float | None:
        """How many inches high it may be; None for any, and for a part of a page."""
        height = self.style.preset.room.height
        return None if height is None or self.is_part else height / self.scale - self.taken

    @property
    def inks(self) -> Inks:
        """The inks that show on the ground."""
        return ON_DARK if self.style.is_dark else ON_LIGHT

    def faded(self, colour: str, share: float) -> str:
        """Return ``#rrggbb`` of a colour of which a ``share``, 0..1, is left on the ground.

        An opaque colour that looks like a transparent one: EPS files know no other.
        """
        front, back = _channels(colour), _channels(self.inks.ground)
        mixed = [round(share * f + (1 - share) * b) for f, b in zip(front, back, strict=True)]
        return "#" + "".join(f"{channel:02x}" for channel in mixed)

    def row_names(self, scene: Positions) -> tuple[str, ...]:
        """Return how the positions are called beside rows: t1, the, or t1 the."""
        numbers, words = numbers_of(scene), _words(scene)
        if not words or self.style.labels is Labels.POSITIONS:
            return numbers
        if self.style.labels is Labels.TOKENS:
            return words
        return tuple(f"{label} {word}" for label, word in zip(numbers, words, strict=True))

    def roomiest(self, scene: Scene) -> Scene:
        """Return the scene for whose positions there is to be room where ``scene`` is drawn."""
        return self.longest or scene

    def names_below(self, scene: Positions) -> tuple[str, ...]:
        """Return how they are called below columns and curves: both in two lines, else as rows."""
        names = self.row_names(scene)
        both = scene.tokens and self.style.labels is Labels.BOTH
        return tuple(name.replace(" ", "\n", 1) for name in names) if both else names

    def limit(self, name: str, magnitude: float) -> float:
        """Return what the scale ``name`` reaches around 0, so that it has ``magnitude``."""
        reached = max(magnitude, self.limits.get(name, 0.0)) or 1.0
        self.reached[name] = max(reached, self.reached.get(name, 0.0))
        return reached


def numbers_of(scene: Positions) -> tuple[str, ...]:
    """Return t1 .. tT, or i1 .. of keys that are not the queries' positions."""
    return positions(scene.n_positions, scene.sign if isinstance(scene, Axis) else "t")


def _words(scene: Positions) -> tuple[str, ...]:
    """Return how tokens are called, with the code of a letter that no font here has."""
    from mhagui.figures.fonts import drawable  # takes a while: matplotlib

    shown = map(drawable, labels(scene.tokens, SHORT_LABEL, scene.token_scheme))
    return tuple(elided(word, MOST_LETTERS) for word in shown)


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
