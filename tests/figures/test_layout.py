"""Every figure of every scene on every page: all of it is there, and all of it can be read."""

import itertools
import re
from dataclasses import replace

import pytest
from matplotlib.text import Text

from mhagui import figures
from mhagui.document import compute, load_lesson
from mhagui.document.view_state import ColourScale
from mhagui.errors import UserError
from mhagui.figure_names import PANELS
from mhagui.figures import FigureStyle, Preset, Subject, drawing, entropy
from mhagui.figures.page import POINTS, house_style, painted
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


def em(text):
    return text.get_fontsize() / POINTS * text.figure.dpi


def assert_is_inside(box, page, what):
    assert page.x0 - 0.01 <= box.x0 <= box.x1 <= page.x1 + 0.01, what
    assert page.y0 - 0.01 <= box.y0 <= box.y1 <= page.y1 + 0.01, what


def assert_is_legible(figure):
    """Look at all that is painted: none of it is cut, and no text touches another or a panel."""
    in_cells = {text for axes in figure.axes for text in axes.texts if is_in_view(text)}
    unseen = {text for axes in figure.axes for text in beyond_view(axes)}
    texts = {
        text: text.get_window_extent()
        for text in figure.findobj(Text)
        if text.get_visible() and text.get_text().strip() and text not in in_cells | unseen
    }
    panels = [axes.get_window_extent() for axes in figure.axes]
    assert_is_inside(figure.get_tightbbox(), figure.bbox_inches, "something painted")
    for text, box in texts.items():
        assert_is_inside(box, figure.bbox, text)
        assert all(overlap(box, panel) < 0.2 * em(text) for panel in panels), text
    for (one, its), (other, others) in itertools.combinations(texts.items(), 2):
        # A fifth of a line is below its letters.
        assert overlap(its, others) < 0.25 * min(em(one), em(other)), (one, other)
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


@pytest.mark.parametrize(("name", "preset", "scene", "style"), list(cases()), ids=said)
def test_no_text_is_cut_or_runs_into_another_or_over_a_panel(
    any_scene, draw, name, preset, scene, style
):
    subject = any_scene(scene)
    if figures.why_not(name, subject[1]):
        subject = any_scene("four heads")
    assert_is_legible(draw(name, *subject, preset=preset, **style))


def test_the_names_of_many_heads_have_room_where_the_axes_are_low(any_scene):
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
def test_no_line_is_cut_however_few_the_dots_to_the_inch(four_heads, draw, name):
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


def test_no_type_in_a_single_column_is_smaller_than_journals_take(four_heads):
    style = FigureStyle(preset=Preset.SINGLE_COLUMN)
    for name, svg in figures.render_each(Subject(*four_heads, style), ONE_BY_ONE, ["svg"]):
        sizes = re.findall(r"font(?:-size)?: ?(?:[a-z]+ )*([\d.]+)px", svg.decode())
        assert min(map(float, sizes)) >= 5.5, name


@pytest.mark.parametrize("name", ["output", "pipeline"])
def test_a_slides_title_begins_where_its_figure_does(four_heads, draw, name):
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
def test_letters_of_a_page_of_several_keep_off_its_edge(four_heads, draw, name, preset):
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
