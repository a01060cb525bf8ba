"""Cells of single matrices, as another program shows them, have the colours of the numbers."""

import io
import subprocess
from shutil import which

import matplotlib as mpl
import numpy as np
import pytest
from PIL import Image

from mhagui import figures
from mhagui.figures import FigureStyle, Subject

DPI = 127
VIRIDIS = np.array(mpl.colormaps["viridis"].colors) * 255
RD_BU = np.array([mpl.colormaps["RdBu_r"](step / 1000)[:3] for step in range(1001)]) * 255


def in_signed_colours(values):
    limit = np.abs(values).max()
    return RD_BU[np.rint((values / limit + 1) * 500).astype(int)]


def in_colours_up_to(values, limit):
    return VIRIDIS[np.clip(np.asarray(values) / limit * 256, 0, 255).astype(int)]


def bits(weights):
    """Return the entropy of each row."""
    logs = np.log2(weights, where=weights > 0, out=np.zeros_like(weights))
    return -(weights * logs).sum(axis=1)


def divergence(one, other):
    """Return the Jensen–Shannon divergence of two heads' rows, and of these the mean."""
    return (bits((one + other) / 2) - (bits(one) + bits(other)) / 2).mean()


def packed(weights):
    """Return the heads' projections beside one another, as the lesson packs them."""
    return in_signed_colours(np.hstack(weights))


def heard(scene):
    """Return the norm of each output channel's column of each head's rows of W_O."""
    parts = scene.w_o.reshape(scene.n_heads, scene.d_v, scene.d_model)
    return np.sqrt((parts**2).sum(axis=1)).T


COLOURS = {
    "concat": lambda scene, result: in_signed_colours(
        np.hstack([head.weights @ scene.x @ head.head.w_v for head in result.heads])
    ),
    "output": lambda scene, result: in_signed_colours(
        np.hstack([head.weights @ scene.x @ head.head.w_v for head in result.heads]) @ scene.w_o
    ),
    "listening": lambda scene, _: in_colours_up_to(heard(scene), heard(scene).max()),
    "packed-wv": lambda scene, _: packed([head.w_v for head in scene.heads]),
    "redundancy": lambda _, result: in_colours_up_to(
        [[divergence(a.weights, b.weights) for b in result.heads] for a in result.heads], 1.0
    ),
}


def by_poppler(data):
    if which("pdftoppm") is None:
        pytest.skip("needs pdftoppm")
    command = ["pdftoppm", "-", "-r", str(DPI)]
    run = subprocess.run(command, input=data, capture_output=True, check=True, timeout=60)
    with Image.open(io.BytesIO(run.stdout)) as image:
        return np.asarray(image.convert("RGB")).astype(int)


@pytest.mark.parametrize("name", COLOURS)
def test_the_middle_of_every_cell_has_the_colour_of_its_number(four_heads, draw, panels, name):
    wanted = COLOURS[name](*four_heads)
    style = FigureStyle(values=False, embed_scene=False)
    seen = by_poppler(figures.render(name, Subject(*four_heads, style), "pdf"))
    axes = panels(draw(name, *four_heads, values=False), wanted.shape[:2])[0]
    rows, columns = np.indices(wanted.shape[:2]) + 0.5
    places = axes.transData.transform(np.stack([columns.ravel(), rows.ravel()], axis=1))
    x, y = axes.figure.transFigure.inverted().transform(places).T
    height, width, _ = seen.shape
    found = seen[((1 - y) * height).astype(int), (x * width).astype(int)]
    np.testing.assert_allclose(found, wanted.reshape(-1, 3), atol=5)
