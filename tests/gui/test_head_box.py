"""The box to choose a head from never cuts a name."""

import pytest
from PySide6.QtCore import Qt

from mhagui.document import load_lesson
from mhagui.gui.widgets.head_box import HeadBox


@pytest.fixture
def box(qtbot):
    def make(name, width):
        box = HeadBox()
        box.addItem(name)
        qtbot.addWidget(box)
        box.resize(width, 28)
        box.show()
        return box

    return make


def test_where_the_name_would_be_cut_its_number_stands_alone(box, grabbed):
    assert (grabbed(box("h2 previous token", 80)) == grabbed(box("h2", 80))).all()


def test_where_there_is_room_the_whole_name_is_there(box, grabbed):
    assert (grabbed(box("h2 previous token", 220)) != grabbed(box("h2", 220))).any()


def test_heads_are_listed_by_uid_and_told_when_the_user_chooses(qtbot):
    box = HeadBox()
    qtbot.addWidget(box)
    told = []
    box.head_chosen.connect(told.append)
    heads = load_lesson("four-heads").heads
    box.show_heads((heads[3], heads[1]), 2)
    texts = [box.itemText(place) for place in range(box.count())]
    assert texts == ["h1 uniform", "h2 previous token"]
    assert box.currentIndex() == 1
    assert told == []
    box.show_heads((heads[1], heads[3]), 2)
    assert box.currentText() == "h1 previous token"
    qtbot.keyClick(box, Qt.Key.Key_Down)
    assert told == [4]
