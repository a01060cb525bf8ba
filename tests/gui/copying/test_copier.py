"""What comes onto the clipboard, taken from there as another program would."""

import ast
import io
import re
from dataclasses import replace
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QLabel, QToolBar

from mhagui import figures
from mhagui.document.edits import SetSequenceLength
from mhagui.document.presets import Preset, SetPreset
from mhagui.document.view_state import Digits
from mhagui.errors import UserError
from mhagui.figures import FigureStyle
from mhagui.gui.command_palette import CommandPalette
from mhagui.gui.copying import copier
from mhagui.gui.export.dialog import ExportDialog
from mhagui.palette import WeightColours
from mhagui.settings import ExportChoices

MM_PER_INCH = 25.4
Key, Modifier = Qt.Key, Qt.KeyboardModifier
TABS = "Tab-separated text"
pytestmark = [
    pytest.mark.usefixtures("as_at_first"),
    pytest.mark.qt_log_ignore(
        "This plugin does not support grabbing the keyboard|This plugin does not support raise",
        extend=True,
    ),
]


@pytest.fixture
def refusal(window):
    """A function that gives the sentence in the status bar that says why something was not done."""
    return window.findChild(QLabel, "refusal").text


def picture(data):
    image = Image.open(io.BytesIO(data.data("image/png").data()))
    image.load()
    return image


def svg_texts(svg):
    return [
        "".join(each.itertext()).strip()
        for each in ET.fromstring(svg).iter()
        if each.tag.endswith("}text")
    ]


def read_tabs(text):
    """Return column labels, row labels and numbers, empty cells as NaN."""
    columns, *rows = [line.split("\t") for line in text.splitlines()]
    values = [[float(cell) if cell else np.nan for cell in row[1:]] for row in rows]
    return columns[1:], [row[0] for row in rows], np.array(values)


# --- figures


def test_a_figure_is_an_image_and_svg_at_once(window, find, right_click, clipboard):
    right_click(find("heatmap2")).press("Copy figure")
    data = clipboard()
    assert clipboard.told == "Copied: Weights of h2"
    assert {"image/png", "image/svg+xml"} <= set(data.formats())
    image = picture(data)
    assert image.width == pytest.approx(170 / MM_PER_INCH * copier.DPI, abs=1)
    assert image.info["dpi"] == pytest.approx((300, 300), abs=0.1)
    as_image = QImage(data.imageData())
    assert (as_image.width(), as_image.height()) == image.size
    assert as_image.dotsPerMeterX() == pytest.approx(300 / MM_PER_INCH * 1000, abs=1)
    assert not data.hasText()  # or an editor of text would take that for the figure
    weight = window.bench.frame.result.heads[1].weights[3, 2]
    assert f"{weight:.2f}" in svg_texts(data.data("image/svg+xml").data())


def test_svg_alone_is_text_too(window, find, right_click, clipboard):
    right_click(find("outputView")).press("Copy figure as SVG")
    data = clipboard()
    assert clipboard.told == "Copied: Output O, as SVG"
    assert not data.hasImage()
    assert data.text().encode() == data.data("image/svg+xml").data()
    assert {"t1", "t6", "d1", "d8"} <= set(svg_texts(data.text()))


def test_another_figure_is_one_menu_further(window, find, right_click, clipboard):
    menu = right_click(find("outputView"))
    menu.press("Other figures", "W_O, Concat and output", "Copy figure as SVG")
    assert {"h1.1", "d8", "t6"} <= set(svg_texts(clipboard().text()))


def test_figures_look_as_they_were_exported_last(window, find, right_click, clipboard):
    style = FigureStyle(preset=figures.Preset.SINGLE_COLUMN, dpi=72)
    window.preferences.change(export=ExportChoices(style=style))
    right_click(find("listeningView")).press("Copy figure")
    assert picture(clipboard()).width == pytest.approx(85 / MM_PER_INCH * copier.DPI, abs=1)


def test_colours_are_those_of_the_window_unless_others_were_chosen(
    window, find, right_click, clipboard, settle
):
    look = window.bench.view.appearance
    window.bench.look(appearance=replace(look, weight_colours=WeightColours.GREY))
    settle()
    right_click(find("heatmap2")).press("Copy figure")
    assert share_of_colour(picture(clipboard())) < 0.01
    window.preferences.change(export=ExportChoices(as_in_window=False))
    right_click(find("heatmap2")).press("Copy figure")
    assert share_of_colour(picture(clipboard())) > 0.1
    window.bench.look(appearance=look)


