"""The lesson dock: no text is cut, and keys reach all of it."""

from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QLabel


@pytest.mark.parametrize("number", range(1, 7))
@pytest.mark.parametrize(("width", "points"), [(290, 10), (340, 9), (400, 14)])
def test_no_text_is_cut(qapp, make, settle, number, width, points):
    font = qapp.font()
    size = font.pointSize()
    font.setPointSize(points)
    qapp.setFont(font)
    try:
        dock = make(width=width, height=2200)
        dock.session.choose(number)
        dock.page.hint.click()
        settle()
        assert dock.width() == width
        for label in dock.findChildren(QLabel):
            if not label.isVisible() or not label.text():
                continue
            wanted = label.heightForWidth(label.width()) if label.wordWrap() else 0
            assert label.height() >= wanted, label.text()
            if not label.wordWrap():
                assert label.width() >= label.sizeHint().width(), label.text()
        room = dock.choice.width() - 50  # icon and arrow
        metrics = dock.choice.fontMetrics()
        assert metrics.horizontalAdvance(dock.choice.currentText()) <= room
    finally:
        font.setPointSize(size)
        qapp.setFont(font)


@pytest.mark.parametrize("number", range(1, 7))
def test_tab_goes_from_top_to_bottom_through_all(dock, qtbot, settle, number):
    dock.session.choose(number)
    dock.choice.setFocus()
    settle()
    places, names = [], []
    for _ in range(60):
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        settle()
        widget = QApplication.focusWidget()
        if widget is dock.choice:
            break
        assert widget.toolTip() or isinstance(widget, QLabel)
        assert widget.accessibleName() or widget.text()
        names.append(widget.objectName())
        places.append(widget.mapTo(dock.widget().widget(), QPoint()).toTuple()[::-1])
        where = widget.mapTo(dock.widget().viewport(), widget.rect().center())
        assert dock.widget().viewport().rect().contains(where)
    rows = [y for y, _ in places]
    assert all(after > before - 8 for before, after in pairwise(rows))
    assert {"lessonStart", "lessonHint", "lessonNext", "lessonExport", "lessonStartOver"} <= set(
        names
    )
    questions = len(dock.page.exercise.questions)
    assert {f"question{n}Check" for n in range(1, questions + 1)} <= set(names)
