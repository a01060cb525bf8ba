"""View > Layout: a layout is chosen, saved under a name, replaced, deleted."""

import re

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QComboBox, QDialogButtonBox, QLabel, QLineEdit, QTabBar

from mhagui.gui.layout_menu import LayoutMenu
from mhagui.gui.layouts import DEFAULT, PRESENT
from mhagui.home import Home
from mhagui.settings import FILE_NAME, Preferences, SettingsStore

OK, SAVE = QDialogButtonBox.StandardButton.Ok, QDialogButtonBox.StandardButton.Save
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def store(tmp_path):
    return SettingsStore(tmp_path / "settings.json")


@pytest.fixture
def menu(window, store):
    return LayoutMenu("&Layout", window.docks, Preferences(store, print), window)


def name_of(entry):
    return re.sub("&(.)", r"\1", entry.text())


def names(menu):
    return [name_of(entry) for entry in menu.actions() if entry.text()]


def action(menu, name) -> QAction:
    return next(each for each in menu.actions() if name_of(each) == name)


def choose(menu, name, settle):
    action(menu, name).trigger()
    settle()


@pytest.fixture
def save_as(menu, qtbot, settle):
    """A function that saves the present layout, and tells what the dialog said of the name."""

    def save_as(name, *, expected=True):
        said = []

        def fill_in():
            dialog = QApplication.activeModalWidget()
            field = dialog.findChild(QLineEdit, "layoutName")
            qtbot.keyClicks(field, name)
            said.append(dialog.findChild(QLabel, "layoutMessage").text())
            button = dialog.findChild(QDialogButtonBox).button(SAVE)
            assert button.isEnabled() is expected
            qtbot.keyClick(field, Qt.Key.Key_Return)
            if not expected:
                assert dialog.isVisible()
                qtbot.keyClick(field, Qt.Key.Key_Escape)

        QTimer.singleShot(0, fill_in)
        choose(menu, "Save layout as…", settle)
        return said[0]

    return save_as


def test_a_layout_is_chosen(menu, window, settle):
    choose(menu, "Present", settle)
    assert window.docks.layout().shown() == PRESENT.shown()
    choose(menu, "Default", settle)
    assert window.docks.layout().shown() == DEFAULT.shown()


def test_a_layout_that_is_chosen_or_reset_is_kept_at_once(open_window, settle, tmp_path):
    home = Home.below(tmp_path)
    window = open_window(home=home)

    def shown_after_a_crash():
        kept = SettingsStore(home.config / FILE_NAME).load()[0].layout
        return (kept or DEFAULT).shown()

    choose(window.findChild(LayoutMenu), "Present", settle)
    assert shown_after_a_crash() == PRESENT.shown()
    window.findChild(QAction, "reset_layout").trigger()
    assert shown_after_a_crash() == DEFAULT.shown()


def test_learn_has_the_history_behind_the_heads_as_at_first(menu, window, settle):
    choose(menu, "Learn", settle)
    tabs = [
        [bar.tabText(n) for n in range(bar.count())]
        for bar in window.findChildren(QTabBar)
        if bar.isVisible()
    ]
    assert ["Heads", "Cost", "History"] in tabs


def test_a_layout_of_ones_own_is_saved_chosen_and_there_at_the_next_start(
    menu, window, save_as, settle, store
):
    window.docks.rank.raise_()
    window.docks.heads.close()
    settle()
    mine = window.docks.layout()
    assert save_as("Ranks & more") == ""
    assert names(menu)[:4] == ["Default", "Learn", "Present", "Ranks & more"]
    choose(menu, "Default", settle)
    assert window.docks.heads.isVisible()
    again = LayoutMenu(
        "&Layout", window.docks, Preferences(SettingsStore(store.path), print), window
    )
    choose(again, "Ranks & more", settle)
    assert window.docks.heads.isHidden()
    assert window.docks.rank.is_in_sight()
    assert window.docks.layout() == mine


def test_a_name_that_is_taken_is_said_and_replaced(menu, window, save_as, settle):
    save_as("mine")
    window.docks.cost.raise_()
    settle()
    assert save_as(" mine ") == "“mine” is there already and will be replaced."
    assert names(menu).count("mine") == 1
    choose(menu, "Default", settle)
    choose(menu, "mine", settle)
    assert window.docks.cost.is_in_sight()


@pytest.mark.parametrize(
    ("name", "said"),
    [("", ""), ("   ", ""), ("Learn", "“Learn” comes with the program; choose another name.")],
)
def test_a_name_that_cannot_be_is_not_taken(menu, save_as, name, said):
    before = names(menu)
    assert save_as(name, expected=False) == said
    assert names(menu) == before


def test_a_layout_is_deleted(menu, save_as, qtbot, settle, store):
    assert not action(menu, "Delete layout…").isEnabled()
    for name in ("b", "A"):
        save_as(name)
    assert names(menu)[3:5] == ["A", "b"]

    def delete():
        dialog = QApplication.activeModalWidget()
        box = dialog.findChild(QComboBox)
        assert box.accessibleName() == "Layout to delete"
        assert [box.itemText(place) for place in range(box.count())] == ["A", "b"]
        qtbot.keyClick(box, Qt.Key.Key_Down)
        qtbot.mouseClick(dialog.findChild(QDialogButtonBox).button(OK), LEFT)

    QTimer.singleShot(0, delete)
    choose(menu, "Delete layout…", settle)
    assert "b" not in names(menu)
    assert list(SettingsStore(store.path).load()[0].layouts) == ["A"]


def test_every_entry_says_what_it_does_and_has_a_letter_of_its_own(menu, save_as):
    save_as("mine")
    entries = [each for each in menu.actions() if each.text()]
    assert all(each.statusTip() for each in entries)
    letters = [
        text[text.index("&") + 1].lower() for each in entries if "&" in (text := each.text())
    ]
    assert len(letters) == len(set(letters)) == 5
