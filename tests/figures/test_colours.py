"""The colours that other programs show are those of the numbers, in cells and in images of them."""

import io
import itertools
import subprocess
from shutil import which

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from matplotlib.colors import to_rgb
from PIL import Image

from mhagui import figures
from mhagui.document.view_state import ColourScale
from mhagui.figures import FigureStyle, Ground, Subject, drawing
from mhagui.figures.cells import Grid, draw_matrix
from mhagui.figures.page import Box, Sheet, house_style, new_page
from mhagui.figures.paper import Paper
from mhagui.figures.scales import signed_scale, weights_scale
from mhagui.palette import SignedColours, WeightColours, contrast

pytestmark = pytest.mark.thorough

DPI = 300
PROGRAMS = {
    "svg": ("rsvg-convert", "-b", "white", "/dev/stdin", "-d", "{0}", "-p", "{0}"),
    "pdf": ("pdftoppm", "-", "-r", "{0}"),
}
VIRIDIS = np.array(mpl.colormaps["viridis"].colors) * 255
RD_BU = np.array([mpl.colormaps["RdBu_r"](step / 1000)[:3] for step in range(1001)]) * 255


def of_weights(weights):
    """Return the colours of weights 0..1 by the table of viridis."""
    return VIRIDIS[np.minimum(np.asarray(weights) * 256, 255).astype(int)]


def of_signed(values):
    """Return the colours of numbers by the table of RdBu, blue below 0."""
    limit = np.nanmax(np.abs(values))
    return RD_BU[np.rint((np.nan_to_num(values) / limit + 1) * 500).astype(int)]


def seen_by_others(kind, data, dpi=DPI):
    """Return what an independent program makes of a file, (height, width, 3)."""
    if kind in PROGRAMS:
        command = [part.format(dpi) for part in PROGRAMS[kind]]
        if which(command[0]) is None:
            pytest.skip(f"needs {command[0]}")
        run = subprocess.run(command, input=data, capture_output=True, check=True, timeout=60)
        data = run.stdout
    with Image.open(io.BytesIO(data)) as image:
        return np.asarray(image.convert("RGB"))


def cell_colours(pixels, axes, shape, at):
    """Return the pixel of each cell that is a share ``at`` to its right and below its corner."""
    height, width, _ = pixels.shape
    rows, columns = np.indices(shape)
    points = np.stack([columns.ravel() + at, rows.ravel() + at], axis=1)
    x, y = axes.figure.transFigure.inverted().transform(axes.transData.transform(points)).T
    seen = pixels[((1 - y) * height).astype(int), (x * width).astype(int)]
    return seen.reshape(*shape, 3).astype(float)


def block(pixels, axes, row, column):
    """Return the inner pixels of one cell in greys, 0..255."""
    height, width, _ = pixels.shape
    points = [(column + 0.1, row + 0.1), (column + 0.9, row + 0.9)]
    (x0, y0), (x1, y1) = axes.figure.transFigure.inverted().transform(
        axes.transData.transform(points)
    )
    part = pixels[int((1 - y0) * height) : int((1 - y1) * height)]
    part = part[:, int(x0 * width) : int(x1 * width)]
    assert (np.ptp(part.astype(int), axis=2) <= 8).all()  # grey, of no scale's colours
    return part.mean(axis=2)


def slant(greys):
    """Return how much the lines of a hatch lean to one side: −1..1, 0 where they lean to both."""
    down, across = np.gradient(greys)
    return (down * across).sum() / np.sqrt((down**2).sum() * (across**2).sum())


@pytest.fixture(scope="module")
def matrices():
    """Return what a figure shows in its panels, and the colours of it; NaN where it is masked."""

    def of(name, scene, result):
        if name == "w-o":
            return [scene.w_o], of_signed(scene.w_o)[np.newaxis]
        parts = [head.weights if name == "heads" else head.scores for head in result.heads]
        shown = [np.where(result.allowed, part, np.nan) for part in parts]
        colours_of = of_weights if name == "heads" else of_signed
        return shown, colours_of(np.nan_to_num(shown) if name == "heads" else np.array(shown))

    return of


@pytest.fixture(scope="module")
def assert_cells_have_their_colours(draw, panels, matrices):
    def check(name, kind, subject, dpi, at):
        """Look at a share ``at`` of the way through each cell of a file."""
        values, colours = matrices(name, *subject)
        style = FigureStyle(dpi=dpi, embed_scene=False)
        pixels = seen_by_others(kind, figures.render(name, Subject(*subject, style), kind), dpi)
        drawn = panels(draw(name, *subject), values[0].shape)
        for axes, numbers, wanted in zip(drawn, values, colours, strict=True):
            seen = cell_colours(pixels, axes, numbers.shape, at)
            is_shown = np.isfinite(numbers)
            np.testing.assert_allclose(seen[is_shown], wanted[is_shown], atol=5)

    return check


@pytest.mark.parametrize(
    ("name", "kind"),
    [("heads", "png"), *itertools.product(["heads", "scores", "w-o"], ["svg", "pdf"])],
)
def test_every_cell_has_the_colour_of_its_number(
    four_heads, assert_cells_have_their_colours, name, kind
):
    # In the upper left corner, beside the number.
    assert_cells_have_their_colours(name, kind, four_heads, dpi=150, at=0.2)


