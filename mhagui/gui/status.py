"""The status bar: the cell under the cursor, facts of the scene, and refusals for a while."""

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QLabel, QProgressBar, QStatusBar, QToolButton

from mhagui import formats
from mhagui.document import Pattern, Quantity, Scene
from mhagui.gui.bench import Frame
from mhagui.gui.formulas import Formula
from mhagui.gui.held_input import FREE
from mhagui.gui.icons import icon
from mhagui.gui.pictures import cursor_text
from mhagui.gui.widgets.formula_tip import put_above
from mhagui.gui.widgets.naming import named
from mhagui.gui.widgets.words import plain

REFUSAL_MILLISECONDS = 15_000
NOTICE_MILLISECONDS = 5_000
CANCEL_TIP = "Compute it no longer, and go back to the scene that is shown (Esc)"
CELL_FORMULAS = {Quantity.WEIGHTS: Formula.WEIGHTS, Quantity.SCORES: Formula.SCORES}


class StatusBar(QStatusBar):
    """Shows the cursor's cell, the scene's sizes, and for a while why something was not done.

    Signals
    -------
    cancelled
        Nobody is to compute any longer what takes so long.
    """

    cancelled = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._cell = _label("cursorReadout", "Cell under the cursor")
        self._refusal = _label("refusal", "Why something was not done")
        self._refusal.setMinimumWidth(1)  # a long sentence must not widen the window
        self._facts = _label("sceneFacts", "Size of the scene and time of the last computation")
        put_above(self._facts, Formula.SIZES)
        self._facts_text = ""
        self._refused_in: Scene | None = None
        self._noticed_in: Scene | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(REFUSAL_MILLISECONDS)
        self._timer.timeout.connect(self.clear_refusal)
        self._progress = _ProgressBar()
        self._cancel = _cancel_button()
        self._cancel.clicked.connect(self.cancelled)
        self.addWidget(self._cell)
        self.addWidget(self._refusal, 1)
        for widget in (self._progress, self._cancel, self._facts):
            self.addPermanentWidget(widget)
        self.end_delay()

    def event(self, event: QEvent) -> bool:
        """Keep what a message hides hidden: Qt shows it below that when the font is another."""
        is_done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            QTimer.singleShot(0, self, self._hide_below_message)
        return is_done

    def _hide_below_message(self) -> None:
        for label in (self._cell, self._refusal) if self.currentMessage() else ():
            label.hide()
            label.setAttribute(Qt.WidgetAttribute.WA_WState_ExplicitShowHide, on=False)

    def show_frame(self, frame: Frame) -> None:
        """Show the cell and the facts of ``frame``; another scene ends what was refused."""
        scene = frame.scene
        if self._refused_in is not None and scene is not self._refused_in:
            self.clear_refusal()
        if self._noticed_in is not None and frame.latest is not self._noticed_in:
            self._noticed_in = None
            self.clearMessage()
        self._cell.setText(cursor_text(frame))
        put_above(self._cell, _cell_formula(frame))
        latest, took = frame.latest, formats.duration(frame.compute_seconds)
        if scene.n_positions < latest.n_positions:  # at a start with a long scene
            took = f"meanwhile T {scene.n_positions}"
        self._facts_text = (
            f"T {_lengths(latest)} · H {_heads(scene)} · {_widths(scene)} · float64 · {took}"
        )
        if self._progress.isHidden():
            self._facts.setText(self._facts_text)

    def refuse(self, sentence: str, scene: Scene) -> None:
        """Show why something was not done, for a while or until ``scene`` changes."""
        self.clearMessage()  # it would hide the sentence
        self._refused_in = scene
        self._facts.hide()  # the sentence needs the room
        self._refusal.setText(sentence)
        self._refusal.setToolTip(plain(sentence))
        self._timer.start()

    def notice(self, sentence: str, scene: Scene | None = None) -> None:
        """Say for a moment that something was done, and no longer than ``scene`` is the scene."""
        self.clear_refusal()
        self._noticed_in = scene
        self.showMessage(sentence, NOTICE_MILLISECONDS)

    def tell_of_delay(self, n_done: int, n_heads: int) -> None:
        """Say that a computation takes its time, and how many heads are done."""
        self._facts.setText(f"computing… head {n_done + 1} of {n_heads}")
        self._progress.setMaximum(n_heads)
        self._progress.setValue(n_done)
        for widget in (self._progress, self._cancel):
            widget.show()

    def end_delay(self) -> None:
        """Say no more that something takes its time."""
        if not self._progress.isHidden():
            self._facts.setText(self._facts_text)
        for widget in (self._progress, self._cancel):
            widget.hide()

    def clear_refusal(self) -> None:
        """Forget what was refused."""
        self._refused_in = None
        self._timer.stop()
        self._refusal.clear()
        self._refusal.setToolTip("")
        self._facts.show()


def _cell_formula(frame: Frame) -> Formula:
    head = frame.result.heads[frame.scene.index_of(frame.view.cursor.head)]
    if frame.view.quantity is Quantity.SCORES and not head.has_queries:
        return Formula.GIVEN_SCORES
    return CELL_FORMULAS[frame.view.quantity]


def _lengths(scene: Scene) -> str:
    """Return T, and how many keys there are where they are not the queries' positions."""
    return f"{scene.n_positions}" + (f" · T_k {scene.n_keys}" if scene.mask.across else "")


def _heads(scene: Scene) -> str:
    """Return how many heads there are, and among how many keys and values are shared, if any."""
    shared = {head.key_head for head in scene.heads}
    return f"{scene.n_heads}" if None in shared else f"{scene.n_heads} · H_kv {len(shared)}"


def _widths(scene: Scene) -> str:
    """Return the widths; “–” for those of what is not known."""
    knows_keys = any(head.pattern is not Pattern.GIVEN for head in scene.heads)
    d_k = scene.d_k if knows_keys else formats.UNDEFINED
    d_v, d_model = scene.d_v, scene.d_model
    if not scene.has_values:
        return f"d_k {d_k} · d_v {formats.UNDEFINED} · d_model {formats.UNDEFINED}"
    return f"d_k {d_k} · d_v {d_v} · d_model {d_model}"


def _label(object_name: str, accessible_name: str) -> QLabel:
    label = QLabel()
    label.setObjectName(object_name)
    label.setAccessibleName(accessible_name)
    label.setContentsMargins(6, 0, 6, 0)
    label.setTextFormat(Qt.TextFormat.PlainText)
    return label


class _ProgressBar(QProgressBar):
    """A thin bar without words, which stand beside it."""

    def __init__(self) -> None:
        super().__init__()
        named(self, "computeProgress", "Heads computed", "How many heads are computed")
        self.setTextVisible(False)
        self.setFixedSize(72, 6)


def _cancel_button() -> QToolButton:
    button = QToolButton()
    named(button, "cancelComputing", "Cancel computing", CANCEL_TIP)
    button.setIcon(icon("close"))
    button.setIconSize(QSize(12, 12))
    button.setAutoRaise(True)
    button.setShortcut(QKeySequence(Qt.Key.Key_Escape))  # which only a button in sight answers to
    button.setProperty(FREE, True)
    return button
