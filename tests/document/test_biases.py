"""Biases of values and of the output: V = X W_V + b_V, O = Concat W_O + b_O."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mhagui.document import Head, Pattern, Scene, compute
from mhagui.document.changes import difference
from mhagui.document.compute import MOST_MAPPED
from mhagui.document.edits import set_gain, set_muted
from mhagui.document.filter_bank import ablation_sites, filter_bank, in_bounds
from mhagui.document.information import study_information
from mhagui.document.lessons import load_lesson
from mhagui.document.mask_rule import MaskRule
from mhagui.document.token_edits import SetTokens
from mhagui.errors import UserError

T, WIDTH = 7, 3


def layer(d_model, *, mask=None, layers=(1, 1, 1), b_o=True):
    """Three heads of which two have a bias."""
    dice = np.random.default_rng(8)
    heads = [
        Head(
            uid,
            f"h{uid}",
            Pattern.PROJECTED,
            dice.standard_normal((d_model, WIDTH)),
            w_q=dice.standard_normal((d_model, 2)),
            w_k=dice.standard_normal((d_model, 2)),
            b_v=dice.standard_normal((1, WIDTH)) if uid != 2 else None,
            layer=of_layer,
        )
        for uid, of_layer in enumerate(layers, 1)
    ]
    x, w_o = dice.standard_normal((T, d_model)), dice.standard_normal((3 * WIDTH, d_model))
    bias = dice.standard_normal((1, d_model)) if b_o else None
    return Scene("biased", "", heads, x, w_o, 2, b_o=bias, mask=mask or MaskRule())


def plain(scene, result):
    """O by the formula of the layer, and what each head adds."""
    terms = []
    for place, head in enumerate(scene.heads):
        values = scene.x @ head.w_v + (0 if head.b_v is None else head.b_v)
        terms.append(result.heads[place].weights @ values @ scene.w_o[scene.rows_of(place)])
    return sum(terms) + scene.b_o, terms


@pytest.mark.parametrize("d_model", [6, MOST_MAPPED + 8])
@pytest.mark.parametrize("mask", [MaskRule(), MaskRule(left=2)])
def test_what_biases_add(d_model, mask):
    scene = layer(d_model, mask=mask)
    result = compute(scene)
    output, terms = plain(scene, result)
    assert_allclose(result.output, output, rtol=1e-9, atol=1e-9)
    for head, term in zip(result.heads, terms, strict=True):
        assert_allclose(head.term, term, rtol=1e-9, atol=1e-9)
    assert in_bounds(result) <= 1
    assert result.residual_bound < 1e-9 * np.abs(output).max()
    bank = filter_bank(result)
    assert_allclose(bank.sums[-1] + scene.b_o, result.output, atol=1e-9)


def test_a_muted_head_takes_its_bias_along(biased):
    muted = set_muted(1, True).apply(biased)
    result = compute(muted)
    _, terms = plain(biased, compute(biased))
    assert_allclose(result.output, terms[1] + terms[2] + biased.b_o, atol=1e-12)
    sites = ablation_sites(biased, compute(biased), 0)
    assert_allclose(sites.before, result.output, atol=1e-12)
    assert sites.change_before == pytest.approx(np.abs(terms[0]).max())


@pytest.fixture
def biased():
    return layer(6)


def test_biases_in_two_layers():
    scene = layer(6, layers=(1, 1, 2), b_o=False)
    result = compute(scene)
    one, two, three = (head.term for head in result.heads)
    assert_allclose(result.heads[2].x, scene.x + one + two)
    values = result.heads[2].x @ scene.heads[2].w_v + scene.heads[2].b_v
    assert_allclose(three, result.heads[2].weights @ values @ scene.w_o[6:], atol=1e-9)
    assert in_bounds(result) <= 1
    with pytest.raises(UserError, match=r"^A scene with a bias b_O has one layer: no head can be"):
        replace(scene, b_o=np.ones((1, 6)))


def test_the_packed_values_are_without_the_bias(biased):
    result = compute(biased)
    assert_allclose(result.packed_values.product, biased.x @ result.packed_values.matrix)
    assert result.packed_values.why_none is None
    assert_allclose(result.packed_values.slices[0].wanted, biased.x @ biased.heads[0].w_v)


def test_a_gain_is_what_all_anew_would_be_and_makes_no_values(biased):
    before = compute(biased)
    after = set_gain(1, 2.0).apply(biased)
    one, other = compute(after, before), compute(after)
    assert one.output.tobytes() == other.output.tobytes()
    assert one.filter_bank_residual == other.filter_bank_residual
    assert not [step for step in one.made if "values" in step or "affine" in step]


def test_a_bias_of_zeros_changes_no_weight_and_no_output(biased):
    none = replace(biased, b_o=None, heads=tuple(replace(head, b_v=None) for head in biased.heads))
    zeros = replace(
        biased,
        b_o=np.zeros((1, 6)),
        heads=tuple(replace(head, b_v=np.zeros((1, WIDTH))) for head in biased.heads),
    )
    one, other = compute(none), compute(zeros)
    assert_allclose(other.output, one.output, rtol=1e-12)
    assert one.residual_bound <= other.residual_bound <= 1.2 * one.residual_bound


def test_a_head_that_reads_biased_heads_is_told_of_them():
    """For the scene's own sequence a head by content has the row that it has on the bench."""
    scene = SetTokens(("A", "^", "A", "^", "A", "^", "A", "^")).apply(load_lesson("induction"))
    bias = np.linspace(-2, 2, scene.d_v)[np.newaxis]
    scene = scene.with_head(scene.heads[0].uid, b_v=bias)
    result = compute(scene)
    study = study_information(scene, result, 4)
    mine = (study.sequences == [1, 0, 1, 0, 1]).all(axis=1)
    (row,) = study.steps[f"rows {scene.heads[1].uid}"].output[mine]
    assert_allclose(row, result.heads[1].weights[4, :5], atol=1e-9)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"b_o": np.full((1, 6), 2.0)}, "6 cells of b_O"),
        ({"b_o": None}, "b_O removed"),
    ],
)
def test_changes_of_b_o_in_words(biased, changes, words):
    assert difference(biased, replace(biased, **changes)) == words


def test_a_cell_of_b_v_in_words(biased):
    b_v = biased.heads[0].b_v.copy()
    b_v[0, 1] = 0.5
    assert difference(biased, biased.with_head(1, b_v=b_v)) == "b_V h1.2: 0.5"


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda s: replace(s, b_o=np.ones((1, 5))), "b_O is 1 × 5, but this scene needs 1 × 6 (d_"),
        (
            lambda s: s.with_head(1, b_v=np.ones((1, 2))),
            "b_V of head “h1” is 1 × 2, but this scene needs 1 × 3 (one row, d_v columns).",
        ),
        (
            lambda s: s.with_head(1, b_v=np.full((1, 3), np.nan)),
            "b_V of head “h1” must hold numbers from -1e+30 to 1e+30; row 1, column 1 is nan.",
        ),
    ],
)
def test_biases_that_do_not_fit(biased, make, sentence):
    with pytest.raises(UserError) as caught:
        make(biased)
    assert str(caught.value).startswith(sentence)
