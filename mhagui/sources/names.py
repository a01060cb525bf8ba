"""What the names in a file say: which array plays which role, of which layer, of which model."""

import re
from collections.abc import Iterable, Sequence

WEIGHTS, Q, K, V, X = "weights", "q", "k", "v", "x"
W_Q, W_K, W_V, W_QKV, W_O = "w_q", "w_k", "w_v", "w_qkv", "w_o"
B_Q, B_K, B_V, B_QKV, B_O = "b_q", "b_k", "b_v", "b_qkv", "b_o"
SLOPES, SINKS = "slopes", "sinks"
TOKENS, QUERY_TOKENS, KEY_TOKENS, TOKEN_IDS = "tokens", "query_tokens", "key_tokens", "token_ids"
STATES = (Q, K, V)
MATRICES = (W_Q, W_K, W_V, W_QKV, W_O)
TERMS = (SLOPES, SINKS)  # a number for each head, in the softmax beside q·k
LABELS = (TOKENS, QUERY_TOKENS, KEY_TOKENS)

# The last parts of a name, in small letters, by what they are. PyTorch's Linear keeps its matrix
# out x in, GPT-2's Conv1D in x out; TransformerLens keeps one for each head.
_ROLES = {
    WEIGHTS: "weights a pattern hook_pattern probs attn_probs attention_probs",
    Q: "q query queries hook_q hook_rot_q",
    K: "k key keys hook_k hook_rot_k",
    V: "v value values hook_v",
    X: "x input inputs hidden hidden_states hidden_state normalized resid_pre",
    W_Q: "w_q wq w_query q_proj.weight q_proj query.weight to_q.weight q_lin.weight wq.weight",
    W_K: "w_k wk w_key k_proj.weight k_proj key.weight to_k.weight k_lin.weight wk.weight",
    W_V: "w_v wv w_value v_proj.weight v_proj value.weight to_v.weight v_lin.weight wv.weight",
    W_QKV: "w_qkv wqkv c_attn.weight in_proj_weight qkv.weight qkv_proj.weight "
    "query_key_value.weight",
    W_O: "w_o wo w_out o_proj.weight o_proj out_proj.weight attn.c_proj.weight c_proj.weight "
    "attention.output.dense.weight out_lin.weight to_out.0.weight to_out.weight wo.weight",
    B_Q: "b_q bq q_proj.bias query.bias to_q.bias q_lin.bias",
    B_K: "b_k bk k_proj.bias key.bias to_k.bias k_lin.bias",
    B_V: "b_v bv v_proj.bias value.bias to_v.bias v_lin.bias",
    B_QKV: "b_qkv bqkv c_attn.bias in_proj_bias qkv.bias qkv_proj.bias query_key_value.bias",
    B_O: "b_o bo o_proj.bias out_proj.bias attn.c_proj.bias c_proj.bias "
    "attention.output.dense.bias out_lin.bias to_out.0.bias to_out.bias",
    SLOPES: "slopes alibi_slopes alibi",
    SINKS: "sinks attn_sinks attn_sinks.weight",
    TOKENS: "tokens labels words pieces",
    QUERY_TOKENS: "query_tokens decoder_tokens target_tokens tokens_b",
    KEY_TOKENS: "key_tokens encoder_tokens source_tokens tokens_a",
    TOKEN_IDS: "token_ids input_ids ids",
}
ROLES = tuple(_ROLES)
_ROLE_OF = {name: role for role, names in _ROLES.items() for name in names.split()}
_ATTENTION = re.compile(r"(.*_)?(attn|attention|attentions)(_?(weights?|probs|patterns?|maps?))?")
_FUSED_LINEAR = ("in_proj_weight", "qkv", "query_key_value")  # out x in; c_attn is the other way
_NUMBER = re.compile(r"\d{1,9}")
_OF_HEAD = re.compile(r"(?:^|[._\[])heads?[._\[]?\d+")
_OF_LAYER = re.compile(r"(?:^|[._\[])(?:layers?|blocks?|h|l)[._\[]?(\d+)(?![^\W_])")
# A name that only whole models have, by the family whose names it is.
_FAMILIES = {
    "GPT-2": re.compile(r"(^|\.)wte\.weight$"),
    "BERT": re.compile(r"(^|\.)word_embeddings\.weight$"),
    "LLaMA": re.compile(r"(^|\.)(embed_tokens|tok_embeddings)\.weight$"),
}


def role_of(name: str) -> str:
    """Return what an array of this name is, one of the roles above; empty where it says nothing."""
    parts = [part for part in re.split(r"[.\[\]/]+", name.lower()) if part]
    if any(part in ("mlp", "crossattention") for part in parts):
        return ""
    parts = [re.sub(r"^(?:layers?|l)_?\d+_", "", part) for part in parts]
    while parts and re.fullmatch(r"\d+|(layers?|blocks?|steps?|h)_?\d*", parts[-1]):
        parts.pop()
    if not parts:
        return ""
    last = re.sub(r"(_(layers?|blocks?|steps?|l|h))?_?\d+$", "", parts[-1])
    endings = [".".join(parts[-count:]) for count in (4, 3, 2)]
    for ending in (*endings, ".".join([*parts[-2:-1], last]), last):
        if ending in _ROLE_OF:
            return _ROLE_OF[ending]
    return WEIGHTS if _ATTENTION.fullmatch(last) else ""


def template(name: str) -> tuple[str, tuple[int, ...]]:
    """Return ``name`` with # for each number, and the numbers."""
    return _NUMBER.sub("#", name), tuple(int(number) for number in _NUMBER.findall(name))


def layer_number(name: str) -> int:
    """Return the number of the layer that ``name`` says; 0 where it says none."""
    found = _OF_LAYER.search(name.lower())
    return int(found[1]) if found and len(found[1]) < 10 else 0


def says_layer(name: str) -> bool:
    """Say whether ``name`` is of one layer, by its number."""
    return _OF_LAYER.search(name.lower()) is not None


def count_heads(all_names: Sequence[str]) -> bool:
    """Say whether the numbers that tell these names apart are those of heads."""
    return len({_OF_HEAD.sub("", name.lower()) for name in all_names}) < len(all_names)


def is_out_by_in(name: str) -> bool | None:
    """Say how a square matrix of this name lies, by who uses the name; None where many do."""
    low = name.lower()
    if "c_attn" in low or "c_proj" in low:
        return False
    is_linear = low.endswith(".weight") or any(part in low for part in _FUSED_LINEAR)
    return True if is_linear else None


def family(names: Iterable[str]) -> str:
    """Return the family whose whole model has such ``names``: GPT-2, BERT, LLaMA; or nothing."""
    all_names = list(names)
    for found, pattern in _FAMILIES.items():
        if any(pattern.search(name) for name in all_names):
            return found
    return ""
