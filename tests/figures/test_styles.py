"""Each choice of a style does what it says."""

import io
import re
import subprocess
import xml.etree.ElementTree as ET
from shutil import which

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.text import Text
from PIL import Image

from mhagui import figures
from mhagui.document.edits import set_muted
from mhagui.document.view_state import ColourScale
from mhagui.errors import UserError
from mhagui.figures import FigureStyle, Ground, Preset, Subject
from mhagui.palette import SignedColours, WeightColours, contrast, diverging_table

DARK = (0x1B, 0x1D, 0x20)
WHITE = (255, 255, 255)
SVG = "{http://www.w3.org/2000/svg}"


def rendered(name, subject, kind, **style):
    return figures.render(name, Subject(*subject, FigureStyle(**style)), kind)


def rgb(colour):
    return tuple(255 * channel for channel in to_rgb(colour))


def bar_of(figure, label):
    (bar,) = (axes for axes in figure.axes if _label_of(axes).startswith(label))
    return bar


def _label_of(axes):
    """Return the label as one line, without the marks of formulas."""
    return re.sub(r"[${}]", "", axes.get_ylabel()).replace("\n", " ")


def bar_ticks(figure, label):
    return [text.get_text() for text in bar_of(figure, label).get_yticklabels()]


def faces(axes):
    """Return the colours of cells, (rows, columns, 3), 0..255."""
    mesh = axes.collections[0]
    return mesh.get_facecolors().reshape(*mesh.get_array().shape, 4)[..., :3] * 255


# ------------------------------------------------------------------------------------------- texts


@pytest.mark.parametrize(
    ("name", "shape"),
    [("heads", (6, 6)), ("scores", (6, 6)), ("projection", (6, 8)), ("redundancy", (4, 4))],
)
def test_without_values_no_cell_has_a_number(name, shape, four_heads, draw, panels):
    for values in (True, False):
        drawn = panels(draw(name, *four_heads, values=values), shape)
        assert drawn
        assert all(bool(axes.texts) is values for axes in drawn)


@pytest.mark.parametrize("name", ["heads", "cost"])
def test_a_title_and_a_caption_stand_where_they_are_wanted(name, two_heads, draw, words):
    plain = draw(name, *two_heads)
    titled = draw(name, *two_heads, title=True)
    captioned = draw(name, *two_heads, caption=True)
    (title,) = words(titled) - words(plain)
    assert title.startswith("two heads: ")
    (caption,) = words(captioned) - words(plain)
    said = {"heads": "rows are queries, columns keys; hatched keys are masked", "cost": "T*"}
    assert said[name] in caption
    heights = [figure.get_size_inches()[1] for figure in (titled, captioned)]
    assert min(heights) > plain.get_size_inches()[1]
    above, below = (
        next(text for text in figure.texts if text.get_text().startswith(start[:12]))
        for figure, start in ((titled, title), (captioned, caption))
    )
    assert above.get_position()[1] > 0.9
    assert below.get_position()[1] < 0.3


@pytest.mark.parametrize(
    ("preset", "points"),
    [(Preset.SINGLE_COLUMN, 7), (Preset.DOUBLE_COLUMN, 8), (Preset.POSTER, 28)],
)
def test_labels_are_as_large_as_they_are_said_to_be(preset, points, two_heads, draw):
    for asked, wanted in ((None, points), (0.8 * points, 0.8 * points), (1.2 * points,) * 2):
        figure = draw("heads", *two_heads, preset=preset, font_size=asked)
        sizes = {text.get_text(): text.get_fontsize() for text in figure.findobj(Text)}
        assert sizes["query position t"] == pytest.approx(wanted)
        assert sizes["key position i"] == pytest.approx(wanted)
        assert sizes["t1"] == pytest.approx(wanted * 7 / 8)


def test_on_a_slide_type_is_as_large_as_there_is_room_for(two_heads, draw):
    def size(**style):
        figure = draw("entropy", *two_heads, preset=Preset.SLIDE, **style)
        return figure.axes[0].xaxis.label.get_fontsize()

    assert 15 <= size() <= 24
    assert size(font_size=12.0) == pytest.approx(12)


