"""The preview of a film: its frames in few pixels, looked at one by one or played."""

from collections.abc import Sequence
from functools import partial
from threading import Event

import msgspec
from PySide6.QtCore import QEvent, QSignalBlocker, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QImage, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QSlider, QToolButton, QWidget

from mhagui.errors import UserError
from mhagui.figures.motion import Film
from mhagui.figures.movies import Packed
from mhagui.figures.style import MAX_DPI, MIN_DPI, FigureStyle
from mhagui.gui.export.drawn import image_of
from mhagui.gui.export.preview import page_of
from mhagui.gui.icons import icon
from mhagui.gui.theme import theme_of
from mhagui.gui.widgets.naming import named
from mhagui.gui.widgets.page import sentence
from mhagui.gui.worker import Worker

_LEAST = QSize(240, 200)
_PLAY_TIP = "Play the frames; the first time round each is drawn when it comes"


class MotionPreview(QWidget):
    """Shows the frames of a film, each drawn in a thread when it is first wanted.

    Signals
    -------
    drawn
        A frame is there.
    failed
        A frame cannot be drawn; carries the sentence that says why.
    """

    drawn = Signal()
    failed = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._worker = Worker(self)
        self._film: Film | None = None
        self._order: Sequence[int] = ()
        self._at = 0  # in the order
        self._kept: dict[int, Packed] = {}
        self._dropped = Event()  # set once what is being drawn is of no use any more
        self._awaits = False  # a frame
        self._picture, self._note = _Picture(), sentence("motionNote")
        self._slider, self._player = QSlider(Qt.Orientation.Horizontal), QToolButton()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._on_tick)
        self._build()
        self._show_playing()

    def _build(self) -> None:
        named(self._picture, "motionPicture", "Preview of the film", "")
        tip = "Which frame is shown"
        named(self._slider, "motionFrame", "Frame shown", tip)
        named(self._player, "motionPlay", "Play", _PLAY_TIP)
        self._player.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._player.setAutoRaise(True)
        self._player.clicked.connect(self._on_play)
        self._slider.valueChanged.connect(self._go_to)
        self._note.setWordWrap(False)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.addWidget(self._picture, 0, 0, 1, 2)
        grid.addWidget(self._player, 1, 0)
        grid.addWidget(self._slider, 1, 1)
        grid.addWidget(self._note, 2, 0, 1, 2)
        grid.setRowStretch(0, 1)

    @property
    def is_playing(self) -> bool:
        """Whether frames follow one another."""
        return self._timer.isActive()

    def style_of(self, style: FigureStyle, inches: float) -> FigureStyle:
        """Return ``style`` with the dots to the inch that a page so wide has in the preview."""
        pixels = self._picture.width() * self.devicePixelRatioF()
        dpi = min(max(round(pixels / inches), MIN_DPI), MAX_DPI)
        return msgspec.structs.replace(style, dpi=dpi)

    def show_film(self, film: Film, order: Sequence[int], fps: int) -> None:
        """Show ``film``, played in this ``order`` with ``fps`` frames a second."""
        at = min(self._slider.value(), len(film) - 1)
        self._drop()
        self._film, self._order, self._kept = film, order, {}
        self._timer.setInterval(round(1000 / fps))
        with QSignalBlocker(self._slider):
            self._slider.setRange(0, len(film) - 1)
            self._slider.setValue(at)
        self._slider.setEnabled(True)
        self._player.setEnabled(True)
        self._go_to(at)

    def show_nothing(self) -> None:
        """Have no film to show; the last picture stays, greyed."""
        self.stop()
        self._film = None
        self._note.clear()
        self._slider.setEnabled(False)
        self._player.setEnabled(False)
        self._picture.show_faded()

    def pause(self) -> None:
        """Play no more."""
        self._timer.stop()
        self._show_playing()

    def stop(self) -> None:
        """Play no more, and want nothing drawn."""
        self.pause()
        self._worker.cancel()
        self._drop()
        self._awaits = False

    def _drop(self) -> None:
        """Have what is being drawn given up soon."""
        self._dropped.set()
        self._dropped = Event()

    # --- what the user does

    def _on_play(self) -> None:
        if self.is_playing:
            self.pause()
        else:
            self._timer.start()
            self._show_playing()

    def _on_tick(self) -> None:
        if not self._awaits:
            self._go_to((self._at + 1) % len(self._order))

    def _show_playing(self) -> None:
        playing = self.is_playing
        self._player.setIcon(icon("pause" if playing else "play"))
        self._player.setAccessibleName("Pause" if playing else "Play")
        self._player.setToolTip("Stay at this frame" if playing else _PLAY_TIP)

    # --- drawing

    def _go_to(self, at: int) -> None:
        """Show what comes ``at`` this place of the order, as soon as it is drawn."""
        film = self._film
        if film is None:
            return
        self._at = at
        number = self._order[at]
        first = film.first_like(number)
        self._awaits = first not in self._kept
        if not self._awaits:
            self._show(film, number)
            return
        draw = partial(_drawn, film, first, self._dropped)
        self._worker.run(draw, partial(self._on_drawn, film, number), self._on_failed)

    def _on_drawn(self, film: Film, number: int, drawn: Packed | None) -> None:
        self._awaits = False
        if drawn is not None and film is self._film:
            self._kept[film.first_like(number)] = drawn
            self._show(film, number)
            self.drawn.emit()

    def _show(self, film: Film, number: int) -> None:
        self._picture.show_image(image_of(self._kept[film.first_like(number)].pixels(), film.style))
        with QSignalBlocker(self._slider):
            self._slider.setValue(number)
        self._note.setText(f"Frame {number + 1} of {len(film)}: {film.note(number)}")

    def _on_failed(self, error: Exception) -> None:
        self.show_nothing()
        is_told = isinstance(error, UserError)
        self.failed.emit(str(error) if is_told else "This figure cannot be drawn.")

    def hideEvent(self, event: QHideEvent) -> None:
        """Play to nobody no longer."""
        self.pause()
        super().hideEvent(event)


def _drawn(film: Film, number: int, dropped: Event) -> Packed | None:
    """Return a frame; None where it is of no use before it could be drawn."""
    for _ in film.measure():
        if dropped.is_set():
            return None
    return Packed.of(film.frame(number))


class _Picture(QLabel):
    """Shows a frame as large as there is room for; greyed while it is disabled."""

    def __init__(self) -> None:
        super().__init__("Drawing…")
        self._image = QImage()
        self.setMinimumSize(_LEAST)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)

    def show_image(self, image: QImage) -> None:
        """Show ``image``."""
        self._image = image
        self.setEnabled(True)
        self._paint()

    def show_faded(self) -> None:
        """Show that the image is not what is asked for."""
        self.setEnabled(False)
        if self._image.isNull():
            self.clear()

    def _paint(self) -> None:
        if not self._image.isNull():
            room = self.size() - QSize(2, 2)  # without the line around it
            points = self._image.size().scaled(room, Qt.AspectRatioMode.KeepAspectRatio)
            line, ratio = theme_of(self.palette()).card_border, self.devicePixelRatioF()
            self.setPixmap(page_of(self._image, points.toSizeF(), ratio, line))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fill the room that there is now."""
        super().resizeEvent(event)
        self._paint()

    def changeEvent(self, event: QEvent) -> None:
        """Draw the line of another theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._paint()
