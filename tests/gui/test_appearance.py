"""How numbers and colours look: in as many digits as are asked for, and in chosen colours."""

import itertools
import re
from dataclasses import replace

import matplotlib as mpl
import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QLabel

from mhagui.document import Appearance, Digits, Quantity, ViewState, load_lesson
from mhagui.document.edits import SetMasterGain, SetProjectionBlock
from mhagui.gui.docks.ablation_site import AblationSite
from mhagui.gui.docks.cell import CellDock
from mhagui.gui.docks.cost import CostDock
from mhagui.gui.docks.entropy import EntropyDock
from mhagui.gui.docks.filter_bank import FilterBankDock
from mhagui.gui.docks.heads import HeadsDock
from mhagui.gui.docks.heatmaps import HeatmapsDock
from mhagui.gui.docks.impulse import ImpulseDock
from mhagui.gui.docks.information import InformationDock
from mhagui.gui.docks.output_projection import OutputProjectionDock
from mhagui.gui.docks.pipeline import PipelineDock
from mhagui.gui.docks.rank import RankDock
from mhagui.gui.docks.weights import WeightsDock
from mhagui.gui.pictures import cursor_text, weight_table
from mhagui.gui.theme import ThemeChoice, apply_theme
from mhagui.gui.widgets.bar_list import BarList
from mhagui.gui.widgets.colour_bar import ColourBar, ColourKey
from mhagui.gui.widgets.editable_delegate import fitting_text
from mhagui.gui.widgets.fitting_label import FittingLabel
from mhagui.gui.widgets.matrix_view import MatrixView
from mhagui.gui.widgets.norm_bar import NormBar
from mhagui.gui.widgets.number_table import NumberTable
from mhagui.gui.widgets.stem_plot import StemPlot
from mhagui.palette import SignedColours, WeightColours, diverging_table

DOCKS = [
    EntropyDock,
    RankDock,
    ImpulseDock,
    InformationDock,
    CostDock,
    CellDock,
    PipelineDock,
    FilterBankDock,
    OutputProjectionDock,
    WeightsDock,
    HeadsDock,
]
COUNTS = list(Digits)
PUBLISHED = {
    WeightColours.VIRIDIS: "viridis",
    WeightColours.CIVIDIS: "cividis",
    WeightColours.MAGMA: "magma",
    WeightColours.GREY: "gray",
}


@pytest.fixture
def uneven(bench):
    """The bench with numbers that go on, and the cursor at the second head, t4, t3."""
    bench.edit(SetMasterGain(0.83))
    bench.edit(SetProjectionBlock(0, 0, np.array([[1 / 3, -0.71234567], [2.5e-7, 1234.56789]])))
    bench.point(head=2, query=3, key=2)
    return bench


def look(bench, settle, **changes):
    bench.look(appearance=replace(bench.view.appearance, **changes))
    settle()


def numbers_in(text):
    return [float(n.replace("−", "-")) for n in re.findall(r"−?\d+(?:\.\d+)?(?:e−?\d+)?", text)]


def colour_at(widget, box, grabbed):
    return grabbed(widget)[box.top() + 3, box.left() + 3].astype(int)


# --- what an appearance belongs to


def test_it_is_the_same_for_every_scene_and_never_undone(bench, settle):
    chosen = Appearance(10, WeightColours.MAGMA, SignedColours.GREEN_PINK)
    bench.look(appearance=chosen)
    assert bench.history.undo_text is None
    bench.edit(SetMasterGain(2.0))
    bench.undo()
    assert bench.view.appearance == chosen
    other = load_lesson("induction")
    bench.open(other, view=ViewState.of(other))
    assert bench.view.cursor == ViewState.of(other).cursor
    assert bench.view.appearance == chosen


def test_nothing_is_computed_anew_for_it(uneven, settle):
    result = uneven.frame.result
    look(uneven, settle, digits=10, weight_colours=WeightColours.GREY)
    assert uneven.frame.result is result


# --- digits


