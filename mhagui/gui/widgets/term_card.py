"""Cards for the matrices of a sum: one that is merely titled, and that of a head's term."""

from dataclasses import replace
from functools import partial

from PySide6.QtCore import QEvent, QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from mhagui import formats
from mhagui.document.head_result import Standing
from mhagui.gui.formulas import Formula
from mhagui.gui.theme import theme_of
from mhagui.gui.widgets.drawing import BAND, LABEL_FONT, MUTE, demi_bold, draw_card, scaled_font
from mhagui.gui.widgets.fitting_label import FittingLabel
from mhagui.gui.widgets.formula_tip import put_above
from mhagui.gui.widgets.head_fields import LetterButton
from mhagui.gui.widgets.matrix_ground import Grounds
from mhagui.gui.widgets.matrix_layout import MARGIN
from mhagui.gui.widgets.matrix_picture import Picture, Writing
from mhagui.gui.widgets.norm_bar import NormBar
from mhagui.gui.widgets.snug_matrix_view import SnugMatrixView
from mhagui.gui.widgets.words import plain

PADDING = (6, 3, 4, 3)  # left, top, right, bottom
LEAST_CELLS = QSize(48, 30)
SWITCH_MARGIN = 8  # of a LetterButton around its letter, in height
WRITINGS = tuple(
    Writing(partial(formats.cell, decimals=decimals), "−." + decimals * "0") for decimals in (3, 2)
)


class SmallMatrixView(SnugMatrixView):
    """A matrix beside many others: it takes what room it is given."""

    STRETCH = 2.0

    def minimumSizeHint(self) -> QSize:
        """Return a size in which the pattern of a matrix can be made out."""
        around = QSize(round(self.gutters.left), round(self.gutters.bottom))
        return LEAST_CELLS + around + QSize(1, 1) * (2 * round(MARGIN))

    def sizeHint(self) -> QSize:
        """Ask for no more than that."""
        return self.minimumSizeHint()

    def set_picture(self, picture: Picture) -> None:
        """Write numbers where any would fit: alike in all matrices side by side."""
        super().set_picture(replace(picture, writings=WRITINGS))


