"""One head on the bench as a card: what it is, its gain, and its numbers at the cursor's row."""

from functools import partial
from itertools import pairwise
from math import isnan
from operator import is_

from PySide6.QtCore import QEvent, QObject, QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
)
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from mhagui.document import Head, HeadResult, Pattern
from mhagui.document.bias_edits import add_sink, set_sink, set_slope
from mhagui.document.designs import design_of
from mhagui.document.edits import (
    Edit,
    SetSetting,
    rename_head,
    set_gain,
    set_key_magnitude,
    set_muted,
    set_soloed,
    why_given_alone,
)
from mhagui.document.patterns import parameters_of
from mhagui.document.weight_edits import to_pattern
from mhagui.formats import USUAL, Precision
from mhagui.gui.bench import Bench, Frame
from mhagui.gui.docks.bias_controls import NO_BIASES, Biases, BiasRows
from mhagui.gui.docks.key_heads import key_head_mark, key_head_tip
from mhagui.gui.formulas import Formula
from mhagui.gui.theme import theme_of
from mhagui.gui.widgets.drawing import BAND, MUTE, demi_bold, draw_card, scaled_font
from mhagui.gui.widgets.fitting_label import FittingLabel
from mhagui.gui.widgets.formula_tip import explain, put_above
from mhagui.gui.widgets.gain_control import GainControl
from mhagui.gui.widgets.head_fields import LetterButton, NameEdit, PatternBox, SettingField
from mhagui.gui.widgets.key_line import KeyLabel
from mhagui.gui.widgets.matrix_picture import NO_KEY
from mhagui.gui.widgets.naming import named
from mhagui.gui.widgets.number_box import NumberBox
from mhagui.gui.widgets.page import FieldLabel
from mhagui.palette import head_colour

MAX_KEY_MAGNITUDE = 1000.0
_SLACK = 32  # how much a card grows where there is room
_ROWS_BELOW = 6  # gain and numbers, each with the stretch below it; caption and reason
_SMALL = 0.92  # size of the numbers' line

_CARD_TIP = "Click or press Space to point the cursor at this head; ↑ and ↓ go from card to card"
_MUTE_TIP = "is zero in Concat, before W_O reads it"
_SOLO_TIP = "Solo: only soloed heads reach W_O, the others are zero in Concat"
_PATTERN_TIP = (
    "What Q and K are designed to find; hand-set keeps the Q and K of this moment as they are"
)
_CAPTION_TIP = "Layer 1 reads X; layer 2 reads X2 = X + what the heads of layer 1 add to it"


def live_texts(result: HeadResult, query: int, write: Precision) -> tuple[str, ...]:
    """Return row entropy and effective positions of a head at query row ``query`` (from 0)."""
    positions = float(result.effective_positions[query])
    if isnan(positions):
        return f"row t{query + 1}: {NO_KEY}", NO_KEY, "no key"
    bits = write.fixed(float(result.row_entropy_bits[query]))
    count = write.fixed(positions, 2 if not positions >= 100 else 0)
    short = f"{bits} bits, {count} positions"  # the row is marked everywhere
    text = f"row t{query + 1}: {short}"
    return (text, short) if write == USUAL else (text, short, f"{bits} bits, {count} pos.")


def why_no_gain_acts(result: HeadResult) -> str:
    """Return in words why no gain changes this head's weights; empty where one does."""
    if result.scores_differ:
        return ""
    if result.weights.shape == (1, 1) and result.head.sink is None:
        return "one position: its weight is 1 at any gain"
    if not (result.row_entropy_bits > 0).any() and result.head.sink is None:
        return "one key a row: its weight is 1 at any gain"
    if result.head.sink is not None:
        return "all scores 0: no gain changes its weights"
    if result.head.slope:
        return "equal scores: its slope alone acts, at any gain"
    if not result.has_queries:
        return "equal weights: uniform at any gain"
    # No row's scores differ from that of its first key, which every row may see.
    if (result.q @ result.k[0]).any():
        return "equal scores: uniform at any gain"
    return "all scores 0: uniform at any gain"


