"""Cells of many pictures, pooled in a thread where together they would hold up the window."""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject
from shiboken6 import isValid

from mhagui.gui.widgets.matrix_cells import Cells, cells_of, effort
from mhagui.gui.widgets.matrix_zoom import Wanted, ZoomedView
from mhagui.gui.worker import Worker

MOST_AT_ONCE = 5 * 2**20  # cells that are read: some 5 ms
# Cells that one job reads: several times that long. What is in sight first is there first.
MOST_A_JOB = 6 * MOST_AT_ONCE


class Pooling(QObject):
    """Makes the cells of views in a thread, unless those that want some take little together.

    ``views`` returns the views, the first of which are served first. What is wanted is looked up
    when a job begins: views that have been given another part or picture meanwhile get that.
    """

    def __init__(self, views: Callable[[], Sequence[ZoomedView]], parent: QObject) -> None:
        super().__init__(parent)
        self._views, self._worker = views, Worker(self)

    @property
    def is_busy(self) -> bool:
        """Whether cells are being made."""
        return self._worker.is_busy

    def takes(self, view: ZoomedView) -> bool:
        """Say whether the cells that ``view`` wants are made aside; then they are handed over."""
        if self.is_busy:
            return True
        views, of_view = self._views(), view.wanted
        if of_view is None or len(views) * effort(*of_view) <= MOST_AT_ONCE:
            return False
        wanted = (each.wanted for each in views)
        if sum(effort(*each) for each in wanted if each is not None) <= MOST_AT_ONCE:
            return False
        self._begin()
        return True

    def _begin(self) -> None:
        """Have the cells made of as many views as one job may take, of one at least."""
        views: list[ZoomedView] = []
        wanted: list[Wanted] = []
        left = MOST_A_JOB
        for view in self._views():
            if left > 0 and (each := view.wanted) is not None:
                views.append(view)
                wanted.append(each)
                left -= effort(*each)
        if views:
            self._worker.run(partial(_made, wanted), partial(self._hand_over, views), self._fail)

    def _hand_over(self, views: list[ZoomedView], made: list[Cells]) -> None:
        for view, cells in zip(views, made, strict=True):
            if isValid(view):  # its head may have gone
                view.take(cells)
        self._begin()

    def _fail(self, _error: Exception) -> None:
        """Leave what is known of them; the fault is told of."""


def _made(wanted: list[Wanted]) -> list[Cells]:
    return [cells_of(*each) for each in wanted]
