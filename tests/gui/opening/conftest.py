"""Files as other programs leave them, and a tiny model, for what opens them in a window."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtWidgets import QDialog

from mhagui.gui.capture_session import NOTHING_OPEN


@pytest.fixture(autouse=True)
def nothing_open(request):
    """Have no capture in the window that tests share, before and after."""
    if "window" not in request.fixturenames:
        yield
        return
    captures = request.getfixturevalue("window").captures
    yield
    captures._opened = captures._other = None
    captures._layers, captures._layers_of_other = {}, {}
    captures._why_not_words = NOTHING_OPEN
    captures.changed.emit(None)


@pytest.fixture
def attention():
    """Make attention weights of a shape (…, T, T), float32: ``attention(2, 3, 6, 6)``."""
    rng = np.random.default_rng(5)

    def attention(*shape, causal=True):
        weights = np.exp(3 * rng.normal(size=shape))
        if causal:
            weights = np.tril(weights)
        return (weights / weights.sum(-1, keepdims=True)).astype(np.float32)

    return attention


@pytest.fixture
def layers_file(tmp_path, attention):
    """Write two layers of three heads on five tokens, which can be read in one way only."""
    path = tmp_path / "attn.npz"
    weights = {f"layer_{number}": attention(3, 5, 5) for number in (2, 7)}
    np.savez(path, tokens=np.array(["the", "cat", "sat", "on", "mats"]), **weights)
    return SimpleNamespace(path=path, weights=weights)


@pytest.fixture
def tiny_model(tmp_path):
    """Write a GPT-2 of 3 layers of 2 heads that reads up to 20 tokens, each a byte: its folder."""
    from safetensors.numpy import save_file
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    d, n_layers, n_positions, n_words = 8, 3, 20, 256
    shapes = {"wte.weight": (n_words, d), "wpe.weight": (n_positions, d)}
    shapes |= {"ln_f.weight": (d,), "ln_f.bias": (d,)}
    for layer in range(n_layers):
        sizes = {"attn.c_attn": (d, 3 * d), "attn.c_proj": (d, d)}
        sizes |= {"mlp.c_fc": (d, 4 * d), "mlp.c_proj": (4 * d, d)}
        for name, size in sizes.items():
            shapes |= {f"h.{layer}.{name}.weight": size, f"h.{layer}.{name}.bias": size[1:]}
        for name in ("ln_1", "ln_2"):
            shapes |= {f"h.{layer}.{name}.weight": (d,), f"h.{layer}.{name}.bias": (d,)}
    rng = np.random.default_rng(3)
    folder = tmp_path / "tiny"
    folder.mkdir()
    tensors = {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    save_file(tensors, folder / "model.safetensors")
    config = {"model_type": "gpt2", "n_embd": d, "n_layer": n_layers, "n_head": 2}
    config |= {"n_positions": n_positions, "vocab_size": n_words, "layer_norm_epsilon": 1e-5}
    (folder / "config.json").write_text(json.dumps(config | {"activation_function": "gelu_new"}))
    words = sorted(pre_tokenizers.ByteLevel.alphabet())
    made = Tokenizer(models.BPE({word: number for number, word in enumerate(words)}, []))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.save(str(folder / "tokenizer.json"))
    return folder


@pytest.fixture
def dialog_of(qtbot):
    """Wait for the dialog called so in a window: ``dialog_of(window, "importDialog")``."""

    def dialog_of(window, name):
        def shown():
            return [dialog for dialog in window.findChildren(QDialog, name) if dialog.isVisible()]

        qtbot.waitUntil(lambda: len(shown()) == 1)
        return shown()[0]

    return dialog_of


@pytest.fixture
def ask(window, dialog_of, request):
    """Open what leaves something open: ``ask(path)`` gives the module's ``DIALOG`` about it."""

    def ask(path):
        window.openings.open(path)
        return dialog_of(window, request.module.DIALOG)

    yield ask
    for dialog in window.findChildren(QDialog, request.module.DIALOG):
        dialog.done(QDialog.DialogCode.Rejected.value)
