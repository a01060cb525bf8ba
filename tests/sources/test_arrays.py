"""Arrays in memory: what other libraries hand over, read by the rules of files."""

import numpy as np
import pytest

from mhagui.errors import UserError
from mhagui.sources import Choices, found_in_arrays, read_only_way

T = 5


def attention(*shape, n=T, seed=0):
    weights = np.tril(np.random.default_rng(seed).random((*shape, n, n)) + 0.1)
    return weights / weights.sum(-1, keepdims=True)


def read(value, **choices):
    arrays = value if isinstance(value, dict) else {"attentions": value}
    return read_only_way(found_in_arrays("attentions", arrays), Choices(**choices))


class Tensor:
    """What is used of a tensor of PyTorch on a GPU, in training: NumPy cannot have it as it is."""

    def __init__(self, numbers, dtype, done=()):
        self.numbers, self.dtype, self.done = numbers, dtype, done

    def detach(self):
        return type(self)(self.numbers, self.dtype, (*self.done, "detach"))

    def cpu(self):
        return type(self)(self.numbers, self.dtype, (*self.done, "cpu"))

    def float(self):
        return Tensor(self.numbers.astype(np.float32), "torch.float32", self.done)

    def numpy(self):
        if self.done != ("detach", "cpu") or self.dtype == "torch.bfloat16":
            raise TypeError(f"cannot convert {self.dtype} after {self.done}\nand more")
        return self.numbers

    def __array__(self, *_, **__):
        raise TypeError("no")


def as_bfloat16(numbers):
    bits = numbers.astype(np.float32).view(np.uint32) & np.uint32(0xFFFF0000)
    return bits.view(np.float32)


def test_layers_of_a_model_with_a_batch_of_one():
    layers = tuple(attention(1, 3, seed=seed) for seed in range(4))
    capture = read(layers)
    assert [layer.number for layer in capture.layers] == [0, 1, 2, 3]
    for layer, given in zip(capture.layers, layers, strict=True):
        np.testing.assert_array_equal(layer.given, given[0])
        assert layer.given.dtype == np.float64


@pytest.mark.parametrize("wrap", [list, tuple])
def test_layers_of_different_sizes_stay_apart(wrap):
    capture = read(wrap([attention(1, 2), attention(1, 3, n=4)]))
    assert [(layer.n_heads, layer.shape) for layer in capture.layers] == [(2, (T, T)), (3, (4, 4))]


def test_steps_of_generation_become_one_triangle():
    whole = attention(1, 2, n=6)
    steps = tuple(
        tuple(
            whole[:, :, :4, :4] if step == 0 else whole[:, :, 3 + step : 4 + step, : 4 + step]
            for _ in range(2)
        )
        for step in range(3)
    )
    capture = read({"attentions": steps, "tokens": [*"abcdefg"]})
    assert capture.query_tokens == tuple("abcdef")  # the last was generated and never read
    for layer in capture.layers:
        np.testing.assert_array_equal(layer.given, whole[0])


def test_tensors_are_taken_from_their_device_and_half_precision_stays_to_the_bit():
    weights = attention(1, 2)
    single = read((Tensor(weights.astype(np.float32), "torch.float32"),)).layers[0]
    np.testing.assert_array_equal(single.given, weights[0].astype(np.float32))
    half = as_bfloat16(weights)
    capture = read((Tensor(half, "torch.bfloat16"),) * 2)
    np.testing.assert_array_equal(capture.layers[1].given, half[0])
    assert capture.layers[1].given.dtype == np.float32
    assert any("to within 0.0" in note for note in capture.notes)  # not the 1e-05 of float32


