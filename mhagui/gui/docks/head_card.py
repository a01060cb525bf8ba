"""One head on the bench as a card: what it is, its gain, and its numbers at the cursor's row."""

from PySide6.QtCore import QEvent, QObject, QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPalette,
    QPen,
)
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from mhagui.document import HeadResult, Pattern
from mhagui.document.edits import (
    Edit,
    SetPattern,
    rename_head,
    set_gain,
    set_key_magnitude,
    set_muted,
    set_soloed,
)
from mhagui.formats import fixed
from mhagui.gui.bench import Bench, Frame
from mhagui.gui.theme import Theme, theme_of
from mhagui.gui.widgets.drawing import demi_bold, scaled_font
from mhagui.gui.widgets.gain_control import GainControl
from mhagui.gui.widgets.head_fields import LetterButton, NameEdit, PatternBox
from mhagui.gui.widgets.number_box import NumberBox
from mhagui.palette import head_colour

MAX_KEY_MAGNITUDE = 1000.0
_EDGE = 5  # width of the band in the head's colour
_ROUND = 5.0
_SLACK = 32  # how much a card grows where there is room
_SMALL = 0.92  # size of the numbers' line

_CARD_TIP = "Click or press Space to point the cursor at this head; ↑ and ↓ go from card to card"
_MUTE_TIP = "is zero in Concat, before W_O reads it"
_SOLO_TIP = "Solo: only soloed heads reach W_O, the others are zero in Concat"
_PATTERN_TIP = "What Q and K are designed to find"
_KEY_TIP = "|K|, the magnitude of the designed keys: 0 to 1000; the lesson has 3"
_GAIN_TIP = "g in A = softmax(g·S), before the master gain; 1 is as designed"
_RANK_TIP = "Numerical rank of Q·Kᵀ; no gain changes it"
_LIVE_TIP = "Entropy of the cursor's row of A in bits, and 2 to that: how many positions it blends"


def live_text(result: HeadResult, query: int) -> str:
    """Return row entropy and effective positions of a head at query row ``query`` (from 0)."""
    positions = float(result.effective_positions[query])
    bits = fixed(float(result.row_entropy_bits[query]))
    count = fixed(positions, 2 if not positions >= 100 else 0)
    return f"row t{query + 1}: {bits} bits, {count} positions"


def why_no_gain_acts(result: HeadResult) -> str:
    """Return in words why no gain changes this head's weights; empty where one does."""
    if result.scores_differ:
        return ""
    if len(result.scores) == 1:
        return "one position: its weight is 1 at any gain"
    if result.scores.any():
        return "scores equal in every row: no gain changes them"
    return "all scores 0: no gain changes a uniform head"


