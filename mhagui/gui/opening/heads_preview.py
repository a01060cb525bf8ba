"""The first heads of a file as small heatmaps, to be told apart at a glance."""

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from mhagui.document import Appearance
from mhagui.formats import positions
from mhagui.gui.opening.trial import HeadsPreview
from mhagui.gui.pictures import weight_range
from mhagui.gui.widgets.matrix_card import MatrixCard
from mhagui.gui.widgets.matrix_grid import CardGrid
from mhagui.gui.widgets.matrix_picture import Picture
from mhagui.palette import head_colour

NONE = "None yet."


class PreviewBox(QWidget):
    """Shows pooled heads in the colours of weights, 0 to 1; keys scroll them, and enter none."""

    def __init__(self, look: Appearance) -> None:
        super().__init__()
        self._scale = weight_range(1.0, "weight A, linear", look)
        self._caption = QLabel(NONE)  # in one line: a wrapped one would ask for all the room
        self._grid = CardGrid()
        self._cards: list[MatrixCard] = []
        self._shown: HeadsPreview | None = None
        self._caption.setObjectName("importPreviewCaption")
        self._grid.setObjectName("importPreview")
        self._grid.setAccessibleName("Preview of the heads")
        self._grid.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        policy = self._grid.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self._grid.setSizePolicy(policy)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.addWidget(self._caption)
        rows.addWidget(self._grid, 1)

    def show_heads(self, preview: HeadsPreview | None) -> None:
        """Show the heads of ``preview``, or say that there are none."""
        self._grid.setVisible(preview is not None)
        self._caption.setText(NONE if preview is None else _caption(preview))
        if preview is None or preview is self._shown:
            return
        self._shown = preview
        while len(self._cards) < len(preview.weights):
            self._cards.append(_card(len(self._cards) + 1))
        del self._cards[len(preview.weights) :]
        for place, (card, weights) in enumerate(zip(self._cards, preview.weights, strict=True)):
            card.set_head(place + 1, f"H{place}", "", QColor(head_colour(place + 1)), "")
            card.view.setAccessibleName(f"Weights of head {place} of layer {preview.layer}")
            rows, columns = weights.shape
            card.view.set_picture(
                Picture(
                    values=np.ascontiguousarray(weights),
                    low=self._scale.low,
                    high=self._scale.high,
                    table=self._scale.table,
                    row_labels=_labels(rows, preview.shape[0]),
                    column_labels=_labels(columns, preview.shape[1]),
                    noun="weight" if (rows, columns) == preview.shape else "largest weight",
                )
            )
        self._grid.set_cards(self._cards)
        self._grid.show_cards(None)


def _card(place: int) -> MatrixCard:
    card = MatrixCard(place)
    card.view.setObjectName(f"importHead{place}")
    card.button.hide()
    card.view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    return card


def _caption(preview: HeadsPreview) -> str:
    n_shown = len(preview.weights)
    which = f"{n_shown} of {preview.n_heads} heads" if n_shown < preview.n_heads else "all heads"
    return f"Layer {preview.layer}, {which}, {preview.shape[0]:,} × {preview.shape[1]:,}"


def _labels(n_shown: int, total: int) -> tuple[str, ...]:
    """Return t1..tT; of blocks of positions the first of each."""
    every = positions(total)
    return tuple(every[block * total // n_shown] for block in range(n_shown))
