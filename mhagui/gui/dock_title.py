"""The title of a dock: its name and two quiet buttons."""

from PySide6.QtCore import QPoint, QSize
from PySide6.QtWidgets import QDockWidget, QHBoxLayout, QLabel, QToolButton, QWidget

from mhagui.gui.icons import icon
from mhagui.gui.widgets.drawing import demi_bold

BUTTON_PIXELS = 12
FLOATING_OFFSET = QPoint(24, 24)


class DockTitle(QWidget):
    """Replaces the title bar of ``dock``; dragging and double click work as on the native one."""

    def __init__(self, dock: QDockWidget) -> None:
        super().__init__(dock)
        self._dock = dock
        label = QLabel(dock.windowTitle())
        label.setFont(demi_bold(label.font()))
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 3, 4, 1)
        row.setSpacing(0)
        row.addWidget(label, 1)
        row.addWidget(
            self._button(
                "float", "Take “{}” out of the window, or put it back", self._toggle_floating
            )
        )
        row.addWidget(self._button("close", "Hide “{}”; the View menu brings it back", dock.close))

    def _button(self, name: str, tip: str, handler: object) -> QToolButton:
        button = QToolButton(self)
        button.setIcon(icon(name))
        button.setIconSize(QSize(BUTTON_PIXELS, BUTTON_PIXELS))
        button.setAutoRaise(True)
        button.setToolTip(tip.format(self._dock.windowTitle()))
        button.setAccessibleName(f"{name.capitalize()} {self._dock.windowTitle()}")
        button.clicked.connect(handler)
        return button

    def _toggle_floating(self) -> None:
        self._dock.setFloating(not self._dock.isFloating())
        if self._dock.isFloating():  # a little aside, so that it is seen to have come off
            self._dock.move(self._dock.pos() + FLOATING_OFFSET)
