import math
import subprocess
import sys
from threading import Event

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QFontMetrics, QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel, QPushButton

from mhagui import core
from mhagui.document import Pattern
from mhagui.document.edits import (
    AddHead,
    SetMasterGain,
    SetSequenceLength,
    set_gain,
    set_key_magnitude,
    set_muted,
)
from mhagui.gui.docks.rank import RankDock
from mhagui.gui.theme import ThemeChoice, apply_theme, theme_of
from mhagui.gui.widgets.curve_plot import CurvePlot
from mhagui.gui.widgets.number_table import DIMMED_ROLE, NumberTable

LEFT = Qt.MouseButton.LeftButton
ROLE = Qt.ItemDataRole
ACROSS, DOWN = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
HEADS = ["h1", "h2", "h3", "h4"]


@pytest.fixture
def dock(qtbot, bench):
    dock = RankDock(bench)
    qtbot.addWidget(dock)
    dock.resize(300, 700)
    with qtbot.waitExposed(dock):
        dock.show()
    QApplication.processEvents()
    return dock


def table_of(dock, name) -> NumberTable:
    return dock.findChild(NumberTable, name)


def labels(dock, name, orientation):
    model = table_of(dock, name).model()
    count = model.columnCount() if orientation == ACROSS else model.rowCount()
    return [model.headerData(number, orientation) for number in range(count)]


def row_of(dock, name, row, role=ROLE.EditRole):
    model = table_of(dock, name).model()
    number = labels(dock, name, DOWN).index(row)
    return [model.index(number, column).data(role) for column in range(model.columnCount())]


def effective(dock, role=ROLE.EditRole):
    return row_of(dock, "effectiveRankTable", "eff. rank", role)


def curves(dock):
    return [line.getData()[1] for line in dock.findChild(CurvePlot, "spectrumPlot").lines]


def words(dock):
    """All that the dock says, with plain spaces."""
    return "\n".join(label.text() for label in dock.findChildren(QLabel)).replace("\xa0", " ")


def button_of(dock) -> QPushButton:
    return dock.findChild(QPushButton, "computeRankButton")


def entropy_rank(matrix):
    """Roy and Vetterli's effective rank, by its definition."""
    shares = np.linalg.svd(matrix, compute_uv=False)
    shares = shares[shares > 0] / shares.sum()
    return math.exp(-(shares * np.log(shares)).sum())


def test_the_lessons_score_ranks(dock):
    assert row_of(dock, "rankTable", "rank") == [1, 2, 2, 0]
    assert row_of(dock, "rankTable", "rank", ROLE.DisplayRole) == ["1", "2", "2", "0"]


def test_singular_values_of_the_scores(dock):
    # The first-token head is 3 times a column of ones; points on a circle share 9 · T evenly.
    assert row_of(dock, "rankTable", "σ1") == pytest.approx([3 * math.sqrt(6), 27, 27, 0])
    assert row_of(dock, "rankTable", "σ2") == pytest.approx([0, 27, 27, 0], abs=1e-12)
    shown = row_of(dock, "rankTable", "σ1", ROLE.DisplayRole)
    assert shown == ["7.348", "27.00", "27.00", "0.000"]


def test_a_gain_does_not_change_what_belongs_to_the_scores(qtbot, bench, dock):
    before = row_of(dock, "rankTable", "σ1")
    bench.edit(set_gain(1, 4.0))
    qtbot.waitUntil(lambda: effective(dock)[0] == pytest.approx(1.0, abs=5e-3))
    assert row_of(dock, "rankTable", "σ1") == before
    assert row_of(dock, "rankTable", "rank") == [1, 2, 2, 0]
    assert "no gain moves them" in words(dock)


def test_a_key_magnitude_does_change_it(qtbot, bench, dock):
    bench.edit(set_key_magnitude(1, 6.0))
    qtbot.waitUntil(lambda: row_of(dock, "rankTable", "σ1")[0] == pytest.approx(6 * math.sqrt(6)))


@pytest.mark.parametrize(("gain", "rank"), [(0.5, 3.27), (1.0, 2.11), (2.0, 1.18), (4.0, 1.00)])
def test_a_gain_changes_the_effective_rank(qtbot, bench, dock, gain, rank):
    bench.edit(set_gain(1, gain))
    qtbot.waitUntil(lambda: effective(dock)[0] == pytest.approx(rank, abs=5e-3))
    assert effective(dock)[0] == pytest.approx(entropy_rank(bench.frame.result.heads[0].weights))


def test_the_singular_values_of_the_weights_are_drawn_and_follow(qtbot, bench, dock):
    drag = object()
    for gain in (1.2, 1.4, 1.6):
        bench.edit(set_gain(2, gain), gesture=drag)
    frame = bench.frame
    wanted = [np.linalg.svd(head.weights, compute_uv=False) for head in frame.result.heads]
    qtbot.waitUntil(lambda: np.allclose(curves(dock), wanted))


