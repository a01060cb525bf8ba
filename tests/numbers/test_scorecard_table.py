"""The scorecard as CSV and JSON, read back by other programs."""

import csv
import io
import json

import numpy as np
import pytest

from mhagui import core
from mhagui.data.scorecard_table import scorecard_csv, scorecard_json
from mhagui.document.capture import Capture, CapturedLayer
from mhagui.document.scorecard import MEASURES, scorecard

T = 9


@pytest.fixture(scope="module")
def card():
    makers = core.previous_token_head, core.uniform_head
    a = np.stack([core.attention_weights(*make(T, key_magnitude=9.0)) for make in makers])
    causal = core.causal_mask(T)
    layers = [
        CapturedLayer(number, given=a.astype(kind), allowed=causal)
        for number, kind in ((0, "f4"), (5, "f8"))
    ]
    return scorecard(Capture("“made up”", tuple(layers)))


def test_csv_has_a_row_to_each_head_with_all_digits(card):
    rows = list(csv.DictReader(io.StringIO(scorecard_csv(card).decode(), newline="")))
    assert [(row["layer"], row["head"]) for row in rows] == [
        ("0", "0"), ("0", "1"), ("5", "0"), ("5", "1"),
    ]  # fmt: skip
    assert [row["label"] for row in rows] == ["previous token", "uniform"] * 2
    for measure in MEASURES:
        name, column = measure.name.replace(" ", "_"), card.column(measure.name)
        endings = {"": column.values, "_chance": column.baselines, "_corrected": column.corrected}
        for ending, numbers in endings.items():
            if ending == "_corrected" and not measure.is_share:
                assert name + ending not in rows[0]
                continue
            for row, number in zip(rows, numbers, strict=True):
                cell = row[name + ending]
                assert cell == "" if np.isnan(number) else float(cell) == number
    assert "effective_rank" not in rows[0]
    assert {row["unreadable_rows"] for row in rows} == {"0"}


def test_json_is_strict_and_holds_the_notes(card):
    def refuse(constant):
        raise AssertionError(constant)

    found = json.loads(scorecard_json(card, with_ranks=True), parse_constant=refuse)
    assert found["notes"] == list(card.notes)
    assert len(found["notes"]) == 1
    assert [
        head["effective_rank"] for head in found["heads"]
    ] == card.effective_ranks.values.tolist()
    assert found["heads"][0]["induction"] is None


def test_the_same_card_makes_the_same_bytes(card):
    assert scorecard_csv(card) == scorecard_csv(card)
    assert scorecard_csv(card, with_ranks=True).startswith(b"layer,head,label,previous_token,")
