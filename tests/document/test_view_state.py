from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mhagui.document import Appearance, ColourScale, Cursor, Digits, Quantity, ViewState, Window
from mhagui.document.edits import MoveHead, RemoveHead, SetSequenceLength
from mhagui.palette import SignedColours, WeightColours


def test_one_starts_at_the_first_head_and_t4(four_heads):
    view = ViewState.of(four_heads)
    assert view == ViewState(Cursor(1, 3, 2), None, Quantity.WEIGHTS, ColourScale.LINEAR)


def test_one_starts_at_the_first_head_of_the_order(four_heads):
    assert ViewState.of(MoveHead(3, 0).apply(four_heads)).cursor.head == 3


@pytest.mark.parametrize(("n_positions", "cell"), [(1, (0, 0)), (2, (1, 0)), (9, (3, 2))])
def test_one_starts_inside_short_scenes_too(four_heads, n_positions, cell):
    cursor = ViewState.of(SetSequenceLength(n_positions).apply(four_heads)).cursor
    assert (cursor.query, cursor.key) == cell


@pytest.mark.parametrize(
    ("cell", "inside"),
    [((5, 0), (5, 0)), ((6, 7), (5, 5)), ((-1, 3), (0, 3)), ((10**9, -(10**9)), (5, 0))],
)
def test_the_cursor_is_kept_inside(four_heads, cell, inside):
    cursor = ViewState(Cursor(2, *cell)).fitted(four_heads).cursor
    assert cursor == Cursor(2, *inside)


def test_a_removed_head_is_no_longer_pointed_at_or_enlarged(four_heads):
    view = ViewState(Cursor(2, 1, 1), enlarged=2, quantity=Quantity.SCORES)
    without = RemoveHead(2).apply(four_heads)
    assert view.fitted(without) == ViewState(Cursor(1, 1, 1), None, Quantity.SCORES)


def test_what_fits_is_itself(four_heads):
    view = ViewState(Cursor(2, 1, 1), enlarged=3)
    assert view.fitted(four_heads) is view


def test_a_scene_that_the_view_does_not_fit_changes_nothing_of_how_it_looks(four_heads):
    look = Appearance(10, WeightColours.MAGMA, SignedColours.GREEN_PINK)
    view = replace(ViewState(Cursor(2, 1, 1), enlarged=2), appearance=look)
    fitted = view.fitted(RemoveHead(2).apply(four_heads))
    assert fitted.enlarged is None
    assert fitted.appearance == look


def test_the_digits_of_the_menu_are_those_of_an_appearance():
    assert list(Digits) == [3, 4, 6, 10, 17]
    assert [str(digits) for digits in Digits] == ["3", "4", "6", "10", "all"]
    assert Appearance().digits is Digits.FOUR


# --- the part of the heatmaps that is shown

PLACES = st.integers(-100, 10_000)
WINDOWS = st.builds(Window, PLACES, PLACES, st.integers(-5, 10_000))


@given(WINDOWS, st.integers(1, 5000))
def test_a_window_is_inside_and_has_eight_cells_or_is_none(window, n_positions):
    fitted = window.fitted(n_positions, n_positions)
    if fitted is None:
        assert n_positions <= max(window.count, 8)
    else:
        assert 8 <= fitted.count < n_positions
        assert 0 <= fitted.query <= n_positions - fitted.count
        assert 0 <= fitted.key <= n_positions - fitted.count
        assert fitted.fitted(n_positions, n_positions) == fitted


@given(st.integers(0, 900), st.integers(0, 900), st.integers(8, 100), PLACES, PLACES)
def test_a_window_follows_the_cursor_no_further_than_it_must(query, key, count, row, column):
    window = Window(query, key, count)
    moved = window.holding(Cursor(1, row, column))
    for before, after, at in ((query, moved.query, row), (key, moved.key, column)):
        outside = max(before - at, at - (before + count - 1), 0)
        assert after <= at < after + count
        assert abs(after - before) == outside
    assert moved.count == count


@given(st.integers(8, 4096), st.floats(0, 1), st.floats(0, 1), st.sampled_from([2**0.5, 2.0]))
def test_zooming_keeps_what_is_pointed_at_in_its_place(count, down, across, factor):
    window = Window(5000, 7000, count)
    row, column = 5000 + down * count, 7000 + across * count
    closer = window.zoomed(factor, row, column)
    assert closer.count == max(round(count / factor), 8)
    # a window begins at a whole cell, and so up to half a one beside
    assert (row - closer.query) / closer.count == pytest.approx(down, abs=0.51 / closer.count)
    assert (column - closer.key) / closer.count == pytest.approx(across, abs=0.51 / closer.count)


@given(st.integers(8, 4096), st.floats(0.5, 2.0).filter(lambda factor: factor != 1.0))
def test_the_smallest_step_is_one_cell(count, factor):
    window = Window(0, 0, count)
    zoomed = window.zoomed(factor, 3.0, 3.0)
    assert zoomed.count != count or (count == 8 and factor > 1)
    assert window.zoomed(1.0, 3.0, 3.0) == window


def test_zooming_is_around_the_cursor_where_it_is_shown(four_heads):
    scene = SetSequenceLength(100).apply(four_heads)
    view = ViewState(Cursor(1, 80, 10))
    assert view.zoomed(2.0, scene) == Window(40, 5, 50)
    beside = ViewState(Cursor(1, 80, 10), window=Window(0, 0, 40))
    assert beside.zoomed(2.0, scene) == Window(10, 10, 20)
    assert ViewState(Cursor(1, 3, 2), window=Window(0, 0, 6)).fitted(four_heads).window is None
