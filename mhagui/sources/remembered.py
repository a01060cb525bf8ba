"""Readings as a session keeps them, and back; both it and the file may be anybody's."""

from dataclasses import fields
from typing import Any

from mhagui.document.file_entries import PartEntry, ReadingEntry
from mhagui.errors import UserError
from mhagui.sources import names
from mhagui.sources.found import Found
from mhagui.sources.readings import ORIENTATIONS, Part, Reading, axes_choices


def entry_of(reading: Reading) -> ReadingEntry:
    """Return ``reading`` as a session keeps it."""
    return ReadingEntry(
        parts=tuple(
            PartEntry(
                role=part.role,
                arrays=part.entries,
                layers=part.layers,
                steps=part.steps,
                axes=part.axes,
            )
            for part in reading.parts
        ),
        **_choices(reading),
    )


def reading_of(entry: ReadingEntry, found: Found) -> Reading:
    """Return the reading of ``found`` that ``entry`` is; raises UserError where it can be none."""
    parts = tuple(_part(part, found) for part in entry.parts)
    roles = [part.role for part in parts]
    if len(set(roles)) < len(roles) or entry.orientation not in (None, *ORIENTATIONS):
        raise _no_reading(found)
    return Reading(parts, **_choices(entry))


def _choices(of: Reading | ReadingEntry) -> dict[str, Any]:
    """Return what is chosen beside the parts; both call it the same."""
    names_of_choices = (field.name for field in fields(Reading) if field.name != "parts")
    return {name: getattr(of, name) for name in names_of_choices}


def _part(entry: PartEntry, found: Found) -> Part:
    places = list(zip(entry.layers, entry.steps, strict=False))
    is_whole = len(entry.arrays) == len(entry.layers) == len(entry.steps) > 0
    if entry.role not in names.ROLES or not is_whole or places != sorted(set(places)):
        raise _no_reading(found)
    for name in entry.arrays:
        if entry.axes not in ((), *axes_choices(entry.role, len(found.entry(name).shape))):
            raise _no_reading(found)
    return Part(entry.role, entry.arrays, entry.layers, entry.steps, entry.axes)


def _no_reading(found: Found) -> UserError:
    return UserError(f"{found.path.name} cannot be read as the session says.")
