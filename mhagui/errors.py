"""The one kind of error that is shown to a user as it stands."""

from collections.abc import Collection, Iterable

LONGEST_SENTENCE = 2000  # characters; a path alone may have most of them
_END = 500


class UserError(ValueError):
    """What was asked cannot be done; one sentence names the thing and what would be right.

    A path or a name in it may hold anything; what a terminal would obey is made visible, and the
    middle, which nobody would read, is cut out of what is very long.
    """

    def __init__(self, sentence: str) -> None:
        if len(sentence) > LONGEST_SENTENCE:
            sentence = f"{sentence[: LONGEST_SENTENCE - _END]}…{sentence[-_END:]}"
        super().__init__(visible(sentence))


def check_choices(what: str, given: Iterable[str], possible: Collection[str]) -> None:
    """Raise UserError where one of ``given``, each a ``what``, is not ``possible``."""
    for choice in given:
        if choice not in possible:
            raise UserError(
                f"There is no {what} “{choice}”; the {what}s are {', '.join(possible)}."
            )


def visible(text: str) -> str:
    """Return ``text`` with control characters, line ends and the like as their escapes."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )
