"""The options that say how figures look: one for each field of a style, and a file of them."""

import argparse
import codecs
import enum
import re
import typing
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mhagui.commands.shared import not_empty
from mhagui.errors import UserError

if TYPE_CHECKING:
    from mhagui.figures import FigureStyle

_LONGEST_FILE = 2**16  # bytes: a style has some hundred


class _Value(NamedTuple):
    """An option with a value; the choices stand in its help, for a style would load NumPy."""

    option: str
    metavar: str
    told: str

    @property
    def field(self) -> str:
        """The field of a style that it sets."""
        return self.option.removeprefix("--").replace("-", "_")


_VALUES = (
    _Value("--preset", "NAME", "single (85 mm wide), double (170 mm), slide (16:9) or poster"),
    _Value("--font", "FAMILY", "a font family of this machine"),
    _Value("--font-size", "POINTS", "size of the labels, 4 to 60; that of the preset unless given"),
    _Value("--ground", "NAME", "light, dark or transparent"),
    _Value("--weight-colours", "NAME", "viridis, cividis, magma or grey"),
    _Value("--signed-colours", "NAME", "blue-to-red, purple-to-orange or green-to-pink"),
    _Value(
        "--colour-scale",
        "NAME",
        "of weights: linear-0-to-1, linear-0-to-max, logarithmic or relative-to-uniform",
    ),
    _Value("--labels", "NAME", "what positions are called: positions, tokens or both"),
    _Value("--dpi", "N", "pixels per inch of PNG and TIFF files, 30 to 1200; 300 unless given"),
)
# Options for what is so or not, the field of a style that each sets, and what it does.
_SWITCHES = {
    "--values": ("values", "numbers in cells with room for them"),
    "--title": ("title", "the title above a figure"),
    "--caption": ("caption", "what a figure shows, below it"),
    "--outlines": ("outlines", "text of SVG files as outlines, which needs no font"),
    "--scene": ("embed_scene", "the scene in the files of figures, for 'mhagui export --from'"),
}


def add_style_options(parser: argparse.ArgumentParser, *left_out: str) -> None:
    """Give ``parser`` the options of a style, but those ``left_out``, as a group of their own."""
    group = parser.add_argument_group("how figures look")
    group.add_argument(
        "--style",
        metavar="FILE",
        type=not_empty,
        help='a style as JSON, such as {"preset": "single", "values": false}, which the options '
        "below change",
    )
    for option, metavar, told in _VALUES:
        if option not in left_out:
            group.add_argument(option, metavar=metavar, type=not_empty, help=told)
    for option, (field, told) in _SWITCHES.items():
        if option not in left_out:
            switch = argparse.BooleanOptionalAction
            group.add_argument(option, dest=field, action=switch, help=told)


def style_of_options(
    options: argparse.Namespace, base: "FigureStyle | None" = None
) -> "FigureStyle":
    """Return the style that is asked for: of the file or ``base``, changed by the options.

    Raises UserError that names the option or the file, and what is wrong with it.
    """
    import msgspec

    from mhagui.figures import FigureStyle

    style = base or FigureStyle()
    if options.style is not None:
        style = _style_in(Path(options.style))
    return msgspec.structs.replace(style, **_changes(options))


def asks_for_style(options: argparse.Namespace) -> bool:
    """Return whether any option of a style is given."""
    return options.style is not None or bool(_changes(options))


def _changes(options: argparse.Namespace) -> dict[str, object]:
    """Return the fields of a style that the options set."""
    values = {value.field: value for value in _VALUES}
    fields = [*values, *(field for field, _ in _SWITCHES.values())]
    given = {field: getattr(options, field, None) for field in fields}
    return {
        field: _converted(values[field], text) if field in values else text
        for field, text in given.items()
        if text is not None
    }


def _converted(value: _Value, text: str) -> object:
    """Return ``text`` as the field of a style has it; raises UserError that names the option."""
    import msgspec

    from mhagui.document.faults_of_text import fault_in_words
    from mhagui.figures import FigureStyle

    kind = typing.get_type_hints(FigureStyle, include_extras=True)[value.field]
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        named = {_typed(member.value): member for member in kind}
        if _typed(text) not in named:
            raise UserError(f"{value.option} {text}: give one of {', '.join(named)}.")
        return named[_typed(text)]
    try:
        return msgspec.convert(text, kind, strict=False)
    except msgspec.ValidationError as error:
        raise UserError(f"{value.option} {text}: {fault_in_words(error)}.") from error


def _typed(text: str) -> str:
    """Return ``text`` as it is typed: “linear, 0 to 1” is linear-0-to-1."""
    return re.sub("[^a-z0-9]+", "-", text.lower()).strip("-")


def _style_in(path: Path) -> "FigureStyle":
    import msgspec

    from mhagui.document.faults_of_text import fault_in_words
    from mhagui.document.file_text import line
    from mhagui.figures import FigureStyle

    try:
        if path.exists() and not path.is_file():  # a pipe may never end
            raise UserError(f"{path} is not a file; give a style as JSON.")
        with path.open("rb") as file:
            data = file.read(_LONGEST_FILE + 1)
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror or error}.") from error
    if len(data) > _LONGEST_FILE:
        raise UserError(f"{path} is too long for a style; {_LONGEST_FILE:,} bytes are the most.")
    try:
        return msgspec.json.decode(data.removeprefix(codecs.BOM_UTF8), type=FigureStyle)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UserError(f"{path} holds no style: {line(fault_in_words(error))}.") from error
