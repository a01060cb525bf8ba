"""The filter bank dock: that what matters is in sight."""

import pytest
from PySide6.QtCore import QPoint, QRect

from mhagui.document.edits import SetSequenceLength
from mhagui.gui.docks.filter_bank import FilterBankDock


@pytest.fixture
def dock(open_dock):
    """The dock at about its size in the main window."""
    return open_dock(FilterBankDock, 680, 290)


def test_terms_and_running_sums_are_seen_at_the_first_size_in_the_window(dock, settle):
    dock.resize(656, 238)
    settle()
    assert not dock.row.verticalScrollBar().isVisible()
    assert not dock.row.horizontalScrollBar().isVisible()
    for card in (*dock.cards, dock.total_card):
        for view in (card.view, card.lower_view):
            assert dock.row.rect().contains(QRect(view.mapTo(dock.row, QPoint()), view.size()))
            cell = view.cell_rect(0, 0)
            assert cell.width() >= 9
            assert cell.height() >= 5


def test_cells_are_at_most_twice_as_wide_as_high(dock, bench, settle):
    bench.edit(SetSequenceLength(20))
    settle()
    view = dock.cards[0].view
    whole = view.cell_rect(0, 0).united(view.cell_rect(19, 7))
    assert whole.width() / 8 == pytest.approx(2 * whole.height() / 20, rel=0.2)


def test_a_narrow_dock_leaves_out_what_it_cannot_say_whole(dock, settle):
    dock.resize(300, 238)
    settle()
    assert dock.width() == 300
    assert dock.residual.text() == ""
    assert dock.residual.accessibleName().startswith("max |Concat·W_O")
