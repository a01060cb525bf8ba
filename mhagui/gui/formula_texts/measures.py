"""The formulas of what is measured of heads: information, ranks, row t as a filter, scores."""

# fmt: off

# --- information

ROW_ENTROPY = (
    r"H_t = -\sum_i\ A[t, i]\,\log_2 A[t, i]", "H_t = −Σ_i A[t,i]·log2 A[t,i]",
    "Row entropy: how far row t of A spreads over the keys it may see. Beside a sink, of the row's "
    "weights over their sum.",
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
    "as far as row t of A spreads. Beside a sink, of the row's weights over their sum.",
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

# --- the scorecard

PATTERN_SCORE = (
    r"s = \dfrac{1}{|R|}\,\sum_{t \in R}\ \sum_{i \in P_t}\ A[t, i],\quad "
    r"R = \{\,t : P_t \neq \emptyset\,\}",
    "s = (1/|R|)·Σ_t∈R Σ_i∈P_t A[t,i], R the rows with a key in P_t",
    "Pattern score: the mean weight on the keys P_t of a pattern: the token before, the first "
    "one, the query's own, or those of a token that was seen before. Rows without such a key do "
    "not count.",
    "Dimensionless", "from 0 (never there) to 1 (nowhere else)",
)
CHANCE_CORRECTED = (
    r"\dfrac{s - c}{1 - c},\quad c = s(A_{\mathrm{uniform}})",
    "(s − c) / (1 − c), c = s of uniform weights",
    "Score above chance: c is what a head has whose weights are all alike under the same mask. "
    "From 0.5 on a head is called by the pattern.",
    "Dimensionless", "0 at chance, 1 for a perfect head; below 0 for less than chance",
)
UNIFORMITY = (
    r"\dfrac{1}{|R|}\,\sum_{t \in R}\ \dfrac{2^{\,H_t} - 1}{n_t - 1},\quad R = \{\,t : n_t > 1\,\}",
    "(1/|R|)·Σ_t∈R (2^H_t − 1) / (n_t − 1), R the rows with n_t > 1",
    "Uniformity: how much of the n_t keys that row t may see it blends, mean over the rows that "
    "have a choice. From 0.9 on a head is called uniform.",
    "Dimensionless", "from 0 (one key has it all) to 1 (all n_t alike)",
)
CONFIDENCE = (
    r"\dfrac{1}{T}\,\sum_t\ \max_i\ A[t, i]", "(1/T)·Σ_t max_i A[t,i]",
    "Confidence: the largest weight of a row, mean over the query rows that see a key.",
    "Dimensionless", "from chance (all keys alike) to 1 (one key has it all)",
)
MEAN_DISTANCE = (
    r"\bar{d} = \dfrac{1}{T}\,\sum_t\ \sum_i\ A[t, i]\,|t - i|",
    "d = (1/T)·Σ_t Σ_i A[t,i]·|t − i|",
    "Mean distance: how far from the query the weight lies on average.",
    "Positions", "from 0 (the query's own position) to T − 1",
)
DISTANCE_VARIANCE = (
    r"\dfrac{1}{T}\,\sum_t\ \sum_i\ A[t, i]\,(|t - i| - \bar{d}\,)^2",
    "(1/T)·Σ_t Σ_i A[t,i]·(|t − i| − d)²",
    "Distance variance: how much the distance to the query varies around its mean d.",
    "Positions²", "0 or more",
)
