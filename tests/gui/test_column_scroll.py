from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QVBoxLayout, QWidget

from mhagui.gui.widgets.column_scroll import ColumnScroll


def test_a_body_that_needs_more_room_gets_it(qtbot):
    window, body, label = QWidget(), QWidget(), QLabel("short")
    qtbot.addWidget(window)
    QVBoxLayout(body).addWidget(label)
    QVBoxLayout(window).addWidget(ColumnScroll(body))
    with qtbot.waitExposed(window):
        window.show()
    narrow = window.width()
    label.setMinimumWidth(narrow + 100)
    qtbot.waitUntil(lambda: window.width() >= narrow + 100)
    assert body.width() >= body.minimumSizeHint().width()


def test_it_scrolls_up_and_down_alone(qtbot):
    body, content = QWidget(), QWidget()
    content.setMinimumSize(200, 2000)
    QVBoxLayout(body).addWidget(content)
    scroll = ColumnScroll(body)
    qtbot.addWidget(scroll)
    scroll.resize(scroll.minimumSizeHint())
    with qtbot.waitExposed(scroll):
        scroll.show()
    QApplication.processEvents()
    assert scroll.verticalScrollBar().isVisible()
    assert not scroll.horizontalScrollBar().isVisible()
    assert scroll.viewport().width() >= 200
    assert scroll.focusPolicy() == Qt.FocusPolicy.NoFocus  # it would be a stop that does nothing
