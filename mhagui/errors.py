"""The one kind of error that is shown to a user as it stands."""


class UserError(ValueError):
    """What was asked cannot be done; one sentence names the thing and what would be right.

    A path or a name in it may hold anything; what a terminal would obey is made visible.
    """

    def __init__(self, sentence: str) -> None:
        super().__init__(visible(sentence))


def visible(text: str) -> str:
    """Return ``text`` with each control character, line end or lone surrogate as its escape."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() or char in "\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}"
        else char.encode("unicode_escape").decode()
        for char in text
    )
