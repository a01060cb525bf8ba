"""Information against closed forms and against a count over all sequences done another way."""

import itertools
import math
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mhagui import core


def entropy(probabilities):
    return -sum(p * math.log2(p) for p in probabilities if p > 0)


def counted_information(sequences, observe, follow):
    """Return H(seen) + H(next) − H(both) of (sequence, probability) pairs, by dictionaries."""
    seen, after, both = defaultdict(float), defaultdict(float), defaultdict(float)
    for sequence, probability in sequences:
        for symbol, chance in enumerate(follow(sequence)):
            seen[observe(sequence)] += probability * chance
            after[symbol] += probability * chance
            both[observe(sequence), symbol] += probability * chance
    return entropy(seen.values()) + entropy(after.values()) - entropy(both.values())


def markov(transition):
    def next_tokens(tokens):
        if tokens.shape[1] == 0:
            return np.full((len(tokens), len(transition)), 1 / len(transition))
        return transition[tokens[:, -1]]

    return next_tokens


def repeat_of(lag, n_symbols):
    def next_tokens(tokens):
        if tokens.shape[1] < lag:
            return np.full((len(tokens), n_symbols), 1 / n_symbols)
        return np.eye(n_symbols)[tokens[:, -lag]]

    return next_tokens


def distributions(count):
    return st.lists(st.integers(0, 9), min_size=count, max_size=count).filter(any).map(np.array)


@st.composite
def cases(draw):
    n_symbols, length = draw(st.integers(2, 3)), draw(st.integers(1, 4))
    rows = [draw(distributions(n_symbols)) for _ in range(n_symbols)]
    transition = np.array([row / row.sum() for row in rows])
    weights = draw(distributions(length))
    return transition, weights / weights.sum(), draw(st.sampled_from([0.0, 0.1, 0.25, 0.5]))


@given(cases())
def test_information_is_what_a_count_over_all_sequences_says(case):
    transition, weights, resolution = case
    n_symbols, length = len(transition), len(weights)
    every = []
    for sequence in itertools.product(range(n_symbols), repeat=length):
        steps = itertools.pairwise(sequence)
        probability = math.prod(float(transition[a, b]) for a, b in steps) / n_symbols
        every.append((sequence, probability))

    def observe(sequence):
        sums = [
            sum(w for w, x in zip(weights.tolist(), sequence, strict=True) if x == s)
            for s in range(n_symbols)
        ]
        step = resolution or 1e-12
        return tuple(math.floor(total / step + 0.5 + 1e-6) for total in sums)

    wanted = counted_information(every, observe, lambda sequence: transition[sequence[-1]])
    rule = markov(transition)
    sequences, probabilities = core.enumerate_tokens(rule, length)
    labels = core.observed_labels(weights, sequences, n_symbols, resolution)
    found = core.information_bits(labels, probabilities, rule(sequences))
    assert found == pytest.approx(wanted, abs=1e-9)


@given(cases())
def test_no_observation_tells_more_than_the_whole_past_and_two_tell_no_less_than_one(case):
    transition, weights, resolution = case
    rule = markov(transition)
    sequences, probabilities = core.enumerate_tokens(rule, len(weights))
    following = rule(sequences)

    def bits(labels):
        return core.information_bits(labels, probabilities, following)

    one = core.observed_labels(weights, sequences, len(transition), resolution)
    other = core.observed_labels(weights[::-1], sequences, len(transition), resolution)
    both = bits(core.joint_labels(one, other))
    assert max(bits(one), bits(other)) <= both + 1e-12
    assert both <= bits(np.arange(len(sequences))) + 1e-12


@pytest.mark.parametrize("n_symbols", [2, 3, 4])
def test_a_copy_from_two_back_is_known_to_a_sharp_delay_and_unknown_to_a_sharp_self(n_symbols):
    rule = repeat_of(2, n_symbols)
    sequences, probabilities = core.enumerate_tokens(rule, 4)
    following = rule(sequences)
    for weights, wanted in (([0, 0, 1, 0], math.log2(n_symbols)), ([0, 0, 0, 1], 0.0)):
        labels = core.observed_labels(weights, sequences, n_symbols)
        assert core.information_bits(labels, probabilities, following) == pytest.approx(
            wanted, abs=1e-12
        )


def test_a_row_per_sequence_is_read_as_such():
    sequences = np.array([[0, 1], [1, 0]])
    by_content = core.observed_labels([[1.0, 0.0], [0.0, 1.0]], sequences, 2)
    assert by_content[0] == by_content[1]  # both look at their 0
    by_place = core.observed_labels([1.0, 0.0], sequences, 2)
    assert by_place[0] != by_place[1]


def test_halves_round_up_whatever_rounding_left_of_them():
    sequences = np.array([[0, 1, 1, 1], [1, 1, 1, 1], [0, 0, 0, 1]])
    weights = [0.25 - 1e-15, 0.25, 0.25, 0.25]  # on symbol 0: just below a half step, 0, 0.75
    labels = core.observed_labels(weights, sequences, 2, 0.5)
    assert len(set(labels.tolist())) == 3


# ------------------------------------------------------------------------------------ enumeration


def test_sequences_are_those_of_positive_probability_in_order():
    sequences, probabilities = core.enumerate_tokens(repeat_of(1, 3), 5)
    assert sequences.tolist() == [[symbol] * 5 for symbol in range(3)]
    assert probabilities.tolist() == pytest.approx([1 / 3] * 3)


def test_what_is_too_long_gives_the_longest_that_is_not():
    fair = markov(np.full((2, 2), 0.5))
    sequences, probabilities = core.enumerate_tokens(fair, 30)
    assert sequences.shape == (2**16, 16)  # 65,536 sequences, 2²⁰ tokens
    assert probabilities.sum() == pytest.approx(1.0)
    assert core.enumerate_tokens(fair, 30, 8)[0].shape == (8, 3)
    assert core.enumerate_tokens(fair, 5, 1)[0].shape[1] == 0


def test_the_limit_of_tokens_bounds_sources_of_few_long_sequences():
    sequences, _ = core.enumerate_tokens(repeat_of(10, 2), 4096)
    assert sequences.shape == (1024, 1024)
    assert np.array_equal(sequences[:, 10:20], sequences[:, :10])


# ------------------------------------------------------------------------------------- refusals


def test_mutual_information_of_independent_and_of_equal_variables():
    p = np.array([0.1, 0.2, 0.7])
    assert core.mutual_information_bits(np.outer(p, [0.5, 0.5])) == pytest.approx(0.0, abs=1e-12)
    assert core.mutual_information_bits(np.diag(p)) == pytest.approx(entropy(p))


def test_probabilities_whose_product_is_too_small_for_a_number_count_as_nearly_nothing():
    assert core.mutual_information_bits([[1e-320, 1e-200], [0.0, 1.0]]) == pytest.approx(0.0)


def test_labels_of_a_narrow_type_do_not_overflow():
    narrow = np.arange(256, dtype=np.uint8)
    assert core.joint_labels(narrow, narrow).tolist() == list(range(256))


@pytest.mark.parametrize("labels", [[0.5, 1.0], [-1, 0], [2**40, 0]])
def test_labels_that_are_none_are_refused(labels):
    with pytest.raises(ValueError, match="one must hold integers from 0"):
        core.joint_labels(labels, [0, 1])
    with pytest.raises(ValueError, match="other must hold integers from 0"):
        core.joint_labels([0, 1], labels)
    with pytest.raises(ValueError, match="labels must hold integers from 0"):
        core.information_bits(labels, [0.5, 0.5], np.eye(2))


@pytest.mark.parametrize("joint", [[[0.5, 0.6]], [[1.5, -0.5]], [[[1.0]]], [[math.nan]]])
def test_what_is_no_joint_distribution_is_refused(joint):
    with pytest.raises(ValueError, match="joint must"):
        core.mutual_information_bits(joint)


def test_a_sum_that_nearly_is_one_is_told_with_all_digits_that_matter():
    with pytest.raises(ValueError, match=r"got a sum of 1\.000002\."):
        core.mutual_information_bits([[0.5, 0.500002]])


def test_what_does_not_fit_is_refused_by_name():
    sequences = np.zeros((3, 2), int)
    with pytest.raises(ValueError, match="weights must have shape"):
        core.observed_labels([1.0, 0.0, 0.0], sequences, 2)
    with pytest.raises(ValueError, match="weights must be finite"):
        core.observed_labels([math.nan, 0.0], sequences, 2)
    for resolution in (-0.1, 1e-320):
        with pytest.raises(ValueError, match="resolution must be 0, or 1e-12 or more"):
            core.observed_labels([1.0, 0.0], sequences, 2, resolution)
    with pytest.raises(ValueError, match="sequences must have shape"):
        core.observed_labels([1.0, 0.0], [0, 1], 2)
    with pytest.raises(ValueError, match="other must have shape"):
        core.joint_labels([0, 1], [0])
    with pytest.raises(ValueError, match="following must have shape"):
        core.information_bits([0, 1], [0.5, 0.5], [[1.0, 0.0]])
    with pytest.raises(ValueError, match="length must be an integer"):
        core.enumerate_tokens(repeat_of(1, 2), 0)