def share_of_colour(image):
    pixels = np.asarray(image.convert("RGB"), dtype=int)
    return float((np.ptp(pixels, axis=2) > 40).mean())


def test_a_dark_window_copies_a_light_figure(window, find, right_click, clipboard, dark):
    right_click(find("concatView")).press("Copy figure")
    assert picture(clipboard()).convert("RGB").getpixel((0, 0)) == (255, 255, 255)


@pytest.mark.parametrize("place", ["outputProjectionTable", "concatView", "entropyTable"])
def test_the_shortcut_copies_the_figure_of_what_has_the_keyboard(
    window, enter, find, qtbot, clipboard, place
):
    dock, title = {
        "outputProjectionTable": ("output_projection", "Output projection W_O"),
        "concatView": ("output_projection", "Concat"),
        "entropyTable": ("entropy", "Row entropy"),
    }[place]
    enter(dock)
    find(place).setFocus()
    held = Modifier.ControlModifier | Modifier.ShiftModifier
    qtbot.keyClick(find(place), Key.Key_C, held)
    assert window.statusBar().currentMessage().startswith(f"Copying: {title}")
    # Whoever pastes at once pastes nothing, rather than what was copied before.
    assert QGuiApplication.clipboard().text() == ""
    assert clipboard().hasImage()
    assert clipboard.told.startswith(f"Copied: {title}")


def test_a_panel_copies_all_of_it_where_no_part_has_the_keyboard(
    window, enter, find, qtbot, clipboard
):
    enter("output_projection")
    window.docks.output_projection.widget().setFocus()
    window._actions["copy_figure"].trigger()
    clipboard()
    assert clipboard.told == "Copied: W_O, Concat and output"


def test_a_caption_is_copied_in_words(window, find, right_click, clipboard):
    right_click(find("heatmap2")).press("Copy caption")
    text = clipboard().text()
    assert clipboard.told == "Copied: caption of Weights of h2"
    assert text.startswith("Attention weights A")
    assert "of head 2" in text
    assert "$" not in text


def test_what_is_asked_for_last_is_what_is_copied(window, find, right_click, clipboard):
    menu = right_click(find("heatmap1"))
    menu.press("Copy figure")
    right_click(find("heatmap2")).press("Copy A_2 as", TABS)
    data = clipboard()
    assert clipboard.told == "Copied: A_2 as tab-separated text"
    assert not data.hasImage()
    assert QGuiApplication.clipboard().text() == data.text()


def test_a_figure_that_would_take_long_is_refused_in_a_sentence(
    window, enter, menu_key, refusal, qtbot
):
    window.bench.edit(SetSequenceLength(300))
    enter("rank")
    menu_key().press("Copy figure")
    qtbot.waitUntil(lambda: bool(refusal()))
    assert refusal().startswith("Above T = 256 singular values of A are computed on request only")


def test_a_figure_that_cannot_be_drawn_is_refused_in_a_sentence(
    window, enter, menu_key, refusal, qtbot, monkeypatch, clipboard
):
    def fail(*_given):
        raise UserError("The disk is full of ink.")

    monkeypatch.setattr(figures, "render_all", fail)
    enter("entropy")
    menu_key().press("Copy figure")
    qtbot.waitUntil(lambda: refusal() == "The disk is full of ink.")
    assert QGuiApplication.clipboard().text() == ""  # nothing wrong to be pasted


# --- numbers


def test_w_o_goes_to_the_clipboard_and_back_to_the_last_bit(
    window, find, right_click, clipboard, settle
):
    window.bench.edit(SetPreset(Preset.RANDOM_ORTHOGONAL, 5))
    settle()
    before = window.bench.scene.w_o
    table = find("outputProjectionTable")
    right_click(table.viewport()).press("Copy W_O as", TABS)
    columns, rows, values = read_tabs(clipboard().text())
    assert (columns[0], columns[-1], rows[0], rows[-1]) == ("d1", "d8", "h1.1", "h4.2")
    assert np.array_equal(values, before)
    window.bench.edit(SetPreset(Preset.ZERO, 0))
    settle()
    table.setCurrentIndex(table.model().index(0, 0))
    table.paste()
    assert window.bench.scene.w_o.tobytes() == before.tobytes()


