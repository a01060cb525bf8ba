"""Reports in every format: printed, written and refused."""

import io
import json
import sys

import numpy as np
import pypdf
import pytest

from mhagui import cli, reports
from mhagui.document import Session, compute, load_lesson, read_scene
from mhagui.document.provenance import provenance_of_file, sha256
from mhagui.document.session_file import session_to_bytes
from mhagui.report import report_json, report_text
from mhagui.reports import content


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


@pytest.fixture
def quick(monkeypatch):
    """Stand in for reports with figures, which take seconds, by their kind and style."""

    def render(scene, result, kind, style, row):
        return f"{kind} of “{scene.title}”,\nin {style.weight_colours}".encode()

    monkeypatch.setattr(reports, "render_report", render)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.txt", "text"),
        ("a.JSON", "json"),
        ("a.md", "markdown"),
        ("a.htm", "html"),
        ("a.html", "html"),
        ("a.pdf", "pdf"),
        ("a", "text"),
    ],
)
def test_the_format_is_as_the_files_name_ends(run, tmp_path, quick, name, kind):
    path = tmp_path / name
    assert run("report", "two-heads", "--out", path) == [str(path)]
    assert path.read_text("utf-8").startswith(f"{kind} of “two heads”")
    assert [each.name for each in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("command", ["report", "export"])
def test_a_file_of_tensors_or_a_model_is_told_where_it_goes(capsys, tmp_path, command):
    more = ["--out", str(tmp_path / "made")] if command == "export" else []
    np.save(tmp_path / "w.npy", np.full((2, 4, 4), 0.25))
    (tmp_path / "model.gguf").write_bytes(b"GGUF" + bytes(100))
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "config.json").write_text("{}")
    for name in ("w.npy", "model.gguf", "folder"):
        path = str(tmp_path / name)
        assert cli.main([command, path, *more]) == 2
        told = capsys.readouterr().err
        assert f"{path} is no scene" in told
        assert "'mhagui report FILE --scorecard'" in told
        assert "window" in told
        assert told.count(path) == 1
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("command", ["report", "export"])
def test_of_a_file_that_is_not_there_nothing_else_is_told(capsys, tmp_path, command):
    more = ["--out", str(tmp_path / "made")] if command == "export" else []
    assert cli.main([command, str(tmp_path / "none.npy"), *more]) == 2
    assert "a file that is there" in capsys.readouterr().err


def test_the_format_given_counts_more_than_the_name(run, tmp_path):
    run("report", "two-heads", "--format", "json", "--out", tmp_path / "report.txt")
    assert json.loads((tmp_path / "report.txt").read_text())["T"] == 4


@pytest.mark.parametrize("kind", ["markdown", "html", "pdf"])
def test_what_goes_to_a_file_is_the_same_to_the_byte(tmp_path, monkeypatch, quick, kind):
    raw = io.BytesIO()  # an output that goes to a file, and would spoil what is more than text
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="latin-1", newline="\r\n"))
    more = ["--format", kind, "--weight-colours", "grey"]
    assert cli.main(["report", "two-heads", *more]) == 0
    piped = raw.getvalue()
    assert piped == f"{kind} of “two heads”,\nin grey".encode()
    assert cli.main(["report", "two-heads", *more, "--out", str(tmp_path / "report")]) == 0
    assert (tmp_path / "report").read_bytes() == piped


def test_a_terminal_gets_text_and_no_pdf(capsys, refused, monkeypatch, quick):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    told = refused("report", "two-heads", "--format", "pdf")
    assert told == "mhagui: That is no text, and a terminal cannot show it: give --out FILE."
    assert cli.main(["report", "two-heads", "--format", "markdown"]) == 0
    assert capsys.readouterr().out == "markdown of “two heads”,\nin viridis"


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
        (["--format", "html", "--out", "r.pdf"], "a report as html, and its name says pdf"),
        (["--outt", "r.pdf"], "--outt; see 'mhagui report --help'. Did you mean --out?"),
    ],
)
def test_bad_wishes_are_named(refused, arguments, said):
    assert said in refused("report", *arguments)


def test_a_report_that_cannot_be_written_is_said_to_be_so(refused, tmp_path):
    assert "it is a folder" in refused("report", "--out", tmp_path)
    (tmp_path / "no").touch()
    told = refused("report", "--json", "--out", tmp_path / "no" / "report.json")
    assert f"{tmp_path / 'no'} is not a folder" in told
    assert [path.name for path in tmp_path.iterdir()] == ["no"]


def test_the_folder_of_a_report_is_made(run, tmp_path):
    path = tmp_path / "new" / "reports" / "report.txt"
    assert run("report", "two-heads", "--out", path) == [str(path)]
    assert path.read_text("utf-8").startswith("two heads")


@pytest.fixture
def one_figure(monkeypatch):
    """Leave the others out of reports: it takes seconds to draw them all."""
    monkeypatch.setattr(content, "why_not", lambda name, _: None if name == "impulse" else name)


@pytest.mark.parametrize(("options", "holds"), [([], True), (["--no-scene"], False)])
def test_a_pdf_says_where_it_comes_from(run, refused, one_figure, tmp_path, options, holds):
    path, out = tmp_path / "report.pdf", tmp_path / "out"
    run("report", "two-heads", *options, "--preset", "single", "--out", path)
    assert len(pypdf.PdfReader(path).pages) >= 1
    provenance = provenance_of_file(path.read_bytes())
    assert (provenance.figure, provenance.title) == ("report", "two heads")
    assert provenance.scene_sha256 == sha256(session_to_bytes(Session.of(load_lesson("two-heads"))))
    again = ["export", "--from", path, "--figure", "entropy", "--dpi", 30, "--out", out]
    if holds:
        assert run(*again) == [str(out / "report.mhascene"), str(out / "entropy.png")]
        assert read_scene(out / "report.mhascene") == load_lesson("two-heads")
    else:
        assert "it was exported without its scene" in refused(*again)


def test_a_link_into_a_folder_that_is_not_there_is_refused_first(refused, tmp_path, monkeypatch):
    monkeypatch.setattr(reports, "render_report", lambda *_: 1 // 0)  # it comes before
    link = tmp_path / "link.pdf"
    link.symlink_to(tmp_path / "nowhere" / "report.pdf")
    told = refused("report", "two-heads", "--out", link)
    assert (
        told == f"mhagui: {link} cannot be written: it is a link into a folder that is not there."
    )


@pytest.mark.parametrize("kind", ["text", "markdown"])
def test_a_report_looks_at_the_row_that_is_asked_for(run, refused, one_figure, tmp_path, kind):
    path = tmp_path / "report"
    run("report", "two-heads", "--row", 2, "--format", kind, "--out", path)
    words = path.read_text("utf-8")
    assert "at t2" in words
    assert "at t4" not in words
    assert refused("report", "two-heads", "--row", 5).endswith(
        "no row t5; this scene has t1 to t4."
    )
