"""What several widgets draw with: fonts, cards, and images from tables of colours."""

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFont, QImage, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QWidget

from mhagui.gui.theme import theme_of

LABEL_FONT = 0.9  # times the widget's font
BAND = 5  # width of the band in a head's colour
MUTE = QColor("#a83a08")  # of the switch that ablates a head
_ROUND = 5.0

Levels = npt.NDArray[np.uint8]


def scaled_font(font: QFont, factor: float) -> QFont:
    """Return ``font`` in another size, however its size was given."""
    scaled = QFont(font)
    if font.pointSizeF() > 0:
        scaled.setPointSizeF(font.pointSizeF() * factor)
    else:
        scaled.setPixelSize(max(round(font.pixelSize() * factor), 1))
    return scaled


def demi_bold(font: QFont) -> QFont:
    """Return ``font`` in the weight of captions."""
    bold = QFont(font)
    bold.setWeight(QFont.Weight.DemiBold)
    return bold


def even_digits(font: QFont) -> QFont:
    """Return ``font`` with digits of one width, so that numbers below each other line up."""
    even = QFont(font)
    even.setFeature(QFont.Tag("tnum"), 1)
    return even


def draw_card(
    painter: QPainter,
    box: QRectF,
    ground: QColor,
    line: QPen,
    band: QColor | None = None,
    *,
    hollow: bool = False,
) -> None:
    """Draw a rounded ``ground`` outlined by ``line``, with a head's ``band`` on its left."""
    inset = line.widthF() / 2
    outline = QPainterPath()
    outline.addRoundedRect(box.adjusted(inset, inset, -inset, -inset), _ROUND, _ROUND)
    painter.fillPath(outline, ground)
    if band is not None:
        painter.save()
        painter.setClipPath(outline)
        edge = QRectF(box.left(), box.top(), BAND, box.height())
        painter.fillRect(edge, band)
        if hollow:
            painter.fillRect(edge.adjusted(2, 2, -1, -2), ground)
        painter.restore()
    painter.strokePath(outline, line)


def draw_edge(widget: QWidget) -> None:
    """Draw a muted line around ``widget``, which is being painted."""
    painter = QPainter(widget)
    painter.setPen(theme_of(widget.palette()).muted)
    painter.drawRect(widget.rect().adjusted(0, 0, -1, -1))
    painter.end()


def argb(table: Levels) -> list[int]:
    """Return the colours of a table (n, 3) as Qt packs them: 0xAARRGGBB."""
    packed = 0xFF000000 + (table.astype(np.int64) << np.array([16, 8, 0])).sum(axis=1)
    colours: list[int] = packed.tolist()
    return colours


def indexed_image(indices: Levels, colours: list[int]) -> QImage:
    """Return an 8-bit image that owns its pixels, with a table of ARGB colours."""
    height, width = indices.shape
    view = QImage(indices.data, width, height, width, QImage.Format.Format_Indexed8)
    view.setColorTable(colours)
    return view.copy()


def draw_indexed(painter: QPainter, corner: QPointF, image: QImage) -> None:
    """Draw an 8-bit image, pixel for pixel, on a pixmap.

    As 32 bits first: to draw 8 bits Qt looks each pixel up by itself, which takes 5 to 9 times as
    long as both together.
    """
    painter.drawImage(corner, image.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied))
