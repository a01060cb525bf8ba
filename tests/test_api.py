"""``import mhagui``: scores without a window, what is read, and what is loaded for it."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import mhagui
from mhagui.document.capture import Capture, CapturedLayer

ROOT = Path(__file__).parents[1]
T = 12
WORDS = ["the", "cat", "sat", "on", "the", "mat", "and", "the", "cat", "saw", "the", "dog"]


def previous(n=T):
    return np.eye(n, k=-1) + np.diag([1.0] + [0.0] * (n - 1))


def uniform(n=T):
    return np.tri(n) / np.arange(1, n + 1)[:, np.newaxis]


class Broken:
    """A tensor whose library is not well."""

    def __getattr__(self, name):
        raise RuntimeError("at work")


@pytest.fixture
def layers():
    """Two layers as transformers returns them: (1, 2, T, T) each."""
    first = np.stack([previous(), uniform()])[np.newaxis]
    second = np.stack([np.eye(T), previous()])[np.newaxis]
    return first, second


@pytest.fixture
def card(layers):
    return mhagui.scorecard(layers, WORDS)


def modules_after(code):
    run = subprocess.run(
        [sys.executable, "-c", f"import sys, mhagui\n{code}\nprint(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    return set(run.stdout.split())


def test_nothing_is_loaded_before_it_is_needed():
    unwanted = {"PySide6", "pyqtgraph", "matplotlib", "torch"}
    assert not modules_after("mhagui.__version__; dir(mhagui)") & {*unwanted, "numpy"}
    code = "import numpy\nmhagui.scorecard(numpy.eye(4)); mhagui.view"
    assert not modules_after(code) & unwanted


def test_what_is_offered_is_listed_and_nothing_else_is_there():
    assert {"view", "scorecard", "UserError", "View"} <= set(dir(mhagui))
    for name in mhagui.__all__:
        assert getattr(mhagui, name).__name__ == name
    with pytest.raises(AttributeError, match="has no attribute 'veiw'"):
        mhagui.veiw  # noqa: B018


def test_heads_are_called_what_they_do(card):
    assert card.called("previous token") == ((0, 0), (1, 1))
    assert card.called("uniform") == ((0, 1),)
    assert card.called("self") == ((1, 0),)
    assert card.called("induction") == ()


def test_what_is_no_array_is_said():
    with pytest.raises(mhagui.UserError, match="attentions is no array of numbers: at work"):
        mhagui.scorecard(Broken())


def test_notes_tell_how_the_attention_was_read_and_what_was_not_scored(card, tmp_path):
    assert "All weights are finite." in card.notes
    assert set(card.card.notes) <= set(card.notes)
    card.to_json(tmp_path / "a.json")
    assert json.loads((tmp_path / "a.json").read_text("utf-8"))["notes"] == list(card.notes)


def test_a_row_to_each_head(card):
    assert len(card) == 4
    assert [(row["layer"], row["head"]) for row in card] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert card[0]["previous_token"] == 1.0
    assert card[1]["previous_token"] == card[1]["previous_token_chance"]
    assert card[0]["uniformity"] == 0.0
    assert card.columns == tuple(card[3])


def test_as_an_array_and_as_files(card, tmp_path):
    array = np.asarray(card)
    assert array.dtype.names == card.columns
    assert array["label"].tolist() == ["previous token", "uniform", "self", "previous token"]
    assert array["head"].dtype == np.int64
    assert array["self"].tolist() == [row["self"] for row in card]
    card.to_csv(tmp_path / "heads.csv")
    with (tmp_path / "heads.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["first_token"]) for row in rows] == [row["first_token"] for row in card]
    card.to_json(str(tmp_path / "heads.json"))
    assert json.loads((tmp_path / "heads.json").read_text())["heads"] == list(card)


def test_what_is_not_defined_is_nan_in_an_array(layers):
    card = mhagui.scorecard(layers)
    assert card[0]["induction"] is None
    assert np.isnan(card.to_numpy()["induction"]).all()


def test_it_prints_as_a_table(card):
    heading, *rows, chance = repr(card).splitlines()
    assert heading.split()[:5] == ["layer", "head", "called", "prev.", "first"]
    assert [row.split()[:2] for row in rows] == [["0", "0"], ["0", "1"], ["1", "0"], ["1", "1"]]
    assert rows[0].split()[2:5] == ["previous", "token", "1.000"]
    assert chance.split()[0] == "chance"
    assert len({len(line) for line in (heading, *rows, chance)}) == 1


def test_a_long_table_shows_its_first_and_last_heads_and_its_notes():
    card = mhagui.scorecard(tuple(np.stack([uniform()] * 30)[np.newaxis] for _ in range(2)))
    lines = repr(card).split("\n\n")[0].splitlines()
    assert len(lines) == 1 + 10 + 1 + 10 + 1
    assert [lines[at].split()[:2] for at in (1, 10, 11, 12, 21)] == [
        ["0", "0"], ["0", "9"], ["…", "…"], ["1", "20"], ["1", "29"],
    ]  # fmt: skip
    assert all(note in repr(card) for note in card.card.notes)
    html = card._repr_html_()
    assert html.count("<tr>") == len(lines)
    assert all(f"<p>{note}</p>" in html for note in card.card.notes)


def test_effective_ranks_on_demand(layers):
    card = mhagui.scorecard(layers, ranks=True)
    assert card[2]["effective_rank"] == pytest.approx(T)  # the identity
    assert "rank" in repr(card).splitlines()[0].split()
    assert "effective_rank" not in mhagui.scorecard(layers).columns


def test_ids_find_induction_where_texts_differ():
    ids = [5, 6, 7, 5, 6, 7, 5, 6, 7, 5, 6, 7]
    weights = np.zeros((T, T))
    weights[range(T), [0, 0, 0, *range(1, T - 2)]] = 1  # what came after the same id earlier
    assert mhagui.scorecard(weights, ids=ids).called("induction") == ((0, 0),)
    assert mhagui.scorecard(weights).called("induction") == ()


def test_all_that_a_model_returns_may_be_given(layers):
    class Outputs(dict):
        attentions = layers

    assert mhagui.scorecard(Outputs(logits=1), WORDS).called("self") == ((1, 0),)


def test_a_capture_is_taken_as_it_is():
    capture = Capture("mine", (CapturedLayer(7, given=np.stack([previous()])),))
    assert mhagui.capture(capture) is capture
    assert mhagui.scorecard(capture).called("previous token") == ((7, 0),)
    assert repr(capture.layers) == "(CapturedLayer(number=7, n_heads=1, shape=(12, 12)),)"
    renamed = mhagui.capture(capture, title="yours")
    assert (renamed.title, renamed.layers) == ("yours", capture.layers)
    for said in ({"tokens": WORDS}, {"mask": np.ones((T, T), bool)}, {"layers": (7,)}):
        with pytest.raises(mhagui.UserError, match=f"{next(iter(said))} cannot be given beside a"):
            mhagui.capture(capture, **said)


def test_tokens_are_merged_to_words_where_that_is_asked_for(layers):
    pieces = [f"Ġ{word}" if n % 2 else word for n, word in enumerate(WORDS)]  # of two tokens each
    pieces[0] = "Ġthe"
    words = mhagui.capture(layers, pieces, words=True)
    assert words.query_tokens == ("the", "catsat", "onthe", "matand", "thecat", "sawthe", "dog")
    of_word = np.array([0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6])
    add = (np.arange(7)[:, np.newaxis] == of_word).astype(float)
    expected = (add / add.sum(axis=1, keepdims=True)) @ layers[0][0, 1] @ add.T
    np.testing.assert_allclose(words.layers[0].weights[1], expected, atol=1e-15)
    card = mhagui.scorecard(layers, pieces, words=True)
    assert card.called("self") == ((1, 0),)
    assert "12 tokens make 7 words" in " ".join(card.notes)
    assert mhagui.capture(mhagui.capture(layers, pieces), words=True).query_tokens[1] == "catsat"
    with pytest.raises(mhagui.UserError, match="each of the 12 tokens is a word"):
        mhagui.scorecard(layers, WORDS, words=True)


def test_a_mask_counts_for_chance(layers):
    window = np.tri(T, dtype=bool) & ~np.tri(T, k=-2, dtype=bool)  # own and previous position
    card = mhagui.scorecard(layers[1], axes="batch,head,query,key", mask=window)
    # Half of each row but the first, which has no previous position and sees its own alone.
    assert card[0]["self_chance"] == pytest.approx((1 + 0.5 * (T - 1)) / T)


def test_queries_and_keys_with_a_mask_need_no_word_about_causality():
    rng = np.random.default_rng(0)
    q = rng.normal(size=(2, T, 4))
    full = np.ones((T, T), dtype=bool)
    capture = mhagui.capture(q=q, k=q, mask=full, axes="head,position,width", title="two heads")
    assert capture.title == "two heads"
    scores = q[1] @ q[1].T / 2
    expected = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    np.testing.assert_allclose(capture.layers[0].weights[1], expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"tokens": ["a", "b"]}, "The tokens do not fit the positions: 12 queries and 12 keys."),
        ({"ids": [1, 2]}, "The ids do not fit the positions"),
        ({"key_tokens": ["a"]}, "The key tokens do not fit the positions"),
        ({"mask": np.ones((T, T))}, "mask holds float64; it is boolean"),
        ({"mask": [[1], [1, 2]]}, "mask cannot be read; it is an array of booleans"),
        ({"mask": Broken()}, "mask cannot be read; it is an array of booleans"),
        ({"q": Broken()}, "q is no array of numbers: at work"),
        ({"tokens": Broken()}, "tokens is a list of texts"),
        ({"mask": np.ones((1, T, T), bool)}, r"of shape (1, 12, 12); layer 0 needs (12, 12)"),
        ({"colour": 3}, "colour"),
        ({"layers": (5,)}, "no layer 5; its layers are 0, 1"),
    ],
)
def test_what_does_not_fit_is_said_in_a_sentence(layers, given, told):
    with pytest.raises(ValueError) as refused:  # noqa: PT011  # the sentence is looked at below
        mhagui.capture(layers, **given)
    assert isinstance(refused.value, mhagui.UserError)
    assert told in str(refused.value)
