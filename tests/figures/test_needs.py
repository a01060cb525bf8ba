"""Figures of what a file does not hold, or of another mask than the causal one."""

from dataclasses import replace

import numpy as np
import pytest

from mhagui.document import Head, Pattern, Scene, compute, load_lesson
from mhagui.document.edits import SetMask
from mhagui.document.mask_rule import MaskKind, MaskRule
from mhagui.errors import UserError
from mhagui.figures import FIGURES, Subject, render, why_not
from mhagui.figures.entropy import plan
from mhagui.figures.impulse import _unseen
from mhagui.figures.paper import Paper
from mhagui.figures.script import script
from mhagui.report import report, report_text
from mhagui.reports.content import report_of

T = 4
ALONE = {"heads", "head", "impulse", "frequency", "entropy", "information", "redundancy"}


@pytest.fixture(scope="module")
def weights_alone():
    a = np.tril(np.ones((T, T))) / np.arange(1, T + 1)[:, None]
    heads = [Head(n, f"L0 H{n - 1}", Pattern.GIVEN, np.zeros((1, 1)), a=a) for n in (1, 2)]
    x, w_o = np.zeros((T, 1)), np.zeros((2, 1))
    return Scene("weights alone", "", heads, x, w_o, 1, has_values=False)


def figures_of(scene):
    result = compute(scene)
    return {name for name in FIGURES if why_not(name, result) is None}


def test_of_weights_alone_there_are_the_figures_of_weights(weights_alone):
    assert figures_of(weights_alone) == ALONE
    result = compute(weights_alone)
    assert why_not("filter-bank", result).startswith("This scene has no values")
    assert why_not("singular-values", result).startswith("This scene has weights alone")


@pytest.mark.parametrize("name", ["heads", "entropy", "redundancy"])
def test_a_row_without_weights_does_no_harm(weights_alone, name):
    a = weights_alone.heads[0].a.copy()
    a[2] = 0.0
    scene = weights_alone.with_head(1, a=a)
    assert render(name, Subject(scene, compute(scene)), "png").startswith(b"\x89PNG")


def test_under_a_full_mask_there_are_no_filters():
    scene = SetMask(MaskRule(MaskKind.FULL)).apply(load_lesson("four-heads"))
    assert set(FIGURES) - figures_of(scene) == {"impulse", "frequency", "lesson", "summary"}
    window = SetMask(MaskRule(MaskKind.SLIDING, 2)).apply(load_lesson("four-heads"))
    assert figures_of(window) == set(FIGURES)
    assert render("impulse", Subject(window, compute(window)), "png").startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda scene: SetMask(MaskRule(MaskKind.SLIDING, 2)).apply(scene), "has another mask."),
        (lambda scene: scene.with_head(1, b_v=np.ones((1, 2))), "this one has b_V or b_O."),
        (lambda scene: replace(scene, b_o=np.ones((1, 8))), "this one has b_V or b_O."),
    ],
)
def test_a_script_says_what_it_does_not_compute(change, sentence):
    scene = change(load_lesson("four-heads"))
    with pytest.raises(UserError) as caught:
        script("entropy", Subject(scene, compute(scene)))
    assert str(caught.value).endswith(sentence)


def test_a_script_of_weights_alone_or_of_too_many_numbers_is_refused(weights_alone):
    with pytest.raises(UserError, match=r"this scene has weights alone\.$"):
        script("heads", Subject(weights_alone, compute(weights_alone)))
    x, w = np.zeros((1200, 2048)), np.zeros((2048, 1))
    large = Scene("wide", "", [Head(1, "wide", Pattern.UNIFORM, w)], x, w.T, 1)
    assert large.n_numbers < 2_500_000
    large = replace(large, x=np.zeros((1300, 2048)))
    with pytest.raises(
        UserError, match=r"^A script holds every number of a scene as text; this one"
    ):
        script("entropy", Subject(large, compute(large)))


def test_reports_say_what_is_not_known(weights_alone):
    result = compute(weights_alone)
    text = report_text(weights_alone, result)
    assert text.rstrip().endswith("what W_O makes of these heads is not known.")
    assert "W_O\n" not in text
    assert "rank" in text
    told = report(weights_alone, result)
    assert (told["has_values"], told["has_queries"], told["mask"]) == (False, False, "causal")
    sections = {
        section.key: section for section in report_of(Subject(weights_alone, result)).sections
    }
    for key in ("filter-bank", "output", "cost"):
        (block,) = sections[key].blocks
        assert block.text.startswith("This scene has no values")
    assert len(sections["entropy"].blocks) > 1


def test_under_a_window_captions_and_hatches_are_those_of_the_window():
    mask = MaskRule(MaskKind.SLIDING, 2, 1)
    scene = SetMask(mask).apply(load_lesson("four-heads"))
    subject = Subject(scene, compute(scene))
    assert "ceiling log₂ n_t" in render("entropy", subject, "svg").decode()
    assert f"n_t keys under this mask: {mask.text}." in plan(subject, Paper.of(subject)).caption
    drawn = render("impulse", Subject(scene, compute(scene), row=3), "svg").decode()
    assert "sliding box of 2" in drawn
    of_row_3 = [tuple(box.get_extents().bounds) for box in _unseen(mask.allowed(6)[3])]
    # t4 sees t3 and t4: boxes up to between the keys, and up to the edges of the axes.
    assert of_row_3 == [
        pytest.approx((0.4, 0, 2.1, 1.08)),
        pytest.approx((4.5, 0, 2.1, 1.08)),
    ]
    assert [box.get_extents().width for box in _unseen(mask.allowed(6)[0])] == pytest.approx([6.2])
    assert not list(_unseen(MaskRule().allowed(6)[5]))
