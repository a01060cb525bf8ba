"""CSV, NPZ and JSON files of numbers: read back by other programs, held against the lesson."""

import csv
import hashlib
import io
import json
import os
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mhagui import __version__
from mhagui.data import FORMATS, csv_of, json_of, npz_of, render_data
from mhagui.document import compute, lesson_names, load_lesson
from mhagui.document.edits import SetMasterGain, SetSequenceLength, set_gain, set_muted, set_soloed
from mhagui.document.session import Session
from mhagui.document.session_file import session_to_bytes
from mhagui.errors import UserError

EXPECTED = json.loads((Path(__file__).parents[1] / "data/expected.json").read_text("utf-8"))
NAMES = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=60)


def of_lesson(name, *edits):
    scene = load_lesson(name)
    for edit in edits:
        scene = edit.apply(scene)
    return scene, compute(scene)


def rows_of(scene, result):
    text = csv_of(scene, result).decode("utf-8")
    assert text.count("\r\n") == text.count("\n")  # RFC 4180
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


def arrays_of(scene, result):
    with np.load(io.BytesIO(npz_of(scene, result)), allow_pickle=False) as file:
        return dict(file)


def filled(rows, column, n_heads, n_positions):
    """Return a column as (H, T, T), NaN where there is no row."""
    cells = np.full((n_heads, n_positions, n_positions), np.nan)
    for row in rows:
        place = int(row["head"]) - 1, int(row["t"]) - 1, int(row["i"]) - 1
        assert np.isnan(cells[place])  # each cell once
        cells[place] = float(row[column])
    return cells


def test_the_tidy_table_has_the_weights_of_the_lesson():
    known = EXPECTED["four_heads"]
    rows = rows_of(*of_lesson("four-heads"))
    weights = filled(rows, "weight", 4, known["T"])
    above = np.triu_indices(known["T"], 1)
    assert np.isnan(weights[:, *above]).all()  # masked cells are left out
    np.testing.assert_allclose(np.nan_to_num(weights), known["attention"], rtol=1e-12, atol=1e-15)
    names = {row["head"]: row["name"] for row in rows}
    assert [names[str(number)] for number in range(1, 5)] == known["heads"]


def test_the_columns_asked_for_come_first():
    header = csv_of(*of_lesson("four-heads")).decode().split("\r\n")[0]
    assert header.startswith("head,t,i,weight,score,")


@pytest.mark.parametrize("name", lesson_names())
def test_weights_follow_from_scores_and_gains_of_the_table(name):
    scene, result = of_lesson(name, SetMasterGain(1.5), set_gain(1, 0.3))
    size = scene.n_heads, scene.n_positions
    rows = rows_of(scene, result)
    exponents = filled(rows, "gain", *size) * filled(rows, "score", *size)
    exps = np.nan_to_num(np.exp(exponents - np.nanmax(exponents, axis=2, keepdims=True)))
    weights = np.nan_to_num(filled(rows, "weight", *size))
    np.testing.assert_allclose(exps / exps.sum(axis=2, keepdims=True), weights, atol=1e-12)


@pytest.mark.parametrize("name", lesson_names())
def test_all_three_files_hold_the_very_same_floats(name):
    scene, result = of_lesson(name)
    arrays, lists = arrays_of(scene, result), json.loads(json_of(scene, result))
    rows, allowed = rows_of(scene, result), result.allowed
    assert list(arrays) == list(lists)
    for key, array in arrays.items():
        np.testing.assert_array_equal(array, np.array(lists[key]), err_msg=key)
        assert array.shape == np.shape(lists[key])
    for column, key in (("weight", "weights"), ("score", "scores")):
        cells = filled(rows, column, scene.n_heads, scene.n_positions)
        np.testing.assert_array_equal(cells[:, allowed], arrays[key][:, allowed])
    np.testing.assert_array_equal(arrays["weights"], [head.weights for head in result.heads])


def test_arrays_of_the_lessons_projection():
    known, given_arrays = EXPECTED["two_heads"], arrays_of(*of_lesson("two-heads"))
    np.testing.assert_array_equal(given_arrays["W_O"], known["w_o"])
    np.testing.assert_allclose(given_arrays["concat"], known["concat"], atol=1e-12)
    np.testing.assert_allclose(given_arrays["output"], known["output"], atol=1e-12)


def test_row_entropies_are_the_lessons_bits():
    given_arrays = arrays_of(*of_lesson("four-heads"))
    known = EXPECTED["four_heads"]["row_entropy_bits"]
    np.testing.assert_allclose(given_arrays["row_entropy_bits"], known, atol=1e-12)
    np.testing.assert_allclose(given_arrays["ceiling_bits"], np.log2(range(1, 7)), atol=1e-15)


