"""Light and dark: native Fusion, with palettes of our own where the platform offers none."""

from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from mhagui.settings import ThemeChoice


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
    met: QColor


def theme_of(palette: QPalette) -> Theme:
    """Return the drawing colours that go with ``palette``."""
    return _theme(is_dark(palette))


@lru_cache(maxsize=2)
def _theme(dark: bool) -> Theme:
    return Theme(dark, **{n: QColor(pair[dark]) for n, pair in _DRAWING.items()})


def is_dark(palette: QPalette) -> bool:
    """Return whether text is lighter than what it stands on."""
    text, ground = palette.color(_R.WindowText), palette.color(_R.Window)
    return text.lightness() > ground.lightness()


def apply_theme(choice: ThemeChoice) -> None:
    """Give the whole application the chosen colours, at once."""
    hints = QGuiApplication.styleHints()
    dark = _system_is_dark() if choice is ThemeChoice.SYSTEM else choice is ThemeChoice.DARK
    if choice is not ThemeChoice.SYSTEM:
        hints.setColorScheme(Qt.ColorScheme.Dark if dark else Qt.ColorScheme.Light)
    palette = _palette(dark)
    QApplication.setPalette(palette)
    # Fusion rims marks and handles darker than Window by half: faint, and unseen in the dark,
    # where a handle has to be lighter than that instead.
    marked = "QRadioButton", "QCheckBox", "FigureTitles"
    _recolour(palette, _R.Window, _RIM[dark], _DISABLED_RIM[dark], *marked)
    handle = _R.Button if dark else _R.Window
    _recolour(palette, handle, _HANDLE[dark], palette.color(handle).name(), "QSlider")


def _recolour(
    palette: QPalette, role: QPalette.ColorRole, usual: str, disabled: str, *classes: str
) -> None:
    """Give widgets of ``classes`` another colour for one role of ``palette``."""
    own = QPalette(palette)
    own.setColor(role, QColor(usual))
    own.setColor(QPalette.ColorGroup.Disabled, role, QColor(disabled))
    for name in classes:
        QApplication.setPalette(own, name)  # type: ignore[arg-type]  # the stub wants bytes, the call str


def _system_is_dark() -> bool:
    hints = QGuiApplication.styleHints()
    hints.unsetColorScheme()
    if hints.colorScheme() != Qt.ColorScheme.Unknown:
        return hints.colorScheme() == Qt.ColorScheme.Dark
    QApplication.setPalette(QPalette())  # the system's own, where it names no scheme
    return is_dark(QGuiApplication.palette())


def _palette(dark: bool) -> QPalette:
    palette = QPalette()
    for role, pair in _PALETTE.items():
        palette.setColor(role, QColor(pair[dark]))
    disabled = QPalette.ColorGroup.Disabled
    for role in (_R.WindowText, _R.Text, _R.ButtonText):
        palette.setColor(disabled, role, QColor(_DISABLED_TEXT[dark]))
    palette.setColor(disabled, _R.Highlight, palette.color(_R.Mid))
    palette.setColor(disabled, _R.HighlightedText, palette.color(_R.Text))
    return palette


_R = QPalette.ColorRole

# Each pair: the colour in a light window, the colour in a dark one.
_DRAWING = {
    "text": ("#1c2026", "#e8eaed"),
    "muted": ("#5b626d", "#a3abb6"),
    "card": ("#ffffff", "#2a2d33"),
    "card_border": ("#d3d7de", "#3d4149"),
    "plot": ("#ffffff", "#1b1d21"),
    "grid": ("#e3e6ea", "#363a41"),
    "cell_line": ("#ffffff", "#202226"),
    "mask": ("#f1f2f4", "#26292e"),
    "hatch": ("#c3c8d0", "#4b515a"),
    "cursor": ("#c00020", "#ff5566"),
    "met": ("#1a7f37", "#57c97a"),
}
_PALETTE = {
    _R.Window: ("#f2f3f5", "#202226"),
    _R.WindowText: ("#1c2026", "#e8eaed"),
    _R.Base: ("#ffffff", "#1b1d21"),
    _R.AlternateBase: ("#f6f7f9", "#24272c"),
    _R.Text: ("#1c2026", "#e8eaed"),
    _R.Button: ("#f7f8fa", "#2f3339"),
    _R.ButtonText: ("#1c2026", "#e8eaed"),
    _R.BrightText: ("#c00000", "#ff8080"),
    _R.ToolTipBase: ("#ffffff", "#2f3339"),
    _R.ToolTipText: ("#1c2026", "#e8eaed"),
    _R.PlaceholderText: ("#6b7280", "#8d95a1"),
    _R.Highlight: ("#2f67c8", "#3b73d3"),
    _R.HighlightedText: ("#ffffff", "#ffffff"),
    _R.Link: ("#1d57b5", "#7aa9f7"),
    _R.LinkVisited: ("#5b3fa0", "#b09af0"),
    _R.Light: ("#ffffff", "#484d56"),
    _R.Midlight: ("#e6e8ec", "#3a3f47"),
    _R.Mid: ("#b9bec7", "#2a2d33"),
    _R.Dark: ("#8b919c", "#141518"),
    _R.Shadow: ("#5b626d", "#000000"),
    _R.Accent: ("#2f67c8", "#3b73d3"),
}
_DISABLED_TEXT = ("#848a95", "#767d88")
# Of the rims, one and a half times as light as what is seen.
_RIM, _DISABLED_RIM = ("#b2b8c2", "#d3dff1"), ("#dfe2e7", "#6b727d")
_HANDLE = ("#b2b8c2", "#6f7783")
