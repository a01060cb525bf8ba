"""The side of the export dialog that asks how figures look."""

from enum import Enum

import msgspec
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QFormLayout, QWidget

from mhagui.document import Appearance
from mhagui.document.view_state import ColourScale
from mhagui.figures.style import FigureStyle, Ground, Labels, Preset
from mhagui.gui.export.option_box import FontBox, OptionBox, TypeSizeBox
from mhagui.gui.export.side import form_of
from mhagui.gui.widgets.naming import named
from mhagui.gui.widgets.page import heading, label_of
from mhagui.palette import SignedColours, WeightColours
from mhagui.settings import ExportChoices

# By the field of a style: label, options, what is said of it.
_BOXES: dict[str, tuple[str, type[Enum], str, str]] = {
    "preset": ("&Page", Preset, "Page", "How wide the figure is, and how large its type"),
    "ground": (
        "Groun&d", Ground, "Ground",
        "What the figure stands on; transparent lets the page or slide below show through",
    ),
    "weight_colours": (
        "&Weights", WeightColours, "Colours of weights",
        "The colours of weights, which are never below zero",
    ),
    "signed_colours": (
        "Si&gned", SignedColours, "Colours of signed numbers",
        "The colours of numbers that can be below zero: W_O, Concat, O, scores",
    ),
    "colour_scale": ("S&cale", ColourScale, "Colour scale", "How a weight becomes a colour"),
    "labels": (
        "&Labels", Labels, "Labels of positions",
        "How rows and columns are called, where the scene has tokens",
    ),
}  # fmt: skip
_COLOURS = ("weight_colours", "signed_colours", "colour_scale")
_CHECKS = {
    "values": ("&Values in cells", "Write numbers into cells that have room for them"),
    "title": ("T&itle", "Put the figure's title above it"),
    "caption": ("Captio&n", "Put below the figure what it shows"),
}


class StyleForm(QWidget):
    """Shows a style, and what the user makes of it.

    Signals
    -------
    changed
        The user wants another style.
    """

    changed = Signal()

    def __init__(self, look: Appearance, scale: ColourScale, *, has_tokens: bool) -> None:
        super().__init__()
        self._look, self._scale, self._has_tokens = look, scale, has_tokens
        self._boxes = {field: OptionBox(options) for field, (_, options, *_) in _BOXES.items()}
        self._checks = {field: QCheckBox(label) for field, (label, _) in _CHECKS.items()}
        self._of_window = QCheckBox("&As in the window")
        self._font, self._size = FontBox(), TypeSizeBox()
        self._name()
        self._lay_out()
        self._connect()
        if not has_tokens:
            self._boxes["labels"].setEnabled(False)
            self._boxes["labels"].setToolTip("This scene has no tokens to name positions by")

    def show_choices(self, choices: ExportChoices) -> None:
        """Show the style of ``choices``."""
        style = choices.style
        if choices.as_in_window:
            style = style.in_colours_of(self._look, self._scale)
        for field, box in self._boxes.items():
            box.show_option(getattr(style, field))
        if not self._has_tokens:
            self._boxes["labels"].show_option(Labels.POSITIONS)
        for field, check in self._checks.items():
            check.setChecked(getattr(style, field))
        self._of_window.setChecked(choices.as_in_window)
        self._font.show_family(style.font)
        self._size.show_points(style.font_size, style.preset.room.font_size)

    def taken_into(self, choices: ExportChoices) -> ExportChoices:
        """Return ``choices`` with what is shown here."""
        options = {field: box.option() for field, box in self._boxes.items()}
        if not self._has_tokens:
            del options["labels"]  # what was chosen for scenes with tokens stays
        style = msgspec.structs.replace(
            choices.style,
            font=self._font.family(),
            font_size=self._size.points(),
            **options,
            **{field: check.isChecked() for field, check in self._checks.items()},
        )
        return msgspec.structs.replace(
            choices, style=style, as_in_window=self._of_window.isChecked()
        )

    def offer_fonts(self) -> None:
        """Offer the machine's fonts; before a first figure is drawn this takes as long as that."""
        from mhagui.figures.fonts import families

        self._font.offer(families())

    def _name(self) -> None:
        for field, (_, _, spoken, tip) in _BOXES.items():
            named(self._boxes[field], f"style_{field}", spoken, tip)
        for field, (label, tip) in _CHECKS.items():
            named(self._checks[field], f"style_{field}", label.replace("&", ""), tip)
        named(
            self._of_window, "style_asInWindow", "Colours as in the window",
            "Take the colours and the scale that the window shows, whatever they will be",
        )  # fmt: skip
        named(
            self._font, "style_font", "Font",
            "The family of all text; DejaVu Sans is on every machine",
        )  # fmt: skip
        named(
            self._size, "style_font_size", "Type size in points",
            "The size of labels; below 4 pt it is the page's own",
        )  # fmt: skip

    def _lay_out(self) -> None:
        form = form_of(self)
        self._add(form, "preset")
        form.addRow(label_of(self._font, "F&ont"), self._font)
        form.addRow(label_of(self._size, "T&ype size"), self._size)
        self._add(form, "ground", "labels")
        for check in self._checks.values():
            form.addRow(check)
        form.addRow(heading("Colours"))
        form.addRow(self._of_window)
        self._add(form, *_COLOURS)

    def _add(self, form: QFormLayout, *names: str) -> None:
        for name in names:
            form.addRow(label_of(self._boxes[name], _BOXES[name][0]), self._boxes[name])

    def _connect(self) -> None:
        for field, box in self._boxes.items():
            box.activated.connect(self._on_colours if field in _COLOURS else self._on_changed)
        for check in self._checks.values():
            check.clicked.connect(self._on_changed)
        self._of_window.clicked.connect(self._on_of_window)
        self._font.wanted.connect(self._on_changed)
        self._size.valueChanged.connect(self._on_changed)

    def _on_changed(self) -> None:
        preset = Preset(self._boxes["preset"].option().value)
        self._size.show_points(self._size.points(), preset.room.font_size)
        self.changed.emit()

    def _on_colours(self) -> None:
        """Colours of one's own are no longer the window's."""
        self._of_window.setChecked(False)
        self.changed.emit()

    def _on_of_window(self) -> None:
        if self._of_window.isChecked():
            style = FigureStyle().in_colours_of(self._look, self._scale)
            for field in _COLOURS:
                self._boxes[field].show_option(getattr(style, field))
        self.changed.emit()
