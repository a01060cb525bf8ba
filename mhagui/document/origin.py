"""Where a scene is kept, which tells whether there is anything to save."""

from dataclasses import dataclass
from pathlib import Path

from mhagui.document.layer_source import LayerSource
from mhagui.document.provenance import is_figure
from mhagui.document.scene import Scene
from mhagui.document.session import Session
from mhagui.document.session_file import read_file, session_in
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
    source
        Of which layer of what file or model it was made; None for any other.
    """

    path: Path | None = None
    kept: Scene | None = None
    stamp: Stamp | None = None
    is_practice: bool = False
    source: LayerSource | None = None


def open_session(path: Path) -> tuple[Session, Origin]:
    """Return what is in the file at ``path``, and that it is kept there.

    The scene in a figure has no file of its own: the figure keeps it as it is, and what is made of
    it is never saved over the figure. Raises UserError as ``read_session`` does.
    """
    before = stamp(path)  # what is written meanwhile is to be seen as a change
    data = read_file(path)
    session = session_in(path, data)
    if is_figure(data):
        return session, Origin(kept=session.scene)
    return session, Origin(absolute(path), session.scene, before, source=session.source)