class TitledCard(QWidget):
    """A matrix under a title, with a quiet line below."""

    def __init__(self, view_name: str) -> None:
        super().__init__()
        self.title = FittingLabel()
        self.title.setTextFormat(Qt.TextFormat.PlainText)  # names may look like HTML
        self.title.setFont(demi_bold(self.title.font()))
        self.view = SmallMatrixView()
        self.view.setObjectName(view_name)
        self.note = FittingLabel()
        self._quiet: list[QLabel] = [self.note]
        self.header = QHBoxLayout()
        self.header.setSpacing(2)
        self.header.setContentsMargins(3, 0, 0, 0)
        self.header.addWidget(self.title, 1)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(*PADDING)
        self.column.setSpacing(1)
        self.column.addLayout(self.header)
        self.column.addWidget(self.view, 1)
        self.column.addWidget(self.note)
        self._restyle()

    def set_words(self, tip: str, *titles: str) -> None:
        """Show the longest of ``titles`` that fits; ``tip`` says more of the matrix."""
        self.title.set_texts(*titles)
        self.view.setAccessibleName(titles[0])
        for part in (self.title, self.view):
            part.setToolTip(plain(tip))

    def set_cursor_row(self, row: int) -> None:
        """Mark a row in the matrix."""
        self.view.set_cursor_cell(row, None)

    def changeEvent(self, event: QEvent) -> None:
        """Take up new fonts and colours."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self._restyle()

    def _restyle(self) -> None:
        self.title.setFont(demi_bold(self.font()))
        # As high as the switch of a head's card, so that matrices side by side are level.
        self.title.setMinimumHeight(self.fontMetrics().height() + SWITCH_MARGIN)
        for label in self._quiet:
            _write_quietly(label, self)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the card."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._draw_card(painter, QRectF(self.rect()))
        painter.end()

    def _draw_card(self, painter: QPainter, box: QRectF) -> None:
        theme = theme_of(self.palette())
        draw_card(painter, box, theme.card, QPen(theme.card_border, 1.0))


class PairCard(TitledCard):
    """Two matrices, the lower one under a caption of its own."""

    def __init__(self, view_name: str, lower_name: str) -> None:
        super().__init__(view_name)
        self.caption = FittingLabel()
        self.lower_view = SmallMatrixView()
        self.lower_view.setObjectName(lower_name)
        self.column.addWidget(self.caption)
        self.column.addWidget(self.lower_view, 1)
        self._quiet.append(self.caption)
        self._restyle()

    def set_lower_words(self, tip: str, name: str, *captions: str) -> None:
        """Say what the lower matrix is, the caption in the longest way that fits."""
        self.caption.set_texts(*captions)
        self.lower_view.setAccessibleName(name)
        for part in (self.caption, self.lower_view):
            part.setToolTip(tip)

    def share(self, grounds: Grounds) -> None:
        """Have in common with other cards what is the same around the cells."""
        for view in (self.view, self.lower_view):
            view.share(grounds)

    def set_cursor_row(self, row: int) -> None:
        """Mark a row in both matrices."""
        super().set_cursor_row(row)
        self.lower_view.set_cursor_cell(row, None)


class TermCard(PairCard):
    """What one head adds to O, and the sum so far, with the head's mute switch.

    Signals
    -------
    pointed
        The cursor is wanted at (head, row): the head by uid, the row from 0.
    selected
        The cursor is wanted at the head, by uid.
    mute_asked
        The head, by uid, is to be muted, or to be heard again.
    """

    pointed = Signal(int, int)
    selected = Signal(int)
    mute_asked = Signal(int, bool)

    def __init__(self, place: int) -> None:
        super().__init__(f"termView{place}", f"runningSumView{place}")
        self.uid = 0
        self._colour, self._is_active, self._is_current = QColor(), True, False
        self._said: tuple[object, ...] = ()
        self.mute = LetterButton("M", MUTE)
        self.mute.setObjectName(f"termMuteButton{place}")
        self.bar = NormBar()
        self.bar.setObjectName(f"normBar{place}")
        self.header.addWidget(self.mute)
        self.column.insertWidget(2, self.bar)
        self.column.setContentsMargins(BAND + 3, *PADDING[1:])
        self.note.hide()
        for part in (self.title, self.view):
            put_above(part, Formula.TERM)
        for part in (self.caption, self.lower_view):
            put_above(part, Formula.RUNNING_SUM)
        self.mute.toggled.connect(self._on_mute)
        for view in (self.view, self.lower_view):
            view.pointed.connect(self._on_pointed)

    def set_head(
        self, uid: int, label: str, name: str, colour: QColor, standing: Standing, reads: str
    ) -> None:
        """Show whose card this is, what mute and solo make of the head, and what it ``reads``."""
        said = (uid, label, name, colour, standing, reads)
        if said == self._said:
            return
        self._said = said
        self.uid, self._colour = uid, colour
        self._is_active = standing not in ("muted", "not soloed")
        self.update()
        titles = [f"{label} {name}", label]
        if standing:
            titles = [f"{label} {name} ({standing})", f"{label} {standing}", label]
        about = f"{label} {name}" + (f", {standing}" if standing else "")
        self.set_words(
            f"{about}: A_h·{reads}·W_V^h·W_O^(h).\n{Formula.TERM.sentences}",
            *titles,
        )
        self.view.setAccessibleName(f"Term of {about}")
        name = f"The sum of the terms of all heads up to {label}"
        tip = Formula.RUNNING_SUM.sentences
        self.set_lower_words(tip, name, f"Σ h1..{label}" if label != "h1" else label)
        self.mute.setAccessibleName(f"Mute {label} in the filter bank")
        self.mute.setToolTip(f"Mute: {label} is zero in Concat, before W_O reads it")

    def set_muted(self, muted: bool) -> None:
        """Show whether the head is muted."""
        with QSignalBlocker(self.mute):
            self.mute.setChecked(muted)

    def set_current(self, current: bool) -> None:
        """Show that the cursor is in this head."""
        if current != self._is_current:
            self._is_current = current
            self.update()

    def _draw_card(self, painter: QPainter, box: QRectF) -> None:
        """Draw it with the head's band, hollow where the head is muted."""
        theme, colour = theme_of(self.palette()), self._colour
        line = QPen(colour, 2.0) if self._is_current else QPen(theme.card_border, 1.0)
        draw_card(painter, box, theme.card, line, colour, hollow=not self._is_active)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Point the cursor at the head."""
        self.selected.emit(self.uid)
        event.accept()

    def _on_mute(self, muted: bool) -> None:
        self.mute_asked.emit(self.uid, muted)

    def _on_pointed(self, row: int, _column: int) -> None:
        self.pointed.emit(self.uid, row)


def _write_quietly(label: QLabel, card: QWidget) -> None:
    """Write ``label`` small and muted, as goes with ``card``."""
    label.setFont(scaled_font(card.font(), LABEL_FONT))
    palette = QPalette()
    palette.setColor(QPalette.ColorRole.WindowText, theme_of(card.palette()).muted)
    label.setPalette(palette)
    label.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter)
