"""What is chosen in the export dialog: shown, taken, remembered, and put back by Reset."""

import re
from dataclasses import replace

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QWidget,
)

from mhagui import figures
from mhagui.document.view_state import Appearance, ColourScale
from mhagui.figures import FIGURES, FORMATS, FigureStyle, Ground, Labels, Preset
from mhagui.palette import SignedColours, WeightColours
from mhagui.settings import ExportChoices, Preferences, SettingsStore

CIVIDIS = {
    "appearance": Appearance(weight_colours=WeightColours.CIVIDIS),
    "colour_scale": ColourScale.LOGARITHMIC,
}


def box(dialog, field):
    return dialog.findChild(QComboBox, f"style_{field}")


def click(dialog, qtbot, name):
    qtbot.keyClick(dialog.findChild(QCheckBox, name), Qt.Key.Key_Space)


@pytest.fixture
def dialog(open_dialog, monkeypatch):
    """One that draws nothing: that is not looked at here."""
    dialog = open_dialog("induction", look=CIVIDIS, size=(1240, 1000))
    dialog._preview.cancel()
    monkeypatch.setattr(type(dialog._preview), "show_figure", lambda *_: None)
    return dialog


def test_at_first_colours_and_scale_are_those_of_the_window(dialog):
    style = dialog.subject().style
    assert style == FigureStyle(
        weight_colours=WeightColours.CIVIDIS, colour_scale=ColourScale.LOGARITHMIC
    )
    assert box(dialog, "weight_colours").currentText() == "cividis"


def test_colours_of_ones_own_are_kept_until_the_windows_are_asked_for_again(dialog, qtbot):
    weights = box(dialog, "weight_colours")
    weights.setFocus()
    qtbot.keyClick(weights, Qt.Key.Key_Down)
    of_window = dialog.findChild(QCheckBox, "style_asInWindow")
    assert not of_window.isChecked()
    assert dialog.subject().style.weight_colours is WeightColours.MAGMA
    qtbot.keyClick(of_window, Qt.Key.Key_Space)
    assert weights.currentText() == "cividis"
    assert dialog.subject().style.weight_colours is WeightColours.CIVIDIS


@pytest.mark.parametrize(
    ("field", "last"),
    [
        ("preset", Preset.POSTER),
        ("ground", Ground.TRANSPARENT),
        ("labels", Labels.BOTH),
        ("weight_colours", WeightColours.GREY),
        ("signed_colours", SignedColours.GREEN_PINK),
        ("colour_scale", ColourScale.RELATIVE),
    ],
)
def test_each_box_chooses_what_it_says(dialog, qtbot, field, last):
    chosen = box(dialog, field)
    chosen.setFocus()
    qtbot.keyClick(chosen, Qt.Key.Key_Home)
    qtbot.keyClick(chosen, Qt.Key.Key_End)
    assert chosen.currentText() == str(last)
    assert getattr(dialog.subject().style, field) is last


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("style_values", "values"),
        ("style_title", "title"),
        ("style_caption", "caption"),
        ("exportOutlines", "outlines"),
        ("exportEmbed", "embed_scene"),
    ],
)
def test_each_tick_is_a_field_of_the_style(dialog, qtbot, name, field):
    before = getattr(dialog.subject().style, field)
    qtbot.keyClick(dialog.findChild(QCheckBox, name), Qt.Key.Key_Space)
    assert getattr(dialog.subject().style, field) is not before


def test_type_is_as_the_page_has_it_until_a_size_is_given(dialog, qtbot, type_in):
    size = dialog.findChild(QDoubleSpinBox, "style_font_size")
    assert (size.text(), dialog.subject().style.font_size) == ("as the page: 8 pt", None)
    box(dialog, "preset").setFocus()
    qtbot.keyClick(box(dialog, "preset"), Qt.Key.Key_Home)
    assert size.text() == "as the page: 7 pt"
    type_in(size, "9.5", Qt.Key.Key_Tab)
    assert dialog.subject().style.font_size == 9.5
    type_in(size, "2", Qt.Key.Key_Tab)
    assert dialog.subject().style.font_size is None
    qtbot.keyClick(size, Qt.Key.Key_Up)
    assert dialog.subject().style.font_size == 4.0
    qtbot.keyClick(size, Qt.Key.Key_Down)
    assert dialog.subject().style.font_size is None