class HeadCard(QWidget):
    """Shows head ``uid`` of the bench and turns what the user does to it into edits.

    Signals
    -------
    neighbour_asked
        An arrow key asks for the card before (−1) or after (+1) that of the uid it carries first.
    """

    neighbour_asked = Signal(int, int)

    def __init__(self, bench: Bench, uid: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bench = bench
        self.uid = uid
        self._selected = False
        self._active = True
        self._label = QLabel()
        self._name = NameEdit()
        self._mute = LetterButton("M", QColor("#a83a08"))
        self._solo = LetterButton("S", QColor("#facc15"))
        self._pattern = PatternBox()
        self._key_label = QLabel("|K|")
        self._key = NumberBox(0.0, MAX_KEY_MAGNITUDE, 0.5)
        self._gain_label = QLabel("gain")
        self._gain = GainControl()
        self._rank = QLabel()
        self._live = QLabel()
        self._reason = QLabel()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._lay_out()
        self._restyle()
        self._connect()
        for stop in self._pressable():
            stop.installEventFilter(self)

    # --- what it is made of

    def _lay_out(self) -> None:
        rows = QVBoxLayout(self)
        rows.setContentsMargins(_EDGE + 8, 5, 8, 5)
        rows.setSpacing(3)
        for row in (
            _row(self._label, self._name, self._mute, self._solo, stretched=1, gap=4),
            _row(self._pattern, self._key_label, self._key, stretched=0),
            _row(self._gain_label, self._gain, stretched=1),
            _row(self._rank, self._live, stretched=1),
        ):
            rows.addLayout(row)
            rows.addStretch(1)
        rows.addWidget(self._reason)
        self._label.setFont(demi_bold(QFont()))
        self._live.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._rank.setToolTip(_RANK_TIP)
        self._live.setToolTip(_LIVE_TIP)
        self._key_label.setBuddy(self._key)
        self._gain_label.setBuddy(self._gain.slider)

    def _connect(self) -> None:
        self._name.renamed.connect(self._rename)
        self._mute.toggled.connect(self._set_muted)
        self._solo.toggled.connect(self._set_soloed)
        self._pattern.chosen.connect(self._set_pattern)
        self._key.valueChanged.connect(self._set_key_magnitude)
        self._gain.edited.connect(self._set_gain)
        self._key.refused.connect(self._bench.refused)
        self._gain.refused.connect(self._bench.refused)

    def stops(self) -> tuple[QWidget, ...]:
        """Return what Tab goes through, in order."""
        name = (self, self._name, self._mute, self._solo)
        return (*name, self._pattern, self._key, self._gain.slider, self._gain.box)

    def _pressable(self) -> tuple[QWidget, ...]:
        return (*self.stops()[1:], self._key.lineEdit(), self._gain.box.lineEdit())

    # --- what it shows

    def show_frame(self, frame: Frame) -> None:
        """Show what ``frame`` says of the head."""
        index = frame.scene.index_of(self.uid)
        result = frame.result.heads[index]
        head, cursor = result.head, frame.view.cursor
        self._number(index + 1)
        self._name.show_name(head.name)
        self._pattern.show_pattern(head.pattern)
        _check(self._mute, head.muted)
        _check(self._solo, head.soloed)
        self._key.show_value(head.key_magnitude)
        # Keys that are zero although |K| is not, have no magnitude to set.
        self._key.setEnabled(bool(result.k.any()) or head.key_magnitude == 0)
        reason = why_no_gain_acts(result)
        self._gain.show_gain(head.gain, why_fixed=reason)
        self._rank.setText(f"rank {result.score_rank}")
        self._live.setText(live_text(result, cursor.query))
        self._explain(reason)
        self._mark(selected=cursor.head == self.uid, active=result.active)

    def changeEvent(self, event: QEvent) -> None:
        """Take up new fonts and colours."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self._restyle()

    def _restyle(self) -> None:
        small = scaled_font(self.font(), _SMALL)
        palette = QPalette()
        palette.setColor(QPalette.ColorRole.WindowText, theme_of(self.palette()).muted)
        for label in (self._rank, self._live, self._reason):
            label.setFont(small)
            label.setPalette(palette)
        for label in (self._key_label, self._gain_label):
            label.setPalette(palette)

    def _number(self, number: int) -> None:
        """Name everything after the head's place, from 1."""
        label = f"h{number}"
        if label == self._label.text():
            return
        self._label.setText(label)
        _name(self, f"headCard{number}", f"Head {label}", _CARD_TIP)
        self._name.setObjectName(f"nameEdit{number}")
        self._name.setAccessibleName(f"Name of {label}")
        _name(self._mute, f"muteButton{number}", f"Mute {label}", f"Mute: O_{number} {_MUTE_TIP}")
        _name(self._solo, f"soloButton{number}", f"Solo {label}", _SOLO_TIP)
        _name(self._pattern, f"patternBox{number}", f"Pattern of {label}", _PATTERN_TIP)
        self._key.setObjectName(f"keyMagnitudeBox{number}")
        self._key.describe(f"Key magnitude of {label}", _KEY_TIP)
        self._gain.slider.setObjectName(f"gainSlider{number}")
        self._gain.box.setObjectName(f"gainBox{number}")
        self._gain.describe(f"Gain of {label}", _GAIN_TIP)

    def _explain(self, reason: str) -> None:
        self._reason.setText(reason)
        self._reason.setVisible(bool(reason))

    def _mark(self, *, selected: bool, active: bool) -> None:
        if (selected, active) != (self._selected, self._active):
            self._selected, self._active = selected, active
            self.update()

    def sizeHint(self) -> QSize:
        """Ask for a little more than is needed, for ease."""
        return super().sizeHint() + QSize(0, _SLACK)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the card, its edge in the head's colour, and whether it is selected."""
        theme = theme_of(self.palette())
        highlight = self.palette().color(QPalette.ColorRole.Highlight)
        line = QPen(highlight, 2.0) if self._selected else QPen(theme.card_border, 1.0)
        outline = QPainterPath()
        outline.addRoundedRect(_inset(self, line.widthF() / 2), _ROUND, _ROUND)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillPath(outline, theme.card)
        self._draw_edge(painter, outline, theme)
        painter.strokePath(outline, line)
        if self.hasFocus():
            painter.setPen(QPen(highlight, 1.0))
            painter.drawRoundedRect(_inset(self, 3.5), 3.0, 3.0)

    def _draw_edge(self, painter: QPainter, outline: QPainterPath, theme: Theme) -> None:
        """Draw a band in the head's colour, hollow where the head is ablated."""
        band = QRectF(0, 0, _EDGE, self.height())
        painter.save()
        painter.setClipPath(outline)
        painter.fillRect(band, QColor(head_colour(self.uid)))
        if not self._active:
            painter.fillRect(band.adjusted(2, 2, -1, -2), theme.card)
        painter.restore()

    # --- what the user does

    def _edit(self, edit: Edit, gesture: object | None = None) -> None:
        if not self._bench.scene.has_head(self.uid):
            return  # the head has gone, and its card goes with the next frame
        if not self._bench.edit(edit, gesture):
            self._name.restore()

    def _rename(self, name: str) -> None:
        self._edit(rename_head(self.uid, name))

    def _set_muted(self, muted: bool) -> None:
        self._edit(set_muted(self.uid, muted))

    def _set_soloed(self, soloed: bool) -> None:
        self._edit(set_soloed(self.uid, soloed))

    def _set_pattern(self, pattern: Pattern) -> None:
        self._edit(SetPattern(self.uid, pattern))

    def _set_key_magnitude(self, magnitude: float) -> None:
        self._edit(set_key_magnitude(self.uid, magnitude))

    def _set_gain(self, gain: float, gesture: object | None) -> None:
        self._edit(set_gain(self.uid, gain), gesture)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Point the cursor at the head."""
        self._bench.point(head=self.uid)
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Space points the cursor at the head, ↑ and ↓ go from card to card."""
        if event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._bench.point(head=self.uid)
        elif event.key() == Qt.Key.Key_Up:
            self.neighbour_asked.emit(self.uid, -1)
        elif event.key() == Qt.Key.Key_Down:
            self.neighbour_asked.emit(self.uid, 1)
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take a press on anything in the card for a press on the card too."""
        if event.type() == QEvent.Type.MouseButtonPress:
            self._bench.point(head=self.uid)
        return super().eventFilter(watched, event)


def _row(*widgets: QWidget, stretched: int, gap: int = 8) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(gap)
    for place, widget in enumerate(widgets):
        row.addWidget(widget, 1 if place == stretched else 0)
        # What the card grows by goes between the rows, not into them.
        policy = widget.sizePolicy()
        policy.setVerticalPolicy(QSizePolicy.Policy.Fixed)
        widget.setSizePolicy(policy)
    return row


def _inset(widget: QWidget, by: float) -> QRectF:
    return QRectF(widget.rect()).adjusted(by, by, -by, -by)


def _name(widget: QWidget, object_name: str, accessible_name: str, tip: str) -> None:
    widget.setObjectName(object_name)
    widget.setAccessibleName(accessible_name)
    widget.setToolTip(tip)


def _check(button: LetterButton, checked: bool) -> None:
    with QSignalBlocker(button):
        button.setChecked(checked)
