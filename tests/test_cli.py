"""The command line as people use it: what it prints, writes and refuses, and how it ends."""

import errno
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from mhagui import cli, display_check, figures
from mhagui.commands import report
from mhagui.document import Session, ViewState, load_lesson, scene_to_json, write_session
from mhagui.document.view_state import Cursor
from mhagui.files import stamp

ROOT = Path(__file__).parents[1]
MAIN = [sys.executable, str(ROOT / "main.py")]
FEW = ("heads", "entropy")
# As main.py, where all figures there are would take long to draw.
MAIN_WITH_FEW = f"""
import sys
from mhagui import cli, figures
figures.FIGURES = {{name: figures.FIGURES[name] for name in {FEW}}}
sys.exit(cli.main())
"""
EXPECTED = json.loads((ROOT / "tests" / "data" / "expected.json").read_text())


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def no_display(monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    if not sys.platform.startswith("linux"):
        monkeypatch.setattr(display_check, "why_no_display", lambda: "There is no display")


@pytest.fixture
def started(monkeypatch):
    """Stand in for the window; give scene, origin and view of each that was asked for."""
    from mhagui.gui import application

    windows = []
    monkeypatch.setattr(application, "run", lambda *window, **_: windows.append(window) or 0)
    return windows


def ends_with(capsys, arguments, status):
    """Run ``main`` and return what it printed: standard output and standard error."""
    assert cli.main(arguments) == status
    return capsys.readouterr()


def refused(capsys, *arguments):
    """Run ``main``, which has to refuse in one line on standard error; return that line."""
    out, err = ends_with(capsys, list(map(str, arguments)), 2)
    assert out == ""
    assert re.fullmatch(r"mhagui: [^\n]+\n", err)
    assert "Traceback" not in err
    return err.strip()


def as_process(*arguments, main=MAIN, **environment):
    env = {key: value for key, value in os.environ.items() if key not in environment}
    env |= {key: value for key, value in environment.items() if value is not None}
    return subprocess.run(
        [*main, *map(str, arguments)],
        capture_output=True,
        env=env,
        cwd=ROOT,
        timeout=100,
        check=False,
    )


# ------------------------------------------------------------------------------------------- report


def test_report_prints_the_default_lessons_numbers(capsys):
    out, err = ends_with(capsys, ["report"], 0)
    assert out.startswith("four heads\n")
    assert "1.824399" in out  # bits of head 1 at t6
    assert err == ""


def test_report_json_is_the_lessons(capsys):
    given = json.loads(ends_with(capsys, ["report", "two-heads", "--json"], 0).out)
    for row, wanted in zip(given["output"], EXPECTED["two_heads"]["output"], strict=True):
        assert row == pytest.approx(wanted, rel=1e-12, abs=1e-12)


def test_gains_are_applied_to_the_heads_they_name(capsys):
    arguments = ["report", "--gain", "1=2", "2=-1", "--gain", "4=1e300", "--json"]
    given = json.loads(ends_with(capsys, arguments, 0).out)
    assert [head["gain"] for head in given["heads"]] == [2.0, -1.0, 1.0, 1e300]
    # Key magnitude 6 instead of 3 is a gain of 2: exercise 6 of the lesson.
    (known,) = [
        bits
        for magnitude, bits in zip(
            EXPECTED["exercises"]["6"]["key_magnitude"],
            EXPECTED["exercises"]["6"]["entropy_bits_at_t6"],
            strict=True,
        )
        if magnitude == 6
    ]
    assert given["heads"][0]["row_entropy_bits"][5] == pytest.approx(known, rel=1e-12)


@pytest.mark.parametrize(
    "arguments", [["two-heads", "--gain", "1=2"], ["--gain", "1=2", "two-heads"]]
)
def test_the_scene_may_stand_before_or_behind_the_gains(capsys, arguments):
    given = json.loads(ends_with(capsys, ["report", *arguments, "--json"], 0).out)
    assert (given["title"], given["heads"][0]["gain"]) == ("two heads", 2.0)


def test_a_scene_file_is_reported(capsys, tmp_path):
    (tmp_path / "mine.json").write_bytes(scene_to_json(load_lesson("two-heads")))
    assert ends_with(capsys, ["report", str(tmp_path / "mine.json")], 0).out.startswith("two heads")


def test_a_file_called_report_can_be_opened(monkeypatch, tmp_path, started):
    (tmp_path / "report").write_bytes(scene_to_json(load_lesson("two-heads")))
    monkeypatch.chdir(tmp_path)
    assert cli.main(["./report"]) == 0
    assert started[0][0] == load_lesson("two-heads")


# ------------------------------------------------------------------------------------------- export


@pytest.fixture
def few_figures(monkeypatch):
    """Let the program know two figures alone, where all would be drawn."""
    few = {name: figures.FIGURES[name] for name in FEW}
    monkeypatch.setattr(figures, "FIGURES", few)


def test_export_writes_png_and_prints_the_paths(capsys, tmp_path, few_figures):
    out = tmp_path / "made" / "here"
    printed = ends_with(capsys, ["export", "two-heads", "--out", str(out), "--dpi", "50"], 0).out
    assert printed.splitlines() == [str(out / f"{name}.png") for name in figures.FIGURES]
    assert all(Path(line).read_bytes().startswith(b"\x89PNG") for line in printed.splitlines())


@pytest.mark.parametrize(
    "arguments",
    [
        ["--figure", "heads", "entropy", "--format", "svg,pdf"],
        ["--figure", "heads,entropy", "--format", "SVG", "--format", "pdf"],
        ["--figure", "heads", "--figure", "entropy", "heads", "--format", "svg", "pdf"],
        ["--figure", "heads", "entropy", "two-heads", "--format", "svg,pdf"],
    ],
)
def test_export_writes_the_figures_and_formats_asked_for(capsys, tmp_path, arguments):
    ends_with(capsys, ["export", "--out", str(tmp_path), *arguments], 0)
    assert set(names_in(tmp_path)) == {"heads.svg", "heads.pdf", "entropy.svg", "entropy.pdf"}


def test_the_scene_may_stand_behind_the_formats(capsys, tmp_path):
    options = ["--out", str(tmp_path), "--dpi", "40", "--figure", "entropy", "--format", "png"]
    out, _ = ends_with(capsys, ["export", *options, "two-heads"], 0)
    assert out.splitlines() == [str(tmp_path / "entropy.png")]


def test_export_draws_the_gains(capsys, tmp_path):
    arguments = [
        "export",
        "two-heads",
        "--out",
        str(tmp_path),
        "--figure",
        "heads",
        "--format",
        "svg",
    ]
    ends_with(capsys, [*arguments, "--gain", "1=0"], 0)
    # Without a gain the first head blends the past evenly: row 3 holds three thirds, twice.
    assert (tmp_path / "heads.svg").read_text().count(">0.33<") == 6


def test_export_draws_the_row_asked_for(capsys, tmp_path):
    for row in ("1", "6"):
        more = ["--figure", "impulse", "--format", "svg", "--row", row]
        ends_with(capsys, ["export", "--out", str(tmp_path), *more], 0)
        assert f"weight at t{row}" in (tmp_path / "impulse.svg").read_text()


def test_a_figure_that_the_scene_does_not_have_is_left_out_unless_asked_for(
    capsys, tmp_path, monkeypatch
):
    few = {name: figures.FIGURES[name] for name in ("heads", "packed-wq", "packed-wk")}
    monkeypatch.setattr(figures, "FIGURES", few)
    scene = json.loads(scene_to_json(load_lesson("two-heads")))
    scene |= {"sequence_length": 6, "x": None}
    path = tmp_path / "long.json"
    path.write_text(json.dumps(scene))
    out, err = ends_with(capsys, ["export", str(path), "--out", str(tmp_path), "--dpi", "40"], 0)
    assert out.splitlines() == [str(tmp_path / "heads.png")]
    lines = r"mhagui: packed-wq is left out\. [^\n]+\nmhagui: packed-wk is left out\. [^\n]+\n"
    assert re.fullmatch(lines, err)
    told = refused(capsys, "export", path, "--out", tmp_path / "new", "--figure", "packed-wq")
    assert "The packed W_Q does not exist" in told
    assert not (tmp_path / "new").exists()


# ---------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nolesson"], "“nolesson” is neither a lesson (four-heads, two-heads, "),
        (["report", "nolesson"], "content-position and induction) nor a file"),
        (["report", "n" * 5000], "name"),
        (["report", "--gain", "5=1"], "no head 5; “four heads” has heads 1 to 4"),
        (["report", "--gain", "0=1"], "no head 0"),
        (["report", "--gain", "-1=1"], "no head -1; “four heads” has heads 1 to 4"),
        (["report", "--gain=-1=1"], "no head -1; “four heads” has heads 1 to 4"),
        (["report", "--gain", "2=0", "-1=1"], "no head -1; “four heads” has heads 1 to 4"),
        (["report", "--gain", "-1=1", "two-heads"], "no head -1; “two heads” has heads 1 to 2"),
        (["report", "--gain", "-1"], "--gain -1: give N=G"),
        (["report", "--gain", "-1.5=1"], "--gain -1.5=1: give N=G"),
        (["report", "--gain", "1=abc"], "--gain 1=abc: a gain is a finite number"),
        (["report", "--gain", "1=nan"], "finite number"),
        (["report", "--gain", "1=inf"], "finite number"),
        (["report", "--gain", "1=1e999"], "finite number"),
        (["report", "--gain", "1="], "finite number"),
        (["report", "--gain", "one=1"], "give N=G"),
        (["report", "--gain", "2"], "give N=G"),
        (["report", "--gain", "9" * 5000 + "=1"], "whole number"),
        (["report", "--gain"], "--gain"),
        (["report", "--jsn"], "--jsn; see 'mhagui report --help'"),
        (["report", "two-heads", "four-heads"], "four-heads"),
        (["export"], "--out; see 'mhagui export --help'"),
        (["--frobnicate"], "--frobnicate; see 'mhagui --help'"),
        ([""], "SCENE: it is empty; see 'mhagui --help'."),
        (["report", ""], "SCENE: it is empty; see 'mhagui report --help'."),
        (["export", "--out", ""], "--out: it is empty; see 'mhagui export --help'."),
        (["--figures-if-no-display", ""], "--figures-if-no-display: it is empty"),
        (["report", "a\x1b[31m\nb"], r"“a\x1b[31m\nb” is neither a lesson"),
        (["report", "--a\x1b"], r"--a\x1b; see 'mhagui report --help'"),
        (["report", "\udcff"], r"“\udcff” is neither a lesson"),
    ],
)
def test_bad_arguments_are_named_with_what_would_be_right(capsys, arguments, said):
    assert said in refused(capsys, *arguments)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["--figure", "hands"],
            "“hands”; the figures are heads, head, scores, projection, w-o, concat, output",
        ),
        (["--format", "gif"], "“gif”; the formats are png, svg, pdf"),
        (["--format", "png,gif"], "“gif”"),
        (["--format", ""], "--format: it is empty"),
        (["--figure", ","], "--figure: it is empty"),
        (["--figure", "\x1b"], r"no figure “\x1b”"),
        (["--dpi", "29"], "--dpi 29: it must be a whole number of at least 30"),
        (["--dpi", "100000000000"], "of at most 1200"),
        (["--row", "0"], "There is no row t0; this scene has t1 to t6."),
        (["--row", "7"], "There is no row t7; this scene has t1 to t6."),
        (["--row", "x"], "--row x: give a whole number"),
        (["--gain", "9=1"], "no head 9"),
    ],
)
def test_bad_exports_are_named_and_leave_no_folder(capsys, tmp_path, arguments, said):
    assert said in refused(capsys, "export", "--out", tmp_path / "out", *arguments)
    assert names_in(tmp_path) == []