def test_what_was_read_is_a_copy():
    weights = attention(2)[np.newaxis]
    layer = read((weights,)).layers[0]
    weights[...] = 7
    assert layer.given.max() <= 1
    assert not layer.given.flags.writeable
    assert weights.flags.writeable


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (attention(2), "axes=head,query,key or axes=layer,query,key or axes=batch,query,key"),
        (attention(3, 2), "axes=layer,head,query,key or axes=batch,head,query,key"),
        ((attention(3, 2),) * 2, "The batch has 3 items: say which one (batch=0 to 2)."),
        ((attention(1, 2), None), r"attentions[1] is None, not an array; models return"),
        ((), "is an empty list; models return attention only with output_attentions=True"),
        (None, "neither attention weights nor q and k; models return"),
        (attention(1, 2).astype(complex), "complex numbers"),
        (np.array([[1, None]]), "Python objects"),
        ([[1.0, 0.0], [0.5]], "no array of numbers"),
        ("weights.npz", "holds texts, not numbers"),
        (np.zeros((1, 2, 0, 0)), "is empty"),
        ({"decoder_attentions": 1, "logits": 2}, "a dict of decoder_attentions, logits: give one"),
        (np.zeros((1,) * 9), "9 axes"),
        (np.float64(1), "0 axes"),
    ],
)
def test_what_cannot_be_read_is_said_in_a_sentence(value, told):
    with pytest.raises(UserError) as refused:
        read_only_way(found_in_arrays("attentions", {"attentions": value}))
    assert told in str(refused.value)
    assert "\n" not in str(refused.value)


def test_what_a_library_raises_is_told_by_its_first_line():
    class Broken(Tensor):
        def numpy(self):
            raise RuntimeError("Use Tensor.to_dense() first.\nTraceback of the library")

    with pytest.raises(UserError, match=r"is no array of numbers: Use Tensor.to_dense\(\) first\."):
        read((Broken(attention(1), "torch.float32"),))


def test_queries_and_keys_with_shared_key_heads():
    rng = np.random.default_rng(1)
    q, k = rng.normal(size=(4, T, 3)), rng.normal(size=(2, T, 3))
    capture = read({"q": q, "k": k}, axes="head,position,width", causal=True)
    (layer,) = capture.layers
    assert (layer.n_heads, layer.n_key_heads) == (4, 2)
    scores = np.where(np.tri(T, dtype=bool), q[3] @ k[1].T / np.sqrt(3), -np.inf)
    expected = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    np.testing.assert_allclose(layer.weights[3], expected, rtol=1e-12)


@pytest.mark.parametrize("tokens", ["abcde", [1, 2, 3, 4, 5], [], 7])
def test_tokens_are_texts(tokens):
    with pytest.raises(UserError, match="a list of texts, one for each position"):
        read({"attentions": (attention(1, 2),), "tokens": tokens})


def test_a_list_in_itself_is_not_followed_for_ever():
    cyclic: list[object] = []
    cyclic.append(cyclic)
    with pytest.raises(UserError):
        read_only_way(found_in_arrays("attentions", {"attentions": cyclic}))


def test_numbers_of_numpy_in_lists_are_one_array():
    rows = [[np.float32(1), np.float32(0)], [np.float32(0.5), np.float32(0.5)]]
    capture = read_only_way(found_in_arrays("attentions", {"attentions": rows}))
    assert np.array_equal(capture.layers[0].given, [rows])


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([np.array([1.0, 0.0]), np.array([0.5, 0.5])], "put the rows of a layer into one array"),
        (np.ma.masked_array(np.eye(2), mask=[[0, 1], [0, 0]]), "Masked arrays lose their mask"),
    ],
)
def test_arrays_that_would_be_taken_for_something_else(value, said):
    with pytest.raises(UserError, match=said):
        read_only_way(found_in_arrays("attentions", {"attentions": value}))


def test_lists_in_memory_that_hold_one_another_are_counted():
    value: list[object] = [np.eye(2)]
    for _ in range(4):
        value = [value] * 30
    with pytest.raises(UserError, match="holds more than 20,000 arrays"):
        found_in_arrays("attentions", {"attentions": value})
