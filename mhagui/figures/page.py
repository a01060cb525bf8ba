"""The page a figure is painted on: type, lengths in inches, axes and text in their places."""

import difflib
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from threading import RLock
from typing import Any, Literal

import matplotlib as mpl
from matplotlib import _mathtext, font_manager
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties

from mhagui.document import HeadResult
from mhagui.errors import UserError
from mhagui.figures.fonts import letters
from mhagui.figures.paper import EDGE, LARGEST_STRETCH, ON_LIGHT, Inks, Paper
from mhagui.figures.style import FigureStyle

POINTS = 72
RULER_DPI = 720

TITLE_SIZE, LABEL_SIZE, TICK_SIZE = 8.5, 8.0, 7.0
HEADING_SIZE = 10.0  # of a figure's title
ASCENT = 0.76  # of a line of text above its base line, in type sizes
LINE = 1.25  # height of a line of text, in type sizes
FILL = 0.94  # of a line that is planned for: at few dots to the inch letters are a little wider
BELOW_TITLE, ABOVE_CAPTION = 0.08, 0.08

# DejaVu Sans comes with matplotlib, so a figure is the same on every machine. What stands behind it
# serves a reader of an SVG who lacks it (Verdana has its widths), and names in scripts it lacks.
FONTS = ("DejaVu Sans", "Verdana", "Arial", "sans-serif")
FOREIGN_FONTS = (
    "Noto Sans CJK JP", "Noto Sans CJK SC", "Source Han Sans", "WenQuanYi Micro Hei",
    "Hiragino Sans", "PingFang SC", "Microsoft YaHei", "Yu Gothic", "Malgun Gothic",
    "Noto Sans Devanagari", "Nirmala UI", "Noto Sans Thai", "Noto Emoji", "Segoe UI Symbol",
    "Arial Unicode MS", "Droid Sans Fallback",
)  # fmt: skip


@dataclass(frozen=True)
class Box:
    """A rectangle in inches from the left and the top of a sheet."""

    left: float
    top: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """Where it ends."""
        return self.left + self.width

    @property
    def bottom(self) -> float:
        """Where it ends below."""
        return self.top + self.height


@dataclass(frozen=True, eq=False)
class Sheet:
    """A part of a page on which one figure is painted, at its own scale.

    All lengths are those of the layout: inches and points at ``UNIT_SIZE``.
    """

    figure: Figure
    paper: Paper
    scale: float = 1.0
    left: float = 0.0
    top: float = 0.0

    @property
    def inks(self) -> Inks:
        """The inks of the paper."""
        return self.paper.inks

    def moved(self, left: float, top: float) -> "Sheet":
        """Return the sheet that begins so many inches further right and below."""
        return replace(self, left=self.left + left, top=self.top + top)

    def pt(self, points: float) -> float:
        """Return a length in points as it is on the page."""
        return points * self.scale

    def place(self, box: Box) -> Axes:
        """Return axes in ``box``."""
        width, height = self._size()
        bottom = height - (self.top + box.bottom)
        left = self.left + box.left
        return self.figure.add_axes(
            (left / width, bottom / height, box.width / width, box.height / height)
        )

    def write(self, left: float, top: float, text: str, **look: Any) -> None:
        """Put text with its upper left corner there; ``fontsize`` is in points of the layout."""
        points = look.pop("fontsize", LABEL_SIZE)
        if "\n" not in text and not look.keys() & {"va", "rotation"}:
            # A formula may be taller than other text, and yet it is to stand on the same line.
            top, look["va"] = top + ASCENT * points / POINTS, "baseline"
        look = {"va": "top", "ha": "left", "color": self.inks.ink, **look}
        self.figure.text(*self._at(left, top), text, fontsize=self.pt(points), **look)

    def legend(self, middle: float, top: float, handles: Sequence[Artist], n_columns: int) -> None:
        """Put a legend of so many columns there, with its upper middle at that place."""
        self.figure.legend(
            handles=list(handles),
            loc="upper center",
            bbox_to_anchor=self._at(middle, top),
            bbox_transform=self.figure.transFigure,
            ncols=n_columns,
            frameon=False,
            borderpad=0,
            borderaxespad=0,
        )

    def _size(self) -> tuple[float, float]:
        width, height = self.figure.get_size_inches()
        return float(width) / self.scale, float(height) / self.scale

    def _at(self, left: float, top: float) -> tuple[float, float]:
        width, height = self._size()
        return (self.left + left) / width, 1 - (self.top + top) / height


