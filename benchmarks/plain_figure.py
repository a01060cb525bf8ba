"""The plainest matplotlib script that draws the weights of four heads with their values."""

import sys

import matplotlib as mpl

mpl.use("agg")

import matplotlib.pyplot as plt  # noqa: TID251 - as one writes it by hand
import numpy as np


def plain(weights: np.ndarray, path: str) -> None:
    """Draw the weights (4, T, T) as one does by hand: imshow, and a text in each cell."""
    figure, panels = plt.subplots(2, 2, figsize=(6.69, 5.7))
    for number, (axes, head) in enumerate(zip(panels.ravel(), weights, strict=True), 1):
        image = axes.imshow(head, vmin=0, vmax=1, cmap="viridis")
        names = [f"t{position + 1}" for position in range(len(head))]
        axes.set_xticks(range(len(head)), names)
        axes.set_yticks(range(len(head)), names)
        axes.set_title(f"Head {number}")
        for (row, column), weight in np.ndenumerate(head):
            if column <= row:
                ink = "black" if weight > 0.5 else "white"
                look = {"ha": "center", "va": "center", "color": ink, "fontsize": 7}
                axes.text(column, row, f"{weight:.2f}", **look)
    figure.colorbar(image, ax=panels)
    figure.savefig(path, dpi=300)
    plt.close(figure)


if __name__ == "__main__":
    plain(np.load(sys.argv[1]), sys.argv[2])