def test_weights_have_labels_and_no_masked_cells(window, find, right_click, clipboard):
    right_click(find("heatmap4")).press("Copy A_4 as", TABS)
    columns, rows, values = read_tabs(clipboard().text())
    assert columns == rows == ["t1", "t2", "t3", "t4", "t5", "t6"]
    assert np.isnan(values[np.triu_indices(6, 1)]).all()
    weights = window.bench.frame.result.heads[3].weights
    assert np.array_equal(np.nan_to_num(values), weights)


def test_each_notation_is_what_its_programs_read(window, find, right_click, clipboard):
    window.bench.edit(SetPreset(Preset.RANDOM_ORTHOGONAL, 1))
    texts = {}
    for name in (
        "LaTeX matrix (bmatrix)",
        "LaTeX table (booktabs)",
        "Markdown table",
        "NumPy array",
        "rlab matrix",
    ):
        right_click(find("outputProjectionTable").viewport()).press("Copy W_O as", name)
        texts[name] = clipboard().text()
    w_o = window.bench.scene.w_o
    call = ast.parse(texts["NumPy array"]).body[0].value
    assert np.array_equal(ast.literal_eval(call.args[0]), w_o)
    inside = texts["rlab matrix"].split("[")[1].split("]")[0]
    rows = [[float(cell) for cell in row.split(",")] for row in inside.split(";")]
    assert np.array_equal(rows, w_o)
    assert "\\begin{bmatrix}" in texts["LaTeX matrix (bmatrix)"]
    assert "\\toprule" in texts["LaTeX table (booktabs)"]
    row = texts["Markdown table"].splitlines()[2].strip("| ").split(" | ")
    assert row[0] == "h1.1"
    found = [float(cell.replace("−", "-")) for cell in row[1:]]
    assert found == pytest.approx(w_o[0], abs=1e-3)


def test_digits_of_the_window_are_those_that_people_read(window, find, right_click, clipboard):
    look = window.bench.view.appearance
    for count, length in ((Digits.THREE, 4), (Digits.SIX, 7)):
        window.bench.look(appearance=replace(look, digits=count))
        right_click(find("heatmap2")).press("Copy A_2 as", "Markdown table")
        row = clipboard().text().splitlines()[-1]
        assert {len(cell) for cell in re.findall(r"\d\.\d+", row)} == {length}
    window.bench.look(appearance=look)


def test_numbers_of_what_has_the_keyboard_by_one_shortcut(window, enter, find, qtbot, clipboard):
    enter("entropy")
    find("entropyTable").setFocus()
    qtbot.keyClick(
        find("entropyTable"), Key.Key_N, Modifier.ControlModifier | Modifier.ShiftModifier
    )
    columns, _, values = read_tabs(clipboard().text())
    assert columns == ["log2 t", "h1", "h2", "h3", "h4"]
    assert np.array_equal(values[:, 0], np.log2(np.arange(1, 7)))
    weights = window.bench.frame.result.heads[2].weights[4]
    bits = -sum(p * np.log2(p) for p in weights if p)
    assert values[4, 3] == pytest.approx(bits, rel=1e-12)


@pytest.mark.parametrize("name", ["copy_figure", "copy_numbers"])
def test_a_dock_with_nothing_to_copy_says_so(window, enter, refusal, name):
    enter("history")
    window._actions[name].trigger()
    assert refusal() == "The dock History has nothing to copy."


def test_outside_the_docks_it_is_said_where_to_go(window, refusal):
    bar = window.findChild(QToolBar, "mainToolBar")
    button = bar.widgetForAction(window._actions["save"])
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    button.setFocus()
    window._actions["copy_figure"].trigger()
    assert refusal().startswith("Go to a dock first")


def test_export_opens_the_dialog_with_that_figure(window, find, right_click, qtbot, monkeypatch):
    asked = []
    monkeypatch.setattr(window, "_ask", asked.append)
    right_click(find("outputView")).press("Export this figure…")
    (dialog,) = asked
    assert isinstance(dialog, ExportDialog)
    assert dialog._figures.names() == ("output",)
    dialog.deleteLater()


def test_from_the_command_palette_it_is_the_dock_one_was_in(window, enter, find, qtbot, clipboard):
    enter("entropy")
    find("entropyTable").setFocus()
    window._actions["command_palette"].trigger()
    palette = window.findChild(CommandPalette)
    qtbot.waitUntil(palette.isVisible)
    qtbot.keyClicks(palette.query, "copy numbers")
    qtbot.keyClick(palette.query, Key.Key_Return)
    clipboard()
    assert clipboard.told == "Copied: row entropy as tab-separated text"
