"""The page a figure is drawn on: type sizes, lengths in inches, and the way to a file."""

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import matplotlib as mpl
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties

from mhagui import __version__
from mhagui.document import HeadResult

FULL_WIDTH = 6.7  # inches: the two columns of most journals
EDGE = 0.08
POINTS = 72
RULER_DPI = 720

TITLE_SIZE, LABEL_SIZE, TICK_SIZE = 8.5, 8.0, 7.0
LINE = 1.25  # height of a line of text, in type sizes
FILL = 0.94  # of a line that is planned for: at few dots to the inch letters are a little wider

INK = "#000000"
MUTED_INK = "#6e6e6e"
RULE = "#b0b0b0"
HATCH = "#cfcfcf"

# DejaVu Sans comes with matplotlib, so a figure is the same on every machine. What stands behind it
# serves a reader of an SVG who lacks it (Verdana has its widths), and names in scripts it lacks.
FONTS = ("DejaVu Sans", "Verdana", "Arial", "sans-serif")
FOREIGN_FONTS = (
    "Noto Sans CJK JP", "Noto Sans CJK SC", "Source Han Sans", "WenQuanYi Micro Hei",
    "Hiragino Sans", "PingFang SC", "Microsoft YaHei", "Yu Gothic", "Malgun Gothic",
    "Noto Sans Devanagari", "Nirmala UI", "Noto Sans Thai", "Noto Emoji", "Segoe UI Symbol",
    "Arial Unicode MS",
)  # fmt: skip


@dataclass(frozen=True)
class Box:
    """A rectangle in inches from the left and the top of the page."""

    left: float
    top: float
    width: float
    height: float


@cache
def _style() -> dict[str, Any]:
    there = set(font_manager.get_font_names())
    return {
        "font.family": ["sans-serif", *(font for font in FOREIGN_FONTS if font in there)],
        "font.sans-serif": list(FONTS),
        "font.size": LABEL_SIZE,
        "axes.titlesize": TITLE_SIZE,
        "axes.labelsize": LABEL_SIZE,
        "xtick.labelsize": TICK_SIZE,
        "ytick.labelsize": TICK_SIZE,
        "legend.fontsize": TICK_SIZE,
        "axes.linewidth": 0.6,
        "hatch.linewidth": 0.5,
        "image.composite_image": False,
        # Fonts are embedded whole in kind (TrueType), which journals ask for.
        "pdf.fonttype": 42,
        # Text stays text in an SVG: it can be searched, read aloud and set in a journal's own
        # face. Where looks must not change by a point there is the PDF.
        "svg.fonttype": "none",
        "svg.hashsalt": "mhagui",
    }


@contextmanager
def house_style() -> Iterator[None]:
    """Draw within this in our style, whatever a matplotlibrc says; nothing else changes."""
    with mpl.rc_context(), warnings.catch_warnings():
        # A name in a script that no font here has shows boxes; a warning would say no more.
        warnings.filterwarnings("ignore", r"Glyph \d+ .*missing from font", UserWarning)
        mpl.rcdefaults()
        for name, value in _style().items():
            mpl.rcParams[name] = value  # type: ignore[index]
        yield


def new_page(width: float, height: float, title: str) -> Figure:
    """Return a white page of so many inches, titled for the file's own description."""
    figure = Figure(figsize=(width, height), facecolor="white")
    FigureCanvasAgg(figure)
    figure.set_label(title)
    return figure


def place(figure: Figure, left: float, top: float, width: float, height: float) -> Axes:
    """Return axes at so many inches from the left and the top of the page."""
    page_width, page_height = figure.get_size_inches()
    bottom = page_height - top - height
    rectangle = (left / page_width, bottom / page_height, width / page_width, height / page_height)
    return figure.add_axes(rectangle)


def dress(axes: Axes, grid: Literal["both", "x", "y"] = "both") -> None:
    """Give axes of curves or bars small ticks, no frame at the top and right, and a pale grid."""
    axes.tick_params(length=2, width=0.5, pad=2)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.set_axisbelow(True)
    axes.grid(axis=grid, color=RULE, linewidth=0.4, alpha=0.6)


def write(figure: Figure, left: float, top: float, text: str, **look: Any) -> None:
    """Put text with its upper left corner so many inches from the left and the top of the page."""
    page_width, page_height = figure.get_size_inches()
    look = {"va": "top", "ha": "left", "fontsize": LABEL_SIZE, **look}
    figure.text(left / page_width, 1 - top / page_height, text, **look)


@cache
def _ruler() -> RendererAgg:
    # Fine enough for the hinting of glyphs not to count.
    return RendererAgg(1, 1, RULER_DPI)  # type: ignore[no-untyped-call]


def text_width(text: str, size: float = TICK_SIZE) -> float:
    """Return the width of a line of plain text in inches."""
    font = FontProperties(size=size)
    measure: Any = _ruler().get_text_width_height_descent
    return float(measure(text, font, ismath=False)[0]) / RULER_DPI


def line_height(size: float) -> float:
    """Return the height of a line of text in inches."""
    return size * LINE / POINTS


def wrapped(text: str, width: float, size: float) -> list[str]:
    """Return ``text`` as lines of at most so many inches, broken at spaces or else anywhere."""
    lines, room = [""], width * FILL
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if text_width(longer, size) <= room:
            lines[-1] = longer
        else:
            lines += _pieces(word, room, size)
    return [line for line in lines if line]


def _pieces(word: str, width: float, size: float) -> list[str]:
    pieces = [""]
    for char in word:
        if pieces[-1] and text_width(pieces[-1] + char, size) > width:
            pieces.append("")
        pieces[-1] += char
    return pieces


def state_of(head: HeadResult) -> str:
    """Return what to add to the name of a head that does not reach W_O."""
    return "" if head.active else f" ({head.standing})"


def round_ticks(count: int, most: int) -> list[int]:
    """Return which of 1 .. ``count`` to label: all, or the first and round ones."""
    if count <= most:
        return list(range(1, count + 1))
    steps = (step * 10**power for power in range(5) for step in (2, 5, 10))
    step = next(step for step in steps if count // step < most)
    return [1, *range(step, count + 1, step)]


def to_bytes(figure: Figure, kind: str, dpi: int) -> bytes:
    """Return the figure as a PNG, SVG or PDF file without dates."""
    creator = f"mhagui {__version__}"
    title = str(figure.get_label())
    described: dict[str, dict[str, Any]] = {
        "png": {"Title": title, "Software": creator},
        "svg": {"Title": title, "Creator": creator, "Date": None},
        "pdf": {"Title": title, "Creator": creator, "CreationDate": None},
    }
    buffer = io.BytesIO()
    with house_style():
        figure.savefig(buffer, format=kind, dpi=dpi, metadata=described[kind])
    return buffer.getvalue()
