"""The one kind of error that is shown to a user as it stands."""


LONGEST_SENTENCE = 2000  # characters; a path alone may have most of them


class UserError(ValueError):
    """What was asked cannot be done; one sentence names the thing and what would be right.

    A path or a name in it may hold anything; what a terminal would obey is made visible, and what
    nobody would read is cut.
    """

    def __init__(self, sentence: str) -> None:
        is_long = len(sentence) > LONGEST_SENTENCE
        super().__init__(visible(f"{sentence[:LONGEST_SENTENCE]}…" if is_long else sentence))


def visible(text: str) -> str:
    """Return ``text`` with control characters, line ends and the like as their escapes."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )
