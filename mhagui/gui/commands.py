"""The commands of a window: every action of its menus, and how well a few letters name one."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar

_WORD_START, _NEXT_LETTER = 6, 4  # what a letter is worth there, beside the 1 that it is anywhere
_NOWHERE = -1


@dataclass(frozen=True, slots=True)
class Command:
    """One action of the menus, with the titles of the menus that lead to it.

    Attributes
    ----------
    is_enabled
        Whether it can be run: a menu on the way that is grey has it grey too.
    """

    path: tuple[str, ...]
    action: QAction
    is_enabled: bool

    @property
    def name(self) -> str:
        """The way to it: View › Theme › Dark."""
        return " › ".join(self.path)

    @property
    def keys(self) -> tuple[str, ...]:
        """All its shortcuts, as this system writes them; no keys that few keyboards have."""
        native = QKeySequence.SequenceFormat.NativeText
        return tuple(k.toString(native) for k in self.action.shortcuts() if not _is_rare(k))


def commands_of(bar: QMenuBar) -> list[Command]:
    """Return what can be reached from ``bar``, in the order of the menus."""
    return [command for action in bar.actions() for command in _below(action, (), enabled=True)]


def _below(action: QAction, path: tuple[str, ...], *, enabled: bool) -> Iterator[Command]:
    if action.isSeparator() or not action.isVisible():
        return
    path, enabled = (*path, bare(action.text())), enabled and action.isEnabled()
    menu = action.menu()
    if not isinstance(menu, QMenu):
        yield Command(path, action, enabled)
        return
    menu.aboutToShow.emit()  # some are filled only then
    for entry in menu.actions():
        yield from _below(entry, path, enabled=enabled)


def bare(text: str) -> str:
    """Return an action's text without the marks of its mnemonic."""
    return re.sub("&(.)", r"\1", text)


def likeness(query: str, name: str) -> int | None:
    """Return how well ``query`` names ``name``, more being better; None where it does not.

    The letters of each word of the query have to stand in the name in their order; it counts for
    them to stand at the starts of words and beside one another. Case does not matter.
    """
    text = name.casefold()
    found = [_word_likeness(word, text) for word in query.casefold().split()]
    return None if _NOWHERE in found else sum(found)


def _word_likeness(word: str, text: str) -> int:
    """Return the most that the letters of ``word`` can be worth in ``text``."""
    starts = {found.start() for found in re.finditer(r"\b\w", text)}
    ends_at = [0, *[_NOWHERE] * len(text)]  # worth of the letters so far, the last before there
    for letter in word:
        before, ends_at = ends_at, [_NOWHERE] * (len(text) + 1)
        most = _NOWHERE
        for at, (char, worth) in enumerate(zip(text, before, strict=False)):
            most = max(most, worth)
            if char == letter and most > _NOWHERE:
                beside = worth + _NEXT_LETTER if at and worth > _NOWHERE else _NOWHERE
                ends_at[at + 1] = max(most, beside) + 1 + _WORD_START * (at in starts)
    return max(ends_at)


def _is_rare(keys: QKeySequence) -> bool:
    """Return whether ``keys`` is a key of its own, New or F14, as few keyboards have them."""
    text = keys.toString()
    return "+" not in text and not re.fullmatch(r"F([1-9]|1[0-2])|\W|\d", text)
