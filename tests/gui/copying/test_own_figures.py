"""Figures of the scorecard, of a comparison and of the ablation lab: copied, exported, written."""

import io
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QLabel, QLineEdit, QListWidget, QPushButton

from mhagui import core
from mhagui.document.capture import Capture, CapturedLayer
from mhagui.document.provenance import provenance_of_file
from mhagui.figures import FigureStyle, render_chart
from mhagui.gui.capture_session import Opened
from mhagui.gui.docks.compare_content import compared
from mhagui.gui.docks.compare_sources import ComparedHead
from mhagui.gui.docks.own_figures import of_comparison
from mhagui.gui.export.dialog import ExportDialog

T = 6
SVG = "{http://www.w3.org/2000/svg}"
BOTH = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
NAME = Qt.ItemDataRole.UserRole
pytestmark = [
    pytest.mark.usefixtures("as_at_first"),
    pytest.mark.qt_log_ignore(
        "This plugin does not support grabbing the keyboard|This plugin does not support raise",
        extend=True,
    ),
]


@pytest.fixture
def model(window, enter, qtbot):
    """Two layers of a sink, the token before and a blend, open in the scorecard."""
    heads = [
        core.attention_weights(*make(T, key_magnitude=12.0))
        for make in (core.first_token_head, core.previous_token_head, core.uniform_head)
    ]
    layers = tuple(
        CapturedLayer(number, given=np.stack(heads), allowed=core.causal_mask(T))
        for number in (0, 4)
    )
    capture = Capture("made up", layers, tuple("abcdef"), tuple("abcdef"))
    window.captures.open(Opened(capture, prompt="a b c d e f"))
    enter("atlas")
    dock = window.docks.atlas
    qtbot.waitUntil(lambda: bool(dock.own_figures()))
    dock.map.score.setCurrentText("previous token")
    return dock


def texts_of(data):
    svg = ET.fromstring(bytes(data.data("image/svg+xml").data()))
    return ["".join(each.itertext()).strip() for each in svg.iter(f"{SVG}text")]


def test_the_map_under_the_pointer_is_copied_as_it_is_coloured(model, find, right_click, clipboard):
    model.map.score.setCurrentText("first token")
    menu = right_click(find("atlasMap"))
    menu.press("Copy figure")
    data = clipboard()
    assert clipboard.told == "Copied: Heads by layer: first token"
    assert {"L0", "L4", "H2", "first token"} <= set(texts_of(data))
    image = Image.open(io.BytesIO(bytes(data.data("image/png").data())))
    assert image.width == pytest.approx(170 / 25.4 * 300, abs=2)


def test_the_scatter_plot_is_another_figure(model, find, right_click, clipboard):
    assert model.own_figures()["atlasScatter"].title == "Heads by mean distance and entropy"
    menu = right_click(find("atlasTable"))
    menu.press("Other figures", "Heads by mean distance and entropy", "Copy figure as SVG")
    assert {"mean distance (positions)", "entropy (bits)"} <= set(texts_of(clipboard()))


def test_the_keys_copy_the_figure_of_the_dock(window, enter, find, clipboard):
    enter("compare")
    QTest.keyClick(find("compareA"), Qt.Key.Key_C, BOTH)
    assert {"B − A", "JS (bits)"} <= set(texts_of(clipboard()))
    assert clipboard.told == "Copied: Comparison: A, B, B − A and each row’s divergence"


def test_a_caption_says_what_was_open_and_given(model, find, right_click, clipboard):
    right_click(find("atlasMap")).press("Copy caption")
    caption = clipboard().text()
    assert "The 6 heads of “made up” in 2 layers, given “a b c d e f”" in caption


@pytest.mark.parametrize(("n_keys", "sign"), [(4, "t"), (7, "i")])
def test_keys_are_numbered_as_in_the_window(n_keys, sign):
    """They are i1, i2 … where they are not the queries' positions."""
    cells = np.random.default_rng(0).dirichlet(np.ones(n_keys), size=(2, 4))
    layer = CapturedLayer(0, given=cells)
    found = compared(*(lambda at=at: ComparedHead(f"H{at}", "a map", layer, at) for at in (0, 1)))
    chart = of_comparison(found)["compareDifference"]
    svg = ET.fromstring(render_chart(chart, FigureStyle(), ["svg"])["svg"])
    written = {"".join(each.itertext()).strip() for each in svg.iter(f"{SVG}text")}
    assert {"t1", "t4", f"{sign}{n_keys}"} <= written
    assert ("i1" in written) == (sign == "i")
    assert "t5" not in written


