"""The heatmaps: what they show of the lesson, in which colours, and of heads that come and go."""

import json
import math
from dataclasses import replace
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QComboBox, QRadioButton, QToolButton

from mhagui.document import ColourScale, Pattern, Quantity, load_lesson
from mhagui.document.edits import (
    AddHead,
    MoveHead,
    OpenScene,
    RemoveHead,
    SetSequenceLength,
    rename_head,
    set_gain,
    set_key_magnitude,
    set_muted,
    set_soloed,
)
from mhagui.document.new_scene import new_scene
from mhagui.gui.docks.heatmaps import HeatmapsDock
from mhagui.gui.theme import ThemeChoice, apply_theme
from mhagui.gui.widgets.colour_bar import ColourBar
from mhagui.gui.widgets.matrix_card import MatrixCard
from mhagui.gui.widgets.matrix_grid import MIN_SIDE, CardGrid
from mhagui.gui.widgets.matrix_view import MatrixView

EXPECTED = json.loads((Path(__file__).parents[1] / "data" / "expected.json").read_text())
WEIGHTS = np.array(EXPECTED["four_heads"]["attention"])
LOWER = [(row, column) for row in range(6) for column in range(row + 1)]
LEFT = Qt.MouseButton.LeftButton
KEY = Qt.Key


@pytest.fixture
def dock(open_dock):
    return open_dock(HeatmapsDock, 900, 700)


def view(dock, place):
    return dock.findChild(MatrixView, f"heatmap{place}")


def colour_in(dock, place, row, column, grabbed):
    """The colour of a cell just inside its corner, clear of its value and of the cursor."""
    heatmap = view(dock, place)
    box = heatmap.cell_rect(row, column)
    return grabbed(heatmap)[box.top() + 4, box.left() + 4].astype(int)


def published(name, fraction):
    """A colour of a published colour map, by matplotlib, as 0..255."""
    return 255 * np.array(mpl.colormaps[name](float(fraction))[:3])


def shown_places(dock):
    return [
        int(heatmap.objectName().removeprefix("heatmap"))
        for heatmap in dock.findChildren(MatrixView)
        if heatmap.isVisible()
    ]


# --- the numbers of the lesson


@pytest.mark.parametrize("place", [1, 2, 3, 4])
def test_weights_of_the_lesson_are_painted_in_viridis(dock, grabbed, place):
    for row, column in LOWER:
        painted = colour_in(dock, place, row, column, grabbed)
        expected = published("viridis", WEIGHTS[place - 1, row, column])
        assert painted == pytest.approx(expected, abs=3), (row, column)


def test_weights_follow_a_gain(dock, bench, settle, grabbed):
    bench.edit(set_gain(1, 2.0))
    settle()
    # the lesson's key margin 3/√2, doubled: row 2 is a softmax of (2·3/√2, 0)
    first = 1 / (1 + math.exp(-2 * 3 / math.sqrt(2)))
    painted = colour_in(dock, 1, 1, 0, grabbed)
    assert painted == pytest.approx(published("viridis", first), abs=4)


def test_scores_are_painted_around_zero(dock, bench, settle, grabbed):
    bench.look(quantity=Quantity.SCORES)
    settle()
    limit = 9 / math.sqrt(2)
    expected = published("RdBu_r", (3 / math.sqrt(2) / limit + 1) / 2)
    assert colour_in(dock, 1, 5, 0, grabbed) == pytest.approx(expected, abs=4)
    assert colour_in(dock, 4, 2, 1, grabbed) == pytest.approx(published("RdBu_r", 0.5), abs=4)
    assert colour_in(dock, 3, 4, 4, grabbed) == pytest.approx(published("RdBu_r", 1.0), abs=4)


def test_logarithmic_colours(dock, bench, settle, grabbed):
    bench.look(colour_scale=ColourScale.LOGARITHMIC)
    settle()
    fraction = 1 + math.log10(WEIGHTS[1, 4, 1]) / 6  # floor 1e-6
    painted = colour_in(dock, 2, 4, 1, grabbed)
    assert painted == pytest.approx(published("viridis", fraction), abs=4)


def offer(dock):
    return dock.findChild(QToolButton, "offerScale")


