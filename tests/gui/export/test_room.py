"""The export dialog has room for its words, in a small window and in large type."""

import pytest
from PySide6.QtWidgets import QAbstractButton, QAbstractSpinBox, QComboBox, QLabel, QWidget

from mhagui.gui.export.preview import Preview
from mhagui.gui.export.side import Side
from mhagui.gui.widgets.fitting_label import FittingLabel

KINDS = (QLabel, QAbstractButton, QComboBox, QAbstractSpinBox)


@pytest.fixture(autouse=True)
def unseen(monkeypatch):
    """Draw no figure: here it is looked at what stands around it."""
    monkeypatch.setattr(Preview, "show_figure", lambda *_: None)


@pytest.fixture
def set_points(qapp):
    """A function that sets the size of the system's type."""

    def set_points(points):
        font = qapp.font()
        font.setPointSize(points)
        qapp.setFont(font)

    before = qapp.font().pointSize()
    yield set_points
    set_points(before)


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
    assert len(written(dialog)) > 40
    assert [f"{w} {w.objectName()}" for w in written(dialog) if is_cut(w)] == []
    side = dialog.findChild(Side)
    assert side.widget().width() <= side.viewport().width()


def test_fields_of_both_forms_begin_at_one_place_beside_their_labels(open_dialog, settle):
    dialog = open_dialog()
    settle()
    lefts = {
        field.mapTo(dialog, field.rect().topLeft()).x()
        for field in (*dialog.findChildren(QComboBox), *dialog.findChildren(QAbstractSpinBox))
        if field.objectName().startswith("style_") or field.objectName() == "exportDpi"
    }
    assert len(lefts) == 1


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