@dataclass(frozen=True, eq=False)
class Plan:
    """A figure that is laid out, and not yet painted.

    Attributes
    ----------
    title, caption
        What it shows, in a few words and in sentences.
    width, height
        Its size in inches of the layout.
    paint
        Paints it with its upper left corner at that of a sheet.
    """

    title: str
    caption: str
    width: float
    height: float
    paint: Callable[[Sheet], None] = field(repr=False)


# ----------------------------------------------------------------------------------------- style


def _type_of(style: FigureStyle) -> dict[str, Any]:
    there = _fonts()
    if style.font and style.font not in there:
        near = difflib.get_close_matches(style.font, there, 3, 0.5) or ["DejaVu Sans"]
        raise UserError(f"There is no font “{style.font}” here; there is {', '.join(near)}.")
    given = [style.font] if style.font else []
    fonts: dict[str, Any] = {
        "font.family": [*given, "sans-serif", *(font for font in FOREIGN_FONTS if font in there)],
        "font.sans-serif": list(FONTS),
    }
    if given:
        slanted = f"{style.font}:italic"
        fonts |= {"mathtext.fontset": "custom", "mathtext.rm": style.font, "mathtext.it": slanted}
        fonts |= {"mathtext.bf": f"{style.font}:bold"}
    return fonts


@cache
def _fonts() -> tuple[str, ...]:
    return tuple(sorted(set(font_manager.get_font_names())))


def _look(inks: Inks, scale: float) -> dict[str, Any]:
    """Return what matplotlib uses where nothing else is said."""
    ink = {"text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"}
    sizes = {
        "font.size": LABEL_SIZE, "axes.titlesize": TITLE_SIZE, "axes.labelsize": LABEL_SIZE,
        "xtick.labelsize": TICK_SIZE, "ytick.labelsize": TICK_SIZE, "legend.fontsize": TICK_SIZE,
        "axes.linewidth": 0.6, "axes.labelpad": 4.0, "axes.titlepad": 6.0, "lines.linewidth": 1.5,
        "xtick.major.pad": 2.0, "ytick.major.pad": 2.0, "grid.linewidth": 0.4,
        "xtick.major.size": 2.0, "ytick.major.size": 2.0,
        "xtick.major.width": 0.5, "ytick.major.width": 0.5,
    }  # fmt: skip
    return {
        **dict.fromkeys(ink, inks.ink),
        **{name: points * scale for name, points in sizes.items()},
        "axes.facecolor": inks.ground,
        "image.composite_image": False,
        # Glyphs fitted to pixels would make lines up to an eighth wider or narrower than planned.
        "text.hinting": "no_hinting",
    }


# Of a formula, to its indices. Matplotlib has 0.7 and no setting for it; journals want 5.5 points.
INDEX_SIZE = 0.9

# What matplotlib and warnings are told holds for all threads: they draw in turn.
_TURN = RLock()


@contextmanager
def _large_indices() -> Iterator[None]:
    usual = _mathtext.SHRINK_FACTOR
    _mathtext.SHRINK_FACTOR = INDEX_SIZE
    try:
        yield
    finally:
        _mathtext.SHRINK_FACTOR = usual


@contextmanager
def house_style(style: FigureStyle | None = None, scale: float = 1.0) -> Iterator[None]:
    """Lay out, paint and save within this, in ``style``, whatever a matplotlibrc says.

    Nothing else changes. Raises UserError where the machine has no such font.
    """
    style = style or FigureStyle()
    inks = Paper(style).inks
    with _TURN, _large_indices(), mpl.rc_context(), warnings.catch_warnings():
        # A name in a script that no font here has shows boxes; a warning would say no more.
        warnings.filterwarnings("ignore", r"Glyph \d+ .*missing from font", UserWarning)
        mpl.rcdefaults()
        look: dict[Any, Any] = _type_of(style) | _look(inks, scale)
        mpl.rcParams.update(look)
        yield


