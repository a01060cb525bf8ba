"""docs/data.md says what is in the files, and no more."""

import csv
import io
import re
from pathlib import Path

import numpy as np
import pytest

from mhagui.data import Notation, csv_of, npz_of
from mhagui.data.tidy import MAX_WEIGHTS_AS_TEXT
from mhagui.document import compute, lesson_names, load_lesson
from mhagui.document.bias_edits import SetAlibi, SetSinks

TEXT = (Path(__file__).parents[2] / "docs/data.md").read_text("utf-8")
KINDS = {"text": "U", "truth value": "b"}


def table(first):
    """Return the rows below the header that begins with ``first``."""
    _, _, below = TEXT.partition(f"| {first} |")
    lines = below.split("\n\n")[0].split("\n")[2:]
    return [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in lines]


def named(cell):
    return re.fullmatch(r"`(\w+)`", cell)[1]


BIASED = "slopes and sinks"
SCENES = (*lesson_names(), BIASED)


def of_lesson(name):
    scene = load_lesson("four-heads" if name == BIASED else name)
    if name == BIASED:
        scene = SetSinks(True).apply(SetAlibi(True).apply(scene))
    return scene, compute(scene)


@pytest.mark.parametrize("name", SCENES)
def test_columns_are_those_of_the_table(name):
    scene, result = of_lesson(name)
    text = csv_of(scene, result).decode()
    (header, *rows) = csv.reader(io.StringIO(text, newline=""))
    documented = table("column")
    optional = [named(row[0]) for row in documented if "only where" in row[1]]
    assert optional == ["slope", "sink", "sink_share", "query", "key"]
    absent = [*optional[: 3 * (name != BIASED)], *(() if scene.tokens else optional[3:])]
    assert header == [named(row[0]) for row in documented if named(row[0]) not in absent]
    assert len(rows) == scene.n_heads * scene.n_positions * (scene.n_positions + 1) // 2


@pytest.mark.parametrize("name", SCENES)
def test_arrays_have_the_names_shapes_and_kinds_of_the_table(name):
    scene, result = of_lesson(name)
    sizes = {
        "H": scene.n_heads,
        "T": scene.n_positions,
        "d_model": scene.d_model,
        "d_k": scene.d_k,
        "d_v": scene.d_v,
        "H·d_v": scene.n_heads * scene.d_v,
    }
    file = np.load(io.BytesIO(npz_of(scene, result)))
    documented = {named(row[0]): row for row in table("array")}
    absent = ["key_tokens", "b_V", "b_O", *(() if scene.tokens else ("tokens",))]
    for key in [*absent, *(() if name == BIASED else ("slopes", "sinks", "sink_shares"))]:
        assert "only where" in documented.pop(key)[2]
    assert file.files == list(documented)
    for key, (_, shape, _, unit, extent) in documented.items():
        array = file[key]
        sides = [side.strip() for side in shape.strip("()").split(",") if side.strip()]
        assert array.shape == tuple(sizes[side] for side in sides), key
        assert array.dtype.kind == KINDS.get(unit, "i" if extent == "1, 2" else "f"), key
        if extent.startswith("0 … "):
            most = 1 if extent.split(";")[0] == "0 … 1" else result.ceiling_bits
            assert (array >= 0).all(), key
            assert (array <= most + 1e-12).all(), key


def test_notations_are_those_of_the_program():
    assert [named(row[0]) for row in table("notation")] == [notation.value for notation in Notation]


def test_the_limit_is_the_programs():
    assert f"up to {MAX_WEIGHTS_AS_TEXT:,} weights" in TEXT
    assert MAX_WEIGHTS_AS_TEXT == 4 * 1024**2  # "four heads at T = 1024"


def test_the_example_runs(tmp_path, monkeypatch):
    scene = load_lesson("four-heads")
    (tmp_path / "numbers.npz").write_bytes(npz_of(scene, compute(scene)))
    monkeypatch.chdir(tmp_path)
    (example,) = [
        code for code in re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL) if "numpy" in code
    ]
    names = {}
    exec(example, names)
    assert names["A"].shape == (4, 6, 6)
    names["file"].close()


def test_units_are_those_of_the_numbers():
    columns = {named(row[0]): row[2] for row in table("column")}
    assert [name for name, unit in columns.items() if unit.endswith(", from 1")] == [
        "head", "t", "i",
    ]  # fmt: skip
    assert all(columns[name].startswith("none") for name in ("weight", "score", "gain"))
    units = {named(row[0]): row[3] for row in table("array")}
    assert [name for name, unit in units.items() if unit == "bits"] == [
        "row_entropy_bits", "ceiling_bits",
    ]  # fmt: skip
    assert not any("nat" in unit.split() for unit in units.values())
