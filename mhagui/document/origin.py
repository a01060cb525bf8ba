"""Where a scene is kept, which tells whether there is anything to save."""

from dataclasses import dataclass
from pathlib import Path

from mhagui.document.scene import Scene
from mhagui.files import Stamp


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
