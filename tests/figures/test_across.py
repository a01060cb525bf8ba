"""Figures of maps from queries to keys that are not their positions."""

import io
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from PIL import Image

from mhagui.document import compute
from mhagui.document.capture import Capture, CapturedLayer
from mhagui.document.captured_scene import scene_of
from mhagui.document.session_file import session_from_bytes
from mhagui.errors import UserError
from mhagui.figures import FIGURES, FigureStyle, Labels, Preset, Subject, render, why_not
from mhagui.figures.script import script
from mhagui.reports.content import report_of

# A poster is the others once more, larger.
PRESETS = [
    pytest.param(preset, marks=[pytest.mark.thorough] * (preset is Preset.POSTER))
    for preset in Preset
]
KNOWN = {"heads", "head", "entropy", "information", "redundancy"}
QUERIES, KEYS = ("le", "chat", "dort"), ("the", "cat", "is", "asleep", "on", "the", "mat")


def scene(n_queries=3, n_keys=7, n_heads=2, *, has_tokens=True):
    cells = np.random.default_rng(2).random((n_heads, n_queries, n_keys))
    layer = CapturedLayer(0, given=cells / cells.sum(axis=2, keepdims=True))
    tokens = (QUERIES, KEYS) if has_tokens else ((), ())
    return scene_of(Capture("a map", (layer,), *tokens), 0)


def subject(*shape, style=None, **options):
    of = scene(*shape, **options)
    return Subject(of, compute(of), style or FigureStyle())


def texts(svg):
    root = ET.fromstring(svg)
    found = [
        "".join(text.itertext()).strip() for text in root.iter("{http://www.w3.org/2000/svg}text")
    ]
    return [text for text in found if text]


def test_there_are_the_figures_of_weights():
    result = compute(scene())
    assert {name for name in FIGURES if why_not(name, result) is None} == KNOWN
    assert "not the same positions" in why_not("impulse", result)


@pytest.mark.parametrize("labels", [Labels.POSITIONS, Labels.TOKENS, Labels.BOTH])
def test_both_axes_have_labels_of_their_own(labels):
    style = FigureStyle(labels=labels)
    written = " ".join(texts(render("head", subject(style=style), "svg"))).split()
    if labels is not Labels.POSITIONS:
        assert set(QUERIES) | set(KEYS) <= set(written)
    if labels is not Labels.TOKENS:
        assert {"t1", "t2", "t3", *(f"i{n}" for n in range(1, 8))} <= set(written)
        assert not {"t4", "t7"} & set(written)


def test_positions_alone_are_numbered():
    written = texts(render("heads", subject(4, 9, has_tokens=False), "svg"))
    assert {"t1", "t4", "i1", "query position t", "key position i"} <= set(written)
    assert "t5" not in written


def test_the_numbers_in_the_cells_are_the_weights():
    of = subject(2, 3, 1, has_tokens=False)
    written = texts(render("head", of, "svg"))
    for weight in of.scene.heads[0].a.ravel():
        assert f"{weight:.2f}" in written


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("shape", [(1, 9, 2), (9, 1, 2), (40, 9, 3), (5, 30, 4)])
def test_any_shape_is_drawn(shape, preset):
    style = FigureStyle(preset=preset, dpi=72)
    data = render("heads", subject(*shape, style=style, has_tokens=False), "png")
    with Image.open(io.BytesIO(data)) as image:
        assert min(image.size) > 50
        assert image.height < 3 * image.width


def test_it_is_drawn_the_same_every_time():
    one, other = (render("heads", subject(5, 30, 4, has_tokens=False), "png") for _ in range(2))
    assert one == other


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("name", ["heads", "head", "entropy"])
@pytest.mark.parametrize("shape", [(3, 7, 2), (40, 9, 6), (5, 30, 4), (1, 9, 2), (9, 1, 2)])
def test_no_text_is_cut_or_runs_into_another(draw, assert_is_legible, shape, name, preset):
    of = scene(*shape, has_tokens=shape == (3, 7, 2))
    assert_is_legible(draw(name, of, compute(of), preset=preset))


@pytest.mark.parametrize(("shape", "cell"), [((5, 12), 1.0), ((9, 3), 1.0), ((1, 40), 0.1)])
def test_cells_are_square_but_in_thin_strips(draw, shape, cell):
    of = scene(*shape, 1, has_tokens=False)
    figure = draw("head", of, compute(of))
    width, height = figure.axes[0].get_position().size * figure.get_size_inches()
    assert (width / shape[1]) / (height / shape[0]) == pytest.approx(cell, rel=1e-6)


def test_the_entropy_reaches_the_ceiling_of_its_keys():
    svg = render("entropy", subject(3, 64, has_tokens=False), "svg")
    assert "6" in texts(svg)  # log2 64 bits


def test_a_figure_is_opened_as_its_scene():
    of = subject()
    for kind in ("svg", "png"):
        assert session_from_bytes(render("heads", of, kind)).scene == of.scene


def test_a_script_is_refused():
    with pytest.raises(UserError, match="this scene has another mask"):
        script("heads", subject())


def test_a_report_says_how_many_keys_there_are_and_which():
    told = report_of(subject())
    sections = {section.key: section for section in told.sections}
    table, *lines = next(iter(sections.values())).blocks
    assert any(row[0] == "T_k" and row[2] == "7" for row in table.rows)
    assert any(KEYS[3] in line.text for line in lines)
    responses = sections["responses"].blocks
    assert "not the same positions" in responses[0].text
