"""The bar that tells what the user should know: quiet, one thing at a time, by mouse and by key."""

from functools import partial

import pytest
from PySide6.QtCore import QObject, QPoint, Qt, QUrl, Signal, Slot
from PySide6.QtGui import QAccessible, QDesktopServices, QFont, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QDockWidget,
    QLabel,
    QLineEdit,
    QMainWindow,
    QPlainTextEdit,
    QPushButton,
    QToolButton,
)

from mhagui.gui.details_dialog import DetailsDialog
from mhagui.gui.notices import NoticeBar

LONG = " ".join(
    ["The file /home/ada/lectures/attention/four-heads.mhascene is open elsewhere."] * 4
)
LEFT = Qt.MouseButton.LeftButton


class FileBrowser(QObject):
    """Stands for whatever shows folders on this system."""

    opened = Signal(str)

    @Slot(QUrl)
    def open(self, url):
        self.opened.emit(url.toLocalFile())


@pytest.fixture
def window(qtbot):
    """A window with a bar for notices between a tool bar and a dock that has a field."""
    window = QMainWindow()
    bar = window.addToolBar("Main")
    bar.setObjectName("main")
    bar.addAction("Open")
    window.notices = NoticeBar()
    window.notices.add_to(window)
    dock = QDockWidget("Dock", window)
    dock.setObjectName("dock")
    dock.setWidget(QLineEdit())
    window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, dock)
    window.resize(900, 400)
    qtbot.addWidget(window)
    with qtbot.waitExposed(window):
        window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    return window


@pytest.fixture
def tell(window, settle):
    """A function that tells of something, and lets it be laid out."""

    def tell(*arguments, **options):
        window.notices.tell(*arguments, **options)
        laid_out(settle)

    return tell


def laid_out(settle):
    """Let a window's layout come to rest, of which each part asks the next in another turn."""
    for _ in range(4):
        settle()


def told(window):
    return window.findChild(QLabel, "notice").text()


def waiting(window):
    label = window.findChild(QLabel, "noticesWaiting")
    return label.text() if label.isVisible() else ""


def button(window, text):
    return next(b for b in window.findChildren(QPushButton) if b.text() == text and b.isVisible())


def details(window):
    return window.findChild(QPushButton, "noticeDetails")


def dismiss(window, qtbot):
    qtbot.mouseClick(window.findChild(QToolButton, "dismissNotice"), LEFT)


def test_what_does_not_hold_any_more_is_taken_back_wherever_it_waits(window, tell, settle):
    for sentence in ("One.", "Two.", "Three."):
        tell(sentence)
    settle()
    window.notices.withdraw("Two.")
    assert (told(window), waiting(window)) == ("Three.", "1 more")
    window.notices.withdraw("Three.")
    assert (told(window), waiting(window)) == ("One.", "")
    window.notices.withdraw("What was never told.")
    assert told(window) == "One."
    window.notices.withdraw("One.")
    assert not window.notices.isVisible()


def test_nothing_is_there_when_there_is_nothing_to_tell(window, tell, qtbot, settle):
    dock = window.findChild(QDockWidget)
    before = dock.geometry()
    assert not window.notices.isVisible()
    tell("One thing.")
    settle()
    assert window.notices.isVisible()
    assert dock.geometry().top() > before.top()
    dismiss(window, qtbot)
    settle()
    assert not window.notices.isVisible()
    assert dock.geometry() == before


def test_it_takes_nobodys_keyboard(window, tell):
    window.findChild(QLineEdit).setFocus()
    tell("One thing.", "More.", [("&Do it", print)])
    assert window.findChild(QLineEdit).hasFocus()


def test_the_newest_is_told_first_and_those_before_it_come_back(window, tell, qtbot):
    for sentence in ("One.", "Two.", "Three."):
        tell(sentence)
    assert (told(window), waiting(window)) == ("Three.", "2 more")
    dismiss(window, qtbot)
    assert (told(window), waiting(window)) == ("Two.", "1 more")
    dismiss(window, qtbot)
    assert (told(window), waiting(window)) == ("One.", "")
    dismiss(window, qtbot)
    assert not window.notices.isVisible()