def test_a_font_is_chosen_from_those_there_are_or_typed(open_dialog, shown, qtbot, type_in):
    dialog = open_dialog()
    shown(dialog)
    fonts = box(dialog, "font")
    offered = [fonts.itemText(i) for i in range(fonts.count())]
    assert offered[0] == "DejaVu Sans (default)"
    assert "DejaVu Serif" in offered
    assert "cmsy10" not in offered  # it has no letters
    type_in(fonts.lineEdit(), "dejavu serif", Qt.Key.Key_Tab)
    assert dialog.subject().style.font == "DejaVu Serif"
    assert not shown(dialog).isNull()
    type_in(fonts.lineEdit(), "Garamund", Qt.Key.Key_Tab)
    assert shown(dialog).isNull()
    assert "Garamund" in dialog.findChild(QLabel, "previewPicture").text()
    type_in(fonts.lineEdit(), "", Qt.Key.Key_Tab)
    assert dialog.subject().style.font == ""
    assert fonts.currentText() == "DejaVu Sans (default)"


def test_labels_are_for_scenes_with_tokens(open_dialog, dialog):
    assert box(dialog, "labels").isEnabled()
    chosen = ExportChoices(style=FigureStyle(labels=Labels.TOKENS))
    without = open_dialog("two-heads", chosen)
    assert not box(without, "labels").isEnabled()
    assert "no tokens" in box(without, "labels").toolTip()
    assert box(without, "labels").currentText() == "t1, t2, …"  # what is drawn
    assert without.choices().style.labels is Labels.TOKENS  # for the next scene that has some


def test_the_wheel_over_a_box_changes_nothing(dialog, wheel):
    before = dialog.choices()
    dialog.findChild(QLineEdit, "exportFolder").setFocus()
    for field in ("preset", "font", "ground"):
        wheel(box(dialog, field), -120)
    wheel(dialog.findChild(QDoubleSpinBox, "style_font_size"), 120)
    assert dialog.choices() == before


def test_a_transparent_eps_is_said_to_be_white(dialog, qtbot):
    message = dialog.findChild(QLabel, "exportMessage")
    click(dialog, qtbot, "format_eps")
    assert message.text() == ""
    box(dialog, "ground").setFocus()
    qtbot.keyClick(box(dialog, "ground"), Qt.Key.Key_End)
    assert "EPS" in message.text()
    assert "white" in message.text()
    click(dialog, qtbot, "format_eps")
    assert message.text() == ""


def test_a_resolution_that_cannot_be_is_refused_in_words(dialog, type_in):
    dpi = dialog.findChild(QSpinBox, "exportDpi")
    type_in(dpi, "5000", Qt.Key.Key_Tab)
    assert "30 to 1200" in dialog.findChild(QLabel, "exportMessage").text()
    assert dialog.subject().style.dpi == 300


# --- remembered


def test_choices_outlive_the_program(qtbot, open_dialog, bench, tmp_path):
    kind = type(open_dialog())
    path = tmp_path / "settings.json"

    def opened():
        dialog = kind(bench.frame, Preferences(SettingsStore(path), pytest.fail))
        qtbot.addWidget(dialog)
        return dialog

    first = opened()
    for name in (
        "format_svg",
        "data_csv",
        "report_pdf",
        "exportScripts",
        "previewTrueSize",
        "style_title",
    ):
        first.findChild(QCheckBox, name).click()
    first.findChild(QPushButton, "exportAll").click()
    first.findChild(QLineEdit, "exportFolder").setText("/somewhere/else")
    chosen = first.choices()
    first.reject()
    second = opened()
    assert second.choices() == chosen
    assert chosen.formats == ("png", "svg", "pdf")
    assert (chosen.data, chosen.reports) == (("csv",), ("pdf",))
    assert (chosen.scripts, chosen.true_size) == (True, False)
    assert second.findChild(QLineEdit, "exportFolder").text() == "/somewhere/else"
    second.findChild(QPushButton, "exportReset").click()
    assert second.choices() == ExportChoices()
    second.reject()


@pytest.mark.parametrize("lesson", ["two-heads"])
def test_what_a_newer_program_has_chosen_is_no_fault(open_dialog, lesson):
    strange = ExportChoices(figures=("hologram", "entropy"), formats=("webp", "pdf"), data=("xls",))
    dialog = open_dialog(lesson, strange)
    choices = dialog.choices()
    assert (choices.figures, choices.formats, choices.data) == (("entropy",), ("pdf",), ())


def test_one_figure_that_is_asked_for_is_the_only_one_and_what_was_ticked_stays(
    open_dialog, preferences
):
    preferences.change(export=ExportChoices(figures=("heads", "cost")))
    dialog = open_dialog(figure="entropy")
    assert dialog._figures.names() == ("entropy",)
    assert dialog._figures.current() == "entropy"
    dialog.reject()
    assert preferences.settings.export.figures == ("heads", "cost")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=10)
