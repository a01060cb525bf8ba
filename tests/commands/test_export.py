"""Exporting many scenes, the numbers they show, scripts, and scenes out of figures."""

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from mhagui import cli
from mhagui.commands.sources import folders_of
from mhagui.document import (
    Session,
    compute,
    load_lesson,
    read_scene,
    scene_to_json,
    write_session,
)

FAST = ["--figure", "heads", "--dpi", "40"]


def below(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@pytest.fixture
def two_scenes(tmp_path):
    """Two scene files of one stem, in folders of their own."""
    paths = [tmp_path / folder / "mine.mhascene" for folder in ("a", "b")]
    for path, lesson in zip(paths, ("two-heads", "induction"), strict=True):
        path.parent.mkdir()
        write_session(path, Session.of(load_lesson(lesson)))
    return paths


# -------------------------------------------------------------------------------------- many scenes


def test_each_of_several_scenes_has_a_folder_of_its_own(run, tmp_path, two_scenes):
    out = tmp_path / "out"
    printed = run("export", "two-heads", *two_scenes, "--out", out, *FAST, "--format", "svg")
    assert below(out) == ["mine-2/heads.svg", "mine/heads.svg", "two-heads/heads.svg"]
    folders = ["two-heads", "mine", "mine-2"]
    assert printed == [str(out / folder / "heads.svg") for folder in folders]
    first, *others = ((out / folder / "heads.svg").read_bytes() for folder in folders)
    assert others[0] == first  # mine is two-heads, and the other mine is not
    assert others[1] != first


def test_no_two_scenes_share_a_folder():
    names = ["two-heads", "Two-Heads.json", "a/x.mhascene", "b/x.json", "x-2", "x"]
    folders = folders_of(names, Path("out"))
    assert [path.name for path in folders[2:]] == ["x", "x-2", "x-2-2", "x-3"]
    assert len({str(path).casefold() for path in folders}) == len(names)
    assert folders_of(["a/x.json"], Path("out")) == [Path("out")]


@pytest.mark.parametrize(
    "arguments",
    [
        ["two-heads", "four-heads", "--figure", "heads", "--format", "svg"],
        ["--figure", "heads", "two-heads", "four-heads", "--format", "svg"],
        ["two-heads", "--figure", "heads", "--format", "svg", "four-heads"],
        ["--figure", "heads", "two-heads", "--gain", "1=2", "four-heads", "--format", "svg"],
    ],
)
def test_scenes_may_stand_anywhere(run, tmp_path, arguments):
    run("export", "--out", tmp_path, *arguments)
    assert below(tmp_path) == ["four-heads/heads.svg", "two-heads/heads.svg"]


def test_a_scene_that_cannot_be_drawn_does_not_stop_the_others(capsys, tmp_path):
    broken = tmp_path / "broken.json"
    broken.write_bytes(b"{")
    names = ["two-heads", str(broken), "nolesson", "four-heads"]
    # t5 is there in four-heads alone.
    more = ["--out", str(tmp_path / "out"), *FAST, "--row", "5"]
    assert cli.main(["export", *names, *more]) == 2
    out, err = capsys.readouterr()
    assert out.splitlines() == [str(tmp_path / "out" / "four-heads" / "heads.png")]
    assert below(tmp_path / "out") == ["four-heads/heads.png"]
    told = err.splitlines()
    assert told[0] == "mhagui: two-heads: There is no row t5; this scene has t1 to t4."
    assert told[1].startswith(f"mhagui: {broken} is not a scene")
    assert told[2].startswith("mhagui: “nolesson” is neither a lesson")
    assert len(told) == 3


def test_what_is_wrong_for_all_scenes_is_said_once(refused, tmp_path):
    told = refused("export", "two-heads", "nolesson", "--out", tmp_path / "out", "--format", "gif")
    assert told == "mhagui: There is no format “gif”; the formats are png, svg, pdf, eps, tiff."
    assert not (tmp_path / "out").exists()


def test_a_figure_that_a_scene_cannot_have_is_left_out_with_the_reason(capsys, tmp_path):
    scene = json.loads(scene_to_json(load_lesson("two-heads")))
    scene |= {"sequence_length": 6, "x": None}
    (tmp_path / "long.json").write_text(json.dumps(scene))
    arguments = ["--figure", "heads", "packed-wq", "--dpi", "40", "--out", str(tmp_path / "out")]
    assert cli.main(["export", str(tmp_path / "long.json"), "two-heads", *arguments]) == 2
    assert "The packed W_Q does not exist" in capsys.readouterr().err
    assert below(tmp_path / "out") == [
        "long/heads.png", "two-heads/heads.png", "two-heads/packed-wq.png",
    ]  # fmt: skip


def test_where_no_figure_is_left_no_folder_is_made(capsys, tmp_path):
    arguments = ["--figure", "lesson", "summary", "--preset", "single", "--out", tmp_path / "out"]
    assert cli.main(["export", "two-heads", *map(str, arguments)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("is left out") == 2
    assert not (tmp_path / "out").exists()


# --------------------------------------------------------------------- formats, numbers and scripts


def test_every_format_is_what_its_name_says(run, tmp_path):
    run("export", "two-heads", "--out", tmp_path, *FAST, "--format", "png,svg,pdf,eps,tiff")
    beginnings = {"png": b"\x89PNG", "pdf": b"%PDF", "eps": b"%!PS-Adobe", "tiff": b"II*\0"}
    for kind, beginning in beginnings.items():
        assert (tmp_path / f"heads.{kind}").read_bytes().startswith(beginning)
    assert b"<svg" in (tmp_path / "heads.svg").read_bytes()


@pytest.mark.thorough
def test_a_transparent_eps_is_said_to_be_white_once(capsys, tmp_path):
    arguments = ["--out", str(tmp_path), "--figure", "entropy", "--format", "eps"]
    arguments += ["--ground", "transparent"]
    assert cli.main(["export", "two-heads", "four-heads", *arguments]) == 0
    assert capsys.readouterr().err == (
        "mhagui: EPS files have no transparency: their ground is white.\n"
    )


def test_numbers_alone_draw_no_figure(run, tmp_path):
    printed = run(
        "export", "two-heads", "--gain", "1=2", "--data", "csv,npz", "json", "--out", tmp_path
    )
    assert printed == [str(tmp_path / f"numbers.{kind}") for kind in ("csv", "npz", "json")]
    assert below(tmp_path) == ["numbers.csv", "numbers.json", "numbers.npz"]
    with (tmp_path / "numbers.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    with np.load(tmp_path / "numbers.npz", allow_pickle=False) as arrays:
        weights = arrays["weights"]
    assert {row["gain"] for row in rows if row["head"] == "1"} == {"2.0"}
    for row in rows:
        head, t, i = (int(row[name]) - 1 for name in ("head", "t", "i"))
        assert float(row["weight"]) == weights[head, t, i]


def test_numbers_come_beside_figures_where_both_are_wanted(run, tmp_path):
    run("export", "two-heads", "--data", "csv", *FAST, "--out", tmp_path)
    assert below(tmp_path) == ["heads.png", "numbers.csv"]


def test_a_script_lies_beside_each_figure(run, tmp_path):
    figures = ["--figure", "heads", "entropy", "--dpi", "40"]
    run("export", "two-heads", *figures, "--script", "--out", tmp_path)
    assert below(tmp_path) == ["entropy.png", "entropy.py", "heads.png", "heads.py"]
    for name in ("heads", "entropy"):
        compile((tmp_path / f"{name}.py").read_text(encoding="utf-8"), name, "exec")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["--data", "xlsx"],
            "There is no data format “xlsx”; the data formats are csv, npz, json.",
        ),
        (
            ["--from", "a.png", "two-heads"],
            "Give --from FIGURE or the scene “two-heads”, not both.",
        ),
        (
            ["two-heads", "--from", "a.png"],
            "Give --from FIGURE or the scene “two-heads”, not both.",
        ),
        (["--head", "0"], "There is no head 0"),
        (["--head", "5"], "There is no head 5"),
        (["--head", "x"], "--head x: give a whole number"),
    ],
)
def test_bad_wishes_are_named_and_leave_no_folder(refused, tmp_path, arguments, said):
    assert said in refused("export", "--out", tmp_path / "out", *FAST, *arguments)
    assert list(tmp_path.iterdir()) == []


# ---------------------------------------------------------------------------- scenes out of figures


@pytest.fixture
def figure(run, tmp_path):
    """A figure that looks like no other: of which scene, where and how."""
    options = ["--figure", "head", "--head", "2", "--row", "2", "--dpi", "50"]
    style = ["--preset", "single", "--no-values"]
    run("export", "two-heads", "--gain", "1=2", *options, *style, "--out", tmp_path / "made")
    return tmp_path / "made" / "head.png"


def test_a_figure_gives_its_scene_back_and_nothing_else(run, tmp_path, figure):
    out = tmp_path / "back"
    assert run("export", "--from", figure, "--out", out) == [str(out / "head.mhascene")]
    assert below(out) == ["head.mhascene"]
    scene = read_scene(out / "head.mhascene")
    assert [head.gain for head in scene.heads] == [2.0, 1.0]
    known = compute(load_lesson("two-heads")).heads[1].weights
    np.testing.assert_array_equal(compute(scene).heads[1].weights, known)


def test_a_figure_is_drawn_again_to_the_byte(run, tmp_path, figure):
    run("export", "--from", figure, "--format", "png,svg,pdf", "--out", tmp_path / "one")
    assert (tmp_path / "one" / "head.png").read_bytes() == figure.read_bytes()
    for kind in ("svg", "pdf"):
        first = tmp_path / "one" / f"head.{kind}"
        run("export", "--from", first, "--format", "png", kind, "--out", tmp_path / kind)
        assert (tmp_path / kind / "head.png").read_bytes() == figure.read_bytes()
        assert (tmp_path / kind / first.name).read_bytes() == first.read_bytes()


def test_options_change_what_is_drawn_again(run, tmp_path, figure):
    run("export", "--from", figure, "--figure", "heads", "--dpi", 100, "--out", tmp_path / "out")
    assert below(tmp_path / "out") == ["head.mhascene", "heads.png"]
    with Image.open(figure) as before, Image.open(tmp_path / "out" / "heads.png") as after:
        assert after.width == pytest.approx(2 * before.width, abs=1)  # a column wide, as before


def test_another_scene_is_never_written_over(run, refused, tmp_path, figure):
    out = tmp_path / "back"
    run("export", "--from", figure, "--out", out)
    run("export", "--from", figure, "--out", out)  # the same again is no other
    (out / "head.mhascene").write_bytes(b"work")
    told = refused("export", "--from", figure, "--format", "png", "--out", out)
    assert f"{out / 'head.mhascene'} is there, and is another scene" in told
    assert below(out) == ["head.mhascene"]
    assert (out / "head.mhascene").read_bytes() == b"work"


def test_a_figure_may_stand_for_its_scene(run, tmp_path, figure):
    run("export", figure, *FAST, "--format", "svg", "--out", tmp_path / "one")
    run("export", "two-heads", "--gain", "1=2", *FAST, "--format", "svg", "--out", tmp_path / "two")
    one, two = (tmp_path / folder / "heads.svg" for folder in ("one", "two"))
    assert one.read_bytes() == two.read_bytes()


def test_several_figures_give_their_scenes_back(run, capsys, tmp_path, figure):
    bad = tmp_path / "bad.png"
    Image.new("RGB", (2, 2)).save(bad)
    assert (
        cli.main(["export", "--from", str(bad), str(figure), "--out", str(tmp_path / "out")]) == 2
    )
    _, err = capsys.readouterr()
    assert err == f"mhagui: {bad} gives no scene back: it is a PNG file, but no figure of mhagui.\n"
    assert below(tmp_path / "out") == ["head/head.mhascene"]


def test_a_figure_without_its_scene_says_so(run, refused, tmp_path):
    run("export", "two-heads", *FAST, "--no-scene", "--out", tmp_path)
    told = refused("export", "--from", tmp_path / "heads.png", "--out", tmp_path / "out")
    assert "gives no scene back: it was exported without its scene" in told
    assert "not a file" in refused("export", "--from", tmp_path, "--out", tmp_path / "out")
    assert "cannot be read" in refused("export", "--from", "no.png", "--out", tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("backend", ["module://matplotlib_inline.backend_inline", "nonsense"])
def test_the_backend_that_a_notebook_has_does_not_matter(tmp_path, backend):
    arguments = ["export", *FAST, "--out", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, "-m", "mhagui", *arguments],
        env={**os.environ, "MPLBACKEND": backend},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert below(tmp_path) == ["heads.png"]


@pytest.fixture
def nothing_drawn(monkeypatch):
    """Nothing is drawn, or laid out, or told in a report, before one knows that it can be kept."""
    from mhagui import reports
    from mhagui.figures import drawing

    for module, name in ((drawing, "render"), (drawing, "plan"), (reports, "render_report")):
        monkeypatch.setattr(module, name, None)


@pytest.mark.parametrize(
    "arguments",
    [
        ("export", "--out", "taken"),
        ("export", "--out", "taken/below/it"),
        ("export", "two-heads", "four-heads", "--out", "taken"),
        ("export", "--out", f"{'n' * 256}/below"),
        ("report", "--out", "taken/report.html"),
        ("animate", "--slider", "h1-gain", "--out", "taken/film.gif"),
    ],
)
def test_where_nothing_can_be_written_is_said_first(
    capsys, tmp_path, monkeypatch, nothing_drawn, arguments
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").write_bytes(b"mine")
    assert cli.main(list(arguments)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert re.search(r"not a folder|name is too long", err)
    assert [each.name for each in tmp_path.iterdir()] == ["taken"]


@pytest.mark.parametrize("letter", ["n", "é", "漢"])
def test_a_figure_of_the_longest_name_gives_its_scene_back(run, tmp_path, figure, letter):
    stem = letter * (251 // len(letter.encode()))
    long = figure.rename(figure.with_name(f"{stem}.png"))
    (path,) = run("export", "--from", long, "--out", tmp_path / "out")
    assert stem.startswith(Path(path).stem)
    assert len(Path(path).name.encode()) > 250
    assert read_scene(Path(path)).title == "two heads"
