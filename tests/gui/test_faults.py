"""Exceptions that nobody caught: all go to the log and to one quiet notice, and nothing ends."""

import gc
import sys
import threading
import time
from itertools import pairwise

import pytest
from PySide6.QtCore import QEvent, QObject, QTimer, qWarning
from PySide6.QtWidgets import QApplication, QLabel, QMainWindow, QMessageBox, QPushButton, QWidget

from mhagui.document import load_lesson
from mhagui.fault_log import MOST_A_MINUTE, FaultLog
from mhagui.gui import application, main_window
from mhagui.gui import faults as faults_module
from mhagui.gui.details_dialog import DetailsDialog
from mhagui.gui.faults import Faults, faults_caught
from mhagui.gui.guarded import guard
from mhagui.gui.notices import NoticeBar
from mhagui.gui.worker import Worker


def sentence(times=1):
    text = "Something went wrong in mhagui; your work is untouched"
    return f"{text}." if times == 1 else f"{text} ({times} times)."


@pytest.fixture
def log(tmp_path):
    log = FaultLog(tmp_path / "logs")
    yield log
    log.close()


@pytest.fixture
def faults(qapp, log, monkeypatch):
    monkeypatch.setattr(faults_module, "GATHERED_FOR", 20)
    monkeypatch.delenv("MHAGUI_DEBUG", raising=False)
    faults = Faults(log)
    with faults_caught(faults):
        yield faults
    faults.deleteLater()


@pytest.fixture
def window(qtbot, faults):
    window = QMainWindow()
    window.notices = NoticeBar()
    window.notices.add_to(window)
    qtbot.addWidget(window)
    with qtbot.waitExposed(window):
        window.show()
    faults.tell_in(window.notices)
    return window


def told(window):
    return window.findChild(QLabel, "notice").text() if window.notices.isVisible() else ""


def n_waiting(window):
    label = window.findChild(QLabel, "noticesWaiting")
    return int(label.text().split()[0]) if label.isVisible() else 0


def divide():
    return 1 // 0


class Unpaintable(QWidget):
    """Fails whenever Qt paints it."""

    def paintEvent(self, event):  # noqa: N802 - Qt's word
        divide()


class Allergic(QWidget):
    """Fails at one event that Qt hands it."""

    def event(self, event):
        if event.type() == QEvent.Type.User:
            divide()
        return super().event(event)


guard(Unpaintable)  # as the program guards its own; without it Python 3.11 may crash
guard(Allergic)


class Clingy:
    """Fails when it is freed, which nobody can catch."""

    def __del__(self):
        divide()


def in_a_slot(window):
    QTimer.singleShot(0, divide)


def in_a_virtual_method(window):
    QApplication.postEvent(Allergic(window), QEvent(QEvent.Type.User))


def in_a_worker(window):
    Worker(window).run(divide, print, print)


def in_a_thread(window):
    thread = threading.Thread(target=divide)
    thread.start()
    thread.join()


def in_a_clean_up(window):
    Clingy()
    gc.collect()


@pytest.mark.parametrize(
    "fault", [in_a_slot, in_a_virtual_method, in_a_worker, in_a_thread, in_a_clean_up]
)
def test_it_is_told_and_logged_from_wherever_it_comes(window, qtbot, log, capfd, fault):
    fault(window)
    qtbot.waitUntil(lambda: told(window) == sentence())
    text = log.path.read_text()
    assert text.count("Traceback") == 1
    assert "in divide\n    return 1 // 0\n" in text
    assert n_waiting(window) == 0
    assert "Traceback" not in capfd.readouterr().err
    clicked = []
    button = QPushButton(window)
    button.clicked.connect(lambda: clicked.append(True))
    button.click()
    assert len(clicked) == 1  # all goes on


def test_the_details_say_where_on_what_and_where_the_log_is(window, qtbot, log):
    in_a_slot(window)
    qtbot.waitUntil(lambda: bool(told(window)))
    window.findChild(QPushButton, "noticeDetails").click()
    dialog = window.findChild(DetailsDialog)
    text = dialog.findChild(QObject, "details").toPlainText()
    assert "return 1 // 0" in text
    assert "numpy" in text
    assert "Python" in text
    assert str(log.path.parent) in dialog.findChild(QPushButton, "openLogs").toolTip()
    dialog.reject()


