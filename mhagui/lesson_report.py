"""What somebody did in the exercises, to hand in: Markdown with pictures, or a PDF."""

import enum
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from mhagui import __version__
from mhagui.document import compute, scene_from_json
from mhagui.document.exercise_list import OBJECTIVES, exercises
from mhagui.document.exercises import Choice, Exercise, Question
from mhagui.document.progress import Progress
from mhagui.errors import UserError
from mhagui.figures import FIGURES, FigureStyle, Subject, render
from mhagui.files import make_folder, write_all

if TYPE_CHECKING:
    from mhagui.figures.text_page import Item

TITLE = "Multi-head attention: exercises"
MARKDOWN_DPI = 150
LONGEST_LINE = 92  # characters of a text with its detail, in the PDF
ABOVE_TEXT, ABOVE_FIGURE = 0.06, 0.25  # inches


class Kind(enum.Enum):
    """What a piece of text is; the value is what stands before it in Markdown."""

    TITLE = "# "
    HEADING = "## "
    PART = "### "
    TEXT = ""
    STEP = "1. "
    MET = "- [x] "
    UNMET = "- [ ] "


class Piece(NamedTuple):
    """A paragraph, and what stands in a line of its own where there are lines: a reading."""

    kind: Kind
    text: str
    detail: str = ""

    @property
    def in_one(self) -> str:
        """Both in one line."""
        between = " " if self.text.endswith("?") else ": "
        return f"{self.text}{between}{self.detail}" if self.detail else self.text


class Section(NamedTuple):
    """Pieces of text and the figure that follows them: its name, and of what."""

    pieces: list[Piece]
    figure: tuple[str, Subject] | None = None


def write_report(progress: Progress, path: Path) -> None:
    """Write the report to ``path``: a PDF, or Markdown with a folder of pictures beside it.

    Raises
    ------
    UserError
        When the name ends neither in .pdf nor in .md, or a file cannot be written.
    """
    kind = path.suffix.lower()
    if kind == ".pdf":
        write_all({path: report_pdf(progress)})
    elif kind == ".md":
        folder = f"{path.stem}-figures"
        text, pictures = report_markdown(progress, folder)
        if pictures:
            make_folder(path.parent / folder)
        files = {path.parent / folder / name: data for name, data in pictures.items()}
        write_all({**files, path: text})
    else:
        raise UserError(f"A report is a .pdf or a .md file; got “{path.name}”.")


def report_markdown(progress: Progress, folder: str) -> tuple[bytes, dict[str, bytes]]:
    """Return the text of the report, and by name the pictures it expects in ``folder``."""
    pictures: dict[str, bytes] = {}
    parts: list[str] = []
    for number, section in _numbered_sections(progress):
        parts += _markdown_paragraphs(section.pieces)
        if section.figure is not None:
            name, subject = section.figure
            file = f"exercise-{number}-{name}.png"
            pictures[file] = render(name, subject, "png")
            parts.append(f"![Exercise {number}: {FIGURES[name]}]({quote(f'{folder}/{file}')})")
    return ("\n\n".join(parts) + "\n").encode(), pictures


def report_pdf(progress: Progress) -> bytes:
    """Return the report as a PDF: the objectives, then each exercise from a page of its own on."""
    from mhagui.figures.text_page import pages_of, pdf_of

    sections = (section for _, section in _numbered_sections(progress))
    return pdf_of((page for section in sections for page in pages_of(_items(section))), TITLE)


# --- what stands in it


def _numbered_sections(progress: Progress) -> Iterator[tuple[int, Section]]:
    """Yield the sections with the numbers of their exercises, the opening with 0."""
    yield 0, Section(_opening(progress))
    for exercise in exercises():
        for section in _sections(exercise, progress):
            yield exercise.number, section


def _opening(progress: Progress) -> list[Piece]:
    every, done = exercises(), [e for e in exercises() if progress.is_done(e)]
    count = f"{len(done)} of {len(every)} exercises are done."
    pieces = [
        Piece(Kind.TITLE, TITLE),
        Piece(Kind.TEXT, f"{count} Numbers and figures are computed by mhagui {__version__}."),
        Piece(Kind.PART, "Exercises"),
    ]
    for exercise in every:
        text = f"{exercise.number}. {exercise.title}"
        if not progress.is_done(exercise):
            text += f": {progress.n_met(exercise)} of {len(exercise.keys)} met"
        pieces.append(_state(text, met=progress.is_done(exercise)))
    pieces.append(Piece(Kind.PART, "Objectives"))
    for objective in OBJECTIVES:
        text = f"{objective.text} ({objective.where.lower()})"
        pieces.append(_state(text, met=progress.is_shown(objective)))
    return pieces


