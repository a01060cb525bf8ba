"""What ablating heads of a model does to the probabilities of the next token."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mhagui.core.threads import one_blas_thread
from mhagui.document.capture import CapturedLayer
from mhagui.document.captured_ablation import Ablation, ablated_outputs
from mhagui.models.forward import BeforeLayer
from mhagui.models.model import Model
from mhagui.models.tensor_file import Floats32

Doubles = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class NextTokens:
    """Probabilities of the token after the prompt, of all of the vocabulary, (V,).

    Attributes
    ----------
    before
        Of the model as it is.
    after
        Of the model with heads ablated.
    """

    before: Doubles
    after: Doubles

    def top(self, count: int) -> list[int]:
        """Return the numbers of the ``count`` likeliest tokens, before and after.

        Those likeliest before come first, by what they were; tokens of the same probability by
        their numbers.
        """
        first = _likeliest(self.before, count)
        return first + [token for token in _likeliest(self.after, count) if token not in first]

    @property
    def divergence_bits(self) -> float:
        """Kullback–Leibler divergence of ``after`` from ``before``, bits, 0 or more."""
        known = self.before > 0
        with np.errstate(divide="ignore"):
            logs = np.log2(self.before[known]) - np.log2(self.after[known])
        return max(float(self.before[known] @ logs), 0.0)


def next_probabilities(
    model: Model,
    ids: Sequence[int],
    layer: CapturedLayer | None = None,
    ablations: Sequence[Ablation] = (),
    before_layer: BeforeLayer | None = None,
) -> Doubles:
    """Return the probabilities of the token that follows ``ids``, (V,).

    Parameters
    ----------
    model, ids
        The model, and the tokens of the prompt.
    layer, ablations
        What its run captured of the layer whose heads are ablated, each another; none without.
    before_layer
        Called with the number of each layer before it is worked out; what it raises ends the run.

    Raises
    ------
    UserError
        As ``Model.run`` and ``Run.logits``, and where an ablation cannot be done.
    """

    def edit(number: int, outputs: Floats32) -> Floats32:
        if layer is not None and number == layer.number:
            for ablation in ablations:
                outputs = ablated_outputs(layer, ablation, outputs).astype(np.float32, copy=False)
        return outputs

    # Two threads of BLAS wait for one another wherever something else is at work.
    with one_blas_thread():
        run = model.run(ids, layers=(), before_layer=before_layer, edit=edit)
        logits = run.logits(slice(-1, None))[0].astype(np.float64)
    shares = np.exp(logits - logits.max())
    probabilities: Doubles = shares / shares.sum()
    return probabilities


def _likeliest(probabilities: Doubles, count: int) -> list[int]:
    order: list[int] = np.argsort(-probabilities, kind="stable")[:count].tolist()
    return order
