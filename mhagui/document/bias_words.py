"""What stands beside the scores of heads in their softmax, in a sentence or two."""

from collections.abc import Sequence

from mhagui.document.head_result import HeadResult
from mhagui.formats import short


def bias_words(heads: Sequence[HeadResult], first: int = 1) -> str:
    """Return the slopes and sinks of ``heads``, which are numbered from ``first``; "" of none.

    For instance "ALiBi slopes: h1 0.25, h2 0.0625. Sink logits: h2 1.5; they take part of each row,
    and entropies are those of the rest over its sum."
    """
    numbered = list(enumerate((head.head for head in heads), first))
    slopes = [f"h{number} {short(head.slope)}" for number, head in numbered if head.slope]
    sinks = [f"h{number} {short(head.sink)}" for number, head in numbered if head.sink is not None]
    told = []
    if slopes:
        told.append(f"ALiBi slopes: {', '.join(slopes)}.")
    if sinks:
        told.append(
            f"Sink logits: {', '.join(sinks)}; they take part of each row, and entropies are those "
            "of the rest over its sum."
        )
    return " ".join(told)