def _sections(exercise: Exercise, progress: Progress) -> Iterator[Section]:
    """Yield what was to do and was shown, then what was answered, a figure to each."""
    figures = list(_figures(exercise, progress))
    shown, answered = _shown(exercise, progress), _answered(exercise, progress)
    if len(figures) < 2:
        yield Section(shown + answered, figures[0] if figures else None)
        return
    yield Section(shown, figures[0])
    yield Section(answered, figures[1])
    for figure in figures[2:]:
        yield Section([], figure)


def _shown(exercise: Exercise, progress: Progress) -> list[Piece]:
    pieces = [Piece(Kind.HEADING, f"{exercise.number}. {exercise.title}")]
    pieces += [Piece(Kind.STEP, step) for step in exercise.task]
    pieces.append(Piece(Kind.PART, "Shown on the bench"))
    for check in exercise.checks:
        reading = progress.readings.get(exercise.key_of(check))
        pieces.append(_state(check.text, reading or "", met=reading is not None))
    return pieces


def _answered(exercise: Exercise, progress: Progress) -> list[Piece]:
    pieces = [Piece(Kind.PART, f"Answers to exercise {exercise.number}")]
    for question in exercise.questions:
        right = progress.is_right(exercise, question)
        answer = progress.answers.get(exercise.key_of(question))
        given = _answer_text(question, answer, right)
        pieces.append(_state(question.text, given, met=bool(right)))
    if progress.is_done(exercise):
        pieces += [Piece(Kind.PART, "Why"), Piece(Kind.TEXT, exercise.why)]
    return pieces


def _answer_text(question: Question, answer: str | None, right: bool | None) -> str:
    if answer is None:
        return "Not answered yet."
    if not isinstance(question, Choice):
        answer = f"{answer.replace('-', '−')} {question.unit}".strip()
    answer = f"{answer[:1].upper()}{answer[1:]}."
    return answer if right else f"{answer} (Not right.)"


def _state(text: str, detail: str = "", *, met: bool) -> Piece:
    return Piece(Kind.MET if met else Kind.UNMET, text, detail)


def _figures(exercise: Exercise, progress: Progress) -> Iterator[tuple[str, Subject]]:
    """Yield the figures of an exercise all of whose checks are met, from the scene of that time."""
    text = progress.scenes.get(exercise.number)
    if text is None:
        return
    scene = scene_from_json(text.encode())
    style = FigureStyle(dpi=MARKDOWN_DPI)
    subject = Subject(scene, compute(scene), style, sizes=exercise.sizes)
    for name in exercise.figures:
        yield name, subject


# --- how it is set


def _markdown_paragraphs(pieces: list[Piece]) -> Iterator[str]:
    """Yield paragraphs; items of one list are one of them."""
    items: list[str] = []
    for piece, number in _with_numbers(pieces):
        line = (f"{number}. " if number else piece.kind.value) + piece.in_one
        if piece.kind in _ITEMS:
            items.append(line)
            continue
        if items:
            yield "\n".join(items)
            items = []
        yield line
    if items:
        yield "\n".join(items)


_ITEMS = (Kind.STEP, Kind.MET, Kind.UNMET)


def _with_numbers(pieces: list[Piece]) -> Iterator[tuple[Piece, int]]:
    """Yield each piece, and for a step which of the steps it is, else 0."""
    number = 0
    for piece in pieces:
        number = number + 1 if piece.kind is Kind.STEP else 0
        yield piece, number


def _items(section: Section) -> Iterator["Item"]:
    from mhagui.figures.text_page import figure_of

    for piece, number in _with_numbers(section.pieces):
        yield from _lines(piece, number)
    if section.figure is not None:
        yield figure_of(*section.figure, above=ABOVE_FIGURE)


def _lines(piece: Piece, number: int) -> Iterator["Item"]:
    """Yield a piece as lines: what is too long for one line has its detail below it."""
    from mhagui.figures.text_page import BODY, Look, paragraph

    if piece.kind in _HEADINGS:
        size, above = _HEADINGS[piece.kind]
        for item in paragraph(piece.text, Look(size, bold=True), above):
            yield item._replace(keeps_next=True)
        return
    in_one = len(piece.in_one) <= LONGEST_LINE
    lead = f"{number}." if number else _MARKS.get(piece.kind, "")
    yield from paragraph(piece.in_one if in_one else piece.text, BODY, ABOVE_TEXT, lead)
    if piece.detail and not in_one:
        yield from paragraph(piece.detail, BODY, lead=" ")


_HEADINGS = {Kind.TITLE: (17.0, 0.0), Kind.HEADING: (14.0, 0.0), Kind.PART: (10.5, 0.16)}
_MARKS = {Kind.MET: "☑", Kind.UNMET: "☐"}