def test_a_font_of_the_machine_is_used_and_embedded(two_heads, tmp_path):
    svg = rendered("heads", two_heads, "svg", font="DejaVu Serif")
    texts = [element.get("style") for element in ET.fromstring(svg).iter(f"{SVG}text")]
    assert texts
    assert all("font-family: 'DejaVu Serif'" in style for style in texts)
    if which("pdffonts") is None:
        pytest.skip("needs pdffonts")
    (tmp_path / "figure.pdf").write_bytes(rendered("w-o", two_heads, "pdf", font="DejaVu Serif"))
    run = subprocess.run(["pdffonts", tmp_path / "figure.pdf"], capture_output=True, check=True)
    rows = [line.split() for line in run.stdout.decode().splitlines()[2:]]
    assert {row[0].partition("+")[2] for row in rows} == {"DejaVuSerif", "DejaVuSerif-Italic"}
    assert all(row[1:3] == ["CID", "TrueType"] for row in rows)
    assert all(row[4] == "yes" for row in rows)  # embedded


def test_formulas_have_the_font_of_the_text(two_heads):
    text = rendered("w-o", two_heads, "svg", font="DejaVu Serif").decode()
    first = re.findall(r"font-family: '([^']*)'", text)
    assert len(first) > 30
    assert set(first) == {"DejaVu Serif"}


def test_an_unknown_font_is_answered_with_those_that_are_near(two_heads):
    for name in ("heads", "cost"):
        with pytest.raises(UserError, match=r"no font “DejaVu Serf” here; there is .*DejaVu Serif"):
            rendered(name, two_heads, "png", font="DejaVu Serf")
    with pytest.raises(UserError, match="no font “No Such Thing” here; there is DejaVu Sans"):
        rendered("heads", two_heads, "png", font="No Such Thing")


# ------------------------------------------------------------------------------------------ ground


@pytest.mark.parametrize(
    ("name", "ground"),
    [
        *(pytest.param(name, Ground.DARK, marks=pytest.mark.thorough) for name in figures.FIGURES),
        *((name, Ground.LIGHT) for name in ("heads", "pipeline", "impulse", "information", "cost")),
    ],
)
def test_texts_stand_out_from_the_page(name, ground, draw, lesson):
    subject = lesson("two-heads", set_muted(2, True))
    figure = draw(name, *subject, ground=ground, title=True, caption=True)
    page = DARK if ground is Ground.DARK else WHITE
    assert rgb(figure.get_facecolor()) == pytest.approx(page)
    in_cells = {text for axes in figure.axes if axes.collections for text in axes.texts}
    shown = [text for text in figure.findobj(Text) if text.get_text() and text not in in_cells]
    assert len(shown) > 8
    for text in shown:
        assert contrast(rgb(text.get_color()), page) >= 4.5, text


