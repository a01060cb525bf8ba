"""Small cells have no joints that show, at any zoom of other programs."""

import io
import subprocess

import numpy as np
import pytest
from PIL import Image

from mhagui import figures
from mhagui.document import compute
from mhagui.document.edits import SetSequenceLength
from mhagui.figures import FigureStyle, Preset, Subject

pytestmark = pytest.mark.thorough

PROGRAMS = {
    "pdf": ("pdftoppm", "-", "-r", "{0}"),
    "svg": ("rsvg-convert", "-b", "white", "/dev/stdin", "-d", "{0}", "-p", "{0}"),
}


@pytest.mark.parametrize("kind", PROGRAMS)
@pytest.mark.parametrize("preset", [Preset.SINGLE_COLUMN, Preset.DOUBLE_COLUMN])
def test_cells_of_one_colour_are_one_surface(four_heads, draw, panels, kind, preset):
    scene = SetSequenceLength(60).apply(four_heads[0])
    style = FigureStyle(preset=preset, values=False, embed_scene=False)
    subject = Subject(scene, compute(scene), style)
    data = figures.render("heads", subject, kind)
    uniform = panels(draw("heads", *(scene, subject.result), preset=preset), (60, 60))[3]
    box = uniform.get_position()
    for dpi in (61, 83, 97, 113):
        command = [part.format(dpi) for part in PROGRAMS[kind]]
        run = subprocess.run(command, input=data, capture_output=True, check=True, timeout=60)
        with Image.open(io.BytesIO(run.stdout)) as image:
            seen = np.asarray(image.convert("RGB")).astype(int)
        height, width, _ = seen.shape
        left, top, bottom = box.x0 * width, (1 - box.y1) * height, (1 - box.y0) * height
        # Weights of a row of the uniform head are the same; this is left of the masked ones.
        rows = slice(int(bottom - 0.4 * (bottom - top)), int(bottom) - 2)
        part = seen[rows, int(left) + 2 : int(left + 0.5 * box.width * width)]
        assert np.abs(part - np.median(part, axis=1, keepdims=True)).max() <= 12, dpi
