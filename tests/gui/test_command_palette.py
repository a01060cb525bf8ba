"""The command palette: what it lists, in which order, and that the focus is back before it runs."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QLineEdit, QMainWindow

from mhagui.gui.command_palette import NO_COMMAND, CommandPalette
from mhagui.gui.commands import bare, commands_of, likeness

LEFT = Qt.MouseButton.LeftButton
CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


class Window(QMainWindow):
    """A window with a few commands, a field, and a list of what was run."""

    def __init__(self):
        super().__init__()
        self.ran = []
        self.field, other = QLineEdit("typed"), QLineEdit()
        self.setCentralWidget(self.field)
        other.setParent(self)
        self.other = other
        bar = self.menuBar()
        file, edit, view = (bar.addMenu(title) for title in ("&File", "&Edit", "&View"))
        self.add(file, "&Open…", "Ctrl+O")
        self.add(file, "&Save", "Ctrl+S")
        recent = file.addMenu("Open &recent")
        self.add(recent, "&1 salt && pepper.mhascene")
        file.addSeparator()
        self.add(edit, "&Undo", "Ctrl+Z").setEnabled(False)
        self.add(edit, "&Mute head", "Ctrl+M").setCheckable(True)
        self.add(edit, "secret").setVisible(False)
        theme = view.addMenu("&Theme")
        for name in ("Light", "Dark"):
            self.add(theme, name).setCheckable(True)
        theme.actions()[1].setChecked(True)
        grey = view.addMenu("&Grey")
        self.add(grey, "Inside")
        grey.setEnabled(False)
        late = view.addMenu("&Late")
        late.aboutToShow.connect(lambda: late.isEmpty() and self.add(late, "Come late"))

    def add(self, menu, text, keys=""):
        action = menu.addAction(text)
        action.setShortcut(keys)
        action.setStatusTip(f"Does {bare(text)}")

        def run():
            self.ran.append((bare(text), self.focusWidget()))

        action.triggered.connect(run)
        return action


@pytest.fixture
def window(qtbot):
    window = Window()
    window.resize(900, 600)
    qtbot.addWidget(window)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    window.field.setFocus()
    return window


@pytest.fixture
def palette(window):
    palette = CommandPalette(window)
    palette.toggle()
    return palette


def rows(palette, column=1):
    return [
        palette.list.topLevelItem(row).text(column)
        for row in range(palette.list.topLevelItemCount())
    ]


def current(palette):
    return palette.list.currentItem().text(1)


def type_(palette, text):
    palette.query.selectAll()
    QTest.keyClick(palette.query, Qt.Key.Key_Delete)
    QTest.keyClicks(palette.query, text)


def press(key):
    """Press ``key`` where the keyboard is."""
    QTest.keyClick(QApplication.focusWidget(), key)


# ----------------------------------------------------------------------------------- what is listed


def test_it_lists_every_command_with_its_path_in_the_order_of_the_menus(palette):
    assert rows(palette) == [
        "File › Open…",
        "File › Save",
        "File › Open recent › 1 salt & pepper.mhascene",
        "Edit › Undo",
        "Edit › Mute head",
        "View › Theme › Light",
        "View › Theme › Dark",
        "View › Grey › Inside",
        "View › Late › Come late",
    ]
    assert rows(palette, 2)[:2] == ["Ctrl+O", "Ctrl+S"]
    assert [name for name, state in zip(rows(palette), rows(palette, 0), strict=True) if state] == [
        "View › Theme › Dark"
    ]


def test_what_is_grey_in_a_menu_is_grey_here_and_does_not_run(palette, window, qtbot):
    grey = {
        palette.list.topLevelItem(row).text(1)
        for row in range(palette.list.topLevelItemCount())
        if palette.list.topLevelItem(row).isDisabled()
    }
    assert grey == {"Edit › Undo", "View › Grey › Inside"}
    type_(palette, "undo")
    press(Qt.Key.Key_Return)
    click(qtbot, palette, 0)
    assert window.ran == []
    assert palette.isVisible()


def click(qtbot, palette, row):
    box = palette.list.visualItemRect(palette.list.topLevelItem(row))
    qtbot.mouseClick(palette.list.viewport(), LEFT, pos=box.center())


def test_letters_narrow_the_list_to_the_likeliest_first(palette):
    type_(palette, "dark")
    assert rows(palette)[0] == current(palette) == "View › Theme › Dark"
    type_(palette, "mh")
    assert current(palette) == "Edit › Mute head"
    type_(palette, "DARK theme")
    assert current(palette) == "View › Theme › Dark"
    type_(palette, "qqq")
    assert rows(palette) == [NO_COMMAND]
    assert not palette.list.selectedItems()


def test_arrows_choose_while_one_types_and_pass_over_what_is_grey(palette):
    assert current(palette) == "File › Open…"
    for _ in range(3):
        press(Qt.Key.Key_Down)
    assert current(palette) == "Edit › Mute head"
    press(Qt.Key.Key_Up)
    assert current(palette).startswith("File › Open recent")
    press(Qt.Key.Key_PageDown)
    assert current(palette) == "View › Late › Come late"
    press(Qt.Key.Key_PageUp)
    assert current(palette) == "File › Open…"
    assert palette.query.hasFocus()


# ------------------------------------------------------------------------------------- what it does


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter])
def test_enter_runs_with_the_focus_back_where_it_was(palette, window, key):
    type_(palette, "mute")
    press(key)
    assert window.ran == [("Mute head", window.field)]
    assert window.field.hasFocus()
    assert not palette.isVisible()


def test_a_click_runs_too(palette, window, qtbot):
    click(qtbot, palette, 1)
    assert window.ran == [("Save", window.field)]


def test_escape_closes_and_runs_nothing(palette, window):
    press(Qt.Key.Key_Escape)
    assert not palette.isVisible()
    assert window.field.hasFocus()
    assert window.ran == []


def test_asked_for_again_it_goes(palette, window):
    palette.toggle()
    assert not palette.isVisible()
    assert window.field.hasFocus()


def test_a_click_elsewhere_closes_it_and_keeps_the_focus_there(palette, window, qtbot):
    window.other.show()
    window.other.setFocus(Qt.FocusReason.MouseFocusReason)
    assert not palette.isVisible()
    assert window.other.hasFocus()


def test_tab_does_not_leave_it(palette):
    press(Qt.Key.Key_Tab)
    press(Qt.Key.Key_Backtab)
    assert palette.query.hasFocus()


def test_what_ran_last_comes_first_next_time(palette, window):
    for text in ("save", "dark"):
        type_(palette, text)
        press(Qt.Key.Key_Return)
        palette.toggle()
    assert rows(palette)[:3] == ["View › Theme › Dark", "File › Save", "File › Open…"]
    assert len(rows(palette)) == 9
    assert palette.query.text() == ""


def test_a_widget_that_had_the_focus_may_be_gone_by_then(palette, window, settle):
    window.takeCentralWidget().deleteLater()
    settle()
    type_(palette, "save")
    press(Qt.Key.Key_Return)
    assert [name for name, _ in window.ran] == ["Save"]


def test_it_stays_within_the_window_and_follows_its_size(palette, window, settle):
    for width, height in ((420, 400), (1600, 900)):
        window.resize(width, height)
        settle()
        box = palette.geometry()
        assert window.rect().contains(box)
        assert abs(box.center().x() - width // 2) <= 1
        assert box.top() >= window.menuBar().geometry().bottom()


def test_its_rows_are_described_in_words(palette, window):
    said = [
        palette.list.topLevelItem(row).data(1, Qt.ItemDataRole.AccessibleTextRole)
        for row in range(palette.list.topLevelItemCount())
    ]
    assert said[1] == "File › Save, Ctrl+S"
    assert said[3:5] == ["Edit › Undo, Ctrl+Z, not available now", "Edit › Mute head, off, Ctrl+M"]
    assert said[6] == "View › Theme › Dark, on"
    assert palette.list.topLevelItem(1).toolTip(1) == "Does Save"


def test_what_enter_would_run_is_said_to_whoever_does_not_see_it(palette, monkeypatch):
    said = []
    listening = SimpleNamespace(
        isActive=lambda: True, updateAccessibility=lambda event: said.append(event.message())
    )
    monkeypatch.setattr("mhagui.gui.access.QAccessible", listening)
    type_(palette, "s")
    press(Qt.Key.Key_Down)
    assert said[0] == "File › Save, Ctrl+S"
    assert len(said) == 2


# ---------------------------------------------------------------------------------- in the program


def called(window):
    """Press Ctrl+Shift+P; return what that brings."""
    QTest.keyClick(window, Qt.Key.Key_P, CONTROL | SHIFT)
    palette = window.findChild(CommandPalette)
    assert palette.isVisible()
    return palette


def test_in_the_window_it_acts_on_the_cursors_head(open_window):
    window = open_window()
    window.bench.point(head=3)
    palette = called(window)
    listed = rows(palette)
    assert "File › Lessons › induction" in listed
    assert "View › Docks › Entropy" in listed
    assert "View › Theme › Dark" in listed
    assert len(listed) == len(commands_of(window.menuBar()))
    QTest.keyClicks(palette.query, "mute")
    QTest.keyClick(palette.query, Qt.Key.Key_Return)
    assert [head.muted for head in window.bench.scene.heads] == [False, False, True, False]
    palette.toggle()
    QTest.keyClicks(palette.query, "docks entropy")
    QTest.keyClick(palette.query, Qt.Key.Key_Return)
    assert window.docks.entropy.isAncestorOf(window.focusWidget())


def test_what_is_typed_in_a_box_is_taken_before_a_command_runs(open_window, qtbot, settle):
    window = open_window()
    box = window.findChild(QAbstractSpinBox, "gainBox1")
    box.setFocus()
    box.selectAll()
    qtbot.keyClicks(box, "3.3")
    palette = called(window)
    QTest.keyClicks(palette.query, "edit undo")
    QTest.keyClick(palette.query, Qt.Key.Key_Return)
    assert window.bench.history.redo_text == "Change gain"
    assert window.bench.scene.heads[0].gain == 1.0


# ------------------------------------------------------------------------------------- fuzzy search


@pytest.mark.parametrize(
    ("query", "best", "worse"),
    [
        ("save", "File › Save", "File › Some archive"),
        ("vtd", "View › Theme › Dark", "Vertical sidings"),
        ("ent", "View › Docks › Entropy", "Save in the next tab"),
        ("mute", "Edit › Mute head", "Commute"),
        ("head", "Edit › Mute head", "Shed a tear"),
    ],
)
def test_starts_of_words_and_letters_in_a_row_count(query, best, worse):
    assert likeness(query, best) > (likeness(query, worse) or 0)


@given(st.text(max_size=20), st.text(max_size=30))
def test_a_name_is_found_by_any_letters_of_it_in_their_order_and_by_no_others(query, name):
    words, text = query.casefold().split(), name.casefold()

    def stands_in(word):
        rest = iter(text)
        return all(letter in rest for letter in word)

    assert (likeness(query, name) is not None) == all(map(stands_in, words))


@given(st.text(min_size=1, max_size=20), st.data())
def test_a_word_typed_on_never_finds_more(name, data):
    query = data.draw(st.text(max_size=6))
    if likeness(query, name) is None:
        assert likeness(query + data.draw(st.characters()), name) is None


@pytest.mark.parametrize(
    ("text", "shown"),
    [("&Open…", "Open…"), ("Save &as…", "Save as…"), ("salt && pepper", "salt & pepper")],
)
def test_mnemonics_are_left_out(text, shown):
    assert bare(text) == shown


def test_the_clipboard_is_left_alone(palette):
    QGuiApplication.clipboard().setText("mine")
    type_(palette, "dark")
    assert QGuiApplication.clipboard().text() == "mine"
