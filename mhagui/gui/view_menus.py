"""The menus that say how things look: colours, digits, theme."""

from collections.abc import Mapping

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from mhagui.document import ColourScale, Quantity
from mhagui.document.view_state import Digits
from mhagui.gui.bench import Bench, Frame
from mhagui.gui.choice_menu import ChoiceMenu
from mhagui.gui.theme import apply_theme
from mhagui.palette import SignedColours, WeightColours
from mhagui.settings import Preferences, ThemeChoice

_SCALE = "Colour weights on this scale: {}"
_DIGITS = "Write numbers with this many digits: {}"
_WEIGHTS = "Draw weights in these colours: {}"
_SIGNED = "Draw numbers that can be negative in these colours: {}"
_THEME = "Colours of the window: {}"


class ViewMenus(QObject):
    """Changes how things look, and keeps what is the user's own and not of one scene."""

    def __init__(self, bench: Bench, preferences: Preferences, window: QWidget) -> None:
        super().__init__(window)
        self._bench, self._preferences = bench, preferences
        self._scales = ChoiceMenu("&Colour scale", ColourScale, _SCALE, window)
        self._digits = ChoiceMenu("Di&gits", Digits, _DIGITS, window)
        self._weights = ChoiceMenu("C&olours of weights", WeightColours, _WEIGHTS, window)
        self._signed = ChoiceMenu("Colours of s&igned numbers", SignedColours, _SIGNED, window)
        self._themes = ChoiceMenu("&Theme", ThemeChoice, _THEME, window)
        self._scales.chosen.connect(self._set_scale)
        self._digits.chosen.connect(self._set_digits)
        self._weights.chosen.connect(self._set_weight_colours)
        self._signed.chosen.connect(self._set_signed_colours)
        self._themes.chosen.connect(self._set_theme)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._on_system_scheme_changed)
        bench.look(appearance=preferences.settings.appearance)
        self._themes.mark(self._theme)
        if self._theme is not ThemeChoice.SYSTEM:
            apply_theme(self._theme)

    def by_key(self) -> Mapping[str, QMenu]:
        """Return the menus by what stands for them in the tables of the menus."""
        return {
            "<colours>": self._scales,
            "<digits>": self._digits,
            "<weight_colours>": self._weights,
            "<signed_colours>": self._signed,
            "<theme>": self._themes,
        }

    def show_frame(self, frame: Frame) -> None:
        """Mark what is in force."""
        view = frame.view
        self._scales.allow(view.quantity is Quantity.WEIGHTS)
        self._scales.mark(view.colour_scale)
        self._digits.mark(view.appearance.digits)
        self._weights.mark(view.appearance.weight_colours)
        self._signed.mark(view.appearance.signed_colours)

    @property
    def _theme(self) -> ThemeChoice:
        return self._preferences.settings.theme

    def _set_scale(self, scale: ColourScale) -> None:
        self._bench.look(colour_scale=scale)

    def _set_digits(self, digits: Digits) -> None:
        self._set_appearance(digits=digits)

    def _set_weight_colours(self, colours: WeightColours) -> None:
        self._set_appearance(weight_colours=colours)

    def _set_signed_colours(self, colours: SignedColours) -> None:
        self._set_appearance(signed_colours=colours)

    def _set_appearance(self, **changes: object) -> None:
        self._preferences.change(**changes)
        self._bench.look(appearance=self._preferences.settings.appearance)

    def _set_theme(self, choice: ThemeChoice) -> None:
        self._preferences.change(theme=choice)
        self._themes.mark(choice)
        apply_theme(choice)

    def _on_system_scheme_changed(self) -> None:
        if self._theme is ThemeChoice.SYSTEM:
            apply_theme(ThemeChoice.SYSTEM)