def test_the_scale_of_the_curves_does_not_move(qtbot, bench, dock):
    box = dock.findChild(CurvePlot, "spectrumPlot").box
    before = box.viewRange()
    assert before[1][1] > math.sqrt(6)
    bench.edit(set_gain(1, 4.0))
    qtbot.waitUntil(lambda: curves(dock)[0][0] > 2.4)
    assert box.viewRange() == before


def test_a_hidden_dock_decomposes_nothing_that_costs(qtbot, bench, dock):
    bench.edit(SetSequenceLength(100))
    dock.hide()
    bench.edit(set_gain(1, 2.0))
    with qtbot.waitSignal(bench.shown):
        pass
    assert not bench.frame.result.heads[0].weight_spectrum.is_known
    dock.show()
    singular = np.linalg.svd(bench.frame.result.heads[0].weights, compute_uv=False)
    shares = singular / singular.sum()
    assert effective(dock)[0] == pytest.approx(np.exp(-np.sum(shares * np.log(shares))), abs=1e-9)


def test_a_hidden_dock_keeps_its_score_ranks_up_to_date(qtbot, bench, dock):
    dock.hide()
    bench.edit(AddHead(Pattern.PREVIOUS_TOKEN))
    qtbot.waitUntil(lambda: row_of(dock, "rankTable", "rank") == [1, 2, 2, 0, 2])


def test_long_sequences_are_decomposed_on_demand(qtbot, bench, dock):
    bench.edit(SetSequenceLength(300))
    button = button_of(dock)
    qtbot.waitUntil(button.isVisible)
    assert effective(dock, ROLE.DisplayRole) == ["–"] * 4
    assert "4 decompositions of 300 × 300" in words(dock)
    assert "not live above T = 256" in words(dock)
    qtbot.mouseClick(button, LEFT)
    plot = dock.findChild(CurvePlot, "spectrumPlot")
    qtbot.waitUntil(plot.isVisible, timeout=30_000)
    weights = [head.weights for head in bench.frame.result.heads]
    assert effective(dock) == pytest.approx([entropy_rank(a) for a in weights])
    wanted = [np.linalg.svd(a, compute_uv=False) for a in weights]
    assert np.allclose(curves(dock), wanted)


def test_what_was_computed_on_demand_goes_with_its_weights(qtbot, bench, dock):
    bench.edit(SetSequenceLength(260))
    button = button_of(dock)
    qtbot.waitUntil(button.isVisible)
    qtbot.mouseClick(button, LEFT)
    qtbot.waitUntil(lambda: not button.isVisible(), timeout=30_000)
    kept = effective(dock)
    bench.edit(set_gain(2, 1.5))
    qtbot.waitUntil(button.isVisible)
    assert button.isEnabled()
    assert effective(dock, ROLE.DisplayRole)[1] == "–"
    assert effective(dock)[2] == kept[2]
    assert "one decomposition" in words(dock)
    bench.edit(SetSequenceLength(6))
    qtbot.waitUntil(lambda: not button.isVisible())
    assert effective(dock)[0] == pytest.approx(2.11, abs=5e-3)


def test_a_computation_that_was_overtaken_is_not_shown(qtbot, bench, dock):
    bench.edit(SetSequenceLength(260))
    button = button_of(dock)
    qtbot.waitUntil(button.isVisible)
    qtbot.mouseClick(button, LEFT)
    qtbot.waitUntil(lambda: "to go" in button.text())
    bench.edit(SetSequenceLength(6))
    qtbot.waitUntil(lambda: not button.isVisible())
    assert effective(dock)[0] == pytest.approx(2.11, abs=5e-3)
    assert not any(timer.isActive() for timer in dock.findChildren(QTimer))


@pytest.fixture
def slow(monkeypatch):
    """Decompositions that end when the test says so."""
    may_end = Event()
    decompose = core.singular_values

    def wait(weights):
        assert may_end.wait(30)
        return decompose(weights)

    monkeypatch.setattr(core, "singular_values", wait)
    yield may_end
    may_end.set()


def test_an_edit_that_leaves_the_weights_alone_leaves_the_computation_alone(
    qtbot, bench, dock, slow
):
    bench.edit(SetSequenceLength(260))
    button = button_of(dock)
    qtbot.waitUntil(button.isVisible)
    qtbot.mouseClick(button, LEFT)
    assert "4 to go" in button.text()
    bench.edit(set_muted(2, True))
    model = table_of(dock, "rankTable").model()
    qtbot.waitUntil(lambda: model.headerData(1, ACROSS, DIMMED_ROLE))
    assert "4 to go" in button.text()
    slow.set()
    qtbot.waitUntil(lambda: not button.isVisible(), timeout=30_000)


