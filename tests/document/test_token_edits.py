from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mhagui.document import Head, History, Pattern, Scene, load_lesson
from mhagui.document.edits import HandSet
from mhagui.document.scene_file import scene_from_json, scene_to_json
from mhagui.document.scene_input import embedded_tokens
from mhagui.document.token_edits import DragTokens, MoveToken, RepeatToken, SetTokens, SwapTokens
from mhagui.errors import UserError

PLACES = st.integers(0, 5)
WORDS = ["cat", "sat", "on", "the", "red", "mat"]


@pytest.fixture(scope="module")
def scene():
    return load_lesson("content-position")


def is_made_of_its_tokens(scene):
    made = embedded_tokens(
        scene.tokens, scene.vocabulary, scene.d_model, has_position_code=scene.has_position_code
    )
    return scene.x.tobytes() == made.tobytes()


@given(PLACES, PLACES)
def test_a_swap(scene, one, other):
    after = SwapTokens(one, other).apply(scene)
    words = WORDS.copy()
    words[one], words[other] = words[other], words[one]
    assert after.tokens == tuple(words)
    assert is_made_of_its_tokens(after)
    assert SwapTokens(other, one).apply(after) == scene


@given(PLACES, PLACES)
def test_a_move(scene, token, to):
    after = MoveToken(token, to).apply(scene)
    others = [word for word in WORDS if word != WORDS[token]]
    assert after.tokens == (*others[:to], WORDS[token], *others[to:])
    assert is_made_of_its_tokens(after)
    assert MoveToken(to, token).apply(after) == scene


@given(PLACES, PLACES)
def test_a_repetition(scene, source, target):
    after = RepeatToken(source, target).apply(scene)
    assert after.tokens == tuple(WORDS[source if place == target else place] for place in range(6))
    assert is_made_of_its_tokens(after)


def test_what_the_edits_are_called():
    assert SwapTokens(4, 1).text == "Swap t2 and t5"
    assert MoveToken(4, 1).text == "Move t5 to t2"
    assert RepeatToken(0, 3).text == "Repeat t1 at t4"


def test_the_content_goes_with_a_token_as_it_is_and_the_rest_stays(scene):
    x = np.arange(48.0).reshape(6, 8)
    by_hand = Scene(
        "by hand", "", scene.heads, x, scene.w_o, 2, tokens=scene.tokens,
        vocabulary=scene.vocabulary, has_position_code=True,
    )  # fmt: skip
    after = MoveToken(0, 5).apply(by_hand)
    assert after.x[:, :6].tolist() == x[[1, 2, 3, 4, 5, 0], :6].tolist()
    assert after.x[:, 6:].tolist() == x[:, 6:].tolist()


def named(**changes):
    head = Head(1, "self", Pattern.SELF, np.eye(2))
    return Scene("named", "", (head,), [[1, 2], [3, 4], [5, 6]], np.eye(2), 2, **changes)


def test_without_a_vocabulary_whole_rows_of_x_go_with_the_tokens():
    after = SwapTokens(0, 2).apply(named(tokens=("a", "b", "c")))
    assert after.tokens == ("c", "b", "a")
    assert after.x.tolist() == [[5, 6], [3, 4], [1, 2]]


@pytest.mark.parametrize("edit", [SwapTokens(0, 1), MoveToken(0, 1), RepeatToken(0, 1)])
def test_without_tokens_nothing_can_be_moved(edit):
    with pytest.raises(UserError, match="positions only"):
        edit.apply(named())


@pytest.mark.parametrize("edit", [SwapTokens(0, 6), MoveToken(6, 0), RepeatToken(-1, 0)])
def test_places_that_are_not_there(scene, edit):
    with pytest.raises(UserError, match=r"at positions 1 to 6; got [07]\."):
        edit.apply(scene)


# ---------------------------------------------------------------------------------------- a drag


def test_a_drag_is_one_step_and_each_moment_starts_from_where_it_began(scene):
    history, gesture = History(scene), object()
    for edit in (SwapTokens(0, 1), SwapTokens(0, 2), RepeatToken(0, 3)):
        history.do(DragTokens(scene, edit), gesture)
    assert history.scene.tokens == ("cat", "sat", "on", "cat", "red", "mat")
    assert (history.n_steps, history.undo_text) == (1, "Repeat t1 at t4")
    history.undo()
    assert history.scene == scene


def test_a_drag_that_ends_where_it_began_never_was(scene):
    history, gesture = History(scene), object()
    history.do(DragTokens(scene, MoveToken(0, 1)), gesture)
    history.do(DragTokens(scene, None), gesture)
    assert history.scene == scene
    assert history.n_steps == 0


