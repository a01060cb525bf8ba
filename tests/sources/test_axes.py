"""Which axis is what, which layers and which item of a batch: said by the file, or asked."""

import numpy as np
import pytest

from mhagui import sources
from mhagui.errors import UserError


def test_512_positions_open(tmp_path, attention, opened, saved):
    weights = attention(2, 512, 512)
    capture = opened(saved(tmp_path / "a.npy", weights), axes="head,query,key")
    assert np.array_equal(capture.layers[0].given, weights)


def test_leaving_layers_out_renumbers_none(tmp_path, attention, opened, refused, saved):
    weights = attention(6, 2, 4, 4)
    path = saved(tmp_path / "a.npy", weights)
    capture = opened(path, axes="layer,head,query,key", layers=(4, 1))
    assert [layer.number for layer in capture.layers] == [1, 4]
    assert np.array_equal(capture.layer(4).given, weights[4])
    assert "no layer 9; its layers are 0 to 5" in refused(
        path, axes="layer,head,query,key", layers=(9,)
    )


@pytest.mark.parametrize("n_layers", [1, 25, 96])
@pytest.mark.parametrize("n_heads", [1, 7])
def test_any_number_of_layers_and_heads(tmp_path, attention, n_layers, n_heads, opened, saved):
    weights = attention(n_layers, n_heads, 3, 3)
    capture = opened(saved(tmp_path / "a.npy", weights), axes="layer,head,query,key")
    assert [layer.n_heads for layer in capture.layers] == [n_heads] * n_layers
    assert np.array_equal(capture.layers[-1].given, weights[-1])


@pytest.mark.parametrize(
    ("shape", "axis"), [((0, 2, 3, 3), "axis 0 (layer)"), ((2, 0, 3, 3), "axis 1 (head)"),
                        ((2, 2, 3, 0), "axis 3 (key)")]
)  # fmt: skip
def test_axes_of_no_entries_are_named(tmp_path, shape, axis, refused, saved):
    sentence = refused(saved(tmp_path / "a.npy", np.zeros(shape)), axes="layer,head,query,key")
    assert axis in sentence
    assert str(shape) in sentence


def test_a_batch_asks_which_item(tmp_path, attention, opened, refused, saved, notes):
    weights = attention(2, 16, 3, 4, 4)
    path = saved(tmp_path / "a.npy", weights)
    assert "batch has 16 items: say which one (batch=0 to 15)" in refused(path)
    capture = opened(path, batch=5)
    assert np.array_equal(capture.layer(1).given, weights[1, 5])
    assert "item 5" in notes(capture)
    assert "16 items, 0 to 15, and no item 16" in refused(path, batch=16)


def test_four_axes_are_layers_or_a_batch_and_only_people_know(
    tmp_path, attention, opened, refused, saved
):
    path = saved(tmp_path / "a.npy", attention(16, 3, 4, 4))
    sentence = refused(path)
    assert "(16, 3, 4, 4)" in sentence
    assert "axes=layer,head,query,key" in sentence
    assert "axes=batch,head,query,key" in sentence
    assert len(opened(path, axes="layer,head,query,key").layers) == 16
    assert len(opened(path, axes="batch,head,query,key", batch=3).layers) == 1


def test_a_plain_vector_is_one_row(tmp_path, opened, saved):
    capture = opened(saved(tmp_path / "a.npy", np.array([0.9, 0.1])))
    assert capture.layers[0].given.tolist() == [[[0.9, 0.1]]]


def test_a_matrix_is_one_head(tmp_path, attention, opened, saved):
    weights = attention(5, 5)
    assert np.array_equal(opened(saved(tmp_path / "a.npy", weights)).layers[0].given, [weights])


def test_three_axes_may_be_heads_layers_or_a_batch(tmp_path, attention, opened, refused, saved):
    weights = attention(4, 5, 5)
    path = saved(tmp_path / "a.npy", weights)
    sentence = refused(path)
    for first in ("head", "layer", "batch"):
        assert f"axes={first},query,key" in sentence
    assert opened(path, axes="head,query,key").layers[0].n_heads == 4
    layers = opened(path, axes="layer,query,key").layers
    assert [layer.n_heads for layer in layers] == [1] * 4
    assert np.array_equal(layers[2].given, weights[2:3])
    item = opened(path, axes="batch,query,key", batch=3)
    assert np.array_equal(item.layers[0].given, weights[3:])


def test_what_a_library_returns_with_a_batch_of_one_needs_no_word(
    tmp_path, attention, opened, saved
):
    weights = attention(1, 3, 4, 4)
    assert np.array_equal(opened(saved(tmp_path / "a.npy", weights)).layers[0].given, weights[0])


