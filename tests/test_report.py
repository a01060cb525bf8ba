"""The report gives the lesson's numbers, all of them, in full and readable."""

import json
import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mhagui.document import compute, lesson_names, load_lesson
from mhagui.document.edits import SetMasterGain, SetSequenceLength, rename_head, set_gain, set_muted
from mhagui.document.information import information_report
from mhagui.document.mask_rule import MaskKind, MaskRule
from mhagui.document.token_source import SourceKind, TokenSource
from mhagui.errors import UserError
from mhagui.report import report, report_json, report_text

EXPECTED = json.loads((Path(__file__).parent / "data" / "expected.json").read_text())


def of_lesson(name, *edits):
    scene = load_lesson(name)
    for edit in edits:
        scene = edit.apply(scene)
    return scene, compute(scene)


def parsed(scene, result):
    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(report_json(scene, result), parse_constant=refuse)


def agrees(actual, expected):
    assert np.shape(actual) == np.shape(expected)
    np.testing.assert_allclose(np.array(actual, dtype=float), expected, rtol=1e-12, atol=1e-12)


def test_four_heads_json_agrees_with_the_lesson_to_twelve_digits():
    known, given = EXPECTED["four_heads"], parsed(*of_lesson("four-heads"))
    assert given["T"] == known["T"]
    assert [head["name"] for head in given["heads"]] == known["heads"]
    assert [head["score_rank"] for head in given["heads"]] == known["score_rank"]
    agrees([head["weights"] for head in given["heads"]], known["attention"])
    entropies = np.array(known["row_entropy_bits"])
    agrees([head["row_entropy_bits"] for head in given["heads"]], entropies)
    agrees([head["effective_positions"] for head in given["heads"]], 2.0**entropies)


def test_two_heads_json_agrees_with_the_lesson_to_twelve_digits():
    known, given = EXPECTED["two_heads"], parsed(*of_lesson("two-heads"))
    assert (given["T"], given["d_model"]) == (known["T"], known["d_model"])
    assert (given["H"], given["d_k"], given["d_v"]) == (known["H"], known["d_k"], known["d_v"])
    agrees([head["weights"] for head in given["heads"]], known["attention"])
    agrees(given["concat"], known["concat"])
    agrees(given["output"], known["output"])
    counts = given["parameters"]
    assert counts["q"] + counts["k"] + counts["v"] == known["parameters"]["w_q_w_k_w_v"]
    assert (counts["o"], counts["total"]) == (
        known["parameters"]["w_o"],
        known["parameters"]["total"],
    )
    assert given["filter_bank_residual"] == 0
    assert given["score_flops"] == 2 * 4**2 * 4  # 2 T^2 d_model, as d_k = d_model / H


def test_the_promised_keys_are_there():
    given = report(*of_lesson("two-heads"))
    assert given.keys() >= {
        "T", "d_model", "heads", "concat", "output", "filter_bank_residual", "parameters",
        "score_flops",
    }  # fmt: skip
    assert given["heads"][0].keys() >= {
        "name", "gain", "weights", "row_entropy_bits", "effective_positions", "score_rank",
        "singular_values", "effective_rank",
    }  # fmt: skip
    assert given["parameters"].keys() == {"q", "k", "v", "o", "total"}


def test_singular_values_are_those_of_the_scores_and_effective_rank_that_of_the_weights():
    for head, attention in zip(
        parsed(*of_lesson("four-heads"))["heads"],
        EXPECTED["four_heads"]["attention"],
        strict=True,
    ):
        share = np.linalg.svd(attention, compute_uv=False)
        share /= share.sum()
        assert head["effective_rank"] == pytest.approx(math.exp(-(share @ np.log(share))))
        assert len(head["singular_values"]) <= 2
    # Head 1: every query asks for one feature, which one key has with 3: T ones times a 3.
    first = parsed(*of_lesson("four-heads"))["heads"][0]["singular_values"]
    np.testing.assert_allclose(first, [3 * math.sqrt(6), 0], atol=1e-12)


def test_gain_is_the_heads_own_and_the_one_in_force_counts_the_master():
    given = parsed(*of_lesson("two-heads", set_gain(1, -2.5), SetMasterGain(3.0)))
    assert given["master_gain"] == 3.0
    assert given["heads"][0]["gain"] == -2.5
    assert given["heads"][0]["gain_in_force"] == -7.5


def test_heads_without_keys_have_no_key_magnitude():
    scene, result = of_lesson("four-heads")
    assert [head["key_magnitude"] for head in parsed(scene, result)["heads"]] == [3, 3, 3, None]
    assert re.search(r"^  h4 +uniform +uniform +1 +– +0 ", report_text(scene, result), re.MULTILINE)


