"""Films over T: what is in every frame stays where it is."""

import pytest

from mhagui.figures import FigureStyle, Preset, Subject, drawing
from mhagui.figures.motion import Film
from mhagui.figures.sweeps import Quantity, Slider, Sweep


@pytest.mark.parametrize(
    ("name", "preset"),
    [
        ("heads", Preset.DOUBLE_COLUMN),
        ("heads", Preset.SLIDE),
        ("filter-bank", Preset.DOUBLE_COLUMN),
        ("projection", Preset.SLIDE),
        ("impulse", Preset.DOUBLE_COLUMN),
    ],
)
def test_what_is_in_every_frame_over_t_stays_where_it_is(lesson, name, preset):
    subject = Subject(*lesson("content-position"), FigureStyle(preset=preset))
    film = Film(subject, name, Sweep(Slider(Quantity.LENGTH), 2, 6, 3))
    assert len(list(film.measure())) == len(film)  # so that scales are those of all frames
    figures_of = [drawing.draw(name, film.subject(number)) for number in range(3)]
    assert len({tuple(figure.get_size_inches()) for figure in figures_of}) == 1
    places = [[axes.get_position().bounds for axes in figure.axes] for figure in figures_of]
    assert places[0] == places[1] == places[2]
    for word in ("query position t", "key position i", "position t", "output channel"):
        found = [[t.get_position() for t in f.texts if t.get_text() == word] for f in figures_of]
        assert found[0] == found[1] == found[2]