@pytest.mark.parametrize("by", ["mouse", "key"])
def test_it_can_be_cancelled_and_begun_again(qtbot, bench, dock, slow, by):
    bench.edit(SetSequenceLength(260))
    button = button_of(dock)
    qtbot.waitUntil(button.isVisible)
    qtbot.mouseClick(button, LEFT)
    assert button.text() == "Cancel (4 to go)"
    if by == "mouse":
        qtbot.mouseClick(button, LEFT)
    else:
        button.setFocus()
        qtbot.keyClick(button, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: button.text() == "Compute")
    assert dock._awaited == []
    slow.set()
    qtbot.mouseClick(button, LEFT)
    qtbot.waitUntil(lambda: not button.isVisible(), timeout=30_000)


def test_a_result_for_weights_no_longer_shown_is_ignored(qtbot, bench, dock, slow):
    bench.edit(SetSequenceLength(260))
    button = button_of(dock)
    qtbot.waitUntil(button.isVisible)
    qtbot.mouseClick(button, LEFT)
    asked = [head.weight_spectrum for head in bench.frame.result.heads]
    bench.edit(SetMasterGain(2.0))
    qtbot.waitUntil(lambda: button.text() == "Compute")
    slow.set()
    qtbot.waitUntil(lambda: asked[0].is_known, timeout=30_000)
    assert button.isVisible()
    assert button.text() == "Compute"
    assert effective(dock, ROLE.DisplayRole) == ["–"] * 4


def test_a_decomposition_that_fails_can_be_asked_for_again(qtbot, bench, dock, monkeypatch):
    bench.edit(SetSequenceLength(260))
    button = button_of(dock)
    qtbot.waitUntil(button.isVisible)

    def fail(weights):
        raise np.linalg.LinAlgError("did not converge")

    with monkeypatch.context() as patched, qtbot.captureExceptions() as faults:
        patched.setattr(core, "singular_values", fail)
        qtbot.mouseClick(button, LEFT)
        assert "4 to go" in button.text()
        qtbot.waitUntil(lambda: button.text() == "Compute")
    assert [kind for kind, *_ in faults] == [np.linalg.LinAlgError]
    assert button.text() == "Compute"
    qtbot.mouseClick(button, LEFT)
    qtbot.waitUntil(lambda: not button.isVisible(), timeout=30_000)


CLOSED_WHILE_COMPUTING = """
import sys, time
from PySide6.QtWidgets import QApplication
from mhagui import core
from mhagui.document import load_lesson
from mhagui.document.edits import SetSequenceLength
from mhagui.gui.bench import Bench

app = QApplication([])
from mhagui.gui.docks.rank import RankDock

core.singular_values = lambda weights: time.sleep(60)
bench = Bench(load_lesson("four-heads"))
bench.edit(SetSequenceLength(300))
dock = RankDock(bench)
dock.show()
app.processEvents()
dock._spectrum.button.click()
assert "to go" in dock._spectrum.button.text()
dock.close()
bench.stop()
"""


def test_closing_does_not_wait_for_a_decomposition_and_leaves_nothing_behind():
    done = subprocess.run(
        [sys.executable, "-c", CLOSED_WHILE_COMPUTING],
        capture_output=True, text=True, timeout=30, check=False,
    )  # fmt: skip
    said = [line for line in done.stderr.splitlines() if "propagateSizeHints" not in line]
    assert (done.returncode, said) == (0, [])


