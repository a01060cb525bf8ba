"""What two layers guess to come next."""

from mhagui.document import compute, load_lesson
from mhagui.document.edits import set_muted
from mhagui.document.guess import guessed_word
from mhagui.document.token_edits import SetTokens


def guess(scene, row):
    found = guessed_word(scene, compute(scene), row)
    return found and found.word


def test_induction_guesses_what_followed_the_same_word_before():
    scene = load_lesson("induction")
    assert [guess(scene, row) for row in (5, 6, 7)] == ["B", "C", "D"]
    other = SetTokens(tuple("^XYZX")).apply(scene)
    assert guess(other, 4) == "Y"


def test_without_the_head_below_it_no_longer_does():
    scene = set_muted(1, True).apply(load_lesson("induction"))
    assert guess(scene, 7) != "D"


def test_a_word_that_was_never_there_before_is_followed_by_anything():
    assert guess(load_lesson("induction"), 1) is None  # ^ and A are equal


def test_one_layer_guesses_nothing():
    assert guess(load_lesson("content-position"), 5) is None
    assert guess(load_lesson("four-heads"), 5) is None
