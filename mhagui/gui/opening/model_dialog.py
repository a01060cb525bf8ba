"""The dialog that says what a model is, takes a prompt, and runs the model on it."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from mhagui.document.capture import Capture
from mhagui.document.layer_source import remembered
from mhagui.document.token_text import elided, labels
from mhagui.errors import UserError
from mhagui.gui.capture_session import Opened
from mhagui.gui.opening.prompt_run import Count, count_tokens, kept_bytes, most_tokens, run
from mhagui.gui.watch import Watch
from mhagui.gui.widgets.label_text import drawable
from mhagui.gui.widgets.naming import named
from mhagui.gui.widgets.page import label_of, sentence
from mhagui.gui.worker import Worker
from mhagui.models import Model, ModelFacts

FIRST_PROMPT = "When Mary and John went to the shop, John gave a drink to Mary."
LOOK_EVERY = 50  # milliseconds
AT_FIRST = QSize(620, 420)
_PROMPT_LINES, _SAID_LINES = 5, 3
_TOKENS_SHOWN = 240  # characters


class ModelDialog(QDialog):
    """Asks for a prompt, says how many tokens it has, and runs ``model`` on it in a thread.

    It is accepted when the run is over, and then ``opened`` is what it gave.
    """

    def __init__(
        self, model: Model, path: Path, prompt: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.opened: Opened | None = None
        self._model, self._path = model, path
        self._counting, self._running = Worker(self), Worker(self)
        self._watch: Watch | None = None  # of the run
        self._count: Count | None = None  # None while tokens are being counted
        self._runs_when_counted = False
        self._prompt = QPlainTextEdit(prompt or FIRST_PROMPT)
        self._said = sentence("modelTokens")
        self._bar = QProgressBar()
        self._run, self._cancel = QPushButton("&Run"), QPushButton("Cancel")
        self._look = QTimer(self)
        self._look.setInterval(LOOK_EVERY)
        self._name()
        self._lay_out()
        self._connect()
        self._prompt.selectAll()
        self._prompt.setFocus()
        self._count_tokens()

    def run_when_counted(self) -> None:
        """Run as soon as it is known that the prompt can be run on."""
        self._runs_when_counted = True
        self._begin_if_wanted()

    # --- what it is made of

    def _name(self) -> None:
        self.setObjectName("modelDialog")
        self.setWindowTitle(f"Model {self._model.facts.title}")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        named(
            self._prompt,
            "modelPrompt",
            "Prompt",
            "What the model reads, as it stands; Ctrl+Enter runs it",
        )
        named(self._bar, "modelProgress", "Layers that are done", "")
        named(
            self._run,
            "modelRun",
            "Run",
            "Have the model read the prompt, and put a layer of it on the bench (Ctrl+Enter)",
        )
        named(self._cancel, "modelCancel", "Cancel", "Stop the run, or close")

    def _lay_out(self) -> None:
        self._prompt.setTabChangesFocus(True)
        line = self.fontMetrics().lineSpacing()
        self._prompt.setMinimumHeight(_PROMPT_LINES * line)
        self._said.setMinimumHeight(_SAID_LINES * line + 2)
        self._said.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._said.setTextFormat(Qt.TextFormat.PlainText)
        self._bar.setMaximum(self._model.facts.n_layers)
        self._bar.setFormat("layer %v of %m")
        policy = self._bar.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self._bar.setSizePolicy(policy)
        self._bar.hide()
        buttons = QDialogButtonBox()
        buttons.addButton(self._run, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.addButton(self._cancel, QDialogButtonBox.ButtonRole.ActionRole)
        bottom = QHBoxLayout()
        bottom.addWidget(self._bar, 1)
        bottom.addSpacing(12)
        bottom.addWidget(buttons)
        rows = QVBoxLayout(self)
        rows.addLayout(_facts(self._model.facts))
        rows.addSpacing(6)
        rows.addWidget(label_of(self._prompt, "&Prompt"))
        rows.addWidget(self._prompt, 1)
        rows.addWidget(self._said)
        rows.addLayout(bottom)
        self._run.setDefault(True)
        self._run.setShortcut("Ctrl+Return")
        self._cancel.setAutoDefault(False)
        self.resize(AT_FIRST)

    def _connect(self) -> None:
        self._prompt.textChanged.connect(self._count_tokens)
        self._run.clicked.connect(self._begin)
        self._cancel.clicked.connect(self.reject)
        self._look.timeout.connect(self._show_progress)

    # --- the tokens

    def _count_tokens(self) -> None:
        self._count = None
        self._run.setEnabled(False)
        make = partial(count_tokens, self._model, self._prompt.toPlainText())
        self._counting.run(make, self._on_counted, self._on_not_counted)

    def _on_counted(self, count: Count) -> None:
        self._count = count
        self._run.setEnabled(not count.why_not)
        self._said.setText(count.why_not or _count_text(count, self._model.facts))
        self._begin_if_wanted()

    def _on_not_counted(self, _error: Exception) -> None:
        self._said.setText("This prompt cannot be cut into tokens.")

    # --- the run

    def _begin_if_wanted(self) -> None:
        if self._runs_when_counted and self._count is not None:
            self._runs_when_counted = False
            self._begin()

    def _begin(self) -> None:
        count = self._count
        if count is None or count.tokens is None or count.why_not or self._watch is not None:
            return
        self._watch = Watch()
        self._set_busy(True)
        make = partial(run, self._model, count.tokens.ids, self._watch)
        self._running.run(make, partial(self._on_run, count.prompt), self._on_failed)

    def _show_progress(self) -> None:
        if self._watch is not None and self._watch.at is not None:
            self._bar.setValue(self._watch.at + 1)

    def _on_run(self, prompt: str, capture: Capture) -> None:
        self._set_busy(False)
        source = remembered(self._path, self._model.mark, prompt)
        self.opened = Opened(capture, self._path, self._model, prompt, source)
        self.accept()

    def _on_failed(self, error: Exception) -> None:
        self._set_busy(False)
        is_told = isinstance(error, UserError)
        self._said.setText(str(error) if is_told else "The model cannot be run on this prompt.")

    def _set_busy(self, is_busy: bool) -> None:
        if not is_busy:
            self._watch = None
        self._prompt.setReadOnly(is_busy)
        self._run.setEnabled(not is_busy)
        self._bar.setValue(0)
        self._bar.setVisible(is_busy)
        if is_busy:
            self._look.start()
            self._cancel.setFocus()
        else:
            self._look.stop()
            self._prompt.setFocus()

    def _stop(self) -> None:
        if self._watch is not None:
            self._watch.drop()
        self._running.cancel()

    # --- leaving

    def reject(self) -> None:
        """Cancel what runs, and stay; else leave."""
        if self._watch is None:
            super().reject()
            return
        self._stop()
        self._set_busy(False)
        self._said.setText("Cancelled; the bench is as it was.")

    def closeEvent(self, event: QCloseEvent) -> None:
        """Leave even while it runs: who closes the window wants it gone."""
        self.done(QDialog.DialogCode.Rejected.value)
        event.accept()

    def done(self, result: int) -> None:
        """Leave, and wait for nothing."""
        self._stop()
        self._counting.cancel()
        self._look.stop()
        super().done(result)


def _facts(facts: ModelFacts) -> QGridLayout:
    """Return what a model is, in two columns."""
    shared = f", {facts.n_key_heads} key heads" if facts.n_key_heads < facts.n_heads else ""
    told = (
        ("Family", facts.family),
        ("Layers", f"{facts.n_layers}"),
        ("Heads", f"{facts.n_heads} of width {facts.d_head}{shared}"),
        ("d_model", f"{facts.d_model:,}"),
        ("Vocabulary", f"{facts.n_vocabulary:,} tokens"),
        ("Reads", f"up to {facts.context:,} tokens"),
        ("Predicts", "the next token" if facts.predicts_next else "nothing: an encoder"),
        ("Memory", f"{facts.float32_bytes / 1e6:,.0f} MB of weights, as float32"),
    )
    grid = QGridLayout()
    grid.setHorizontalSpacing(12)
    n_rows = (len(told) + 1) // 2
    for place, (name, value) in enumerate(told):
        column, row = divmod(place, n_rows)
        label = QLabel(value)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        grid.addWidget(QLabel(name), row, 2 * column)
        grid.addWidget(label, row, 2 * column + 1)
    for column in (1, 3):
        grid.setColumnStretch(column, 1)
    return grid


def _count_text(count: Count, facts: ModelFacts) -> str:
    """Return how many tokens there are, the limit, what they take, and the first of them."""
    assert count.tokens is not None  # or it says why not
    n_tokens, kept = len(count.tokens.ids), kept_bytes(facts, len(count.tokens.ids))
    written = drawable(labels(count.tokens.texts), QGuiApplication.font().toString())
    shown = elided(" ".join(written), _TOKENS_SHOWN)
    tokens = "1 token" if n_tokens == 1 else f"{n_tokens:,} tokens"
    most = f"of at most {most_tokens(facts):,}"
    return f"{tokens} {most}; {kept / 1e6:,.3g} MB are kept of the run.\n{count.warning or shown}"
