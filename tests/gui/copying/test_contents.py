"""The tables of every panel hold the numbers of the frame, whatever the scene."""

from dataclasses import replace

import numpy as np
import pytest

from mhagui.data.matrix_text import Notation, text_of
from mhagui.document import Quantity, ViewState, WhatIf, compute, lesson_names, load_lesson
from mhagui.document.edits import RemoveHead, SetSequenceLength, set_muted
from mhagui.document.source_edits import SetSource
from mhagui.document.token_source import SourceKind
from mhagui.errors import UserError
from mhagui.figures import FIGURES
from mhagui.gui.bench import Frame
from mhagui.gui.copying.contents import contents_of, title_of

PAGES = {
    "headsDock": ("",),
    "heatmapsDock": ("",),
    "pipelineDock": ("",),
    "cellDock": ("",),
    "outputProjectionDock": ("",),
    "filterBankDock": ("Filter bank", "Ablation site"),
    "weightsDock": ("X", "W_Q", "W_K", "W_V", "Q K V"),
    "impulseDock": ("Taps", "Frequency response"),
    "entropyDock": ("",),
    "rankDock": ("",),
    "informationDock": ("",),
    "costDock": ("",),
}


def frame_of(scene, **looks):
    return Frame(scene, compute(scene), replace(ViewState.of(scene), **looks), 0.0, scene)


def all_contents(frame):
    for panel, pages in PAGES.items():
        for page in pages:
            yield contents_of(panel, frame, page)


def table(frame, panel, name, page=""):
    parts = contents_of(panel, frame, page).parts
    return next(part for part in parts if part.name == name).make()


def scenes():
    four = load_lesson("four-heads")
    yield from map(load_lesson, lesson_names())
    yield SetSequenceLength(1).apply(four)
    one = four
    for head in four.heads[1:]:
        one = RemoveHead(head.uid).apply(one)
    yield one


@pytest.mark.parametrize(
    "scene", list(scenes()), ids=lambda scene: f"{scene.title}, {scene.n_heads}"
)
def test_all_of_every_panel_can_be_written_in_every_notation(scene):
    frame = frame_of(scene)
    for contents in all_contents(frame):
        assert contents.figure in FIGURES
        assert contents.parts
        names = [part.name for part in contents.parts]
        assert len(set(names)) == len(names)
        for part in contents.parts:
            if (
                part.name.startswith("O with columns")
                and scene.n_heads * scene.d_v != scene.d_model
            ):
                with pytest.raises(UserError, match="could be mistaken"):
                    part.make()
                continue
            for notation in Notation:
                assert text_of(part.make(), notation)


def test_the_stages_of_the_pipeline_are_those_shown():
    scene = load_lesson("four-heads")
    names = []
    for stage in range(8):
        parts = contents_of("pipelineDock", frame_of(scene, stage=stage)).parts
        names.append(parts[0].name)
    assert names == ["K", "Q·Kᵀ", "S", "g·S", "masked", "A", "O_h", "O_h·W_O^(h)"]
    frame = frame_of(scene, stage=5)
    weights = table(frame, "pipelineDock", "A")
    assert np.array_equal(weights.values, frame.result.heads[0].weights)
    assert np.array_equal(weights.allowed, np.tri(6, dtype=bool))


def test_the_terms_add_up_to_the_output():
    scene = set_muted(load_lesson("four-heads").heads[1].uid, muted=True).apply(
        load_lesson("four-heads")
    )
    cursor = ViewState.of(scene).cursor
    terms = []
    for head in scene.heads:
        frame = frame_of(scene, cursor=replace(cursor, head=head.uid))
        number = scene.index_of(head.uid) + 1
        terms.append(table(frame, "filterBankDock", f"term of h{number}").values)
    assert not terms[1].any()
    assert np.allclose(sum(terms), frame.result.output, atol=1e-12)
    assert np.array_equal(
        table(frame, "filterBankDock", "sum of all terms").values,
        table(frame, "filterBankDock", "sum up to h4").values,
    )
    norms = table(frame, "filterBankDock", "norms of the terms").values
    assert norms[:, 0] == pytest.approx([np.linalg.norm(term) for term in terms])