def test_a_scene_that_looks_black_is_offered_the_logarithmic_scale(dock, bench, settle, qtbot):
    assert not offer(dock).isVisible()  # the lesson's heads can be seen
    bench.open(new_scene(1024, 8, 2, 2, 16))
    qtbot.waitUntil(offer(dock).isVisible)
    assert bench.view.colour_scale is ColourScale.LINEAR  # nothing is done unasked
    qtbot.mouseClick(offer(dock), LEFT)
    assert bench.view.colour_scale is ColourScale.LOGARITHMIC
    qtbot.waitUntil(lambda: not offer(dock).isVisible())
    assert dock.focusWidget() is view(dock, 1)


def test_the_offer_is_of_the_head_that_is_shown_alone(dock, bench, settle):
    scene = new_scene(256, 4, 2, 2, 8)
    sharp = [replace(head, key_magnitude=100.0) if head.uid == 1 else head for head in scene.heads]
    bench.open(replace(scene, heads=tuple(sharp)))
    for uid, is_dark in ((1, False), (4, True)):
        bench.look(enlarged=uid)
        settle()
        assert offer(dock).isVisible() is is_dark


@pytest.mark.parametrize(
    "looks", [{"colour_scale": ColourScale.RELATIVE}, {"quantity": Quantity.SCORES}]
)
def test_scales_that_show_small_weights_are_offered_no_other(dock, bench, settle, looks):
    bench.open(new_scene(64, 2, 2, 2, 4))
    bench.look(**looks)
    settle()
    assert not offer(dock).isVisible()
    bench.look(quantity=Quantity.WEIGHTS, colour_scale=ColourScale.LINEAR_TO_MAX)
    settle()
    # of two heads both would have to be black: the first key keeps 0.12 of row 64
    assert not offer(dock).isVisible()


def test_scores_of_a_loud_head_leave_the_others_a_scale_of_their_own(
    dock, bench, settle, qtbot, grabbed
):
    bench.edit(set_key_magnitude(1, 300.0))
    bench.look(quantity=Quantity.SCORES)
    settle()
    assert colour_in(dock, 3, 4, 4, grabbed) == pytest.approx(published("RdBu_r", 0.5), abs=8)
    assert offer(dock).isVisible()
    assert "own" in offer(dock).text().lower()
    qtbot.mouseClick(offer(dock), LEFT)
    settle()
    assert not offer(dock).isVisible()
    ends = [card.view.picture.high for card in dock.findChildren(MatrixCard)]
    largest = 300 / math.sqrt(2), 9 / math.sqrt(2), 9 / math.sqrt(2), 1.0  # of nothing but zeros
    assert ends == pytest.approx(largest)
    assert colour_in(dock, 3, 4, 4, grabbed) == pytest.approx(published("RdBu_r", 1.0), abs=4)
    bar = dock.findChild(ColourBar)
    assert bar.scale.high == pytest.approx(300 / math.sqrt(2))
    bench.point(head=3)
    settle()
    assert bar.scale.high == pytest.approx(9 / math.sqrt(2))
    assert "h3" in bar.scale.caption


def test_the_choice_of_scales_is_that_of_what_is_shown(dock, bench, settle, qtbot):
    box = dock.findChild(QComboBox, "colourScale")
    bench.look(quantity=Quantity.SCORES)
    settle()
    assert [box.itemText(at) for at in range(box.count())] == [
        "one scale", "each its own",
    ]  # fmt: skip
    box.setFocus()
    qtbot.keyClick(box, KEY.Key_Down)
    assert bench.view.own_scales
    bench.look(quantity=Quantity.WEIGHTS)
    settle()
    assert box.currentText() == ColourScale.LINEAR
    assert box.count() == len(ColourScale)


@pytest.mark.parametrize("width", [400, 480, 640, 900])
def test_the_offer_has_words_in_the_room_there_is(dock, bench, settle, width):
    bench.open(new_scene(256, 8, 2, 2, 16))
    dock.resize(width, 500)
    settle()
    button = offer(dock)
    assert button.text() in ("Most rows look black: logarithmic", "Show logarithmic", "log")
    assert button.width() >= button.minimumSizeHint().width()
    assert button.geometry().right() < dock.width()


def test_colours_relative_to_uniform(dock, bench, settle, grabbed):
    bench.look(colour_scale=ColourScale.RELATIVE)
    settle()
    fraction = (1 + math.log(4 * WEIGHTS[0, 3, 0]) / math.log(6)) / 2
    painted = colour_in(dock, 1, 3, 0, grabbed)
    assert painted == pytest.approx(published("RdBu_r", fraction), abs=4)
    assert colour_in(dock, 4, 5, 2, grabbed) == pytest.approx(published("RdBu_r", 0.5), abs=4)