def altered(**changes):
    return json.dumps(json.loads(scene_to_json(load_lesson("two-heads"))) | changes).encode()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "broken.json"),
        (b"\x89PNG\r\n\x1a\n\x00\xff", "broken.json"),
        (b'{"format": "mhagui scene", "version": 1, "title": ', "broken.json"),
        (b"[" * 100_000, "broken.json"),
        (altered(sequence_length=0, x=None), "from 1 to 4096; got 0"),
        (altered(sequence_length=10_000_000, x=None), "from 1 to 4096; got 10000000"),
        (altered(w_o=[[1.0, 2.0, 3.0, 4.0]] * 3), "W_O is 3 × 4, but these heads need 4 × 4"),
        (altered(heads=[]), "heads"),
    ],
)
def test_broken_scenes_are_refused_by_every_command(capsys, tmp_path, content, said):
    path, out = tmp_path / "broken.json", tmp_path / "out"
    path.write_bytes(content)
    for arguments in ([path], ["report", path], ["export", path, "--out", out]):
        told = refused(capsys, *arguments)
        assert str(path) in told
        assert said in told
    assert not out.exists()


def test_a_folder_is_no_scene(capsys, tmp_path):
    assert str(tmp_path) in refused(capsys, "report", tmp_path)


def test_a_file_where_the_folder_should_be_is_named(capsys, tmp_path):
    blocked = tmp_path / "taken"
    blocked.write_bytes(b"mine")
    for out in (blocked, blocked / "below"):
        told = refused(capsys, "export", "--out", out, "--figure", "entropy", "--dpi", 30)
        assert str(out) in told
    assert blocked.read_bytes() == b"mine"


