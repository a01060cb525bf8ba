from dataclasses import replace

import pytest

from mhagui.document import Appearance, ColourScale, Cursor, Digits, Quantity, ViewState
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
