"""Light and dark: native Fusion, with palettes of our own where the platform offers none."""

import enum
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication


class ThemeChoice(enum.Enum):
    """What the user asked for; the value is the text in the menu."""

    SYSTEM = "Follow the system"
    LIGHT = "Light"
    DARK = "Dark"


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours that panels draw with, beside those of the palette."""

    dark: bool
    text: QColor
    muted: QColor
    card: QColor
    card_border: QColor
    plot: QColor
    grid: QColor
    cell_line: QColor
    mask: QColor
    hatch: QColor
    cursor: QColor


def theme_of(palette: QPalette) -> Theme:
    """Return the drawing colours that go with ``palette``."""
    dark = is_dark(palette)
    names = _DARK_DRAWING if dark else _LIGHT_DRAWING
    return Theme(dark, *(QColor(name) for name in names))


def is_dark(palette: QPalette) -> bool:
    """Return whether text is lighter than what it stands on."""
    return palette.color(QPalette.ColorRole.WindowText).lightness() > palette.color(QPalette.ColorRole.Window).lightness()


def apply_theme(app: QApplication, choice: ThemeChoice) -> None:
    """Give the whole application the chosen colours, at once."""
    hints = app.styleHints()
    if choice is ThemeChoice.SYSTEM:
        hints.unsetColorScheme()
        dark = hints.colorScheme() == Qt.ColorScheme.Dark
    else:
        dark = choice is ThemeChoice.DARK
        hints.setColorScheme(Qt.ColorScheme.Dark if dark else Qt.ColorScheme.Light)
    palette = _palette(_DARK if dark else _LIGHT)
    app.setPalette(palette)
    if dark:  # Fusion fills these marks with Base and rims them darker still: unseen on a dark window
        palette.setColor(_R.Base, palette.color(_R.Light))
    for name in ("QRadioButton", "QCheckBox"):
        app.setPalette(palette, name)  # type: ignore[arg-type]  # the stub wants bytes, the call str


# text, muted, card, card border, plot, grid, cell line, mask, hatch, cursor
_LIGHT_DRAWING = (
    "#1c2026", "#5b626d", "#ffffff", "#d3d7de", "#ffffff", "#e3e6ea", "#ffffff", "#f1f2f4", "#c3c8d0", "#e0182d",
)  # fmt: skip
_DARK_DRAWING = (
    "#e8eaed", "#a3abb6", "#2a2d33", "#3d4149", "#1b1d21", "#363a41", "#202226", "#26292e", "#4b515a", "#ff5566",
)  # fmt: skip

_R = QPalette.ColorRole
_LIGHT = {
    _R.Window: "#f2f3f5", _R.WindowText: "#1c2026", _R.Base: "#ffffff", _R.AlternateBase: "#f6f7f9",
    _R.Text: "#1c2026", _R.Button: "#f7f8fa", _R.ButtonText: "#1c2026", _R.BrightText: "#c00000",
    _R.ToolTipBase: "#ffffff", _R.ToolTipText: "#1c2026", _R.PlaceholderText: "#6b7280",
    _R.Highlight: "#2f67c8", _R.HighlightedText: "#ffffff", _R.Link: "#1d57b5", _R.LinkVisited: "#5b3fa0",
    _R.Light: "#ffffff", _R.Midlight: "#e6e8ec", _R.Mid: "#b9bec7", _R.Dark: "#8b919c", _R.Shadow: "#5b626d",
    _R.Accent: "#2f67c8",
}  # fmt: skip
_DARK = {
    _R.Window: "#202226", _R.WindowText: "#e8eaed", _R.Base: "#1b1d21", _R.AlternateBase: "#24272c",
    _R.Text: "#e8eaed", _R.Button: "#2f3339", _R.ButtonText: "#e8eaed", _R.BrightText: "#ff8080",
    _R.ToolTipBase: "#2f3339", _R.ToolTipText: "#e8eaed", _R.PlaceholderText: "#8d95a1",
    _R.Highlight: "#3f78d8", _R.HighlightedText: "#ffffff", _R.Link: "#7aa9f7", _R.LinkVisited: "#b09af0",
    _R.Light: "#484d56", _R.Midlight: "#3a3f47", _R.Mid: "#2a2d33", _R.Dark: "#141518", _R.Shadow: "#000000",
    _R.Accent: "#3f78d8",
}  # fmt: skip
_DISABLED_TEXT = {False: "#8a909b", True: "#767d88"}


def _palette(colours: dict[QPalette.ColorRole, str]) -> QPalette:
    palette = QPalette()
    for role, name in colours.items():
        palette.setColor(role, QColor(name))
    faint = QColor(_DISABLED_TEXT[colours is _DARK])
    for role in (_R.WindowText, _R.Text, _R.ButtonText, _R.HighlightedText):
        palette.setColor(QPalette.ColorGroup.Disabled, role, faint)
    palette.setColor(QPalette.ColorGroup.Disabled, _R.Highlight, QColor(colours[_R.Mid]))
    return palette
