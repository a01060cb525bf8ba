import itertools

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mhagui.gui.pictures import weight_table
from mhagui.palette import (
    HEAD_COLOURS,
    KEY_HEAD_COLOURS,
    MORE_HEAD_COLOURS,
    SignedColours,
    WeightColours,
    contrast,
    diverging_table,
    head_colour,
    head_marker,
    ink_on,
    is_signed,
    key_head_line,
    relative_luminance,
    table_on,
)

BLACK, WHITE = (0, 0, 0), (255, 255, 255)
INK = {"#000000": BLACK, "#ffffff": WHITE}
channels = st.integers(0, 255)

# How linear RGB looks to those who lack a kind of cone: Machado, Oliveira and Fernandes (2009).
SIGHT = {
    "all cones": np.eye(3),
    "no red cones": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "no green cones": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def channels_of(colour):
    return np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)])


def linear(colour):
    c = channels_of(colour) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    """CIE 1976 L*a*b* of a linear RGB colour: distances are differences as seen."""
    relative = TO_XYZ @ np.clip(rgb, 0, 1) / TO_XYZ.sum(axis=1)
    x, y, z = np.where(relative > 0.008856, np.cbrt(relative), 7.787 * relative + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def seen(rgb, sight):
    """L*a*b* of the rows of a table, (n, 3) of 0..255, as those see it who have ``sight``."""
    c = np.asarray(rgb) / 255
    light = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    return np.array([lab(SIGHT[sight] @ colour) for colour in light])


def sampled(name, n_colours):
    colours = mpl.colormaps[name].resampled(n_colours)(np.arange(n_colours))
    return 255 * colours[:, :3]


@pytest.mark.parametrize(
    ("rgb", "luminance"),
    [
        (BLACK, 0.0),
        (WHITE, 1.0),
        ((255, 0, 0), 0.2126),
        ((0, 255, 0), 0.7152),
        ((0, 0, 255), 0.0722),
        ((10, 10, 10), 10 / 255 / 12.92),  # the last on the straight part of the curve
        ((11, 11, 11), ((11 / 255 + 0.055) / 1.055) ** 2.4),
    ],
)
def test_luminance_is_that_of_wcag(rgb, luminance):
    assert relative_luminance(rgb) == pytest.approx(luminance, rel=1e-12)


@pytest.mark.parametrize(
    ("one", "other", "ratio"),
    [
        (BLACK, WHITE, 21.0),
        (WHITE, WHITE, 1.0),
        ((0x76, 0x76, 0x76), WHITE, 4.54),  # the lightest grey with 4.5:1 on white
        ((0x77, 0x77, 0x77), WHITE, 4.48),
        ((0, 0, 255), WHITE, 8.59),
    ],
)
def test_contrast_is_that_of_wcag(one, other, ratio):
    assert contrast(one, other) == pytest.approx(ratio, abs=0.005)
    assert contrast(other, one) == contrast(one, other)


@given(st.tuples(channels, channels, channels))
def test_ink_is_readable_on_every_colour(rgb):
    ink = INK[ink_on(rgb)]
    assert contrast(ink, rgb) >= 4.5
    assert contrast(ink, rgb) == max(contrast(BLACK, rgb), contrast(WHITE, rgb))


@pytest.mark.parametrize("grey", range(256))
def test_ink_is_readable_on_every_grey(grey):
    assert contrast(INK[ink_on((grey,) * 3)], (grey,) * 3) >= 4.5


SIGNED = [(colours, dark) for colours in SignedColours for dark in (False, True)]
SEQUENTIAL = list(WeightColours)


@pytest.mark.parametrize(
    "table",
    [diverging_table(colours=colours, dark=dark) for colours, dark in SIGNED]
    + [weight_table(colours) for colours in SEQUENTIAL],
)
def test_ink_is_readable_on_every_colour_of_the_tables(table):
    for rgb in table:
        assert contrast(INK[ink_on(tuple(rgb))], tuple(rgb)) >= 4.5


@pytest.mark.parametrize("n_colours", [11, 255, 256])
def test_signed_colours_are_those_of_matplotlib(n_colours):
    table = diverging_table(n_colours)
    assert table.shape == (n_colours, 3)
    assert table.dtype == np.uint8
    assert np.abs(table - sampled("RdBu_r", n_colours)).max() <= 1.0


def test_signed_colours_are_blue_below_and_red_above_a_nearly_white_zero():
    table = diverging_table().astype(int)
    red, blue = table[:, 0], table[:, 2]
    assert (blue[:127] > red[:127]).all()
    assert (red[128:] > blue[128:]).all()
    assert table[127].tolist() == [0xF7, 0xF7, 0xF7]


def test_on_a_dark_ground_signed_colours_grow_lighter_from_a_dark_grey_zero():
    table = diverging_table(dark=True).astype(int)
    red, blue = table[:, 0], table[:, 2]
    assert (blue[:127] > red[:127]).all()
    assert (red[128:] > blue[128:]).all()
    light = np.array([relative_luminance(tuple(rgb)) for rgb in table])
    assert light.argmin() == 127
    assert (np.diff(light[:128]) < 0).all()
    assert (np.diff(light[127:]) > 0).all()
    assert contrast(tuple(table[127]), (255, 255, 255)) > 10
    # as strong below zero as above it
    assert np.abs(light[:127] - light[:127:-1]).max() < 0.08


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize("colours", SEQUENTIAL)
def test_a_larger_weight_is_lighter_whoever_looks(colours, sight):
    light = seen(weight_table(colours), sight)[:, 0]
    assert (np.diff(light) > -0.1).all()  # channels are whole numbers
    assert light[-1] - light[0] > 70
    assert np.diff(light[::16]).max() < 3 * np.diff(light[::16]).min()  # no step is a leap


@pytest.mark.parametrize(("colours", "dark"), SIGNED)
def test_the_middle_of_signed_colours_is_grey_and_their_ends_are_far_from_it(colours, dark):
    shades = seen(diverging_table(colours=colours, dark=dark), "all cones")
    assert np.hypot(*shades[127, 1:]) < 1
    assert (shades[127, 0] < 30) == dark
    away = np.linalg.norm(shades - shades[127], axis=1)
    assert min(away[0], away[-1]) > 50


@pytest.mark.parametrize(("colours", "dark"), SIGNED)
def test_magnitudes_are_told_by_lightness_alike_on_both_sides(colours, dark):
    light = seen(diverging_table(colours=colours, dark=dark), "all cones")[:, 0]
    outward = 1 if dark else -1
    for side in (light[127:], light[127::-1]):
        assert (outward * np.diff(side) > -0.1).all()  # channels are whole numbers
        assert (outward * np.diff(side[::4]) > 0).all()
    tolerance = 5 if colours is SignedColours.BLUE_RED else 3  # ColorBrewer's is what it is
    assert np.abs(light[:127] - light[:127:-1]).max() < tolerance


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize(("colours", "dark"), SIGNED)
def test_signs_are_told_apart_whoever_looks(colours, dark, sight):
    shades = seen(diverging_table(colours=colours, dark=dark), sight)
    apart = np.linalg.norm(shades[:127] - shades[:127:-1], axis=1)
    assert apart[:115].min() > 8  # 2.3 is a difference one can just see
    assert apart[:102].min() > 15  # from a fifth of the range on


@pytest.mark.parametrize("colours", SignedColours)
def test_signed_colours_are_known_by_their_table(colours):
    table = diverging_table(colours=colours)
    assert table is diverging_table(colours=colours)
    assert is_signed(table)
    assert not is_signed(table.copy())
    assert table_on(table, dark=True) is diverging_table(colours=colours, dark=True)
    with pytest.raises(ValueError, match="read-only"):
        table[0] = 0


def test_only_signed_colours_are_others_on_a_dark_ground():
    signed, weights = diverging_table(), sampled("viridis", 255)
    assert table_on(signed, dark=False) is signed
    assert table_on(signed, dark=True) is diverging_table(dark=True)
    assert table_on(weights, dark=True) is weights


def test_head_colours_stay_with_the_head_and_come_round():
    assert head_colour(1) == HEAD_COLOURS[0]
    assert [head_colour(uid) for uid in range(1, 9)] == list(HEAD_COLOURS)
    assert head_colour(33) == head_colour(1)


def test_sixty_four_heads_differ_in_colour_or_marker():
    assert len({(head_colour(uid), head_marker(uid)) for uid in range(1, 65)}) == 64


@pytest.mark.parametrize("sight", SIGHT)
def test_no_two_of_32_heads_look_alike(sight):
    colours = [head_colour(uid) for uid in range(1, 33)]
    seen = [lab(SIGHT[sight] @ linear(colour)) for colour in colours]
    for one, other in itertools.combinations(seen, 2):
        assert np.linalg.norm(one - other) > 9  # 2.3 is a difference one can just see


@pytest.mark.parametrize("sight", SIGHT)
def test_head_colours_are_told_apart(sight):
    seen = [lab(SIGHT[sight] @ linear(colour)) for colour in HEAD_COLOURS]
    for one, other in itertools.combinations(seen, 2):
        assert np.linalg.norm(one - other) > 15  # 2.3 is a difference one can just see


@pytest.mark.parametrize("window", [(255, 255, 255), (30, 30, 30)])
def test_head_colours_show_in_light_and_dark_windows(window):
    for colour in (head_colour(uid) for uid in range(1, 33)):
        assert contrast(tuple(channels_of(colour)), window) >= 2.2


@pytest.mark.parametrize("sight", SIGHT)
def test_lines_of_key_heads_are_told_apart(sight):
    seen = [lab(SIGHT[sight] @ linear(colour)) for colour in KEY_HEAD_COLOURS]
    for one, other in itertools.combinations(seen, 2):
        assert np.linalg.norm(one - other) > 15
    lines = [key_head_line(number) for number in range(12)]
    assert len(set(lines)) == 12
    for one, other in itertools.pairwise(lines):
        assert one[0] != other[0]
        assert one[1] != other[1]


def test_lines_of_key_heads_are_quieter_than_heads_and_none_of_theirs():
    def strength(colour):
        return np.hypot(*lab(linear(colour))[1:])

    heads = HEAD_COLOURS + MORE_HEAD_COLOURS
    for colour in KEY_HEAD_COLOURS:
        assert strength(colour) < np.median([strength(head) for head in HEAD_COLOURS])
        apart = [np.linalg.norm(lab(linear(colour)) - lab(linear(head))) for head in heads]
        assert min(apart) > 12


@pytest.mark.parametrize("card", [(255, 255, 255), (0x2A, 0x2D, 0x33)])
def test_lines_of_key_heads_show_on_light_and_dark_cards(card):
    for colour in KEY_HEAD_COLOURS:
        assert contrast(tuple(channels_of(colour)), card) >= 3.0
