"""The atlas dock: what each head of a model does, against chance; a click puts it on the bench."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from weakref import WeakKeyDictionary

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from mhagui.data.matrix_text import Table
from mhagui.document import Result
from mhagui.document.capture import Capture
from mhagui.document.result_capture import scene_capture
from mhagui.document.scorecard import Scorecard
from mhagui.figures.charts import Seen
from mhagui.gui.bench import Bench, Frame
from mhagui.gui.capture_session import CaptureSession
from mhagui.gui.docks.atlas_heads import (
    AtlasHeads,
    of_capture,
    of_scene,
    place_on_bench,
    summary,
    table_of,
)
from mhagui.gui.docks.atlas_panes import MapPane, ScatterPane, TablePane
from mhagui.gui.docks.atlas_scoring import Scoring
from mhagui.gui.docks.atlas_views import AtlasViews
from mhagui.gui.docks.own_figures import OwnFigures, of_heads, seen_of_scene
from mhagui.gui.formulas import Formula
from mhagui.gui.panel import Panel
from mhagui.gui.widgets.formula_tip import explain
from mhagui.gui.widgets.naming import named
from mhagui.gui.widgets.page import sentence

MOST_LIVE = 2**20  # weights that are scored at every step of a drag; more are when it is asked for
FROM_ZERO = "Counted from 0, as in models: L3 H5 is layer 3, head 5."
AS_OPENED = (
    "Scores are of the heads as they were opened: no gain, mask or mute on the bench changes them."
)
CHANCE = "Grey in the table: chance, what a uniform head has under the same mask."
NOT_LIVE = "T = {}: scoring {} heads takes too long to follow every step."
CANCELLED = "The heads are not scored."
BUTTON_TIP = "Score all heads now; while it takes: cancel"


class AtlasDock(Panel):
    """All heads of the capture that is open, or else those on the bench: map, table, scatter."""

    is_complete_undrawn = True

    def __init__(self, bench: Bench, captures: CaptureSession) -> None:
        super().__init__(bench, "atlasDock", "Scorecard")
        self._captures = captures
        self._heads: AtlasHeads | None = None  # that are shown
        self._card: Scorecard | None = None  # with the weights, for the ranks
        self._wanted: _Wanted | None = None  # what is to be shown
        # Of what is open, by tokens and by words, as long as that is there.
        self._known: WeakKeyDictionary[Capture, Scorecard] = WeakKeyDictionary()
        self._current = self._on_bench = -1
        self._scoring = Scoring(self)
        self.map = MapPane()
        self.table = TablePane()
        self.scatter = ScatterPane()
        self.panes = (self.map, self.table, self.scatter)
        self.state, self.notes = sentence("atlasState"), sentence("atlasNotes")
        for said in (self.state, self.notes):  # what labels and chance are
            explain(said, Formula.CHANCE_CORRECTED)
        self.button = named(QPushButton("Score"), "atlasButton", "Score the heads", BUTTON_TIP)
        self.views = AtlasViews(*self.panes, self.notes)
        self._connect()
        self.set_body(self._make_body())

    def _connect(self) -> None:
        self._captures.changed.connect(self._on_captures_changed)
        self._scoring.told.connect(self._on_told)
        self.button.clicked.connect(self._on_button)
        for pane in self.panes:
            pane.pointed.connect(self._on_pointed)
            pane.asked.connect(self._on_asked)
            pane.rescored.connect(self._on_rescored)
        self.map.rescored.connect(self._on_recoloured)
        self.map.map.marked.connect(self._on_marked)

    def _make_body(self) -> QWidget:
        body = QWidget()
        self.button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        line = QHBoxLayout()
        line.setContentsMargins(6, 4, 6, 0)
        line.addWidget(self.state, 1)
        line.addWidget(self.button)
        rows = QVBoxLayout(body)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(2)
        rows.addLayout(line)
        rows.addWidget(self.views, 1)
        self._offer(None)
        return body

    def take_focus(self) -> None:
        """Give the keyboard to the view in front, or to what stands there instead."""
        if self._heads is not None:
            self.views.take_focus()
            return
        instead = self.state if self.button.isHidden() else self.button
        instead.setFocus(Qt.FocusReason.TabFocusReason)

    # --- what is shown

    def show_frame(self, frame: Frame, previous: Frame | None) -> None:
        """Score what is not scored yet, and mark the head on the bench."""
        capture = self._captures.capture
        source = frame.result if capture is None else capture
        if self._wanted is None or source is not self._wanted.source:
            self._want(_of_scene(frame) if capture is None else _of_capture(capture))
        if self._heads is not None:
            if previous is None:
                self._show_heads(self._heads)
            self._follow()

    def forget(self) -> None:
        """Let go of the result that was scored last."""
        if self._captures.capture is None:
            self._let_go()

    def _let_go(self) -> None:
        self._scoring.cancel()
        self._wanted = self._card = None

    def _want(self, wanted: "_Wanted") -> None:
        """Score what came to be shown, or say why that is not done."""
        before, self._wanted = self._wanted, wanted
        is_step = before is not None and before.is_of_scene and wanted.is_of_scene
        if is_step and not wanted.why_not:
            if not self._scoring.is_at_work:  # or it follows what is being scored
                self._score()
            return
        is_said = wanted.why_not and self.state.text() == wanted.why_not and self._heads is None
        if is_said and not self._scoring.is_at_work:
            return
        self._scoring.cancel()
        self._clear()
        known = self._known.get(wanted.source) if isinstance(wanted.source, Capture) else None
        if wanted.why_not:
            self._offer("Score", wanted.why_not)
        elif known is not None:
            self._on_scored(wanted, known)
        else:
            self._score()

    def _clear(self) -> None:
        """Show no heads: those that were are of something else."""
        self._heads = self._card = None
        self._current = self._on_bench = -1
        self.views.hide()
        self._offer(None)

    def _score(self) -> None:
        wanted = self._wanted
        assert wanted is not None
        self._scoring.score(
            wanted.capture,
            partial(self._on_scored, wanted),
            partial(self._on_failed, wanted),
            # Of a scene together, or they would go and come at every step of a drag.
            with_ranks=wanted.is_of_scene and self._wants_ranks,
        )

    def _show_heads(self, heads: AtlasHeads) -> None:
        """Fill all views."""
        self._heads = heads
        look = self.bench.view.appearance
        self.views.show()
        for pane in self.panes:
            pane.show_heads(heads, look)
        self._say_summary()
        from_zero = (FROM_ZERO,) if heads.is_from_0 else ()
        as_opened = () if heads.uids else (AS_OPENED,)
        self.notes.setText(" ".join((*from_zero, *as_opened, CHANCE, *heads.card.notes)))
        self.views.arrange()

    def _say_summary(self) -> None:
        """Say how many heads are called what: the legend of the map."""
        if self._heads is not None:
            self.state.setText(summary(self._heads, by_marks=self.map.map.has_marks))

    def _on_marked(self) -> None:
        if not self._scoring.is_at_work:  # or how far that is is said there
            self._say_summary()

    def _follow(self) -> None:
        """Mark the head on the bench; where that is another, it is the current one as well."""
        assert self._heads is not None
        uid = self.bench.view.cursor.head
        place = place_on_bench(self._heads, uid, self._captures.layer)
        if place != self._on_bench:
            self._on_bench = self._current = place
        self._mark()

    def _mark(self) -> None:
        for pane in self.panes:
            pane.mark(self._current, self._on_bench)

    def _offer(self, button: str | None, why: str = "") -> None:
        """Say ``why`` nothing is shown, and offer what a button does."""
        if why:
            self.state.setText(why)
        self.button.setVisible(button is not None)
        self.button.setText(button or "")

    def own_tables(self) -> tuple[tuple[str, Callable[[], Table], str], ...]:
        """Return the scores of all heads, to be copied."""
        heads = self._heads
        if heads is None:
            return ()
        return (("scores", partial(table_of, heads), self.table.table.objectName()),)

    def own_figures(self) -> OwnFigures:
        """Return the map and the scatter plot, of the scores that are chosen."""
        heads = self._heads
        if heads is None:
            return {}
        opened = self._captures.opened
        if heads.uids or opened is None:
            seen = seen_of_scene(self.bench.scene)
        else:
            seen = Seen.of(opened.capture, opened.prompt)
        return of_heads(heads, seen, self.map.shown(heads), self.scatter.shown(heads))

    # --- what comes of it

    def _on_scored(self, wanted: "_Wanted", card: Scorecard) -> None:
        self._card = card
        if isinstance(wanted.source, Capture):
            self._known[wanted.source] = card
        self._offer(None)
        self._show_heads(wanted.heads(card))
        self._follow()
        if wanted is not self._wanted:
            self._score()
        else:
            self._on_rescored()

    def _on_ranked(self, wanted: "_Wanted", card: Scorecard) -> None:
        self._on_scored(wanted, card)
        self._on_recoloured()  # by now there is such a column

    def _on_failed(self, wanted: "_Wanted", error: Exception) -> None:
        if wanted is not self._wanted:
            self._score()
            return
        self._clear()
        self._offer(None, str(error))

    def _on_told(self, how_far: str) -> None:
        self._offer("Cancel", how_far)

    # --- what the user does

    def _on_captures_changed(self) -> None:
        self._let_go()
        self.redraw()

    def _on_button(self) -> None:
        if not self._scoring.is_at_work:
            self._score()
            return
        self._scoring.cancel()
        if self._heads is None:
            self._offer("Score", CANCELLED)
            return
        for pane in self.panes:  # what was cancelled is the effective ranks
            pane.want_no_ranks()
        self._offer(None)
        self._say_summary()

    @property
    def _wants_ranks(self) -> bool:
        return any(pane.wants_ranks for pane in self.panes)

    def _on_rescored(self) -> None:
        """Find the effective ranks, where a view wants them."""
        heads, card, wanted = self._heads, self._card, self._wanted
        if heads is None or card is None or wanted is None or heads.ranks is not None:
            return
        if self._wants_ranks:
            done, failed = (partial(on, wanted) for on in (self._on_ranked, self._on_failed))
            self._scoring.rank(card, done, failed)

    def _on_recoloured(self) -> None:
        """Have the column of the score that the map shows in sight."""
        if self._heads is not None:
            shown = self.map.score.shown(self._heads)
            names = [column.measure.name for column in self._heads.columns]
            self.table.table.reveal(names.index(shown))

    def _on_pointed(self, place: int) -> None:
        heads = self._heads
        if heads is None or place == self._current:
            return
        if heads.uids:
            self._on_asked(place)
        else:
            self._current = place
            self._mark()

    def _on_asked(self, place: int) -> None:
        heads = self._heads
        if heads is None:
            return
        self._current = place
        self._mark()
        if place == self._on_bench:
            return
        if heads.uids:
            self.bench.point(head=heads.uids[place])
        else:
            self._captures.show(*heads.card.heads[place])


@dataclass(frozen=True, eq=False)
class _Wanted:
    """What is to be shown: a capture, or the weights on the bench, and how heads are made of it.

    Attributes
    ----------
    source
        What it is of: where that is another, something else is wanted.
    capture
        Makes what is scored.
    heads
        Names the heads that were scored.
    why_not
        Why it is not scored before that is asked for; empty where it is.
    """

    source: Capture | Result
    capture: Callable[[], Capture]
    heads: Callable[[Scorecard], AtlasHeads]
    why_not: str = ""

    @property
    def is_of_scene(self) -> bool:
        """Whether it is what is on the bench."""
        return isinstance(self.source, Result)


def _of_capture(capture: Capture) -> _Wanted:
    return _Wanted(capture, partial(_itself, capture), of_capture)


def _of_scene(frame: Frame) -> _Wanted:
    scene, result = frame.scene, frame.result
    wanted = _Wanted(result, partial(scene_capture, scene, result), partial(of_scene, scene))
    n_heads, n_positions = len(result.heads), scene.n_positions
    if scene.n_weights > MOST_LIVE:
        return replace(wanted, why_not=NOT_LIVE.format(n_positions, n_heads))
    return wanted


def _itself(capture: Capture) -> Capture:
    return capture
