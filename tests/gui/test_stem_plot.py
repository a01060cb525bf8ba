from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QColor, QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip

from mhagui.gui.theme import ThemeChoice, apply_theme, theme_of
from mhagui.gui.widgets.stem_plot import StemPlot, Stems

BLUE = QColor("#0072b2")
LEFT = Qt.MouseButton.LeftButton
KEY = Qt.Key


@pytest.fixture
def plot(qtbot):
    plot = StemPlot()
    plot.resize(300, 120)
    qtbot.addWidget(plot)
    plot.show()
    plot.set_stems(stems([0.1, 0.2, 0.6, 0.1], [0, 0, 1, 0], 6))
    plot.set_key(2, is_current=False)
    return plot


def stems(taps, ideal, n_positions, *, dimmed=False):
    ideal = None if ideal is None else np.array(ideal, dtype=float)
    return Stems(np.array(taps, dtype=float), ideal, n_positions, BLUE, dimmed)


def rgb(colour):
    return [colour.red(), colour.green(), colour.blue()]


def column(plot, grabbed, x):
    """Colours of one column of the plot, from its bottom up to 1."""
    area = plot.area
    picture = grabbed(plot)
    bottom, top = round(area.bottom()), round(area.top())
    return picture[top:bottom, round(x)][::-1]


def share(pixels, colour, tolerance=12):
    return (np.abs(pixels.astype(int) - rgb(colour)).max(axis=1) <= tolerance).mean()


def middle(plot, key):
    return plot.x_of(key)


def test_stems_are_as_high_as_the_weights(plot, grabbed):
    for key, tap in enumerate([0.1, 0.2, 0.6, 0.1]):
        found = share(column(plot, grabbed, middle(plot, key) - 0.5), BLUE)
        assert found == pytest.approx(tap, abs=4 / plot.area.height())  # the dot's radius


def test_the_ideal_stands_behind_the_stem(plot, grabbed):
    hatch = theme_of(plot.palette()).hatch
    beside = {key: share(column(plot, grabbed, middle(plot, key) - 8), hatch) for key in range(4)}
    assert beside[2] > 0.9
    assert beside[0] == beside[1] == beside[3] == 0
    plot.set_stems(stems([0.1, 0.2, 0.6, 0.1], None, 6))
    assert share(column(plot, grabbed, middle(plot, 2) - 8), hatch) == 0


def test_keys_behind_t_are_hatched_like_masked_cells(plot, grabbed):
    theme = theme_of(plot.palette())
    masked = column(plot, grabbed, middle(plot, 4))
    assert share(masked, theme.mask, 0) + share(masked, theme.hatch, 0) > 0.9
    assert share(masked, theme.hatch, 0) > 0.1
    plot.set_stems(stems([1 / 6] * 6, None, 6))
    assert share(column(plot, grabbed, middle(plot, 4) + 8), theme.plot, 0) > 0.9


def test_a_click_and_a_drag_point_at_keys(qtbot, plot):
    asked = []
    plot.pointed.connect(lambda row, key: asked.append((row, key)))
    y = plot.height() // 2
    qtbot.mousePress(plot, LEFT, pos=QPoint(round(middle(plot, 1)), y))
    qtbot.mouseMove(plot, QPoint(round(middle(plot, 4)), y))
    qtbot.mouseRelease(plot, LEFT, pos=QPoint(round(middle(plot, 4)), y))
    qtbot.mouseClick(plot, LEFT, pos=QPoint(0, y))
    assert asked[0] == (3, 1)
    assert asked[-2:] == [(3, 4), (3, 0)]
    qtbot.mouseClick(plot, Qt.MouseButton.RightButton, pos=QPoint(0, y))
    assert asked[-2:] == [(3, 4), (3, 0)]


@pytest.mark.parametrize(
    ("key", "wanted"),
    [
        (KEY.Key_Left, (3, 1)), (KEY.Key_Right, (3, 3)), (KEY.Key_Home, (3, 0)),
        (KEY.Key_End, (3, 5)), (KEY.Key_Up, (2, 2)), (KEY.Key_Down, (4, 2)),
        (KEY.Key_PageUp, (0, 2)),
    ],
)  # fmt: skip
def test_keys_move_as_in_a_heatmap(qtbot, plot, key, wanted):
    with qtbot.waitSignal(plot.pointed) as asked:
        qtbot.keyClick(plot, key)
    assert tuple(asked.args) == wanted
    assert plot.key == 2  # it waits to be told


