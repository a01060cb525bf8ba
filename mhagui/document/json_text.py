"""JSON as people read and compare it: a line to each row of a matrix."""

import json
import math
from collections.abc import Iterator


def finite(value: float) -> float | None:
    """Return a number as JSON can hold it: None where it is not finite."""
    return float(value) if math.isfinite(value) else None


def json_text(value: object, *, only_ascii: bool = True) -> str:
    """Return ``value`` as strict JSON text; characters beyond ASCII as they are or escaped."""
    return (
        "".join(_pieces(value, json.JSONEncoder(allow_nan=False, ensure_ascii=only_ascii))) + "\n"
    )


def _pieces(value: object, encoder: json.JSONEncoder, indent: str = "") -> Iterator[str]:
    """Yield JSON text: records and matrices over several lines, a row of numbers on one."""
    if isinstance(value, dict):
        items = [(f"{encoder.encode(key)}: ", item) for key, item in value.items()]
    elif isinstance(value, list) and value and isinstance(value[0], dict | list):
        items = [("", item) for item in value]
    else:
        yield encoder.encode(value)
        return
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    yield opening
    for number, (label, item) in enumerate(items):
        yield f"{',' if number else ''}\n{indent}  {label}"
        yield from _pieces(item, encoder, indent + "  ")
    yield f"\n{indent}{closing}"
