"""The status bar: the cell under the cursor, facts of the scene, and refusals for a while."""

from PySide6.QtWidgets import QLabel, QStatusBar

from mhagui.gui.bench import Frame
from mhagui.gui.pictures import cursor_text

MESSAGE_MILLISECONDS = 10_000


class StatusBar(QStatusBar):
    """Shows the cursor's cell, the scene's sizes, and for a while why something was not done."""

    def __init__(self) -> None:
        super().__init__()
        self._cell = QLabel()
        self._cell.setObjectName("cursorReadout")
        self._cell.setAccessibleName("Cell under the cursor")
        self._facts = QLabel()
        self._facts.setObjectName("sceneFacts")
        self._facts.setAccessibleName("Size of the scene and time of the last computation")
        self._cell.setContentsMargins(6, 0, 6, 0)
        self._facts.setContentsMargins(6, 0, 6, 0)
        self.addWidget(self._cell, 1)
        self.addPermanentWidget(self._facts)

    def show_frame(self, frame: Frame) -> None:
        """Show the cell and the facts of ``frame``."""
        scene = frame.scene
        self._cell.setText(cursor_text(frame))
        self._facts.setText(
            f"T {scene.n_positions} · H {scene.n_heads} · d_k {scene.d_k} · d_v {scene.d_v} · "
            f"d_model {scene.d_model} · float64 · {1000 * frame.compute_seconds:.1f} ms"
        )

    def refuse(self, sentence: str) -> None:
        """Show for ten seconds why something was not done."""
        self.showMessage(sentence, MESSAGE_MILLISECONDS)