def test_a_path_is_printed_with_its_control_characters_visible(capsys, tmp_path):
    out = tmp_path / "a\x1b[1m\nb"
    arguments = ["export", "--out", str(out), "--figure", "entropy", "--dpi", "30"]
    printed, _ = ends_with(capsys, arguments, 0)
    assert printed == f"{tmp_path}/a\\x1b[1m\\nb/entropy.png\n"


def test_a_full_disk_leaves_nothing_half_written(capsys, tmp_path, monkeypatch):
    def full(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    told = refused(capsys, "export", "--out", tmp_path, "--figure", "entropy", "--dpi", 30)
    assert told.endswith("entropy.png cannot be written: the disk is full.")
    assert names_in(tmp_path) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["nolesson"],
        ["report", "--gain", "1=abc"],
        ["export", "--out", os.devnull + "/below", "--figure", "entropy"],
        ["export", "--out", "out", "--figure", "none"],
    ],
)
def test_a_process_ends_with_status_2_and_one_line(arguments):
    run = as_process(*arguments)
    assert (run.returncode, run.stdout) == (2, b"")
    assert re.fullmatch(rb"mhagui: [^\n]+\n", run.stderr.replace(b"\r\n", b"\n"))
    assert not (ROOT / "out").exists()


# ------------------------------------------------------------------------------------ window or not


