"""The compare dock: two heads side by side, their difference, and how far apart their rows are."""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import replace
from functools import partial
from itertools import count, pairwise
from pathlib import Path
from typing import TypeAlias, TypeVar

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from mhagui.data.comparison_table import comparison_csv
from mhagui.data.matrix_text import Table
from mhagui.document import Result, Scene
from mhagui.document.origin import Origin
from mhagui.errors import UserError
from mhagui.files import write_atomically
from mhagui.gui.bench import Bench, Frame
from mhagui.gui.capture_session import CaptureSession
from mhagui.gui.docks.compare_content import Compared, compared, pictures, scales, summary, tables
from mhagui.gui.docks.compare_opening import Opening, of_opened
from mhagui.gui.docks.compare_pictures import ComparePictures, Look
from mhagui.gui.docks.compare_side import Pick, Side
from mhagui.gui.docks.compare_sources import AT_CURSOR, OfScene, Pinned, Source
from mhagui.gui.docks.own_figures import OwnFigures, of_comparison
from mhagui.gui.formulas import Formula
from mhagui.gui.panel import Panel
from mhagui.gui.widgets.colour_strip import ColourStrip
from mhagui.gui.widgets.drawing import demi_bold
from mhagui.gui.widgets.fitting_label import FittingLabel
from mhagui.gui.widgets.formula_tip import explain, put_above
from mhagui.gui.widgets.naming import named
from mhagui.gui.widgets.page import sentence
from mhagui.gui.widgets.turning_row import TurningRow
from mhagui.gui.worker import Worker

T = TypeVar("T")
Asked: TypeAlias = tuple[Source, int, int]  # a head: its source, layer, and uid or number
BENCH, BEFORE = "bench", "before"
MOST_AT_ONCE = 2**17  # weights, of both heads, that are compared while the window waits
MOST_LIVE = 2**18  # that are compared at every step of a drag, in which others have work to do
REST = 120  # milliseconds without a step, after which more are
WORKING = "Comparing …"
LEAST_SAID = "JS mean 0.0000 bits"
SWAP_TIP = "Have A in place of B, and B in place of A"
OPEN_TIP = "Open a file, or run a prompt, to compare its heads; the bench stays as it is"
FORGET_TIP = "Let go of a file or run that was opened to compare"
SAVE_TIP = "Save A, B, their difference and the divergence of each row as CSV, with all digits"
LEGENDS = (
    (("A and B", "A, B", ""), Formula.WEIGHTS),
    (("B − A",), Formula.WEIGHTS),
    (("JS, bits", "JS", ""), Formula.DIVERGENCE),
)


