"""docs/gallery.md: it shows every figure, and what it shows is what is drawn."""

import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from mhagui.figures import FIGURES

DOCS = Path(__file__).parents[1] / "docs"
MOST_BYTES = 2_500_000
# Drawn again: few, to be quick, of every kind there is.
SOME = (
    "heads", "projection", "impulse", "cost", "lesson", "page-slide", "ground-dark",
    "scale-logarithmic", "labels-tokens", "font",
)  # fmt: skip


@pytest.fixture(scope="module")
def maker():
    """The script that makes the gallery, as a module."""
    spec = importlib.util.spec_from_file_location("make_gallery", DOCS / "make_gallery.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def text():
    return (DOCS / "gallery.md").read_text(encoding="utf-8")


def test_every_figure_is_shown_with_its_title_and_its_command(text):
    for name, title in FIGURES.items():
        assert f"### {title}\n\n![{title}](gallery/{name}.png)" in text
        assert f"\n    mhagui export four-heads --figure {name} --out figures\n" in text


def test_figures_of_heads_are_shown_with_their_captions(maker, text):
    charts = maker.charts()
    assert {chart.name for chart in charts} == {"comparison", "ablation", "importance", "pruning"}
    for chart in charts:
        assert f"### {chart.title}\n\n![{chart.title}](gallery/{chart.name}.png)" in text
    assert "](pictures/real-head-map.png)" in text
    assert (DOCS / "pictures" / "real-head-map.png").is_file()


def test_every_picture_is_shown_and_none_is_missing(text):
    shown = re.findall(r"\]\(gallery/([\w-]+\.png)\)", text)
    assert len(shown) == len(set(shown))
    assert set(shown) == {path.name for path in (DOCS / "gallery").iterdir()}


def test_the_pictures_are_small_enough_to_be_kept():
    assert sum(path.stat().st_size for path in (DOCS / "gallery").iterdir()) < MOST_BYTES


def test_the_page_is_what_is_made_now(maker, text):
    assert maker.page() == text, "make gallery"


@pytest.mark.parametrize("name", SOME)
def test_the_picture_is_what_its_command_draws_now(maker, tmp_path, name):
    shot = next(shot for shot in maker.shots() if shot.name == name)
    maker.draw(shot, tmp_path / "now.png")
    now, kept = (
        np.asarray(Image.open(path)).astype(int)
        for path in (tmp_path / "now.png", DOCS / "gallery" / f"{name}.png")
    )
    assert now.shape == kept.shape, "make gallery"
    # Another release of FreeType or matplotlib moves the edges of letters.
    assert (np.abs(now - kept) > 64).mean() < 0.002, "make gallery"
