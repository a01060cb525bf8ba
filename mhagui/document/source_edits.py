"""The edit of the token source."""

from collections.abc import Hashable
from dataclasses import dataclass, replace

from mhagui.document.scene import Scene
from mhagui.document.token_source import TokenSource


@dataclass(frozen=True, slots=True, eq=False)
class SetSource:
    """Measure the heads' information on another token source, or at another resolution."""

    source: TokenSource
    text: str = "Change token source"
    merge_key: Hashable | None = None

    def apply(self, scene: Scene) -> Scene:
        """Return the scene with the source."""
        return replace(scene, source=self.source)