# ----------------------------------------------------------------------------------------- pages


def titled(plan: Plan, paper: Paper, note: str = "") -> Plan:
    """Return ``plan`` with a title, a ``note`` and a caption around it, as the paper's style says.

    Above stand the title and the note, below the caption.
    """
    width = _width_on(plan, paper)
    room = width - 2 * EDGE
    head = wrapped(plan.title, room * 0.9, HEADING_SIZE) if paper.style.title else []
    noted = wrapped(note, room, LABEL_SIZE) if note else []
    foot = wrapped(plan.caption, room, TICK_SIZE) if paper.style.caption else []
    if not (head or noted or foot):
        return plan
    above = len(head) * line_height(HEADING_SIZE) + len(noted) * line_height(LABEL_SIZE)
    above += EDGE + BELOW_TITLE if above else 0.0
    below = above + plan.height + (ABOVE_CAPTION if foot else 0.0)
    height = below + len(foot) * line_height(TICK_SIZE) + (EDGE if foot else 0.0)
    shift = (width - plan.width) / 2
    sizes = *len(head) * [HEADING_SIZE / 0.9], *len(noted) * [LABEL_SIZE], *len(foot) * [TICK_SIZE]
    widest = max(map(text_width, [*head, *noted, *foot], sizes))
    # Where the figure begins, if the longest line ends on the page then.
    left = EDGE + max(min(shift, room - widest), 0.0)

    def paint(sheet: Sheet) -> None:
        under = EDGE + len(head) * line_height(HEADING_SIZE)
        look = {"fontsize": HEADING_SIZE, "fontweight": "bold"}
        sheet.write(left, EDGE, in_math("\n".join(head), bold=True), **look)
        sheet.write(left, under, "\n".join(noted), parse_math=False)
        sheet.write(left, below, in_math("\n".join(foot)), fontsize=TICK_SIZE)
        plan.paint(sheet.moved(shift, above))

    return replace(plan, width=width, height=height, paint=paint)


def _width_on(plan: Plan, paper: Paper) -> float:
    """Return how wide a title and a caption may be: from edge to edge of the page."""
    width = max(plan.width, paper.width)
    if paper.height is None:
        return width
    lines = 1 + len(wrapped(plan.caption, width, TICK_SIZE)) if paper.style.caption else 1
    height = plan.height + lines * line_height(HEADING_SIZE)
    return max(width, height * paper.width / paper.height)


def painted(plan: Plan, paper: Paper, size: tuple[float, float] | None = None) -> Figure:
    """Return the page of the paper's preset with ``plan`` on it, in the middle.

    ``size`` is that of a larger plan, which shares the page with this one in turn.
    """
    width, height = size or (plan.width, plan.height)
    page_width, page_height, scale = _page_of(width, height, paper)
    with house_style(paper.style, scale):
        figure = new_page(page_width * scale, page_height * scale, plan.title, paper)
        left = (page_width - width) / 2
        top = (page_height - height) / 2
        plan.paint(Sheet(figure, paper, scale, left, top))
    return figure


def _page_of(width: float, height: float, paper: Paper) -> tuple[float, float, float]:
    """Return the page for a plan of this size in inches of the layout, and how it is enlarged."""
    room = paper.style.preset.room
    scale = min(paper.scale, room.width / width)
    if room.height is not None:
        fit = min(room.width / width, room.height / height)
        scale = min(paper.scale * (1 if paper.style.font_size else LARGEST_STRETCH), fit)
        return room.width / scale, room.height / scale, scale
    return room.width / scale, height, scale


def new_page(width: float, height: float, title: str, paper: Paper | None = None) -> Figure:
    """Return an empty page of so many inches, titled for the file's own description."""
    ground = paper.inks.ground if paper else ON_LIGHT.ground
    figure = Figure(figsize=(width, height), facecolor=ground)
    FigureCanvasAgg(figure)
    figure.set_label(title)
    return figure


# --------------------------------------------------------------------------------- axes and text