@pytest.mark.parametrize(
    ("name", "kind", "scene"),
    [
        ("heads", "png", "t200"), ("heads", "svg", "t200"), ("scores", "pdf", "t200"),
        ("w-o", "pdf", "wide"),
    ],
)  # fmt: skip
def test_every_pixel_of_a_large_matrix_has_the_colour_of_its_number(
    any_scene, assert_cells_have_their_colours, name, kind, scene
):
    assert_cells_have_their_colours(name, kind, any_scene(scene), dpi=600, at=0.5)


@pytest.mark.parametrize(
    ("kind", "ground"),
    [("png", Ground.LIGHT), ("svg", Ground.LIGHT), ("pdf", Ground.LIGHT), ("png", Ground.DARK)],
)
def test_masked_cells_are_hatched_so_that_it_is_seen_in_greys(
    four_heads, draw, panels, kind, ground
):
    subject = Subject(*four_heads, FigureStyle(dpi=DPI, ground=ground))
    pixels = seen_by_others(kind, figures.render("heads", subject, kind))
    for axes in panels(draw("heads", *four_heads), (6, 6)):
        for row, column in np.argwhere(~four_heads[1].allowed).tolist():
            greys = block(pixels, axes, row, column)
            dark, light = ((grey,) * 3 for grey in (greys.min(), greys.max()))
            assert contrast(dark, light) > 1.9
            assert 0.1 < np.mean(abs(greys - np.median(greys)) > 20) < 0.5  # lines, no surface
            assert abs(slant(greys)) > 0.5


@pytest.mark.parametrize("kind", ["png", "pdf"])
def test_what_is_undefined_is_hatched_in_both_directions(four_heads, draw, panels, kind):
    # Nothing is told of a head and itself.
    subject = Subject(*four_heads, FigureStyle(dpi=DPI))
    pixels = seen_by_others(kind, figures.render("redundancy", subject, kind))
    _, balance = panels(draw("redundancy", *four_heads), (4, 4))
    for head in range(4):
        greys = block(pixels, balance, head, head)
        assert greys.max() - greys.min() > 60
        assert abs(slant(greys)) < 0.2


# -------------------------------------------------------------------------------- numbers in cells


def values_within(low, high):
    return arrays(np.float64, (3, 3), elements=st.floats(low, high))


@settings(max_examples=40)
@given(
    data=st.data(),
    ground=st.sampled_from(Ground),
    scale=st.sampled_from([*ColourScale, None]),
    weight_colours=st.sampled_from(WeightColours),
    signed_colours=st.sampled_from(SignedColours),
)
def test_numbers_stand_out_from_their_cells(
    four_heads, data, ground, scale, weight_colours, signed_colours
):
    values = data.draw(values_within(-3, 3) if scale is None else values_within(0, 1))
    style = FigureStyle(
        ground=ground,
        colour_scale=scale or ColourScale.LINEAR,
        weight_colours=weight_colours,
        signed_colours=signed_colours,
    )
    paper = Paper(style)
    with house_style(style):
        figure = new_page(3, 3, "", paper)
        grid = Grid.on(Sheet(figure, paper), Box(0, 0, 3, 3), values.shape)
        is_signed = scale is None
        of = signed_scale(paper, "x", values) if is_signed else weights_scale(paper, four_heads[1])
        draw_matrix(grid, values, of)
        figure.draw_without_rendering()
    faces = grid.axes.collections[0].get_facecolors()[:, :3] * 255
    assert len(grid.axes.texts) == 9
    for text, face in zip(grid.axes.texts, faces, strict=True):
        ink = tuple(255 * channel for channel in to_rgb(text.get_color()))
        assert contrast(tuple(face), ink) >= 4.5


def test_frames_that_follow_one_another_share_their_colours(draw, lesson, panels):
    scene, result = lesson("four-heads")
    largest = max(np.abs(np.where(result.allowed, h.scores, 0)).max() for h in result.heads)
    for limit in (20.0, 1.0):
        figure = draw("scores", scene, result, limits={"scores": limit})
        reached = max(limit, largest)
        for axes in panels(figure, (6, 6)):
            assert axes.collections[0].get_clim() == pytest.approx((-reached, reached))
        (bar,) = (axes for axes in figure.axes if axes.get_ylabel() == "score S, all heads")
        assert bar.get_ylim() == pytest.approx((-reached, reached))


@pytest.mark.parametrize("name", figures.FIGURES)
def test_limits_that_were_reached_give_the_same_figure(name, two_heads):
    subject = Subject(*two_heads, FigureStyle(colour_scale=ColourScale.LINEAR_TO_MAX))
    if figures.why_not(name, two_heads[1]):
        pytest.skip("the scene has no such figure")
    paper = Paper.of(subject)
    plan = drawing.plan(name, subject, paper)
    again = Paper.of(Subject(*two_heads, subject.style, limits=paper.reached))
    same = drawing.plan(name, subject, again)
    assert (plan.width, plan.height) == (same.width, same.height)
    assert again.reached == paper.reached