def caption_of(head: Head) -> str:
    """Return what sets a head apart that is not a designed one of layer 1; empty for one."""
    reads = "X" if head.layer == 1 else "X2"
    layer = "" if head.layer == 1 else f"layer {head.layer}"
    source = f"projected from {reads}" if head.pattern is Pattern.PROJECTED else ""
    return ", ".join(filter(None, (layer, source)))


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
        self._shared = KeyLabel()
        self._name = NameEdit()
        self._mute = LetterButton("M", MUTE)
        self._solo = LetterButton("S", QColor("#facc15"))
        self._pattern = PatternBox(unasked=(Pattern.PROJECTED, Pattern.GIVEN))
        self._settings: list[SettingField] = []
        self._settings_of: Pattern | None = None
        self._told: tuple[object, ...] = (None,) * 5
        self._has_keys = False
        self._key = NumberBox(0.0, MAX_KEY_MAGNITUDE, 0.5)
        self._key_label = FieldLabel("|K|", self._key)
        self._gain = GainControl()
        self._gain_label = FieldLabel("gain", self._gain.slider)
        self._biases: BiasRows | None = None  # made where a head first has one
        self._rank = QLabel()
        self._live = FittingLabel()
        self._caption = QLabel()
        self._reason = QLabel()
        self._numbers = QGridLayout()
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
        rows.setContentsMargins(BAND + 8, 5, 8, 5)
        rows.setSpacing(3)
        for row in (
            _row(self._label, self._name, self._shared, self._mute, self._solo, stretched=1, gap=4),
            self._numbers,
            _row(self._gain_label, self._gain, stretched=1),
            _row(self._rank, self._live, stretched=1),
        ):
            rows.addLayout(row)
            rows.addStretch(1)
        rows.addWidget(self._caption)
        rows.addWidget(self._reason)
        self._lay_out_numbers()
        self._label.setFont(demi_bold(QFont()))
        self._live.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        explain(self._rank, Formula.SCORE_RANK)
        explain(self._live, Formula.EFFECTIVE_POSITIONS)
        put_above(self._caption, Formula.INPUT)
        put_above(self._reason, Formula.GAIN)
        put_above(self._key, Formula.KEY_MAGNITUDE)
        for part in (self._gain.slider, self._gain.box):
            put_above(part, Formula.GAIN)
        self._caption.setToolTip(_CAPTION_TIP)

    def _lay_out_numbers(self) -> None:
        """Lay out the pattern, and in the columns beside and below it |K| and its own numbers."""
        self._numbers.setHorizontalSpacing(8)
        self._numbers.setVerticalSpacing(3)
        self._numbers.setColumnStretch(0, 1)
        self._numbers.addWidget(self._pattern, 0, 0)
        self._numbers.addWidget(self._key_label, 0, 1)
        self._numbers.addWidget(self._key, 0, 2)
        for widget in (self._pattern, self._key_label, self._key):
            _fix_height(widget)

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
        settings = (setting.box for setting in self._settings)
        biases = () if self._biases is None else self._biases.stops()
        gain = self._gain.slider, self._gain.box
        return (*name, self._pattern, self._key, *settings, *biases, *gain)

    def _pressable(self) -> tuple[QWidget, ...]:
        boxes = self._key, self._gain.box
        return (*self.stops()[1:], *(box.lineEdit() for box in boxes))

    def _deal_settings(self, pattern: Pattern) -> None:
        """Offer the numbers that ``pattern`` takes, from the place of |K| on if it has none."""
        self._settings_of = pattern
        for setting in self._settings:
            setting.remove()
        parameters, has_keys = parameters_of(pattern), design_of(pattern).has_keys
        self._settings = [SettingField(parameter, self) for parameter in parameters]
        for widget in (self._key_label, self._key):
            _keep_room(widget, not parameters)  # so that the pattern is as wide as on other cards
            widget.setVisible(has_keys)
        for place, setting in enumerate(self._settings):
            row = place + has_keys
            at_side = (row, 1, 1, 1) if row == 0 else (row, 0, 1, 2)
            self._numbers.addWidget(setting.label, *at_side, Qt.AlignmentFlag.AlignRight)
            self._numbers.addWidget(setting.box, row, 2)
            self._connect_setting(place, setting)
        self._restyle()
        self._order_stops()

    def _order_stops(self) -> None:
        for one, other in pairwise(self.stops()):
            QWidget.setTabOrder(one, other)

    def _make_biases(self, number: int) -> BiasRows:
        biases = BiasRows()
        rows = self.layout()
        assert isinstance(rows, QVBoxLayout)
        rows.insertWidget(rows.count() - _ROWS_BELOW, biases)
        biases.slope_asked.connect(self._set_slope)
        biases.sink_asked.connect(self._set_sink)
        biases.refused.connect(self._bench.refused)
        biases.number(number)
        for widget in (*biases.stops(), biases.slope.lineEdit(), biases.sink.lineEdit()):
            widget.installEventFilter(self)
        self._biases = biases
        self._restyle()
        self._order_stops()
        return biases

    def _connect_setting(self, place: int, setting: SettingField) -> None:
        setting.edited.connect(partial(self._set_setting, place))
        setting.refused.connect(self._bench.refused)
        for widget in (setting.box, setting.box.lineEdit()):
            widget.installEventFilter(self)
        for part in (setting.label, setting.box):
            _fix_height(part)
            part.show()  # now, not a turn of the event loop later

    # --- what it shows

    def show_frame(self, frame: Frame, biases: Biases) -> None:
        """Show what ``frame`` says of the head, and which ``biases`` any head of it has."""
        index = frame.scene.index_of(self.uid)
        result = frame.result.heads[index]
        head, cursor = frame.latest.heads[index], frame.view.cursor
        if head.pattern is not self._settings_of:
            self._deal_settings(head.pattern)
            self._label.clear()  # so that the new boxes are named
        self._number(index + 1)
        self._shared.show_key_head(head.key_head, key_head_mark(head))
        self._shared.setVisible(head.key_head is not None)
        tip = key_head_tip(frame.scene, head)
        if tip != self._shared.toolTip():
            self._shared.setToolTip(tip)
        self._name.show_name(head.name)
        self._pattern.show_pattern(head.pattern)
        self._let_choose(why_given_alone(frame.latest))
        _check(self._mute, head.muted)
        _check(self._solo, head.soloed)
        self._key.show_value(head.key_magnitude)
        self._tell(result, cursor.query, frame.view.appearance.precision)
        # Keys that are zero although |K| is not, have no magnitude to set.
        self._key.setEnabled(self._has_keys or head.key_magnitude == 0)
        for setting, value in zip(self._settings, head.settings, strict=True):
            setting.show_value(value)
        self._show_biases(frame, head, result, biases if head.a is None else NO_BIASES)
        self._gain.show_gain(head.gain, why_fixed=self._reason.text())
        _say(self._caption, caption_of(head))
        self._mark(selected=cursor.head == self.uid, active=result.active)

    def _show_biases(self, frame: Frame, head: Head, result: HeadResult, kinds: Biases) -> None:
        if self._biases is None and not kinds.any:
            return
        rows = self._biases or self._make_biases(frame.scene.index_of(self.uid) + 1)
        rows.show_kinds(kinds)
        if kinds.any:
            view = frame.view
            rows.show_head(head, result, view.cursor.query, view.appearance.precision)

    def _let_choose(self, why_not: str) -> None:
        """Let another pattern be chosen, or say in the tooltip ``why_not``."""
        if self._pattern.isEnabled() is bool(why_not):
            self._pattern.setEnabled(not why_not)
            self._pattern.setToolTip(why_not or _PATTERN_TIP)

    def _tell(self, result: HeadResult, query: int, precision: Precision) -> None:
        """Write what is computed of the head, unless that stands there already."""
        arrays = result.q, result.k, result.row_entropy_bits
        if all(map(is_, arrays, self._told[:3])) and self._told[3:] == (query, precision):
            return
        self._told = *arrays, query, precision
        self._has_keys = bool(result.k.any())
        self._rank.setText(f"rank {result.score_rank_text}")
        self._live.set_written(partial(live_texts, result, query), precision)
        _say(self._reason, why_no_gain_acts(result))

    def changeEvent(self, event: QEvent) -> None:
        """Take up new fonts and colours."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self._restyle()

    def _restyle(self) -> None:
        small = scaled_font(self.font(), _SMALL)
        palette = QPalette()
        palette.setColor(QPalette.ColorRole.WindowText, theme_of(self.palette()).muted)
        for label in (self._shared, self._rank, self._live, self._caption, self._reason):
            label.setFont(small)
            label.setPalette(palette)
        if self._biases is not None:
            self._biases.restyle(small, palette)
        settings = (setting.label for setting in self._settings)
        for label in (self._key_label, self._gain_label, *settings):
            label.setPalette(palette)

    def _number(self, number: int) -> None:
        """Name everything after the head's place, from 1."""
        label = f"h{number}"
        if label == self._label.text():
            return
        self._label.setText(label)
        named(self, f"headCard{number}", f"Head {label}", _CARD_TIP)
        self._name.setObjectName(f"nameEdit{number}")
        self._name.setAccessibleName(f"Name of {label}")
        named(self._mute, f"muteButton{number}", f"Mute {label}", f"Mute: O_{number} {_MUTE_TIP}")
        named(self._solo, f"soloButton{number}", f"Solo {label}", _SOLO_TIP)
        named(self._pattern, f"patternBox{number}", f"Pattern of {label}", _PATTERN_TIP)
        self._key.setObjectName(f"keyMagnitudeBox{number}")
        self._key.describe(f"Key magnitude of {label}", Formula.KEY_MAGNITUDE.sentences)
        for place, setting in enumerate(self._settings, start=1):
            setting.describe(f"settingBox{number}_{place}", label)
        if self._biases is not None:
            self._biases.number(number)
        self._gain.slider.setObjectName(f"gainSlider{number}")
        self._gain.box.setObjectName(f"gainBox{number}")
        self._gain.describe(f"Gain of {label}", Formula.GAIN.sentences)

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
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colour = QColor(head_colour(self.uid))
        draw_card(painter, _inset(self, 0), theme.card, line, colour, hollow=not self._active)
        if self.hasFocus():
            painter.setPen(QPen(highlight, 1.0))
            painter.drawRoundedRect(_inset(self, 3.5), 3.0, 3.0)

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
        if self._bench.scene.has_head(self.uid):
            self._bench.when_settled(partial(self._give_pattern, self.uid, pattern))

    def _give_pattern(self, uid: int, pattern: Pattern, frame: Frame) -> None:
        if frame.scene.has_head(uid):
            self._edit(to_pattern(frame.result, uid, pattern))

    def _set_setting(self, place: int, value: float) -> None:
        scene = self._bench.scene
        if scene.has_head(self.uid) and scene.head(self.uid).pattern is self._settings_of:
            self._edit(SetSetting(self.uid, place, value))

    def _set_key_magnitude(self, magnitude: float) -> None:
        self._edit(set_key_magnitude(self.uid, magnitude))

    def _set_slope(self, slope: float) -> None:
        self._edit(set_slope(self.uid, slope))

    def _set_sink(self, sink: float | None) -> None:
        scene = self._bench.scene
        is_new = sink is not None and scene.has_head(self.uid) and scene.head(self.uid).sink is None
        self._edit(add_sink(self.uid) if is_new else set_sink(self.uid, sink))

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
        _fix_height(widget)
    return row


def _fix_height(widget: QWidget) -> None:
    """Have what the card grows by go between the rows, not into them."""
    policy = widget.sizePolicy()
    policy.setVerticalPolicy(QSizePolicy.Policy.Fixed)
    widget.setSizePolicy(policy)


def _keep_room(widget: QWidget, keeps: bool) -> None:
    policy = widget.sizePolicy()
    policy.setRetainSizeWhenHidden(keeps)
    widget.setSizePolicy(policy)


def _say(label: QLabel, text: str) -> None:
    label.setText(text)
    label.setVisible(bool(text))


def _inset(widget: QWidget, by: float) -> QRectF:
    return QRectF(widget.rect()).adjusted(by, by, -by, -by)


def _check(button: LetterButton, checked: bool) -> None:
    if button.isChecked() != checked:
        with QSignalBlocker(button):
            button.setChecked(checked)