def test_a_dark_page_is_dark_and_a_clear_one_clear(two_heads):
    for ground, mode, wanted in (
        (Ground.LIGHT, "RGB", WHITE),
        (Ground.DARK, "RGB", DARK),
        (Ground.TRANSPARENT, "RGBA", 0),
    ):
        with Image.open(
            io.BytesIO(rendered("heads", two_heads, "png", ground=ground, dpi=60))
        ) as png:
            assert png.mode == mode
            for x, y in ((0, 0), (png.width - 1, 0), (0, png.height - 1), (2, png.height // 2)):
                pixel = png.getpixel((x, y))
                assert (pixel[3] if mode == "RGBA" else pixel) == wanted


# ----------------------------------------------------------------------------------------- colours


@pytest.mark.parametrize("colours", WeightColours)
def test_weights_have_the_colours_asked_for(colours, two_heads, draw, panels):
    axes = panels(draw("heads", *two_heads, weight_colours=colours), (4, 4))[0]
    table = mpl.colormaps["gray" if colours is WeightColours.GREY else colours.value]
    seen = two_heads[1].allowed
    wanted = 255 * table(two_heads[1].heads[0].weights)[..., :3]
    np.testing.assert_allclose(faces(axes)[seen], wanted[seen], atol=1)


@pytest.mark.parametrize("ground", Ground)
@pytest.mark.parametrize("colours", SignedColours)
def test_signed_numbers_have_the_colours_asked_for(colours, ground, two_heads, draw, panels):
    figure = draw("w-o", *two_heads, signed_colours=colours, ground=ground)
    (axes,) = panels(figure, (4, 4))
    table = diverging_table(255, colours, dark=ground is Ground.DARK).astype(float)
    w_o = two_heads[0].w_o
    at = np.minimum((w_o / np.abs(w_o).max() + 1) / 2 * 255, 254).astype(int)
    np.testing.assert_allclose(faces(axes), table[at], atol=1)


def test_the_logarithmic_scale(four_heads, draw, panels):
    figure = draw("heads", *four_heads, colour_scale=ColourScale.LOGARITHMIC)
    assert bar_ticks(figure, "weight A, logarithmic, floor 1e−6") == ["1e−6", "0.001", "1"]
    weights = four_heads[1].heads[1].weights
    shares = 1 + np.log10(np.maximum(weights, 1e-6)) / 6
    seen = four_heads[1].allowed
    wanted = 255 * mpl.colormaps["viridis"](shares)[..., :3]
    np.testing.assert_allclose(faces(panels(figure, (6, 6))[1])[seen], wanted[seen], atol=4)


def test_the_scale_relative_to_uniform(four_heads, draw, panels):
    figure = draw("heads", *four_heads, colour_scale=ColourScale.RELATIVE)
    assert bar_ticks(figure, "A·n_t, relative to uniform") == ["0.167×", "1×", "6×"]
    # The uniform head is neutral throughout, and its numbers are 1.
    uniform = panels(figure, (6, 6))[3]
    assert {text.get_text() for text in uniform.texts} == {"1.0"}
    neutral = faces(uniform)[four_heads[1].allowed]
    np.testing.assert_allclose(neutral, np.full_like(neutral, 247), atol=2)


def test_the_scale_up_to_the_largest_weight(four_heads, draw, panels):
    figure = draw("heads", *four_heads, colour_scale=ColourScale.LINEAR_TO_MAX)
    # The one key of row t1 has always a weight of 1, which tells nothing.
    most = max(head.weights[1:].max() for head in four_heads[1].heads)
    assert most < 1
    bar = bar_of(figure, "weight A, linear, 0 to max of rows t ≥ 2")
    assert bar.get_ylim() == pytest.approx((0, most))
    for axes in panels(figure, (6, 6)):
        assert axes.collections[0].get_clim() == pytest.approx((0, most))


def test_a_caption_states_the_scale_and_the_gains(four_heads, draw, words):
    for scale, said in (
        (ColourScale.LINEAR, "weight A, linear, 0 to 1, the same for all heads"),
        (ColourScale.LOGARITHMIC, "weight A, logarithmic, floor 1e−6, the same for all heads"),
    ):
        captioned = draw("heads", *four_heads, colour_scale=scale, caption=True)
        assert any(said in word and "Gain g = 1." in word for word in words(captioned))


def test_the_style_of_a_window_gives_its_colours():
    from mhagui.document.view_state import Appearance

    look = Appearance(weight_colours=WeightColours.MAGMA, signed_colours=SignedColours.GREEN_PINK)
    style = FigureStyle(dpi=77).in_colours_of(look, ColourScale.RELATIVE)
    assert style == FigureStyle(
        dpi=77,
        weight_colours=WeightColours.MAGMA,
        signed_colours=SignedColours.GREEN_PINK,
        colour_scale=ColourScale.RELATIVE,
    )


# ------------------------------------------------------------------------------------- bad choices


@pytest.mark.parametrize(
    ("style", "said"),
    [
        ({"dpi": 29}, "dpi must be a whole number of at least 30"),
        ({"dpi": 1201}, "dpi must be a whole number of at most 1200"),
        ({"dpi": 99.5}, "dpi must be"),
        ({"font_size": 3.9}, "font_size must be a number of at least 4"),
        ({"font_size": 61.0}, "font_size must be a number of at most 60"),
        ({"preset": "folio"}, "preset is “folio”, which it cannot be"),
    ],
)
def test_a_style_that_is_none_is_named(style, said, two_heads):
    with pytest.raises(UserError, match=f"no style of figures.*{said}"):
        Subject(*two_heads, FigureStyle(**style))


def test_a_style_survives_as_an_entry():
    style = FigureStyle(preset=Preset.SLIDE, ground=Ground.DARK, font="DejaVu Serif", values=False)
    assert figures.style_of(figures.style_to_entry(style)) == style
    with pytest.raises(UserError, match="no style of figures"):
        figures.style_of({"colour": "red"})


@pytest.mark.parametrize("name", ["heads", "scores", "impulse", "entropy", "w-o", "output"])
def test_type_on_a_slide_is_as_large_as_it_is_said(name, four_heads, draw):
    figure = draw(name, *four_heads, preset=Preset.SLIDE)
    ticks = [label for axes in figure.axes for label in axes.get_xticklabels()]
    assert (
        min(label.get_fontsize() for label in ticks) >= 13.8
    )  # 7/8 of the labels' 16, less what a legend takes
