"""What is the same around matrices is made once, and a gain paints what it moves alone; counted."""

import pytest

from mhagui.document import Pattern, Window
from mhagui.document.edits import AddHead, SetSequenceLength, set_gain
from mhagui.gui.docks.filter_bank import FilterBankDock
from mhagui.gui.docks.heatmaps import HeatmapsDock
from mhagui.gui.theme import apply_theme
from mhagui.gui.widgets import matrix_ground, matrix_view
from mhagui.gui.widgets.matrix_ground import Grounds
from mhagui.settings import ThemeChoice


class Counts:
    """How often matrices were laid out and labels painted, and the values of cells painted."""

    def __init__(self, monkeypatch):
        self.begin()
        self._count(monkeypatch, matrix_ground, "lay_out")
        self._count(monkeypatch, matrix_ground, "ground_pixmap")
        self._count(monkeypatch, matrix_view, "matrix_pixmap")

    def begin(self):
        self.calls = {"lay_out": [], "ground_pixmap": [], "matrix_pixmap": []}

    def _count(self, monkeypatch, module, name):
        make = getattr(module, name)

        def counted(first, *others):
            self.calls[name].append(first)
            return make(first, *others)

        monkeypatch.setattr(module, name, counted)

    @property
    def n_around(self):
        return len(self.calls["lay_out"]), len(self.calls["ground_pixmap"])

    @property
    def painted(self):
        return {id(picture.values) for picture in self.calls["matrix_pixmap"]}


@pytest.fixture
def counts(monkeypatch):
    return Counts(monkeypatch)


@pytest.fixture
def many(open_dock, bench):
    """A heatmaps dock with sixteen heads in sight."""
    bench.edit(SetSequenceLength(40))
    for _ in range(12):
        bench.edit(AddHead(Pattern.SELF))
    return open_dock(HeatmapsDock, 900, 640)


def test_cards_of_one_size_are_laid_out_once(many, bench, counts, settle):
    views = [card.view for card in many._grid.cards]
    many.resize(1000, 700)
    settle()
    sizes = {(view.width(), view.height()) for view in views}
    assert len(views) == 16
    assert len(sizes) <= 4
    assert len(counts.calls["matrix_pixmap"]) >= 16
    assert len(sizes) <= counts.n_around[0] <= 8  # on the way there the cards had other sizes
    counts.begin()
    bench.look(window=Window(0, 0, 12))
    settle()
    assert len(counts.calls["matrix_pixmap"]) == 16
    assert counts.n_around == (len(sizes), len(sizes))


def test_a_gain_paints_the_cells_of_one_card_and_no_label(many, bench, counts, settle):
    bench.edit(set_gain(2, 1.7))
    settle()
    assert counts.n_around == (0, 0)
    assert counts.painted == {id(bench.frame.result.heads[1].weights)}


def test_a_gain_paints_in_the_bank_the_term_and_what_it_is_part_of(
    open_dock, bench, counts, settle
):
    dock = open_dock(FilterBankDock, 1100, 420)
    before = {id(card.view.picture.values) for card in dock.cards}
    counts.begin()
    bench.edit(set_gain(3, 1.7))
    settle()
    cards, total = dock.cards, dock.total_card
    views = [cards[2].view, *(card.lower_view for card in cards[2:])]
    views += [total.view, total.lower_view]
    assert counts.n_around == (0, 0)
    assert counts.painted <= {id(view.picture.values) for view in views}
    assert id(cards[2].view.picture.values) in counts.painted
    assert not counts.painted & before


def test_shared_or_not_a_matrix_looks_the_same(many, settle):
    view = many._grid.cards[5].view
    pictures = []
    for theme in (ThemeChoice.DARK, ThemeChoice.LIGHT):
        apply_theme(theme)
        settle()
        shared = view.grab().toImage()
        view.share(Grounds())
        view.lay_out_anew()
        settle()
        assert view.grab().toImage() == shared
        pictures.append(shared)
    assert pictures[0] != pictures[1]