def dress(axes: Axes, sheet: Sheet, grid: Literal["both", "x", "y"] = "both") -> None:
    """Give axes of curves or bars no frame at the top and right, and a pale grid."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.set_axisbelow(True)
    axes.grid(axis=grid, color=sheet.paper.faded(sheet.inks.rule, 0.6))


@cache
def _ruler() -> RendererAgg:
    # Fine enough for the hinting of glyphs not to count.
    return RendererAgg(1, 1, RULER_DPI)  # type: ignore[no-untyped-call]


def text_width(text: str, size: float = TICK_SIZE) -> float:
    """Return the width of a line of plain text in inches, in the font of the style."""
    return _text_width(text, size, tuple(mpl.rcParams["font.family"]))


@lru_cache(maxsize=20_000)  # the same names are measured for every number of columns
def _text_width(text: str, size: float, families: tuple[str, ...]) -> float:
    font = FontProperties(family=list(families), size=size)
    measure: Any = _ruler().get_text_width_height_descent
    return float(measure(text, font, ismath=False)[0]) / RULER_DPI


def line_height(size: float) -> float:
    """Return the height of a line of text in inches."""
    return size * LINE / POINTS


def wrapped(text: str, width: float, size: float) -> list[str]:
    """Return ``text`` as lines of at most so many inches, broken at spaces or else anywhere.

    At a space that breaks no line, which then becomes a usual one, it is not.
    """
    lines, room = [""], width * FILL
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if text_width(longer, size) <= room:
            lines[-1] = longer
        else:
            lines += _pieces(word, room, size)
    return [line.replace("\u00a0", " ") for line in lines if line]


def fitted(text: str, width: float, size: float) -> str:
    """Return ``text`` on a line of at most so many inches, its end cut."""
    shown, end = text, ""
    while shown and text_width(shown + end, size) > width * FILL:
        shown, end = shown[:-1].rstrip(), "…"
    return shown + end


def _pieces(word: str, width: float, size: float) -> list[str]:
    """Return ``word`` in pieces, none of which ends within a symbol."""
    pieces = [""]
    for whole in re.findall(rf"{_SYMBOL.pattern}|.", word, re.DOTALL):
        if pieces[-1] and text_width(pieces[-1] + whole, size) > width:
            pieces.append("")
        pieces[-1] += whole
    return pieces


# Letters with an index, as they are typed where there are no formulas.
_SYMBOL = re.compile(
    r"(?<![^\W_])(?:W_[QKVO](?:\^(?:\(h\)|h))?|d_(?:model|k|v)|[OWAΣ]_[h1H]|n_t|I_ab?"
    r"|X_(?:\{[^}]*\}|t))"
    r"(?![A-Za-z0-9_])"
)


def in_math(text: str, *, bold: bool = False) -> str:
    """Return ``text`` with its symbols as formulas: W_O, d_k and X_{t+1}.

    Formulas know one font only: a text with letters that it lacks stays as it is.
    """
    plain = text.replace("$", r"\$")
    if not {ord(letter) for letter in plain if letter.isprintable()} <= letters(_family()):
        return plain

    def formula(found: re.Match[str]) -> str:
        symbol = re.sub(r"\^(\(h\))", r"^{\1}", found[0]).replace("model", r"\mathrm{model}")
        symbol = symbol.replace("Σ", r"\Sigma")
        symbol = re.sub(r"_(\\mathrm\{model\}|[A-Za-z0-9]+)", r"_{\1}", symbol)
        return rf"$\mathbf{{{symbol}}}$" if bold else f"${symbol}$"

    return _SYMBOL.sub(formula, plain)


def _family() -> str:
    return str(mpl.rcParams["font.family"][0])


def state_of(head: HeadResult) -> str:
    """Return what to add to the name of a head that does not reach W_O."""
    return "" if head.active else f" ({head.standing})"


def round_ticks(count: int, most: int) -> list[int]:
    """Return which of 1 .. ``count`` to label: all, the odd ones, or the first and round ones."""
    if count <= most:
        return list(range(1, count + 1))
    if (count + 1) // 2 <= most:
        return list(range(1, count + 1, 2))
    steps = (step * 10**power for power in range(5) for step in (2, 5, 10))
    step = next(step for step in steps if count // step < most)
    return [1, *range(step, count + 1, step)]