def test_six_axes_are_none(tmp_path, refused, saved):
    sentence = refused(saved(tmp_path / "a.npy", np.ones((1, 1, 1, 2, 2, 2))))
    assert "6 axes (1 × 1 × 1 × 2 × 2 × 2)" in sentence


def test_encoder_decoder_and_cross_are_told_apart(tmp_path, attention, opened, refused):
    np.savez(
        tmp_path / "a.npz",
        encoder_attentions=attention(2, 5, 5, causal=False),
        decoder_attentions=attention(2, 3, 3),
        cross_attentions=attention(2, 3, 5, causal=False),
    )
    sentence = refused(tmp_path / "a.npz")
    assert "weights=cross_attentions" in sentence
    capture = opened(tmp_path / "a.npz", weights="cross", axes="head,query,key")
    assert capture.layers[0].shape == (3, 5)


def test_columns_that_sum_to_one_show_the_axes_to_be_turned(
    tmp_path, attention, opened, refused, saved, notes
):
    turned = attention(3, 5, 5).swapaxes(1, 2)
    single = saved(tmp_path / "one.npy", turned[0])
    assert "key and query, not query and key" in refused(single)
    capture = opened(single, axes="key,query")
    assert np.array_equal(capture.layers[0].given[0], turned[0].T)
    assert "one.npy as weights (key 5, query 5)" in notes(capture)
    capture = opened(saved(tmp_path / "a.npy", turned), axes="head,key,query")
    assert np.array_equal(capture.layers[0].given, turned.swapaxes(1, 2))


def test_query_heads_that_key_heads_do_not_divide(tmp_path, refused):
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "a.npz", q=rng.normal(size=(7, 4, 3)), k=rng.normal(size=(2, 4, 3)))
    sentence = refused(tmp_path / "a.npz", axes="head,position,width", causal=True)
    assert "7 query heads, which 2 key heads do not divide" in sentence


def test_a_batch_item_of_what_has_no_batch_is_refused(tmp_path, attention, refused, saved):
    path = saved(tmp_path / "a.npy", attention(4, 4))
    assert "there is no batch that item 3 could be taken of" in refused(path, batch=3)


def test_a_number_of_heads_that_the_weights_do_not_have_is_refused(
    tmp_path, attention, refused, saved
):
    path = saved(tmp_path / "a.npy", attention(1, 2, 4, 4))
    assert "has 2 heads, but 7 were said" in refused(path, heads=7)


def test_a_layer_named_twice_is_taken_once(tmp_path, attention, opened, saved):
    path = saved(tmp_path / "a.npy", attention(3, 1, 2, 4, 4))
    assert [layer.number for layer in opened(path, layers=[1, 1]).layers] == [1]


def test_axes_may_have_spaces_after_their_commas(tmp_path, attention, opened, saved):
    path = saved(tmp_path / "a.npy", attention(3, 5, 5))
    assert opened(path, axes="head, query, key").layers[0].n_heads == 3


@pytest.mark.parametrize(
    "choice",
    [
        {"batch": "0"}, {"batch": 1.0}, {"batch": True}, {"layers": 1}, {"layers": "a"},
        {"axes": ("head", "query", "key")}, {"weights": 3}, {"causal": "no"}, {"heads": 2.5},
    ],
)  # fmt: skip
def test_choices_of_another_kind_are_refused_by_name(choice):
    with pytest.raises(UserError, match=f"^{next(iter(choice))}="):
        sources.Choices(**choice)


def test_arrays_for_each_head_are_not_taken_for_layers(tmp_path, attention, refused):
    heads = {f"head{head}.attn": attention(4, 4, seed=head) for head in range(3)}
    np.savez(tmp_path / "a.npz", **heads)
    assert "count heads; put those of a layer into one array" in refused(tmp_path / "a.npz")


@pytest.mark.parametrize(("shape", "said"), [((2, 5, 3), "6 key positions"), ((3, 6, 3), "3 of v")])
def test_values_that_do_not_fit_the_weights_are_named(tmp_path, attention, shape, said, refused):
    np.savez(tmp_path / "a.npz", attention=attention(1, 2, 6, 6), v=np.ones((1, *shape)))
    assert said in refused(tmp_path / "a.npz", axes="batch,head,query,key")


def test_heads_after_positions_are_read_beside_weights_of_a_batch_of_one(
    tmp_path, attention, opened
):
    rng = np.random.default_rng(5)
    states = {name: rng.normal(size=(1, 6, 2, 3)) for name in ("hook_q", "hook_k", "hook_v")}
    np.savez(tmp_path / "a.npz", hook_pattern=attention(1, 2, 6, 6), **states)
    layer = opened(tmp_path / "a.npz").layers[0]
    assert np.array_equal(layer.q, states["hook_q"][0].swapaxes(0, 1))
