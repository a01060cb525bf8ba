"""The box to choose a head from never cuts a name."""

import pytest

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