def test_masked_cells_look_like_no_weight(dock, grabbed):
    pixels = grabbed(view(dock, 2))
    box = view(dock, 2).cell_rect(0, 5).adjusted(3, 3, -3, -3)
    masked = pixels[box.top() : box.bottom(), box.left() : box.right()].reshape(-1, 3)
    assert len(np.unique(masked, axis=0)) == 2  # ground and hatching
    assert colour_in(dock, 2, 4, 0, grabbed).max() < 100 < masked.min()  # a zero weight


# --- colour bar and controls


def test_one_colour_bar_states_the_scale(dock, bench, settle):
    (bar,) = dock.findChildren(ColourBar)
    assert bar.scale.caption == "weight A, linear, 0 to 1"
    for scale, words in (
        (ColourScale.LINEAR_TO_MAX, "linear, 0 to max"),
        (ColourScale.LOGARITHMIC, "logarithmic, floor 1e−6"),
        (ColourScale.RELATIVE, "relative to uniform"),
    ):
        bench.look(colour_scale=scale)
        settle()
        assert words in bar.scale.caption
    bench.look(quantity=Quantity.SCORES)
    settle()
    assert "score S (no gain)" in bar.scale.caption


def test_switch_shows_scores_and_weights(dock, bench, qtbot, settle):
    scores, weights = (dock.findChild(QRadioButton, f"show{q}") for q in ("Scores", "Weights"))
    qtbot.mouseClick(scores, LEFT)
    assert bench.view.quantity is Quantity.SCORES
    settle()
    assert dock.findChild(QComboBox, "colourScale").currentText() == "one scale"
    scores.setFocus()
    qtbot.keyClick(scores, KEY.Key_Left)
    assert bench.view.quantity is Quantity.WEIGHTS
    settle()
    assert weights.isChecked()


def test_scale_is_chosen_by_keyboard_and_followed(dock, bench, qtbot, settle):
    chooser = dock.findChild(QComboBox, "colourScale")
    chooser.setFocus()
    qtbot.keyClick(chooser, KEY.Key_Down)
    assert bench.view.colour_scale is ColourScale.LINEAR_TO_MAX
    bench.look(colour_scale=ColourScale.RELATIVE)
    settle()
    assert chooser.currentText() == ColourScale.RELATIVE.value


def test_every_control_says_what_it_is(dock):
    controls = [*dock.findChildren(QRadioButton), *dock.findChildren(QComboBox)]
    for card in dock.findChildren(MatrixCard):
        controls += [card.button, card.view]
        assert "rows are query positions" in card.title.toolTip()  # none is over the cells
    assert len(controls) == 2 + 1 + 4 + 4
    assert all(control.accessibleName() and control.toolTip() for control in controls)
    assert view(dock, 2).accessibleName() == "Weights A of head 2, previous token"


# --- heads that come and go


def test_cards_follow_the_order_of_the_heads(dock, bench, settle):
    bench.edit(MoveHead(4, 0))
    settle()
    cards = dock.findChildren(MatrixCard)
    assert [card.uid for card in cards] == [4, 1, 2, 3]
    assert cards[0].title.accessibleName() == "h1 uniform"
    assert view(dock, 1).picture.values is bench.frame.result.heads[0].weights


def test_muted_head_is_dimmed_and_says_so(dock, bench, settle, grabbed):
    before = colour_in(dock, 3, 0, 0, grabbed)
    bench.edit(set_muted(3, True))
    settle()
    card = view(dock, 3).parentWidget()
    assert "muted" in card.title.accessibleName()
    faded = colour_in(dock, 3, 0, 0, grabbed)
    assert np.abs(faded - 255).sum() < np.abs(before - 255).sum()
    bench.edit(set_muted(3, False))
    settle()
    assert (colour_in(dock, 3, 0, 0, grabbed) == before).all()


def test_what_mute_and_solo_make_of_a_head_is_never_cut(dock, bench, settle):
    bench.edit(set_muted(3, True))
    bench.edit(set_soloed(2, True))
    settle()
    titles = [card.title for card in dock.findChildren(MatrixCard)]
    assert [title.standing_in(200) for title in titles[1:3]] == ["soloed", "muted"]
    assert [title.standing_in(20) for title in titles[:3]] == ["", "S", "M"]