def marked(table):
    """The columns whose labels are filled with their heads' colours."""
    header = table.horizontalHeader()
    image = header.grab().toImage()
    xs = [header.sectionViewportPosition(column) + 6 for column in range(4)]
    shades = [image.pixelColor(x, image.height() // 2).hslSaturation() for x in xs]
    return [HEADS[column] for column, shade in enumerate(shades) if shade > 60]


@pytest.mark.parametrize("name", ["rankTable", "effectiveRankTable"])
def test_the_head_of_the_cursor_is_marked(qtbot, bench, dock, name):
    assert marked(table_of(dock, name)) == ["h1"]
    bench.point(head=4)
    qtbot.waitUntil(lambda: marked(table_of(dock, name)) == ["h4"])


def test_the_limit_of_what_is_live(qtbot, bench, dock):
    bench.edit(SetSequenceLength(256))
    qtbot.waitUntil(lambda: len(curves(dock)[0]) == 256, timeout=30_000)
    assert not button_of(dock).isVisible()


def test_parameters_of_the_lessons_width(dock):
    assert "4·d² = 4 · 8² = 256" in words(dock)
    assert row_of(dock, "parameterTable", "parameters", ROLE.DisplayRole) == [
        "64", "64", "64", "64", "256",
    ]  # fmt: skip


def test_parameters_in_general(qtbot, bench, dock):
    bench.edit(AddHead(Pattern.SELF))
    formula = "d·H·d_k + d·H·d_k + d·H·d_v + H·d_v·d = 8·5·2 + 8·5·2 + 8·5·2 + 5·2·8 = 320"
    qtbot.waitUntil(lambda: formula in words(dock))
    assert row_of(dock, "parameterTable", "parameters") == [80, 80, 80, 80, 320]


def test_score_flops_of_narrow_heads_and_of_a_wide_one(qtbot, bench, dock):
    assert "4 heads of width d_k = 2: 2·T²·H·d_k = 2 · 6² · 4 · 2 = 576" in words(dock)
    assert "one head of width H·d_k = 8: the same 576" in words(dock)
    bench.edit(SetSequenceLength(1024))
    qtbot.waitUntil(lambda: "16,777,216" in words(dock))


def test_a_head_more_is_a_column_more(qtbot, bench, dock):
    bench.edit(AddHead(Pattern.SELF))
    for name in ("rankTable", "effectiveRankTable"):
        qtbot.waitUntil(lambda name=name: labels(dock, name, ACROSS) == [*HEADS, "h5"])
    assert len(curves(dock)) == 5


def test_a_muted_head_is_dimmed_and_keeps_its_rank(qtbot, bench, dock):
    bench.edit(set_muted(2, True))
    model = table_of(dock, "rankTable").model()
    qtbot.waitUntil(lambda: model.headerData(1, ACROSS, DIMMED_ROLE))
    assert row_of(dock, "rankTable", "rank") == [1, 2, 2, 0]


def visible_labels(dock):
    return [label for label in dock.findChildren(QLabel) if label.isVisible()]


@pytest.mark.parametrize("edits", [(), (AddHead(Pattern.SELF), SetSequenceLength(1024))])
def test_no_word_is_cut_at_280_pixels(qtbot, bench, dock, edits):
    for edit in edits:
        bench.edit(edit)
    dock.resize(280, 500)
    qtbot.waitUntil(lambda: words(dock).count(" = 320 ") == len(edits) // 2)
    for _ in range(10):
        QApplication.processEvents()
    assert dock.width() == 280
    for label in visible_labels(dock):
        metrics = QFontMetrics(label.font())
        widest = max(metrics.horizontalAdvance(word) for word in label.text().split(" "))
        assert widest <= label.width(), label.text()
        assert label.heightForWidth(label.width()) <= label.height(), label.text()
        assert label.mapTo(dock, QPoint(label.width(), 0)).x() <= 280


def test_tables_need_no_scroll_bar_at_300_pixels(dock):
    assert dock.width() == 300
    for table in dock.findChildren(NumberTable):
        assert not table.horizontalScrollBar().isVisible(), table.objectName()
        assert not table.verticalScrollBar().isVisible(), table.objectName()


def test_formulas_are_copied_by_the_keyboard(dock, qtbot):
    formula = next(label for label in visible_labels(dock) if "4·d²" in label.text())
    assert formula.textInteractionFlags() & Qt.TextInteractionFlag.TextSelectableByMouse
    qtbot.mouseClick(formula, Qt.MouseButton.LeftButton)
    control = Qt.KeyboardModifier.ControlModifier
    qtbot.keyClick(formula, Qt.Key.Key_A, control)
    qtbot.keyClick(formula, Qt.Key.Key_C, control)
    assert QGuiApplication.clipboard().text().replace("\xa0", " ") == formula.text().replace(
        "\xa0", " "
    )


def test_light_and_dark(qapp, dock):
    plot = dock.findChild(CurvePlot, "spectrumPlot")

    def corner():
        QApplication.processEvents()
        return plot.view.grab().toImage().pixelColor(2, 2)

    light = corner()
    apply_theme(ThemeChoice.DARK)
    assert corner() == theme_of(dock.palette()).plot != light
    apply_theme(ThemeChoice.LIGHT)
    assert corner() == light


def test_everything_has_a_name_and_a_tip(qtbot, bench, dock):
    for part in (*dock.findChildren(NumberTable), *dock.findChildren(CurvePlot), button_of(dock)):
        assert part.accessibleName()
    assert "√T" in dock.findChild(CurvePlot, "spectrumPlot").toolTip()
    assert button_of(dock).toolTip()
    header = table_of(dock, "effectiveRankTable").model().headerData
    assert "Roy & Vetterli" in header(0, DOWN, ROLE.AccessibleDescriptionRole)
