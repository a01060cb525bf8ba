import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mhagui._resources import resource_path
from mhagui.document import (
    Pattern,
    compute,
    lesson_names,
    load_lesson,
    load_scene,
    scene_to_json,
)
from mhagui.document.edits import SetSequenceLength, set_key_magnitude, set_muted
from mhagui.document.token_edits import RepeatToken, SetTokens, SwapTokens
from mhagui.errors import UserError

PATTERNS = [Pattern.FIRST_TOKEN, Pattern.PREVIOUS_TOKEN, Pattern.SELF, Pattern.UNIFORM]


NAMES = ["four-heads", "two-heads", "content-position", "induction"]


def test_there_are_four_lessons():
    assert lesson_names() == tuple(NAMES)
    files = Path(__file__).parents[2].joinpath("resources", "lessons").glob("*.json")
    assert {path.stem for path in files} == set(NAMES)


# --------------------------------------------------------------------------------------- two heads


def test_two_heads_has_the_lessons_x_values_and_w_o(two_heads, expected):
    lesson = expected["two_heads"]
    eye = np.eye(4)
    assert two_heads.x.tolist() == eye.tolist()
    assert compute(two_heads).heads[0].values.tolist() == eye[:, 2:4].tolist()
    assert compute(two_heads).heads[1].values.tolist() == eye[:, 0:2].tolist()
    assert two_heads.w_o.tolist() == lesson["w_o"]
    sizes = (two_heads.n_positions, two_heads.n_heads, two_heads.d_model)
    assert sizes == (lesson["T"], lesson["H"], lesson["d_model"])
    assert (two_heads.d_k, two_heads.d_v) == (lesson["d_k"], lesson["d_v"])
    assert [head.pattern for head in two_heads.heads] == [Pattern.SELF, Pattern.UNIFORM]


def test_two_heads_gives_the_lessons_weights_concat_and_output(two_heads, expected):
    lesson, result = expected["two_heads"], compute(two_heads)
    for head, weights in zip(result.heads, lesson["attention"], strict=True):
        assert_allclose(head.weights, weights, rtol=0, atol=1e-15)
    assert_allclose(result.concat, lesson["concat"], rtol=0, atol=1e-15)
    assert_allclose(result.output, lesson["output"], rtol=0, atol=1e-15)


def test_two_heads_has_no_filter_bank_residual(two_heads):
    assert compute(two_heads).filter_bank_residual == 0.0


# -------------------------------------------------------------------------------------- four heads


def test_four_heads_are_the_lessons(four_heads, expected):
    lesson = expected["four_heads"]
    assert (four_heads.n_positions, four_heads.d_k) == (lesson["T"], lesson["d_k"])
    assert [head.name for head in four_heads.heads] == lesson["heads"]
    assert [head.pattern for head in four_heads.heads] == PATTERNS
    for head in four_heads.heads:
        assert (head.gain, head.key_magnitude, head.muted, head.soloed) == (1.0, 3.0, False, False)


def test_four_heads_give_the_lessons_weights_entropies_and_ranks(four_heads, expected):
    lesson, result = expected["four_heads"], compute(four_heads)
    for h, head in enumerate(result.heads):
        assert_allclose(head.weights, lesson["attention"][h], rtol=0, atol=1e-15)
        assert_allclose(head.row_entropy_bits, lesson["row_entropy_bits"][h], rtol=0, atol=2e-15)
    assert [head.score_rank for head in result.heads] == lesson["score_rank"]
    assert_allclose(
        [head.effective_positions[3] for head in result.heads[1:3]], [1.38, 1.18], atol=5e-3
    )


def test_a_sharper_first_token_head_is_that_of_exercise_6(four_heads, expected):
    lesson = expected["exercises"]["6"]
    for magnitude, bits in zip(lesson["key_magnitude"], lesson["entropy_bits_at_t6"], strict=True):
        result = compute(set_key_magnitude(1, magnitude).apply(four_heads))
        assert result.heads[0].row_entropy_bits[5] == pytest.approx(bits, abs=1e-14)


def test_x_of_four_heads_makes_padded_queries_out_of_w_q(four_heads):
    assert four_heads.x.tolist() == np.eye(6, 8).tolist()
    for head in compute(four_heads).heads:
        w_q = np.vstack([head.q, np.zeros((2, 2))])
        assert (four_heads.x @ w_q).tolist() == head.q.tolist()


def test_what_four_heads_says_of_its_w_o_is_so(four_heads):
    assert "W_V and W_O here are ours" in four_heads.description
    assert "mixes heads in channels 1, 3, 6 and 8" in four_heads.description
    heard = (compute(four_heads).listening > 0).sum(axis=1)
    assert [channel for channel, n in enumerate(heard, 1) if n > 1] == [1, 3, 6, 8]
    assert "each head carries two of the token features" in four_heads.description
    for head in four_heads.heads:
        assert sorted(head.w_v.sum(axis=0)) == [1.0, 1.0]
        assert (head.w_v[:6] == 1.0).sum() == 2


# --------------------------------------------------------------------------- content and position


@pytest.fixture(scope="module")
def content_position():
    return load_lesson("content-position")


def weights_of(scene):
    return [head.weights for head in compute(scene).heads]


def test_at_first_its_heads_are_those_of_the_four_heads(content_position, expected):
    first, previous, itself, _ = expected["four_heads"]["attention"]
    designs = [first, previous, itself, itself]
    for weights, design in zip(weights_of(content_position), designs, strict=True):
        assert_allclose(weights, design, rtol=0, atol=1e-15)


