"""A card: one head's colour, name and matrix."""

import re

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from mhagui.document.head_result import Standing
from mhagui.gui.formulas import Formula
from mhagui.gui.icons import icon
from mhagui.gui.theme import theme_of
from mhagui.gui.widgets.drawing import LABEL_FONT, demi_bold, scaled_font
from mhagui.gui.widgets.formula_tip import explain
from mhagui.gui.widgets.key_line import draw_key_line
from mhagui.gui.widgets.matrix_layout import MARGIN
from mhagui.gui.widgets.matrix_surroundings import Gutters
from mhagui.gui.widgets.matrix_zoom import ZoomedView

OF_MODEL = re.compile(r"(L\d+ H)(\d+)")  # names of a model's heads
PADDING = (6, 3, 4, 3)  # left, top, right, bottom; each pixel saved is one for the cells
SWATCH = 10.0
SPACE = 6.0
SAVED = 3.0  # of it, before a name that stands alone
LEAST_LETTERS = 3  # of a name that is cut, dots among them, or fewer are left out
ICON_PIXELS = 12
_WHY_SILENT = {
    "muted": "muted: it does not reach W_O",
    "not soloed": "another head is soloed: this one does not reach W_O",
}
_LETTERS = {"muted": "M", "soloed": "S"}  # as on the buttons, where there is no room for the word


class HeadTitle(QWidget):
    """A head's colour, number and name in one line; the name gives way when room is short."""

    def __init__(self) -> None:
        super().__init__()
        self._label, self._name, self._colour, self._standing = "", "", QColor(), ""
        self._mark = ""
        self._key_head: int | None = None
        self._has_name = True
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def set_head(
        self,
        label: str,
        name: str,
        colour: QColor,
        standing: str,
        mark: str = "",
        key_head: int | None = None,
    ) -> None:
        """Show "h1", the head's name and colour, and what mute and solo make of it.

        Where all of it has room, a ``mark`` behind the name as well. A line below tells the heads
        that share a ``key_head``.
        """
        if key_head != self._key_head:
            self._key_head = key_head
            self.update()
        shown = (label, name, colour, standing, mark)
        if shown != (self._label, self._name, self._colour, self._standing, self._mark):
            self._label, self._name, self._colour, self._standing, self._mark = shown
            self.update()

    @property
    def shown(self) -> tuple[str, ...]:
        """What is written: label, name, mark and standing."""
        return self._label, self._name, self._mark, self._standing

    def set_has_name(self, has_name: bool) -> None:
        """Leave the name to a line below, or not."""
        if has_name != self._has_name:
            self._has_name = has_name
            self.update()

    def wanted_width(self) -> float:
        """Return the width in which nothing is cut, the name in the same line; without a mark."""
        bold = QFontMetricsF(demi_bold(self.font())).horizontalAdvance(self._label)
        words = QFontMetricsF(self.font()).horizontalAdvance(self._name)
        mark = QFontMetricsF(self._italic()).horizontalAdvance(self._standing)
        return SWATCH + 2 * SPACE + bold + words + (mark + SPACE if mark else 0.0) + 3

    def label_width(self) -> float:
        """Return the width in which colour and a number of as many digits have room."""
        digits = "0" * len(self._label)
        bold = QFontMetricsF(demi_bold(self.font())).horizontalAdvance(digits)
        return SWATCH + SPACE + bold + 1

    def _font_alone(self, room: float) -> QFont | None:
        """Return the font of the name where it takes the place of the number, else None.

        Where in a model a head is says more than its number, where both have no room. The heads of
        a layer have as many digits here, so that all cards show the same.
        """
        found = OF_MODEL.fullmatch(self._name)
        if found is None or not self._has_name:
            return None
        bold, width = demi_bold(self.font()), QFontMetricsF.horizontalAdvance
        digits = "0" * max(len(found[2]), 2)
        name, number = f"{found[1]}{digits}", f"h{digits}"
        if self._standing:
            room -= SPACE + width(QFontMetricsF(self._italic()), self.standing_in(0))
        both = width(QFontMetricsF(bold), number) + SPACE + width(QFontMetricsF(self.font()), name)
        fonts = (bold, scaled_font(self.font(), LABEL_FONT)) if both > room else ()
        return next((font for font in fonts if width(QFontMetricsF(font), name) <= room), None)

    def standing_in(self, room: float) -> str:
        """Return what of mute and solo is written in ``room`` pixels: all of it, or a letter."""
        fits = QFontMetricsF(self._italic()).horizontalAdvance(self._standing) <= room
        return self._standing if fits else _LETTERS.get(self._standing, "")

    def sizeHint(self) -> QSize:
        """Return one line of text."""
        return QSize(80, round(QFontMetricsF(demi_bold(self.font())).height()) + 2)

    def minimumSizeHint(self) -> QSize:
        """Return one line of text."""
        return self.sizeHint()

    def changeEvent(self, event: QEvent) -> None:
        """Take the room that another font needs."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.updateGeometry()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw swatch, number, name and mark from left to right."""
        theme = theme_of(self.palette())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        left = 0.0
        if self.width() >= self.label_width():  # a number says more than a colour
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._colour)
            top = (self.height() - SWATCH) / 2
            painter.drawRoundedRect(QRectF(0, top, SWATCH, SWATCH), 2, 2)
            left = SWATCH + SPACE
        painter.setPen(theme.text)
        begin = left
        label, name = self._label, self._name if self._has_name else ""
        font = self._font_alone(self.width() - left + SAVED)
        if font is not None:
            label, name, left = name, "", left - SAVED
        font = font or demi_bold(self.font())
        left = self._write(painter, font, label, left, self.width())
        measure = QFontMetricsF(self._italic()).horizontalAdvance
        standing = self.standing_in(self.width() - left - SPACE)
        room = self.width() - (measure(standing) + SPACE if standing else 0.0)
        painter.setPen(theme.muted if self._standing in _WHY_SILENT else theme.text)
        if name:
            both = marked(name, self._mark)
            has_room = QFontMetricsF(self.font()).horizontalAdvance(both) <= room - left - SPACE
            left = self._write(painter, self.font(), both if has_room else name, left + SPACE, room)
        if self._key_head is not None:
            draw_key_line(painter, self._key_head, begin, round(left), self.height())
        self._write(painter, self._italic(), standing, left + SPACE, self.width())
        painter.end()

    def _write(self, painter: QPainter, font: QFont, text: str, left: float, right: float) -> float:
        """Write ``text`` between two places; return where it ends."""
        metrics = QFontMetricsF(font)
        if metrics.horizontalAdvance(text) > right - left:
            text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(right - left, 0.0))
            text = text if len(text) > LEAST_LETTERS else ""  # so few say nothing
        painter.setFont(font)
        box = QRectF(left, 0, metrics.horizontalAdvance(text) + 1, self.height())
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextDontClip, text)
        return box.right()

    def _italic(self) -> QFont:
        font = QFont(self.font())
        font.setItalic(True)
        return font


