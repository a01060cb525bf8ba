"""All text can be read, and every mark be seen, in light and dark: after WCAG 2.2."""

import re

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QSlider,
    QTabBar,
    QToolBar,
    QToolButton,
    QWidget,
)

from mhagui.gui.theme import ThemeChoice, apply_theme, theme_of
from mhagui.palette import HEAD_COLOURS, contrast

Role, Group = QPalette.ColorRole, QPalette.ColorGroup
THEMES = pytest.mark.parametrize("theme", [ThemeChoice.LIGHT, ThemeChoice.DARK])
TEXT, DISABLED, MARK = 4.5, 3.0, 3.0
WRITTEN = {
    Role.WindowText: (Role.Window,),
    Role.Text: (Role.Base, Role.AlternateBase),
    Role.ButtonText: (Role.Button,),
    Role.ToolTipText: (Role.ToolTipBase,),
    Role.HighlightedText: (Role.Highlight,),
    Role.PlaceholderText: (Role.Base,),
    Role.BrightText: (Role.Window, Role.Base),
    Role.Link: (Role.Window, Role.Base, Role.ToolTipBase),
    Role.LinkVisited: (Role.Window, Role.Base, Role.ToolTipBase),
}
KINDS = (QLabel, QAbstractButton, QComboBox, QLineEdit, QHeaderView)


def ratio(one, other):
    return contrast(one.getRgb()[:3], other.getRgb()[:3])


@THEMES
@pytest.mark.parametrize("ink", WRITTEN, ids=lambda ink: ink.name)
def test_what_is_written_by_the_palette_can_be_read(qapp, theme, ink):
    apply_theme(theme)
    palette = qapp.palette()
    for group, least in ((Group.Active, TEXT), (Group.Inactive, TEXT), (Group.Disabled, DISABLED)):
        for ground in WRITTEN[ink]:
            assert ratio(palette.color(group, ink), palette.color(group, ground)) >= least


@THEMES
@pytest.mark.parametrize("ink", ["text", "muted", "met"])
def test_what_is_painted_can_be_read(qapp, theme, ink):
    apply_theme(theme)
    drawing, palette = theme_of(qapp.palette()), qapp.palette()
    grounds = [palette.color(Role.Window), drawing.card, drawing.plot, drawing.mask]
    assert min(ratio(getattr(drawing, ink), ground) for ground in grounds) >= TEXT


@THEMES
def test_marks_of_focus_and_cursor_are_seen(qapp, theme):
    apply_theme(theme)
    drawing, palette = theme_of(qapp.palette()), qapp.palette()
    for ground in (palette.color(Role.Window), drawing.card, drawing.plot):
        assert ratio(palette.color(Role.Highlight), ground) >= MARK
        assert ratio(drawing.cursor, ground) >= MARK


@THEMES
@pytest.mark.parametrize("colour", HEAD_COLOURS)
def test_curves_are_seen(qapp, theme, colour):
    apply_theme(theme)
    plot = theme_of(qapp.palette()).plot
    # Two are light on white; markers and the legend tell them apart as well.
    is_light = theme is ThemeChoice.LIGHT and colour in ("#e69f00", "#56b4e9")
    assert ratio(QColor(colour), plot) >= (2.2 if is_light else MARK)


def colours(picture):
    """Every colour of an image and how often it is there: (n, 3) and (n,)."""
    rows = np.frombuffer(picture.constBits(), np.uint8).reshape(picture.height(), -1, 4)
    bgr = rows[:, : picture.width(), :3].reshape(-1, 3)
    return np.unique(bgr[:, ::-1], axis=0, return_counts=True)


def strongest(widget, *box):
    """The contrast of what stands out most in a picture of ``widget`` from its commonest colour."""
    shades, counts = colours(widget.grab(*box).toImage())
    ground = tuple(map(int, shades[counts.argmax()]))
    return max(contrast(tuple(map(int, shade)), ground) for shade in shades)


def faint_tabs(parent):
    """The tabs in ``parent`` that can hardly be read; those of docks behind others are disabled."""
    bars = [bar for bar in parent.findChildren(QTabBar) if bar.isVisible() and bar.isEnabled()]
    tabs = [(bar, n) for bar in bars for n in range(bar.count())]
    return [bar.tabText(n) for bar, n in tabs if strongest(bar, bar.tabRect(n)) < TEXT]


@THEMES
def test_all_that_is_written_in_the_window_can_be_read(open_window, settle, theme):
    apply_theme(theme)
    window = open_window("induction")
    for _ in window.docks.all:
        settle()
    faint, n_written = [], 0
    for dock in window.docks.all:
        window.docks.show([dock.objectName()])
        settle()
        settle()
        for widget in dock.findChildren(QWidget):
            least = TEXT if widget.isEnabled() else DISABLED
            n_written += is_written(widget)
            if is_written(widget) and strongest(widget) < least:
                faint.append(f"{dock.windowTitle()}: {widget} {strongest(widget):.2f}")
        faint += faint_tabs(dock)
    faint += faint_tabs(window)
    tools = window.findChild(QToolBar, "mainToolBar").findChildren(QToolButton)
    for button in filter(QWidget.isVisible, tools):
        least = TEXT if button.isEnabled() else DISABLED
        faint += [button.text()] if strongest(button) < least else []
    window.close()
    assert n_written > 200
    assert faint == [], "\n".join(faint)


def is_written(widget):
    """Whether a widget that is in sight shows letters; icons alone are marks."""
    if not isinstance(widget, KINDS) or widget.visibleRegion().isEmpty():
        return False
    if isinstance(widget, QComboBox):
        return bool(widget.currentText())
    if isinstance(widget, QToolButton) and not widget.isEnabled():
        return widget.toolButtonStyle() != Qt.ToolButtonStyle.ToolButtonIconOnly
    if isinstance(widget, QLabel | QAbstractButton | QLineEdit):
        return re.search(r"\S", widget.text()) is not None
    return True


@THEMES
def test_the_handle_of_a_slider_is_seen(qapp, qtbot, theme, handle):
    apply_theme(theme)
    slider = QSlider(Qt.Orientation.Horizontal)
    qtbot.addWidget(slider)
    slider.resize(120, 24)
    slider.setValue(50)
    shades, _ = colours(slider.grab(handle(slider)).toImage())
    ground = qapp.palette().color(Role.Window)
    assert max(ratio(QColor(*map(int, shade)), ground) for shade in shades) >= MARK
