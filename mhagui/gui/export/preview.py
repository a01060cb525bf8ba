"""The preview of a figure, as large as it will be or as there is room for."""

from functools import partial

from PySide6.QtCore import QEvent, QRectF, QSizeF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAction,
    QBrush,
    QColor,
    QGuiApplication,
    QImage,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QPixmap,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QCheckBox,
    QGridLayout,
    QLabel,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from mhagui.errors import UserError
from mhagui.figures import Subject
from mhagui.gui.export.drawn import Drawn, Room, draw
from mhagui.gui.icons import icon
from mhagui.gui.theme import theme_of
from mhagui.gui.widgets.fitting_label import FittingLabel
from mhagui.gui.widgets.naming import named
from mhagui.gui.widgets.page import heading
from mhagui.gui.worker import Worker

LEAST_DPI, MOST_DPI = 60.0, 400.0  # what a screen may say of itself and be believed
LATE = 300  # milliseconds after which it is said that a figure is being drawn
MARGIN = 12
_HAIR = 0.01
_SQUARE = 8  # of the checkerboard, in points
_CHECKS = QColor("#ffffff"), QColor("#dcdcdc")


class Preview(QWidget):
    """Shows one figure; what was there before stays until the next is drawn.

    Signals
    -------
    settled
        What was asked for is there, or it is said why it cannot be.
    said
        Something was done; carries a sentence.
    """

    settled = Signal()
    said = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._worker = Worker(self)
        self._wanted: tuple[str, Subject] | None = None
        self._drawn: Drawn | None = None
        self._area, self._picture = QScrollArea(), _Picture()
        self._size = FittingLabel()
        self._true_size = QCheckBox("True si&ze")
        self._caption = QAction("Copy caption", self)
        self._soon, self._late = QTimer(self), QTimer(self)
        for timer, wait, slot in ((self._soon, 0, self._draw), (self._late, LATE, self._say_late)):
            timer.setSingleShot(True)
            timer.setInterval(wait)
            timer.timeout.connect(slot)
        self._build()

    def show_figure(self, name: str, subject: Subject) -> None:
        """Show figure ``name`` of ``subject``, as soon as it is drawn."""
        self._wanted = (name, subject)
        self._soon.start()

    def show_in_true_size(self, is_true: bool) -> None:
        """Show figures as large as they will be, or as there is room for."""
        self._true_size.setChecked(is_true)

    @property
    def is_in_true_size(self) -> bool:
        """Whether figures are shown as large as they will be."""
        return self._true_size.isChecked()

    def cancel(self) -> None:
        """Want no more to be drawn."""
        self._worker.cancel()
        self._soon.stop()
        self._late.stop()

    def _build(self) -> None:
        self.setObjectName("exportPreview")
        self._area.setObjectName("previewArea")
        self._area.setWidget(self._picture)
        self._area.setWidgetResizable(True)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the picture has it
        for bar in (self._area.horizontalScrollBar(), self._area.verticalScrollBar()):
            bar.valueChanged.connect(self._picture.update)
        self._area.setBackgroundRole(QPalette.ColorRole.Midlight)
        self._area.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self._area.setMinimumSize(160, 120)
        named(
            self._true_size, "previewTrueSize", "Preview in true size",
            "Show the figure as large as it will be in print, instead of all of it",
        )  # fmt: skip
        self._true_size.toggled.connect(self._on_toggled)
        self._caption.setIcon(icon("duplicate"))
        self._caption.setToolTip("Copy the caption: what the figure shows, in words")
        self._caption.setEnabled(False)  # until there is a figure
        self._caption.triggered.connect(self._copy_caption)
        self._picture.addAction(self._caption)
        self._picture.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        button = QToolButton()
        button.setDefaultAction(self._caption)
        named(button, "previewCaption", "Copy caption", self._caption.toolTip())
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        button.setAutoRaise(True)
        self._size.setObjectName("previewSize")
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.addWidget(heading("Preview"), 0, 0, 1, 3)
        grid.addWidget(self._area, 1, 0, 1, 3)
        grid.addWidget(self._size, 2, 0)
        grid.addWidget(button, 2, 1)
        grid.addWidget(self._true_size, 2, 2)
        grid.setRowStretch(1, 1)

    def _on_toggled(self) -> None:
        self._soon.start()

    def _copy_caption(self) -> None:
        if self._drawn is not None:
            QGuiApplication.clipboard().setText(self._drawn.caption)
            self.said.emit(f"Copied: caption of {self._drawn.title}")

    # --- drawing

    def _draw(self) -> None:
        if self._wanted is None or not self.isVisible():
            return
        self._late.start()
        self._worker.run(partial(draw, *self._wanted, self._room()), self._show, self._on_failed)

    def _room(self) -> Room:
        screen = self.screen()
        dots = screen.physicalDotsPerInch()
        if not LEAST_DPI <= dots <= MOST_DPI:
            dots = screen.logicalDotsPerInch()
        return Room(dots, self.devicePixelRatioF(), None if self.is_in_true_size else self._fit())

    def _fit(self) -> QSizeF:
        """Return the room inside the margins, with no scroll bar there."""
        size = self._area.maximumViewportSize()
        around = 2 * MARGIN + 2  # 2: the line around the page
        return QSizeF(max(size.width() - around, 1), max(size.height() - around, 1))

    def _say_late(self) -> None:
        self._size.set_texts("Drawing…", "")

    def _show(self, drawn: Drawn) -> None:
        self._late.stop()
        self._drawn = drawn
        self._caption.setEnabled(True)
        title, sizes = drawn.title, drawn.size_in_words
        self._size.set_texts(", ".join(sizes), sizes[0], "")
        self._size.setToolTip(", ".join(sizes))
        self._picture.setAccessibleName(f"Preview: {title}")
        self._picture.setAccessibleDescription(", ".join(sizes))
        self._paint()
        self.settled.emit()

    def _paint(self) -> None:
        """Put the figure that was drawn on its page, in the size that it is to be seen in."""
        if self._drawn is None:
            return
        fit = self._drawn.room.fit and self._fit()
        room = Room(self._drawn.room.dots, self._drawn.room.ratio, fit)
        points = self._drawn.inches * room.points_per_inch(self._drawn.inches)
        line = theme_of(self.palette()).card_border
        self._picture.setPixmap(page_of(self._drawn.image, points, room.ratio, line))

    def _on_failed(self, error: Exception) -> None:
        self._late.stop()
        self._drawn = None
        self._caption.setEnabled(False)
        is_told = isinstance(error, UserError)
        self._picture.setText(str(error) if is_told else "This figure cannot be drawn.")
        self._size.set_texts("")
        self._picture.setAccessibleDescription(self._picture.text())
        self.settled.emit()

    # --- what happens to it

    def showEvent(self, event: QShowEvent) -> None:
        """Draw what was asked for before there was a size to draw it in."""
        super().showEvent(event)
        self._soon.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fill the room that there is now."""
        super().resizeEvent(event)
        if not self.is_in_true_size:
            self._paint()
            self._soon.start()

    def event(self, event: QEvent) -> bool:
        """Draw anew for a screen of other pixels, and with the line of another theme."""
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self._soon.start()
        elif event.type() == QEvent.Type.PaletteChange:
            self._paint()
        return super().event(event)


class _Picture(QLabel):
    """The picture, or the sentence that says why there is none; arrows scroll it."""

    def __init__(self) -> None:
        super().__init__()
        named(self, "previewPicture", "Preview", "")
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMargin(MARGIN)
        self.setWordWrap(True)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the focus around what is seen of it."""
        super().paintEvent(event)
        if self.hasFocus():
            painter = QPainter(self)
            painter.setPen(QPen(self.palette().highlight().color(), 2.0))
            painter.drawRect(self.visibleRegion().boundingRect().adjusted(1, 1, -1, -1))
            painter.end()


