import json
import random
import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mhagui._resources import resource_path
from mhagui.document import Head, Pattern, Scene, scene_from_json, scene_to_json
from mhagui.document.edits import AddHead, MoveHead, rename_head
from mhagui.document.head import MAX_UID
from mhagui.document.session_file import MAX_FILE_BYTES
from mhagui.errors import UserError

SMALLEST = {
    "format": "mhagui scene",
    "version": 1,
    "title": "smallest",
    "sequence_length": 2,
    "d_k": 2,
    "heads": [{"name": "h", "pattern": "self", "w_v": [[1], [2]]}],
    "w_o": [[3, 4]],
}


def text(**changes):
    return json.dumps(SMALLEST | changes).encode()


def head(**changes):
    return {"heads": [SMALLEST["heads"][0] | changes]}


# ------------------------------------------------------------------------------------ what is read


def test_what_a_file_leaves_out_has_its_usual_value():
    scene = scene_from_json(text())
    only = scene.heads[0]
    assert (scene.title, scene.description, scene.master_gain) == ("smallest", "", 1.0)
    assert (only.uid, only.name, only.pattern) == (1, "h", Pattern.SELF)
    assert (only.gain, only.key_magnitude) == (1.0, 3.0)
    assert (only.muted, only.soloed) == (False, False)
    assert scene.x.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert (only.w_v.tolist(), scene.w_o.tolist()) == ([[1.0], [2.0]], [[3.0, 4.0]])


def test_x_may_be_given():
    assert scene_from_json(text(x=[[5, 6], [7, 8]])).x.tolist() == [[5.0, 6.0], [7.0, 8.0]]


def test_the_scheme_of_tokens_is_kept_and_has_to_be_one():
    scene = replace(scene_from_json(text()), tokens=("The", "ĠcafÃ©"), token_scheme="byte-level")
    assert scene_from_json(scene_to_json(scene)) == scene
    assert scene_from_json(text()).token_scheme == ""
    with pytest.raises(
        UserError, match=r"Tokens stand for text as one of byte-level, .* got 'bpe'"
    ):
        scene_from_json(text(token_scheme="bpe"))


@given(st.data())
def test_what_is_written_is_read_back(scenes, draw_edit, data):
    scene = data.draw(scenes)
    for _ in range(data.draw(st.integers(0, 3))):
        scene = draw_edit(data.draw, scene).apply(scene)
    again = scene_from_json(scene_to_json(scene))
    assert again == scene
    assert again.x.tobytes() == scene.x.tobytes()
    assert scene_to_json(again) == scene_to_json(scene)


def test_a_file_has_a_line_to_each_row_of_a_matrix_and_no_one_hot_tokens(two_heads):
    written = scene_to_json(rename_head(1, "größer").apply(two_heads)).decode()
    assert '\n      "name": "größer",\n' in written
    assert '\n  "w_o": [\n    [1.0, 0.0, 0.0, 0.0],\n    [0.0, 1.0, 0.0, 0.0],\n' in written
    assert '"x"' not in written
    assert written.endswith("\n}\n")


def test_an_x_of_the_users_own_is_written(two_heads):
    mine = replace(two_heads, x=np.eye(4)[::-1])
    again = json.loads(scene_to_json(mine))
    assert again["x"] == np.eye(4)[::-1].tolist()


def test_heads_keep_their_uids_and_with_them_their_colours(two_heads):
    again = scene_from_json(scene_to_json(MoveHead(2, 0).apply(two_heads)))
    assert [(h.uid, h.name) for h in again.heads] == [(2, "uniform"), (1, "self")]


def test_a_head_can_be_added_beside_one_of_the_last_uid_there_is(two_heads):
    last = replace(two_heads, heads=(two_heads.heads[0], replace(two_heads.heads[1], uid=MAX_UID)))
    after = AddHead(Pattern.UNIFORM).apply(last)
    assert [h.uid for h in after.heads] == [1, MAX_UID, 2]
    assert scene_from_json(scene_to_json(after)) == after


