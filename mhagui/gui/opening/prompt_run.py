"""What the model dialog works out in threads: tokens of a prompt, and a run. No Qt here."""

from dataclasses import dataclass

from mhagui.document.capture import Capture
from mhagui.document.patterns import MAX_POSITIONS
from mhagui.document.scene import check_numbers
from mhagui.errors import UserError
from mhagui.gui.watch import Watch
from mhagui.models import Model, ModelFacts, Tokens

_BYTES = 4  # of a number, float32


@dataclass(frozen=True)
class Count:
    """The tokens of a prompt, or the sentence that says why it cannot be run on.

    ``warning`` says why no layer of such a run can be on the bench; scores of its heads still can.
    """

    prompt: str
    tokens: Tokens | None = None
    why_not: str = ""
    warning: str = ""


def most_tokens(facts: ModelFacts) -> int:
    """Return how long a prompt may be: as the model reads, and as the bench holds."""
    return min(facts.context, MAX_POSITIONS)


def count_tokens(model: Model, prompt: str) -> Count:
    """Return the tokens of ``prompt``, and why it cannot be run where it cannot."""
    try:
        tokens = model.tokens(prompt)
    except UserError as error:
        return Count(prompt, why_not=str(error))
    most, n_tokens = most_tokens(model.facts), len(tokens.ids)
    if n_tokens <= most:
        return Count(prompt, tokens, warning=_why_not_on_bench(model.facts, n_tokens))
    return Count(
        prompt,
        tokens,
        f"These are {n_tokens:,} tokens, and the bench holds {most:,}: take a shorter prompt.",
    )


def _why_not_on_bench(facts: ModelFacts, n_tokens: int) -> str:
    """Return why a layer cannot be on the bench as a scene; empty where it can."""
    heads, d_head, d_model = facts.n_heads, facts.d_head, facts.d_model
    n_numbers = n_tokens * d_model + 2 * heads * d_head * (n_tokens + d_model)
    try:
        check_numbers(n_numbers, n_tokens, heads, d_head, d_head, d_model)
    except UserError as error:
        return f"No layer can be on the bench. {error}"
    return ""


def kept_bytes(facts: ModelFacts, n_tokens: int) -> int:
    """Return how much memory the X, Q, K and V of all layers take."""
    of_token = facts.d_model + facts.d_head * (facts.n_heads + 2 * facts.n_key_heads)
    return facts.n_layers * n_tokens * of_token * _BYTES


def run(model: Model, ids: tuple[int, ...], watch: Watch) -> Capture:
    """Return what ``model`` makes of the tokens ``ids``, all layers; ends where ``watch`` does.

    Raises UserError where the model cannot be run on them.
    """
    return model.run(ids, before_layer=watch).capture()