def page_of(image: QImage, points: QSizeF, ratio: float, line: QColor) -> QPixmap:
    """Return a figure in so many points, with ``ratio`` pixels to each, and a line around it.

    Where it is transparent it is on a checkerboard.
    """
    size = image.size()
    wanted = (points * ratio).toSize()
    # Where it is nearly so large the image is shown pixel by pixel: sharp matters more than a hair.
    if abs(size.width() - wanted.width()) > _HAIR * wanted.width() + 1:
        size = wanted
    rim = max(round(ratio), 1)
    page = QPixmap(size.width() + 2 * rim, size.height() + 2 * rim)
    page.fill(line)
    painter = QPainter(page)
    box = QRectF(rim, rim, size.width(), size.height())
    if image.hasAlphaChannel():
        painter.fillRect(box, _CHECKS[0])
        painter.setBrushOrigin(rim, rim)
        painter.fillRect(box, _checkerboard(ratio))
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    painter.drawImage(box, image)
    painter.end()
    page.setDevicePixelRatio(ratio)
    return page


def _checkerboard(ratio: float) -> QBrush:
    square = max(round(_SQUARE * ratio), 1)
    tile = QPixmap(2 * square, 2 * square)
    tile.fill(_CHECKS[0])
    painter = QPainter(tile)
    for left, top in ((square, 0), (0, square)):
        painter.fillRect(left, top, square, square, _CHECKS[1])
    painter.end()
    return QBrush(tile)
