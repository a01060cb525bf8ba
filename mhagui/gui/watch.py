"""A look at work in another thread, and the word that nobody wants it any more; no Qt here."""


class Dropped(Exception):  # noqa: N818 - nothing is wrong
    """Nobody wants what is being made any more."""


class Watch:
    """Is called at each step of the work with its number, and ends the work there if it is to.

    Attributes
    ----------
    at
        The step that was begun last; None before the first.
    """

    def __init__(self) -> None:
        self.at: int | None = None
        self._is_wanted = True

    def drop(self) -> None:
        """Want the work no more."""
        self._is_wanted = False

    def __call__(self, number: int) -> None:
        """Note that step ``number`` begins; raises ``Dropped`` where nobody wants the work."""
        if not self._is_wanted:
            raise Dropped
        self.at = number