# ------------------------------------------------------------------------------------ a sequence


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(tuple))
def test_words_that_are_known(scene, tokens):
    after = SetTokens(tokens).apply(scene)
    assert (after.tokens, after.vocabulary) == (tokens, scene.vocabulary)
    assert after.n_positions == len(tokens)
    assert is_made_of_its_tokens(after)


def test_a_new_word_takes_the_place_of_one_that_is_not_used(scene):
    after = SetTokens(("cat", "dog", "on", "the", "owl", "mat")).apply(scene)
    assert after.vocabulary == ("cat", "dog", "on", "the", "owl", "mat")
    assert is_made_of_its_tokens(after)
    assert scene_from_json(scene_to_json(after)) == after


def test_more_words_than_x_tells_apart(scene):
    with pytest.raises(UserError) as caught:
        SetTokens(tuple("abcdefgg")).apply(scene)
    assert str(caught.value) == (
        "This scene tells 6 words apart; the sequence has 7 different ones."
    )


def test_what_was_set_by_hand_in_other_columns_stays(scene):
    x = scene.x.copy()
    x[:, 6:] = 7.0
    by_hand = Scene(
        "by hand", "", scene.heads, x, scene.w_o, 2, tokens=scene.tokens,
        vocabulary=scene.vocabulary, has_position_code=True,
    )  # fmt: skip
    same_length = SetTokens(tuple(reversed(WORDS))).apply(by_hand)
    assert same_length.x[:, :6].tolist() == np.eye(6)[::-1].tolist()
    assert (same_length.x[:, 6:] == 7.0).all()
    assert is_made_of_its_tokens(SetTokens(("cat", "sat")).apply(by_hand))


def test_columns_behind_the_vocabulary_are_kept_for_the_rows_that_stay():
    induction = load_lesson("induction")
    x = induction.x.copy()
    x[:, 15] = np.arange(1, 9)
    by_hand = Scene(
        "by hand", "", induction.heads, x, induction.w_o, 8, tokens=induction.tokens,
        vocabulary=induction.vocabulary,
    )  # fmt: skip
    assert SetTokens(("A",) * 10).apply(by_hand).x[:, 15].tolist() == [*range(1, 9), 0, 0]
    assert SetTokens(("A",) * 3).apply(by_hand).x[:, 15].tolist() == [1, 2, 3]


def test_names_for_positions_whose_x_is_not_made_of_words():
    assert SetTokens(("a", "a", "b")).apply(named()).tokens == ("a", "a", "b")
    with pytest.raises(UserError, match="it takes 3 tokens, one for each of its rows"):
        SetTokens(("a", "b")).apply(named())


def test_a_scheme_lasts_as_long_as_the_tokens_are_of_its_tokenizer():
    pieces = ("The", "ĠcafÃ©", "Ċ")
    scene = replace(named(), tokens=pieces, token_scheme="byte-level")
    assert SwapTokens(0, 1).apply(scene).shown_tokens[0].text == " café"
    assert SetTokens(pieces[::-1]).apply(scene).token_scheme == "byte-level"
    typed = SetTokens(("The", "café", "Ċ")).apply(scene)
    assert (typed.token_scheme, typed.shown_tokens[1].text) == ("", "café")


def test_a_hand_set_head_keeps_its_length(scene):
    hand_set = HandSet(2, np.ones((6, 2)), np.ones((6, 2))).apply(scene)
    assert SetTokens(tuple(reversed(WORDS))).apply(hand_set).n_positions == 6
    with pytest.raises(UserError, match="“previous token” is hand-set for T = 6"):
        SetTokens(("cat",)).apply(hand_set)


@pytest.mark.parametrize(
    ("tokens", "words"),
    [((), "The sequence length T"), (("a" * 513,), "A token"), (("cat", " "), "A token")],
)
def test_sequences_that_cannot_be(scene, tokens, words):
    with pytest.raises(UserError, match=words):
        SetTokens(tokens).apply(scene)


@pytest.mark.parametrize("pattern", [Pattern.HAND_SET, Pattern.GIVEN])
def test_what_heads_were_made_of_elsewhere_stays_as_it_is(pattern):
    held = {"a": np.eye(3)} if pattern is Pattern.GIVEN else {"q": np.eye(3), "k": np.eye(3)}
    head = Head(1, "h", pattern, np.eye(3), **held)
    scene = Scene("made up", "", (head,), np.eye(3), np.eye(3), d_k=3, tokens=("a", "b", "c"))
    edits = [SwapTokens(0, 1), MoveToken(0, 2), RepeatToken(0, 1), SetTokens(("c", "b", "a"))]
    for edit in [*edits, DragTokens(scene, SwapTokens(0, 1)), SetTokens(("a", "b"))]:
        with pytest.raises(UserError, match="are made of these tokens; for others"):
            edit.apply(scene)
    assert DragTokens(scene, None).apply(scene) == scene
