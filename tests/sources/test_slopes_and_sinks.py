"""Slopes of ALiBi and sink logits in files, beside q and k or what makes them."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mhagui import sources
from mhagui.document.file_entries import PartEntry, ReadingEntry
from mhagui.errors import UserError
from mhagui.sources.remembered import entry_of, reading_of

H, H_KV, T, WIDTH = 4, 2, 6, 3
SLOPES = np.array([0.5, 0.0, 0.25, 2.0])
SINKS = np.array([-1.0, 0.0, 0.7, 3.0])
HEAD_FIRST = {"axes": "head,position,width", "causal": True}


def plain(q, k, slopes=None, sinks=None, *, causal=True):
    """Weights cell by cell: what a layer with slopes and sinks has, the queries being the last."""
    n_queries, n_keys = q.shape[1], k.shape[1]
    weights = np.zeros((len(q), n_queries, n_keys))
    for h, t in np.ndindex(weights.shape[:2]):
        own = t + n_keys - n_queries
        e = [] if sinks is None else [float(sinks[h])]
        for i in range(own + 1 if causal else n_keys):
            score = float(q[h, t] @ k[h * len(k) // len(q), i]) / math.sqrt(q.shape[2])
            e.append(score - (0.0 if slopes is None else float(slopes[h]) * abs(own - i)))
        e = np.exp(np.array(e) - max(e))
        e = e[0 if sinks is None else 1 :] / e.sum()
        weights[h, t, : len(e)] = e
    return weights


def states(seed=0, n_layers=None):
    dice = np.random.default_rng(seed)
    lead = () if n_layers is None else (n_layers,)
    return dice.normal(size=(*lead, H, T, WIDTH)), dice.normal(size=(*lead, H_KV, T, WIDTH))


@pytest.fixture
def written(tmp_path):
    """Writes arrays by name as a .npz file, and gives its path."""

    def made(**arrays):
        np.savez(tmp_path / "a.npz", **arrays)
        return tmp_path / "a.npz"

    return made


@pytest.fixture
def proven():
    """Gives what was proven about something in the first way to read a file."""

    def made(path, about):
        found = sources.inspect(path)
        return sources.evidence(found, found.readings[0]).about(about)

    return made


@given(
    heads=st.tuples(st.integers(1, 3), st.integers(1, 3)),
    positions=st.tuples(st.integers(1, 5), st.integers(0, 3)),
    causal=st.booleans(), has_slopes=st.booleans(),
    has_sinks=st.booleans(), seed=st.integers(0, 99), size=st.sampled_from([0.0, 1.0, 1e6]),
)  # fmt: skip
def test_weights_are_those_of_the_plain_formula(
    heads, positions, causal, has_slopes, has_sinks, seed, size
):
    (n_key_heads, together), (n_queries, n_before) = heads, positions
    dice, n_heads = np.random.default_rng(seed), n_key_heads * together
    arrays = {
        "q": size * dice.normal(size=(n_heads, n_queries, 2)),
        "k": dice.normal(size=(n_key_heads, n_queries + n_before, 2)),
        "slopes": size * dice.random(n_heads) if has_slopes else None,
        "sinks": size * dice.normal(size=n_heads) if has_sinks else None,
    }
    choices = sources.Choices(axes="head,position,width", causal=causal)
    (layer,) = sources.read_only_way(sources.found_in_arrays("q and k", arrays), choices).layers
    wanted = plain(**arrays, causal=causal)
    np.testing.assert_allclose(layer.weights, wanted, atol=1e-8 if size > 1 else 1e-12)


@pytest.mark.parametrize("slopes", ["slopes", "alibi_slopes", "layers.0.attn.alibi", "alibi"])
@pytest.mark.parametrize("sinks", ["sinks", "self_attn.sinks", "layers.0.self_attn.sinks",
                                   "blk.0.attn_sinks.weight"])  # fmt: skip
def test_they_are_known_by_their_names(written, opened, notes, slopes, sinks):
    q, k = states()
    capture = opened(written(q=q, k=k, **{slopes: SLOPES, sinks: SINKS}), **HEAD_FIRST)
    np.testing.assert_allclose(capture.layers[0].weights, plain(q, k, SLOPES, SINKS), atol=1e-12)
    assert f"{slopes} as slopes (head 4); {sinks} as sinks (head 4)" in notes(capture)
    assert f"In each softmax are slopes ({slopes}) and sinks ({sinks}) too." in notes(capture)
    assert "not read" not in notes(capture)


def test_in_json_and_in_safetensors(tmp_path, opened, as_f32):
    q, k = states()
    arrays = {"q": q, "k": k, "slopes": SLOPES, "sinks": SINKS}
    as_json = tmp_path / "a.json"
    as_json.write_text(json.dumps({name: array.tolist() for name, array in arrays.items()}))
    for path in (as_json, as_f32(tmp_path / "a.safetensors", arrays)):
        (layer,) = opened(path, **HEAD_FIRST).layers
        np.testing.assert_allclose(layer.weights, plain(q, k, SLOPES, SINKS), atol=1e-5)


@pytest.mark.parametrize("has_one_for_all", [True, False])
def test_of_several_layers_one_for_all_or_for_each(written, opened, has_one_for_all):
    q, k = states(n_layers=3)
    sinks = SINKS if has_one_for_all else np.stack([SINKS, SINKS + 1, -SINKS])
    path = written(q=q, k=k, slopes=SLOPES, sinks=sinks)
    layers = opened(path, axes="layer,head,position,width", causal=True).layers
    for number, layer in enumerate(layers):
        own = sinks if has_one_for_all else sinks[number]
        wanted = plain(q[number], k[number], SLOPES, own)
        np.testing.assert_allclose(layer.weights, wanted, atol=1e-12)


def test_by_the_names_of_layers_some_chosen(written, opened, refused):
    q, k = states(n_layers=11)
    arrays = {f"layers.{n}.q": q[n] for n in range(11)} | {f"layers.{n}.k": k[n] for n in range(11)}
    sinks = {f"layers.{n}.self_attn.sinks": SINKS + n for n in range(11)}
    path = written(**arrays, **sinks)
    (layer,) = opened(path, **HEAD_FIRST, layers=(10,)).layers
    np.testing.assert_allclose(layer.weights, plain(q[10], k[10], None, SINKS + 10), atol=1e-12)
    del sinks["layers.4.self_attn.sinks"]
    sentence = refused(written(**arrays, **sinks), **HEAD_FIRST)
    assert "layers.0.self_attn.sinks has the layers 0, 1, 2, 3, 5, 6" in sentence
    one = {"layers.3.self_attn.sinks": SINKS}
    sentence = refused(written(**arrays, **one), **HEAD_FIRST)
    assert "layers.3.self_attn.sinks is of one layer, and there are 11" in sentence


def test_as_a_layer_of_gpt_oss_holds_them(written, opened):
    dice, at = np.random.default_rng(3), "model.layers.7.self_attn."
    x, w_q, w_k = (dice.normal(size=n) for n in ((T, 10), (H * WIDTH, 10), (H_KV * WIDTH, 10)))
    arrays = {f"{at}q_proj.weight": w_q, f"{at}k_proj.weight": w_k, f"{at}sinks": SINKS}
    path = written(x=x, **arrays)
    (layer,) = opened(path, heads=H, key_heads=H_KV, causal=True).layers
    q = (x @ w_q.T).reshape(T, H, WIDTH).swapaxes(0, 1)
    k = (x @ w_k.T).reshape(T, H_KV, WIDTH).swapaxes(0, 1)
    assert layer.number == 7
    np.testing.assert_allclose(layer.weights, plain(q, k, None, SINKS), atol=1e-12)


def test_their_number_tells_heads_from_positions(written, opened, refused):
    q, k = states()
    assert "axes=position,head,width" in refused(written(q=q, k=k), causal=True)
    capture = opened(written(q=q, k=k, sinks=SINKS), causal=True)
    np.testing.assert_allclose(capture.layers[0].weights, plain(q, k, None, SINKS), atol=1e-12)


# ------------------------------------------------------------------------ what stored weights prove


def test_stored_weights_prove_them(written, opened, proven):
    q, k = states()
    stored = plain(q, k, SLOPES, SINKS).astype(np.float32)
    path = written(q=q, k=k, weights=stored, alibi_slopes=SLOPES, sinks=SINKS)
    (same,) = proven(path, "recomputed")
    assert same.verdict == "ok"
    assert "recomputed from q and k with slopes and sinks differ" in same.sentence
    (rows,) = proven(path, "rows")
    assert rows.verdict == "ok"
    assert rows.sentence.endswith("none sums to more: the sinks take the rest.")
    (layer,) = opened(path).layers
    np.testing.assert_array_equal(layer.weights, stored)
    np.testing.assert_array_equal(layer.sinks, SINKS)
    np.testing.assert_allclose(layer.recomputed(), stored, atol=1e-6)


@pytest.mark.parametrize("changes", [{"sinks": SINKS[::-1]}, {"slopes": 2 * SLOPES}])
def test_stored_weights_disprove_others(written, proven, changes):
    q, k = states()
    stored = plain(q, k, SLOPES, SINKS)
    arrays = {"q": q, "k": k, "weights": stored, "slopes": SLOPES, "sinks": SINKS}
    (differs,) = proven(written(**arrays | changes), "recomputed")
    assert differs.verdict == "fault"
    assert differs.number > 0.01


def test_rows_that_sum_to_more_are_a_fault_beside_sinks_too(written, proven):
    q, k = states()
    stored = plain(q, k, None, SINKS)
    stored[0, 2] *= 3
    (rows,) = proven(written(q=q, k=k, weights=stored, sinks=SINKS), "rows")
    assert rows.verdict == "fault"


def test_weights_alone_have_no_use_for_them(written, opened, notes):
    capture = opened(
        written(weights=plain(*states(), None, SINKS), sinks=SINKS), axes="head,query,key"
    )
    assert capture.layers[0].sinks is None
    assert "Also in the file, and not read: sinks (4)" in notes(capture)


# -------------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize("has_weights", [False, True])
@pytest.mark.parametrize("role", ["slopes", "sinks"])
@pytest.mark.parametrize("count", [1, 2, 5])
def test_another_number_of_them_is_refused_with_the_numbers(
    written, refused, has_weights, role, count
):
    q, k = states()
    arrays = {"q": q, "k": k, role: np.ones(count)}
    if has_weights:
        arrays["weights"] = plain(q, k)
    sentence = refused(written(**arrays), **({} if has_weights else HEAD_FIRST))
    assert sentence == (
        f"Layer 0 has 4 query heads, and {role} {count} numbers; there is one for each head."
    )


@pytest.mark.parametrize(
    ("array", "shape"),
    [
        (1.0, "a single number"),
        (np.ones((H, 1, T)), "4 × 1 × 6"),
        (np.ones((H, T, T)), "4 × 6 × 6"),
    ],
)
def test_other_shapes_are_refused(written, refused, array, shape):
    q, k = states()
    sentence = refused(written(q=q, k=k, alibi=array), **HEAD_FIRST)
    assert sentence == (
        f"alibi is {shape}; slopes are a number for each head, or for each head of each layer "
        "(layer × head)."
    )


def test_sinks_of_other_layers_than_queries_are_refused(written, refused):
    q, k = states(n_layers=2)
    path = written(q=q, k=k, sinks=np.ones((3, H)))
    sentence = refused(path, axes="layer,head,position,width", causal=True)
    assert "sinks has the layers 0 to 2" in sentence
    assert "0, 1" in sentence


@pytest.mark.parametrize("role", ["slopes", "sinks"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e31])
def test_what_is_no_number_of_a_softmax_is_refused(written, refused, role, value):
    q, k = states()
    sentence = refused(written(q=q, k=k, **{role: np.array([0, 0, value, 0])}), **HEAD_FIRST)
    assert f"In layer 0 {role} has {value:g} for head 2" in sentence


@pytest.mark.parametrize("array", [np.ones(0), np.ones(4) * 1j])
def test_what_holds_no_numbers_is_refused(written, refused, array):
    q, k = states()
    assert "sinks" in refused(written(q=q, k=k, sinks=array), **HEAD_FIRST)


def test_a_session_keeps_them(written):
    q, k = states()
    found = sources.inspect(written(q=q, k=k, slopes=SLOPES, sinks=SINKS))
    for reading in found.readings:
        assert reading_of(entry_of(reading), found) == reading


def test_a_session_that_has_sinks_without_queries_opens_no_wrong_ones(written):
    stored = plain(*states(), None, SINKS)
    found = sources.inspect(written(weights=stored, sinks=np.ones(3), slopes=SLOPES))
    parts = [
        PartEntry(role=role, arrays=(role,), layers=(0,), steps=(0,), axes=axes)
        for role, axes in (
            ("weights", ("head", "query", "key")),
            ("slopes", ("head",)),
            ("sinks", ("head",)),
        )
    ]
    with pytest.raises(UserError, match="4 query heads, and sinks 3 numbers"):
        sources.read(found, reading_of(ReadingEntry(parts=tuple(parts)), found))
    (layer,) = sources.read(found, reading_of(ReadingEntry(parts=tuple(parts[:2])), found)).layers
    np.testing.assert_array_equal(layer.weights, stored)


def test_the_bias_of_slopes_takes_no_room(written, opened):
    n = 4096
    flat = np.zeros((H, n, 1), np.float32)
    (layer,) = opened(written(q=flat, k=flat, slopes=SLOPES), **HEAD_FIRST).layers
    assert layer.bias.shape == (H, n, n)
    assert layer.bias.base is not None
    assert layer.bias.strides[1] == -layer.bias.strides[2]  # each row is the last one, moved
    assert layer.bias[3, n - 1, 0] == -2.0 * (n - 1)
    assert layer.bias[2, 5, 5] == 0
    assert not layer.bias.flags.writeable