@pytest.mark.parametrize("name", lesson_names())
def test_arrays_are_enough_to_work_out_the_output(name):
    scene, result = of_lesson(name, set_muted(1, True))
    a = arrays_of(scene, result)
    first = a["terms"][a["layers"] == 1].sum(axis=0)
    for h, layer in enumerate(a["layers"]):
        read = a["X"] if layer == 1 else a["X"] + first
        np.testing.assert_allclose(read @ a["W_V"][h], a["V"][h], atol=1e-12)
        np.testing.assert_allclose(
            a["Q"][h] @ a["K"][h].T / scene.d_k**0.5, a["scores"][h], atol=1e-9
        )
        np.testing.assert_allclose(a["weights"][h] @ a["V"][h], a["head_outputs"][h], atol=1e-12)
    blocks = a["head_outputs"] * a["active"][:, None, None]
    np.testing.assert_allclose(np.hstack(list(blocks)), a["concat"], atol=1e-12)
    np.testing.assert_allclose(a["concat"] @ a["W_O"], a["output"], atol=1e-12)
    np.testing.assert_allclose(a["terms"].sum(axis=0), a["output"], atol=1e-9)


def test_heads_that_are_not_heard_keep_their_weights_and_say_so():
    scene, result = of_lesson("four-heads", set_muted(2, True))
    heard = {row["head"]: row["active"] for row in rows_of(scene, result)}
    assert heard == {"1": "true", "2": "false", "3": "true", "4": "true"}
    arrays = arrays_of(scene, result)
    np.testing.assert_array_equal(arrays["active"], [True, False, True, True])
    assert arrays["weights"][1].sum() == pytest.approx(6)
    assert not arrays["terms"][1].any()
    assert arrays["head_outputs"][1].any()
    soloed = arrays_of(*of_lesson("four-heads", set_soloed(3, True)))
    np.testing.assert_array_equal(soloed["active"], [False, False, True, False])


def test_files_say_what_they_were_written_from():
    scene, result = of_lesson("two-heads")
    arrays, lists = arrays_of(scene, result), json.loads(json_of(scene, result))
    assert arrays["app"] == lists["app"] == f"mhagui {__version__}"
    saved = session_to_bytes(Session.of(scene))
    assert arrays["scene_sha256"] == lists["scene_sha256"] == hashlib.sha256(saved).hexdigest()
    assert (
        arrays["scene_sha256"] != arrays_of(*of_lesson("two-heads", set_gain(1, 2)))["scene_sha256"]
    )


def test_tokens_stand_beside_their_positions():
    scene, result = of_lesson("induction")
    assert set(scene.tokens)
    assert {head.layer for head in scene.heads} == {1, 2}
    for row in rows_of(scene, result):
        assert row["query"] == scene.tokens[int(row["t"]) - 1]
        assert row["key"] == scene.tokens[int(row["i"]) - 1]
        assert int(row["layer"]) == scene.heads[int(row["head"]) - 1].layer
    assert tuple(arrays_of(scene, result)["tokens"]) == scene.tokens


def test_without_tokens_there_are_no_columns_of_them():
    scene = replace(load_lesson("four-heads"), tokens=(), vocabulary=(), has_position_code=False)
    result = compute(scene)
    assert "query" not in rows_of(scene, result)[0]
    assert "tokens" not in arrays_of(scene, result)


@settings(max_examples=20)
@given(NAMES)
@pytest.mark.parametrize("name", ['a, "b"', "=1+1", "größer “x”", " ", "'", '"'])
def test_names_survive(name, other):
    names = [f"{name}.", other]
    scene = load_lesson("two-heads")
    heads = [replace(head, name=of) for head, of in zip(scene.heads, names, strict=True)]
    scene = replace(scene, heads=tuple(heads), title=names[0])
    result = compute(scene)
    assert [row["name"] for row in rows_of(scene, result)][:: 4 * 5 // 2] == names
    assert arrays_of(scene, result)["names"].tolist() == names
    assert json.loads(json_of(scene, result))["names"] == names


def test_the_npz_file_is_a_plain_zip_of_plain_arrays():
    data = npz_of(*of_lesson("two-heads"))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        for member in archive.infolist():
            assert member.date_time == (1980, 1, 1, 0, 0, 0)
            kind = np.load(io.BytesIO(archive.read(member)), allow_pickle=False).dtype
            assert kind.kind in "bifU"
            assert kind.hasobject is False


@pytest.mark.parametrize("kind", FORMATS)
def test_other_processes_write_the_same_bytes(kind):
    script = (
        "import sys, hashlib; from mhagui.data import render_data\n"
        "from mhagui.document import compute, load_lesson\n"
        "scene = load_lesson('induction')\n"
        f"print(hashlib.sha256(render_data(scene, compute(scene), {kind!r})).hexdigest())\n"
        "assert not [name for name in sys.modules if name.startswith(('PySide6', 'matplotlib'))]"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo"}
    other = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, env=environment, check=True, timeout=60
    )
    own = hashlib.sha256(render_data(*of_lesson("induction"), kind)).hexdigest()
    assert other.stdout.decode().strip() == own


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_what_is_too_large_for_a_text_is_refused_before_anything_is_made(kind):
    scene, result = of_lesson("four-heads")
    large = SetSequenceLength(1025).apply(scene)
    with pytest.raises(UserError) as refusal:
        render_data(large, result, kind)
    assert str(refusal.value) == (
        f"A {kind.upper()} file lists every weight; with 4 heads it does for T up to 1024, "
        "and this scene has T = 1025. NPZ holds it."
    )


def test_a_kind_there_is_not_is_refused():
    sentence = r"^There is no data format “xlsx”; the data formats are csv, npz, json\.$"
    with pytest.raises(UserError, match=sentence):
        render_data(*of_lesson("two-heads"), "xlsx")
