"""Every figure of every scene on every page: all of it is there, and all of it can be read."""

import itertools
import re
from dataclasses import replace

import pytest

from mhagui import figures
from mhagui.document import compute, load_lesson
from mhagui.document.view_state import ColourScale
from mhagui.errors import UserError
from mhagui.figure_names import PANELS
from mhagui.figures import FigureStyle, Preset, Subject, drawing, entropy
from mhagui.figures.page import house_style, painted
from mhagui.figures.paper import Paper

MM = 25.4
SCENES = (
    "four heads", "32 heads", "one cell", "t200", "tokens", "unlucky names", "32 heads of t48",
    "two heads", "solo, huge numbers", "t1024", "wide", "12 heads of t64", "t1",
)  # fmt: skip
AROUND = {"title": True, "caption": True}
PLAIN, LARGE, TOKENS = {}, {"font_size": 14.0}, {"labels": figures.Labels.TOKENS}
RELATIVE = {"colour_scale": ColourScale.RELATIVE}
# The far ends, beside which each figure is drawn for two presets, of one scene after another.
FAR_ENDS = [
    ("heads", Preset.SLIDE, "32 heads", PLAIN),
    ("heads", Preset.SINGLE_COLUMN, "32 heads of t48", AROUND),
    ("heads", Preset.DOUBLE_COLUMN, "unlucky names", LARGE),
    ("heads", Preset.DOUBLE_COLUMN, "tokens", TOKENS),
    ("heads", Preset.SINGLE_COLUMN, "two heads", RELATIVE),
    ("heads", Preset.SINGLE_COLUMN, "two heads", RELATIVE | LARGE | AROUND),
    ("scores", Preset.DOUBLE_COLUMN, "solo, huge numbers", AROUND),
    ("projection", Preset.DOUBLE_COLUMN, "wide", PLAIN),
    ("projection", Preset.DOUBLE_COLUMN, "one cell", AROUND),
    ("projection", Preset.DOUBLE_COLUMN, "tokens", LARGE),
    ("pipeline", Preset.SLIDE, "four heads", PLAIN),
    ("pipeline", Preset.SLIDE, "t1024", LARGE),
    ("impulse", Preset.DOUBLE_COLUMN, "32 heads", PLAIN),
    ("impulse", Preset.SLIDE, "32 heads", AROUND),
    ("filter-bank", Preset.SLIDE, "12 heads of t64", PLAIN),
    ("filter-bank", Preset.SINGLE_COLUMN, "unlucky names", LARGE),
    ("singular-values", Preset.DOUBLE_COLUMN, "32 heads", PLAIN),
    ("frequency", Preset.SINGLE_COLUMN, "four heads", LARGE),
    ("information", Preset.SINGLE_COLUMN, "unlucky names", LARGE),
    ("redundancy", Preset.SINGLE_COLUMN, "32 heads", AROUND),
    ("entropy", Preset.SINGLE_COLUMN, "unlucky names", LARGE),
    ("cost", Preset.SINGLE_COLUMN, "wide", LARGE),
    ("summary", Preset.DOUBLE_COLUMN, "unlucky names", PLAIN),
]


ONE_BY_ONE = [name for name in figures.FIGURES if name not in PANELS]


def cases():
    yield from FAR_ENDS
    for number, name in enumerate(figures.FIGURES):
        for step in (0, 1):
            preset = list(Preset)[(number + step) % 3 if number % 5 or step else 3]
            if name in PANELS and preset is Preset.SINGLE_COLUMN:
                continue  # there are none
            scene = SCENES[(5 * number + 3 * step) % len(SCENES)]
            yield name, preset, scene, AROUND if (number + step) % 2 else PLAIN


def said(choice):
    return "-".join(choice) if isinstance(choice, dict) else choice.replace(" ", "_")


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "preset", "scene", "style"), list(cases()), ids=said)
def test_no_text_is_cut_or_runs_into_another_or_over_a_panel(
    any_scene, draw, assert_is_legible, name, preset, scene, style
):
    subject = any_scene(scene)
    if figures.why_not(name, subject[1]):
        subject = any_scene("four heads")
    assert_is_legible(draw(name, *subject, preset=preset, **style))


def test_the_names_of_many_heads_have_room_where_the_axes_are_low(any_scene, assert_is_legible):
    subject = Subject(*any_scene("32 heads"))
    part = Paper.of(subject).part(1.5)
    with house_style():
        figure = painted(entropy.plan(subject, part), part)
        figure.draw_without_rendering()
    assert_is_legible(figure)


