"""Faults in what Qt calls, kept from going through Qt."""

import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import wraps
from types import FunctionType

from shiboken6 import Shiboken

OWN = "mhagui.gui."
_MARK = "_is_guarded"


def guard_overrides() -> None:
    """Have every method of ours that Qt calls hand what it raises to ``sys.excepthook``.

    Where Python has called Qt, and Qt calls such a method, PySide carries the exception through Qt:
    under Python 3.11 the process then crashes (6.10.3, 6.11.3), and under later ones whoever called
    Qt is torn out of what he does. Classes of modules that are not loaded yet are not seen: to be
    called again where more are, which leaves alone what is guarded.
    """
    for kind in list(_below(Shiboken.Object)):
        if kind.__module__.startswith(OWN) and _MARK not in vars(kind):
            guard(kind)
            setattr(kind, _MARK, True)


def guard(kind: type) -> None:
    """Do the same for one class."""
    for name, method in list(vars(kind).items()):
        if isinstance(method, FunctionType) and _is_of_qt(kind, name):
            setattr(kind, name, _guarded(kind, name, method))


def _guarded(kind: type, name: str, method: FunctionType) -> Callable[..., object]:
    is_void = name.endswith("Event") and name != "viewportEvent"

    @wraps(method)
    def guarded(self: object, *args: object, **options: object) -> object:
        try:
            return method(self, *args, **options)
        except Exception:  # noqa: BLE001 - it is told of, as one that no slot caught
            sys.excepthook(*sys.exc_info())
        if not is_void:
            with suppress(NotImplementedError):  # Qt has no answer of its own
                return getattr(super(kind, self), name)(*args, **options)
        return None

    return guarded


def _is_of_qt(kind: type, name: str) -> bool:
    bases = (base for base in kind.__mro__[1:] if base.__module__.startswith("PySide6."))
    return not name.startswith("_") and any(name in vars(base) for base in bases)


def _below(kind: type) -> Iterator[type]:
    subclasses: list[type] = kind.__subclasses__()
    for below in subclasses:
        yield below
        yield from _below(below)