@pytest.mark.parametrize("digits", COUNTS)
def test_the_cell_under_the_cursor_is_read_out_to_these_digits(uneven, settle, digits):
    look(uneven, settle, digits=digits)
    weight = float(uneven.frame.result.heads[1].weights[3, 2])
    told, ratio = cursor_text(uneven.frame).split(" · ")[-2:]
    expected = f"{weight:.{digits}f}" if digits < 17 else repr(weight)
    assert told == f"weight {expected}"
    assert numbers_in(ratio)[0] == pytest.approx(4 * weight, rel=5 * 10.0 ** -(digits - 1))


@pytest.mark.parametrize("kind", [EntropyDock, RankDock, CellDock, InformationDock])
def test_tables_in_all_digits_are_exact(uneven, open_dock, settle, kind):
    dock = open_dock(kind, 900, 700)
    look(uneven, settle, digits=17)
    cells = 0
    for table in dock.findChildren(NumberTable):
        model = table.model()
        places = itertools.product(range(model.rowCount()), range(model.columnCount()))
        for index in itertools.starmap(model.index, places):
            text = index.data().replace("−", "-").replace(",", "")
            if text not in ("", "–"):
                cells += 1
                assert float(text) == index.data(Qt.ItemDataRole.EditRole)
    assert cells > 0


def test_few_digits_are_fewer_in_a_table(uneven, open_dock, settle):
    dock = open_dock(EntropyDock, 400, 700)
    look(uneven, settle, digits=3)
    bits = uneven.frame.result.heads[1].row_entropy_bits[3]
    assert dock.table.model().index(3, 2).data() == f"{bits:.2f}"


def test_bars_stems_and_norms_are_told_to_these_digits(uneven, open_dock, settle):
    docks = [open_dock(kind, 900, 600) for kind in (InformationDock, ImpulseDock, FilterBankDock)]
    look(uneven, settle, digits=10)
    information, impulse, bank = docks
    result = uneven.frame.result
    bars = information.findChild(BarList, "informationBars")
    words = [f"h{n} {bar.value:.9f} bits" for n, bar in enumerate(bars.bars, 1)]
    assert bars.accessibleDescription() == ", ".join(words)
    stems = impulse.findChild(StemPlot, "impulsePlot2")
    tap = float(result.heads[1].weights[3, 2])
    assert f"t3: weight {tap:.10f}" in stems.accessibleDescription()
    norm = np.linalg.norm(result.heads[1].term)
    assert numbers_in(bank.findChild(NormBar, "normBar2").accessibleName())[0] == pytest.approx(
        norm, abs=1e-8
    )


def test_a_matrix_tells_its_cell_to_these_digits(uneven, open_dock, settle):
    dock = open_dock(HeatmapsDock, 900, 700)
    look(uneven, settle, digits=10)
    weight = float(uneven.frame.result.heads[1].weights[3, 2])
    told = dock.findChild(MatrixView, "heatmap2").accessibleDescription()
    assert told.endswith(f"weight {weight:.10f}")


@pytest.mark.parametrize("place", [1, 2])
def test_numbers_in_cells_stay_as_short_as_they_are(uneven, open_dock, settle, grabbed, place):
    dock = open_dock(HeatmapsDock, 900, 700)
    heatmap = dock.findChild(MatrixView, f"heatmap{place}")
    before = grabbed(heatmap)
    look(uneven, settle, digits=17)
    np.testing.assert_array_equal(grabbed(heatmap), before)


def test_an_edited_matrix_shows_more_digits_where_there_is_room(uneven, open_dock, settle):
    dock = open_dock(OutputProjectionDock, 1200, 300)
    look(uneven, settle, digits=10)
    index = dock.table.model().index(0, 0)
    assert index.data() == "0.3333333333"
    precision = uneven.view.appearance.precision
    assert fitting_text(1 / 3, 12, len, precision) == "0.3333333333"
    assert fitting_text(1 / 3, 6, len, precision) == "0.33"


def test_a_table_behind_others_is_kept_up(uneven, open_dock, settle):
    dock = open_dock(OutputProjectionDock, 600, 300)
    dock.hide()
    look(uneven, settle, digits=6, signed_colours=SignedColours.PURPLE_ORANGE)
    index = dock.table.model().index(0, 0)
    assert index.data() == "0.333333"
    level = np.rint((1 / 3 + 1500) / 3000 * 254).astype(int)  # 1500 is round above 1234.56789
    expected = diverging_table(colours=SignedColours.PURPLE_ORANGE)[level]
    background = index.data(Qt.ItemDataRole.BackgroundRole)
    assert background.getRgb()[:3] == tuple(expected.tolist())


