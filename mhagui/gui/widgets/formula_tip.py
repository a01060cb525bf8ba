"""Tooltips that begin with the formula of the quantity they explain, drawn as the text is."""

import base64
import math
from typing import TypeVar

from PySide6.QtCore import (
    QBuffer,
    QByteArray,
    QEvent,
    QIODevice,
    QObject,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    QSize,
    QSizeF,
    Qt,
)
from PySide6.QtGui import (
    QFontInfo,
    QFontMetrics,
    QGuiApplication,
    QImage,
    QImageWriter,
    QPainter,
    QPalette,
)
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QLabel, QToolTip, QWidget

from mhagui._resources import resource_path
from mhagui.gui.formulas import Formula
from mhagui.gui.widgets.words import as_html, plain

Explained = TypeVar("Explained", bound=QWidget)

EM = 400  # units of the drawings, by docs/make_formulas.py, in the size of the font
SCALE = 1.35  # how much larger than the text a formula is
LINE = 56  # letters in a line of words, of average width
ROOM = 24  # pixels that Qt leaves beside a tooltip, for the pointer


class FormulaTip(QObject):
    """Puts a formula above the tooltip of the widget it belongs to, when that is shown."""

    def __init__(self, widget: QWidget, formula: Formula) -> None:
        super().__init__(widget)
        self.formula = formula
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let the widget show its tooltip as it always does, with the formula in it."""
        if event.type() != QEvent.Type.ToolTip or not isinstance(watched, QWidget):
            return False
        words = watched.toolTip()
        watched.setToolTip(with_formula(self.formula, words))
        try:
            return watched.event(event)
        finally:
            watched.setToolTip(words)  # what a screen reader reads


def explain(widget: Explained, formula: Formula, *more: str) -> Explained:
    """Give ``widget`` the tooltip of a quantity, with ``more`` lines below it; return it."""
    put_above(widget, formula)
    words = plain("\n".join((formula.sentences, *more)))
    if words != widget.toolTip():
        widget.setToolTip(words)
    return widget


def put_above(widget: QWidget, formula: Formula) -> None:
    """Have ``formula`` stand above whatever the tooltip of ``widget`` says."""
    tip = _tip_of(widget)
    if tip is None:
        FormulaTip(widget, formula)
    else:
        tip.formula = formula


def _tip_of(widget: QWidget) -> FormulaTip | None:
    return widget.findChild(FormulaTip, options=Qt.FindChildOption.FindDirectChildrenOnly)


def tip_of_part(whole: QWidget, words: str) -> str:
    """Return the tooltip of a part of ``whole``: formula, ``words``, and what the quantity is."""
    tip = _tip_of(whole)
    if tip is None:
        return plain(words)
    return with_formula(tip.formula, plain(f"{words}\n{tip.formula.sentences}"))


def show_beside(widget: QWidget, tip: str, area: QRect) -> None:
    """Show a tooltip below ``widget``, or above where the screen ends, until ``area`` is left."""
    label = QLabel(tip)
    label.setFont(QToolTip.font())
    height, screen = label.sizeHint().height() + ROOM, widget.screen().geometry()
    below, above = (widget.mapToGlobal(QPoint(area.left(), y)) for y in (widget.height(), -height))
    fits = below.y() + height <= screen.bottom() or above.y() < screen.top()
    QToolTip.showText(below if fits else above, tip, widget, area)


def with_formula(formula: Formula, words: str = "") -> str:
    """Return a tooltip of the formula and, below it, ``words``, or what the quantity is."""
    words = words or formula.sentences
    metrics = QFontMetrics(QToolTip.font())
    longest = max(map(metrics.horizontalAdvance, words.splitlines()))
    width = min(longest + 1, LINE * metrics.averageCharWidth())
    head = _drawn(formula) or as_html(formula.text)
    return (
        f"<table width='{width}' cellspacing='0' cellpadding='0'>"
        f"<tr><td style='padding-bottom:{metrics.height() // 3}px'>{head}</td></tr>"
        f"<tr><td>{as_html(words)}</td></tr></table>"
    )


def _drawn(formula: Formula) -> str:
    """Return the drawing in the colour and size of a tooltip's text; nothing if there is none."""
    try:
        svg = resource_path("formulas", formula.file).read_bytes()
    except OSError:
        return ""
    colour = QToolTip.palette().color(QPalette.ColorRole.ToolTipText).name()
    renderer = QSvgRenderer(QByteArray(svg.replace(b"currentColor", colour.encode())))
    if not renderer.isValid():
        return ""
    em = SCALE * QFontInfo(QToolTip.font()).pixelSize() / EM
    size = QSizeF(renderer.defaultSize()) * em
    width, height = math.ceil(size.width()), math.ceil(size.height())
    finest = max(screen.devicePixelRatio() for screen in QGuiApplication.screens())
    png = _png(renderer, size, QSize(width, height), finest)
    return f"<img width='{width}' height='{height}' src='data:image/png;base64,{png}'>"


def _png(renderer: QSvgRenderer, size: QSizeF, room: QSize, ratio: float) -> str:
    """Return the drawing as a PNG file in base64, ``ratio`` pixels to a pixel of ``room``."""
    image = QImage(room * ratio, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.scale(ratio, ratio)
    renderer.render(painter, QRectF(QPointF(), size))
    painter.end()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, QByteArray(b"png")).write(image)
    return base64.b64encode(buffer.data().data()).decode()
