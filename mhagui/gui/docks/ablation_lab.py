"""The ablation lab: heads taken away before W_O, and what becomes of O and of the next token."""

from collections.abc import Callable
from functools import partial
from typing import ClassVar, NamedTuple

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import (
    QApplication,
    QButtonGroup,
    QHBoxLayout,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from mhagui.data.matrix_text import Table
from mhagui.document import Result, Scene
from mhagui.document.ablation import (
    Effect,
    MuteHeads,
    ablation_effect,
    effort_of,
    wrong_site_effect,
)
from mhagui.document.captured_ablation import Ablation
from mhagui.document.importance import Importance, Readout, head_importance, importance_effort
from mhagui.document.known import Need
from mhagui.errors import UserError
from mhagui.gui.bench import MOST_AT_ONCE, Bench, Frame
from mhagui.gui.capture_session import CaptureSession
from mhagui.gui.docks.ablation_lab_controls import AblationControls
from mhagui.gui.docks.ablation_lab_model import NextTokenPage
from mhagui.gui.docks.ablation_lab_pages import MUTED, EffectPage, ImportancePage, table_of
from mhagui.gui.docks.own_figures import (
    OwnFigures,
    of_effect,
    of_importance,
    of_next_token,
)
from mhagui.gui.formulas import Formula
from mhagui.gui.panel import Panel
from mhagui.gui.widgets.formula_tip import put_above
from mhagui.gui.widgets.naming import named
from mhagui.gui.widgets.turning_split import TurningSplit
from mhagui.gui.worker import Worker

EFFECT_TIP = "How much O changes, position by position, and at the wrong site"
IMPORTANCE_TIP = "How much a number that is read off O hangs on each head, and heads pruned"
TOKEN_TIP = "The next token of the model that is open, with and without the heads"

Found = tuple[Effect, Effect | None] | Importance
AT_ONCE = MOST_AT_ONCE // 8  # at every step of a drag, in which others have work to do
REST = 120  # milliseconds without a step, after which what takes longer is worked out


class _Asked(NamedTuple):
    """What is to be worked out: an ablation, or a readout's importance."""

    result: Result
    ablations: tuple[Ablation, ...]
    wants_wrong: bool
    readout: Readout | None

    def is_like(self, other: "_Asked | None") -> bool:
        """Say whether the same comes of it."""
        return other is not None and self.result is other.result and self[1:] == other[1:]


class AblationLabDock(Panel):
    """Never changes the scene but where the user has heads muted."""

    is_complete_undrawn = True
    needs: ClassVar[tuple[Need, ...]] = ("values",)

    def __init__(self, bench: Bench, captures: CaptureSession) -> None:
        super().__init__(bench, "ablationLabDock", "Ablation lab")
        self._asked: _Asked | None = None
        self._frame: Frame | None = None  # that is shown, or will be
        self._worker = Worker(self)
        self._make: Callable[[], Found] | None = None  # what is to be worked out aside
        self._rest = QTimer(self, singleShot=True, interval=REST)
        self._rest.timeout.connect(self._work_aside)
        self.controls = AblationControls()
        self.effect, self.importance = EffectPage(), ImportancePage()
        self.next_token = NextTokenPage(captures)
        self.pages: dict[QRadioButton, QWidget] = {
            _radio("showEffect", "Output", EFFECT_TIP, Formula.ABLATED): self.effect,
            _radio("showImportance", "Importance", IMPORTANCE_TIP, Formula.TERM): self.importance,
            _radio("showNextToken", "Next token", TOKEN_TIP, Formula.NEXT_TOKEN): self.next_token,
        }
        self._connect(captures)
        self.set_body(self._make_body())

    def _make_body(self) -> QWidget:
        body, answer, buttons = QWidget(), QWidget(), QHBoxLayout()
        buttons.setContentsMargins(8, 2, 6, 2)
        pages = QVBoxLayout(answer)
        pages.setContentsMargins(0, 0, 0, 0)
        next(iter(self.pages)).setChecked(True)
        for button, page in self.pages.items():
            buttons.addWidget(button)
            pages.addWidget(page)
            if not button.isChecked():  # shown while it stands alone it would be a window
                page.hide()
        buttons.addStretch(1)
        rows = QVBoxLayout(body)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        rows.addLayout(buttons)
        self._split = TurningSplit(self.controls, answer)
        rows.addWidget(self._split, 1)
        return body

    def focusNextPrevChild(self, forwards: bool) -> bool:
        """Have in sight what Tab goes to; Qt scrolls only where it goes on within an area."""
        done = super().focusNextPrevChild(forwards)
        self._split.reveal(QApplication.focusWidget())
        return done

    def _connect(self, captures: CaptureSession) -> None:
        captures.changed.connect(self._on_other)
        captures.shown.connect(self._on_other)
        self.controls.changed.connect(self._on_other)
        self.controls.refused.connect(self.bench.refused)
        self.controls.mute_wanted.connect(self._on_mute)
        group = QButtonGroup(self)
        for button in self.pages:
            group.addButton(button)
        group.buttonClicked.connect(self._on_page)
        self.effect.row_pointed.connect(self._on_row)
        self.importance.changed.connect(self._on_other)
        self.importance.refused.connect(self.bench.refused)

    @property
    def page_name(self) -> str:
        """What is shown, by the text of its button."""
        return next(button.text() for button in self.pages if button.isChecked())

    def own_tables(self) -> tuple[tuple[str, Callable[[], Table], str], ...]:
        """Return the table of the page, to be copied."""
        if not self.effect.isHidden():
            title = f"Change of O: {self.controls.title(self.bench.frame.scene)}"
            name, table = "changes of O", self.effect.table
        elif not self.importance.isHidden():
            title, name = f"Importance of heads: {self.importance.value.text()}", "importance"
            table = self.importance.table
        else:
            title, name, table = self.next_token.title, "next tokens", self.next_token.table
        if table.isHidden():
            return ()
        return ((name, partial(table_of, title, table), table.objectName()),)

    def own_figures(self) -> OwnFigures:
        """Return the figures of the page, of what is shown there and up to date."""
        if not self.next_token.isHidden():
            ran = self.next_token.ran
            return of_next_token(ran) if ran else {}
        if self._frame is None or self._is_behind:
            return {}
        scene = self._frame.scene
        if not self.effect.isHidden():
            effect = self.effect.shown
            return of_effect(scene, self.controls.title(scene), *effect) if effect else {}
        found = self.importance.shown
        return of_importance(scene, *found) if found else {}

    # --- drawing

    def show_frame(self, frame: Frame, previous: Frame | None) -> None:
        """Show what can be chosen, and what comes of what is chosen."""
        self._frame = frame
        self.controls.show_frame(frame)
        ablations = self.controls.ablations(frame)
        if not self.next_token.isHidden():
            self.next_token.show_frame(frame, ablations)
            return
        if previous is None:
            self._asked = None
        self._ask(frame, ablations)

    def forget(self) -> None:
        """Let go of the result that was worked on last."""
        self._leave()
        self._asked = self._frame = None

    def _ask(self, frame: Frame, ablations: tuple[Ablation, ...]) -> None:
        """Work out what is to be shown, aside where that takes long."""
        of_effect = not self.effect.isHidden()
        if of_effect and not any(frame.result.heads[each.head].active for each in ablations):
            self._leave()
            self._asked = None
            self.effect.say(MUTED)
            return
        readout = None if of_effect else self.importance.readout(frame)
        asked = _Asked(
            frame.result,
            ablations if of_effect else (),
            of_effect and self.controls.wants_wrong,
            readout,
        )
        if asked.is_like(self._asked):
            self._mark(frame)
            return
        before, self._asked = self._asked, asked
        self._leave()
        make = partial(_found, frame.scene, asked)
        if _effort(frame.scene, asked) > AT_ONCE:
            if before is None:
                self._say("…")
            self._make = make
            self._rest.start()
            return
        self._at_once(make)

    def _work_aside(self) -> None:
        make, self._make = self._make, None
        if make is not None:
            self._worker.run(make, self._on_found, self._on_failed)

    def _leave(self) -> None:
        """Want nothing more of what is being worked out, or waits for the hand to rest."""
        self._rest.stop()
        self._make = None
        self._worker.cancel()

    def _at_once(self, make: Callable[[], Found]) -> None:
        try:
            found = make()
        except UserError as error:
            self._on_failed(error)
        else:
            self._on_found(found)

    def _mark(self, frame: Frame) -> None:
        if self._is_behind:
            return
        self.effect.mark(frame) if self._shows_effect else self.importance.mark(frame)

    @property
    def _is_behind(self) -> bool:
        """Whether what is shown is of a choice before that of this moment."""
        return self._worker.is_busy or self._rest.isActive()

    @property
    def _shows_effect(self) -> bool:
        return self._asked is not None and self._asked.readout is None

    def _say(self, why: str) -> None:
        self.effect.say(why) if self._shows_effect else self.importance.say(why)

    def _on_found(self, found: Found) -> None:
        assert self._frame is not None
        if isinstance(found, Importance):
            assert self._asked is not None
            assert self._asked.readout is not None
            self.importance.show_importance(self._frame, self._asked.readout, found)
        else:
            self.effect.show_effect(self._frame, *found)

    def _on_failed(self, error: Exception) -> None:
        self._say(str(error))

    # --- what the user does

    def _on_other(self) -> None:
        self.redraw()

    def _on_page(self) -> None:
        for button, page in self.pages.items():
            page.setVisible(button.isChecked())
        self.redraw()

    def _on_row(self, row: int) -> None:
        if row < self.bench.scene.n_positions:
            self.bench.point(query=row)

    def _on_mute(self, uids: tuple[int, ...]) -> None:
        self.bench.edit(MuteHeads(uids))


def _radio(object_name: str, text: str, tip: str, formula: Formula) -> QRadioButton:
    button = named(QRadioButton(text), object_name, text, tip)
    put_above(button, formula)
    return button


def _effort(scene: Scene, asked: _Asked) -> int:
    if asked.readout is not None:
        return importance_effort(scene, asked.readout)
    return effort_of(scene, asked.ablations)


def _found(scene: Scene, asked: _Asked) -> Found:
    if asked.readout is not None:
        return head_importance(scene, asked.result, asked.readout)
    right = ablation_effect(scene, asked.result, asked.ablations)
    places = [ablation.head for ablation in asked.ablations]
    wrong = wrong_site_effect(scene, asked.result, places) if asked.wants_wrong else None
    return right, wrong
