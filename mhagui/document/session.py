"""A session: what lies on the bench, and how it is looked at."""

from dataclasses import dataclass

from mhagui.document.layer_source import LayerSource
from mhagui.document.scene import Scene
from mhagui.document.view_state import ViewState


@dataclass(frozen=True, slots=True)
class Session:
    """What a session file holds.

    Attributes
    ----------
    scene
        All that the user can change.
    view
        What is looked at. Its appearance is the user's own and not in the file.
    path
        In what is kept for recovery: the file that the work belongs to. None elsewhere.
    source
        Of which layer of what the scene was made; None where it is of none, or nobody knows.
    """

    scene: Scene
    view: ViewState
    path: str | None = None
    source: LayerSource | None = None

    @classmethod
    def of(cls, scene: Scene) -> "Session":
        """Return ``scene`` with the view that one starts with."""
        return cls(scene, ViewState.of(scene))
