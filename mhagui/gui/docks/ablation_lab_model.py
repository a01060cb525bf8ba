"""What an ablation does to the next token of the model that is open."""

from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from mhagui.document.capture import CapturedLayer
from mhagui.document.captured_ablation import Ablation, AblationKind
from mhagui.document.token_text import Scheme, shown_tokens
from mhagui.errors import UserError
from mhagui.formats import USUAL, Precision, short
from mhagui.gui.bench import Frame
from mhagui.gui.capture_session import CaptureSession, Opened
from mhagui.gui.docks.ablation_lab_pages import fill_page
from mhagui.gui.formulas import Formula
from mhagui.gui.watch import Watch
from mhagui.gui.widgets.formula_tip import explain, put_above
from mhagui.gui.widgets.naming import named
from mhagui.gui.widgets.number_table import COPY_TIP, Column, Numbers, Row
from mhagui.gui.widgets.page import number_table, wrapped_label
from mhagui.gui.worker import Worker

if TYPE_CHECKING:
    from mhagui.models import Model
    from mhagui.models.next_token import Doubles, NextTokens

TELL_EVERY = 100  # milliseconds
MOST_TOKENS = 10  # before, and as many after
NO_MODEL = (
    "No model is open. Open one with File > Open: then an ablation here is run through all of its "
    "layers, and the next token's probabilities stand beside those without it."
)
NO_LAYER = "No layer of {} is on the bench: choose a head of it in the Scorecard."
NO_NEXT = "{} is an encoder: it predicts no next token."
BY_WORDS = (
    "The heads are shown by words, and a model runs on tokens: uncheck Edit > Merge sub-tokens to "
    "words."
)
NOT_ITS = "A head of the bench is none of the {} of this layer: choose others."
RUN_TIP = "Run the model on its prompt with these heads ablated; while it runs: cancel"
AS_OPENED = "The model runs as it was opened, whatever was changed on the bench."


@dataclass(frozen=True)
class _Wanted:
    """What is to be run."""

    opened: Opened
    layer: CapturedLayer
    ablations: tuple[Ablation, ...]

    def is_like(self, other: "_Wanted") -> bool:
        """Say whether the same would come of it."""
        return self.layer is other.layer and self.ablations == other.ablations


@dataclass(frozen=True, eq=False)
class Ran:
    """What came of it, and the tokens to be shown with what is written for them."""

    wanted: _Wanted
    found: "NextTokens"
    tokens: tuple[int, ...]
    labels: tuple[str, ...]

    @property
    def what(self) -> str:
        """Which heads are ablated, and how."""
        return _what(self.wanted)


class _Runs:
    """Runs of a model, and how far they have come: ``watch.at`` layers in all."""

    def __init__(self, wanted: _Wanted, before: "Doubles | None") -> None:
        self._wanted, self._before = wanted, before
        self.watch, self.n_layers = Watch(), 0

    def make(self) -> "Ran":
        """Run the model without the ablation, where that is not known, and with it."""
        from mhagui.models.next_token import NextTokens, next_probabilities

        wanted, model = self._wanted, self._wanted.opened.model
        assert model is not None
        ids = wanted.opened.capture.token_ids
        self.n_layers = model.facts.n_layers * (2 if self._before is None else 1)
        before = self._before
        if before is None:
            before = next_probabilities(model, ids, before_layer=self._step)
        after = next_probabilities(model, ids, wanted.layer, wanted.ablations, self._step)
        found = NextTokens(before, after)
        tokens = tuple(found.top(MOST_TOKENS))
        return Ran(wanted, found, tokens, _labels(model, tokens))

    def is_of(self, opened: Opened | None) -> bool:
        """Say whether it is ``opened`` that is run."""
        return self._wanted.opened is opened

    def _step(self, _number: int) -> None:
        self.watch((self.watch.at or 0) + 1)


