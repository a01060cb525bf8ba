"""Icons: SVG files drawn in the text colour of the moment, so that they follow the theme."""

from functools import cache, lru_cache

from PySide6.QtCore import QByteArray, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QGuiApplication, QIcon, QIconEngine, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer

from mhagui._resources import resource_path


class _TextColouredSvg(QIconEngine):
    """Draws one SVG with ``currentColor`` replaced by the palette's button text."""

    def __init__(self, svg: bytes) -> None:
        super().__init__()
        self._svg = svg

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, _state: QIcon.State) -> None:
        """Draw the icon into ``rect``."""
        disabled = mode == QIcon.Mode.Disabled
        group = QPalette.ColorGroup.Disabled if disabled else QPalette.ColorGroup.Active
        colour = QGuiApplication.palette().color(group, QPalette.ColorRole.ButtonText).name()
        _renderer(self._svg, colour).render(painter, QRectF(rect))

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        """Return the icon on a transparent ground."""
        pixmap = QPixmap(size)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        self.paint(painter, QRect(QPoint(0, 0), size), mode, state)
        painter.end()
        return pixmap

    def clone(self) -> QIconEngine:
        """Return another engine for the same icon."""
        return _TextColouredSvg(self._svg)


def icon(name: str) -> QIcon:
    """Return icon ``name`` of resources/icons, drawn in the text colour whatever the theme."""
    return QIcon(_TextColouredSvg(_svg(name)))


def draw_icon(painter: QPainter, name: str, box: QRectF, colour: QColor) -> None:
    """Draw icon ``name`` of resources/icons into ``box``, in a colour of its own."""
    _renderer(_svg(name), colour.name()).render(painter, box)


@lru_cache(maxsize=64)
def _renderer(svg: bytes, colour: str) -> QSvgRenderer:
    return QSvgRenderer(QByteArray(svg.replace(b"currentColor", colour.encode())))


@cache
def _svg(name: str) -> bytes:
    return resource_path("icons", f"{name}.svg").read_bytes()


def application_icon() -> QIcon:
    """Return the program's own icon, in its own colours."""
    return QIcon(str(resource_path("icons", "mhagui.svg")))
