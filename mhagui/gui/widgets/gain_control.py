"""A gain as a slider beside a number box."""

from PySide6.QtCore import QRect, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPalette, QWheelEvent
from PySide6.QtWidgets import QHBoxLayout, QSlider, QStyle, QStyleOptionSlider, QWidget

from mhagui.gui.theme import theme_of
from mhagui.gui.widgets.number_box import NumberBox

UNITS = 100  # slider units in a gain of 1: hundredths
SLIDER_TOP = 4 * UNITS
ARROW_STEP = 5
PAGE_STEP = 50
BOX_LIMIT = 100.0
DETENT_PIXELS = 3
_NOTCH = 120  # angle delta of one click of a common wheel
_TIP = "Arrow keys ±0.05, Page keys ±0.5, double click 1"


class GainSlider(QSlider):
    """A slider from 0 to 4 in hundredths, with a detent for the mouse at 1.

    A press on the groove goes where it points; the handle, taken anywhere, follows the pointer. The
    wheel turns it in arrow steps, a touchpad in hundredths.

    Signals
    -------
    reset_asked
        A double click asks for a gain of exactly 1.
    """

    reset_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setRange(0, SLIDER_TOP)
        self.setSingleStep(ARROW_STEP)
        self.setPageStep(PAGE_STEP)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._grip = 0
        self._turned = 0.0

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take the handle, or bring it to the pointer."""
        if event.button() != Qt.MouseButton.LeftButton:
            event.ignore()
            return
        at = event.position().toPoint()
        handle = self._rect(QStyle.SubControl.SC_SliderHandle)
        taken = handle.contains(at)
        self._grip = at.x() - self._centre_of(self.value()) if taken else 0
        self.setSliderDown(True)
        if not taken:
            self._drag_to(at.x())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Follow the pointer."""
        if self.isSliderDown():
            self._drag_to(event.position().toPoint().x())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let the handle go."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.setSliderDown(False)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Ask for a gain of 1."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.reset_asked.emit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Turn by an arrow step a notch; parts of a notch add up."""
        delta = event.angleDelta().y()
        if delta == 0:
            event.ignore()
            return
        if self._turned * delta < 0:
            self._turned = 0.0
        self._turned += delta * ARROW_STEP / _NOTCH
        units = int(self._turned)
        self._turned -= units
        self.setValue(self.value() + units)
        event.accept()

    def initStyleOption(self, option: QStyleOptionSlider) -> None:
        """Make the handle stand out in the dark, where Fusion draws it as dark as the groove."""
        super().initStyleOption(option)
        theme = theme_of(self.palette())
        if theme.dark and self.isEnabled():
            palette = QPalette(option.palette)
            palette.setColor(QPalette.ColorRole.Button, theme.muted)
            option.palette = palette

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the slider over a tick that shows where 1 is."""
        painter = QPainter(self)
        groove = self._rect(QStyle.SubControl.SC_SliderGroove)
        tick = QRect(0, 0, 2, self._rect(QStyle.SubControl.SC_SliderHandle).height())
        tick.moveCenter(groove.center())
        tick.moveLeft(self._centre_of(UNITS))
        painter.fillRect(tick, theme_of(self.palette()).muted)
        painter.end()
        super().paintEvent(event)

    def _drag_to(self, x: int) -> None:
        centre = x - self._grip
        if abs(centre - self._centre_of(UNITS)) <= DETENT_PIXELS:
            self.setValue(UNITS)
            return
        start, span = self._travel()
        self.setValue(QStyle.sliderValueFromPosition(0, SLIDER_TOP, centre - start, span))

    def _centre_of(self, value: int) -> int:
        start, span = self._travel()
        return start + QStyle.sliderPositionFromValue(0, SLIDER_TOP, value, span)

    def _travel(self) -> tuple[int, int]:
        """Return where the handle's centre is at 0, and how many pixels it travels to the top."""
        groove = self._rect(QStyle.SubControl.SC_SliderGroove)
        width = self._rect(QStyle.SubControl.SC_SliderHandle).width()
        return groove.left() + width // 2, groove.width() - width

    def _rect(self, part: QStyle.SubControl) -> QRect:
        option = QStyleOptionSlider()
        self.initStyleOption(option)
        return self.style().subControlRect(QStyle.ComplexControl.CC_Slider, option, part, self)


class GainControl(QWidget):
    """A gain: a slider for the common range beside a box for every number from −100 to 100.

    Signals
    -------
    edited
        The user asks for a gain; carries it, and the drag it is of; None without one.
    refused
        What was typed was not taken; carries the sentence that says why.
    """

    edited = Signal(float, object)
    refused = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.slider = GainSlider()
        self.box = NumberBox(-BOX_LIMIT, BOX_LIMIT, ARROW_STEP / UNITS)
        self._gesture: object | None = None
        self._moves = 0
        self._tip = ""
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.slider, 1)
        row.addWidget(self.box)
        self.slider.sliderPressed.connect(self._begin_gesture)
        self.slider.valueChanged.connect(self._on_slider)
        self.slider.reset_asked.connect(self._reset)
        self.box.valueChanged.connect(self._on_box)
        self.box.refused.connect(self.refused)

    def describe(self, subject: str, tip: str) -> None:
        """Say whose gain it is: ``subject`` as in "The gain of h1", ``tip`` what it does."""
        self.box.describe(subject, f"{tip}\nTyped: any number from −100 to 100")
        self.slider.setAccessibleName(f"{subject}, slider")
        self._tip = f"{tip}\n{_TIP}"
        self.slider.setToolTip(self._tip)

    def show_gain(self, gain: float, *, why_fixed: str = "") -> None:
        """Show ``gain`` silently; a slider that can move nothing is greyed and says why."""
        self._show_on_slider(gain)
        self.box.show_value(gain)
        self.slider.setEnabled(not why_fixed)
        if self.slider.toolTip() != (why_fixed or self._tip):
            self.slider.setToolTip(why_fixed or self._tip)

    def sizeHint(self) -> QSize:
        """Ask for a slider on which a hundredth is not less than a pixel by much."""
        return super().sizeHint().expandedTo(QSize(self.box.sizeHint().width() + 120, 0))

    def _begin_gesture(self) -> None:
        self._gesture = object()
        self._moves = 0

    def _on_slider(self, value: int) -> None:
        self._moves += 1
        self.box.show_value(value / UNITS)
        self.edited.emit(value / UNITS, self._gesture if self.slider.isSliderDown() else None)

    def _reset(self) -> None:
        # The first click of the double click may have moved the slider: both are one step. A drag
        # that was before it is not.
        gesture = self._gesture if self._moves <= 1 else None
        self._begin_gesture()
        self.edited.emit(1.0, gesture or self._gesture)

    def _on_box(self, value: float) -> None:
        self._show_on_slider(value)
        self.edited.emit(value, None)

    def _show_on_slider(self, gain: float) -> None:
        units = round(min(max(gain * UNITS, 0.0), SLIDER_TOP))
        with QSignalBlocker(self.slider):
            if units != self.slider.value():  # somebody else's gain: a drag ends here
                self.slider.setSliderDown(False)
            self.slider.setValue(units)