def test_undefined_numbers_are_null():
    scene, result = of_lesson("two-heads")
    entropy = result.heads[0].row_entropy_bits.copy()
    entropy[1], entropy[0] = math.nan, math.inf
    heads = (replace(result.heads[0], row_entropy_bits=entropy), result.heads[1])
    given = parsed(scene, replace(result, heads=heads, filter_bank_residual=math.nan))
    assert given["filter_bank_residual"] is None
    assert given["heads"][0]["row_entropy_bits"][:2] == [None, None]


def test_no_digit_is_lost_on_the_way():
    scene, result = of_lesson("four-heads", set_gain(1, 0.1))
    assert parsed(scene, result)["heads"][0]["weights"] == result.heads[0].weights.tolist()


@pytest.mark.parametrize("lesson", lesson_names())
def test_text_fits_a_hundred_columns(lesson):
    assert max(map(len, report_text(*of_lesson(lesson)).splitlines())) <= 100


def test_text_has_the_lessons_tables():
    text = report_text(*of_lesson("four-heads"))
    # As the lesson prints them: t, log2 t, heads 1 to 4, in bits.
    assert re.search(
        r"^  4 +2\.000000 +1\.252685 +0\.467871 +0\.242689 +2\.000000$", text, re.MULTILINE
    )
    assert re.search(
        r"^  6 +2\.584963 +1\.824399 +0\.468905 +0\.468905 +2\.584963$", text, re.MULTILINE
    )
    # Row 4 of head 4, and of the mean of 1 .. 6 positions.
    assert re.search(
        r"^  t4 +0\.250000 +0\.250000 +0\.250000 +0\.250000 +0\.000000", text, re.MULTILINE
    )
    assert re.search(r"^  positions +3\.500000 .* 3\.500000$", text, re.MULTILINE)
    assert "total 256 = 4·d_model²" in text
    ranks = re.findall(r"^  h\d .* 1 +[3–] +(\d) ", text, re.MULTILINE)
    assert ranks == ["1", "2", "2", "0"]


def test_text_says_what_each_head_adds_and_how_near_it_is_to_its_filter():
    text = report_text(*of_lesson("four-heads"))
    weights = EXPECTED["four_heads"]["attention"]
    distances = [1 - weights[0][3][0], 1 - weights[1][3][2], 1 - weights[2][3][3], 0.0]
    for number, distance in enumerate(distances, 1):
        assert re.search(rf"^  h{number} +1 +.* {distance:.6f} +\d\.\d{{6}}$", text, re.MULTILINE)
    scene, result = of_lesson("induction")
    text = report_text(scene, result)
    assert "\ntokens: ^ A B C D A B C\n" in text
    added = np.linalg.norm(result.heads[1].term)
    assert re.search(rf"^  h2 +2 +projected .* – +{added:.6f}$", text, re.MULTILINE)


def test_text_says_what_the_heads_tell_of_the_next_token():
    scene, result = of_lesson("four-heads")
    text, told = report_text(scene, result), information_report(scene, result)
    for head in told["information"]["heads"]:
        row = rf"^  h{head['head']} +{head['name']} +{head['bits']:.6f}$"
        assert re.search(row, text, re.MULTILINE)
    whole = told["information"]["whole_past_bits"]
    assert re.search(rf"^  all +the whole past +{whole:.6f}$", text, re.MULTILINE)
    assert len(told["redundancy"]["pairs"]) == 6
    for pair in told["redundancy"]["pairs"]:
        names = ", ".join(f"h{number}" for number in pair["heads"])
        row = rf"^  {names} +{pair['joint_bits']:.6f} +-?[\d.]+  {pair['verdict']}$"
        assert re.search(row, text, re.MULTILINE)
    assert "  source of tokens: copy, S = 2" in text


def test_text_says_why_there_is_no_information():
    scene = replace(load_lesson("four-heads"), mask=MaskRule(MaskKind.FULL))
    text = report_text(scene, compute(scene))
    section = text.split("Information on the next token at t4, bits\n")[1].split("\n\n")[0]
    reason = information_report(scene, compute(scene))["information"]["why_not"]
    assert reason in re.sub(r"\s+", " ", section)
    assert "h1" not in section
    assert max(map(len, section.splitlines())) <= 100


def test_long_tokens_are_wrapped_within_a_hundred_columns():
    scene = load_lesson("four-heads")
    named = replace(scene, tokens=tuple("W" * 19 + str(place) for place in range(6)))
    lines = report_text(named, compute(named)).splitlines()
    assert lines[2].startswith("tokens: W")
    assert max(map(len, lines)) <= 100


