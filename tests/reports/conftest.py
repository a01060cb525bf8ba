"""Reports that many tests read."""

from dataclasses import replace

import pytest

from mhagui.document import compute, load_lesson
from mhagui.figures import Subject
from mhagui.reports import render_report
from mhagui.reports.content import report_of
from mhagui.reports.html import html_of
from mhagui.reports.markdown import markdown_of
from mhagui.reports.model import Picture
from mhagui.reports.pdf import report_pdf

HOSTILE = "<script>alert('1')</script> & \"q\" | `x` *y* [z](http://example.org) $e$ _u_ &lt; #"
WRITERS = {"html": html_of, "markdown": markdown_of, "pdf": report_pdf}


def of_scene(scene, kind, *names, style=None):
    """Return the report of ``scene`` with the figures ``names`` alone, which takes less time."""
    subject = Subject(scene, compute(scene), *([style] if style else []))
    report = report_of(subject)
    sections = tuple(
        section._replace(
            blocks=tuple(
                block
                for block in section.blocks
                if not isinstance(block, Picture) or block.name in names
            )
        )
        for section in report.sections
    )
    return WRITERS[kind](report._replace(sections=sections), subject)


@pytest.fixture(scope="session")
def report_with():
    return of_scene


@pytest.fixture(scope="session")
def hostile():
    """Return a scene whose every text tries to be something else."""
    scene = load_lesson("four-heads")
    tokens = ("<b>", "a|b", "`c`", "*d*", "[e]", "&amp;")
    heads = tuple(replace(head, name=f"<i>{number}|*") for number, head in enumerate(scene.heads))
    description = f"{HOSTILE}\n\n# no heading\n- no item\n1. nor this"
    return replace(scene, title=HOSTILE, description=description, tokens=tokens, heads=heads)


@pytest.fixture(scope="session")
def four_heads():
    scene = load_lesson("four-heads")
    return scene, compute(scene)


@pytest.fixture(scope="session")
def html_of_four_heads(four_heads):
    return render_report(*four_heads, "html").decode()
