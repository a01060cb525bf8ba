"""The formulas from X to the weights: queries, keys, scores, gain, mask, softmax."""

# fmt: off

SIZES = (
    r"X \in \mathbb{R}^{T \times d_{\mathrm{model}}}" "\n"
    r"Q_h,\,K_h \in \mathbb{R}^{T \times d_k},\ V_h \in \mathbb{R}^{T \times d_v},\ h \leq H",
    "X ∈ ℝ^(T × d_model)\nQ_h, K_h ∈ ℝ^(T × d_k), V_h ∈ ℝ^(T × d_v), h ≤ H",
    "Sizes of a layer: T positions of width d_model, and H heads with queries and keys of "
    "width d_k and values of width d_v.",
    "Positions, features and heads", "whole numbers from 1",
)
INPUT = (
    r"X = [\,x_1;\ \ldots;\ x_T\,]", "X = [x_1; …; x_T]",
    "Input: row t is the token at position t, column j its feature j.",
    "Dimensionless", "T × d_model numbers",
)
QUERIES = (
    r"Q_h = X\,W_Q^h", "Q_h = X·W_Q^h",
    "Queries of head h: row t is what position t looks for. A designed head has them as its "
    "pattern wants them, without a W_Q.",
    "Dimensionless", "T × d_k numbers",
)
KEYS = (
    r"K_h = X\,W_K^h", "K_h = X·W_K^h",
    "Keys of head h: row i is what position i offers. A designed head has them as its "
    "pattern wants them, without a W_K.",
    "Dimensionless", "T × d_k numbers",
)
QUERIES_AND_KEYS = (
    r"Q_h = X\,W_Q^h,\quad K_h = X\,W_K^h", "Q_h = X·W_Q^h, K_h = X·W_K^h",
    "Queries and keys: what each position looks for, and what it offers.",
    "Dimensionless", "T × d_k numbers each",
)
VALUES = (
    r"V_h = X\,W_V^h", "V_h = X·W_V^h",
    "Values of head h: row i is what position i has to give.",
    "Dimensionless", "T × d_v numbers",
)
KEY_MAGNITUDE = (
    r"\Vert k_i \Vert = |K|", "‖k_i‖ = |K|",
    "Key magnitude: the length of designed keys. It acts as a gain does.",
    "Dimensionless", "from 0 to 1000; 3 in the lesson",
)
KEPT_MARGIN = (
    r"|Q|,\ |K|\ \ \mathrm{times}\ \ \sqrt{\dfrac{1 - \cos(2\pi / 6)}{1 - \cos(2\pi / T)}}",
    "|Q|, |K| times √((1 − cos 2π/6) / (1 − cos 2π/T))",
    "Kept margin: where positions are points on a circle, neighbours come closer as T "
    "grows. With longer queries and keys their scores differ by as much as at T = 6.",
    "Dimensionless", "1 at T = 6, more beyond",
)
PRODUCT = (
    r"q_t \cdot k_i = \sum_f\ Q[t, f]\,K[i, f]", "q_t·k_i = Σ_f Q[t,f]·K[i,f]",
    "Product of a query and a key: how well key i suits query t.",
    "Dimensionless", "any number",
)
SCORES = (
    r"S[t, i] = \dfrac{q_t \cdot k_i}{\sqrt{d_k}}", "S[t,i] = q_t·k_i / √d_k",
    "Score: how well key i suits query t. No gain changes it.",
    "Dimensionless", "any number",
)
GIVEN_SCORES = (
    r"S[t, i] = \ln A[t, i]", "S[t,i] = ln A[t,i]",
    "Score of a head of which the weights alone are given: their logarithm, which is S but for "
    "a constant in each row. Of a weight of 0, that of the smallest normal number.",
    "Dimensionless", "from −708.4 to 0",
)
MASTER_GAIN = (
    r"g = g_{\mathrm{master}}\,g_h", "g = g_master·g_h",
    "Master gain: a factor on the gains of all heads at once.",
    "Dimensionless", "any number; 1 leaves the gains as they are",
)
GAIN = (
    r"A_h = \mathrm{softmax}(g_{\mathrm{master}}\,g_h\,S_h)",
    "A_h = softmax(g_master·g_h·S_h)",
    "Gain of a head: a factor on its scores. The larger, the sharper the weights; 0 makes "
    "them uniform.",
    "Dimensionless", "any number; 1 is as designed",
)
GAINED_SCORES = (
    r"g\,S[t, i],\quad g = g_{\mathrm{master}}\,g_h", "g·S[t,i], g = g_master·g_h",
    "Score times the gain in force, which spreads or narrows them.",
    "Dimensionless", "any number",
)
ALIBI = (
    r"g\,S[t, i] - \mathrm{slope}_h\,|t - i|", "g·S[t,i] − slope_h·|t − i|",
    "ALiBi bias: what the slope of a head takes from a gained score for each position between "
    "query and key. No gain scales it: at gain 0 it acts alone.",
    "Dimensionless", "a slope from 0, which is no bias; from 2^(−8) to 1 in ALiBi",
)
SINK = (
    r"A[t, i] = \dfrac{e^{\,B[t, i]}}{e^{\,\mathrm{sink}_h} + \sum_{j \leq t}\ e^{\,B[t, j]}},"
    r"\quad B = g\,S - \mathrm{slope}_h\,|t - i|",
    "A[t,i] = exp(B[t,i]) / (exp(sink_h) + Σ_j≤t exp(B[t,j])), B = g·S − slope_h·|t − i|",
    "Sink logit: takes part in each softmax and is no key, so that rows sum to less than 1; what "
    "they lack is its share. Entropies are those of the weights over what they sum to. No gain "
    "scales it.",
    "Dimensionless", "any number; a sink of 0 weighs as much as a key of score 0",
)
MASK = (
    r"A[t, i] = 0\ \ \mathrm{for}\ \ i \notin M_t,"
    r"\quad M_t = \{1, \ldots, t\}\ \ \mathrm{if\ causal}",
    "A[t,i] = 0 for i ∉ M_t, M_t = 1..t if causal",
    "Mask: M_t are the keys that query t may see; the others get no weight, whatever their "
    "score. Under the causal mask no query sees a later key.",
    "True or false", "true where i ∈ M_t",
)
EXPONENTIAL = (
    r"e^{\,g S[t, i] - m_t},\quad m_t = \max_{j \leq t}\ g S[t, j]",
    "exp(g·S[t,i] − m_t), m_t = max over j ≤ t of g·S[t,j]",
    "Exponential of a score less the row's largest: so none overflows. j runs over the keys "
    "that t may see: those up to t under the causal mask.",
    "Dimensionless", "from 0 to 1, that of the row's largest score",
)
SOFTMAX = (
    r"A[t, i] = \dfrac{e^{\,g S[t, i] - m_t}}{\sum_{j \leq t}\ e^{\,g S[t, j] - m_t}},"
    r"\quad m_t = \max_{j \leq t}\ g S[t, j]",
    "A[t,i] = exp(g·S[t,i] − m_t) / Σ_j≤t exp(g·S[t,j] − m_t), m_t = max over j ≤ t of "
    "g·S[t,j]",
    "Softmax: each row of scores becomes shares of 1. m_t cancels; with it no exp "
    "overflows. j runs over the keys that t may see: those up to t under the causal mask. With a "
    "slope its bias is in g·S, and a sink logit is one more term of the sum.",
    "Dimensionless", "from 0 to 1",
)
WEIGHTS = (
    r"A[t, i] = \dfrac{e^{\,g S[t, i]}}{\sum_{j \leq t}\ e^{\,g S[t, j]}}",
    "A[t,i] = exp(g·S[t,i]) / Σ_j≤t exp(g·S[t,j])",
    "Weight: the share of key i in row t. Each row sums to 1 but for a sink.",
    "Dimensionless", "from 0 to 1; j ≤ t are the keys that t may see",
)
