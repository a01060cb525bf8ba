"""The export dialog has room for its words, in a small window and in large type."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QCheckBox,
    QComboBox,
    QLabel,
    QTabBar,
    QWidget,
)

from mhagui.gui.export.preview import Preview
from mhagui.gui.export.side import Side, Sides
from mhagui.gui.widgets.fitting_label import FittingLabel

KINDS = (QLabel, QAbstractButton, QComboBox, QAbstractSpinBox)


@pytest.fixture(autouse=True)
def unseen(monkeypatch):
    """Draw no figure: here it is looked at what stands around it."""
    monkeypatch.setattr(Preview, "show_figure", lambda *_: None)


def is_cut(widget):
    need = widget.sizeHint() if isinstance(widget, QLabel) else widget.minimumSizeHint()
    if isinstance(widget, QLabel) and widget.wordWrap():
        return widget.heightForWidth(widget.width()) > widget.height() + 1
    return need.width() > widget.width() + 1 or need.height() > widget.height() + 1


def written(dialog):
    widgets = [w for w in dialog.findChildren(QWidget) if isinstance(w, KINDS) and w.isVisible()]
    return [w for w in widgets if not isinstance(w, FittingLabel)]


@pytest.mark.parametrize("points", [9, 11, 14, 18])
@pytest.mark.parametrize("size", [(800, 560), (1240, 760)], ids=["small", "usual"])
def test_nothing_is_cut(open_dialog, set_points, settle, points, size):
    set_points(points)
    dialog = open_dialog("induction", size=size)
    settle()
    assert dialog.width() == size[0]
    seen = set()
    for side in dialog.findChildren(Side):
        dialog.findChild(Sides).setCurrentWidget(side)
        settle()
        seen |= set(written(dialog))
        assert [f"{w} {w.objectName()}" for w in written(dialog) if is_cut(w)] == []
        assert side.widget().width() <= side.viewport().width()
    assert len(seen) > 40


def test_all_choices_are_in_sight_on_a_small_laptop(open_dialog, settle):
    dialog = open_dialog(size=(1284, 700))  # of 1366 x 768, less what stands around windows
    settle()
    for side in dialog.findChildren(Side):
        dialog.findChild(Sides).setCurrentWidget(side)
        settle()
        assert side.verticalScrollBar().maximum() == 0


def test_keys_reach_the_other_tab(open_dialog, qtbot, settle):
    dialog = open_dialog()
    tabs = dialog.findChild(QTabBar, "sideTabs")
    assert [tabs.tabText(number) for number in range(tabs.count())] == ["Style", "Files"]
    png = dialog.findChild(QCheckBox, "format_png")
    assert not png.isVisible()
    tabs.setFocus()
    qtbot.keyClick(tabs, Qt.Key.Key_Right)
    assert png.isVisible()
    qtbot.keyClick(tabs, Qt.Key.Key_Tab)
    assert dialog.focusWidget() is png


def test_where_it_is_narrow_labels_stand_above(open_dialog, set_points, settle):
    set_points(18)
    dialog = open_dialog(size=(800, 560))
    settle()
    page = dialog.findChild(QComboBox, "style_preset")
    label = next(w for w in dialog.findChildren(QLabel) if w.buddy() is page)
    assert label.geometry().bottom() <= page.geometry().top()
    assert label.geometry().left() <= page.geometry().left()
    set_points(9)
    dialog.resize(1240, 760)
    settle()
    assert label.geometry().right() < page.geometry().left()


def test_nothing_moves_when_a_message_comes_and_goes(open_dialog, settle):
    dialog = open_dialog()
    settle()
    places = [w.geometry() for w in written(dialog)]
    dialog.bottom.say("EPS files know no transparency: their ground is white.")
    settle()
    assert [w.geometry() for w in written(dialog)] == places
