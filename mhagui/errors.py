"""The one kind of error that is shown to a user as it stands."""


class UserError(ValueError):
    """What was asked cannot be done; one sentence names the thing and what would be right.

    A path or a name in it may hold anything; what a terminal would obey is made visible.
    """

    def __init__(self, sentence: str) -> None:
        super().__init__(visible(sentence))


def visible(text: str) -> str:
    """Return ``text`` with control characters, line ends and the like as their escapes."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )
