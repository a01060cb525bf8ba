"""Token sources: what each kind is, and what is none."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mhagui import core
from mhagui.document import load_lesson
from mhagui.document.source_edits import SetSource
from mhagui.document.token_source import SourceKind, TokenSource
from mhagui.errors import UserError


def sequences(source, length):
    tokens, probabilities = core.enumerate_tokens(source.next_tokens, length)
    return {tuple(row): p for row, p in zip(tokens.tolist(), probabilities.tolist(), strict=True)}


def test_an_iid_source_makes_all_sequences_alike():
    found = sequences(TokenSource(SourceKind.IID, 3), 4)
    assert len(found) == 81
    assert list(found.values()) == pytest.approx([3**-4] * 81)


def test_a_periodic_source_counts_on_from_any_symbol():
    found = sequences(TokenSource(SourceKind.PERIODIC, 3), 4)
    assert found == {s: pytest.approx(1 / 3) for s in [(0, 1, 2, 0), (1, 2, 0, 1), (2, 0, 1, 2)]}


def test_a_copy_repeats_what_was_k_back():
    found = sequences(TokenSource(SourceKind.COPY, 2, lag=3), 7)
    assert len(found) == 8
    assert all(s[3:6] == s[:3] and s[6] == s[0] for s in found)


def test_a_sum_of_two_symbols_is_their_exclusive_or():
    found = sequences(TokenSource(SourceKind.SUM, 2), 4)
    assert set(found) == {(a, b, a ^ b, b ^ a ^ b) for a in (0, 1) for b in (0, 1)}


def test_a_bit_of_each_of_two_makes_the_next_symbol():
    found = sequences(TokenSource(SourceKind.PARTS, 4), 3)
    bits = [(a, b) for a in (0, 1) for b in (0, 1)]
    pairs = [(one, other) for one in bits for other in bits]
    assert set(found) == {(2 * a1 + b1, 2 * a2 + b2, 2 * b2 + a1) for (a1, b1), (a2, b2) in pairs}
    with pytest.raises(UserError, match="has 4 symbols"):
        TokenSource(SourceKind.PARTS, 3)
    for n_symbols in (2, 4, 8):
        assert TokenSource(n_symbols=n_symbols).with_kind(SourceKind.PARTS).n_symbols == 4


def test_a_markov_source_starts_alike_and_follows_its_matrix():
    source = TokenSource(SourceKind.MARKOV, 2, transition=[[0.75, 0.25], [1.0, 0.0]])
    found = sequences(source, 3)
    assert found[0, 0, 1] == pytest.approx(0.5 * 0.75 * 0.25)
    assert found[1, 0, 1] == pytest.approx(0.5 * 1.0 * 0.25)
    assert (1, 1, 0) not in found


@pytest.mark.parametrize("miss", [9e-7, -9e-7])
def test_rows_that_miss_one_by_a_little_make_probabilities_that_do_not(miss):
    source = TokenSource(SourceKind.MARKOV, 2, transition=[[0.6, 0.4 + miss], [0.4 + miss, 0.6]])
    tokens, probabilities = core.enumerate_tokens(source.next_tokens, 12)
    assert probabilities.sum() == pytest.approx(1, abs=1e-12)
    after = source.next_tokens(tokens)
    assert after.sum(axis=1) == pytest.approx(np.ones(len(tokens)), abs=1e-12)
    assert core.information_bits(tokens[:, -1], probabilities, after) > 0.01
    assert source.probabilities[0, 1] == 0.4 + miss  # as it was given


def test_a_refused_row_is_told_with_all_digits_that_matter():
    with pytest.raises(UserError, match=r"it sums to 1\.000002\."):
        TokenSource(SourceKind.MARKOV, 2, transition=[[0.6, 0.400002], [0.5, 0.5]])


def test_the_matrix_one_starts_with_stays_with_nine_in_ten():
    matrix = TokenSource(SourceKind.MARKOV, 3).probabilities
    assert np.diag(matrix).tolist() == [0.9] * 3
    assert matrix.sum(axis=1) == pytest.approx(np.ones(3))
    assert not matrix.flags.writeable


def test_another_number_of_symbols_brings_a_matrix_of_that_size():
    source = TokenSource(SourceKind.MARKOV, 2, resolution=0.5).with_symbols(4)
    assert source.probabilities.shape == (4, 4)
    assert source.resolution == 0.5


@given(st.lists(st.floats(0, 1), min_size=3, max_size=3), st.integers(0, 2), st.floats(0, 1))
def test_a_probability_is_set_and_its_row_still_sums_to_one(row, column, wanted):
    total = sum(row)
    first = [part / total for part in row] if total > 1e-3 else [1.0, 0.0, 0.0]
    source = TokenSource(SourceKind.MARKOV, 3, transition=[first, [0, 1, 0], [0, 0, 1]])
    changed = source.with_probability(0, column, wanted).probabilities
    assert changed[0, column] == wanted
    assert changed[0].sum() == pytest.approx(1.0)
    assert changed[1:].tolist() == [[0, 1, 0], [0, 0, 1]]


def test_the_rest_of_a_row_keeps_its_ratios():
    source = TokenSource(SourceKind.MARKOV, 3, transition=[[0.5, 0.3, 0.2], [0, 1, 0], [0, 0, 1]])
    assert source.with_probability(0, 0, 0.0).probabilities[0] == pytest.approx([0, 0.6, 0.4])


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"kind": "none"}, "A token source is one of"),
        ({"n_symbols": 1}, "number of symbols S must be a whole number from 2 to 8; got 1"),
        ({"n_symbols": True}, "number of symbols"),
        ({"lag": 0}, "lag k must be"),
        ({"lag": 2.5}, "lag k must be"),
        ({"transition": [[1.0]]}, "must be 2 × 2"),
        ({"transition": [[0.5, 0.4], [0, 1]]}, "Row 1 of the transition matrix must sum to 1"),
        ({"transition": [[0, 1], [1.5, -0.5]]}, "Row 2 .* from 0 to 1"),
        ({"transition": [[0, 1], [np.nan, 1]]}, "Row 2 .* from 0 to 1"),
        ({"resolution": -0.1}, "resolution must be 0"),
        ({"resolution": 0.0001}, "resolution must be 0"),
        ({"resolution": np.nan}, "resolution must be 0"),
    ],
)
def test_what_is_no_source_is_refused_in_a_sentence(fields, sentence):
    with pytest.raises(UserError, match=sentence):
        replace(TokenSource(SourceKind.MARKOV), **fields)


def test_a_probability_beyond_one_is_refused():
    with pytest.raises(UserError, match=r"from 0 to 1; got 1\.5"):
        TokenSource(SourceKind.MARKOV).with_probability(0, 0, 1.5)


@pytest.mark.parametrize(
    ("lag", "line"),
    [
        (1, "X₁ uniform, then X_{t+1} = X_t"),
        (2, "X₁, X₂ i.i.d., then X_{t+1} = X_{t−1}"),
        (12, "X₁..X₁₂ i.i.d., then X_{t+1} = X_{t−11}"),
    ],
)
def test_a_copy_is_written_as_a_formula(lag, line):
    assert TokenSource(SourceKind.COPY, lag=lag).formula == line


def test_sources_are_equal_by_value():
    assert TokenSource() == TokenSource(SourceKind.COPY, 2, 2)
    assert TokenSource() != TokenSource(resolution=0.5)


def test_the_edit_changes_the_source_alone():
    scene = load_lesson("four-heads")
    source = TokenSource(SourceKind.SUM, 3)
    edit = SetSource(source, "Change token source")
    assert edit.apply(scene).source is source
    assert replace(edit.apply(scene), source=scene.source) == scene
