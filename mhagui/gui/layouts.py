"""The layouts that the program comes with, drawn for a window of 1280 by 800 pixels.

A dock that a layout does not name is hidden in it, and comes back behind those that it stands with
in the first one.
"""

from mhagui.layout_tree import Layout, Node, Split, Tabs, names_in

BENCH = ("headsDock", "costDock", "historyDock")
PICTURES = ("heatmapsDock", "pipelineDock", "atlasDock", "compareDock")
SYNTHESIS = ("outputProjectionDock", "filterBankDock", "ablationLabDock", "weightsDock")
READINGS = ("entropyDock", "rankDock", "impulseDock", "informationDock")


def _columns(bench: Node, middle: Node, right: Node) -> Split:
    """Return three columns: what is changed, what it does, and what is read off or followed."""
    return Split(
        "across", (bench, middle, Split("down", (right, Tabs(("cellDock",), size=350)), 372))
    )


def _middle(*, above: tuple[str, ...], below: tuple[str, ...], height: int = 284) -> Split:
    """Return three rows, the lowest of a ``height`` that goes off the uppermost."""
    tokens = Tabs(("tokensDock",), size=1)  # as high as it has to be
    rows = (Tabs(above, size=730 - height), tokens, Tabs(below, size=height))
    return Split("down", rows, size=628)


# Names every dock, in the order in which menus list them.
DEFAULT = Layout(
    _columns(
        Tabs(BENCH, size=280),
        _middle(above=PICTURES, below=SYNTHESIS),
        Tabs((*READINGS, "lessonDock"), size=380),
    ),
    hidden=("cellDock",),
)

# The lesson is in sight whatever else an exercise asks for.
LEARN = Layout(
    _columns(
        Tabs(BENCH, size=280),
        _middle(above=PICTURES + SYNTHESIS, below=READINGS, height=340),
        Tabs(("lessonDock",), size=380),
    ),
    hidden=("cellDock",),
)

# For a class: gains to drag, and heatmaps as large as can be; all else comes when it is asked for.
PRESENT = Layout(
    _columns(
        Tabs(BENCH, size=175),
        _middle(above=PICTURES, below=SYNTHESIS),
        Tabs((*READINGS, "lessonDock"), size=380),
    ),
    hidden=tuple(n for n in names_in(DEFAULT.tree) if n not in ("headsDock", "heatmapsDock")),
)

LAYOUTS = {"Default": DEFAULT, "Learn": LEARN, "Present": PRESENT}
