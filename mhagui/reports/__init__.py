"""The report of a scene in one file, to read, to print or to hand in."""

from typing import TYPE_CHECKING

from mhagui.errors import check_choices

if TYPE_CHECKING:
    from mhagui.document import Result, Scene
    from mhagui.figures import FigureStyle, Subject

__all__ = ["FORMATS", "render_report"]

FORMATS = ("text", "json", "markdown", "html", "pdf")


def render_report(
    scene: "Scene",
    result: "Result",
    kind: str,
    style: "FigureStyle | None" = None,
    row: int | None = None,
) -> bytes:
    """Return the report of ``scene`` as a file of ``kind``, one of ``FORMATS``.

    Text and JSON have numbers alone; the others also figures, in ``style``. Responses and
    information are those of ``row``, t from 0, t4 where it is None. The same input gives the same
    bytes every time.

    Raises
    ------
    UserError
        When there is no such format or row, the style is none, or JSON would list too many weights.
    """
    check_choices("report", [kind], FORMATS)
    subject = _subject(scene, result, style, kind, row)
    if kind in ("text", "json"):
        from mhagui.report import report_json, report_text

        return (report_text if kind == "text" else report_json)(scene, result, row).encode()
    return _illustrated(subject, kind)


def _illustrated(subject: "Subject", kind: str) -> bytes:
    from mhagui.reports.content import report_of

    report = report_of(subject)
    if kind == "html":
        from mhagui.reports.html import html_of

        return html_of(report, subject)
    if kind == "markdown":
        from mhagui.reports.markdown import markdown_of

        return markdown_of(report, subject)
    from mhagui.reports.pdf import report_pdf

    return report_pdf(report, subject)


def _subject(
    scene: "Scene", result: "Result", style: "FigureStyle | None", kind: str, row: int | None
) -> "Subject":
    """Return what the figures are drawn from: the report says what they show, and whence.

    The scene is in a PDF itself, once, where ``style`` wants it, and in no figure of the others.
    """
    import msgspec

    from mhagui.figures import FigureStyle, Subject

    style = style or FigureStyle()
    holds = style.embed_scene and kind == "pdf"
    plain = msgspec.structs.replace(style, title=False, caption=False, embed_scene=holds)
    return Subject(scene, result, plain, row)
