"""Puts figures and numbers on the clipboard, made aside so that the window goes on meanwhile."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import msgspec
from PySide6.QtCore import QByteArray, QMimeData, QObject, Signal
from PySide6.QtGui import QGuiApplication, QImage

from mhagui import figures
from mhagui.data.matrix_text import Notation, text_of
from mhagui.document.view_state import Digits
from mhagui.errors import UserError
from mhagui.gui.bench import Frame
from mhagui.gui.worker import Worker
from mhagui.settings import Preferences

if TYPE_CHECKING:
    from mhagui.gui.copying.contents import Figure, Part

DPI = 300
PNG, SVG = "image/png", "image/svg+xml"
_TO_READ = (Notation.BMATRIX, Notation.BOOKTABS, Notation.MARKDOWN)  # by people, not by programs
_OF_SINGULAR_VALUES = ("singular-values", "summary")


class Copier(QObject):
    """Copies one thing at a time; what is asked for last wins.

    Signals
    -------
    said
        Something is being drawn, or is on the clipboard; carries what.
    refused
        Something cannot be copied; carries the sentence that says why.
    """

    said = Signal(str)
    refused = Signal(str)

    def __init__(self, preferences: Preferences, parent: QObject) -> None:
        super().__init__(parent)
        self._preferences = preferences
        self._worker = Worker(self)

    def copy_figure(self, figure: "Figure", frame: Frame) -> None:
        """Copy a figure as an image and as SVG: a program takes what it can."""
        self._draw(figure, frame, ("png", "svg"))

    def copy_svg(self, figure: "Figure", frame: Frame) -> None:
        """Copy a figure as SVG, also for a program that takes text alone."""
        self._draw(figure, frame, ("svg",))

    def copy_numbers(self, part: "Part", notation: Notation, frame: Frame) -> None:
        """Copy a table: with all digits, or those of the window where people are to read it."""
        digits = frame.view.appearance.digits
        shown = digits if notation in _TO_READ and digits is not Digits.ALL else None
        what = f"{part.name} as {_lower(str(notation))}"
        self._copy(what, partial(_written, part, notation, shown))

    def copy_caption(self, figure: "Figure", frame: Frame) -> None:
        """Copy what stands below a figure that has its caption."""
        from mhagui.gui.copying.contents import title_of  # not for the start

        what = f"caption of {title_of(figure, frame)}"
        self._copy(what, partial(_caption, figure, frame, self._style(frame)))

    def _draw(self, figure: "Figure", frame: Frame, kinds: tuple[str, ...]) -> None:
        from mhagui.gui.copying.contents import title_of  # not for the start

        what = title_of(figure, frame) + ("" if "png" in kinds else ", as SVG")
        self._copy(what, partial(_drawn, figure, frame, self._style(frame), kinds))

    def _style(self, frame: Frame) -> figures.FigureStyle:
        chosen = self._preferences.settings.export
        style = msgspec.structs.replace(chosen.style, dpi=DPI)
        if chosen.as_in_window:
            style = style.in_colours_of(frame.view.appearance, frame.view.colour_scale)
        return style

    def _copy(self, what: str, make: Callable[[], dict[str, bytes]]) -> None:
        """Make ``what`` is to be copied; meanwhile nothing is there, lest the old be pasted."""
        QGuiApplication.clipboard().clear()
        self.said.emit(f"Copying: {what}…")
        self._worker.run(make, partial(self._put, what), partial(self._on_failed, what))

    def _put(self, what: str, contents: dict[str, bytes]) -> None:
        """Put ``contents``, by kind, on the clipboard all at once."""
        data = QMimeData()
        for kind, content in contents.items():
            data.setData(kind, QByteArray(content))
        if PNG in contents:  # which some systems know as an image alone
            data.setImageData(QImage.fromData(contents[PNG]))
        QGuiApplication.clipboard().setMimeData(data)
        self.said.emit(f"Copied: {what}")

    def _on_failed(self, what: str, error: Exception) -> None:
        is_told = isinstance(error, UserError)
        self.refused.emit(str(error) if is_told else f"This cannot be copied: {what}.")


def _drawn(
    figure: "Figure", frame: Frame, style: figures.FigureStyle, kinds: tuple[str, ...]
) -> dict[str, bytes]:
    """Return the figure by the kinds that a clipboard knows; SVG alone is text as well."""
    if isinstance(figure, figures.Chart):
        drawn = figures.render_chart(figure, style, kinds)
    else:
        made = figures.render_all(_subject(figure, frame, style), [figure], kinds)
        drawn = {kind: made[f"{figure}.{kind}"] for kind in kinds}
    svg = drawn["svg"]
    if "png" in kinds:
        return {PNG: drawn["png"], SVG: svg}
    return {SVG: svg, "text/plain": svg}


def _caption(figure: "Figure", frame: Frame, style: figures.FigureStyle) -> dict[str, bytes]:
    from mhagui.figures import drawing, paper  # not for the start: matplotlib

    if isinstance(figure, figures.Chart):
        plan = drawing.plan_chart(figure, paper.Paper(style))
    else:
        subject = _subject(figure, frame, style)
        plan = drawing.plan(figure, subject, paper.Paper.of(subject))
    return {"text/plain": plan.caption.encode()}


def _subject(name: str, frame: Frame, style: figures.FigureStyle) -> figures.Subject:
    """Return what a figure is drawn from; raises UserError where that would take too long."""
    from mhagui.gui.copying.tables import check_decomposed, place_of  # not for the start

    if name in _OF_SINGULAR_VALUES:
        check_decomposed(frame)
    view = frame.view
    return figures.Subject(
        frame.scene,
        frame.result,
        style,
        row=view.cursor.query,
        head=place_of(frame),
        sizes=view.what_if,
    )


def _written(part: "Part", notation: Notation, digits: int | None) -> dict[str, bytes]:
    return {"text/plain": text_of(part.make(), notation, digits).encode()}


def _lower(text: str) -> str:
    """Return ``text`` as it stands within a sentence, names as they are: NumPy, LaTeX."""
    return text if text[1:].lower() != text[1:] else text[:1].lower() + text[1:]