class NextTokenPage(QWidget):
    """The likeliest next tokens of the prompt, with and without heads."""

    def __init__(self, captures: CaptureSession) -> None:
        super().__init__()
        self._captures = captures
        self._wanted: _Wanted | None = None  # what would be run now
        self._last: Ran | None = None
        self._runs: _Runs | None = None
        self._precision = USUAL
        self.state, self.result = wrapped_label(), wrapped_label()
        self.button = named(QPushButton("Run"), "runAblated", "Run the model", RUN_TIP)
        self.table = number_table("nextTokenTable", "Next token, before and after", 2 * MOST_TOKENS)
        self._prepare()
        fill_page(self, self.state, self.button, self.result, self.table)
        self.button.clicked.connect(self._on_button)
        self._worker = Worker(self)
        self._telling = QTimer(self)
        self._telling.setInterval(TELL_EVERY)
        self._telling.timeout.connect(self._tell)

    def _prepare(self) -> None:
        self.state.setObjectName("nextTokenState")
        self.result.setObjectName("nextTokenResult")
        self.button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        for widget in (self.state, self.result, self.button):
            put_above(widget, Formula.NEXT_TOKEN)
        explain(self.table, Formula.NEXT_TOKEN, COPY_TIP)

    # --- what is shown

    def show_frame(self, frame: Frame, ablations: tuple[Ablation, ...]) -> None:
        """Offer to run the model with ``ablations`` of the scene's heads."""
        self._precision = frame.view.appearance.precision
        opened = self._captures.opened
        if self._runs is not None and not self._runs.is_of(opened):
            self._end()
        if self._last is not None and self._last.wanted.opened is not opened:
            self._last = None
        try:
            self._wanted = self._want(frame, ablations)
            reason = ""
        except UserError as error:
            self._wanted, reason = None, str(error)
        if self._runs is None:
            self._offer(reason)
        self._show_result()

    def _want(self, frame: Frame, ablations: tuple[Ablation, ...]) -> _Wanted:
        """Return what can be run; raises UserError with the sentence that says why not."""
        opened, number = self._captures.opened, self._captures.layer
        if opened is None or opened.model is None:
            raise UserError(NO_MODEL)
        if not opened.model.facts.predicts_next:
            raise UserError(NO_NEXT.format(opened.capture.title))
        if opened.capture.whole is not None:
            raise UserError(BY_WORDS)
        if number is None:
            raise UserError(NO_LAYER.format(opened.capture.title))
        layer = opened.capture.layer(number)
        # As `scene_of` numbers them, whatever places they have on the bench by now.
        places = [frame.scene.heads[ablation.head].uid - 1 for ablation in ablations]
        if any(place >= layer.n_heads for place in places):
            raise UserError(NOT_ITS.format(layer.n_heads))
        own = tuple(
            _of_layer(layer, replace(ablation, head=place))
            for ablation, place in zip(ablations, places, strict=True)
        )
        return _Wanted(opened, layer, own)

    def _offer(self, reason: str) -> None:
        wanted = self._wanted
        self.button.setVisible(wanted is not None)
        self.button.setText("Run")
        if wanted is None:
            self.state.setText(reason)
            return
        is_shown = self._last is not None and wanted.is_like(self._last.wanted)
        self.state.setText(AS_OPENED if is_shown else f"{_what(wanted)}: not run yet. {AS_OPENED}")
        self.button.setEnabled(not is_shown)

    def _show_result(self) -> None:
        last = self._last
        for part in (self.result, self.table):
            part.setVisible(last is not None)
        if last is None:
            return
        write, tokens, found = self._precision, list(last.tokens), last.found
        first, now = last.labels[0], last.labels[tokens.index(int(found.after.argmax()))]
        verdict = "stays the likeliest" if first == now else f"gives way to “{now}”"
        bits = write.significant(found.divergence_bits)
        self.result.setText(
            f"{_what(last.wanted)}: “{first}” {verdict}; divergence (Kullback–Leibler) {bits} bits."
        )
        before, after = 100 * found.before[tokens], 100 * found.after[tokens]
        values = np.column_stack([before, after, after - before])
        self.table.set_numbers(Numbers(_rows(last.labels, write), _COLUMNS, values))

    @property
    def ran(self) -> Ran | None:
        """What is shown, and what came of it; None before anything was run."""
        return self._last

    @property
    def title(self) -> str:
        """What the table is of."""
        of = "" if self._last is None else f", {_what(self._last.wanted)}"
        return f"Next token{of}"

    # --- what is run

    def _on_button(self) -> None:
        if self._runs is not None:
            self._end()
            self._offer("")
            return
        wanted = self._wanted
        assert wanted is not None
        last = self._last
        is_known = last is not None and last.wanted.opened is wanted.opened
        self._runs = _Runs(wanted, last.found.before if last is not None and is_known else None)
        self._telling.start()
        self._tell()
        self._worker.run(self._runs.make, self._on_run, self._on_failed)

    def _on_run(self, ran: "Ran") -> None:
        self._end()
        self._last = ran
        self._offer("")
        self._show_result()

    def _on_failed(self, error: Exception) -> None:
        self._end()
        self._offer("")
        self.state.setText(str(error))

    def _tell(self) -> None:
        """Say how far the runs are."""
        runs = self._runs
        if runs is not None:
            self.button.setEnabled(True)
            self.button.setText("Cancel")
            of = f" of {runs.n_layers}" if runs.n_layers else ""
            self.state.setText(f"Running the model: layer {runs.watch.at or 0}{of} …")

    def _end(self) -> None:
        if self._runs is not None:
            self._runs.watch.drop()
            self._runs = None
        self._worker.cancel()
        self._telling.stop()


def _of_layer(layer: CapturedLayer, ablation: Ablation) -> Ablation:
    """Return ``ablation`` as the layer can have it: what is kept of no bias is 0."""
    if ablation.kind is AblationKind.VALUE_BIAS and layer.b_v is None:
        return replace(ablation, kind=AblationKind.ZERO)
    return ablation


def _labels(model: "Model", tokens: tuple[int, ...]) -> tuple[str, ...]:
    """Return what is written for tokens: their texts, or their numbers where it has none."""
    texts = [(model.texts([token]) or (f"#{token}",))[0] for token in tokens]
    return tuple(token.label for token in shown_tokens(texts, Scheme.PLAIN))


def _what(wanted: _Wanted) -> str:
    """Return in words which heads are ablated, and how; counted from 0, as models do."""
    first = wanted.ablations[0]
    heads = ", ".join(f"L{wanted.layer.number} H{ablation.head}" for ablation in wanted.ablations)
    how = first.kind.value
    if first.kind is AblationKind.EDGE:
        how += f", t{first.query + 1} to t{first.key + 1}"
    elif first.kind is AblationKind.GAIN:
        how += f" × {short(first.gain)}"
    return f"{heads} ({how})"


@lru_cache(maxsize=1)
def _rows(labels: tuple[str, ...], write: Precision) -> tuple[Row, ...]:
    two = partial(write.fixed, decimals=2)
    return tuple(Row(label, two, formula=Formula.NEXT_TOKEN) for label in labels)


_COLUMNS = (
    Column("before (%)", "Probability of the token after the prompt, of the model as it is"),
    Column("after (%)", "Its probability with the heads ablated"),
    Column("change (points)", "After minus before, in percentage points"),
)