def test_taps_are_a_row_of_each_head_beside_its_ideal():
    frame = frame_of(load_lesson("four-heads"))
    taps = table(frame, "impulseDock", "taps of t4", "Taps")
    assert taps.row_labels[:2] == ("h1", "h1 ideal")
    assert taps.column_labels == ("t1", "t2", "t3", "t4")
    of_first = taps.values[[taps.row_labels.index(f"h{n}") for n in range(1, 5)]]
    assert np.array_equal(of_first, [head.weights[3, :4] for head in frame.result.heads])
    assert taps.values[1] == pytest.approx([1, 0, 0, 0])  # the first head looks at the first token


def test_responses_are_fourier_sums_of_the_taps():
    frame = frame_of(load_lesson("four-heads"))
    response = table(frame, "impulseDock", "response of t4", "Frequency response")
    taps = frame.result.heads[2].weights[3, :4]
    omega = response.values[:, 0] * np.pi
    sums = np.abs(np.exp(-1j * np.outer(omega, 3 - np.arange(4))) @ taps)
    magnitude = response.values[:, response.column_labels.index("|H| h3")]
    assert magnitude == pytest.approx(sums, abs=1e-12)


def test_ranks_and_singular_values_are_numpys():
    frame = frame_of(load_lesson("four-heads"))
    head = frame.result.heads[1]
    scores = table(frame, "rankDock", "singular values of Q·Kᵀ").values[:, 1]
    assert scores[0] == np.linalg.matrix_rank(head.q @ head.k.T)
    sigmas = np.linalg.svd(head.q @ head.k.T, compute_uv=False)
    assert scores[1:] == pytest.approx(sigmas[: len(scores) - 1], abs=1e-9)
    weights = table(frame, "rankDock", "singular values of A").values[:, 1]
    assert weights == pytest.approx(np.linalg.svd(head.weights, compute_uv=False), abs=1e-12)
    shares = weights / weights.sum()
    shares = shares[shares > 0]
    effective = table(frame, "rankDock", "effective rank of A").values[0, 1]
    assert effective == pytest.approx(np.exp(-(shares * np.log(shares)).sum()))


def test_singular_values_of_large_weights_wait_until_they_are_asked_for():
    frame = frame_of(SetSequenceLength(257).apply(load_lesson("four-heads")))
    with pytest.raises(UserError, match="press Compute in the Rank dock, then copy"):
        table(frame, "rankDock", "singular values of A")
    for head in frame.result.heads:
        assert head.effective_rank >= 1
    assert table(frame, "rankDock", "singular values of A").values.shape == (257, 4)


def test_the_head_shown_alone_is_the_one_that_is_copied():
    scene = load_lesson("four-heads")
    contents = contents_of("heatmapsDock", frame_of(scene, enlarged=scene.heads[2].uid))
    assert contents.figure == "head"
    assert title_of(contents.figure, contents.frame) == "Weights of h3"
    assert np.array_equal(contents.parts[0].make().values, compute(scene).heads[2].weights)


def test_scores_are_those_of_the_keys_that_may_be_seen():
    scene = load_lesson("four-heads")
    contents = contents_of("heatmapsDock", frame_of(scene, quantity=Quantity.SCORES))
    scores = contents.parts[0].make()
    assert scores.title.startswith("S_1")
    head = compute(scene).heads[0]
    assert scores.values == pytest.approx(head.q @ head.k.T / np.sqrt(scene.d_k))
    assert not scores.allowed[0, 1:].any()


def test_a_markov_source_has_its_matrix():
    scene = load_lesson("four-heads")
    assert "P" not in [part.name for part in contents_of("informationDock", frame_of(scene)).parts]
    source = scene.source.with_kind(SourceKind.MARKOV)
    frame = frame_of(SetSource(source).apply(scene))
    assert table(frame, "informationDock", "P").values.sum(axis=1) == pytest.approx(1)


def test_costs_are_of_the_sizes_that_are_asked_about():
    sizes = WhatIf(d_model=512, n_heads=8, d_k=64, d_v=64, n_positions=100)
    frame = frame_of(load_lesson("four-heads"), what_if=sizes)
    numbers = table(frame, "costDock", "numbers in each matrix")
    assert numbers.values[list(numbers.row_labels).index("parameters"), 0] == 4 * 512**2
    over_t = table(frame, "costDock", "costs over T")
    row = list(over_t.row_labels).index("T = 1024")
    assert over_t.values[row, 2] == 8 * 1024**2
    over_h = table(frame, "costDock", "costs over H")
    assert over_h.values[list(over_h.row_labels).index("H = 16, d_k kept"), 0] == 64
    assert over_h.values[list(over_h.row_labels).index("H = 16, d_k = d_model/H"), 0] == 32
