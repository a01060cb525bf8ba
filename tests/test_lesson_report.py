"""The report of the exercises: complete, true, the same every time."""

import re
import subprocess
from dataclasses import replace
from shutil import which

import numpy as np
import pytest
from PIL import Image

from mhagui.document import Pattern, ViewState, WhatIf, compute, load_lesson
from mhagui.document.edits import (
    DuplicateHead,
    SetPattern,
    SetProjectionBlock,
    set_gain,
    set_key_magnitude,
)
from mhagui.document.exercise_list import OBJECTIVES, exercises
from mhagui.document.exercises import Choice, Shown
from mhagui.document.presets import Preset, SetPreset
from mhagui.document.progress import Progress
from mhagui.errors import UserError
from mhagui.figures import Subject
from mhagui.figures.page import house_style
from mhagui.figures.text_page import BODY, figure_of, pages_of, paragraph, pdf_of
from mhagui.lesson_report import report_markdown, write_report

pytestmark = pytest.mark.thorough

STATES = {
    1: [
        [SetPreset(Preset.IDENTITY)],
        [SetPreset(Preset.SWAP)],
        [SetProjectionBlock(0, 1, np.array([[1.0]]))],
    ],
    3: [[DuplicateHead(uid) for uid in (1, 2, 3, 4)], [set_gain(6, 2.0)]],
    4: [[SetPattern(1, Pattern.TWO_POSITIONS), set_gain(1, 3.0), set_gain(3, 4.0)]],
    6: [[set_key_magnitude(1, size)] for size in (6.0, 9.0, 8.309)],
}
SIZES = {
    2: [WhatIf(384, heads, 384 // heads, 384 // heads, 64) for heads in (1, 2, 4, 6, 8, 12)],
    5: [WhatIf(512, heads, 64, 64, 64) for heads in (8, 16)],
}


def worked(progress, exercise):
    """Do all of the exercise, as its task says."""
    scene = load_lesson(exercise.start.lesson or "four-heads")
    progress = progress.started(exercise)
    for edits in STATES.get(exercise.number, []):
        for edit in edits:
            scene = edit.apply(scene)
        progress = progress.seen(exercise, Shown(scene, compute(scene), ViewState.of(scene)))
    for sizes in SIZES.get(exercise.number, []):
        view = replace(ViewState.of(scene), what_if=sizes)
        progress = progress.seen(exercise, Shown(scene, compute(scene), view))
    for question in exercise.questions:
        is_choice = isinstance(question, Choice)
        right = question.options[question.right] if is_choice else f"{question.right:.3f}"
        progress = progress.answered(exercise, question, right)
    return progress


@pytest.fixture(scope="module")
def finished():
    progress = Progress()
    for exercise in exercises():
        progress = worked(progress, exercise)
    assert all(progress.is_done(exercise) for exercise in exercises())
    return progress


@pytest.fixture(scope="module")
def half():
    """Exercise 6 begun, with one check met, one wrong answer and one right."""
    exercise = exercises()[5]
    scene = set_key_magnitude(1, 6.0).apply(load_lesson("four-heads"))
    progress = Progress().started(exercise)
    progress = progress.seen(exercise, Shown(scene, compute(scene), ViewState.of(scene)))
    first, second, _ = exercise.questions
    return progress.answered(exercise, first, "-1.5").answered(exercise, second, "0.091")


@pytest.fixture(scope="module")
def written(finished, tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    write_report(finished, folder / "my exercises.md")
    write_report(finished, folder / "my exercises.PDF")
    return folder


def test_every_task_answer_reading_and_reason_is_in_the_text(finished, written):
    text = (written / "my exercises.md").read_text()
    for exercise in exercises():
        assert f"## {exercise.number}. {exercise.title}\n" in text
        assert exercise.why in text
        for step in exercise.task:
            assert step in text
        for check in exercise.checks:
            reading = finished.readings[exercise.key_of(check)]
            assert f"- [x] {check.text}: {reading}\n" in text
        for question in exercise.questions:
            assert f"- [x] {question.text} " in text
    assert "- [ ]" not in text
    assert text.startswith("# Multi-head attention: exercises\n\n6 of 6 exercises are done.")
    assert all(f"- [x] {objective.text}" in text for objective in OBJECTIVES)


def test_the_numbers_are_those_of_the_lesson(written):
    text = (written / "my exercises.md").read_text()
    for number in ("0.510 bits", "0.091 bits", "589,824", "1,048,576", "2,097,152", "8.309"):
        assert number in text


def test_every_picture_is_there_and_none_besides(written):
    text = (written / "my exercises.md").read_text()
    links = re.findall(r"!\[[^]]+\]\(my%20exercises-figures/([^)]+)\)", text)
    assert sorted(links) == sorted(p.name for p in (written / "my exercises-figures").iterdir())
    wanted = [f"exercise-{e.number}-{name}.png" for e in exercises() for name in e.figures]
    assert links == wanted
    for name in links:
        with Image.open(written / "my exercises-figures" / name) as picture:
            assert picture.width > 500


def test_the_same_progress_gives_the_same_bytes(written):
    progress = worked(Progress(), exercises()[3])
    scene = load_lesson("four-heads")
    subject = Subject(scene, compute(scene))
    one, other = (pdf_of([[figure_of("impulse", subject, 0.0)]], "same") for _ in range(2))
    assert one == other
    pictures = report_markdown(progress, "elsewhere")[1]
    assert sorted(pictures) == ["exercise-4-heads.png", "exercise-4-impulse.png"]
    for name, data in pictures.items():
        assert data == (written / "my exercises-figures" / name).read_bytes()


def pdf_pages(path):
    if which("pdftotext") is None:
        pytest.skip("needs pdftotext")
    run = subprocess.run(["pdftotext", "-layout", path, "-"], capture_output=True, check=True)
    return run.stdout.decode().split("\f")[:-1]


def letters(text):
    """Return ``text`` as formulas show it: indices are low, with no sign before them."""
    return "".join(text.replace("_", "").split())


def test_the_pdf_begins_each_exercise_on_a_page_and_says_the_same(finished, written):
    pages = pdf_pages(written / "my exercises.PDF")
    heads = [letters(page.strip().splitlines()[0]) for page in pages]
    for exercise in exercises():
        assert heads.count(letters(f"{exercise.number}. {exercise.title}")) == 1
    words = letters(" ".join(pages))
    for exercise in exercises():
        assert letters(exercise.why) in words
        assert all(letters(check.text) in words for check in exercise.checks)
        readings = (finished.readings[exercise.key_of(check)] for check in exercise.checks)
        assert all(letters(reading) in words for reading in readings)
    assert "☐" not in words
    assert [page.strip().splitlines()[-1].strip() for page in pages] == [
        str(number) for number in range(1, len(pages) + 1)
    ]


def test_the_pages_are_a4_and_keep_a_white_margin(written, tmp_path):
    if which("pdftoppm") is None:
        pytest.skip("needs pdftoppm")
    pdf_pages(written / "my exercises.PDF")
    target = tmp_path / "page"
    subprocess.run(
        ["pdftoppm", "-r", "40", "-png", written / "my exercises.PDF", target], check=True
    )
    for path in sorted(tmp_path.iterdir()):
        with Image.open(path) as picture:
            pixels = np.asarray(picture.convert("L"))
        assert abs(pixels.shape[1] - 331) <= 1
        assert abs(pixels.shape[0] - 468) <= 1
        edge = 16  # 0.4 inches
        inner = pixels[edge:-edge, edge:-edge]
        assert inner.min() < 100
        assert (pixels < 250).sum() == (inner < 250).sum()


def test_no_dates(written):
    assert b"CreationDate" not in (written / "my exercises.PDF").read_bytes()


def test_what_is_not_done_is_said_and_drawn_nowhere(half):
    text, pictures = report_markdown(half, "figures")
    assert pictures == {}
    lines = text.decode().splitlines()
    assert "0 of 6 exercises are done." in lines[2]
    assert "- [ ] 6. A sharper first token: 2 of 6 met" in lines
    assert "- [ ] Bits at t6 with |K| = 6? −1.5 bits. (Not right.)" in lines
    assert "- [x] Bits at t6 with |K| = 9? 0.091 bits." in lines
    six = exercises()[5]
    assert f"- [ ] {six.questions[2].text} Not answered yet." in lines
    assert six.why not in lines


def test_long_texts_go_on_on_the_next_page(tmp_path):
    path = tmp_path / "long.pdf"
    with house_style():
        pages = pages_of(2 * paragraph("word " * 500, BODY, 0.1, "1."))
    path.write_bytes(pdf_of(pages, "long"))
    pages = pdf_pages(path)
    assert len(pages) > 1
    assert sum(page.count("word") for page in pages) == 1000


def test_other_kinds_of_files_are_refused(tmp_path):
    with pytest.raises(UserError, match=r"\.pdf or a \.md file; got “report.txt”"):
        write_report(Progress(), tmp_path / "report.txt")
    with pytest.raises(UserError, match="does not exist"):
        write_report(Progress(), tmp_path / "no" / "report.md")
    assert list(tmp_path.iterdir()) == []
