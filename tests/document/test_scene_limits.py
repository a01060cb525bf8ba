"""How large a scene can be: layers of real models fit, and what does not is refused by number."""

import io
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from mhagui import core
from mhagui.document import Head, Pattern, Scene, Session, compute, write_session
from mhagui.document.compute import MOST_MAPPED
from mhagui.document.edits import SetProjectionBlock, set_gain, set_muted
from mhagui.document.filter_bank import identity_of, in_bounds
from mhagui.document.new_scene import new_scene
from mhagui.document.recall import block_width
from mhagui.document.scene import MAX_MADE, MAX_NUMBERS, check_numbers
from mhagui.document.session_file import read_session, session_from_bytes, session_to_bytes
from mhagui.errors import UserError

LAYERS = {  # T, H, d_k, d_model
    "SmolLM2-135M": (4096, 9, 64, 576),
    "GPT-2 small": (1024, 12, 64, 768),
    "GPT-2 XL": (1024, 25, 64, 1600),
    "LLaMA-1B": (512, 32, 64, 2048),
    "heads of 256": (256, 8, 256, 2048),
}


def layer(n_positions, n_heads, width, d_model):
    """A layer of hand-set heads of random numbers."""
    dice = np.random.default_rng(3)

    def numbers(rows, columns):
        return dice.standard_normal((rows, columns)) / columns**0.5

    heads = [
        Head(
            uid,
            f"L0 H{uid}",
            Pattern.HAND_SET,
            numbers(d_model, width),
            q=numbers(n_positions, width),
            k=numbers(n_positions, width),
        )
        for uid in range(1, n_heads + 1)
    ]
    x, w_o = numbers(n_positions, d_model), numbers(n_heads * width, d_model)
    return Scene("a layer", "", heads, x, w_o, width)


@pytest.mark.parametrize("sizes", LAYERS.values(), ids=LAYERS.keys())
def test_layers_of_real_models_fit(sizes):
    n_positions, n_heads, width, d_model = sizes
    n_numbers = n_positions * d_model + 2 * n_heads * width * (d_model + n_positions)
    check_numbers(n_numbers, n_positions, n_heads, width, width, d_model)


def test_what_fitted_before_still_does():
    # 32 projected heads of width 64, T = 4096 and d_model = 256
    check_numbers(4096 * 256 + 4 * 32 * 64 * 256, 4096, 32, 64, 64, 256)


def test_too_many_numbers_are_refused_with_what_to_do():
    with pytest.raises(UserError) as caught:
        new_scene(64, 64, 64, 128, 2048)
    assert str(caught.value) == (
        "The matrices of this scene hold 33,685,504 numbers together, and there can be "
        "16,777,216: take a shorter sequence (T = 64), fewer heads (H = 64) or smaller widths "
        "(d_k = 64, d_v = 128, d_model = 2048)."
    )