def test_what_is_urgent_stays_before_what_is_not(window, tell, qtbot):
    tell("Not read.", is_urgent=True)
    tell("By the way.")
    tell("Not written.", is_urgent=True)
    assert (told(window), waiting(window)) == ("Not written.", "2 more")
    dismiss(window, qtbot)
    assert told(window) == "Not read."
    dismiss(window, qtbot)
    assert told(window) == "By the way."


def test_what_is_being_answered_by_keyboard_stays(window, tell, qtbot):
    done = []
    tell("Work is kept.", actions=[("&Recover", partial(done.append, 1))])
    window.notices.take_focus()
    tell("Two.", actions=[("&Again", partial(done.append, 2))], is_urgent=True)
    assert (told(window), waiting(window)) == ("Work is kept.", "1 more")
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Space)
    assert done == [1]
    assert told(window) == "Two."


def test_the_same_is_counted_whether_it_is_shown_or_waits(window, tell, qtbot):
    tell("One.")
    tell("Two.")
    tell("One.")
    tell("Two.", times=3)
    assert (told(window), waiting(window)) == ("Two (4 times).", "1 more")
    dismiss(window, qtbot)
    assert (told(window), waiting(window)) == ("One (2 times).", "")
    dismiss(window, qtbot)
    tell("One.")
    assert told(window) == "One."


def test_an_action_is_done_once_and_answers(window, tell, qtbot):
    done = []
    tell("Two.", actions=[("&Again", partial(done.append, 3))])
    tell(
        "Work is kept.",
        actions=[("&Recover", partial(done.append, 1)), ("&Discard", partial(done.append, 2))],
    )
    qtbot.mouseClick(button(window, "&Discard"), LEFT)
    assert done == [2]
    assert told(window) == "Two."
    assert [b.text() for b in window.findChildren(QPushButton) if b.isVisible()] == ["&Again"]


def test_an_action_may_tell_of_something_itself(window, tell, qtbot):
    tell("One.", actions=[("&Go", partial(window.notices.tell, "Done."))])
    qtbot.mouseClick(button(window, "&Go"), LEFT)
    assert told(window) == "Done."
    assert window.notices.isVisible()


def test_mnemonics_act_from_anywhere(window, tell, qtbot):
    done = []
    tell("Work is kept.", actions=[("&Recover", partial(done.append, 1))])
    window.findChild(QLineEdit).setFocus()
    qtbot.keyClick(window.findChild(QLineEdit), Qt.Key.Key_R, Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(lambda: done == [1])
    assert window.findChild(QLineEdit).hasFocus()


def test_by_keyboard_in_through_and_out_again(window, tell, qtbot):
    field = window.findChild(QLineEdit)
    field.setFocus()
    window.notices.take_focus()  # nothing is there to go to
    assert field.hasFocus()
    for sentence in ("Two.", "One."):
        tell(sentence, "More.", [("&Go", print)])
    window.notices.take_focus()
    assert button(window, "&Go").hasFocus()
    passed = []
    for _ in range(3):
        passed.append(QApplication.focusWidget().objectName())
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
    assert passed[1:] == ["noticeDetails", "dismissNotice"]
    window.notices.take_focus()
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Escape)
    assert told(window) == "Two."
    assert button(window, "&Go").hasFocus()
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Escape)
    assert not window.notices.isVisible()
    assert field.hasFocus()


def test_escape_elsewhere_leaves_it(window, tell, qtbot):
    tell("One.")
    window.findChild(QLineEdit).setFocus()
    qtbot.keyClick(window.findChild(QLineEdit), Qt.Key.Key_Escape)
    assert window.notices.isVisible()