@pytest.mark.parametrize("number", [5e-324, 0.1 + 0.2, 1 / 3, -1e30, 123456789.123456789])
def test_every_digit_survives(number):
    scene = scene_from_json(text(w_o=[[number, 1]]))
    assert scene_from_json(scene_to_json(scene)).w_o[0, 0] == number


# --------------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "it is empty."),
        (b"hello", "it is not JSON: Expecting value: line 1 column 1 (char 0)."),
        (
            b'{"format":\n "mhagui',
            "it is not JSON: Unterminated string starting at: line 2 column 2",
        ),
        (text()[:-1], "it is not JSON: Expecting ',' delimiter: line 1 column"),
        (text() + b"x", "it is not JSON: Extra data: line 1 column"),
        (
            b"\xef\xbb\xbf" + text(),
            "it begins with a byte order mark; save it as UTF-8 without one.",
        ),
        (text().decode().encode("utf-16"), "it is not UTF-8 text, at byte 1."),
        (text(title="@").replace(b"@", b"\xff"), "it is not UTF-8 text, at byte "),
        (b"[" * 100_000, "it is nested too deeply."),
        (b'{"a":' * 100_000, "it is nested too deeply."),
        (b"1" * 5000, "a number in it has thousands of digits; no scene needs them."),
        (b"[]", 'it lacks "format": "mhagui scene".'),
        (b"{}", 'it lacks "format": "mhagui scene".'),
        (text(format="svg"), 'it lacks "format": "mhagui scene".'),
        (text(format=["mhagui scene"]), 'it lacks "format": "mhagui scene".'),
        (
            text(version=5),
            "it was saved by a newer mhagui; its format version is 5, this program reads 1 to 4.",
        ),
        (
            b'{"format": "mhagui scene", "version": 5, "app": "0.9", "heads": {"all": "new"}}',
            "it was saved by mhagui 0.9; its format version is 5, this program reads 1 to 4.",
        ),
        (text(version=10**4000, app="9\n" * 999), "it was saved by mhagui 9�9�"),
        (text(version=0), "its version is 0; this program reads versions 1 to 4."),
        (text(version=-(10**4000)), "its version is -1000"),
        (text(version="1"), "its version is 1; this program reads versions 1 to 4."),
        (text(version=2.0), "its version is 2.0; this program reads versions 1 to 4."),
        (
            b'{"format": "mhagui scene"}',
            "its version is missing; this program reads versions 1 to 4.",
        ),
        (text(version=True), "its version is True; this program reads versions 1 to 4."),
        (text(version=3), "heads[0] lacks “uid”."),
        (text(version=3, **head(uid=0)), "uid of head 1 must be a whole number from 1 to"),
        (text(version=3, **head(uid=10**400)), "uid of head 1 must be a whole number from 1 to"),
        (
            text(version=3, **head(uid=True)),
            "heads[0].uid must be a whole number, not true or false.",
        ),
        (
            text(version=3, heads=[head(uid=5)["heads"][0]] * 2, w_o=[[3, 4]] * 2),
            "Two heads of this scene have the same identity; each needs its own.",
        ),
        (text(heads=None), "heads must be a list, not null."),
        (text(colour="red"), "it has an unknown entry, “colour”."),
        (text(**{"a\nb" * 999: 1}), "it has an unknown entry, “a�ba�b"),
        (text(**{"\ud800": 1}), "can't encode character '\\ud800' in position 0"),
        (text(**head(colour="red")), "heads[0] has an unknown entry, “colour”."),
        (text().replace(b'"d_k": 2, ', b""), "it lacks “d_k”."),
        (text().replace(b'"d_k": 2', b'"d_k": 2, "d_k": 3'), 'it gives "d_k" twice in one object.'),
        (
            text().replace(b'"name": "h"', b'"name": "a", "name": "b"'),
            'it gives "name" twice in one object.',
        ),
        (text(title=3), "title must be text, not a whole number."),
        (text(title="x" * 121), "A scene's title needs 1 to 120 printable characters; got 121:"),
        (text(title="\ud800"), "A scene's title needs 1 to 120 printable characters; got 1:"),
        (text(description="\x1b[2J"), "A scene's description has at most 4000 printable char"),
        (text(sequence_length=0), "The sequence length T must be a whole number from 1 to 4096;"),
        (text(sequence_length=-1), "The sequence length T must be a whole number from 1 to 4096;"),
        (text(sequence_length=10**7), "whole number from 1 to 4096; got 10000000."),
        (text(sequence_length=10**4000), "whole number from 1 to 4096; got 1"),
        (
            text(sequence_length=2.5),
            "sequence_length must be a whole number, not a number with decimals.",
        ),
        (text(sequence_length=True), "sequence_length must be a whole number, not true or false."),
        (text(sequence_length="2"), "sequence_length must be a whole number, not text."),
        (
            text(sequence_length=float("nan")),
            "sequence_length must be a whole number, not a number with decimals",
        ),
        (text(d_k=0), "d_k must be a whole number from 1 to 256; got 0."),
        (text(d_k=257), "d_k must be a whole number from 1 to 256; got 257."),
        (
            text(d_k=1),
            "Head “h” (self) writes positions on a circle, which needs d_k of at least 2",
        ),
        (text(master_gain=float("inf")), "The master gain must be a finite number; got inf."),
        (text(master_gain=None), "master_gain must be a number, not null."),
        (text(heads=[]), "The number of heads must be a whole number from 1 to 64; got 0."),
        (text(heads={}), "heads must be a list, not an object."),
        (
            text(heads=SMALLEST["heads"] * 65),
            "The number of heads must be a whole number from 1 to 64; got 65.",
        ),
        (text(heads=[None]), "heads[0] must be an object, not null."),
        (text(**head(name="")), "A head's name needs 1 to 60 printable characters; got 0: ''."),
        (
            text(**head(pattern="next token")),
            "head 1 has the pattern “next token”; the patterns are first token, previous token, "
            "self, uniform, delay, two positions, recency, block-local, hand-set, projected, "
            "given weights.",
        ),
        (text(**head(pattern="x\n" * 999)), "head 1 has the pattern “x�x�"),
        (text(**head(gain=float("nan"))), "The gain of head “h” must be a finite number; got nan."),
        (text(**head(gain="1")), "heads[0].gain must be a number, not text."),
        (text(**head(key_magnitude=-3)), "The key magnitude of head “h” must be a number from 0"),
        (text(**head(muted=1)), "heads[0].muted must be true or false, not a whole number."),
        (text(**head(w_v=[])), "w_v of head 1 needs at least one row and one column."),
        (text(**head(w_v=[[], []])), "w_v of head 1 needs at least one row and one column."),
        (text(**head(w_v=[[1]])), "W_V of head “h” is 1 × 1, but this scene needs 2 × 1"),
        (text(**head(w_v=[[1], [2, 3]])), "row 2 of w_v of head 1 has 2 numbers, but row 1 has 1."),
        (text(**head(w_v=[[1], ["2"]])), "heads[0].w_v[1][0] must be a number, not text"),
        (
            text(**head(w_v=[[1], [True]])),
            "heads[0].w_v[1][0] must be a number, not true or false",
        ),
        (text(w_o=[]), "w_o needs at least one row and one column."),
        (text(w_o=[[3, 4], [5, 6]]), "W_O is 2 × 2, but these heads need 1 × 2 (H·d_v rows,"),
        (text(w_o=[[3, 4], [5]]), "row 2 of w_o has 1 numbers, but row 1 has 2."),
        (
            text(w_o=[[3, float("nan")]]),
            "W_O must hold numbers from -1e+30 to 1e+30; row 1, column",
        ),
        (text(w_o=[[3, -float("inf")]]), "row 1, column 2 is -inf."),
        (text(w_o=[[3, "@"]]).replace(b'"@"', b"1e999"), "row 1, column 2 is inf."),
        (text(w_o=[[3, 10**400]]), "w_o[0][1] is too large a number."),
        (text(w_o=[[0] * 2049]), "d_model must be a whole number from 1 to 2048; got 2049."),
        (text(w_o=[[0] * 10**6]), "d_model must be a whole number from 1 to 2048; got 1000000."),
        (text(x=[[1, 0]]), "x has 1 rows, but sequence_length is 2."),
        (text(x=[[1, 0], [1]]), "row 2 of x has 1 numbers, but row 1 has 2."),
        (text(x=[[1, 0, 0], [0, 1, 0]]), "W_V of head “h” is 2 × 1, but this scene needs 3 × 1"),
        (text(x=[], sequence_length=0), "x needs at least one row and one column."),
    ],
)
def test_refusals_are_one_sentence_that_says_what_and_where(content, sentence, refusal):
    assert sentence in refusal(scene_from_json, content)


