"""What is not known of a scene, and so cannot be shown: a sentence for each."""

from typing import Literal, Protocol

from mhagui.document.mask_rule import MaskRule
from mhagui.document.response import why_no_filters

# X, W_V and W_O; Q and K of every head; rows that are causal filters.
Need = Literal["values", "queries", "filters"]


class Facts(Protocol):
    """What scenes and results say of themselves."""

    @property
    def has_values(self) -> bool:
        """Whether X, W_V and W_O are known."""

    @property
    def has_queries(self) -> bool:
        """Whether queries and keys of all heads are known."""

    @property
    def mask(self) -> MaskRule:
        """Which keys a query may see."""


def why_unknown(needs: tuple[Need, ...], of: Facts) -> str:
    """Return the sentence that says which of ``needs`` is not known; empty where all are."""
    if "values" in needs and not of.has_values:
        return "This scene has no values: what W_O makes of these heads is not known."
    if "queries" in needs and not of.has_queries:
        return "This scene has weights alone: the queries and keys behind them are not known."
    return why_no_filters(of.mask) if "filters" in needs else ""