@pytest.mark.parametrize(
    ("name", "preset"),
    [
        ("heads", Preset.DOUBLE_COLUMN),
        ("heads", Preset.POSTER),
        *itertools.product(figures.FIGURES, (Preset.SLIDE,)),
        *itertools.product(ONE_BY_ONE, (Preset.SINGLE_COLUMN,)),
    ],
)
def test_a_page_is_as_wide_as_its_preset_says_and_a_slide_as_16_to_9(four_heads, name, preset):
    subject = Subject(*four_heads, FigureStyle(preset=preset, **AROUND))
    paper = Paper.of(subject)
    plan = replace(drawing.plan(name, subject, paper), paint=lambda _sheet: None)
    width, height = painted(plan, paper).get_size_inches() * MM
    wanted = {"single": 85, "double": 170, "slide": 40 / 3 * MM, "poster": 600}[preset.value]
    assert width == pytest.approx(wanted, abs=1e-6)
    if preset is Preset.SLIDE:
        assert height == pytest.approx(width * 9 / 16, abs=1e-6)


@pytest.mark.parametrize("name", ["frequency", "information", "singular-values"])
def test_no_line_is_cut_however_few_the_dots_to_the_inch(four_heads, draw, assert_is_inside, name):
    figure = draw(name, *four_heads, preset=Preset.SINGLE_COLUMN)
    figure.set_dpi(40)
    with house_style():
        assert_is_inside(figure.get_tightbbox(), figure.bbox_inches, name)


@pytest.mark.parametrize("name", PANELS)
def test_pages_that_a_single_column_makes_too_long_are_refused(four_heads, name):
    style = FigureStyle(preset=Preset.SINGLE_COLUMN)
    reason = f"“{name}” is a page of several, .* choose the double preset"
    with pytest.raises(UserError, match=reason):
        figures.render(name, Subject(*four_heads, style), "svg")
    assert "double preset" in figures.why_not(name, four_heads[1], style)
    assert figures.why_not(name, four_heads[1], FigureStyle()) is None


@pytest.mark.thorough
def test_no_type_in_a_single_column_is_smaller_than_journals_take(four_heads):
    style = FigureStyle(preset=Preset.SINGLE_COLUMN)
    for name, svg in figures.render_each(Subject(*four_heads, style), ONE_BY_ONE, ["svg"]):
        sizes = re.findall(r"font(?:-size)?: ?(?:[a-z]+ )*([\d.]+)px", svg.decode())
        assert min(map(float, sizes)) >= 5.5, name


@pytest.mark.parametrize("name", ["output", "pipeline"])
def test_a_slides_title_begins_where_its_figure_does(four_heads, draw, em, name):
    title, *others = draw(name, *four_heads, preset=Preset.SLIDE, title=True).texts
    starts = [text.get_window_extent().x0 for text in others]
    assert min(starts) == pytest.approx(title.get_window_extent().x0, abs=0.5 * em(title))
    assert min(starts) > 2 * em(title)


@pytest.mark.parametrize("name", figures.FIGURES)
def test_four_heads_fit_a_journals_page(four_heads, name):
    subject = Subject(*four_heads)
    plan = drawing.plan(name, subject, Paper.of(subject))
    assert plan.height <= 10.4  # inches between the margins of an A4 page


@pytest.mark.parametrize("preset", [Preset.SLIDE, Preset.DOUBLE_COLUMN])
@pytest.mark.parametrize("name", PANELS)
def test_letters_of_a_page_of_several_keep_off_its_edge(four_heads, draw, em, name, preset):
    figure = draw(name, *four_heads, preset=preset)
    letters = [text for text in figure.texts if text.get_text() in ("a", "b", "c", "d")]
    assert len(letters) >= 3
    for letter in letters:
        ink = letter.get_window_extent()
        assert figure.bbox.y1 - ink.y1 > 0.4 * em(letter)
        assert ink.x0 > 0.4 * em(letter)


def test_the_filter_bank_fills_a_slide(four_heads, draw, panels):
    figure = draw("filter-bank", *four_heads, preset=Preset.SLIDE)
    inked, page = figure.get_tightbbox(), figure.bbox_inches
    assert inked.height > 0.9 * page.height
    terms = [axes.get_window_extent() for axes in panels(figure, (6, 8))]
    assert len(terms) == 6
    assert all(box.height > box.width for box in terms)
    assert terms[0].height > 0.2 * figure.bbox.height


def test_weights_over_tokens_have_their_values_on_a_slide(draw):
    scene = load_lesson("content-position")
    figure = draw("heads", scene, compute(scene), preset=Preset.SLIDE)
    written = [text for axes in figure.axes for text in axes.texts]
    assert written
    assert min(text.get_fontsize() for text in written) >= 9.0
