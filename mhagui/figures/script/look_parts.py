"""The part of a script that says how its figure looks: names, colours, type and page."""

import math
import textwrap
from collections.abc import Sequence

from mhagui.document import Result, Scene, token_text
from mhagui.document.designs import filter_of
from mhagui.document.view_state import ColourScale
from mhagui.document.weight_scale import LOG_FLOOR, largest_weight, weight_scale
from mhagui.figure_names import FACTS
from mhagui.figures.paper import ON_DARK, ON_LIGHT
from mhagui.figures.script import literals
from mhagui.figures.script.parts import Part
from mhagui.figures.style import FigureStyle, Ground, Labels
from mhagui.figures.subject import Subject
from mhagui.palette import WeightColours, diverging_table, head_colour, head_marker

_NAMES = (
    'positions = [f"t{t + 1}" for t in range(T)]',
    'channel_names = [f"d{j + 1}" for j in range(d_model)]',
    'concat_names = [f"h{h + 1}.{n + 1}" for h in range(H) for n in range(d_v)]',
    'input_names = [f"x{j + 1}" for j in range(d_model)]',
    'query_names = [f"h{h + 1}.q{n + 1}" for h in range(H) for n in range(d_k)]',
    'key_names = [f"h{h + 1}.k{n + 1}" for h in range(H) for n in range(d_k)]',
    'value_names = [f"h{h + 1}.v{n + 1}" for h in range(H) for n in range(d_v)]',
)
_LONGEST_LINE = 24  # of a title, in letters


def look_parts(names: Sequence[str], subject: Subject) -> list[Part]:
    """Return how the figures ``names`` look, in the order in which it is written."""
    scene, style = subject.scene, subject.style
    inks = ON_DARK if style.is_dark else ON_LIGHT
    heads, letters = scene.heads, _letters(names, subject)
    filters = [textwrap.fill(filter_of(head), min(letters, _LONGEST_LINE)) for head in heads]
    lines = [
        f"names = {literals.texts(_head_names(subject, min(letters, _LONGEST_LINE)), before=8)}",
        f"filters = {literals.texts(filters, before=10)}",
        *_NAMES,
        *_position_names(scene, style),
        f"colours = {literals.texts([head_colour(head.uid) for head in heads], before=10)}",
        f"markers = {literals.texts([head_marker(h.uid).on_paper for h in heads], before=10)}",
        f"INK, MUTED = {literals.text(inks.ink)}, {literals.text(inks.muted)}",
        f"RULE, HATCH = {literals.text(inks.rule)}, {literals.text(inks.hatch)}",
        f"LETTERS = {letters}  # that have room below a matrix",
        f"FONT_SIZE = {_type_size(names, subject):.4g}",
        f"WEIGHT_COLOURS = {literals.text(_weight_colours(style))}",
        *_signed_colours(style),
        *_weights(subject.result, style),
    ]
    return [*map(Part, lines), *_settings(style)]


def shown_weights(style: FigureStyle) -> str:
    """Return the name, in the script, of what the colours of weights stand for."""
    return "ratio" if style.colour_scale is ColourScale.RELATIVE else "A"


def _head_names(subject: Subject, most: int) -> list[str]:
    """Return the heads' names on lines of at most so many letters, with what silences them."""
    names = []
    for number, head in enumerate(subject.result.heads, 1):
        standing = "" if head.active else f" ({head.standing})"
        names.append(textwrap.fill(f"h{number} {head.head.name}{standing}", most))
    return names


def _position_names(scene: Scene, style: FigureStyle) -> list[str]:
    words = token_text.labels(scene.tokens, token_text.SHORT_LABEL, scene.token_scheme)
    if not words or style.labels is Labels.POSITIONS:
        return ["row_names = column_names = positions"]
    line = f"tokens = {literals.texts(words, before=9)}"
    if style.labels is Labels.TOKENS:
        return [line, "row_names = column_names = tokens"]
    both = 'row_names = [f"{t} {word}" for t, word in zip(positions, tokens)]'
    return [line, both, "column_names = positions"]


def _weight_colours(style: FigureStyle) -> str:
    is_grey = style.weight_colours is WeightColours.GREY
    return "gray" if is_grey else style.weight_colours.value


def _signed_colours(style: FigureStyle) -> list[str]:
    anchors = diverging_table(11, style.signed_colours, dark=style.is_dark)
    shown = ["#" + "".join(f"{channel:02x}" for channel in anchor) for anchor in anchors.tolist()]
    halves = " ".join(shown[:6]), " ".join(shown[6:])
    name = literals.text(style.signed_colours.value)
    return [
        f'ANCHORS = (\n    "{halves[0]} "\n    "{halves[1]}"\n)',
        f"SIGNED = LinearSegmentedColormap.from_list({name}, ANCHORS.split(), 255)",
    ]