@pytest.mark.parametrize("lesson", lesson_names())
def test_every_lessons_json_is_complete_and_the_same_each_time(lesson):
    scene, result = of_lesson(lesson)
    given = parsed(scene, result)
    assert report_json(scene, result) == report_json(scene, compute(scene))
    assert given.keys() >= {"impulse", "filter_bank", "cost", "information", "redundancy"}
    names = [head.name for head in scene.heads]
    for key in ("impulse", "filter_bank", "information"):
        assert [head["name"] for head in given[key]["heads"]] == names
    assert given["impulse"]["t"] == given["information"]["query_position"] == 4
    for head, made in zip(given["impulse"]["heads"], result.heads, strict=True):
        assert head["taps"] == made.weights[3, :4].tolist()
        assert len(head["total_variation"]) == scene.n_positions
    norms = [np.linalg.norm(head.term) for head in result.heads]
    agrees([head["norm"] for head in given["filter_bank"]["heads"]], norms)
    n_pairs = scene.n_heads * (scene.n_heads - 1) // 2
    assert len(given["redundancy"]["pairs"]) == n_pairs
    assert given["cost"]["parameters"] == given["parameters"]
    assert 2 * given["cost"]["multiply_adds"]["scores"] == given["score_flops"]


def test_what_is_not_known_of_a_head_is_null_with_the_reason():
    scene = load_lesson("four-heads")
    scene = replace(SetSequenceLength(12).apply(scene), source=TokenSource(SourceKind.IID, 8))
    far = information_report(scene, compute(scene), 11)
    assert far["information"]["whole_past_bits"] is None
    assert [head["bits"] for head in far["information"]["heads"]] == [None] * 4
    assert "t = 12 is too long" in far["information"]["why_not"]
    assert {pair["joint_bits"] for pair in far["redundancy"]["pairs"]} == {None}


def test_text_has_concat_and_output_of_the_two_heads():
    text = report_text(*of_lesson("two-heads"))
    assert re.search(r"^  t3 +0\.998277 +0\.000000 +0\.333333 +0\.333333$", text, re.MULTILINE)
    assert re.search(r"^  t3 +1\.331611 +0\.000000 +−0\.333333 +0\.333333$", text, re.MULTILINE)
    assert "Filter-bank residual" in text
    assert "−0.000000" not in text


def test_columns_of_numbers_end_at_the_same_place():
    text = report_text(*of_lesson("four-heads"))
    rows = re.findall(r"^  (?:\d|mean|positions) .*\.\d{6}$", text, re.MULTILINE)
    assert len(rows) == 6 + 2
    ends = {tuple(match.end() for match in re.finditer(r"\S+", row))[1:] for row in rows}
    assert len(ends) == 1


def test_wide_names_and_mutes_do_not_disturb_the_table():
    text = report_text(*of_lesson("four-heads", rename_head(2, "注意力"), set_muted(3, True)))
    lines = re.findall(r"^  h\d .*$", text, re.MULTILINE)[:4]
    seen = [re.sub("[注意力]", "xx", line) for line in lines]  # as wide as a terminal shows them
    patterns = ("first token", "previous token", "self", "uniform")
    starts = {line.rindex(name) for line, name in zip(seen, patterns, strict=True)}
    assert len(starts) == 1
    assert lines[2].endswith("muted")


def test_a_formula_for_heads_that_do_not_share_the_width_out():
    scene = load_lesson("two-heads")
    scene = replace(scene, d_k=3)
    text = report_text(scene, compute(scene))
    # Two heads of d_k 3 and d_v 2 on d_model 4: W_Q and W_K 24 each, W_V and W_O 16 each.
    assert "W_Q 24, W_K 24, W_V 16, W_O 16; total 80 = 2·d_model·H·(d_k + d_v)" in text


def test_large_scenes_keep_their_matrices_to_the_json():
    scene, result = of_lesson("four-heads", SetSequenceLength(13))
    text = report_text(scene, result)
    assert "Weights A" not in text
    assert "W_O\n" not in text
    assert re.search(r"^  13 +3\.700440", text, re.MULTILINE)
    assert len(parsed(scene, result)["heads"][3]["weights"]) == 13


def test_more_weights_than_fit_into_a_file_are_refused():
    scene = SetSequenceLength(2049).apply(load_lesson("four-heads"))
    wanted = "with 4 heads it does for T up to 2048, and this scene has T = 2049."
    with pytest.raises(UserError, match=wanted):
        report_json(scene, compute(load_lesson("four-heads")))
