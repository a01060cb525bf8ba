"""Where a key takes the cursor of a matrix."""

from PySide6.QtCore import QKeyCombination, Qt

PAGE = 10
_FAR = 1 << 30

_KEY = Qt.Key
_STEPS = {
    _KEY.Key_Left: (0, -1),
    _KEY.Key_Right: (0, 1),
    _KEY.Key_Up: (-1, 0),
    _KEY.Key_Down: (1, 0),
    _KEY.Key_Home: (0, -_FAR),
    _KEY.Key_End: (0, _FAR),
    _KEY.Key_PageUp: (-PAGE, 0),
    _KEY.Key_PageDown: (PAGE, 0),
}
_CONTROL_STEPS = {
    _KEY.Key_Left: (0, -_FAR),
    _KEY.Key_Right: (0, _FAR),
    _KEY.Key_Up: (-_FAR, 0),
    _KEY.Key_Down: (_FAR, 0),
    _KEY.Key_Home: (-_FAR, -_FAR),
    _KEY.Key_End: (_FAR, _FAR),
}


def moved(
    keys: QKeyCombination, cell: tuple[int, int], shape: tuple[int, int]
) -> tuple[int, int] | None:
    """Return where ``keys`` take the cursor from ``cell`` in a matrix of ``shape``; None: nowhere.

    Arrows go one cell, with Ctrl to the edge; Home and End to the ends of the row, with Ctrl to the
    corners; Page Up and Page Down ten rows.
    """
    modifiers = keys.keyboardModifiers() & ~Qt.KeyboardModifier.KeypadModifier
    if modifiers == Qt.KeyboardModifier.NoModifier:
        step = _STEPS.get(keys.key())
    elif modifiers == Qt.KeyboardModifier.ControlModifier:
        step = _CONTROL_STEPS.get(keys.key())
    else:
        step = None
    if step is None:
        return None
    row, column = (min(max(at + by, 0), n - 1) for at, by, n in zip(cell, step, shape, strict=True))
    return row, column