def test_a_solo_silences_the_others_and_says_so(dock, bench, settle):
    bench.edit(set_muted(1, True))
    bench.edit(set_soloed(2, True))
    settle()
    cards = dock.findChildren(MatrixCard)
    assert [card.title.accessibleName() for card in cards] == [
        "h1 first token, muted: it does not reach W_O",
        "h2 previous token, soloed",
        "h3 self, another head is soloed: this one does not reach W_O",
        "h4 uniform, another head is soloed: this one does not reach W_O",
    ]
    assert "muted" not in cards[2].title.toolTip()
    bench.edit(set_muted(1, False))
    settle()
    assert "muted" not in cards[0].title.accessibleName()


def test_renamed_head(dock, bench, settle):
    bench.edit(rename_head(1, "hold"))
    settle()
    assert view(dock, 1).parentWidget().title.accessibleName() == "h1 hold"
    assert "hold" in view(dock, 1).accessibleName()


def test_32_heads_scroll_and_go_without_leaks(dock, bench, settle, qapp):
    dock.resize(420, 300)
    for number in range(28):
        bench.edit(AddHead(list(Pattern)[number % 4]))
    settle()
    grid = dock.findChild(CardGrid)
    assert len(dock.findChildren(MatrixView)) == 32
    assert grid.verticalScrollBar().isVisible()
    assert all(card.width() >= MIN_SIDE for card in grid.cards)
    for uid in range(5, 33):
        bench.edit(RemoveHead(uid))
    settle()
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert len(dock.findChildren(MatrixView)) == 4
    assert not grid.verticalScrollBar().isVisible()


def test_one_head_fills_the_dock(dock, bench, settle):
    for uid in (2, 3, 4):
        bench.edit(RemoveHead(uid))
    settle()
    assert shown_places(dock) == [1]
    assert view(dock, 1).height() > 0.8 * dock.findChild(CardGrid).height()


@pytest.mark.parametrize("n_positions", [1, 2, 1024])
def test_other_sequence_lengths(dock, bench, qtbot, grabbed, n_positions):
    bench.edit(SetSequenceLength(n_positions))
    qtbot.waitUntil(lambda: view(dock, 1).picture.shape == (n_positions, n_positions))
    pixels = grabbed(view(dock, 1)).reshape(-1, 3).astype(int)
    # the first row of weights is 1, in the brightest colour, however small its cell
    assert (np.abs(pixels - published("viridis", 1.0)).max(axis=1) < 4).any()


def test_another_scene(dock, bench, settle):
    bench.edit(OpenScene(load_lesson("two-heads")))
    settle()
    assert shown_places(dock) == [1, 2]


# --- drawing no more than needed


@pytest.fixture
def paints(dock, qtbot):
    """How often each heatmap was painted, by object name."""

    class Counter(QObject):
        def __init__(self):
            super().__init__(dock)
            self.names = []

        def eventFilter(self, watched, event):  # noqa: N802 - Qt's name
            if event.type() == QEvent.Type.Paint:
                self.names.append(watched.objectName())
            return False

    counter = Counter()
    for heatmap in dock.findChildren(MatrixView):
        heatmap.installEventFilter(counter)
    dock.update()
    qtbot.waitUntil(lambda: "heatmap1" in counter.names)  # what was to be painted before is painted
    counter.names.clear()
    return counter.names


def test_a_gain_repaints_its_head_alone(bench, paints, qtbot):
    gesture = object()
    for step in range(1, 5):
        bench.edit(set_gain(2, 1.0 + step / 10), gesture)
        qtbot.waitUntil(lambda so_far=step: len(paints) >= so_far)
    assert set(paints) == {"heatmap2"}


def test_a_hidden_head_is_not_pictured(dock, bench, settle):
    bench.look(enlarged=1)
    settle()
    old = view(dock, 2).picture
    bench.edit(set_gain(2, 2.0))
    settle()
    assert view(dock, 2).picture is old
    bench.look(enlarged=None)
    settle()
    assert view(dock, 2).picture.values is bench.frame.result.heads[1].weights


def test_change_of_theme_repaints_all(qapp, dock, settle, grabbed):
    light = [grabbed(view(dock, place))[1, 1].mean() for place in (1, 2, 3, 4)]
    apply_theme(ThemeChoice.DARK)
    settle()
    corner = view(dock, 1).parentWidget()
    assert grabbed(corner)[40, 5].mean() < 80
    assert colour_in(dock, 1, 0, 5, grabbed).max() < 120
    apply_theme(ThemeChoice.LIGHT)
    settle()
    assert [grabbed(view(dock, place))[1, 1].mean() for place in (1, 2, 3, 4)] == light
