"""Scenes to draw: the lessons, and the far ends of what a scene can be."""

import itertools
import json
import re
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from matplotlib.text import Text

from mhagui.document import Head, Pattern, Scene, compute, load_lesson
from mhagui.document.edits import SetSequenceLength, rename_head, set_gain, set_muted, set_soloed
from mhagui.figures import FigureStyle, Subject, drawing
from mhagui.figures.page import POINTS, house_style


@pytest.fixture(scope="session")
def expected():
    return json.loads((Path(__file__).parents[1] / "data" / "expected.json").read_text())


@pytest.fixture(scope="session")
def four_heads():
    scene = load_lesson("four-heads")
    return scene, compute(scene)


@pytest.fixture(scope="session")
def two_heads():
    scene = load_lesson("two-heads")
    return scene, compute(scene)


def made(n_positions, n_heads, d_k, d_v, d_model):
    """Return a scene of any size, with values that are neither round nor all of one sign."""
    numbers = np.random.default_rng(7)
    patterns = list(Pattern)
    heads = tuple(
        Head(
            uid=number + 1,
            name=patterns[number % 4].value,
            pattern=patterns[number % 4],
            w_v=numbers.normal(size=(d_model, d_v)),
        )
        for number in range(n_heads)
    )
    x = np.eye(d_model)[np.arange(n_positions) % d_model]
    return Scene("made", "", heads, x, numbers.normal(size=(n_heads * d_v, d_model)), d_k)


@pytest.fixture(scope="session")
def make_scene():
    return made


def edited(*edits):
    scene = load_lesson("four-heads")
    for edit in edits:
        scene = edit.apply(scene)
    return scene


def unlucky_names():
    return edited(
        rename_head(1, "price $x$ and $y_1^{"),
        rename_head(2, "W" * 60),
        rename_head(3, "the quick brown fox jumps over the lazy dog, then rests well"),
        rename_head(4, "注意力 of the fourth head"),
        set_muted(1, True),
        set_muted(3, True),
    )


SCENES = {
    "four heads": lambda: load_lesson("four-heads"),
    "two heads": lambda: load_lesson("two-heads"),
    "one cell": lambda: made(1, 1, 2, 1, 1),
    "t1": lambda: edited(SetSequenceLength(1)),
    "t12": lambda: edited(SetSequenceLength(12)),
    "t1024": lambda: made(1024, 4, 2, 2, 8),
    "t200": lambda: edited(SetSequenceLength(200)),
    "tokens": lambda: load_lesson("induction"),
    "32 heads": lambda: made(8, 32, 2, 2, 64),
    "32 heads of t48": lambda: made(48, 32, 2, 2, 64),
    "12 heads of t64": lambda: made(64, 12, 4, 4, 64),
    "wide": lambda: made(40, 16, 16, 16, 256),
    "unlucky names": unlucky_names,
    "solo, huge numbers": lambda: replace(
        edited(set_soloed(3, True), set_gain(3, -1e300)), w_o=1e5 * np.eye(8) / 3
    ),
}


@pytest.fixture(scope="session")
def any_scene():
    """Return what computes the scene of a name of SCENES, once."""
    return cache(lambda name: (made_scene := SCENES[name](), compute(made_scene)))


def lesson_with(name, *edits):
    scene = load_lesson(name)
    for edit in edits:
        scene = edit.apply(scene)
    return scene, compute(scene)


@pytest.fixture(scope="session")
def lesson():
    """Return what gives a lesson after some edits, and what is computed from it."""
    return lesson_with


def drawn(name, scene, result, row=None, head=0, limits=None, **style):
    subject = Subject(scene, result, FigureStyle(**style), row, head, limits=limits or {})
    figure = drawing.draw(name, subject)
    with house_style(subject.style):
        figure.draw_without_rendering()  # gives cells their colours, and legends their places
    return figure


@pytest.fixture(scope="session")
def draw():
    """Return what draws a figure and lays it out, in a style of so many choices."""
    return drawn


def words_in(figure):
    """Return all that is written, broken lines as one and formulas as they are typed."""
    texts = (text.get_text() for text in figure.findobj(Text) if text.get_visible())
    return {re.sub(r"\$|[{}]|\\(mathrm|mathbf)?", "", text).replace("\n", " ") for text in texts}