@pytest.mark.parametrize("kind", DOCKS)
def test_nothing_is_cut(uneven, open_dock, settle, kind):
    dock = open_dock(kind, 360, 640)
    for digits in COUNTS:
        look(uneven, settle, digits=digits)
        least = dock.minimumSizeHint().width()
        assert least <= 400  # three such docks are side by side in the smallest window
        dock.resize(max(least, 360), 640)
        settle()
        all_fits(dock)


def all_fits(dock):
    for label in dock.findChildren(QLabel):
        if label.isVisible() and not label.wordWrap():
            lines = label.text().split("\n")
            needed = max(QFontMetrics(label.font()).horizontalAdvance(line) for line in lines)
            assert needed <= label.width() + 1, (label.objectName(), label.text())
    for table in dock.findChildren(NumberTable):
        for column in range(table.model().columnCount()):
            for row in range(table.model().rowCount()):
                needed = table.fontMetrics().horizontalAdvance(
                    table.model().index(row, column).data()
                )
                assert needed <= table.columnWidth(column)


def test_where_many_digits_have_no_room_the_usual_ones_are_shown(qtbot):
    label = FittingLabel()
    qtbot.addWidget(label)
    label.set_written(lambda write: (f"weight {write.fixed(1 / 3, 4)}",), Appearance(10).precision)
    with qtbot.waitExposed(label):
        label.show()
    assert label.text() == "weight 0.3333333333"
    label.setFixedWidth(label.minimumSizeHint().width())
    qtbot.waitUntil(lambda: label.text() == "weight 0.3333")
    assert label.accessibleName() == "weight 0.3333333333"


def test_a_table_that_has_to_scroll_shows_the_head_of_the_cursor_and_whole_columns(
    uneven, open_dock, settle
):
    dock = open_dock(EntropyDock, 420, 640)
    table = dock.table
    uneven.point(head=3)
    look(uneven, settle, digits=17)
    left = table.columnViewportPosition(3)  # behind the ceiling and two heads
    assert 0 <= left <= table.viewport().width() - table.columnWidth(3)
    for width in (360, 500, 300):
        dock.resize(width, 640)
        settle()
        assert table.columnViewportPosition(table.columnAt(0)) == 0


# --- colours


@pytest.mark.parametrize("colours", WeightColours)
def test_colours_of_weights_are_the_published_ones(colours):
    table = weight_table(colours)
    published = mpl.colormaps[PUBLISHED[colours]](np.linspace(0, 1, 255))[:, :3]
    assert table.shape == (255, 3)
    assert table.dtype == np.uint8
    if colours is WeightColours.CIVIDIS:  # as first published; matplotlib's was smoothed later
        assert table[[0, -1]].tolist() == [[0x00, 0x20, 0x4D], [0xFF, 0xEA, 0x46]]
    else:
        assert np.abs(table - 255 * published).max() <= 2
    assert weight_table(colours) is table


@pytest.mark.parametrize("colours", WeightColours)
def test_a_choice_of_colours_reaches_heatmaps_and_their_bar(
    uneven, open_dock, settle, grabbed, colours
):
    dock = open_dock(HeatmapsDock, 900, 700)
    look(uneven, settle, weight_colours=colours)
    heatmap = dock.findChild(MatrixView, "heatmap1")
    for row, column in ((3, 0), (5, 2)):
        weight = uneven.frame.result.heads[0].weights[row, column]
        painted = colour_at(heatmap, heatmap.cell_rect(row, column), grabbed)
        assert painted == pytest.approx(weight_table(colours)[round(254 * weight)], abs=4)
    bar = dock.findChild(ColourBar)
    box = bar.bar_rect().toRect()
    middle = grabbed(bar)[box.center().y(), box.center().x()].astype(int)
    assert middle == pytest.approx(weight_table(colours)[127], abs=8)