def test_details_are_offered_where_there_are_any_read_and_copied(window, tell, qtbot, tmp_path):
    tell("One.", folder=tmp_path)
    assert not details(window).isVisible()
    dismiss(window, qtbot)
    tell("Two <b>bold</b>.", "Traceback:\n  <here>", folder=tmp_path)
    qtbot.mouseClick(details(window), LEFT)
    dialog = window.findChild(DetailsDialog)
    assert dialog.findChild(QPlainTextEdit).toPlainText() == "Traceback:\n  <here>"
    qtbot.mouseClick(dialog.findChild(QPushButton, "copyDetails"), LEFT)
    assert QGuiApplication.clipboard().text() == "Two <b>bold</b>.\n\nTraceback:\n  <here>\n"
    assert told(window) == "Two <b>bold</b>."  # reading is no answer
    browser, opened = FileBrowser(), []
    browser.opened.connect(opened.append)
    QDesktopServices.setUrlHandler("file", browser, "open")
    qtbot.mouseClick(dialog.findChild(QPushButton, "openLogs"), LEFT)
    QDesktopServices.unsetUrlHandler("file")
    assert opened == [str(tmp_path)]
    qtbot.waitUntil(dialog.isActiveWindow)
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_what_has_no_folder_offers_none(window, tell, qtbot):
    tell("One.", "More.")
    qtbot.mouseClick(details(window), LEFT)
    dialog = window.findChild(DetailsDialog)
    assert dialog.findChild(QPushButton, "openLogs") is None
    dialog.reject()


@pytest.mark.parametrize("points", [9, 10, 14])
@pytest.mark.parametrize("width", [500, 900, 1600])
def test_a_long_sentence_is_whole_at_every_width_and_size(window, tell, settle, points, width):
    tell("Two.")
    tell(LONG, "More.", [("&Recover", print), ("D&iscard", print)])
    font = QFont(window.font())
    font.setPointSize(points)
    window.setFont(font)
    window.resize(width, 400)
    laid_out(settle)
    label = window.findChild(QLabel, "notice")
    assert label.height() >= label.heightForWidth(label.width())
    assert label.height() < 1.5 * label.heightForWidth(label.width())
    bar = window.notices
    for widget in (label, details(window), button(window, "&Recover"), button(window, "D&iscard")):
        assert bar.rect().contains(widget.rect().translated(widget.mapTo(bar, QPoint())))
        if widget is not label:
            assert widget.width() >= widget.minimumSizeHint().width()
    assert bar.width() == window.width()


def test_a_saved_layout_neither_brings_it_nor_takes_it_away(window, tell, settle):
    empty = window.saveState()
    tell("One.")
    full = window.saveState()
    window.restoreState(empty)
    settle()
    assert window.notices.isVisible()
    window.notices.dismiss()
    window.restoreState(full)
    settle()
    assert not window.notices.isVisible()


def test_it_cannot_be_switched_off_by_mistake(window):
    menu = window.createPopupMenu()
    assert "Notices" not in [action.text() for action in menu.actions() if action.isVisible()]
    menu.deleteLater()


def test_a_screen_reader_finds_names_for_all_of_it(window, tell):
    tell("Two.")
    tell("One.", "More.", [("&Recover", print)])
    names = {}
    for widget in window.notices.findChildren(QLabel) + window.notices.findChildren(QPushButton):
        if widget.isVisible():
            told_of = QAccessible.queryAccessibleInterface(widget)
            names[widget.objectName()] = told_of.text(QAccessible.Text.Name)
    closer = window.findChild(QToolButton, "dismissNotice")
    name = QAccessible.queryAccessibleInterface(closer).text(QAccessible.Text.Name)
    assert name == "Dismiss this notice"
    assert all(names.values())


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_its_text_stands_out(window, tell, settle, request, grabbed, theme):
    request.getfixturevalue(theme)
    tell("One sentence that is written out.")
    settle()
    pixels = grabbed(window.findChild(QLabel, "notice")).reshape(-1, 3) / 255.0
    linear = pixels**2.2 @ (0.2126, 0.7152, 0.0722)
    low, high = sorted((linear.min(), linear.max()))
    assert (high + 0.05) / (low + 0.05) >= 7.0


def test_tab_goes_through_all_of_a_notice_with_buttons(window, tell):
    tell("First")
    window.notices.dismiss()
    tell("Something was kept.", "more", (("&One", print), ("&Two", print)))
    window.notices.take_focus()
    way = [QApplication.focusWidget()]
    for _ in range(3):
        QTest.keyClick(way[-1], Qt.Key.Key_Tab)
        way.append(QApplication.focusWidget())
    assert [button.text() for button in way[:3]] == ["&One", "&Two", "&Details…"]
    assert way[3].objectName() == "dismissNotice"
