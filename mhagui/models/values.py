"""Named values of a configuration, read with a sentence that names what is wrong."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from mhagui.errors import UserError

MOST = 2**31 - 1  # of anything that is counted
MOST_BYTES = 64 * 2**20  # of a text file; the largest vocabularies in use take half of it


@dataclass(frozen=True)
class Values:
    """What a file says by name; ``where`` is what the file is called."""

    where: str
    named: Mapping[str, object]

    def has(self, name: str) -> bool:
        """Tell whether there is such a value, and it is not null."""
        return self.named.get(name) is not None

    def count(self, name: str, default: int | None = None, least: int = 1) -> int:
        """Return a whole number of at least ``least``; raises UserError where there is none."""
        value = self._value(name, default)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= MOST:
            raise self._fault(name, value, f"a whole number from {least} to {MOST:,}")
        return value

    def number(self, name: str, default: float | None = None) -> float:
        """Return a number above 0; raises UserError where there is none."""
        value = self._value(name, default)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._fault(name, value, "a number")
        if not 0 < value <= sys.float_info.max:  # an int may be beyond it
            raise self._fault(name, value, "above 0 and finite")
        return float(value)

    def flag(self, name: str, default: bool) -> bool:
        """Return true or false; raises UserError where it is neither."""
        value = self._value(name, default)
        if not isinstance(value, bool):
            raise self._fault(name, value, "true or false")
        return value

    def text(self, name: str, default: str | None = None) -> str:
        """Return a text; raises UserError where there is none."""
        value = self._value(name, default)
        if not isinstance(value, str):
            raise self._fault(name, value, "a text")
        return value

    def texts(self, name: str) -> list[str]:
        """Return a list of texts; raises UserError where there is none."""
        value = self._value(name, None)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self._fault(name, type(value).__name__, "a list of texts")
        return value

    def require(self, name: str, *possible: object) -> None:
        """Raise UserError where the value is there, and none of those that can be rebuilt."""
        value = self.named.get(name)
        if value is not None and value not in possible:
            shown = " or ".join(_shown(each) for each in possible) or "absent"
            raise UserError(
                f"{self.where}: “{name}” is {_shown(value)}, which is not rebuilt here; it can "
                f"be {shown}."
            )

    def _value(self, name: str, default: object) -> object:
        value = self.named.get(name)
        if value is not None:
            return value
        if default is None:
            raise UserError(f"{self.where} does not say “{name}”.")
        return default

    def _fault(self, name: str, value: object, right: str) -> UserError:
        return UserError(f"{self.where}: “{name}” is {_shown(value)}, but has to be {right}.")


def read_values(path: Path) -> Values:
    """Return the named values of a JSON file; raises UserError where it holds none."""
    try:
        return Values(path.name, msgspec.json.decode(read_bounded(path), type=dict[str, object]))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UserError(f"{path.name} is no JSON text of named values: {error}.") from error


def read_bounded(path: Path) -> bytes:
    """Return what is in a file; raises UserError where that is more than any sensible one has."""
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise UserError(f"{path.name} has {size:,} bytes; {MOST_BYTES:,} are read at most.")
    return path.read_bytes()


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    text = f"“{value}”" if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
