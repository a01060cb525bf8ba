"""A row of tokens, one chip per position, that can be dragged about."""

from typing import Literal, NamedTuple

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFont,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
)
from PySide6.QtWidgets import QApplication, QSizePolicy, QToolTip, QWidget

from mhagui.document.token_text import SHORT_LABEL, labels, shown_tokens, told
from mhagui.gui.theme import Theme, theme_of
from mhagui.gui.widgets.drawing import LABEL_FONT, scaled_font
from mhagui.gui.widgets.label_text import drawable
from mhagui.gui.widgets.words import plain

MARGIN = 3.0  # around the row, for the focus frame
GAP = 4.0  # between chips
PADDING = 7.0  # inside a chip, beside its word
LEAST_WIDTH = 28.0
EDGE_SHARE = 0.25  # of a chip's pitch, on either side, that means between chips
KEY_LINE = 3.0
_SHIFT = Qt.KeyboardModifier.ShiftModifier
_CONTROL = Qt.KeyboardModifier.ControlModifier
_STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}


class Drop(NamedTuple):
    """What is done to tokens: the one at ``source`` goes to ``target``, both from 0."""

    kind: Literal["swap", "move", "repeat"]
    source: int
    target: int


class TokenStrip(QWidget):
    """Shows a chip per position; it changes nothing itself, but says what the user wants.

    Chips are numbered behind a ``sign``, as t1 and t2; what the first mark is at is called a
    ``noun``, as the cursor's row.

    Signals
    -------
    row_pointed, key_pointed
        The cursor's row t, or key i, is wanted at this position, from 0.
    dragged
        While a chip is dragged: the ``Drop`` that would be done here, or None for none.
    dropped
        The drag has ended; what was dragged last stands.
    asked
        A ``Drop`` is asked for from the keyboard.
    held_fast
        A chip was to be dragged that cannot be.
    reached
        This x has to be seen.
    """

    row_pointed = Signal(int)
    key_pointed = Signal(int)
    dragged = Signal(object)
    dropped = Signal()
    asked = Signal(object)
    held_fast = Signal()
    reached = Signal(int)

    def __init__(self, sign: str = "t", noun: str = "row") -> None:
        super().__init__()
        self._sign, self._nouns = sign, (noun, "key")
        self._tokens: tuple[str, ...] = ()
        self._scheme = ""
        self._words: tuple[str, ...] = ()  # all that may stand on a chip
        self._labels: tuple[str, ...] = ()  # what does
        self._pitch = self._chip_height = 0.0
        self._cursor = (0, 0)
        self._pressed: QPointF | None = None
        self._source, self._held = 0, ""
        self._is_dragging = False
        self._can_drag = True
        self._drop: Drop | None = None
        self._pointer = QPointF()
        self._show_hand()
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    # --- what is shown

    @property
    def is_dragging(self) -> bool:
        """Whether a chip is being dragged."""
        return self._is_dragging

    def set_tokens(
        self, tokens: tuple[str, ...], vocabulary: tuple[str, ...], scheme: str = ""
    ) -> None:
        """Show ``tokens`` of a scheme on chips wide enough for any word of ``vocabulary``."""
        words = tuple(dict.fromkeys((*vocabulary, *tokens)))
        if (tokens, words, scheme) == (self._tokens, self._words, self._scheme):
            return
        if len(tokens) != len(self._tokens):
            self.let_go()
        self._tokens, self._words, self._scheme = tokens, words, scheme
        self._measure()
        self._describe()

    def set_can_drag(self, can_drag: bool) -> None:
        """Let chips be dragged, or hold them fast."""
        if can_drag != self._can_drag:
            self.let_go()
            self._can_drag = can_drag
            self._show_hand()

    def _show_hand(self) -> None:
        shape = Qt.CursorShape
        self.setCursor(shape.OpenHandCursor if self._can_drag else shape.ArrowCursor)

    def set_cursor(self, row: int, key: int) -> None:
        """Mark row t and key i, and have row t seen; −1 marks none."""
        if (row, key) == self._cursor:
            return
        has_moved = row != self._cursor[0]
        self._cursor = (row, key)
        self.update()
        self._describe()
        if has_moved and not self._is_dragging:
            self.reached.emit(round(self.chip(row).center().x()))

    def chip(self, place: int) -> QRectF:
        """Return where the chip of a position, from 0, is painted."""
        left = MARGIN + place * self._pitch
        return QRectF(left, MARGIN, self._pitch - GAP, self._chip_height)

    def place_at(self, x: float) -> int:
        """Return the position nearest to ``x``."""
        place = int((x - MARGIN + GAP / 2) // self._pitch) if self._pitch else 0
        return min(max(place, 0), max(len(self._tokens) - 1, 0))

    def sizeHint(self) -> QSize:
        """Return the size of all chips in a row."""
        width = 2 * MARGIN + len(self._tokens) * self._pitch - GAP
        return QSize(round(max(width, 0)), round(2 * MARGIN + self._chip_height))

    def minimumSizeHint(self) -> QSize:
        """Return the size of all chips in a row."""
        return self.sizeHint()

    def _label_font(self) -> QFont:
        return scaled_font(self.font(), LABEL_FONT)

    def _measure(self) -> None:
        metrics, small = QFontMetricsF(self.font()), QFontMetricsF(self._label_font())
        font = self.font().toString()
        self._labels = drawable(labels(self._tokens, SHORT_LABEL, self._scheme), font)
        words = drawable(labels(self._words, SHORT_LABEL, self._scheme), font)
        texts = [metrics.horizontalAdvance(text) for text in {*words, *self._labels}]
        texts.append(small.horizontalAdvance(f"{self._sign}{len(self._tokens)}"))
        width = max(LEAST_WIDTH, max(texts) + 2 * PADDING)
        self._pitch = round(width) + GAP
        self._chip_height = float(round(small.height() + metrics.height() + KEY_LINE + 2))
        self.setFixedSize(self.sizeHint())
        self.updateGeometry()
        self.update()

    def _describe(self) -> None:
        words = [
            f"{what} {self._sign}{place + 1} {self._labels[place]}"
            for what, place in zip(self._nouns, self._cursor, strict=True)
            if 0 <= place < len(self._tokens)
        ]
        self.setAccessibleDescription(", ".join(words))

    def changeEvent(self, event: QEvent) -> None:
        """Measure anew in another font, paint anew in other colours."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._measure()
        elif event.type() == QEvent.Type.PaletteChange:
            self.update()

    # --- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the chips in sight, the dragged one over them, and a frame when focused."""
        if not self._tokens:
            return
        theme = theme_of(self.palette())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        seen = event.rect()
        for place in range(self.place_at(seen.left()), self.place_at(seen.right()) + 1):
            self._paint_chip(painter, place, theme)
        if self._is_dragging:
            self._paint_dragged(painter)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self.palette().color(QPalette.ColorRole.Highlight), 2.0))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 4, 4)
        painter.end()

    def _paint_chip(self, painter: QPainter, place: int, theme: Theme) -> None:
        box, (row, key) = self.chip(place), self._cursor
        is_target = self._drop is not None and place == self._drop.target
        is_row = place == row
        line = self.palette().color(QPalette.ColorRole.Highlight) if is_target else theme.cursor
        painter.setPen(QPen(line, 2.0) if is_row or is_target else QPen(theme.card_border, 1.0))
        painter.setBrush(theme.card)
        inset = 1.0 if is_row or is_target else 0.5
        painter.drawRoundedRect(box.adjusted(inset, inset, -inset, -inset), 4, 4)
        if place == key:
            painter.fillRect(_key_line(box), theme.cursor)
        self._write(painter, box, place, theme)

    def _write(self, painter: QPainter, box: QRectF, place: int, theme: Theme) -> None:
        """Write the position, and under it the word."""
        centre = Qt.AlignmentFlag.AlignHCenter
        painter.setFont(self._label_font())
        painter.setPen(theme.muted)
        top = box.adjusted(0, 1, 0, 0)
        painter.drawText(top, centre | Qt.AlignmentFlag.AlignTop, f"{self._sign}{place + 1}")
        painter.setFont(self.font())
        painter.setPen(theme.text)
        bottom = box.adjusted(0, 0, 0, -KEY_LINE - 1)
        word = self._labels[place]
        painter.drawText(bottom, centre | Qt.AlignmentFlag.AlignBottom, word)

    def _paint_dragged(self, painter: QPainter) -> None:
        """Draw what is dragged under the pointer, with a plus where it will be repeated."""
        metrics = QFontMetricsF(self.font())
        repeats = self._drop is not None and self._drop.kind == "repeat"
        word = f"+ {self._held}" if repeats else self._held
        size = metrics.horizontalAdvance(word) + 2 * PADDING
        box = QRectF(0, 0, size, metrics.height() + 2)
        box.moveCenter(self._pointer)
        box.moveBottom(self.height() - MARGIN - 2)  # the positions stay to be seen
        highlight = self.palette().color(QPalette.ColorRole.Highlight)
        painter.setPen(QPen(highlight, 1.0))
        painter.setBrush(highlight)
        painter.drawRoundedRect(box, 4, 4)
        painter.setPen(self.palette().color(QPalette.ColorRole.HighlightedText))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, word)

    # --- the pointer

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Point at a chip, and be ready to drag it."""
        if event.button() != Qt.MouseButton.LeftButton or not self._tokens:
            return
        place = self.place_at(event.position().x())
        if event.modifiers() & _SHIFT:
            self.key_pointed.emit(place)
            return
        self.row_pointed.emit(place)
        self._pressed, self._source = event.position(), place
        self._held = self._labels[place]

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag the chip that is held."""
        if self._pressed is None:
            return
        if not event.buttons() & Qt.MouseButton.LeftButton:  # let go of where nobody told
            self._cancel()
            return
        self._pointer = event.position()
        way = (self._pointer - self._pressed).manhattanLength()
        is_drag = self._is_dragging or way >= QApplication.startDragDistance()
        if is_drag and not self._can_drag:
            self._pressed = None  # it is said once
            self.held_fast.emit()
        elif is_drag:
            self._is_dragging = True
            self.reached.emit(round(self._pointer.x()))
            self._drag(copies=bool(event.modifiers() & _CONTROL))

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        """Leave the chip where it is now."""
        if self._is_dragging:
            self.let_go()
        self._pressed = None

    def _drag(self, *, copies: bool) -> None:
        shape = Qt.CursorShape.DragCopyCursor if copies else Qt.CursorShape.ClosedHandCursor
        self.setCursor(shape)
        self._want(self._drop_at(self._pointer, copies=copies))
        self.update()

    def _want(self, drop: Drop | None) -> None:
        if drop != self._drop:
            self._drop = drop
            self.dragged.emit(drop)

    def _drop_at(self, pointer: QPointF, *, copies: bool) -> Drop | None:
        """Return what a drop at ``pointer`` means: far above or below the row, nothing."""
        if not -self.height() <= pointer.y() <= 2 * self.height():
            return None
        place = self.place_at(pointer.x())
        share = (pointer.x() - MARGIN + GAP / 2) / self._pitch - place
        is_between = not EDGE_SHARE <= share <= 1 - EDGE_SHARE
        if is_between and not copies:
            gap = place + (share > 0.5)
            target = gap - (gap > self._source)
            drop = Drop("move", self._source, target)
        else:
            drop = Drop("repeat" if copies else "swap", self._source, place)
        return drop if drop.target != drop.source else None

    def let_go(self) -> None:
        """End the drag, if there is one; what was dragged last stands."""
        was_dragging = self._is_dragging
        self._is_dragging, self._drop, self._pressed = False, None, None
        self._show_hand()
        self.update()
        if was_dragging:
            self.dropped.emit()

    def _cancel(self) -> None:
        if self._is_dragging:
            self._want(None)
        self.let_go()

    # --- the keyboard

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the marks, or a token; Escape lets go of what is dragged."""
        step, modifiers = _STEPS.get(Qt.Key(event.key())), event.modifiers()
        if event.key() == Qt.Key.Key_Escape and self._pressed is not None:
            self._cancel()
        elif self._is_dragging:
            self._drag(copies=event.key() == Qt.Key.Key_Control or bool(modifiers & _CONTROL))
        elif step is not None:
            self._step(step, modifiers)
        elif event.key() in (Qt.Key.Key_Home, Qt.Key.Key_End):
            last = len(self._tokens) - 1
            self.row_pointed.emit(0 if event.key() == Qt.Key.Key_Home else last)
        elif event.key() == Qt.Key.Key_S and not modifiers:
            self._ask("swap", *self._cursor)
        elif event.key() == Qt.Key.Key_R and not modifiers:
            self._ask("repeat", self._cursor[1], self._cursor[0])
        else:
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """Copy no longer when Ctrl is let go."""
        if self._is_dragging and event.key() == Qt.Key.Key_Control:
            self._drag(copies=False)
        super().keyReleaseEvent(event)

    def _step(self, step: int, modifiers: Qt.KeyboardModifier) -> None:
        row, key = self._cursor
        if modifiers & _SHIFT and modifiers & _CONTROL:
            self._ask("move", row, row + step)
        elif modifiers & _SHIFT:
            self.key_pointed.emit(self._inside(key + step))
        else:
            self.row_pointed.emit(self._inside(row + step))

    def _ask(self, kind: Literal["swap", "move", "repeat"], source: int, target: int) -> None:
        if source != target and self._inside(target) == target:
            self.asked.emit(Drop(kind, source, target))

    def _inside(self, place: int) -> int:
        return min(max(place, 0), len(self._tokens) - 1)

    # --- tooltips

    def event(self, event: QEvent) -> bool:
        """Say the whole word of a chip that shows a part, and else how to handle the chips."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent) and self._tokens:
            place = self.place_at(event.pos().x())
            tip = f"{told(shown_tokens(self._tokens, self._scheme))[place]}\n{self.toolTip()}"
            area = QRect(self.chip(place).toAlignedRect())
            QToolTip.showText(event.globalPos(), plain(tip), self, area)
            return True
        return super().event(event)


def _key_line(box: QRectF) -> QRectF:
    """Return the bar at the foot of a chip that marks key i."""
    return QRectF(box.left() + 5, box.bottom() - KEY_LINE - 2, box.width() - 10, KEY_LINE)