@pytest.mark.parametrize(
    ("arguments", "title"),
    [([], "four heads"), (["two-heads"], "two heads"), (["--", "two-heads"], "two heads")],
)
def test_the_window_shows_the_scene_asked_for(started, arguments, title):
    assert cli.main(arguments) == 0
    assert [scene.title for scene, _, _ in started] == [title]


def test_without_a_display_the_window_says_so_and_what_works(capsys, no_display):
    told = refused(capsys)
    assert "There is no display" in told
    assert "report" in told
    assert "export" in told


def evidence():
    """The files that are written where there is no display, of few figures."""
    pictures = (f"{name}.{kind}" for name in FEW for kind in ("png", "svg", "pdf"))
    return {*pictures, "report.txt", "report.json"}


def test_figures_and_report_are_written_where_there_is_no_display(
    capsys, no_display, tmp_path, few_figures
):
    out = tmp_path / "evidence"
    printed, err = ends_with(capsys, ["two-heads", "--figures-if-no-display", str(out)], 0)
    assert err == ""
    first, second = printed.splitlines()
    assert "There is no display" in first
    assert str(out) in second
    assert set(names_in(out)) == evidence()
    assert (out / "report.txt").read_text(encoding="utf-8").startswith("two heads\n")
    assert json.loads((out / "report.json").read_text())["T"] == 4


