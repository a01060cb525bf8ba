"""What several widgets draw with: fonts, and images from tables of colours."""

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QFont, QImage

LABEL_FONT = 0.9  # times the widget's font

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
