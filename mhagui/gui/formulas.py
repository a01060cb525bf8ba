"""The formula of every quantity that the window shows, and in words what it is, its unit and range.

The formulas are drawn once, by ``make formulas``, into resources/formulas.
"""

import enum


class Formula(enum.Enum):
    """A quantity: its formula in TeX and in plain signs, what it is, its unit, and its range.

    Attributes
    ----------
    tex
        As matplotlib's mathtext reads it; a line break separates two formulas.
    text
        The same in plain signs, for where the drawing is missing.
    words
        What it is, in a sentence or two that name it first.
    unit, span
        Its unit, and from where to where it goes.
    """

    # fmt: off

    # --- from X to the weights

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
        "overflows. j runs over the keys that t may see: those up to t under the causal mask.",
        "Dimensionless", "from 0 to 1",
    )
    WEIGHTS = (
        r"A[t, i] = \dfrac{e^{\,g S[t, i]}}{\sum_{j \leq t}\ e^{\,g S[t, j]}}",
        "A[t,i] = exp(g·S[t,i]) / Σ_j≤t exp(g·S[t,j])",
        "Weight: the share of key i in row t. Each row sums to 1.",
        "Dimensionless", "from 0 to 1; j ≤ t are the keys that t may see",
    )

    # --- from the weights to O

    HEAD_OUTPUT = (
        r"O_h = A_h\,V_h", "O_h = A_h·V_h",
        "Output of a head: the values that row t sees, weighted by A.",
        "In the unit of V", "within the values that it mixes",
    )
    CONCAT = (
        r"\mathrm{Concat} = [\,O_1,\ \ldots,\ O_H\,]", "Concat = [O_1, …, O_H]",
        "Concat: the heads' outputs side by side, 0 where one is muted.",
        "In the unit of V", "T × H·d_v numbers",
    )
    OUTPUT_PROJECTION = (
        r"W_O = [\,W_O^{(1)};\ \ldots;\ W_O^{(H)}\,]", "W_O = [W_O^(1); …; W_O^(H)]",
        "Output projection: row h.k reads feature k of head h, column d_j writes output channel "
        "j. The rows of head h are its synthesis block W_O^(h).",
        "Dimensionless", "H·d_v × d_model numbers",
    )
    OUTPUT = (
        r"O = \mathrm{Concat} \cdot W_O", "O = Concat·W_O",
        "Output of the layer: rows are positions t, columns output channels. Where the layer has "
        "a bias b_O, that is added to every row.",
        "In the unit of V·W_O", "T × d_model numbers",
    )
    LISTENING = (
        r"\Vert W_O^{(h)}[:, j] \Vert_2", "‖W_O^(h)[:, j]‖",
        "Who listens to whom: how much output channel j takes from head h, by the norm of "
        "column j of its synthesis block.",
        "In the unit of W_O", "0 or more",
    )
    TERM = (
        r"A_h\,X\,W_V^h\,W_O^{(h)}", "A_h·X·W_V^h·W_O^(h)",
        "Term of the filter bank: what head h adds to O; zero where it is muted.",
        "In the unit of O", "T × d_model numbers",
    )
    TERM_NORM = (
        r"\Vert M \Vert = \sqrt{\sum_{t,\,j}\ M[t, j]^2},\quad M = A_h\,X\,W_V^h\,W_O^{(h)}",
        "‖M‖ = √(Σ M[t,j]²), M = A_h·X·W_V^h·W_O^(h)",
        "Norm of a term: how much the head adds to O in all.",
        "In the unit of O", "0 or more",
    )
    RUNNING_SUM = (
        r"\sum_{j \leq h}\ A_j\,X\,W_V^j\,W_O^{(j)}", "Σ_j≤h A_j·X·W_V^j·W_O^(j)",
        "Running sum: what all heads up to this one add to O.",
        "In the unit of O", "T × d_model numbers",
    )
    FILTER_BANK = (
        r"\sum_h\ A_h\,X\,W_V^h\,W_O^{(h)} = \mathrm{Concat} \cdot W_O",
        "Σ_h A_h·X·W_V^h·W_O^(h) = Concat·W_O",
        "Filter bank: O as the sum of what each head adds, term by term.",
        "In the unit of O", "T × d_model numbers",
    )
    RESIDUAL = (
        r"\max\, |\,\mathrm{Concat} \cdot W_O - \sum_h\ A_h\,X\,W_V^h\,W_O^{(h)}\,| \leq b"
        "\n"
        r"b = 2\,(T + d_{\mathrm{model}} + H d_v)\,\varepsilon\ \max\, |X| \sum_h\ "
        r"|W_V^h|\,|W_O^{(h)}|",
        "max |Concat·W_O − Σ_h A_h·X·W_V^h·W_O^(h)| ≤ b\n"
        "b = 2·(T + d_model + H·d_v)·ε · max |X|·Σ_h |W_V^h|·|W_O^(h)|",
        "Filter-bank residual: both ways to O are computed, and only rounding can tell them "
        "apart. The bound b is the most that rounding can make of it, whatever the gains.",
        "In the unit of O", "from 0 to b",
    )
    ABLATED = (
        r"\sum_{j \neq h}\ A_j\,X\,W_V^j\,W_O^{(j)}", "Σ_j≠h A_j·X·W_V^j·W_O^(j)",
        "Ablation before W_O, the right site: O without the term of head h. The other heads' "
        "outputs are as they stand.",
        "In the unit of O", "T × d_model numbers",
    )
    WRONG_SITE = (
        r"O[:, j] = 0\ \ \mathrm{for}\ \ j = (h - 1)\,d_v + 1,\ \ldots,\ h\,d_v",
        "O[:, j] = 0 for j = (h − 1)·d_v + 1, …, h·d_v",
        "Ablation after W_O, the wrong site: W_O has mixed the heads by then, so that the columns "
        "of O which are numbered as the head's columns of Concat are not the head's.",
        "In the unit of O", "T × d_model numbers",
    )
    SITE_DIFFERENCE = (
        r"O_{\mathrm{right}} - O_{\mathrm{wrong}}", "O_right − O_wrong",
        "Right − wrong: what ablating at the wrong site makes of O; 0 everywhere if W_O = I.",
        "In the unit of O", "T × d_model numbers",
    )
    PACKED_QUERIES = (
        r"W_Q = [\,W_Q^1,\ \ldots,\ W_Q^H\,]", "W_Q = [W_Q^1, …, W_Q^H]",
        "Packed W_Q: rows are input features, columns h.k feature k of the queries of head h.",
        "Dimensionless", "d_model × H·d_k numbers",
    )
    PACKED_KEYS = (
        r"W_K = [\,W_K^1,\ \ldots,\ W_K^H\,]", "W_K = [W_K^1, …, W_K^H]",
        "Packed W_K: rows are input features, columns h.k feature k of the keys of head h.",
        "Dimensionless", "d_model × H·d_k numbers",
    )
    PACKED_VALUES = (
        r"W_V = [\,W_V^1,\ \ldots,\ W_V^H\,]", "W_V = [W_V^1, …, W_V^H]",
        "Packed W_V: rows are input features, columns h.k feature k of the values of head h.",
        "Dimensionless", "d_model × H·d_v numbers",
    )
    ALL_QUERIES = (
        r"Q_{\mathrm{all}} = X\,W_Q = [\,Q_1,\ \ldots,\ Q_H\,]",
        "Q_all = X·W_Q = [Q_1, …, Q_H]",
        "Queries of all heads in one product: the columns h.k are those of head h.",
        "Dimensionless", "T × H·d_k numbers",
    )
    ALL_KEYS = (
        r"K_{\mathrm{all}} = X\,W_K = [\,K_1,\ \ldots,\ K_H\,]",
        "K_all = X·W_K = [K_1, …, K_H]",
        "Keys of all heads in one product: the columns h.k are those of head h.",
        "Dimensionless", "T × H·d_k numbers",
    )
    ALL_VALUES = (
        r"V_{\mathrm{all}} = X\,W_V = [\,V_1,\ \ldots,\ V_H\,]",
        "V_all = X·W_V = [V_1, …, V_H]",
        "Values of all heads in one product: the columns h.k are those of head h.",
        "Dimensionless", "T × H·d_v numbers",
    )
    PACKED_ERROR = (
        r"\max\, |\,Q_{\mathrm{all}}[:, \mathrm{slice}\ h] - Q_h\,|",
        "max |Q_all[:, slice h] − Q_h|",
        "Error of packing, and so for K and V: one product packs the heads, and only rounding "
        "can tell its columns from each head's own.",
        "Dimensionless", "0 or more, near 0 where there is but rounding",
    )

    # --- information

    ROW_ENTROPY = (
        r"H_t = -\sum_i\ A[t, i]\,\log_2 A[t, i]", "H_t = −Σ_i A[t,i]·log2 A[t,i]",
        "Row entropy: how far row t of A spreads over the keys it may see.",
        "Bits", "from 0 (one key has it all) to log2 n_t (all n_t alike); n_t = t if causal",
    )
    CEILING = (
        r"\max H_t = \log_2 n_t,\quad n_t = t\ \ \mathrm{if\ causal}",
        "max H_t = log2 n_t, n_t = t if causal",
        "Ceiling of the row entropy: row t may see n_t keys, t of them under the causal mask, and "
        "reaches it when their weights are all alike.",
        "Bits", "from 0 to log2 T; undefined where a row sees no key",
    )
    MEAN_ENTROPY = (
        r"\dfrac{1}{T}\,\sum_t\ H_t", "(1/T)·Σ_t H_t",
        "Mean entropy: the mean of the row entropy over the query rows that see a key.",
        "Bits", "from 0 to the mean of log2 n_t, n_t the keys that t may see",
    )
    EFFECTIVE_POSITIONS = (
        r"2^{\,H_t},\quad H_t = -\sum_i\ A[t, i]\,\log_2 A[t, i]",
        "2^H_t, H_t = −Σ_i A[t,i]·log2 A[t,i]",
        "Row entropy, and effective positions: as many keys of equal weight would spread a row "
        "as far as row t of A spreads.",
        "Bits and positions",
        "from 0 and 1 (one key has it all) to log2 n_t and n_t (all n_t alike); n_t = t if causal",
    )
    MEAN_POSITIONS = (
        r"\dfrac{1}{T}\,\sum_t\ 2^{\,H_t}", "(1/T)·Σ_t 2^H_t",
        "Effective positions: the mean of 2^H over the query rows that see a key, H the row "
        "entropy in bits.",
        "Positions", "from 1 to the mean number of keys seen: (T + 1)/2 if causal",
    )
    DIVERGENCE = (
        r"\mathrm{JS}(p, q) = H(m) - \dfrac{H(p) + H(q)}{2},\quad m = \dfrac{p + q}{2}",
        "JS(p, q) = H(m) − (H(p) + H(q))/2, m = (p + q)/2",
        "Jensen–Shannon divergence of the rows p, q of two heads' A, mean over the rows: how "
        "differently they look.",
        "Bits", "from 0 (they look alike) to 1 (they share no key)",
    )
    SOURCE = (
        r"P[r, s] = P(X_{t+1} = s\ |\ X_t = r)", "P[r, s] = P(Xₜ₊₁ = s | Xₜ = r)",
        "Transition matrix of the source: how likely symbol s follows symbol r.",
        "Probability", "from 0 to 1, each row summing to 1",
    )
    COPY_LAG = (
        r"X_{t+1} = X_{t+1-k}", "Xₜ₊₁ = Xₜ₊₁₋ₖ",
        "Lag of the copy: the next token is the one k back from it.",
        "Positions", "a whole number from 1 to 16",
    )
    OBSERVED = (
        r"o_t^{(h)} = \sum_i\ A_h[t, i]\ e(X_i)", "oₜ^(h) = Σ_i A_h[t,i]·e(Xᵢ)",
        "What is observed of a head: the weight on each symbol, e the one-hot vector of a "
        "token, rounded to the resolution.",
        "Dimensionless", "resolution from 0 (exact, to 12 decimals) to 1",
    )
    INFORMATION = (
        r"I(X_{t+1};\,o_t) = \sum_{x,\,o}\ p(x, o)\,\log_2 \dfrac{p(x, o)}{p(x)\,p(o)}",
        "I(Xₜ₊₁; oₜ) = Σ p(x, o)·log2 (p(x, o) / (p(x)·p(o)))",
        "Mutual information: what the output of a head tells of the next token.",
        "Bits", "from 0 to log2 S, S the number of symbols",
    )
    WHOLE_PAST = (
        r"I(X_{t+1};\,X_1, \ldots, X_t)", "I(Xₜ₊₁; X₁..Xₜ)",
        "What the whole past tells of the next token: no head can tell more.",
        "Bits", "from 0 to log2 S, S the number of symbols",
    )
    JOINT_INFORMATION = (
        r"I_{ab} = I(X_{t+1};\,o_t^{(a)}, o_t^{(b)})", "I_ab = I(Xₜ₊₁; oₜ^(a), oₜ^(b))",
        "Joint information: what the outputs of two heads tell of the next token when seen "
        "together.",
        "Bits", "from the larger of I_a and I_b to log2 S",
    )
    REDUNDANCY = (
        r"I_a + I_b - I_{ab}", "I_a + I_b − I_ab",
        "Redundancy less synergy. Above 0: part of what the heads tell both tell. Below 0: "
        "together they tell more than one by one. 0: they add, or the two weigh the same.",
        "Bits", "from −log2 S to log2 S",
    )
    GUESS = (
        r"\mathrm{arg\,max}_w\ O[t, w]", "arg max_w O[t, w]",
        "Guess of what comes next after row t: the word whose column of O is the largest, and "
        "that number. Nothing where two words are equal.",
        "In the unit of O", "any number",
    )

    # --- ranks

    SCORE_RANK = (
        r"\mathrm{rank}(Q_h K_h^\top) \leq d_k", "rank(Q_h·K_hᵀ) ≤ d_k",
        "Score rank: how many singular values of Q·Kᵀ are more than rounding. No gain changes "
        "it.",
        "Dimensionless", "a whole number from 0 to d_k",
    )
    SCORE_SINGULAR_VALUES = (
        r"Q_h K_h^\top = \sum_k\ \sigma_k\,u_k v_k^\top", "Q_h·K_hᵀ = Σ_k σ_k·u_k·v_kᵀ",
        "Singular values of Q·Kᵀ, without 1/√d_k and without the gain: how much each of its "
        "patterns weighs.",
        "Dimensionless", "0 or more, largest first",
    )
    SINGULAR_VALUES = (
        r"A_h = \sum_k\ \sigma_k\,u_k v_k^\top", "A_h = Σ_k σ_k·u_k·v_kᵀ",
        "Singular values σ_k of a head's weights A: how much each of its patterns weighs.",
        "Dimensionless", "from 0 to √T, largest first",
    )
    EFFECTIVE_RANK = (
        r"\exp\left(-\sum_k\ p_k\,\ln p_k\right),\quad p_k = \dfrac{\sigma_k}{\sum_j\ \sigma_j}",
        "exp(−Σ_k p_k·ln p_k), p_k = σ_k / Σ_j σ_j",
        "Effective rank of the weights A (Roy & Vetterli 2007), σ their singular values. A gain "
        "does change it.",
        "Dimensionless", "from 1 (every row is the same pattern) to T (none is)",
    )

    # --- row t as a filter

    IMPULSE_RESPONSE = (
        r"h_t(\tau) = A[t,\ t - \tau],\quad o_t = \sum_\tau\ h_t(\tau)\,v_{t - \tau}",
        "h_t(τ) = A[t, t − τ], o_t = Σ_τ h_t(τ)·v_(t−τ)",
        "Impulse response at t: row t of A, read as the taps of a filter over the lag t − i.",
        "Dimensionless", "from 0 to 1, summing to 1",
    )
    IDEAL_TAPS = (
        r"a_t = \lim_{g \to \infty} A[t, :]", "a_t = lim g → ∞ of A[t,:]",
        "Ideal filter: the taps that row t approaches as the gain of the head grows.",
        "Dimensionless", "from 0 to 1, summing to 1",
    )
    TOTAL_VARIATION = (
        r"\mathrm{TV} = \dfrac{1}{2}\,\sum_i\ |\,A[t, i] - a_t[i]\,|",
        "TV = ½·Σ_i |A[t,i] − a_t[i]|",
        "Total-variation distance of row t to the ideal filter a_t.",
        "Dimensionless", "from 0 (the filter itself) to 1 (no tap in common)",
    )
    FREQUENCY_RESPONSE = (
        r"|H_t(\omega)|,\quad H_t(\omega) = \sum_\tau\ h_t(\tau)\,e^{-j \omega \tau}",
        "|H_t(ω)|, H_t(ω) = Σ_τ h_t(τ)·exp(−jωτ)",
        "Magnitude of the frequency response: what row t leaves of a wave of frequency ω.",
        "Dimensionless", "from 0 to 1, its value at ω = 0",
    )
    GROUP_DELAY = (
        r"-\,\dfrac{d\,\arg H_t(\omega)}{d \omega}", "−d arg H_t(ω) / dω",
        "Group delay: by how much a slow envelope at ω comes out later. There is none at a null "
        "of |H|.",
        "Positions", "any number; t − 1 for a hold, k for a delay by k",
    )

    # --- cost

    PROJECTION_COST = (
        r"T\,d_{\mathrm{model}}\,H\,(2 d_k + d_v)", "T·d_model·H·(2·d_k + d_v)",
        "Cost of X·W_Q, X·W_K and X·W_V. It grows with T.",
        "Multiply–adds", "a whole number",
    )
    LINEAR_COST = (
        r"2\,T\,d_{\mathrm{model}}\,H\,(d_k + d_v)", "2·T·d_model·H·(d_k + d_v)",
        "Cost of all projections, W_O among them. It grows with T.",
        "Multiply–adds", "a whole number",
    )
    SCORE_COST = (
        r"T^2 H\,d_k", "T²·H·d_k",
        "Cost of Q·Kᵀ of all heads, masked cells too. It grows with T².",
        "Multiply–adds", "a whole number",
    )
    EXPONENTIALS = (
        r"H\,T^2", "H·T²",
        "Exponentials of the softmax of all heads, counted apart: they are no multiply–adds.",
        "Exponentials", "a whole number",
    )
    MIX_COST = (
        r"T^2 H\,d_v", "T²·H·d_v",
        "Cost of A·V of all heads, masked cells too. It grows with T².",
        "Multiply–adds", "a whole number",
    )
    QUADRATIC_COST = (
        r"T^2 H\,(d_k + d_v)", "T²·H·(d_k + d_v)",
        "Cost of Q·Kᵀ and A·V of all heads, masked cells too. It grows with T².",
        "Multiply–adds", "a whole number",
    )
    OUTPUT_COST = (
        r"T\,H\,d_v\,d_{\mathrm{model}}", "T·H·d_v·d_model",
        "Cost of Concat·W_O. It grows with T.",
        "Multiply–adds", "a whole number",
    )
    TOTAL_COST = (
        r"H\,(d_k + d_v)\,(2\,T\,d_{\mathrm{model}} + T^2)",
        "H·(d_k + d_v)·(2·T·d_model + T²)",
        "All multiply–adds of the layer, without the exponentials.",
        "Multiply–adds", "a whole number",
    )
    FLOPS = (
        r"2 \cdot \mathrm{multiply}\!-\!\mathrm{adds}", "2 · multiply–adds",
        "Floating-point operations: a multiply–add counts two.",
        "FLOPs", "a whole number",
    )
    SCORE_FLOPS = (
        r"2\,T^2 H\,d_k", "2·T²·H·d_k",
        "Floating-point operations of all scores, masked cells too. One head of width H·d_k "
        "costs the same.",
        "FLOPs", "a whole number",
    )
    OVERTAKING = (
        r"T^* = 2\,d_{\mathrm{model}}", "T* = 2·d_model",
        "Where T² overtakes: beyond T* scores and A·V cost more than the projections, whatever "
        "H, d_k and d_v.",
        "Positions", "a whole number",
    )
    QUERY_PARAMETERS = (
        r"d_{\mathrm{model}}\,H\,d_k", "d_model·H·d_k",
        "Parameters of W_Q, and as many of W_K.",
        "Numbers", "a whole number",
    )
    VALUE_PARAMETERS = (
        r"d_{\mathrm{model}}\,H\,d_v", "d_model·H·d_v",
        "Parameters of W_V, and as many of W_O.",
        "Numbers", "a whole number",
    )
    PARAMETERS = (
        r"2\,d_{\mathrm{model}}\,H\,(d_k + d_v)", "2·d_model·H·(d_k + d_v)",
        "Parameters of W_Q, W_K, W_V and W_O: 4·d_model² where d_k = d_v = d_model/H.",
        "Numbers", "a whole number",
    )
    WEIGHT_COUNT = (
        r"H\,T^2", "H·T²",
        "Weights A of all heads, masked cells too: what there is to hold.",
        "Numbers", "a whole number",
    )
    CACHE = (
        r"T\,H\,(d_k + d_v)", "T·H·(d_k + d_v)",
        "KV cache: K and V of all heads, kept for the next position.",
        "Numbers", "a whole number",
    )
    MEMORY = (
        r"\mathrm{numbers} \times \mathrm{bytes\ each}", "numbers × bytes each",
        "Memory: how much room so many numbers take.",
        "Bytes", "8 to a float64, 4 to a float32, 2 to a float16; 1 KiB is 1,024",
    )
    # fmt: on

    def __init__(self, tex: str, text: str, words: str, unit: str, span: str) -> None:
        self.tex = tex
        self.text = text
        self.words = words
        self.unit = unit
        self.span = span

    @property
    def sentences(self) -> str:
        """What it is, and on a line of its own its unit and range."""
        return f"{self.words}\n{self.unit}; {self.span}."

    @property
    def file(self) -> str:
        """The name of its drawing in resources/formulas."""
        return f"{self.name.lower().replace('_', '-')}.svg"