def test_a_process_without_a_display_writes_figures_instead(tmp_path):
    if not sys.platform.startswith("linux"):
        pytest.skip("only Linux has sessions without a display")
    away = dict.fromkeys(("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))
    main = [sys.executable, "-c", MAIN_WITH_FEW]
    run = as_process("two-heads", "--figures-if-no-display", tmp_path / "out", main=main, **away)
    assert (run.returncode, run.stderr) == (0, b"")
    assert set(names_in(tmp_path / "out")) == evidence()
    run = as_process(**away)
    assert run.returncode == 2
    assert run.stderr.startswith(b"mhagui: There is no display")


def test_the_file_that_was_asked_for_is_the_one_that_is_saved_to(started, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scene = load_lesson("two-heads")
    view = replace(ViewState.of(scene), cursor=Cursor(2, 3, 1))
    write_session(Path("mine.mhascene"), Session(scene, view))
    assert cli.main(["mine.mhascene"]) == 0
    assert cli.main(["induction"]) == 0
    (opened, origin, looked_at), (lesson, made, _) = started
    assert (opened, looked_at) == (scene, view)
    assert (origin.path, origin.kept) == (tmp_path / "mine.mhascene", scene)
    assert origin.stamp == stamp(tmp_path / "mine.mhascene")
    assert (made.path, made.kept) == (None, lesson)


def test_a_session_file_is_reported_and_exported_like_a_lesson(capsys, tmp_path):
    path = tmp_path / "mine.mhascene"
    write_session(path, Session.of(load_lesson("four-heads")))
    assert cli.main(["report", str(path), "--json"]) == 0
    of_file = json.loads(capsys.readouterr().out)
    assert cli.main(["report", "four-heads", "--json"]) == 0
    assert of_file == json.loads(capsys.readouterr().out)
    assert cli.main(["export", str(path), "--out", str(tmp_path), "--figure", "heads"]) == 0
    assert (tmp_path / "heads.png").read_bytes().startswith(b"\x89PNG")


def test_with_a_display_the_window_opens_and_no_figure_is_written(started, tmp_path):
    assert cli.main(["--figures-if-no-display", str(tmp_path / "out")]) == 0
    assert len(started) == 1
    assert not (tmp_path / "out").exists()


def test_missing_libraries_are_said_before_qt_could_abort(capsys, started, monkeypatch):
    monkeypatch.setattr(display_check, "missing_libraries", lambda: "The window needs libx")
    assert "The window needs libx; 'mhagui report'" in refused(capsys)
    assert started == []


# -------------------------------------------------------------------------------- the unexpected


def test_want_of_memory_is_no_bug(capsys, monkeypatch):
    def fail(_arguments):
        raise MemoryError

    monkeypatch.setattr(report, "run", fail)
    assert cli.main(["report"]) == 2
    assert capsys.readouterr().err == "mhagui: That takes more memory than there is.\n"


def test_a_bug_is_called_one_and_shows_its_place_when_asked(capsys, monkeypatch):
    def fail(command, options):
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr(report, "the_scene", fail)
    monkeypatch.delenv("MHAGUI_DEBUG", raising=False)
    out, err = ends_with(capsys, ["report"], 1)
    assert out == ""
    bug = "mhagui: this is a bug, ZeroDivisionError: by zero"
    said = re.fullmatch(rf"{bug}; (.+) says where\.\n", err)
    assert "ZeroDivisionError: by zero" in Path(said[1]).read_text()
    monkeypatch.setenv("MHAGUI_DEBUG", "1")
    assert "Traceback" in ends_with(capsys, ["report"], 1).err
