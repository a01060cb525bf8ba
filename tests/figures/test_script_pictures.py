"""The pictures that scripts of figures make, and the numbers that are written into them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from matplotlib import colormaps
from PIL import Image

from mhagui.document import compute, load_lesson
from mhagui.document.edits import set_gain, set_muted
from mhagui.document.view_state import ColourScale
from mhagui.figures import FigureStyle, Ground, Labels, Preset, Subject
from mhagui.figures.script import literals, script
from mhagui.palette import SignedColours, WeightColours

pytestmark = pytest.mark.thorough

CELLS = st.sampled_from([0.0, -0.0, 1.0, 3.0, 0.1, -2.5e-300, 1e30])
UNPACK = (
    "def unpack(text):\n    return np.load(io.BytesIO(zlib.decompress(base64.b64decode(text))))"
)


def lesson(name, *edits):
    scene = load_lesson(name)
    for edit in edits:
        scene = edit.apply(scene)
    return scene


@pytest.fixture
def drawn(tmp_path, run_scripts):
    """Return what runs scripts and returns their pictures, opened by another program."""

    def draw(texts):
        for name, text in texts.items():
            (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
        run_scripts(tmp_path, [[f"{name}.py", f"{name}.png"] for name in texts])
        return {name: Image.open(tmp_path / f"{name}.png").convert("RGBA") for name in texts}

    return draw


# The summary holds most of those that are not named here; the others are single matrices.
DRAWN = (
    "summary", "projection", "listening", "output", "pipeline", "frequency",
    "singular-values", "information", "redundancy", "cost",
)  # fmt: skip


def test_every_kind_of_figure_is_drawn(drawn):
    scene = lesson("two-heads", set_muted(2, True))
    subject = Subject(scene, compute(scene), FigureStyle(dpi=40, title=True))
    pictures = drawn({name: script(name, subject) for name in DRAWN})
    for name, picture in pictures.items():
        assert picture.width == int(170 / 25.4 * 40), name
        assert len(picture.getcolors(maxcolors=picture.width * picture.height)) > 20, name


LOOKS = {
    "dark": FigureStyle(ground=Ground.DARK, colour_scale=ColourScale.LOGARITHMIC, dpi=60),
    "slide": FigureStyle(preset=Preset.SLIDE, labels=Labels.TOKENS, dpi=60, values=False),
    "ratio": FigureStyle(
        colour_scale=ColourScale.RELATIVE, signed_colours=SignedColours.GREEN_PINK, dpi=60
    ),
    "column": FigureStyle(
        preset=Preset.SINGLE_COLUMN,
        ground=Ground.TRANSPARENT,
        colour_scale=ColourScale.LINEAR_TO_MAX,
        weight_colours=WeightColours.GREY,
        font_size=5.0,
        dpi=200,
    ),
}


def test_pictures_have_the_style(drawn):
    scene = lesson("induction", set_gain(1, 0.5))
    result = compute(scene)
    texts = {key: script("heads", Subject(scene, result, style)) for key, style in LOOKS.items()}
    pictures = drawn(texts)
    assert pictures["dark"].getpixel((1, 1)) == (0x1B, 0x1D, 0x20, 255)
    assert pictures["slide"].size == (800, 450)
    assert pictures["ratio"].getpixel((1, 1)) == (255, 255, 255, 255)
    assert abs(pictures["column"].width - 85 / 25.4 * 200) <= 1
    assert pictures["column"].getpixel((1, 1))[3] == 0
    assert "write_values" in texts["dark"]
    assert "write_values" not in texts["slide"]


def test_colours_of_cells_are_those_of_the_numbers(drawn):
    style = FigureStyle(values=False, dpi=100)
    scene = lesson("four-heads")
    result = compute(scene)
    text = script("head", Subject(scene, result, style, head=1))
    picture = drawn({"head": text})["head"].convert("RGB")
    colours = set(picture.get_flattened_data())
    for value in result.heads[1].weights[np.tri(6, dtype=bool)]:
        assert tuple(colormaps["viridis"](value, bytes=True)[:3]) in colours


@given(arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=9), elements=CELLS))
def test_matrices_come_back_to_the_last_bit(array):
    names = {}
    exec(f"import base64, io, zlib\nimport numpy as np\n{UNPACK}", names)
    back = eval(literals.matrix(array), names)
    assert back.dtype == np.float64
    assert back.shape == array.shape
    assert np.array_equal(back, array)
    assert np.array_equal(np.signbit(back), np.signbit(array))
