"""Two real models against other programs, whose results make_reference.py wrote beside this."""

import json
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

pytestmark = pytest.mark.real_model

HERE = Path(__file__).parent
ROWS = {"short": None, "long": [33, 66, -1]}  # of the weights that are kept; None keeps all


@pytest.fixture(autouse=True)
def one_thread():
    """Hold BLAS to one thread: with tests on every core, several wait for one another."""
    with threadpool_limits(1, "blas"):
        yield


def reference(name):
    with np.load(HERE / f"{name}.npz") as kept:
        return dict(kept)


def columns(n_vocabulary):
    return np.linspace(0, n_vocabulary - 1, 64).astype(int)


def assert_weights_agree(run, kept, prompt):
    for layer, right in zip(run.capture().layers, kept[f"{prompt}_weights"], strict=True):
        rows = ROWS[prompt]
        given = layer.weights if rows is None else layer.weights[:, rows]
        np.testing.assert_allclose(given, right / 65535, atol=2e-5)


@pytest.mark.parametrize("prompt", ["short", "long"])
def test_smollm2_agrees_with_transformers_and_llama_cpp(prompt, smollm):
    kept = reference("smollm2")
    run = smollm.run(kept[f"{prompt}_ids"].tolist())
    assert_weights_agree(run, kept, prompt)
    logits = run.logits()[:, columns(49152)]
    np.testing.assert_allclose(logits, kept[f"{prompt}_logits"], atol=5e-4)
    np.testing.assert_allclose(logits, kept[f"{prompt}_llama"], atol=5e-4)
    # What llama.cpp makes when it packs activations to 8 bits is near it, and no nearer than that.
    assert 0.1 < abs(logits - kept[f"{prompt}_llama_packed"]).max() < 2.5


@pytest.mark.parametrize("prompt", ["short", "long"])
def test_minilm_agrees_with_transformers(prompt, minilm):
    kept = reference("minilm")
    run = minilm.run(kept[f"{prompt}_ids"].tolist())
    assert_weights_agree(run, kept, prompt)
    np.testing.assert_allclose(run.last[:, ::6], kept[f"{prompt}_last"], atol=5e-5)


@pytest.mark.parametrize(
    ("model", "name", "program"),
    [("smollm", "smollm2", "llama.cpp"), ("minilm", "minilm", "transformers")],
)
def test_odd_texts_are_cut_as_other_programs_cut_them(model, name, program, request):
    model = request.getfixturevalue(model)
    for entry in json.loads((HERE / f"{name}_ids.json").read_text())["texts"]:
        tokens = model.tokens(entry["text"])
        assert list(tokens.ids) == entry[program], entry["text"]
        assert len(tokens.texts) == len(tokens.pieces) == len(tokens.ids)


def test_transformers_cuts_one_of_the_odd_texts_otherwise():
    """It gives the file's vocabulary other words to cut than those that the file names."""
    entries = json.loads((HERE / "smollm2_ids.json").read_text())["texts"]
    differ = [entry["text"] for entry in entries if entry["llama.cpp"] != entry["transformers"]]
    assert differ == ["²³½ Ⅷ ٣٤٥"]


def test_smollm2_is_what_its_file_says(smollm):
    facts = smollm.facts
    assert (facts.family, facts.n_layers, facts.n_heads, facts.n_key_heads) == ("LLaMA", 30, 9, 3)
    assert (facts.d_model, facts.d_head, facts.context) == (576, 64, 8192)
    assert facts.float32_bytes == 538_060_032
    assert facts.n_vocabulary == 49152


def test_smollm2_knows_a_capital(smollm):
    tokens = smollm.tokens("The capital of France is")
    logits = smollm.run(tokens.ids, layers=()).logits(slice(-1, None))[0]
    assert smollm.texts([int(logits.argmax())]) == (" Paris",)


def test_a_character_over_several_tokens_is_put_together(smollm):
    tokens = smollm.tokens("🏳️‍🌈")
    assert len(tokens.ids) > 3
    assert "\ufffd" in tokens.texts
    capture = smollm.run(tokens.ids).capture()
    assert capture.query_tokens == tokens.texts
