"""Where the keyboard is, on what the style shows it on too faintly."""

from PySide6.QtCore import QEvent, QObject, QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QLabel,
    QRadioButton,
    QSlider,
    QStyle,
    QStyleOptionButton,
    QToolButton,
    QWidget,
)


class FocusRings(QObject):
    """Draws a frame on the button, slider or text to which the keyboard comes, in all of ``app``.

    Fusion veils the words of a mark, and a flat tool button, in a colour hardly darker or lighter
    than the ground, outlines a slider's handle in hardly another, and text that can be copied not
    at all. All else shows the focus well by itself.
    """

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        app.focusChanged.connect(self._on_focus_changed)

    def _on_focus_changed(self, old: QWidget | None, new: QWidget | None) -> None:
        for ring in old.findChildren(_Ring) if old is not None else ():
            ring.hide()
            ring.deleteLater()
        if new is not None and _is_faint(new):
            _Ring(new).show()


class _Ring(QWidget):
    """A frame on a widget, as large as that; seen where keys and no click brought the focus."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self._widget = widget
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.resize(widget.size())
        widget.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Be as large as the widget."""
        if event.type() == QEvent.Type.Resize:
            self.resize(self._widget.size())
        return False

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the frame as heatmaps draw theirs."""
        if self.window().testAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange):
            painter = QPainter(self)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(self.palette().highlight().color(), 2.0))
            painter.drawRoundedRect(QRectF(self._box()).adjusted(1, 1, -1, -1), 3, 3)
            painter.end()

    def _box(self) -> QRect:
        """Return where the words of a mark are, or all of another widget."""
        if not isinstance(self._widget, QRadioButton | QCheckBox):
            return self.rect()
        element = QStyle.SubElement
        is_radio = isinstance(self._widget, QRadioButton)
        part = element.SE_RadioButtonFocusRect if is_radio else element.SE_CheckBoxFocusRect
        option = QStyleOptionButton()
        self._widget.initStyleOption(option)
        return self.style().subElementRect(part, option, self._widget)


def _is_faint(widget: QWidget) -> bool:
    if isinstance(widget, QToolButton):
        return widget.autoRaise()
    return isinstance(widget, QRadioButton | QCheckBox | QSlider | QLabel)