class CompareDock(Panel):
    """Head A and head B, each of the bench, of a former state, of a file or prompt, or pinned."""

    is_complete_undrawn = True

    def __init__(self, bench: Bench, captures: CaptureSession) -> None:
        super().__init__(bench, "compareDock", "Compare")
        self._captures = captures
        self._sources: dict[Hashable, Source] = {}
        self._opened: list[Source] = []  # to compare
        self._pinned: list[Pinned] = []
        self._n_pinned = 0  # so far
        self._numbers = count(1)  # of states, and of what is open in the window
        self._own = Look(0, 0)  # at matrices of another size than those on the bench
        self._wanted: tuple[Asked, ...] = ()  # what is, or is to be, compared
        self._found: Compared | None = None
        self._origin: Origin | None = None  # of the scene with which it began
        self._worker, self._is_at_rest = Worker(self), False
        self._rest = QTimer(self, singleShot=True, interval=REST)
        self._rest.timeout.connect(self._on_rest)
        second = bench.scene.heads[1 % bench.scene.n_heads].uid
        self.sides = (
            Side("A", Pick(BENCH, head=AT_CURSOR), self),
            Side("B", Pick(BENCH, head=second), self),
        )
        self.swap = named(QPushButton("Swap"), "compareSwap", "Swap A and B", SWAP_TIP)
        self.open = named(QPushButton("Open"), "compareOpen", "Open to compare", OPEN_TIP)
        self.let_go = named(QPushButton("Forget"), "compareForget", "Forget opened", FORGET_TIP)
        self.save = named(QPushButton("Save…"), "compareSave", "Save numbers", SAVE_TIP)
        self.summary = explain(FittingLabel(), Formula.DIVERGENCE)
        self.pictures = ComparePictures()
        self.reason = sentence("compareReason")
        self.reason.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.strips = tuple(ColourStrip() for _ in LEGENDS)
        self._opening = Opening(bench, captures, self)
        self._connect()
        self.set_body(self._make_body())

    # --- what it is made of

    def _connect(self) -> None:
        for side in self.sides:
            side.changed.connect(self._on_chosen)
            side.pin_wanted.connect(partial(self._on_pin, side))
        self.swap.clicked.connect(self._on_swap)
        self.save.clicked.connect(self._on_save)
        self._captures.changed.connect(self.redraw)
        self._opening.opened.connect(self._on_opened)
        self._opening.failed.connect(self.bench.failed)
        self._opening.said.connect(self.said)
        self.pictures.pointed.connect(self._on_pointed)
        self.pictures.zoomed.connect(self._on_zoomed)
        self.pictures.dragged.connect(self._on_dragged)
        self.pictures.whole_wanted.connect(self._on_whole_wanted)

    def _make_body(self) -> QWidget:
        body = QWidget()
        self._make_menu()
        self._make_legend()
        rows = QVBoxLayout(body)
        rows.setContentsMargins(8, 6, 8, 6)
        rows.setSpacing(4)
        rows.addLayout(self._side_rows())
        buttons = self.swap, self.open, self.let_go, self.save
        rows.addWidget(TurningRow(buttons, self.summary, LEAST_SAID))
        rows.addWidget(self.pictures, 1)
        rows.addWidget(self.reason, 1)
        rows.addWidget(self._legend)
        self._order_tabs()
        return body

    def _side_rows(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(6)
        grid.setVerticalSpacing(4)
        for row, side in enumerate(self.sides):
            label = QLabel(side.name)
            label.setFont(demi_bold(label.font()))
            label.setBuddy(side.source_box)
            explain(label, Formula.WEIGHTS)
            for column, part in enumerate((label, *side.boxes, side.pin)):
                grid.addWidget(part, row, column)
        grid.setColumnStretch(1, 3)
        grid.setColumnStretch(3, 3)
        return grid

    def _make_menu(self) -> None:
        opening = QMenu(self.open)
        opening.addAction("&File to compare…", self._opening.choose)
        self._another_prompt = opening.addAction(
            "&Another prompt to compare…", self._opening.ask_for_prompt
        )
        opening.aboutToShow.connect(self._offer_prompt)
        self.open.setMenu(opening)
        forgetting = QMenu(self.let_go)
        forgetting.aboutToShow.connect(self._offer_forgetting)
        forgetting.triggered.connect(self._on_forget)
        self.let_go.setMenu(forgetting)
        self.let_go.setEnabled(False)

    def _make_legend(self) -> None:
        self._legend = QWidget()
        row = QHBoxLayout(self._legend)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        for place, (strip, (texts, formula)) in enumerate(zip(self.strips, LEGENDS, strict=True)):
            if place:
                row.addSpacing(12)
            caption = explain(FittingLabel(*texts), formula)
            strip.setObjectName(f"compareColours{place + 1}")
            put_above(strip, formula)
            caption.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
            row.addWidget(caption)
            row.addWidget(strip, 1)

    def _order_tabs(self) -> None:
        stops: list[QWidget] = []
        for side in self.sides:
            stops += [*side.boxes, side.pin]
        stops += [self.swap, self.open, self.let_go, self.save, *self.pictures.views]
        for one, other in pairwise(stops):
            self.setTabOrder(one, other)

    def take_focus(self) -> None:
        """Give the keyboard to the difference, where arrows move the cursor."""
        if self._found is None:
            super().take_focus()
        else:
            self.pictures.views[2].setFocus(Qt.FocusReason.TabFocusReason)

    # --- what there is to compare

    def _listed(self, frame: Frame) -> Iterator[Source]:
        """Yield all that a head can be of, former states last, the newest first."""
        numbers = self._numbered()
        bench = self._scene(BENCH, ("On the bench", "the bench"), frame.scene, frame.result)
        yield bench
        steps, n_done = self.bench.history.steps, self.bench.history.n_steps
        if n_done:
            names = "Before the last edit", "the scene before the last edit"
            yield self._scene(BEFORE, names, steps[n_done - 1].before)
        opened = self._captures.opened
        if opened is not None:
            key = numbers.get(id(opened.capture)) or next(self._numbers)
            yield self._sources.get(key) or of_opened(key, opened)
        yield from self._opened
        yield from self._pinned
        scenes = [step.before for step in steps[:1]] + [step.after for step in steps]
        for number in range(len(scenes) - 1, -1, -1):
            words = steps[number - 1].words if number else "as it was opened"
            names = f"State {number}: {words}", f"state {number}"
            key = numbers.get(id(scenes[number])) or next(self._numbers)
            yield self._scene(key, names, scenes[number])

    def _numbered(self) -> dict[int, int]:
        """Return by their ids the numbers that states and captures have as sources.

        Those are keys, for an id is another's once its owner is gone.
        """
        sources = (*self._sources.values(), *(side.source for side in self.sides))
        return {id(each.of): each.key for each in sources if each and isinstance(each.key, int)}

    def _scene(
        self, key: Hashable, names: tuple[str, str], scene: Scene, result: Result | None = None
    ) -> Source:
        """Return the source of this scene that is known already, with what was computed of it."""
        known = self._sources.get(key)
        if isinstance(known, OfScene) and known.scene is scene and known.title == names[0]:
            return known
        return OfScene(key, names, scene, result)

    def _show_sources(self, frame: Frame) -> None:
        self._sources = {source.key: source for source in self._listed(frame)}
        for side in self.sides:
            side.show_sources(tuple(self._sources.values()))
        self.let_go.setEnabled(bool(self._opened))
        in_use = [side.source for side in self.sides]
        for source in self._sources.values():
            if isinstance(source, OfScene) and source.key != BENCH and source not in in_use:
                source.forget()  # or the results of many states would pile up

    # --- comparing

    def show_frame(self, frame: Frame, previous: Frame | None) -> None:
        """Compare what is to be compared now, and point where the cursor is."""
        self._tell_apart(frame)
        self._show_sources(frame)
        looks_new = previous is None or previous.view.colour_scale is not frame.view.colour_scale
        if not self._compare(frame.view.cursor.head) and looks_new:
            self._show_found()
        self._show_look()

    def _tell_apart(self, frame: Frame) -> None:
        """Begin with two heads of a scene, where there are two."""
        of_cursor, other, origin = Pick(BENCH, head=AT_CURSOR), self.sides[1], self._origin
        if frame.scene is self.bench.scene:
            self._origin = self.bench.history.origin
        if self.sides[0].pick == of_cursor and other.pick.key == BENCH and other.pick != of_cursor:
            uids, is_new = [head.uid for head in frame.scene.heads], self._origin is not origin
            other.differ_from(frame.view.cursor.head, uids, is_new=is_new)

    def _compare(self, uid: int) -> bool:
        """Compare the heads that are chosen, the cursor's with ``uid``; False where they are."""
        wanted = tuple(_asked(side, uid) for side in self.sides)
        if wanted == self._wanted:
            return False
        effort = sum(source.effort(layer) for source, layer, _ in wanted)
        if effort > MOST_LIVE and self._found is not None and not self._is_at_rest:
            self._rest.start()
            return False
        self._wanted = wanted
        make = partial(compared, *(partial(source.head, *at) for source, *at in wanted))
        if effort > MOST_AT_ONCE:
            self._compare_aside(make)
            return True
        self._worker.cancel()
        try:
            self._on_compared(make())
        except UserError as error:
            self._on_failed(error)
        return True

    @property
    def _is_behind(self) -> bool:
        return self._worker.is_busy or self._rest.isActive()

    def _on_rest(self) -> None:
        self._is_at_rest = True
        self.redraw()
        self._is_at_rest = False

    def _compare_aside(self, make: Callable[[], Compared]) -> None:
        """Compare in a thread; what is shown stays meanwhile, and is followed step by step."""
        if self._worker.is_busy:
            return  # what is wanted by then comes next, or a drag would show nothing until its end
        if self._found is None:
            self._show_reason(WORKING)
        done, failed = (
            partial(self._end, self._wanted, of) for of in (self._on_compared, self._on_failed)
        )
        self._worker.run(make, done, failed)

    def _end(self, asked: tuple[Asked, ...], show: Callable[[T], None], what: T) -> None:
        """Show what came of it, and compare what is wanted by now, if that is something else."""
        show(what)
        self._show_look()
        if asked != self._wanted:
            self._wanted = ()
            self._compare(self.bench.view.cursor.head)

    def _on_compared(self, found: Compared) -> None:
        self._found = found
        self._show_found()

    def _on_failed(self, error: Exception) -> None:
        self._found = None
        is_told = isinstance(error, UserError)
        self._show_reason(str(error) if is_told else "These heads cannot be compared.")

    def forget(self) -> None:
        """Let go of all that was computed, and of what is shown of it."""
        self._rest.stop()
        self._worker.cancel()
        self._found, self._wanted = None, ()
        for source in (*self._sources.values(), *(side.source for side in self.sides)):
            if isinstance(source, OfScene):
                source.forget()
        self._sources = {}
        self.pictures.forget()

    # --- what is shown

    def _show_found(self) -> None:
        """Show the pictures, if there are any."""
        found, view = self._found, self.bench.view
        if found is None:
            return
        colours = scales(found, view)
        self.pictures.show_pictures(pictures(found, colours))
        for strip, scale in zip(self.strips, colours, strict=True):
            strip.set_scale(scale)
        self.summary.set_texts(*summary(found, view.appearance.precision))
        self._turn(has_pictures=True)
        for side, head in zip(self.sides, (found.one, found.other), strict=True):
            side.show_head(head, is_pinned=isinstance(side.source, Pinned))

    def _show_reason(self, reason: str) -> None:
        """Say why there are no pictures."""
        self.reason.setText(reason)
        self.summary.set_texts("")
        self._turn(has_pictures=False)
        for side in self.sides:
            side.show_head(None, is_pinned=isinstance(side.source, Pinned))

    def _turn(self, *, has_pictures: bool) -> None:
        self.reason.setHidden(has_pictures)
        for part in (self.pictures, self._legend):
            part.setVisible(has_pictures)
        self.save.setEnabled(has_pictures)

    # --- where one looks

    @property
    def _is_shared(self) -> bool:
        """Whether the matrices have the cells of those on the bench, and so its cursor."""
        scene = self.bench.scene
        return self._found is not None and self._found.shape == (scene.n_positions, scene.n_keys)

    @property
    def _look(self) -> Look:
        """Where one looks: with the bench, or at matrices of another size by themselves."""
        view = self.bench.view
        if self._is_shared:
            return Look(view.cursor.query, view.cursor.key, view.window)
        return self._own

    def _look_at(self, look: Look) -> None:
        if self._is_shared:
            cursor = replace(self.bench.view.cursor, query=look.query, key=look.key)
            self.bench.look(cursor=cursor, window=look.window)
        else:
            self._own = look
        self._show_look()  # the next key may come before the next frame

    def _show_look(self) -> None:
        if self._found is not None:
            self.pictures.show_look(self._look.fitted(self._found.shape))

    def _on_pointed(self, row: int, column: int) -> None:
        self._look_at(self._look.pointed(row, column))

    def _on_zoomed(self, factor: float, at: tuple[float, float] | None) -> None:
        if self._found is not None:
            self._look_at(self._look.zoomed(factor, self._found.shape, at))

    def _on_dragged(self, row: int, column: int) -> None:
        look, found = self._look, self._found
        if found is not None and look.window is not None:
            window = replace(look.window, query=row, key=column)
            self._look_at(look.seen(window, found.shape))

    def _on_whole_wanted(self) -> None:
        self._look_at(replace(self._look, window=None))

    # --- what the user chooses

    def _on_chosen(self) -> None:
        self._worker.cancel()  # what was to be compared is no more
        self.redraw()
        if self._is_behind:  # what is shown, which is of the heads before, stays so long
            self.summary.set_texts(WORKING)
            for side in self.sides:
                side.show_head(None, is_pinned=isinstance(side.source, Pinned))

    def _on_swap(self) -> None:
        one, other = self.sides
        one.exchange(other)
        self._on_chosen()

    def _on_pin(self, side: Side) -> None:
        found, source = self._found, side.source
        if isinstance(source, Pinned):
            self._pinned.remove(source)
            self._leave(source)
        elif found is not None:
            self._n_pinned += 1
            head = found.one if side is self.sides[0] else found.other
            self._pinned.append(Pinned(self._n_pinned, head))
            side.choose(Pick(self._pinned[-1].key))
            self.said.emit(f"Pinned: {head.name}, {head.where}")
        self._on_chosen()

    def _on_opened(self, source: Source) -> None:
        """Have what was opened on side B."""
        self._opened.append(source)
        self.sides[1].choose(Pick(source.key))
        self._on_chosen()

    def _on_forget(self, action: QAction) -> None:
        """Let go of what was opened, at the place of ``action`` in the menu."""
        source = self._opened.pop(self.let_go.menu().actions().index(action))
        self._leave(source)
        self._on_chosen()
        self.said.emit(f"Forgotten: {source.title}")

    def _leave(self, source: Source) -> None:
        """Have the bench on each side that has ``source``."""
        for side in self.sides:
            if side.source is source:
                side.choose(Pick(BENCH, head=AT_CURSOR))

    def _offer_forgetting(self) -> None:
        menu = self.let_go.menu()
        menu.clear()
        for source in self._opened:
            menu.addAction(source.title.replace("&", "&&"))

    def _offer_prompt(self) -> None:
        self._another_prompt.setEnabled(self._captures.model is not None)

    # --- numbers

    def own_tables(self) -> tuple[tuple[str, Callable[[], Table], str], ...]:
        """Return A, B, their difference and the divergences, to be copied."""
        return () if self._found is None else tables(self._found)

    def own_figures(self) -> OwnFigures:
        """Return the four pictures on one page."""
        return {} if self._found is None else of_comparison(self._found)

    def _on_save(self) -> None:
        """Ask for a file, and write all numbers to it."""
        found = self._found
        if found is None:
            return
        name, _ = QFileDialog.getSaveFileName(self, "Save numbers", "comparison.csv", "CSV (*.csv)")
        if not name:
            return
        try:
            write_atomically(Path(name), comparison_csv(found.comparison))
        except UserError as error:
            self.bench.failed.emit(str(error))
        else:
            self.said.emit(f"Saved to {name}")


def _asked(side: Side, uid: int) -> Asked:
    """Return which head is chosen, the cursor's being the one with ``uid``."""
    assert side.source is not None  # since sources are shown
    head = side.pick.head
    return side.source, side.pick.layer, uid if head == AT_CURSOR else head