def test_a_widget_that_fails_at_each_painting_is_told_of_once_and_counted(window, qtbot, log):
    widget = Unpaintable(window)
    widget.resize(300, 200)
    widget.show()
    changes = []
    label = window.findChild(QLabel, "notice")

    def repaint_and_look():
        widget.update()
        if not changes or changes[-1][1] != label.text():
            changes.append((time.monotonic(), label.text()))

    timer = QTimer(window)
    timer.timeout.connect(repaint_and_look)
    timer.start(0)
    qtbot.waitUntil(lambda: told(window).endswith(" times).") and len(changes) > 5)
    timer.stop()
    widget.hide()
    assert n_waiting(window) == 0
    gaps = [later[0] - sooner[0] for sooner, later in pairwise(changes[2:])]
    # Of the 20 ms between two tellings; a late one makes the next come the sooner.
    assert sum(gaps) > 0.010 * len(gaps)  # seconds


def test_a_flood_fills_neither_the_log_nor_the_bar_nor_the_queue(window, qtbot, log, faults):
    with pytest.raises(ZeroDivisionError) as raised:
        divide()
    for _ in range(2000):
        faults.catch(raised.value, "here")
    qtbot.waitUntil(lambda: told(window) == sentence(2000))
    assert n_waiting(window) == 0
    assert log.path.read_text().count("Traceback") == MOST_A_MINUTE


def test_faults_of_many_kinds_are_one_notice_with_some_of_them(window, qtbot, faults):
    for number in range(300):
        faults.catch(type(f"Error{number}", (Exception,), {})("on purpose"), "here")
    qtbot.waitUntil(lambda: told(window) == sentence(300))
    assert n_waiting(window) == 0
    window.findChild(QPushButton, "noticeDetails").click()
    dialog = window.findChild(DetailsDialog)
    text = dialog.findChild(QObject, "details").toPlainText()
    assert [f"Error{number}: on purpose" in text for number in range(6)] == [*[True] * 5, False]
    dialog.reject()


def test_what_came_before_there_was_a_window_is_told_when_there_is_one(qtbot, faults, settle):
    faults.catch(ValueError("too soon"), "at the start")
    settle()
    window = QMainWindow()
    window.notices = NoticeBar()
    window.notices.add_to(window)
    qtbot.addWidget(window)
    window.show()
    faults.tell_in(window.notices)
    assert told(window) == sentence()


def test_what_cannot_be_logged_is_told_all_the_same(qtbot, tmp_path, window, log):
    (tmp_path / "logs").write_text("a file in the way")
    in_a_thread(window)
    qtbot.waitUntil(lambda: told(window) == sentence())


@pytest.mark.qt_log_ignore("QThing: not so", extend=True)
def test_what_qt_complains_of_is_logged_and_shown_to_nobody(window, settle, log):
    qWarning("QThing: not so")
    settle()
    assert "WARNING Qt: QThing: not so" in log.path.read_text()
    assert not window.notices.isVisible()


def test_a_debugger_sees_the_traceback_at_once(window, qtbot, monkeypatch, capsys):
    monkeypatch.setenv("MHAGUI_DEBUG", "1")
    in_a_slot(window)
    qtbot.waitUntil(lambda: bool(told(window)))
    assert "return 1 // 0" in capsys.readouterr().err


def test_afterwards_all_is_as_it_was(qapp, log):
    before = sys.excepthook, threading.excepthook, sys.unraisablehook
    faults = Faults(log)
    with faults_caught(faults):
        pass
    assert (sys.excepthook, threading.excepthook, sys.unraisablehook) == before
    faults.deleteLater()


@pytest.mark.parametrize("is_seen", [True, False])
def test_a_start_that_fails_is_also_said_on_the_screen_if_there_is_one(
    qapp, monkeypatch, log, is_seen
):
    said = []
    monkeypatch.setattr(application, "UNSEEN", () if is_seen else ("offscreen",))
    monkeypatch.setattr(application, "guard_overrides", int)
    monkeypatch.setattr(main_window, "MainWindow", lambda *_, **__: divide())
    monkeypatch.setattr(QMessageBox, "critical", lambda *arguments: said.append(arguments[-1]))
    with pytest.raises(ZeroDivisionError):
        application._open_window(load_lesson("two-heads"), None, None, None, log)
    assert len(said) == is_seen
    assert all("ZeroDivisionError" in text and str(log.path) in text for text in said)