def test_a_lone_tap_among_thousands_is_seen(plot, grabbed):
    taps, n = np.zeros(3000), 4096
    taps[1234], ideal = 0.8, np.zeros(3000)
    ideal[2999] = 1.0
    plot.set_stems(stems(taps, ideal, n))
    x = int(middle(plot, 1234))
    assert share(column(plot, grabbed, x), BLUE) == pytest.approx(0.8, abs=0.03)
    assert share(column(plot, grabbed, x - 3), BLUE) < 0.03
    hatch = theme_of(plot.palette()).hatch
    assert share(column(plot, grabbed, int(middle(plot, 2999))), hatch) > 0.95


def test_a_growing_box_never_vanishes(plot, grabbed):
    n = 4096
    plot.set_stems(stems(np.full(n, 1 / n), np.full(n, 1 / n), n))
    lowest = grabbed(plot)[round(plot.area.bottom()) - 1]
    inside = lowest[round(plot.area.left()) : round(plot.area.right())]
    assert share(inside, BLUE) == 1


@pytest.mark.parametrize("n", [1, 2, 6, 70, 300, 4096])
@pytest.mark.parametrize("width", [120, 300, 900])
def test_labels_of_keys_stand_apart_and_inside(plot, n, width):
    plot.resize(width, 120)
    plot.set_stems(stems(np.full(n, 1 / n), None, n))
    labels = list(plot._key_labels(plot._metrics(), plot.area))
    assert labels[0][0] == "t1"
    assert len(labels) >= min(n, 2)
    for (_, one), (_, other) in pairwise(labels):
        assert one.right() + 2 <= other.left()
    assert labels[-1][1].right() <= width
    assert labels[-1][1].bottom() <= plot.height()


def test_a_dimmed_head_is_dashed_with_hollow_dots_and_as_strong(plot, grabbed):
    drawn = {}
    for dimmed in (False, True):
        plot.set_stems(stems([0.1, 0.2, 0.6, 0.1], None, 6, dimmed=dimmed))
        drawn[dimmed] = share(column(plot, grabbed, middle(plot, 2) - 0.5), BLUE)
    assert 0.3 * drawn[False] < drawn[True] < 0.9 * drawn[False]


def test_the_key_is_marked_below_and_covers_nothing(plot, grabbed):
    cursor = theme_of(plot.palette()).cursor
    below = grabbed(plot)[round(plot.area.bottom()) + 5]
    (marked,) = np.nonzero(np.abs(below.astype(int) - rgb(cursor)).max(axis=1) < 12)
    assert marked.mean() == pytest.approx(middle(plot, 2), abs=1.5)
    inside = grabbed(plot)[: round(plot.area.bottom())].reshape(-1, 3)
    assert share(inside, cursor) == 0


def test_what_is_at_a_key_is_said(qtbot, plot):
    assert plot.accessibleDescription() == "t3: weight 0.6000, ideal 1"
    plot.set_key(5, is_current=True)
    assert plot.accessibleDescription() == "t6: masked at t4"
    place = QPoint(round(middle(plot, 1)), 40)
    event = QHelpEvent(QEvent.Type.ToolTip, place, plot.mapToGlobal(place))
    QApplication.sendEvent(plot, event)
    assert "<img" in QToolTip.text()  # the formula
    assert "t2: weight 0.2000, ideal 0" in QToolTip.text()
    QToolTip.hideText()


def test_focus_is_seen(qtbot, plot, grabbed):
    def has_frame():
        left = grabbed(plot)[:, 0]
        return share(left, plot.palette().highlight().color()) > 0.9

    plot.activateWindow()
    plot.setFocus()
    qtbot.waitUntil(plot.hasFocus)
    assert has_frame()
    plot.clearFocus()
    assert not has_frame()


def test_light_and_dark(plot, grabbed):
    def ground():
        return column(plot, grabbed, middle(plot, 0) - 12)[-4].tolist()

    assert ground() == rgb(theme_of(plot.palette()).plot)
    light = ground()
    apply_theme(ThemeChoice.DARK)
    QApplication.processEvents()
    assert ground() == rgb(theme_of(plot.palette()).plot) != light
