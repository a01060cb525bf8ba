"""The figures of docks that show no scene: of the scorecard, a comparison, the ablation lab. No Qt.

Each by the object name of the widget that shows it; the first is that of the dock as a whole.
"""

from typing import TYPE_CHECKING

import numpy as np

from mhagui.document.ablation import Effect
from mhagui.document.importance import Importance
from mhagui.document.scene import Scene
from mhagui.document.scorecard import Column
from mhagui.figures.charts import (
    Chart,
    HeadMap,
    HeadScatter,
    Seen,
    cut,
    strengths,
)
from mhagui.figures.found import (
    AblatedOutput,
    ComparedHead,
    Comparison,
    HeadImportance,
    NextTokens,
    PrunedHeads,
)
from mhagui.figures.paper import Axis

if TYPE_CHECKING:
    from mhagui.gui.docks.ablation_lab_model import Ran
    from mhagui.gui.docks.atlas_heads import AtlasHeads
    from mhagui.gui.docks.compare_content import Compared
    from mhagui.gui.docks.compare_sources import ComparedHead as Side
    from mhagui.gui.docks.compare_sources import Tokens

OwnFigures = dict[str, Chart]


def seen_of_scene(scene: Scene) -> Seen:
    """Return what a figure of the scene's heads says that it is of."""
    return Seen(scene.title, cut(" ".join(token.label for token in scene.shown_tokens)))


def of_heads(
    heads: "AtlasHeads", seen: Seen, coloured: tuple[Column, bool], points: tuple[Column, Column]
) -> OwnFigures:
    """Return the map, ``coloured`` by a score, perhaps above chance, and the scatter of two."""
    grid, (score, above_chance) = heads.grid, coloured
    return {
        "atlasMap": HeadMap(seen, grid, score, above_chance),
        "atlasScatter": HeadScatter(seen, grid, *points, strengths(heads.card)),
    }


def of_comparison(found: "Compared") -> OwnFigures:
    """Return A, B, their difference and the divergences on one page."""
    one, other = (_compared(head) for head in (found.one, found.other))
    chart = Comparison(
        Seen(f"{one.name} and {other.name}"),
        one,
        other,
        found.bits,
        found.mean_bits,
        found.largest_weight,
    )
    return {"compareDifference": chart}


def _compared(head: "Side") -> ComparedHead:
    n_rows, n_columns = head.layer.shape
    rows = _axis(n_rows, head.query_tokens)
    columns = _axis(n_columns, head.key_tokens, "t" if n_columns == n_rows else "i")
    return ComparedHead(head.name, head.where, head.weights, head.layer.allowed, rows, columns)


def _axis(n_positions: int, tokens: "Tokens", sign: str = "t") -> Axis:
    """Return positions with their tokens, where there are as many."""
    return Axis(n_positions, tokens if len(tokens) == n_positions else (), sign=sign)


def of_effect(scene: Scene, what: str, right: Effect, wrong: Effect | None) -> OwnFigures:
    """Return how much ``what`` is done changes O at each position."""
    chart = AblatedOutput(
        seen_of_scene(scene),
        what,
        Axis(scene.n_positions, scene.tokens, scene.token_scheme),
        right.by_position,
        right.share,
        None if wrong is None else wrong.by_position,
    )
    return {"effectPlot": chart}


def of_importance(scene: Scene, name: str, found: Importance) -> OwnFigures:
    """Return how much what is read hangs on each head, and heads pruned in that order."""
    seen = seen_of_scene(scene)
    heads = [f"h{number} {head.name}" for number, head in enumerate(scene.heads, 1)]
    charts: OwnFigures = {
        "importanceTable": HeadImportance(
            seen, heads, name, found.value, found.predicted, found.ablated
        )
    }
    curves = found.error_by_gradient, found.error_by_ablation
    if any(np.isfinite(curve).any() for curve in curves):
        charts["pruningPlot"] = PrunedHeads(seen, name, *curves)
    return charts


def of_next_token(ran: "Ran") -> OwnFigures:
    """Return the probabilities before and after."""
    opened, tokens = ran.wanted.opened, list(ran.tokens)
    chart = NextTokens(
        Seen.of(opened.capture, opened.prompt),
        ran.what,
        ran.labels,
        ran.found.before[tokens],
        ran.found.after[tokens],
        ran.found.divergence_bits,
    )
    return {"nextTokenTable": chart}
