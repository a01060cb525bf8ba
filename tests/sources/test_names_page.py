"""docs/tensors.md says which names and axes are recognised, all of them roles that there are."""

import re
from pathlib import Path

import numpy as np
import pytest

from mhagui.sources import axes_choices, names

TEXT = (Path(__file__).parents[2] / "docs/tensors.md").read_text("utf-8")


def rows(first):
    """Return the cells of each row of the table whose header begins with ``first``."""
    _, _, below = TEXT.partition(f"| {first} |")
    lines = below.split("\n\n")[0].split("\n")[2:]
    return [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in lines]


def in_code(cell):
    return re.findall("`([^`]+)`", cell)


ROLES, AXES = rows("Role"), rows("Of")


def test_every_role_has_its_row():
    assert [row[0] for row in ROLES] == list(names.ROLES)


@pytest.mark.parametrize(("role", "name"), [(row[0], n) for row in ROLES for n in in_code(row[1])])
def test_a_name_of_the_table_is_one_of_its_role(role, name):
    assert names.role_of(name) == role
    assert names.role_of(f"model.layers.3.{name.upper()}") == role
    assert names.layer_number(f"model.layers.3.{name}") == 3


def test_axes_of_the_table_are_those_there_are():
    told = {role: in_code(row[1]) for row in AXES for role in row[0].split(", ")}
    choices = {
        role: [",".join(axes) for n_axes in range(7) for axes in axes_choices(role, n_axes)]
        for role in (names.WEIGHTS, *names.STATES, names.X, *names.TERMS)
    }
    assert told == choices


def test_the_example_is_read_as_it_says(tmp_path, monkeypatch, opened):
    monkeypatch.chdir(tmp_path)
    code = re.search("```python\n(.*?)```", TEXT, re.DOTALL)[1]
    weights = np.tile(np.eye(3), (2, 1, 1))
    exec(code, {"np": np, "weights": weights})
    capture = opened(tmp_path / "heads.npz", axes="head,query,key")
    assert capture.query_tokens == ("The", "cat", "sat")
    np.testing.assert_array_equal(capture.layers[0].given, weights)


@pytest.mark.parametrize("name", ["mask", "attn_mask", "attention_mask", "scale"])
def test_masks_and_scales_have_no_name(name):
    assert names.role_of(name) == ""
