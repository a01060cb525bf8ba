"""The dialog of films writes what it shows, says why it cannot, and leaves nothing half done."""

from threading import Event

import msgspec
import pytest
from PIL import Image
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QLabel,
    QProgressBar,
    QPushButton,
    QTabBar,
    QWidget,
)

from mhagui.document.edits import SetSequenceLength, set_gain
from mhagui.document.view_state import ColourScale
from mhagui.errors import UserError
from mhagui.figures import FigureStyle, Ground, Preset, movies
from mhagui.figures.motion import MOVIES, Progress
from mhagui.figures.sweeps import Quantity, sliders_of
from mhagui.gui import motion_dialog
from mhagui.palette import WeightColours
from mhagui.settings import ExportChoices, MotionChoices, Preferences

LEFT = Qt.MouseButton.LeftButton


def box(dialog, name):
    return dialog.findChild(QWidget, name)


def message(dialog):
    return dialog.findChild(QLabel, "exportMessage").text()


def choose(dialog, name, data):
    combo = dialog.findChild(QComboBox, name)
    combo.setCurrentIndex(combo.findData(data))


def move(dialog, scene, quantity, head=0):
    """Choose what moves."""
    sliders = [(m.slider.quantity, m.slider.head) for m in sliders_of(scene)]
    dialog.findChild(QComboBox, "motionSlider").setCurrentIndex(sliders.index((quantity, head)))


def click(dialog, qtbot, name="exportButton"):
    qtbot.mouseClick(dialog.findChild(QPushButton, name), LEFT)


class Animate:
    """Stands for the drawing of a film: after the first step it waits for ``go``."""

    def __init__(self):
        self.asked, self.begun, self.go, self.ended = None, Event(), Event(), Event()
        self.error = None

    def __call__(self, *given, **options):
        self.asked = given, options
        return self.steps()

    def steps(self):
        try:
            yield Progress(1, 4, "Drawing frame 1 of 4")
            self.begun.set()
            assert self.go.wait(20)
            if self.error:
                raise self.error
            yield Progress(2, 4, "Drawing frame 2 of 4")
            yield Progress(4, 4, "Written", b"GIF89a the film")
        finally:
            self.ended.set()


@pytest.fixture
def animate(monkeypatch):
    animate = Animate()
    monkeypatch.setattr(motion_dialog, "animate", animate)
    yield animate
    animate.go.set()


# --- what it offers


def test_it_offers_all_that_moves_and_begins_with_the_gain_of_the_cursors_head(
    bench, open_dialog, unseen
):
    bench.point(head=3)
    dialog = open_dialog()
    combo = dialog.findChild(QComboBox, "motionSlider")
    titles = [combo.itemText(row) for row in range(combo.count())]
    assert titles == [movable.title for movable in sliders_of(bench.scene)]
    assert combo.currentText() == "h3 gain, self"
    assert (box(dialog, "motionStart").text(), box(dialog, "motionStop").text()) == ("0.00", "4.00")
    assert "24 frames in 2 s" in dialog.findChild(QLabel, "motionDuration").text()


def test_whole_numbers_are_written_whole(bench, open_dialog, unseen):
    dialog = open_dialog()
    move(dialog, bench.scene, Quantity.LENGTH)
    start, stop = box(dialog, "motionStart"), box(dialog, "motionStop")
    assert (start.text(), stop.text()) == ("2", "12")
    start.stepUp()
    assert start.text() == "3"
    move(dialog, bench.scene, Quantity.KEY_MAGNITUDE)
    assert (start.text(), stop.text()) == ("0.00", "6.00")


def test_a_gain_from_beyond_the_slider_is_in_its_range(bench, open_dialog, unseen):
    bench.edit(set_gain(1, 7.5))
    dialog = open_dialog()
    assert box(dialog, "motionStop").value() == 7.5


def test_there_and_back_shows_in_the_duration(open_dialog, unseen, qtbot):
    dialog = open_dialog()
    duration = dialog.findChild(QLabel, "motionDuration")
    for name, words in (("motionBack", "46 frames in 3.83 s"), ("motionLoop", "47 frames")):
        check = dialog.findChild(QCheckBox, name)
        check.setFocus()
        qtbot.keyClick(check, Qt.Key.Key_Space)
        assert words in duration.text()
    box(dialog, "motionDpi").setValue(300)
    assert "2007 pixels wide" in duration.text()  # 170 mm
    kinds = dialog.findChild(QComboBox, "motionFormat")
    kinds.setCurrentIndex(kinds.findData("mp4"))
    assert "2008 pixels wide" in duration.text()  # which has to be even
    assert not dialog.findChild(QCheckBox, "motionLoop").isEnabled()


