"""The colour bar: its ticks, its texts and its colours."""

import numpy as np
import pytest
from PySide6.QtGui import QFont, QFontMetricsF

from mhagui.gui.theme import ThemeChoice, apply_theme
from mhagui.gui.widgets.colour_bar import ColourBar, tick_values
from mhagui.gui.widgets.colour_range import ColourRange
from mhagui.gui.widgets.colour_strip import ColourStrip
from mhagui.palette import contrast

GREYS = np.repeat(np.arange(255, dtype=np.uint8)[:, None], 3, axis=1)


def scale(low, high, **changes):
    return ColourRange(low, high, "weight A, linear, 0 to 1", GREYS, **changes)


@pytest.fixture
def bar(qtbot):
    bar = ColourBar()
    qtbot.addWidget(bar)
    bar.set_scale(scale(0.0, 1.0))
    bar.resize(bar.sizeHint().width(), 300)
    with qtbot.waitExposed(bar):
        bar.show()
    return bar


def test_ends_and_zero_are_written():
    ticks = tick_values(scale(-4.5, 4.5), 300, 30)
    assert ticks[0] == -4.5
    assert ticks[-1] == 4.5
    assert 0 in ticks
    assert {-2, 2} <= set(ticks)


def test_ticks_of_weights_are_round():
    assert tick_values(scale(0.0, 1.0), 300, 30) == pytest.approx(np.linspace(0, 1, 11))
    assert tick_values(scale(0.0, 1.0), 150, 30) == pytest.approx(np.linspace(0, 1, 6))


def test_an_end_that_is_not_round_has_no_round_number_upon_it():
    ticks = tick_values(scale(0.0, 0.83), 300, 30)
    assert ticks[-1] == 0.83
    assert 0.8 not in ticks


def test_logarithmic_ticks_are_powers_of_ten():
    ticks = tick_values(scale(1e-6, 1.0, logarithmic=True), 300, 30)
    assert ticks == pytest.approx([1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1])


def test_ratios_have_one_in_the_middle():
    ratios = scale(1 / 6, 6.0, logarithmic=True)
    assert ratios.fraction(1.0) == pytest.approx(0.5)
    assert 1.0 in tick_values(ratios, 300, 30)


@pytest.mark.parametrize("logarithmic", [False, True])
def test_a_range_without_extent_divides_by_nothing(bar, grabbed, logarithmic):
    bar.set_scale(scale(1.0, 1.0, logarithmic=logarithmic))
    assert [text for _, text in bar.ticks()] == ["1"]
    assert grabbed(bar).std() > 0


@pytest.mark.parametrize("high", [5e-324, 1e-12, 7e5, 1.7e308])
def test_extreme_ranges_have_ticks(bar, high):
    bar.set_scale(scale(0.0, high))
    assert len(bar.ticks()) >= 2


def test_high_is_on_top(bar, grabbed):
    pixels = grabbed(bar)
    box = bar.bar_rect()
    across = int(box.center().x())
    assert pixels[int(box.top()) + 2, across].min() > 245
    assert pixels[int(box.bottom()) - 3, across].max() < 10
    assert bar.ticks()[0][0] > bar.ticks()[-1][0]


def test_numbers_do_not_run_into_each_other(bar):
    height = QFontMetricsF(bar.font()).capHeight()
    places = sorted(place for place, _ in bar.ticks())
    assert np.diff(places).min() > 2 * height


@pytest.mark.parametrize("points", [9, 14])
def test_caption_fits_the_least_height(bar, points):
    font = QFont(bar.font())
    font.setPointSize(points)
    bar.setFont(font)
    caption = QFontMetricsF(font).horizontalAdvance(bar.scale.caption)
    assert bar.minimumSizeHint().height() > 0.9 * caption
    assert bar.sizeHint().width() == bar.minimumSizeHint().width()


def test_width_stays_while_an_end_moves(bar):
    widths = set()
    for high in (1.0, 0.9601, 0.957, 0.5):
        bar.set_scale(scale(0.0, high))
        widths.add(bar.sizeHint().width())
    assert len(widths) == 1


def test_bar_says_what_it_shows(bar):
    assert bar.accessibleName() == "Colours: weight A, linear, 0 to 1, from 0 to 1"


@pytest.mark.parametrize("theme", [ThemeChoice.LIGHT, ThemeChoice.DARK])
@pytest.mark.parametrize("kind", [ColourBar, ColourStrip])
def test_texts_can_be_read_in_light_and_dark(qtbot, grabbed, theme, kind):
    apply_theme(theme)
    key = kind()
    qtbot.addWidget(key)
    key.set_scale(scale(0.0, 1.0))
    key.resize(key.sizeHint())
    pixels = grabbed(key)
    box = key.bar_rect().toAlignedRect().adjusted(-2, -2, 2, 2)
    beside = pixels[:, box.right() :] if kind is ColourBar else pixels[:, : box.left()]
    colours = [tuple(map(int, colour)) for colour in np.unique(beside.reshape(-1, 3), axis=0)]
    paper = tuple(map(int, beside[0, -1]))
    assert max(contrast(colour, paper) for colour in colours) >= 4.5
