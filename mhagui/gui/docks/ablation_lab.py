"""The ablation lab: heads taken away before W_O, and what becomes of O and of the next token."""

from collections.abc import Callable
from functools import partial
from typing import ClassVar, NamedTuple

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QSizePolicy, QTabWidget, QWidget

from mhagui.document import Result, Scene
from mhagui.document.ablation import (
    Effect,
    Importance,
    MuteHeads,
    Readout,
    ablation_effect,
    effort_of,
    head_importance,
    importance_effort,
    wrong_site_effect,
)
from mhagui.document.captured_ablation import Ablation
from mhagui.document.known import Need
from mhagui.errors import UserError
from mhagui.gui.bench import MOST_AT_ONCE, Bench, Frame
from mhagui.gui.capture_session import CaptureSession
from mhagui.gui.docks.ablation_lab_controls import AblationControls
from mhagui.gui.docks.ablation_lab_model import NextTokenPage
from mhagui.gui.docks.ablation_lab_pages import MUTED, EffectPage, ImportancePage
from mhagui.gui.panel import Panel
from mhagui.gui.widgets.column_scroll import ColumnScroll
from mhagui.gui.widgets.naming import named
from mhagui.gui.worker import Worker

WIDE = 500  # pixels from where the choices stand beside what comes of them
SHARE = 0.42  # of the width, that they have there

Found = tuple[Effect, Effect | None] | Importance


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
        self._frame = bench.frame  # that is shown, or will be
        self._worker = Worker(self)
        self.controls = AblationControls()
        self.effect, self.importance = EffectPage(), ImportancePage()
        self.next_token = NextTokenPage(captures)
        self.tabs = named(QTabWidget(), "ablationTabs", "What comes of the ablation", "")
        self.tabs.setDocumentMode(True)
        for page, title in (
            (self.effect, "Output"),
            (self.importance, "Importance"),
            (self.next_token, "Next token"),
        ):
            self.tabs.addTab(page, title)
        self._connect(captures)
        self.set_body(_Beside(ColumnScroll(self.controls), self.tabs))

    def _connect(self, captures: CaptureSession) -> None:
        captures.changed.connect(self._on_other)
        captures.shown.connect(self._on_other)
        self.controls.changed.connect(self._on_other)
        self.controls.refused.connect(self.bench.refused)
        self.controls.mute_wanted.connect(self._on_mute)
        self.tabs.currentChanged.connect(self._on_other)
        self.effect.row_pointed.connect(self._on_row)
        self.importance.changed.connect(self._on_other)
        self.importance.refused.connect(self.bench.refused)

    @property
    def page_name(self) -> str:
        """What is shown, by the text of its tab."""
        return self.tabs.tabText(self.tabs.currentIndex())

    # --- drawing

    def show_frame(self, frame: Frame, previous: Frame | None) -> None:
        """Show what can be chosen, and what comes of what is chosen."""
        self._frame = frame
        self.controls.show_frame(frame)
        ablations = self.controls.ablations(frame)
        if self.tabs.currentWidget() is self.next_token:
            self.next_token.show_frame(frame, ablations)
            return
        if previous is None:
            self._asked = None
        self._ask(frame, ablations)

    def forget(self) -> None:
        """Let go of the result that was worked on last."""
        self._worker.cancel()
        self._asked = None

    def _ask(self, frame: Frame, ablations: tuple[Ablation, ...]) -> None:
        """Work out what is to be shown, aside where that takes long."""
        of_effect = self.tabs.currentWidget() is self.effect
        if of_effect and not any(frame.result.heads[each.head].active for each in ablations):
            self.forget()
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
        make = partial(_found, frame.scene, asked)
        if _effort(frame.scene, asked) > MOST_AT_ONCE:
            if before is None:
                self._say("…")
            self._worker.run(make, self._on_found, self._on_failed)
            return
        self._worker.cancel()
        self._at_once(make)

    def _at_once(self, make: Callable[[], Found]) -> None:
        try:
            found = make()
        except UserError as error:
            self._on_failed(error)
        else:
            self._on_found(found)

    def _mark(self, frame: Frame) -> None:
        if self._worker.is_busy:
            return
        self.effect.mark(frame) if self._shows_effect else self.importance.mark(frame)

    @property
    def _shows_effect(self) -> bool:
        return self._asked is not None and self._asked.readout is None

    def _say(self, why: str) -> None:
        self.effect.say(why) if self._shows_effect else self.importance.say(why)

    def _on_found(self, found: Found) -> None:
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

    def _on_row(self, row: int) -> None:
        if row < self.bench.scene.n_positions:
            self.bench.point(query=row)

    def _on_mute(self, uids: tuple[int, ...]) -> None:
        self.bench.edit(MuteHeads(uids))


class _Beside(QWidget):
    """The choices above what comes of them, or beside it where there is room."""

    def __init__(self, choices: QWidget, shown: QWidget) -> None:
        super().__init__()
        self._choices, self._shown = choices, shown
        self._box = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.setSpacing(0)
        self._box.addWidget(choices)
        self._box.addWidget(shown, 1)
        choices.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)

    def _least_side_by_side(self) -> int:
        return sum(part.minimumSizeHint().width() for part in (self._choices, self._shown))

    def minimumSizeHint(self) -> QSize:
        """Return what both need one below the other, which they turn to where it is narrow."""
        hints = [part.minimumSizeHint() for part in (self._choices, self._shown)]
        return QSize(max(hint.width() for hint in hints), max(hint.height() for hint in hints))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Stand side by side where there is room."""
        super().resizeEvent(event)
        room = event.size()
        is_wide = room.width() >= max(WIDE, self._least_side_by_side())
        directions, policies = QBoxLayout.Direction, QSizePolicy.Policy
        self._box.setDirection(directions.LeftToRight if is_wide else directions.TopToBottom)
        height = policies.Preferred if is_wide else policies.Maximum
        self._choices.setSizePolicy(policies.Preferred, height)
        most = round(SHARE * room.width()) if is_wide else room.width()
        self._choices.setMaximumWidth(max(most, self._choices.minimumSizeHint().width()))


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
