"""A window with a place for unsaved work, and work that was left behind there."""

import hashlib
import os
import shutil

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMainWindow, QPushButton

from mhagui.document.edits import set_gain
from mhagui.document.session_file import read_session
from mhagui.gui.file_session import FileSession
from mhagui.gui.notices import NoticeBar
from mhagui.gui.recovery import Recovery, RecoveryOffer


class Window(QMainWindow):
    """What of the main window counts here: a file, a place for unsaved work, notices."""

    def __init__(self, bench, folder, keep_every=3600.0):
        super().__init__()
        self.bench = bench
        self.files = FileSession(bench, self, lambda: None)
        self.recovery = Recovery(folder, self, keep_every)
        self.notices = NoticeBar()
        self.notices.add_to(self)
        self.offer = RecoveryOffer(self.recovery, self.notices, self.files.recover)
        self.said = []
        self.recovery.said.connect(self.said.append)
        self.recovery.begin(self.files)

    def leave(self):
        self.recovery.end()
        self.close()

    def notice(self):
        return self.notices.findChild(QLabel, "notice").text()

    def press(self, text):
        QApplication.processEvents()  # of a notice that has come just now
        buttons = [b for b in self.notices.findChildren(QPushButton) if b.isVisible()]
        QTest.mouseClick(next(b for b in buttons if b.text() == text), Qt.MouseButton.LeftButton)


@pytest.fixture
def an_id():
    """A function that gives a name as those that windows give to the places of their work."""
    return lambda word: hashlib.md5(str(word).encode()).hexdigest()


@pytest.fixture
def dead(folder, an_id):
    """The place of the work that ``leave`` leaves behind."""
    return folder / an_id("dead")


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "state" / "recovery"


@pytest.fixture
def kept(folder):
    """A function that gives what is kept, as (path, session), oldest first."""

    def kept():
        paths = sorted(folder.glob("*/unsaved.mhascene"), key=os.path.getmtime)
        return [(path, read_session(path)) for path in paths]

    return kept


@pytest.fixture
def open_window(bench, folder, qtbot):
    windows = []  # or one that its test does not name would go when garbage is collected

    def open_window(keep_every=3600.0):
        window = Window(bench, folder, keep_every)
        windows.append(window)
        qtbot.addWidget(window, before_close_func=Window.leave)
        window.show()
        return window

    return open_window


@pytest.fixture
def window(open_window):
    return open_window()


@pytest.fixture
def leave(window, bench, folder, dead):
    """A function that leaves work behind, as a window that was killed does."""

    def leave(gain, name=dead.name):
        bench.edit(set_gain(1, gain))
        assert window.recovery.keep_now()
        shutil.copytree(
            folder / window.recovery._place_of(window.files.origin).file.parent.name, folder / name
        )
        scene = bench.scene
        while bench.history.undo_text:
            bench.undo()
        return scene

    return leave
