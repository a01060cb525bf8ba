"""What Qt calls fails alone: whoever called Qt goes on, and Qt gets an answer that it can use."""

import pytest
from PySide6.QtCore import QAbstractListModel, QEvent, QModelIndex
from PySide6.QtWidgets import QApplication, QWidget

from mhagui.gui import guarded
from mhagui.gui.guarded import guard_overrides


@pytest.fixture
def fails(monkeypatch):
    """A widget and a model all of whose methods fail that Qt calls, guarded as the program's."""
    monkeypatch.setattr(guarded, "OWN", "only.these.")

    class Fails(QWidget):
        __module__ = "only.these.widgets"

        def event(self, event):
            if event.type() == QEvent.Type.User:
                raise ValueError("event")
            return super().event(event)

        def changeEvent(self, event):  # noqa: N802 - Qt's word
            raise ValueError("change")

        def sizeHint(self):  # noqa: N802 - Qt's word
            raise ValueError("size")

        def own(self):
            raise ValueError("own")

    class FailingModel(QAbstractListModel):
        __module__ = "only.these.models"

        def rowCount(self, parent=QModelIndex()):  # noqa: B008, N802 - Qt's word
            return 1

        def data(self, index, role=0):
            raise KeyError(role)

    guard_overrides()
    return Fails, FailingModel


def test_whoever_called_qt_goes_on_and_the_fault_is_told(qtbot, fails):
    widget = fails[0]()
    qtbot.addWidget(widget)
    with qtbot.captureExceptions() as faults:
        widget.setEnabled(False)
        QApplication.sendEvent(widget, QEvent(QEvent.Type.User))
        assert widget.sizeHint() == QWidget.sizeHint(widget)
    assert [str(error) for _, error, _ in faults] == ["change", "event", "size"]
    assert not widget.isEnabled()


def test_a_model_that_fails_has_no_data(qapp, qtbot, fails):
    model = fails[1]()
    with qtbot.captureExceptions() as faults:
        assert model.data(model.index(0), role=3) is None
    assert [str(error) for _, error, _ in faults] == ["3"]
    assert model.rowCount() == 1


def test_what_qt_does_not_call_fails_as_ever(qtbot, fails):
    widget = fails[0]()
    qtbot.addWidget(widget)
    with pytest.raises(ValueError, match="own"):
        widget.own()