def test_each_page_of_the_lab_has_its_figures(window, enter, find, qtbot):
    enter("ablation_lab")
    dock = window.docks.ablation_lab
    found = {}
    for page in ("showEffect", "showImportance", "showNextToken"):
        find(page).click()
        if page != "showNextToken":
            qtbot.waitUntil(lambda: bool(dock.own_figures()))
        found[page] = [chart.name for chart in dock.own_figures().values()]
    assert found == {
        "showEffect": ["ablation"],
        "showImportance": ["importance", "pruning"],
        "showNextToken": [],  # no model is open
    }
    find("showEffect").click()


def test_where_there_is_nothing_to_copy_that_is_said(window, enter, find):
    enter("ablation_lab")
    find("showNextToken").click()
    find("showNextToken").setFocus()
    QTest.keyClick(find("showNextToken"), Qt.Key.Key_C, BOTH)
    refusal = window.findChild(QLabel, "refusal").text()
    assert refusal == "The dock Ablation lab has nothing to copy."
    find("showEffect").click()


@pytest.fixture
def exported(window, qtbot, monkeypatch):
    """A function that gives the export dialog that comes of something done."""
    asked = []
    monkeypatch.setattr(window, "_ask", asked.append)

    def exported(do):
        do()
        qtbot.waitUntil(lambda: bool(asked))
        (dialog,) = asked
        assert isinstance(dialog, ExportDialog)
        dialog.show()
        return dialog

    yield exported
    for dialog in asked:
        dialog.reject()
        dialog.deleteLater()


def items_of(dialog):
    titles = dialog.findChild(QListWidget, "exportFigures")
    return {titles.item(row).data(NAME): titles.item(row) for row in range(titles.count())}, titles


def test_a_figure_is_written_from_the_menu_of_its_dock(
    model, find, right_click, exported, qtbot, tmp_path
):
    menu = right_click(find("atlasMap"))
    dialog = exported(lambda: menu.press("Export this figure…"))
    items, titles = items_of(dialog)
    name = titles.currentItem().data(NAME)
    assert name == "head-map"
    assert items[name].checkState() is Qt.CheckState.Checked
    assert items["heads"].checkState() is Qt.CheckState.Unchecked
    dialog.findChild(QLineEdit, "exportFolder").setText(str(tmp_path / "new"))
    dialog.findChild(QCheckBox, "exportScripts").click()
    dialog.findChild(QPushButton, "exportButton").click()
    said = dialog.findChild(QLabel, "exportMessage").text
    qtbot.waitUntil(lambda: said().startswith("2 files written"), timeout=30_000)
    assert {path.name for path in (tmp_path / "new").iterdir()} == {f"{name}.png", f"{name}.pdf"}
    made = provenance_of_file((tmp_path / "new" / f"{name}.png").read_bytes())
    assert made.shown["of"] == "made up"
    dialog.findChild(QCheckBox, "exportScripts").click()


def test_a_folder_that_cannot_be_written_is_named_and_nothing_written(
    model, find, right_click, exported, qtbot, tmp_path
):
    (tmp_path / "file").write_bytes(b"")
    menu = right_click(find("atlasMap"))
    dialog = exported(lambda: menu.press("Export this figure…"))
    dialog.findChild(QLineEdit, "exportFolder").setText(str(tmp_path / "file"))
    dialog.findChild(QPushButton, "exportButton").click()
    said = dialog.findChild(QLabel, "exportMessage").text
    qtbot.waitUntil(lambda: "file" in said())
    assert "written to" not in said()
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_all_that_is_open_is_among_the_figures_to_export(model, window, exported):
    dialog = exported(window._actions["export"].trigger)
    items, _ = items_of(dialog)
    assert items["head-map"].text() == "Heads by layer: previous token"
    assert items["head-map"].flags() & Qt.ItemFlag.ItemIsEnabled
    assert {"head-scatter", "comparison"} <= set(items)