def _weights(result: Result, style: FigureStyle) -> list[str]:
    """Return the colours of weights, and what their bar is called."""
    scale = style.colour_scale
    ends = weight_scale(scale, len(result.allowed), largest_weight(result))
    look = {
        ColourScale.LINEAR: '"cmap": WEIGHT_COLOURS, "vmin": 0.0, "vmax": 1.0',
        ColourScale.LINEAR_TO_MAX: '"cmap": WEIGHT_COLOURS, "vmin": 0.0, "vmax": largest',
        ColourScale.LOGARITHMIC: '"cmap": WEIGHT_COLOURS, "norm": LogNorm(FLOOR, 1.0, clip=True)',
        ColourScale.RELATIVE: '"cmap": SIGNED, "norm": LogNorm(1 / most, most, clip=True)',
    }[scale]
    return [
        f"FLOOR = {literals.number(LOG_FLOOR)}",
        "most = max(T, 2)",
        "largest = A[:, 1:].max(initial=0.0) or 1.0  # of rows with two keys or more",
        "ratio = A * allowed.sum(axis=1)[:, None]  # times what a uniform head gives",
        f"weight_look = {{{look}}}",
        f"weight_label = {literals.text(ends.caption)}",
    ]


def _settings(style: FigureStyle) -> list[Part]:
    """Return the statements that set matplotlib up."""
    family = f", family={literals.text(style.font)}" if style.font else ""
    lines = [
        f'mpl.rc("font", size=FONT_SIZE{family})',
        'mpl.rc("figure", titlesize="large", labelsize="medium")',
        'mpl.rc("axes", titlesize="medium", linewidth=0.6)',
        'mpl.rc(("xtick", "ytick"), labelsize="small")',
        'mpl.rc("legend", fontsize="small")',
        'mpl.rc("lines", linewidth=FONT_SIZE / 6, markersize=FONT_SIZE / 2)',
        'mpl.rc("hatch", linewidth=0.5)',
        'mpl.rc("text", parse_math=False)  # a dollar sign in a name is one',
        f'mpl.rc("svg", fonttype="{"path" if style.outlines else "none"}")',
        'mpl.rc("pdf", fonttype=42)',
    ]
    if style.is_dark:
        lines += [
            'mpl.rc("text", color=INK)',
            'mpl.rc("axes", labelcolor=INK, edgecolor=INK)',
            'mpl.rc(("xtick", "ytick"), color=INK)',
        ]
    ground = {Ground.DARK: ON_DARK.ground, Ground.TRANSPARENT: "none"}.get(style.ground)
    if ground:
        lines.append(f'mpl.rc(("figure", "axes"), facecolor="{ground}")')
    return [Part(line, always=True) for line in lines]


def columns_of(name: str, scene: Scene) -> int:
    """Return in how many columns the panels of a figure stand."""
    if name in ("heads", "scores"):
        return math.ceil(math.sqrt(scene.n_heads))
    if name == "filter-bank":
        return math.ceil(math.sqrt(scene.n_heads + 2))
    few = {"projection": 3, "pipeline": 4, "impulse": min(scene.n_heads, 4), "redundancy": 2}
    return few.get(name, 1)


def _letters(names: Sequence[str], subject: Subject) -> int:
    """Return how many letters fit below a matrix of the figures ``names``."""
    across = max(columns_of(name, subject.scene) for name in names)
    style = subject.style
    inches = style.preset.room.width / across * 8.0 / style.type_size - 0.5  # of type of 8 points
    return max(int(inches / 0.06), 8)


def _type_size(names: Sequence[str], subject: Subject) -> float:
    """Return the size of labels in points: smaller where figures have to share a page."""
    style = subject.style
    room = style.preset.room.height
    if room is None or len(names) == 1:
        return style.type_size
    return style.type_size * min(room / sum(height_of(name, subject) for name in names), 1.0)


def page_of(name: str, subject: Subject) -> tuple[float, float]:
    """Return width and height of a figure in inches."""
    width, given, _ = subject.style.preset.room
    return width, given or height_of(name, subject)


def height_of(name: str, subject: Subject) -> float:
    """Return how many inches a figure of the preset's width is high."""
    scene, style = subject.scene, subject.style
    width, unit = style.preset.room.width, style.type_size / 8.0  # of type
    n_heads, n_columns = scene.n_heads, columns_of(name, scene)
    n_rows = math.ceil((n_heads + 2 * (name == "filter-bank")) / n_columns)
    panel = (width - 0.9 * unit) / n_columns
    reads = n_heads * scene.d_v
    square = min(max(scene.n_positions / scene.d_model, 0.45), 1.2)
    tallest = max(reads, scene.n_positions) / (2 * scene.d_model + reads)
    grid = n_rows * (panel + 0.1 * unit) + 0.3 * unit
    heights = {
        "heads": grid,
        "scores": grid,
        "filter-bank": (n_rows * (max(panel * square, 0.6 * unit) + 0.7 * unit) + 0.3 * unit)
        * 4
        / 3,
        "projection": min(max(0.9 * width * tallest, 0.25 * width), width) + 1.0 * unit,
        "impulse": n_rows * 1.95 * unit + 0.3 * unit,
        "pipeline": 0.78 * width,
        "entropy": max(2.8, 0.3 * n_heads) * unit,
        "singular-values": max(2.8, 0.35 * n_heads) * unit,
        "frequency": max(4.0, 0.2 * n_heads) * unit,
        "information": (0.28 * n_heads + 0.8) * unit,
        "redundancy": 0.5 * width,
        "cost": 4.8 * unit,
        FACTS: (0.24 * n_heads + 0.5) * unit,
    }
    return heights.get(name, 0.7 * width)