@pytest.mark.parametrize("theme", [ThemeChoice.LIGHT, ThemeChoice.DARK])
@pytest.mark.parametrize("colours", SignedColours)
def test_a_choice_of_colours_reaches_scores_in_both_themes(
    uneven, open_dock, settle, grabbed, colours, theme
):
    apply_theme(theme)
    uneven.look(quantity=Quantity.SCORES)
    dock = open_dock(HeatmapsDock, 900, 700)
    look(uneven, settle, signed_colours=colours)
    heatmap = dock.findChild(MatrixView, "heatmap2")
    score = uneven.frame.result.heads[1].scores[3, 1]
    limit = dock.findChild(ColourBar).scale.high
    table = diverging_table(colours=colours, dark=theme is ThemeChoice.DARK)
    painted = colour_at(heatmap, heatmap.cell_rect(3, 1), grabbed)
    assert painted == pytest.approx(table[round((score / limit + 1) * 127)].astype(int), abs=8)


@pytest.mark.parametrize("kind", [FilterBankDock, OutputProjectionDock, WeightsDock, PipelineDock])
def test_every_signed_matrix_has_the_chosen_colours(uneven, open_dock, settle, kind):
    dock = open_dock(kind, 1000, 500)
    look(uneven, settle, signed_colours=SignedColours.GREEN_PINK, weight_colours=WeightColours.GREY)
    chosen = diverging_table(colours=SignedColours.GREEN_PINK)
    views = [view for view in dock.findChildren(MatrixView) if view.picture is not None]
    tables = [view.picture.table for view in views]
    keys = [key.scale.table for key in dock.findChildren(ColourKey) if key.scale]
    assert any(table is chosen for table in tables + keys)
    for table in tables + keys:
        assert table is chosen or table is weight_table(WeightColours.GREY)


def test_small_pictures_of_the_pipeline_have_them_too(uneven, open_dock, settle):
    dock = open_dock(PipelineDock, 700, 430)
    before = pictures_of_steps(dock)
    look(uneven, settle, signed_colours=SignedColours.PURPLE_ORANGE)
    signed = pictures_of_steps(dock)
    look(uneven, settle, weight_colours=WeightColours.MAGMA)
    both = pictures_of_steps(dock)
    changed = [a != b for a, b in zip(before, signed, strict=True)]
    assert changed == [stage != 5 for stage in range(8)]  # of the softmax come weights
    assert [a != b for a, b in zip(signed, both, strict=True)] == [not c for c in changed]


def pictures_of_steps(dock):
    return [button.picture for button in dock.steps.buttons]


@pytest.mark.parametrize("theme", [ThemeChoice.LIGHT, ThemeChoice.DARK])
def test_masked_cells_are_told_from_every_colour(shown_matrix, grabbed, theme):
    apply_theme(theme)
    levels, masked = np.arange(255).reshape(15, 17), (14, 16)
    seen = np.full(15, 17)
    seen[14] = 16
    tables = [weight_table(colours) for colours in WeightColours]
    for table in [*tables, *(diverging_table(colours=colours) for colours in SignedColours)]:
        view = shown_matrix(levels, (700, 600), table=table, seen=seen)
        pixels = grabbed(view)
        for row, column in (masked, (0, 0), (7, 7), (14, 15)):
            box = view.cell_rect(row, column).adjusted(3, 3, -3, -3)
            inside = pixels[box.top() : box.bottom(), box.left() : box.right()].reshape(-1, 3)
            shades = len(np.unique(inside, axis=0))
            assert shades > 1 if (row, column) == masked else shades == 1


def test_the_ablated_site_has_them(uneven, open_dock, settle):
    dock = open_dock(FilterBankDock, 1000, 500)
    dock.site_button.click()
    look(uneven, settle, digits=10, signed_colours=SignedColours.PURPLE_ORANGE)
    site = dock.findChild(AblationSite)
    assert site.before.view.picture.table is diverging_table(colours=SignedColours.PURPLE_ORANGE)
    change = np.abs(site.before.view.picture.values - uneven.frame.result.output).max()
    told = numbers_in(site.before.note.accessibleName())[-1]
    assert told == pytest.approx(change, rel=1e-8)