def test_an_end_that_the_scene_refuses_is_said_and_not_exported(
    bench, open_dialog, unseen, type_in, settle, chosen
):
    dialog = open_dialog()
    move(dialog, bench.scene, Quantity.LENGTH)
    type_in(box(dialog, "motionStart"), "0")
    assert "sequence length T must be a whole number from 1" in message(dialog)
    settle()
    button = dialog.findChild(QPushButton, "exportButton")
    assert not button.isEnabled()
    assert chosen.dialogs == []  # the key that ended the typing asked for no file
    type_in(box(dialog, "motionStart"), "2", Qt.Key.Key_Tab)
    assert message(dialog) == ""
    assert button.isEnabled()


def test_what_is_no_number_is_refused_with_a_sentence(open_dialog, unseen, type_in, settle, chosen):
    dialog = open_dialog()
    type_in(box(dialog, "motionFrames"), "1")
    assert "must be a whole number from 2 to 600" in message(dialog)
    settle()
    assert chosen.dialogs == []
    assert box(dialog, "motionFrames").value() == 24
    assert dialog.findChild(QPushButton, "exportButton").isEnabled()


def disabled(combo):
    """Return the data of entries that cannot be chosen, with the reasons."""
    rows = [row for row in range(combo.count()) if not combo.model().item(row).isEnabled()]
    return {combo.itemData(r): combo.itemData(r, Qt.ItemDataRole.ToolTipRole) for r in rows}


def test_without_ffmpeg_mp4_is_greyed_with_the_reason(open_dialog, unseen, monkeypatch):
    dialog = open_dialog()
    combo = dialog.findChild(QComboBox, "motionFormat")
    assert [combo.itemData(row) for row in range(combo.count())] == list(MOVIES)
    assert disabled(combo) == {}

    def find_ffmpeg():
        raise UserError(movies.NO_FFMPEG)

    monkeypatch.setattr(movies, "find_ffmpeg", find_ffmpeg)
    dialog = open_dialog()
    combo = dialog.findChild(QComboBox, "motionFormat")
    assert disabled(combo) == {"mp4": movies.NO_FFMPEG}


def test_figures_that_the_scene_lacks_are_greyed_with_the_reason(bench, open_dialog, unseen):
    bench.edit(SetSequenceLength(64))  # one-hot tokens repeat, so no W_Q gives back Q
    dialog = open_dialog()
    reasons = disabled(dialog.findChild(QComboBox, "motionFigure"))
    assert reasons.keys() == {"packed-wq", "packed-wk"}
    assert "W_Q" in reasons["packed-wq"]


# --- what it writes


def test_it_writes_the_film_that_is_asked_for(bench, open_dialog, unseen, qtbot, chosen):
    dialog = open_dialog()
    move(dialog, bench.scene, Quantity.GAIN, head=1)
    choose(dialog, "motionFigure", "output")
    choose(dialog, "motionFormat", "gif")
    for name, value in (("motionFrames", 3), ("motionFps", 5), ("motionDpi", 30)):
        box(dialog, name).setValue(value)
    box(dialog, "motionStop").setValue(2)
    dialog.findChild(QCheckBox, "motionBack").click()
    click(dialog, qtbot)
    qtbot.waitUntil(lambda: "written to" in message(dialog), timeout=20_000)
    assert str(chosen.path) in message(dialog)
    ((name, suffix, mode),) = chosen.dialogs
    assert name.endswith("output-h2-gain.gif")
    assert (suffix, mode) == ("gif", QFileDialog.AcceptMode.AcceptSave)
    with Image.open(chosen.path) as image:
        assert (image.n_frames, image.info["duration"], image.info["loop"]) == (4, 200, 0)
        assert image.width == 200  # 170 mm at 30 dpi
    assert [path.name for path in chosen.path.parent.iterdir()] == ["film.gif"]


def test_the_style_is_shown_and_what_is_made_of_it_is_that_of_figures_too(
    open_dialog, unseen, qtbot, chosen, animate
):
    preferences = Preferences(None, print)
    style = FigureStyle(ground=Ground.DARK, title=True)
    preferences.change(export=ExportChoices(style=style, formats=("eps",)))
    dialog = open_dialog(preferences)
    ground, title = box(dialog, "style_ground"), box(dialog, "style_title")
    assert (ground.currentText(), title.isChecked()) == ("Dark", True)
    assert not ground.isVisible()
    dialog.findChild(QTabBar, "sideTabs").setFocus()
    qtbot.keyClick(dialog.focusWidget(), Qt.Key.Key_Right)
    assert ground.isVisible()
    title.setFocus()
    qtbot.keyClick(title, Qt.Key.Key_Space)
    choose(dialog, "motionFormat", "gif")
    click(dialog, qtbot)
    (subject, *_), _ = animate.asked
    assert (subject.style.ground, subject.style.title) == (Ground.DARK, False)
    dialog.done(0)
    wanted = ExportChoices(style=FigureStyle(ground=Ground.DARK), formats=("eps",))
    colours = {
        field: getattr(subject.style, field)
        for field in ("weight_colours", "signed_colours", "colour_scale")
    }
    kept = msgspec.structs.replace(wanted, style=msgspec.structs.replace(wanted.style, **colours))
    assert preferences.settings.export == kept  # the page of figures and their formats stay


