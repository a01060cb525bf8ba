"""A drag on a cell that makes its number larger or smaller."""

from dataclasses import dataclass, field

from PySide6.QtCore import QPointF

SCRUB_PER_PIXEL = 0.01
FINE = 0.1
_DECIMALS = 3  # of what is scrubbed; finer digits of the number scrubbed from are kept


@dataclass(slots=True)
class Scrub:
    """A drag on one cell, from press to release; it begins once the pointer is ``slack`` away."""

    row: int
    column: int
    start: float
    at: QPointF
    slack: int
    moved: float = 0.0
    gesture: object = field(default_factory=object)

    def begins(self, to: QPointF) -> bool:
        """Return whether the pointer at ``to`` scrubs; the way up to there does not count."""
        if self.slack and (to - self.at).manhattanLength() >= self.slack:
            self.slack, self.at = 0, to
        return not self.slack

    def move(self, to: QPointF, *, fine: bool) -> float:
        """Return the number that belongs to the pointer at ``to``; right and up are more."""
        pixels = (to.x() - self.at.x()) - (to.y() - self.at.y())
        self.at = to
        self.moved += pixels * SCRUB_PER_PIXEL * (FINE if fine else 1.0)
        return stepped(self.start, self.moved)


def stepped(start: float, by: float) -> float:
    """Return ``start + by``, without noise in the last digits where ``start`` has few."""
    value = start + round(by, _DECIMALS)
    return round(value, _DECIMALS) if round(start, _DECIMALS) == start else value
