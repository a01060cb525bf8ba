"""The mathematics of multi-head attention: NumPy only, no state, no files, no screen.

Conventions of every function here: rows are queries, columns are keys; positions are
0-based; arrays may carry leading axes (batch, heads); float32 stays float32 and any other
real dtype becomes float64; inputs are never modified; what does not fit raises ValueError
with one sentence that names the argument.
"""

from mhagui.core.attention import (
    attention_scores,
    attention_weights,
    causal_mask,
    weights_from_scores,
)
from mhagui.core.cost import ParameterCount, parameter_count, score_flops
from mhagui.core.designed import (
    first_token_head,
    previous_token_head,
    self_head,
    uniform_head,
)
from mhagui.core.display import pool_largest_magnitude, pool_maximum, quantise
from mhagui.core.entropy import effective_positions, row_entropy_bits
from mhagui.core.filter_bank import (
    concat_heads,
    filter_bank_bound,
    filter_bank_residual,
    filter_bank_terms,
    head_contributions,
    synthesis_norms,
)
from mhagui.core.rank import (
    effective_rank,
    effective_rank_from_singular_values,
    score_rank,
    score_singular_values,
    singular_values,
)

__all__ = [
    "ParameterCount",
    "attention_scores",
    "attention_weights",
    "causal_mask",
    "concat_heads",
    "effective_positions",
    "effective_rank",
    "effective_rank_from_singular_values",
    "filter_bank_bound",
    "filter_bank_residual",
    "filter_bank_terms",
    "first_token_head",
    "head_contributions",
    "parameter_count",
    "pool_largest_magnitude",
    "pool_maximum",
    "previous_token_head",
    "quantise",
    "row_entropy_bits",
    "score_flops",
    "score_rank",
    "score_singular_values",
    "self_head",
    "singular_values",
    "synthesis_norms",
    "uniform_head",
    "weights_from_scores",
]
