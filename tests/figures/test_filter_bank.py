"""The figure of the filter bank: matrices, norms, both sites of an ablation, and its words."""

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.colors import to_hex, to_rgb
from matplotlib.patches import Rectangle

from mhagui.document import compute
from mhagui.document.edits import set_gain, set_muted
from mhagui.palette import head_colour


def charts(figure):
    return [
        axes for axes in figure.axes if [t.get_text() for t in axes.get_yticklabels()][:1] == ["0"]
    ]


def bars(axes):
    """Return (left, height, face) of the bars, heights as parts of the highest."""
    found = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
    return [(bar.get_x(), bar.get_height(), to_hex(bar.get_facecolor())) for bar in found]


def test_the_panels_are_the_terms_their_sum_and_the_output(four_heads, draw, panels):
    scene, result = four_heads
    figure = draw("filter-bank", scene, result)
    meshes = [axes.collections[0] for axes in panels(figure, (6, 8))]
    blocks = scene.w_o.reshape(4, 2, 8)
    terms = [
        head.weights @ scene.x @ head.head.w_v @ block
        for head, block in zip(result.heads, blocks, strict=True)
    ]
    for mesh, matrix in zip(meshes, [*terms, sum(terms), result.output], strict=True):
        np.testing.assert_allclose(mesh.get_array().reshape(6, 8), matrix, atol=1e-13)
    assert len({mesh.get_clim() for mesh in meshes}) == 1
    low, high = meshes[0].get_clim()
    assert low == -high


def test_the_bars_are_the_norms_and_the_changes_of_o(two_heads, draw):
    scene, result = two_heads
    norms, changes = charts(draw("filter-bank", scene, result))
    terms = [
        head.weights @ scene.x @ head.head.w_v @ block
        for head, block in zip(result.heads, scene.w_o.reshape(2, 2, 4), strict=True)
    ]
    sizes = np.array([np.sqrt((term**2).sum()) for term in terms])
    heights = [height for _, height, _ in bars(norms)]
    np.testing.assert_allclose(heights, sizes / sizes.max(), rtol=1e-12)
    assert norms.get_yticklabels()[1].get_text() == f"{sizes.max():.3g}"
    before = np.array([np.abs(term).max() for term in terms])
    after = np.array([np.abs(result.output[:, at]).max() for at in ([0, 1], [2, 3])])
    most = max(before.max(), after.max())
    heights = [height for _, height, _ in bars(changes)]
    np.testing.assert_allclose(heights, np.array([*before, *after]) / most, rtol=1e-12)
    faces = [face for *_, face in bars(changes)]
    assert faces == [head_colour(1), head_colour(2), "#ffffff", "#ffffff"]
    lefts = sorted(left for left, *_ in bars(changes))
    assert np.diff(lefts).min() >= 0.34


def test_a_muted_head_has_a_hollow_bar_and_says_so(draw, lesson):
    figure = draw("filter-bank", *lesson("four-heads", set_muted(2, True)))
    norms = charts(figure)[0]
    hollow = [left for left, _, face in bars(norms) if face == "#ffffff"]
    assert hollow == [pytest.approx(1.15)]
    (name,) = (text for text in figure.texts if "(muted)" in text.get_text())
    assert "previous token" in name.get_text().replace("\n", " ")
    assert to_rgb(name.get_color()) != (0, 0, 0)


def test_where_there_is_no_wrong_site_none_is_drawn(four_heads, draw):
    scene = four_heads[0]
    scene = replace(scene, heads=scene.heads[:3], w_o=scene.w_o[:6])
    changes = charts(draw("filter-bank", scene, compute(scene)))[1]
    assert [face for *_, face in bars(changes)] == [head_colour(uid) for uid in (1, 2, 3)]


def test_words_of_the_lesson(four_heads, draw, words):
    said = words(draw("filter-bank", *four_heads))
    assert said >= {
        "h1 first token", "h4 uniform", "Σ of 4 terms", "Concat·W_O", "norm 1.97",
        "t1", "t6", "d1", "d5", "output channel", "position t", "h1", "h4",
    }  # fmt: skip
    assert any(
        text.startswith("max |Concat·W_O − Σ| = 0 (0 of the rounding bound") for text in said
    )


def test_a_row_is_framed_where_it_is_asked_for(draw, lesson, panels):
    scene, result = lesson("four-heads", set_gain(1, 0.5))
    for axes in panels(draw("filter-bank", scene, result, row=2), (6, 8)):
        assert [patch.get_xy() for patch in axes.patches] == [(0, 2)]
    for axes in panels(draw("filter-bank", scene, result), (6, 8)):
        assert not list(axes.patches)
