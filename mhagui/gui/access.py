"""What assistive technology is told of widgets that Qt does not know.

Qt tells what a widget is by its class, and calls each that it does not know a mere client area. It
knows buttons, boxes and tables; what is painted here it does not know. So each such class is given
the standard role nearest to it. A matrix is a graphic and not a table: of a table a screen reader
wants cells to walk through by itself, a million of them in the largest, where arrows move a cursor
already, and each step is told in words: by the announcer, and by the accessible description in
which each widget keeps where its cursor is.
"""

from collections.abc import Mapping
from types import MappingProxyType

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QAccessibleInterface
from PySide6.QtWidgets import QAccessibleWidget, QMainWindow, QToolButton, QWidget

Role = QAccessible.Role

# By the name of the class, which stands for its subclasses too.
ROLES: Mapping[str, Role] = MappingProxyType(
    {
        "MatrixView": Role.Graphic,
        "HeadMap": Role.Graphic,
        "TokenStrip": Role.Graphic,
        "BarList": Role.Chart,
        "CurvePlot": Role.Chart,
        "StemPlot": Role.Chart,
        "HeadCard": Role.Grouping,
        "MatrixRow": Role.Grouping,
    }
)
# Buttons that Qt makes for what there is no room for, and leaves without a name.
_EXTENSIONS = {"qt_menubar_ext_button": "More menus", "qt_toolbar_ext_button": "More tools"}


def install_roles() -> None:
    """Have Qt ask for roles here; once in an application, before its first window."""
    QAccessible.installFactory(_interface)


def name_extensions(window: QMainWindow) -> None:
    """Name the buttons by which bars of ``window`` show what they have no room for."""
    for object_name, words in _EXTENSIONS.items():
        for button in window.findChildren(QToolButton, object_name):
            button.setAccessibleName(words)


def is_listened_to() -> bool:
    """Say whether there is a screen reader, or anything else that wants to know."""
    return bool(QAccessible.isActive())


def announce(widget: QWidget, text: str) -> None:
    """Have a screen reader say ``text``, as of ``widget``, where one listens."""
    if is_listened_to():
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, text))


def _interface(class_name: str, widget: QObject) -> QAccessibleInterface | None:
    """Answer Qt, which asks with each class of ``widget`` in turn, its own first."""
    role = ROLES.get(class_name)
    if role is None or not isinstance(widget, QWidget):
        return None
    return QAccessibleWidget(widget, role)