def test_it_looks_as_exported_figures_do(bench, open_dialog, unseen, qtbot, chosen, animate):
    bench.look(colour_scale=ColourScale.LOGARITHMIC)
    style = FigureStyle(
        preset=Preset.SLIDE, ground=Ground.DARK, weight_colours=WeightColours.CIVIDIS, title=True
    )
    bench.point(head=2, query=4)
    for as_in_window, colours, scale in (
        (False, WeightColours.CIVIDIS, ColourScale.LINEAR),
        (True, bench.view.appearance.weight_colours, ColourScale.LOGARITHMIC),
    ):
        preferences = Preferences(None, print)
        preferences.change(
            export=ExportChoices(style=style, as_in_window=as_in_window),
            motion=MotionChoices(preset=Preset.SINGLE_COLUMN),
        )
        dialog = open_dialog(preferences)
        choose(dialog, "motionFormat", "gif")
        click(dialog, qtbot)
        (subject, name, _, kind, fps), options = animate.asked
        wanted = msgspec.structs.replace(
            style, preset=Preset.SINGLE_COLUMN, weight_colours=colours, colour_scale=scale, dpi=150,
            signed_colours=subject.style.signed_colours,
        )  # fmt: skip
        assert subject.style == wanted
        assert (subject.scene, subject.row, subject.head) == (bench.scene, 4, 1)
        assert (name, kind, fps) == ("heads", "gif", 12)
        assert options == {"loop": True, "there_and_back": False}
        dialog.done(0)


def test_a_file_that_ends_otherwise_is_not_written(open_dialog, unseen, qtbot, chosen, animate):
    dialog = open_dialog()
    click(dialog, qtbot)
    assert message(dialog) == "film.gif is not written: Animated PNG files end in .png."
    assert animate.asked is None


def test_where_no_file_is_chosen_nothing_begins(open_dialog, unseen, qtbot, chosen, animate):
    chosen.accepts = False
    dialog = open_dialog()
    choose(dialog, "motionFormat", "gif")
    click(dialog, qtbot)
    chosen.accepts = True
    assert animate.asked is None
    assert dialog.findChild(QPushButton, "exportCancel").isVisible() is False


@pytest.fixture
def busy(open_dialog, unseen, qtbot, chosen, animate):
    """A dialog that draws a film, which waits after the first step."""
    dialog = open_dialog()
    choose(dialog, "motionFormat", "gif")
    dialog.findChild(QComboBox, "motionFigure").setFocus()
    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    assert animate.begun.wait(10)
    return dialog


def test_while_it_draws_it_says_how_far_it_is(busy, qtbot, chosen, animate):
    bar = busy.findChild(QProgressBar)
    qtbot.waitUntil(lambda: message(busy) == "Drawing frame 1 of 4")
    assert bar.isVisible()
    assert (bar.value(), bar.maximum()) == (1, 4)
    assert not box(busy, "motionFigure").isEnabled()
    assert not box(busy, "exportButton").isEnabled()
    assert busy.focusWidget() is box(busy, "exportCancel")
    animate.go.set()
    qtbot.waitUntil(chosen.path.exists)
    qtbot.waitUntil(box(busy, "exportButton").isEnabled)
    assert chosen.path.read_bytes() == b"GIF89a the film"
    assert not bar.isVisible()
    assert busy.focusWidget() is box(busy, "motionFigure")


@pytest.mark.parametrize("by", ["button", "key"])
def test_cancelled_it_writes_nothing_and_goes_on(busy, qtbot, chosen, animate, by):
    if by == "button":
        click(busy, qtbot, "exportCancel")
    else:
        qtbot.keyClick(busy, Qt.Key.Key_Escape)
    assert message(busy) == "Cancelled; nothing is written."
    assert busy.isVisible()
    assert box(busy, "exportButton").isEnabled()
    animate.go.set()
    assert animate.ended.wait(10)  # what it had begun is put away
    assert list(chosen.path.parent.iterdir()) == []
    click(busy, qtbot)
    qtbot.waitUntil(chosen.path.exists)
    qtbot.keyClick(busy, Qt.Key.Key_Escape)
    assert not busy.isVisible()


