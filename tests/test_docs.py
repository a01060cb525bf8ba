"""The documents: what docs/lesson.md promises is there, and no link leads nowhere."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from mhagui.document import compute, lesson_names, load_lesson
from mhagui.figures import FIGURES
from mhagui.report import report

ROOT = Path(__file__).parents[1]
LESSON = ROOT / "docs/lesson.md"
DOCUMENTS = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
HEADER = ["in the lesson", "where it is", "held by"]


def tables(path):
    """Yield each table of a Markdown file as its rows of cells, the header first."""
    rows = []
    for line in [*path.read_text(encoding="utf-8").splitlines(), ""]:
        if line.startswith("|"):
            inside = line.strip().removeprefix("|").removesuffix("|")
            rows.append([cell.strip() for cell in re.split(r"(?<!\\)\|", inside)])
        elif rows:
            header, rule, *body = rows
            assert set("".join(rule)) <= set("-: ")
            yield [header, *body]
            rows = []


def promises():
    return [row for table in tables(LESSON) if table[0] == HEADER for row in table[1:]]


@cache
def docks():
    """Return the titles of all docks by their object names, from the calls that name them."""
    found = {}
    for path in (ROOT / "mhagui/gui/docks").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(
                    func=ast.Attribute(value=ast.Call(func=ast.Name("super")), attr="__init__"),
                    args=[ast.Name("bench"), ast.Constant(name), ast.Constant(title)],
                ):
                    found[name] = title
    return found


@cache
def names_in(file):
    path = ROOT / "tests" / file
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_the_lesson_is_there_whole():
    text = LESSON.read_text(encoding="utf-8")
    parts = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert len(parts) == len([table for table in tables(LESSON) if table[0] == HEADER])
    assert {row[0][0] for row in promises() if re.match(r"\d: ", row[0])} == set("123456")


@pytest.mark.parametrize("row", promises(), ids=lambda row: row[0][:40])
def test_a_promise_names_docks_and_tests_that_there_are(row):
    assert len(row) == len(HEADER)
    assert all(row)
    _, where, held_by = row
    named = re.findall(r"`(\w+Dock)`", where)
    assert named
    assert set(named) <= set(docks())
    references = re.findall(r"`([\w/]+\.py)::(\w+)`", held_by)
    assert references
    assert re.sub(r"`[^`]*`|[, ]", "", held_by) == ""
    assert held_by.count("`") == 2 * len(references)
    for file, name in references:
        assert name in names_in(file)


def test_figures_named_are_figures():
    said = re.findall(r"figures? ((?:`[\w-]+`(?:, | and )?)+)", LESSON.read_text(encoding="utf-8"))
    named = set(re.findall(r"`([\w-]+)`", " ".join(said)))
    assert named
    assert named <= set(FIGURES)


def test_docks_are_listed_with_their_titles():
    (table,) = (table for table in tables(LESSON) if table[0][0] == "dock")
    assert {row[0].strip("`"): row[1] for row in table[1:]} == docks()


def test_the_readme_names_every_figure_and_dock():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [name for name in FIGURES if f"`{name}`" not in text] == []
    in_lines = " ".join(text.split())
    assert [title for title in docks().values() if f"*{title}*" not in in_lines] == []


def test_the_readme_names_every_lesson_and_key_of_the_report():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [name for name in lesson_names() if f"`{name}`" not in text] == []
    said = " ".join(re.findall(r"The report\s+as\s+JSON (.*?)\n\n", text, re.DOTALL))
    scene = load_lesson("two-heads")
    keys = re.findall(r"`(\w+)`", said)
    assert keys
    assert set(keys) <= set(report(scene, compute(scene)))


def test_numbers_of_the_readme_are_the_programs():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    rank = compute(load_lesson("four-heads")).heads[0].effective_rank
    assert f"{rank:.2f}" in text


def anchors(path):
    """Return what GitHub calls the headings of a Markdown file."""
    headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_no_link_leads_nowhere(path):
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if target.startswith(("https://", "http://")):
            continue
        file, _, anchor = target.partition("#")
        there = (path.parent / file).resolve() if file else path
        assert there.exists(), target
        assert not anchor or anchor in anchors(there), target


def test_every_picture_is_used():
    texts = "".join(path.read_text(encoding="utf-8") for path in DOCUMENTS)
    pictures = sorted((ROOT / "docs/pictures").iterdir())
    assert pictures
    assert [each.name for each in pictures if f"pictures/{each.name}" not in texts] == []


def test_the_figures_of_reliability_add_up():
    text = (ROOT / "docs/reliability.md").read_text(encoding="utf-8")
    (table,) = [t for t in tables(ROOT / "docs/reliability.md") if "Refused" in t[0]]
    rows = [[int(cell.replace(",", "")) for cell in row[1:4]] for row in table[1:]]
    kinds = {row[0].partition(":")[0].replace(" ", "_") for row in table[1:]}
    assert kinds == set(kinds_of_broken_files())
    assert all(files == refused + opened for files, refused, opened in rows)
    files, refused, opened = map(sum, zip(*rows, strict=True))
    assert files >= 20_000
    assert f"{files:,} files, {refused:,} refused, {opened:,} opened, no fault" in text
    assert f"MHAGUI_KILLS={number_before(' kills, ', text)}" in text
    assert number_before(" kills, ", text) >= 200
    steps = re.search(r"([\d,]+) steps \((.+?)\)", text)
    parts = re.findall(r"[\d,]*\d", steps[2])
    assert sum(int(part.replace(",", "")) for part in parts) == number_before(" steps (", text)


def kinds_of_broken_files():
    tree = ast.parse((ROOT / "tests/reliability/fuzz_sessions.py").read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "KINDS":
            return [ast.unparse(kind) for kind in node.value.elts]
    raise AssertionError("fuzz_sessions.py has no KINDS")


def number_before(words, text):
    """Return the last number right before these words."""
    return int(re.findall(r"([\d,]+)" + re.escape(words), text)[-1].replace(",", ""))
