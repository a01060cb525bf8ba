import json
import struct

import numpy as np
import pytest

from mhagui import sources
from mhagui.errors import UserError


@pytest.fixture
def opened():
    """Opens a file with what is said beside it."""

    def made(path, **choices):
        return sources.open_capture(path, sources.Choices(**choices))

    return made


@pytest.fixture
def refused(opened):
    """Gives the sentence by which a file is refused."""

    def sentence_of(path, **choices):
        with pytest.raises(UserError) as error:
            opened(path, **choices)
        sentence = str(error.value)
        assert sentence.endswith(".")
        assert "Traceback" not in sentence
        return sentence

    return sentence_of


@pytest.fixture
def saved():
    """Writes an array as a .npy file, and gives its path."""

    def written(path, array):
        np.save(path, array)
        return path

    return written


@pytest.fixture
def notes():
    """Gives the notes of a capture as one text."""
    return lambda capture: " ".join(capture.notes)


@pytest.fixture
def attention():
    """Makes weights of a shape whose last axes are query and key: softmax of random scores."""

    def made(*shape, causal=True, seed=1, dtype=np.float32):
        scores = np.random.default_rng(seed).normal(size=shape)
        if causal:
            n_queries, n_keys = shape[-2:]
            hidden = np.arange(n_keys) > np.arange(n_queries)[:, None] + n_keys - n_queries
            scores[..., hidden] = -np.inf
        exponentials = np.exp(scores)
        return (exponentials / exponentials.sum(axis=-1, keepdims=True)).astype(dtype)

    return made


@pytest.fixture
def safetensors():
    """Writes a .safetensors file: of each name the type, the shape and the bytes."""

    def written(path, tensors, metadata=None):
        header, data = {}, b""
        if metadata:
            header["__metadata__"] = metadata
        for name, (dtype, shape, content) in tensors.items():
            offsets = [len(data), len(data) + len(content)]
            header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": offsets}
            data += content
        text = json.dumps(header).encode()
        path.write_bytes(struct.pack("<Q", len(text)) + text + data)
        return path

    return written


@pytest.fixture
def as_f32(safetensors):
    """Writes float32 arrays by name as a .safetensors file."""

    def written(path, arrays, metadata=None):
        tensors = {
            name: ("F32", np.shape(array), np.asarray(array, "<f4").tobytes())
            for name, array in arrays.items()
        }
        return safetensors(path, tensors, metadata)

    return written