@pytest.mark.parametrize("sign", [b",", b"[", b"{", b":", b'"'])
def test_what_would_be_more_objects_than_any_scene_has_is_not_even_parsed(sign, refusal):
    began = time.process_time()
    told = refusal(scene_from_json, b'{"title": "' + sign * 3_000_001 + b'"}')
    assert told == "it holds more values than the largest scene."
    assert time.process_time() - began < 1


def test_a_hundred_thousand_names_are_looked_through_at_once(refusal):
    names = ", ".join(f'"{number}": 0' for number in range(100_000))
    began = time.process_time()
    told = refusal(scene_from_json, f'{{{names}, "99999": 0}}'.encode())
    assert told == 'it gives "99999" twice in one object.'
    assert time.process_time() - began < 10  # a comparison of each with each takes minutes


def is_opened_or_refused(content):
    """Return whether ``content`` is opened; anything but a UserError is a fault."""
    try:
        return isinstance(scene_from_json(content), Scene)
    except UserError:
        return False


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({"tokens": ["a", "c"]}, "“c” is not in it."),
        ({"tokens": ["a"]}, "there are 1 tokens, but sequence_length is 2."),
        ({"vocabulary": ["a", "b", "c"]}, "need 3 columns of X; it has d_model = 2."),
        ({"position_code": True}, "need 4 columns of X; it has d_model = 2."),
    ],
)
def test_words_of_which_no_x_can_be_made_are_refused(words, sentence, refusal):
    given = {"version": 2, "tokens": ["a", "b"], "vocabulary": ["a", "b"]}
    assert scene_from_json(text(**given)).x.tolist() == [[1, 0], [0, 1]]
    assert refusal(scene_from_json, text(**given | words)).endswith(sentence)