def marked(name: str, mark: str) -> str:
    """Return a head's name with its mark, if it has one."""
    return f"{name} · {mark}" if mark else name


class NameLine(QLabel):
    """A head's name in a line of its own, with dots where it is too long."""

    def __init__(self) -> None:
        super().__init__()
        self._name = self._mark = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setContentsMargins(4, 0, 0, 0)

    def set_name(self, name: str, mark: str) -> None:
        """Show ``name``, and a ``mark`` behind it where there is room."""
        self._name, self._mark = name, mark
        self._elide()

    def shortened(self, room: int) -> str:
        """Return what is shown in ``room`` pixels."""
        metrics, both = self.fontMetrics(), marked(self._name, self._mark)
        if metrics.horizontalAdvance(both) <= room:
            return both
        return metrics.elidedText(self._name, Qt.TextElideMode.ElideRight, room)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show more of it, or less."""
        super().resizeEvent(event)
        self._elide()

    def changeEvent(self, event: QEvent) -> None:
        """Measure anew in another font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._elide()

    def _elide(self) -> None:
        self.setText(self.shortened(self.contentsRect().width()))


class MatrixCard(QWidget):
    """One head's matrix under its title, with a button that enlarges it.

    Signals
    -------
    pointed
        The cursor is wanted at (head, row, column): the head by uid.
    asked
        The cell at (head, row, column) is to be explained.
    toggled
        The head, by uid, is to be shown alone, or among the others again.
    chosen
        The cursor is wanted on the head, by uid, in the cell it is in.
    """

    pointed = Signal(int, int, int)
    asked = Signal(int, int, int)
    toggled = Signal(int)
    chosen = Signal(int)

    def __init__(self, place: int) -> None:
        super().__init__()
        self.uid = 0
        self._is_current = False
        self._is_enlarged: bool | None = None
        self._words, self._why = ("", ""), ""
        self._colour = QColor()
        self.title = HeadTitle()
        self.name_line = NameLine()
        self.button = QToolButton()
        self.view = ZoomedView()
        self.view.setObjectName(f"heatmap{place}")
        self._lay_out()
        self.view.pointed.connect(self._on_pointed)
        self.view.asked.connect(self._on_asked)
        self.view.pressed_beside.connect(self._choose)
        self.view.activated.connect(self._on_activated)
        self.button.clicked.connect(self._on_button)
        self.set_enlarged(False)

    def _lay_out(self) -> None:
        self.button.setAutoRaise(True)
        self.button.setIconSize(QSize(ICON_PIXELS, ICON_PIXELS))
        self._header = QHBoxLayout()
        self._header.setSpacing(2)
        self._header.setContentsMargins(4, 0, 0, 0)
        self._header.addWidget(self.title, 1)
        self._header.addWidget(self.button)
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(*PADDING)
        column.setSpacing(0)
        column.addLayout(self._header)
        column.addWidget(self.name_line)
        self.name_line.hide()
        column.addWidget(self.view, 1)

    def set_head(
        self,
        uid: int,
        label: str,
        name: str,
        colour: QColor,
        standing: Standing,
        mark: str = "",
        key_head: int | None = None,
    ) -> None:
        """Show whose card this is, and what mute and solo make of the head."""
        self.uid = uid
        self.title.set_head(label, name, colour, standing, mark, key_head)
        self.name_line.set_name(name, mark)
        name = marked(name, mark)
        self.view.set_dimmed(standing in _WHY_SILENT)
        self._why = _WHY_SILENT.get(standing, standing)
        self.title.setAccessibleName(", ".join(filter(None, [f"{label} {name}", self._why])))
        if colour != self._colour:
            self._colour = colour
            self.update()

    def set_words(self, name: str, formula: Formula, tip: str) -> None:
        """Say what the matrix is, to those who listen and in tooltips around the cells."""
        tip = "\n".join(filter(None, [tip, self._why]))
        if (name, tip) != self._words:
            self._words = (name, tip)
            self.view.setAccessibleName(name)
            for part in (self.title, self.name_line, self.view):
                explain(part, formula, tip)

    def set_enlarged(self, enlarged: bool) -> None:
        """Offer the way back instead of the way in."""
        if enlarged == self._is_enlarged:
            return
        self._is_enlarged = enlarged
        words = "Show all heads again (Esc)" if enlarged else "Show this head alone (Shift+Enter)"
        self.button.setIcon(icon("shrink" if enlarged else "enlarge"))
        self.button.setToolTip(words)
        self.button.setAccessibleName(words)
        # By keys it is Shift+Enter and Esc; a stop at each of 32 buttons would be in the way.
        policy = Qt.FocusPolicy.TabFocus if enlarged else Qt.FocusPolicy.NoFocus
        self.button.setFocusPolicy(policy)
        if enlarged:
            self.setTabOrder(self.view, self.button)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the head by its title, or by the room around."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.view.setFocus(Qt.FocusReason.MouseFocusReason)
            self._choose()

    def _choose(self) -> None:
        self.chosen.emit(self.uid)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the button out where the head's number needs its room."""
        super().resizeEvent(event)
        around = self._column.contentsMargins(), self._header.contentsMargins()
        taken = sum(margins.left() + margins.right() for margins in around)
        button = self.button.sizeHint().width() + self._header.spacing()
        room = self.width() - taken - button
        self.button.setVisible(bool(self._is_enlarged) or room >= self.title.label_width())

    def set_current(self, current: bool) -> None:
        """Show that the cursor is in this head."""
        if current != self._is_current:
            self._is_current = current
            self.update()

    def set_name_below(self, below: bool) -> None:
        """Have the name in a line of its own, or behind the head's number."""
        self.title.set_has_name(not below)
        self.name_line.setVisible(below)

    def has_room_for_name(self, width: int) -> bool:
        """Return whether nothing of the title is cut in a card of ``width``, all in one line."""
        around = self._column.contentsMargins(), self._header.contentsMargins()
        taken = sum(margins.left() + margins.right() for margins in around)
        button = self.button.sizeHint().width() + self._header.spacing()
        return self.title.wanted_width() <= width - taken - button

    def outline(self) -> tuple[object, ...]:
        """Return all that has a say in how much room the card needs."""
        picture = self.view.picture
        shape = None if picture is None else picture.shape
        room = self.view.label_gutters, self.view.word_room
        return self.title.shown, room, self.title.font(), shape

    def name_in(self, width: int) -> str:
        """Return what of the name is shown in a line of its own, in a card of ``width``."""
        margins, own = self._column.contentsMargins(), self.name_line.contentsMargins()
        taken = sum(each.left() + each.right() for each in (margins, own))
        return self.name_line.shortened(width - taken)

    def chrome(self, *, name_below: bool = False, bare: bool = False, words: bool = False) -> QSize:
        """Return how much larger than its cells the card is: ``bare``, with labels, or ``words``.

        These are shown in full where those of columns are not those of rows as well.
        """
        gutters = Gutters(0.0, 0.0) if bare else self.view.label_gutters
        margins = self._column.contentsMargins()
        width = margins.left() + margins.right() + 2 * MARGIN + gutters.left
        height = margins.top() + margins.bottom() + 2 * MARGIN + gutters.bottom
        if words:
            width += self.view.word_room.width()
            height += self.view.word_room.height()
        header = self._header.sizeHint().height() + self._column.spacing()
        header += self.name_line.sizeHint().height() if name_below else 0
        return QSize(round(width), round(height + header))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the card; around the cursor's head in the head's colour."""
        theme = theme_of(self.palette())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        current = self._is_current
        painter.setPen(QPen(self._colour, 2.0) if current else QPen(theme.card_border, 1.0))
        painter.setBrush(theme.card)
        inset = 1.0 if current else 0.5
        box = QRectF(self.rect()).adjusted(inset, inset, -inset, -inset)
        painter.drawRoundedRect(box, 5, 5)
        painter.end()

    def _on_pointed(self, row: int, column: int) -> None:
        self.pointed.emit(self.uid, row, column)

    def _on_asked(self, row: int, column: int) -> None:
        self.asked.emit(self.uid, row, column)

    def _on_activated(self, row: int, column: int) -> None:
        self.pointed.emit(self.uid, row, column)
        self.toggled.emit(self.uid)

    def _on_button(self) -> None:
        self.toggled.emit(self.uid)
