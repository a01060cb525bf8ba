"""Reports in every format: printed, written and refused."""

import io
import json
import sys

import pypdf
import pytest

from mhagui import cli
from mhagui.document import compute, load_lesson
from mhagui.report import report_json, report_text


@pytest.fixture
def written(monkeypatch):
    """Stand in for an output that goes to a file: what is written to it, to the byte."""
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="latin-1", newline="\r\n"))
    return raw


@pytest.fixture
def scene():
    return load_lesson("two-heads")


def test_text_and_json_are_what_they_always_were(capsys, scene):
    result = compute(scene)
    for arguments, text in (
        ([], report_text),
        (["--format", "text"], report_text),
        (["--json"], report_json),
        (["--format", "JSON"], report_json),
        (["--json", "--format", "json"], report_json),
    ):
        assert cli.main(["report", "two-heads", *arguments]) == 0
        assert capsys.readouterr().out == text(scene, result)


@pytest.mark.parametrize(
    ("name", "beginning"),
    [
        ("a.txt", b"two heads"),
        ("a.JSON", b"{"),
        ("a.html", b"<!"),
        ("a.pdf", b"%PDF"),
        ("a", b"two"),
    ],
)
def test_the_format_is_as_the_files_name_ends(run, tmp_path, name, beginning):
    path = tmp_path / name
    assert run("report", "two-heads", "--out", path) == [str(path)]
    assert path.read_bytes().lower().startswith(beginning.lower())
    assert [each.name for each in tmp_path.iterdir()] == [name]


def test_the_format_given_counts_more_than_the_name(run, tmp_path):
    run("report", "two-heads", "--format", "json", "--out", tmp_path / "report.txt")
    assert json.loads((tmp_path / "report.txt").read_text())["T"] == 4


@pytest.mark.parametrize("kind", ["markdown", "html", "pdf"])
def test_what_goes_to_a_file_is_the_same_to_the_byte(run, tmp_path, written, kind):
    assert cli.main(["report", "two-heads", "--format", kind]) == 0
    piped = written.getvalue()
    assert cli.main(["report", "two-heads", "--format", kind, "--out", str(tmp_path / "r")]) == 0
    assert (tmp_path / "r").read_bytes() == piped
    if kind == "pdf":
        assert len(pypdf.PdfReader(io.BytesIO(piped)).pages) >= 1
    else:
        assert "two heads" in piped.decode("utf-8")


def test_a_report_is_drawn_in_the_style_asked_for(run, tmp_path):
    for colours in ("viridis", "grey"):
        more = ["--weight-colours", colours, "--out", tmp_path / f"{colours}.html"]
        run("report", "two-heads", *more)
    viridis, grey = ((tmp_path / f"{name}.html").read_text() for name in ("viridis", "grey"))
    assert viridis != grey


def test_a_terminal_gets_text_and_no_pdf(capsys, refused, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    told = refused("report", "two-heads", "--format", "pdf")
    assert told == "mhagui: That is no text, and a terminal cannot show it: give --out FILE."
    assert cli.main(["report", "two-heads", "--format", "markdown"]) == 0
    assert "two heads" in capsys.readouterr().out.splitlines()[0]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["--format", "docx"],
            "no report “docx”; the reports are text, json, markdown, html, pdf.",
        ),
        (["--json", "--format", "html"], "--json and --format html ask for two reports"),
        (["--json", "--ground", "dark"], "A report as json has no figures to style"),
        (["two-heads", "four-heads"], "'mhagui report' takes one scene, not also “four-heads”."),
        (["--gain", "1=2", "two-heads", "2=3", "four-heads"], "not also “four-heads”"),
        (["--out", ""], "--out: it is empty"),
    ],
)
def test_bad_wishes_are_named(refused, arguments, said):
    assert said in refused("report", *arguments)


def test_a_report_that_cannot_be_written_is_said_to_be_so(refused, tmp_path):
    assert "it is a folder" in refused("report", "--out", tmp_path)
    told = refused("report", "--json", "--out", tmp_path / "no" / "report.json")
    assert "report.json cannot be written: the folder does not exist." in told
    assert list(tmp_path.iterdir()) == []
