"""The formulas of what a layer costs: multiply–adds, parameters, memory."""

# fmt: off

PROJECTION_COST = (
    r"T\,d_{\mathrm{model}}\,(H d_k + H_{kv}\,(d_k + d_v))", "T·d_model·(H·d_k + H_kv·(d_k + d_v))",
    "Cost of X·W_Q, X·W_K and X·W_V; H_kv = H unless heads share keys. It grows with T.",
    "Multiply–adds", "a whole number",
)
LINEAR_COST = (
    r"T\,d_{\mathrm{model}}\,(H + H_{kv})\,(d_k + d_v)", "T·d_model·(H + H_kv)·(d_k + d_v)",
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
    r"(d_k + d_v)\,((H + H_{kv})\,T\,d_{\mathrm{model}} + H\,T^2)",
    "(d_k + d_v)·((H + H_kv)·T·d_model + H·T²)",
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
    r"T^* = (1 + H_{kv}/H)\,d_{\mathrm{model}}", "T* = (1 + H_kv/H)·d_model",
    "Where T² overtakes: beyond T* scores and A·V cost more than the projections, whatever "
    "d_k and d_v. 2·d_model where every head has keys of its own.",
    "Positions", "a whole number",
)
QUERY_PARAMETERS = (
    r"d_{\mathrm{model}}\,H\,d_k", "d_model·H·d_k",
    "Parameters of W_Q, and of W_K with H_kv in place of H.",
    "Numbers", "a whole number",
)
VALUE_PARAMETERS = (
    r"d_{\mathrm{model}}\,H\,d_v", "d_model·H·d_v",
    "Parameters of W_O, and of W_V with H_kv in place of H.",
    "Numbers", "a whole number",
)
PARAMETERS = (
    r"d_{\mathrm{model}}\,(H + H_{kv})\,(d_k + d_v)", "d_model·(H + H_kv)·(d_k + d_v)",
    "Parameters of W_Q, W_K, W_V and W_O: 4·d_model² where d_k = d_v = d_model/H and H_kv = H.",
    "Numbers", "a whole number",
)
WEIGHT_COUNT = (
    r"H\,T^2", "H·T²",
    "Weights A of all heads, masked cells too: what there is to hold.",
    "Numbers", "a whole number",
)
CACHE = (
    r"T\,H_{kv}\,(d_k + d_v)", "T·H_kv·(d_k + d_v)",
    "KV cache: K and V of all key heads, kept for the next position.",
    "Numbers", "a whole number",
)
MEMORY = (
    r"\mathrm{numbers} \times \mathrm{bytes\ each}", "numbers × bytes each",
    "Memory: how much room so many numbers take.",
    "Bytes", "8 to a float64, 4 to a float32, 2 to a float16; 1 KiB is 1,024",
)