def test_its_x_is_a_word_and_a_position(content_position):
    angles = 2 * np.pi * np.arange(1, 7) / 6
    position = np.column_stack([np.cos(angles), np.sin(angles)])
    assert content_position.x[:, :6].tolist() == np.eye(6).tolist()
    assert_allclose(content_position.x[:, 6:], position, rtol=0, atol=1e-15)


@pytest.mark.parametrize("to", range(1, 6))
def test_the_content_head_follows_cat_and_positional_heads_stay(content_position, to):
    before, after = (
        weights_of(content_position),
        weights_of(SwapTokens(0, to).apply(content_position)),
    )
    for head in (1, 2):
        assert after[head].tobytes() == before[head].tobytes()
    score = np.exp(3 / np.sqrt(2))
    for row in range(to, 6):  # one key of all that row t may see stands out
        assert after[0][row, to] == pytest.approx(score / (score + row), abs=1e-15)
    assert after[0][to - 1, :to] == pytest.approx(1 / to)  # above it, cat is not to be seen


def test_a_repeated_word_parts_head_4_from_head_3(content_position):
    before, after = (
        weights_of(content_position),
        weights_of(RepeatToken(0, 4).apply(content_position)),
    )
    assert after[3][4, 0] == pytest.approx(after[3][4, 4], abs=1e-15)
    assert after[3][4, 4] > 0.45
    assert after[2].tobytes() == before[2].tobytes()


def test_head_2_finds_the_previous_token_at_six_positions_alone(content_position):
    assert "one step at T = 6 alone" in content_position.description
    longer = weights_of(SetSequenceLength(12).apply(content_position))[1]
    assert [int(row.argmax()) for row in longer[3:]] == list(range(1, 10))  # two steps back


# --------------------------------------------------------------------------------------- induction


@pytest.fixture(scope="module")
def induction():
    return load_lesson("induction")


def after_earlier_copies(tokens, row):
    """The positions right after those where the token of ``row`` stood before."""
    return [i for i in range(1, row + 1) if tokens[i - 1] == tokens[row]]


SEQUENCES = ["^ A B C D A B C", "^ A A B A", "^ the cat sat on the mat the cat", "^ x y z w z x"]


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_a_row_looks_where_its_token_was_followed(induction, sequence):
    tokens = tuple(sequence.split())
    weights = weights_of(SetTokens(tokens).apply(induction))[1]
    for row in range(len(tokens)):
        places = after_earlier_copies(tokens, row)
        looked_at = weights[row, places] if places else weights[row, : row + 1]
        assert_allclose(looked_at, looked_at.sum() / len(looked_at), atol=1e-3)
        assert looked_at.sum() > 0.99


def test_it_predicts_what_followed_last_time(induction):
    result = compute(induction)
    assert result.heads[1].weights[5:, 2:5].diagonal().min() > 0.9
    words = result.output[:, :8]
    assert induction.vocabulary[int(words[-1].argmax())] == "D"
    assert words[-1].max() > 0.9
    before = result.output[1:, 8:]  # what head 1 has written is the word before
    assert_allclose(before, induction.x[:-1, :8], rtol=0, atol=1e-4)


def test_without_the_first_head_the_second_has_no_pattern(induction):
    weights = weights_of(set_muted(1, True).apply(induction))[1]
    uniform = np.tril(np.ones((8, 8))) / np.arange(1, 9)[:, None]
    assert_allclose(weights, uniform, rtol=0, atol=1e-15)


def test_without_a_mark_the_first_token_is_its_own_predecessor(induction):
    weights = weights_of(SetTokens(("A", "B", "A")).apply(induction))[1]
    assert weights[2, :2] == pytest.approx([0.5, 0.5], abs=1e-3)


# ----------------------------------------------------------------------------------------- by name


@pytest.mark.parametrize("name", NAMES)
def test_a_name_means_a_lesson(name):
    assert load_scene(name) == load_lesson(name)
    title = json.loads(resource_path("lessons", f"{name}.json").read_bytes())["title"]
    assert load_scene(name).title == title
    assert title.replace(" and ", " ") == name.replace("-", " ")


def test_anything_else_means_a_file(tmp_path, two_heads, monkeypatch):
    (tmp_path / "mine.json").write_bytes(scene_to_json(two_heads))
    monkeypatch.chdir(tmp_path)
    assert load_scene("mine.json") == two_heads


def test_a_file_does_not_hide_a_lesson(tmp_path, two_heads, four_heads, monkeypatch):
    (tmp_path / "four-heads").write_bytes(scene_to_json(two_heads))
    monkeypatch.chdir(tmp_path)
    assert load_scene("four-heads") == four_heads
    assert load_scene("./four-heads") == two_heads


@pytest.mark.parametrize("name", ["three-heads", "", "../lessons/two-heads", "two-heads.json"])
def test_lessons_there_are_not(name):
    with pytest.raises(UserError) as caught:
        load_lesson(name)
    lessons = "the lessons are four-heads, two-heads, content-position and induction."
    assert str(caught.value) == f"There is no lesson “{name}”; {lessons}"


def test_a_name_that_means_nothing():
    with pytest.raises(UserError) as caught:
        load_scene("five-heads")
    assert str(caught.value) == (
        "“five-heads” is neither a lesson (four-heads, two-heads, content-position and induction) "
        "nor a file that is there."
    )


def test_a_file_that_is_there_but_no_scene_says_so(tmp_path):
    path = tmp_path / "x.json"
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(UserError, match="is not a scene this version can open: it lacks"):
        load_scene(str(path))
