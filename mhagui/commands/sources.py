"""What is drawn from: lessons, scene files, and figures that hold the scene they show."""

import itertools
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mhagui.commands.shared import scene_called, with_gains
from mhagui.errors import UserError
from mhagui.figure_names import FIGURES

if TYPE_CHECKING:
    from mhagui.document import Scene, WhatIf
    from mhagui.figures import FigureStyle

_LONGEST_NAME = 255  # bytes, of a file on most disks


@dataclass(frozen=True)
class Source:
    """A scene to draw from, and how a figure of it was drawn where it comes from one.

    Attributes
    ----------
    scene
        What to draw.
    scene_file
        The scene as the figure holds it, to be written beside what is drawn; None for a scene.
    figure, style, row, head, sizes
        Those of the figure; None for a scene, and the figure of a report.
    """

    scene: "Scene"
    scene_file: bytes | None = None
    figure: str | None = None
    style: "FigureStyle | None" = None
    row: int | None = None
    head: int | None = None
    sizes: "WhatIf | None" = None


def source_of_scene(name: str, gains: Sequence[str]) -> Source:
    """Return the scene that ``name`` means, with ``gains``; raises UserError where it is none."""
    return Source(with_gains(scene_called(name), gains))


def source_in_figure(name: str, gains: Sequence[str]) -> Source:
    """Return what the figure in the file ``name`` was drawn from, with ``gains``.

    Raises UserError where it is no figure of ours, or holds no scene.
    """
    from mhagui.document.provenance import provenance_of_file
    from mhagui.document.session_file import read_file, session_from_bytes
    from mhagui.figures import style_of

    data = read_file(Path(name))
    try:
        made = provenance_of_file(data)
        scene_file = made.session_file()
        scene, style = session_from_bytes(scene_file).scene, style_of(made.style)
    except UserError as error:
        raise UserError(f"{name} gives no scene back: {error}") from error
    figure = made.figure if made.figure in FIGURES else None
    place = (made.row, made.head, made.sizes)
    return Source(with_gains(scene, gains), scene_file, figure, style, *place)


def scene_file_for(folder: Path, name: str, data: bytes) -> tuple[str, bytes]:
    """Return the scene file to write into ``folder`` for the figure ``name``.

    Raises UserError where another scene lies there: that is work, which a figure can not bring
    back.
    """
    from mhagui.document.session_file import read_file

    ending = ".mhascene"
    stem = os.fsencode(Path(name).stem)[: _LONGEST_NAME - len(ending)]
    path = folder / f"{stem.decode(errors='ignore')}{ending}"
    if path.exists() and read_file(path) != data:
        raise UserError(f"{path} is there, and is another scene; give another folder as --out.")
    return path.name, data


def folders_of(names: Sequence[str], out: Path) -> list[Path]:
    """Return where to write what is made of each of ``names``: ``out`` itself for one of them."""
    if len(names) == 1:
        return [out]
    folders: list[Path] = []
    taken: set[str] = set()
    for name in names:
        stem = Path(name).stem
        number = itertools.count(2)
        folder = stem
        while folder.casefold() in taken:  # some disks take A and a for one
            folder = f"{stem}-{next(number)}"
        taken.add(folder.casefold())
        folders.append(out / folder)
    return folders
