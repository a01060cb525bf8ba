"""The mathematics of multi-head attention: NumPy only, no state, no files, no screen.

Conventions of every function here: rows are queries, columns are keys; positions are
0-based; arrays may carry leading axes (batch, heads); float32 stays float32 and any other
real dtype becomes float64; inputs are never modified; what does not fit raises ValueError
with one sentence that names the argument.
"""

from mhagui.core.ablation import (
    mean_ablation,
    uniform_weights,
    without_edge,
    zero_ablation,
)
from mhagui.core.attention import (
    attention_scores,
    attention_weights,
    causal_mask,
    softmax_exponents,
    weights_from_scores,
)
from mhagui.core.biased import BiasedWeights, biased_weights
from mhagui.core.cost import (
    ParameterCount,
    StageCosts,
    overtaking_length,
    parameter_count,
    score_flops,
    stage_costs,
)
from mhagui.core.designed import (
    block_local_head,
    delay_head,
    first_token_head,
    margin_factor,
    previous_token_head,
    recency_head,
    self_head,
    two_position_head,
    uniform_head,
)
from mhagui.core.display import pool_extremes, pool_largest_magnitude, pool_maximum, quantise
from mhagui.core.divergence import jensen_shannon_bits
from mhagui.core.entropy import effective_positions, row_entropy_bits
from mhagui.core.filter_bank import (
    concat_heads,
    filter_bank_bound,
    filter_bank_residual,
    filter_bank_terms,
    frobenius_norms,
    head_contributions,
    synthesis_bound,
    synthesis_norms,
    zero_head_columns,
)
from mhagui.core.grouped import grouped_weights, key_head
from mhagui.core.importance import ablation_importance, gradient_importance
from mhagui.core.information import (
    MOST_SEQUENCES,
    MOST_TOKENS,
    Labels,
    Tokens,
    enumerate_tokens,
    information_bits,
    joint_labels,
    mutual_information_bits,
    observed_labels,
)
from mhagui.core.kernels import (
    weighted_sums,
    weights_and_entropies,
    weights_and_entropies_from_scores,
)
from mhagui.core.kernels_statistics import (
    AttentionStatistics,
    attention_statistics,
    weights_block,
)
from mhagui.core.masks import (
    alibi_bias,
    alibi_slopes,
    allowed_counts,
    padding_mask,
    prefix_mask,
    sliding_window_mask,
    weights_with_sinks,
)
from mhagui.core.patterns import (
    HEAD_PATTERNS,
    pattern_targets,
)
from mhagui.core.rank import (
    effective_rank,
    effective_rank_from_singular_values,
    score_rank,
    score_singular_values,
    singular_values,
)
from mhagui.core.response import frequency_response, group_delay, total_variation
from mhagui.core.scorecard import (
    LEAST_CORRECTED,
    LEAST_ROWS,
    LEAST_UNIFORMITY,
    SCORES,
    HeadScores,
    HeadScoring,
    Score,
    head_scores,
    readable_rows,
)
from mhagui.core.target import (
    LARGEST_TARGET,
    TARGET_TOLERANCE,
    TargetFit,
    queries_and_keys_for,
)
from mhagui.core.words import merged_weights

__all__ = [
    "HEAD_PATTERNS",
    "LARGEST_TARGET",
    "LEAST_CORRECTED",
    "LEAST_ROWS",
    "LEAST_UNIFORMITY",
    "MOST_SEQUENCES",
    "MOST_TOKENS",
    "SCORES",
    "TARGET_TOLERANCE",
    "AttentionStatistics",
    "BiasedWeights",
    "HeadScores",
    "HeadScoring",
    "Labels",
    "ParameterCount",
    "Score",
    "StageCosts",
    "TargetFit",
    "Tokens",
    "ablation_importance",
    "alibi_bias",
    "alibi_slopes",
    "allowed_counts",
    "attention_scores",
    "attention_statistics",
    "attention_weights",
    "biased_weights",
    "block_local_head",
    "causal_mask",
    "concat_heads",
    "delay_head",
    "effective_positions",
    "effective_rank",
    "effective_rank_from_singular_values",
    "enumerate_tokens",
    "filter_bank_bound",
    "filter_bank_residual",
    "filter_bank_terms",
    "first_token_head",
    "frequency_response",
    "frobenius_norms",
    "gradient_importance",
    "group_delay",
    "grouped_weights",
    "head_contributions",
    "head_scores",
    "information_bits",
    "jensen_shannon_bits",
    "joint_labels",
    "key_head",
    "margin_factor",
    "mean_ablation",
    "merged_weights",
    "mutual_information_bits",
    "observed_labels",
    "overtaking_length",
    "padding_mask",
    "parameter_count",
    "pattern_targets",
    "pool_extremes",
    "pool_largest_magnitude",
    "pool_maximum",
    "prefix_mask",
    "previous_token_head",
    "quantise",
    "queries_and_keys_for",
    "readable_rows",
    "recency_head",
    "row_entropy_bits",
    "score_flops",
    "score_rank",
    "score_singular_values",
    "self_head",
    "singular_values",
    "sliding_window_mask",
    "softmax_exponents",
    "stage_costs",
    "synthesis_bound",
    "synthesis_norms",
    "total_variation",
    "two_position_head",
    "uniform_head",
    "uniform_weights",
    "weighted_sums",
    "weights_and_entropies",
    "weights_and_entropies_from_scores",
    "weights_block",
    "weights_from_scores",
    "weights_with_sinks",
    "without_edge",
    "zero_ablation",
    "zero_head_columns",
]