def test_closed_while_it_draws_it_writes_nothing(busy, chosen, animate, qtbot):
    assert not box(busy, "exportClose").isEnabled()  # there is Cancel, which says so
    busy.close()
    assert not busy.isVisible()
    animate.go.set()
    assert animate.ended.wait(10)
    qtbot.wait(50)
    assert list(chosen.path.parent.iterdir()) == []


def test_what_cannot_be_drawn_is_said_and_what_was_there_stays(busy, qtbot, chosen, animate):
    chosen.path.write_bytes(b"old")
    animate.error = UserError("A frame would have too many pixels.")
    animate.go.set()
    qtbot.waitUntil(lambda: message(busy) == "A frame would have too many pixels.")
    assert chosen.path.read_bytes() == b"old"
    assert box(busy, "exportButton").isEnabled()


def test_what_cannot_be_written_is_said(busy, qtbot, chosen, animate):
    chosen.path.mkdir()
    animate.go.set()
    qtbot.waitUntil(lambda: "is a folder" in message(busy))
    assert str(chosen.path) in message(busy)


# --- what it remembers


def test_what_is_chosen_is_there_again(open_dialog, unseen, qtbot, chosen, animate):
    preferences = Preferences(None, print)
    dialog = open_dialog(preferences)
    choose(dialog, "motionFigure", "entropy")
    choose(dialog, "motionFormat", "gif")
    for name, value in (("motionFrames", 9), ("motionFps", 7), ("motionDpi", 99)):
        box(dialog, name).setValue(value)
    dialog.findChild(QComboBox, "style_preset").setCurrentText("Slide, 16:9")
    for name in ("motionBack", "motionLoop"):
        dialog.findChild(QCheckBox, name).click()
    click(dialog, qtbot)  # a file is chosen in a folder
    dialog.done(0)
    kept = MotionChoices(
        figure="entropy", kind="gif", preset=Preset.SLIDE, dpi=99, n_frames=9, fps=7,
        there_and_back=True, loop=False, folder=str(chosen.path.parent),
    )  # fmt: skip
    assert preferences.settings.motion == kept
    again = open_dialog(preferences)
    assert again.choices() == kept
    click(again, qtbot, "exportReset")
    assert again.choices() == MotionChoices()


@pytest.mark.parametrize("number", [-1, 10**30])
def test_whatever_is_remembered_it_opens(bench, open_dialog, unseen, number):
    bench.edit(SetSequenceLength(64))
    preferences = Preferences(None, print)
    for figure in ("hologram", "packed-wq"):  # one is not known, the other not of this scene
        preferences.change(
            motion=MotionChoices(figure=figure, kind="avi", dpi=number, n_frames=number, fps=number)
        )
        choices = open_dialog(preferences).choices()
        assert (choices.figure, choices.kind) == ("heads", "apng")
        assert (choices.n_frames, choices.fps, choices.dpi) == (
            (2, 1, 30) if number < 0 else (600, 50, 600)
        )


# --- keys


def test_tab_goes_through_all_of_it_in_order(open_dialog, unseen, qtbot):
    dialog = open_dialog()
    assert dialog.focusWidget() is box(dialog, "motionFigure")
    order = []
    while not order or order[-1] != "motionFigure":
        qtbot.keyClick(dialog.focusWidget(), Qt.Key.Key_Tab)
        order.append(dialog.focusWidget().objectName())
        assert len(order) < 20
    assert order[-5:-1] == ["exportReset", "exportButton", "exportClose", "sideTabs"]
    assert [name for name in order if name.startswith(("motion", "side"))] == [
        "motionSlider", "motionStart", "motionStop", "motionFrames", "motionFps", "motionBack",
        "motionLoop", "motionDpi", "motionFormat", "motionPlay", "motionFrame", "sideTabs",
        "motionFigure",
    ]  # fmt: skip


def test_no_two_labels_answer_to_one_letter(open_dialog, unseen):
    dialog = open_dialog()
    kinds = QLabel, QCheckBox, QPushButton
    for tab in range(2):
        dialog.findChild(QTabBar, "sideTabs").setCurrentIndex(tab)
        widgets = [w for kind in kinds for w in dialog.findChildren(kind) if w.isVisible()]
        words = [widget.text() for widget in widgets]
        letters = [text[text.index("&") + 1].lower() for text in words if "&" in text]
        assert len(letters) == len(set(letters)) >= 11
