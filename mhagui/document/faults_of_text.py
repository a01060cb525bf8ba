"""What msgspec says of text that is not as it should be, in the words of a user."""

import re

_KINDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
_WANTED = re.compile(r"Expected `([^`]+)`(.*)", re.DOTALL)
_BEGINNINGS = {
    "Object missing required field ": "lacks",
    "Object contains unknown field ": "has an unknown entry,",
}
_UNKNOWN_VALUES = ("Invalid enum value ", "Invalid value ")
_WHOLE = {
    "Input data was truncated": "it ends too early",
    "Invalid UTF-8 encoded string": "it is not UTF-8 text",
}


def fault_in_words(error: Exception) -> str:
    """Return what an error of msgspec says as a clause: “view must be an object, not a list”.

    Entries are named as they stand in the text, items of a list by their number from 0.
    """
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    fault, _, place = str(error).partition(" - at `")
    if fault in _WHOLE:
        return _WHOLE[fault]
    where = _where(place)
    wanted = _WANTED.fullmatch(fault)
    if wanted:
        return f"{where} must be {_kinds(wanted[1])}{_rest(wanted[2])}"
    for beginning, verb in _BEGINNINGS.items():
        if fault.startswith(beginning):
            return f"{where} {verb} “{fault.removeprefix(beginning)[1:-1]}”"
    for beginning in _UNKNOWN_VALUES:
        if fault.startswith(beginning):
            value = re.sub("^'(.*)'$", r"“\1”", fault.removeprefix(beginning), flags=re.DOTALL)
            if where == "version":
                return f"it is of version {value}, which only a newer mhagui reads"
            return f"{where} is {value}, which it cannot be"
    if fault == "Number out of range":
        return f"{where} is too large a number"
    return fault.replace("JSON is malformed", "it is not JSON")


def _where(place: str) -> str:
    """Return the place of a fault; “it” for the whole."""
    if place.startswith("key` in `"):
        return f"a name in {_where(place.removeprefix('key` in `'))}"
    return place.removesuffix("`").removeprefix("$").removeprefix(".") or "it"


def _kinds(names: str) -> str:
    kinds = names.split(" | ")
    told = [kind for kind in kinds if kind != "null"] or kinds
    return " or ".join(_KINDS.get(kind, kind) for kind in told)


def _rest(text: str) -> str:
    """Return what follows on the kind that is wanted: what was found, or a limit."""
    found = re.fullmatch(r", got `([^`]+)`", text)
    if found:
        what = "a number with decimals" if found[1] == "float" else _kinds(found[1])
        return f", not {what}"
    text = text.replace(", got ", ", not ").replace("<= ", "at most ").replace(">= ", "at least ")
    return text if not text or text.startswith((" of ", ",")) else f" of{text}"
