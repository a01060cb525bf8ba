"""Where a scene is kept, which tells whether there is anything to save."""

from dataclasses import dataclass
from pathlib import Path

from mhagui.document.scene import Scene
from mhagui.document.session import Session
from mhagui.document.session_file import read_session
from mhagui.files import Stamp, absolute, stamp


@dataclass(eq=False, slots=True)
class Origin:
    """Where one scene is kept: shared by every step of the work on it, changed when it is saved.

    Attributes
    ----------
    path
        The file; None as long as there is none.
    kept
        The scene as it stands in the file; without one, as work on it began. None where it stands
        nowhere any more: what was recovered.
    stamp
        The state of the file when it was last read or written here; None for none.
    is_practice
        Whether an exercise has opened it, which keeps by itself what is worth keeping.
    """

    path: Path | None = None
    kept: Scene | None = None
    stamp: Stamp | None = None
    is_practice: bool = False


def open_session(path: Path) -> tuple[Session, Origin]:
    """Return what is in the file at ``path``, and that it is kept there.

    Raises UserError as ``read_session`` does.
    """
    before = stamp(path)  # what is written meanwhile is to be seen as a change
    session = read_session(path)
    return session, Origin(absolute(path), session.scene, before)