@given(
    style=st.builds(
        FigureStyle,
        preset=st.sampled_from(Preset),
        font=st.sampled_from(["", "DejaVu Serif", "No Such Font"]),
        font_size=st.none() | st.integers(8, 120).map(lambda halves: halves / 2),
        ground=st.sampled_from(Ground),
        weight_colours=st.sampled_from(WeightColours),
        signed_colours=st.sampled_from(SignedColours),
        colour_scale=st.sampled_from(ColourScale),
        values=st.booleans(),
        labels=st.sampled_from(Labels),
        title=st.booleans(),
        caption=st.booleans(),
        dpi=st.integers(30, 1200),
        outlines=st.booleans(),
        embed_scene=st.booleans(),
    ),
    formats=st.lists(st.sampled_from(FORMATS), unique=True),
    names=st.lists(st.sampled_from(list(FIGURES)), unique=True),
    others=st.tuples(st.booleans(), st.booleans()),
)
def test_whatever_was_chosen_is_shown_as_it_was(dialog, style, formats, names, others):
    lacking = {"packed-wq", "packed-wk"}
    if style.preset is Preset.SINGLE_COLUMN:
        lacking |= {"lesson", "summary"}
    chosen = ExportChoices(
        style=style,
        as_in_window=False,
        formats=tuple(sorted(formats, key=FORMATS.index)),
        figures=tuple(name for name in FIGURES if name in names and name not in lacking),
        scripts=others[0],
        true_size=others[1],
    )
    dialog._show(chosen)
    assert dialog.choices() == chosen


# --- keys


def test_all_and_none(dialog, qtbot):
    qtbot.keyClick(dialog.findChild(QPushButton, "exportAll"), Qt.Key.Key_Space)
    assert set(FIGURES) - set(dialog._figures.names()) == {"packed-wq", "packed-wk"}
    qtbot.keyClick(dialog.findChild(QPushButton, "exportNone"), Qt.Key.Key_Space)
    assert dialog._figures.names() == ()


def test_what_has_no_room_on_a_page_is_grey_while_that_page_is_chosen(dialog, item, qtbot):
    page = box(dialog, "preset")
    dialog._figures.show_names(("heads", "lesson"))
    for preset, names in (
        (Preset.SINGLE_COLUMN, ("heads",)),
        (Preset.SLIDE, ("heads", "lesson")),
        (Preset.SINGLE_COLUMN, ("heads",)),
    ):
        page.show_option(preset)
        page.activated.emit(page.currentIndex())
        assert dialog._figures.names() == names
    assert "choose the double preset" in item(dialog, "lesson").toolTip()


def test_space_ticks_the_figure_one_is_at(dialog, qtbot):
    titles = dialog.focusWidget()
    qtbot.keyClick(titles, Qt.Key.Key_Down)
    qtbot.keyClick(titles, Qt.Key.Key_Space)
    assert dialog._figures.names() == ("heads", "head")


def test_tab_reaches_everything(dialog, qtbot):
    wanted = {
        w.objectName()
        for w in dialog.findChildren(QWidget)
        if w.isVisible() and w.isEnabled() and w.focusPolicy() & Qt.FocusPolicy.TabFocus
        and w.objectName() and not w.objectName().startswith("qt_")
    }  # fmt: skip
    reached = []
    for _ in range(len(wanted) + 10):
        reached.append(QGuiApplication.focusObject().objectName())
        qtbot.keyClick(QGuiApplication.focusObject(), Qt.Key.Key_Tab)
    assert wanted <= set(reached)
    order = [name for name in reached if name in wanted]
    along = ["exportFigures", "previewTrueSize", "sideTabs", "style_preset", "exportFolder"]
    assert [name for name in order if name in along][:5] == along
    assert order.index("exportFolder") < order.index("exportButton")


def test_no_two_letters_of_alt_are_the_same(dialog):
    texts = [w.text() for w in dialog.findChildren(QWidget) if hasattr(w, "text")]
    letters = [text[text.index("&") + 1].lower() for text in texts if "&" in text]
    assert sorted(set(letters)) == sorted(letters)


def test_how_much_larger_the_scene_makes_each_file_is_said(open_dialog, qtbot, monkeypatch):
    dialog = open_dialog()
    box = dialog.findChild(QCheckBox, "exportEmbed")
    qtbot.waitUntil(lambda: "(" in box.text())
    with_scene, without = (
        len(figures.render("heads", replace_style(dialog, embed_scene=held), "svg"))
        for held in (True, False)
    )
    (kilobytes,) = re.findall(r"\((\d+) kB\)", box.text())
    assert int(kilobytes) == pytest.approx((with_scene - without) / 1000, abs=1.2)
    monkeypatch.setattr("mhagui.document.provenance.MAX_SCENE_BYTES", 100)
    dialog = open_dialog()
    box = dialog.findChild(QCheckBox, "exportEmbed")
    qtbot.waitUntil(lambda: "(" in box.text())
    assert box.text() == "Scene in each file (too large)"
    assert "more than figures hold" in box.toolTip()


def replace_style(dialog, **changes):
    subject = dialog.subject()
    return replace(subject, style=msgspec.structs.replace(subject.style, **changes))
