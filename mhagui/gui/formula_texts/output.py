"""The formulas from the weights to O: values mixed, projected, summed and ablated."""

# fmt: off

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
NEXT_TOKEN = (
    r"p(w) = \dfrac{e^{\,z_w}}{\sum_v\ e^{\,z_v}}", "p(w) = exp(z_w) / Σ_v exp(z_v)",
    "Probability of the next token: softmax of the logits z behind the last token of the prompt, "
    "of the model as it is and with the heads ablated.",
    "Dimensionless", "from 0 to 1, shown as 0 to 100 %",
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