def test_heads_that_make_too_much_are_refused():
    with pytest.raises(UserError, match=r"^The heads of this scene make 138,412,032 numbers tog"):
        new_scene(4096, 64, 256, 1, 14)
    new_scene(MAX_MADE // (64 * 528), 64, 256, 1, 14)


def test_a_scene_counts_every_matrix():
    scene = layer(3, 2, 4, 6)
    assert scene.n_numbers == 3 * 6 + 8 * 6 + 2 * (6 * 4 + 2 * 3 * 4)
    half, w_v = np.zeros((MAX_NUMBERS // 4096, 2048)), np.zeros((2048, 64))
    heads = [Head(uid, "h", Pattern.UNIFORM, w_v) for uid in range(1, 65)]
    with pytest.raises(UserError, match=r"^The matrices of this scene hold 16,779,264 numbers"):
        Scene("x", "", heads, half[:1], half, 1)


def test_all_tokens_together_are_bounded():
    scene = new_scene(4096, 1, 1, 1, 1)
    replace(scene, tokens=("x" * 32,) * 4096)
    with pytest.raises(UserError, match=r"^The tokens and the vocabulary have 135,168 characters"):
        replace(scene, tokens=("x" * 33,) * 4096)


@pytest.mark.parametrize(
    ("n_columns", "width"), [(1, 16), (256, 16), (512, 16), (576, 32), (1024, 32), (2048, 64)]
)
def test_there_are_at_most_32_blocks_of_columns(n_columns, width):
    assert block_width(n_columns) == width
    assert -(-n_columns // width) <= 32


# ------------------------------------------------------------------------------------ what is made


@pytest.fixture(scope="module")
def wide():
    return layer(12, 5, 8, MOST_MAPPED + 24)


def test_a_wide_layer_is_what_the_plain_formula_says(wide):
    result, total = compute(wide), 0
    for place, head in enumerate(wide.heads):
        scores = head.q @ head.k.T / np.sqrt(wide.d_k)
        scores[np.triu_indices(12, 1)] = -np.inf
        weights = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        term = weights @ (wide.x @ (head.w_v @ wide.w_o[wide.rows_of(place)]))
        assert_allclose(result.heads[place].term, term, atol=1e-12)
        total = total + term
    assert_allclose(result.output, total, atol=1e-12)
    assert 0 < in_bounds(result) < 1
    assert result.residual_bound < 1e-9


def test_what_changes_in_a_wide_layer_is_what_all_anew_would_be(wide):
    before = compute(wide)
    for edit in (
        set_gain(2, 3.0),
        set_muted(3, True),
        SetProjectionBlock(9, 40, np.array([[7.0]])),
    ):
        after = edit.apply(wide)
        one, other = compute(after, before), compute(after)
        assert one.output.tobytes() == other.output.tobytes()
        assert one.terms.tobytes() == other.terms.tobytes()
        assert one.filter_bank_residual == other.filter_bank_residual <= other.residual_bound


def test_what_the_residual_is_of_is_said(wide):
    assert identity_of(compute(wide)) == "max |Concat·W_O − Σ_h O_h W_O^(h)|"
    usual = compute(new_scene(6, 2, 2, 2, MOST_MAPPED))
    assert identity_of(usual) == "max |Concat·W_O − Σ_h A_h X W_V^h W_O^(h)|"


def test_a_gain_in_a_wide_layer_makes_no_channel_map(wide):
    made = compute(set_gain(2, 3.0).apply(wide), compute(wide)).made
    assert not any("channels" in step or "mixed" in step for step in made)


@given(
    st.integers(1, 4), st.integers(1, 6), st.integers(1, 9), st.integers(0, 2**32 - 1)
)  # fmt: skip
def test_the_bound_of_contributions_holds(n_heads, width, d_model, seed):
    dice = np.random.default_rng(seed)
    magnitude = 10.0 ** dice.integers(-8, 8)
    outputs = dice.standard_normal((n_heads, 7, width)) * magnitude
    w_o = dice.standard_normal((n_heads * width, d_model)) / magnitude
    reach = np.abs(outputs).max(axis=1).reshape(-1)
    bound = core.synthesis_bound(reach, w_o, n_heads)
    assert core.filter_bank_residual(outputs, w_o) <= bound
    largest = (reach[:, None] * np.abs(w_o)).sum(axis=0).max()
    n_products = n_heads * width + width + n_heads
    assert bound == pytest.approx(2 * n_products * 2.0**-52 * largest, rel=1e-12)


@pytest.mark.parametrize(
    ("reach", "n_heads", "sentence"),
    [
        ([1.0, 1.0, 1.0], 2, r"^n_heads must divide the 3 rows of w_o, got 2\.$"),
        ([1.0, 1.0], 3, r"^reach must .*\(3,\) to match w_o"),
    ],
)
def test_bounds_that_do_not_fit_are_refused(reach, n_heads, sentence):
    with pytest.raises(ValueError, match=sentence):
        core.synthesis_bound(reach, np.ones((3, 2)), n_heads)


# -------------------------------------------------------------------------------------------- files


@pytest.fixture(scope="module")
def large():
    """More numbers than text holds, though not very many."""
    return Session.of(layer(256, 9, 64, 1600))


def test_a_scene_too_large_for_text_is_kept_in_a_session_file(large, tmp_path):
    path = tmp_path / "large.json"
    with pytest.raises(UserError, match=r"and JSON text holds at most 2,500,000 in 50,000: save"):
        write_session(path, large)
    assert not path.exists()
    write_session(path.with_suffix(".mhascene"), large)
    assert read_session(path.with_suffix(".mhascene")) == large


def test_a_large_scene_that_was_deflated_by_hand_is_refused():
    data = session_to_bytes(Session.of(layer(2048, 8, 64, 1600)))
    file = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as stored,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=0) as deflated,
    ):
        for name in stored.namelist():
            deflated.writestr(name, stored.read(name))
    with pytest.raises(UserError, match=r"at most 33,554,432: a scene as large as that is stored"):
        session_from_bytes(file.getvalue())
