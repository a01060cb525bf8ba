"""Scoring heads in a thread of its own, so that the window goes on meanwhile."""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from PySide6.QtCore import QObject, QTimer, Signal

from mhagui.document.capture import Capture
from mhagui.document.scorecard import Scorecard, scorecard
from mhagui.gui.watch import Watch
from mhagui.gui.worker import Worker

TELL_EVERY = 100  # milliseconds
T = TypeVar("T")


class _Work:
    """What is scored, and how far that has come."""

    def __init__(self, make: Callable[[], Capture], *, with_ranks: bool) -> None:
        self._make, self._with_ranks = make, with_ranks
        self.watch, self.n_layers = Watch(), 0

    def score(self) -> Scorecard:
        """Return the scores."""
        capture = self._make()
        self.n_layers = len(capture.layers)
        card = scorecard(capture, self.watch)
        return ranked(card) if self._with_ranks else card


class Scoring(QObject):
    """Scores one thing at a time, the newest that was asked for.

    Signals
    -------
    told
        How far it has come, where it takes long; carries a sentence.
    """

    told = Signal(str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._worker = Worker(self)
        self._work: _Work | None = None
        self._telling = QTimer(self)
        self._telling.setInterval(TELL_EVERY)
        self._telling.timeout.connect(self._tell)
        self.is_at_work = False

    def score(
        self,
        make: Callable[[], Capture],
        done: Callable[[Scorecard], None],
        failed: Callable[[Exception], None],
        *,
        with_ranks: bool,
    ) -> None:
        """Have ``done`` called with the scores of what ``make`` returns, or ``failed``."""
        self.cancel()
        self._work = _Work(make, with_ranks=with_ranks)
        self._telling.start()
        self._run(self._work.score, done, failed)

    def rank(
        self,
        card: Scorecard,
        done: Callable[[Scorecard], None],
        failed: Callable[[Exception], None],
    ) -> None:
        """Have ``done`` called with ``card`` when its effective ranks are known."""
        self.cancel()
        self.told.emit("Finding effective ranks, which takes longer …")
        self._run(partial(ranked, card), done, failed)

    def cancel(self) -> None:
        """Want nothing any more."""
        if self._work is not None:
            self._work.watch.drop()
        self._worker.cancel()
        self._end()

    def _run(
        self,
        make: Callable[[], Scorecard],
        done: Callable[[Scorecard], None],
        failed: Callable[[Exception], None],
    ) -> None:
        self.is_at_work = True
        self._worker.run(make, partial(self._hand_on, done), partial(self._hand_on, failed))

    def _hand_on(self, tell: Callable[[T], None], what: T) -> None:
        self._end()
        tell(what)

    def _end(self) -> None:
        self._work, self.is_at_work = None, False
        self._telling.stop()

    def _tell(self) -> None:
        work = self._work
        if work is not None and work.n_layers > 1:
            self.told.emit(f"Scoring layer {(work.watch.at or 0) + 1} of {work.n_layers} …")
        elif work is not None:
            self.told.emit("Scoring …")


def ranked(card: Scorecard) -> Scorecard:
    """Return ``card``, by now with the effective ranks that it keeps."""
    card.effective_ranks  # noqa: B018 - made when it is asked for
    return card
