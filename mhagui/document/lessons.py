"""The built-in lessons: scenes that travel with the program."""

from functools import cache
from pathlib import Path

from mhagui._resources import resource_path
from mhagui.document.origin import Origin, open_session
from mhagui.document.scene import Scene
from mhagui.document.session import Session
from mhagui.document.session_file import read_scene
from mhagui.errors import UserError

_LESSONS = ("four-heads", "two-heads", "content-position", "induction")


def lesson_names() -> tuple[str, ...]:
    """Return the names of the built-in lessons, in the order in which one meets them."""
    return _LESSONS


def load_lesson(name: str) -> Scene:
    """Return the scene of lesson ``name``; raises UserError naming the lessons there are."""
    if name not in lesson_names():
        raise UserError(f"There is no lesson “{name}”; the lessons are {_all_names()}.")
    return _read(name)


def open_named(name: str) -> tuple[Session, Origin]:
    """Return what ``name`` means, and where it is kept: a lesson, or the file at that path."""
    if name in lesson_names():
        scene = load_lesson(name)
        return Session.of(scene), Origin(kept=scene)
    try:
        return open_session(Path(name))
    except UserError as error:
        if isinstance(error.__cause__, FileNotFoundError):
            raise UserError(
                f"“{name}” is neither a lesson ({_all_names()}) nor a file that is there."
            ) from error
        raise


def load_scene(name: str) -> Scene:
    """Return the scene that ``name`` means, as ``open_named`` does."""
    return open_named(name)[0].scene


@cache
def _read(name: str) -> Scene:
    return read_scene(resource_path("lessons", f"{name}.json"))


def _all_names() -> str:
    *names, last = lesson_names()
    return f"{', '.join(names)} and {last}"