def test_random_faults_in_a_lesson_are_refused_or_harmless():
    lesson = resource_path("lessons", "four-heads.json").read_bytes()
    dice = random.Random(9)
    opened = 0
    for _ in range(2000):
        broken = bytearray(lesson)
        for _ in range(dice.randint(1, 3)):
            at = dice.randrange(len(broken))
            broken[at : at + dice.randint(0, 2)] = dice.randbytes(dice.randint(0, 2))
        opened += is_opened_or_refused(bytes(broken))
    assert 0 < opened < 2000


def widest(n_heads, n_positions=4096):
    """The file of a scene that is as wide and long as can be, with this many heads of width 64."""
    dice = np.random.default_rng(0)
    heads = tuple(
        Head(
            n,
            f"head {n}",
            Pattern.PROJECTED,
            dice.normal(size=(256, 64)),
            w_q=dice.normal(size=(256, 64)),
            w_k=dice.normal(size=(256, 64)),
        )
        for n in range(1, n_heads + 1)
    )
    x, w_o = dice.normal(size=(n_positions, 256)), dice.normal(size=(64 * n_heads, 256))
    return scene_to_json(Scene("largest", "", heads, x, w_o, 64))


def test_the_largest_scene_fits_into_a_file():
    text, head = widest(1), len(widest(2, 1)) - len(widest(1, 1))
    assert len(text) + 31 * head < 0.98 * MAX_FILE_BYTES  # of 32 heads, to a hundredth
    assert scene_to_json(scene_from_json(text)) == text  # and comes back whole