@pytest.fixture(scope="session")
def words():
    return words_in


def panels_of(figure, shape):
    """Return the axes that hold matrices of ``shape``, in the order they were drawn."""
    limits = (0, shape[1]), (shape[0], 0)
    return [axes for axes in figure.axes if (axes.get_xlim(), axes.get_ylim()) == limits]


@pytest.fixture(scope="session")
def panels():
    return panels_of


# Runs scripts, each with its own arguments, where mhagui cannot be imported.
RUN_SCRIPTS = """
import json, runpy, sys
import matplotlib
sys.modules["mhagui"] = None
for script, *arguments in json.load(sys.stdin):
    matplotlib.rcdefaults()
    sys.argv = [script, *arguments]
    runpy.run_path(script, run_name="__main__")
"""


def run_in(folder, calls):
    """Run scripts in ``folder``, a clean one, with warnings as errors."""
    command = [sys.executable, "-I", "-W", "error", "-c", RUN_SCRIPTS]
    answer = subprocess.run(
        command,
        check=False,
        cwd=folder,
        input=json.dumps(calls),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert answer.stderr == ""
    assert (answer.returncode, answer.stdout) == (0, "")


@pytest.fixture(scope="session")
def run_scripts():
    return run_in


def beyond_view(axes):
    """Return the labels matplotlib keeps for places out of view and does not draw."""
    for axis in (axes.xaxis, axes.yaxis):
        low, high = sorted(axis.get_view_interval())
        for tick in axis.get_major_ticks():
            if not low <= tick.get_loc() <= high:
                yield tick.label1


def overlap(one, other):
    """Return by how many pixels two boxes overlap, the lesser way; below 0 if they are apart."""
    across = min(one.x1, other.x1) - max(one.x0, other.x0)
    return min(across, min(one.y1, other.y1) - max(one.y0, other.y0))


def height_of_type(text):
    """Return the size of a text's type in pixels."""
    return text.get_fontsize() / POINTS * text.figure.dpi


def assert_inside(box, page, what):
    assert page.x0 - 0.01 <= box.x0 <= box.x1 <= page.x1 + 0.01, what
    assert page.y0 - 0.01 <= box.y0 <= box.y1 <= page.y1 + 0.01, what


def assert_legible(figure, *, has_cells=True):
    """Look at all that is painted: none of it is cut, and no text touches another or a panel.

    Where axes have no cells text that is drawn in them may stand anywhere, but on other text.
    """
    drawn = {text for axes in figure.axes for text in axes.texts if is_in_view(text)}
    in_cells, in_axes = (drawn, set()) if has_cells else (set(), drawn)
    unseen = {text for axes in figure.axes for text in beyond_view(axes)}
    texts = {
        text: text.get_window_extent()
        for text in figure.findobj(Text)
        if text.get_visible() and text.get_text().strip() and text not in in_cells | unseen
    }
    panels = [axes.get_window_extent() for axes in figure.axes]
    assert_inside(figure.get_tightbbox(), figure.bbox_inches, "something painted")
    for text, box in texts.items():
        assert_inside(box, figure.bbox, text)
        if text not in in_axes:
            assert all(overlap(box, panel) < 0.2 * height_of_type(text) for panel in panels), text
    for (one, its), (other, others) in itertools.combinations(texts.items(), 2):
        # A fifth of a line is below its letters.
        assert overlap(its, others) < 0.25 * min(height_of_type(one), height_of_type(other)), (
            one,
            other,
        )
    for one, other in itertools.combinations(panels, 2):
        assert overlap(one, other) < 1
    for text in in_cells:
        assert_is_in_its_cell(text)


def is_in_view(text):
    return text.get_position()[0] < text.axes.get_xlim()[1]


def assert_is_in_its_cell(text):
    row, column = (int(at) for at in reversed(text.get_position()))
    corners = text.axes.transData.transform([(column, row), (column + 1, row + 1)])
    box = text.get_window_extent()
    assert corners[0][0] < box.x0 <= box.x1 < corners[1][0], text


@pytest.fixture(scope="session")
def assert_is_legible():
    return assert_legible


@pytest.fixture(scope="session")
def assert_is_inside():
    return assert_inside


@pytest.fixture(scope="session")
def em():
    return height_of_type
