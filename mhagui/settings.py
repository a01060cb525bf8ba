"""What the user has chosen for every window: read entry by entry, and kept in one readable file."""

import enum
import os
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec

from mhagui.document.faults_of_text import fault_in_words
from mhagui.document.file_text import line
from mhagui.document.view_state import Appearance, Digits
from mhagui.errors import UserError, visible
from mhagui.figures.style import FigureStyle, Preset
from mhagui.files import make_folder, write_atomically
from mhagui.formats import ALL_DIGITS
from mhagui.kept_files import put_aside, read_kept
from mhagui.layout_tree import Frame, Layout
from mhagui.palette import SignedColours, WeightColours

FORMAT = "mhagui settings"
VERSION = 1
FILE_NAME = "settings.json"
MAX_FILE_BYTES = 2**20
MOST_COMPLAINTS = 8
MOST_FILES = 10
LONGEST_NAME = 40

Kind = TypeVar("Kind")


class ThemeChoice(enum.StrEnum):
    """The colours of the window that the user asks for."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"

    def __str__(self) -> str:
        """Return the text in the menu."""
        return "Follow the system" if self is ThemeChoice.SYSTEM else self.value.capitalize()


class ExportChoices(msgspec.Struct, frozen=True, kw_only=True):
    """What was chosen in the export dialog last.

    Attributes
    ----------
    style
        How figures look.
    as_in_window
        Whether their colours are those of the window instead.
    figures, formats, data
        What is written: names of figures, their formats, and those of the numbers.
    scripts
        Whether each figure has a script beside it.
    reports
        The formats of the report of the scene that is written too.
    folder
        Where to; empty for a folder below the one that the program is started in.
    true_size
        Whether figures are shown as large as they will be.
    """

    style: FigureStyle = FigureStyle()
    as_in_window: bool = True
    figures: tuple[str, ...] = ("heads",)
    formats: tuple[str, ...] = ("png", "pdf")
    data: tuple[str, ...] = ()
    scripts: bool = False
    reports: tuple[str, ...] = ()
    folder: str = ""
    true_size: bool = True


class MotionChoices(msgspec.Struct, frozen=True, kw_only=True):
    """What was chosen in the dialog of animations last; the style but for its page is ``export``'s.

    Attributes
    ----------
    figure, kind
        What is drawn, and what it is written as: of ``mhagui.figures.FIGURES`` and of ``MOVIES``.
    preset, dpi
        The page, and pixels per inch of it.
    n_frames, fps
        How many values there are, and how many frames in a second.
    there_and_back, loop
        Whether the slider goes back too, and whether viewers begin again.
    folder
        Where to; empty for that of the user's pictures.
    """

    figure: str = "heads"
    kind: str = "apng"
    preset: Preset = Preset.DOUBLE_COLUMN
    dpi: int = 150
    n_frames: int = 24
    fps: int = 12
    there_and_back: bool = False
    loop: bool = True
    folder: str = ""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """The entries of the file, each with what holds where it is missing.

    Attributes
    ----------
    theme
        The colours of the window.
    type_percent
        How large all type is, in percent of the system's.
    digits, weight_colours, signed_colours
        The fields of an Appearance.
    layout
        Where the docks were when a window was closed last.
    layouts
        The user's own layouts by their names.
    window, maximised
        Where the last window was when it was not maximised, and whether it was.
    recent_files
        The files that were opened or saved last, the newest first.
    opened_folder, scene_folder, report_folder
        Where anything was opened last, a scene opened or saved, and a report of exercises written;
        empty for none.
    export, motion
        What was chosen last in the dialogs of figures and of animations.
    """

    theme: ThemeChoice = ThemeChoice.SYSTEM
    type_percent: Annotated[int, msgspec.Meta(ge=80, le=250)] = 100
    digits: Digits = Digits.FOUR
    weight_colours: WeightColours = WeightColours.VIRIDIS
    signed_colours: SignedColours = SignedColours.BLUE_RED
    layout: Layout | None = None
    layouts: dict[str, Layout] = {}
    window: Frame | None = None
    maximised: bool = False
    recent_files: tuple[str, ...] = ()
    opened_folder: str = ""
    scene_folder: str = ""
    report_folder: str = ""
    export: ExportChoices = ExportChoices()
    motion: MotionChoices = MotionChoices()

    @property
    def appearance(self) -> Appearance:
        """How numbers and colours look."""
        return Appearance(self.digits, self.weight_colours, self.signed_colours)


class _Heading(msgspec.Struct):
    """What tells whether the rest can be read."""

    format: str
    version: int


_KINDS = {field.name: field.type for field in msgspec.structs.fields(Settings)}
_FAULTS = (msgspec.MsgspecError, ValueError, RecursionError)  # of text that came from anywhere


def settings_to_json(settings: Settings) -> bytes:
    """Return ``settings`` as JSON text; a path that no JSON can hold is left out."""
    recent = tuple(path for path in settings.recent_files if _is_text(path))
    entries = msgspec.structs.asdict(settings) | {"recent_files": recent}
    for name in ("export", "motion"):
        if not _is_text(entries[name].folder):
            entries[name] = msgspec.structs.replace(entries[name], folder="")
    for name in ("opened_folder", "scene_folder", "report_folder"):
        entries[name] = entries[name] if _is_text(entries[name]) else ""
    text = msgspec.json.encode({"format": FORMAT, "version": VERSION} | entries)
    return msgspec.json.format(text, indent=2) + b"\n"


def settings_from_json(text: bytes) -> tuple[Settings, list[str]]:
    """Return the settings in ``text``, and a sentence for each entry that is left out.

    Raises UserError with one sentence where the whole is no such text, or of a newer version.
    """
    if not text.strip():
        raise UserError("it is empty.")
    try:
        heading = msgspec.json.decode(text, type=_Heading)
        entries = msgspec.json.decode(text, type=dict[str, msgspec.Raw])
    except _FAULTS as error:
        raise UserError(f"it holds no settings: {line(fault_in_words(error))}.") from error
    if heading.format != FORMAT:
        raise UserError(f"it is not “{FORMAT}”.")
    if heading.version > VERSION:
        raise UserError(f"its version is {heading.version}, and this program reads {VERSION}.")
    reading = _Reading()
    known = {name: raw for name, raw in entries.items() if name not in ("format", "version")}
    values = {name: reading.entry(name, raw) for name, raw in known.items()}
    taken = {name: value for name, value in values.items() if value is not None}
    return msgspec.structs.replace(Settings(), **taken), _few(reading.complaints)


class _Reading:
    """Reads entries, and notes why one is left out; it is None then."""

    def __init__(self) -> None:
        self.complaints: list[str] = []

    def entry(self, name: str, raw: msgspec.Raw) -> object:
        """Return the value of one entry."""
        if name not in _KINDS:
            self.complaints.append(f"There is no setting “{line(name)}”; it is left out.")
            return None
        what = f"The setting “{name}”"
        if name == "layouts":
            named = self._value(raw, dict[str, msgspec.Raw], what) or {}
            return dict(filter(None, (self._layout(*item) for item in named.items())))
        if name == "recent_files":
            paths = self._value(raw, list[msgspec.Raw], what) or []
            read = (self._value(path, str, "A recent file") for path in paths)
            return tuple(filter(None, read))[:MOST_FILES]
        return self._value(raw, _KINDS[name], what)

    def _layout(self, name: str, raw: msgspec.Raw) -> tuple[str, Layout] | None:
        what = f"The layout “{line(name)}”"
        fault = fault_of_name(name)
        if fault:
            self.complaints.append(f"{what} is left out: {fault}")
            return None
        layout = self._value(raw, Layout, what)
        return None if layout is None else (name, layout)

    def _value(self, raw: msgspec.Raw, kind: type[Kind], what: str) -> Kind | None:
        try:
            return msgspec.json.decode(raw, type=kind)
        except _FAULTS as error:
            why, choices = fault_in_words(error), _choices(kind)
            if choices:
                value = bytes(raw).decode(errors="replace")[:LONGEST_NAME]
                why = f"it is {value}; it can be {choices}"
            self.complaints.append(f"{what} is left out: {line(why)}.")
            return None


def _choices(kind: object) -> str:
    """Return the values that an entry can have, where these are few."""
    if not (isinstance(kind, type) and issubclass(kind, enum.Enum)):
        return ""
    values = (member.value for member in kind)
    return ", ".join(f"{value} (all)" if value == ALL_DIGITS else str(value) for value in values)


def fault_of_name(name: str) -> str | None:
    """Return why no layout can be called ``name``, None where one can."""
    if not name:
        return "a layout needs a name."
    if name != name.strip():
        return "a name neither begins nor ends with a space."
    if len(name) > LONGEST_NAME:
        return f"a name has at most {LONGEST_NAME} characters."
    return None if name.isprintable() else "a name has no control characters."


class SettingsStore:
    """Keeps settings in one file, which several windows may share."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._may_write = True
        self._known = Settings()  # what this store itself has read or written last

    def load(self) -> tuple[Settings, list[str]]:
        """Return what is kept, and a sentence for each thing that is not as it should be.

        A file that holds no settings is put aside, so that it is not written over.
        """
        try:
            self._known, complaints = self._read()
        except OSError as error:
            self._may_write = False  # what is there may be good
            return self._known, [
                visible(f"{self.path} cannot be read: {error.strerror}; settings are not kept.")
            ]
        except UserError as error:
            return self._known, [self._put_aside(error)]
        return self._known, complaints

    def save(self, settings: Settings) -> None:
        """Keep what was changed since this store read or wrote; others may have changed the rest.

        Raises UserError where it cannot be written. Nothing is written over what can neither be
        read nor put aside.
        """
        if not self._may_write or settings == self._known:
            return
        make_folder(self.path.parent)
        joined = _joined(settings, self._known, self._kept(settings))
        write_atomically(self.path, settings_to_json(joined), is_durable=False)
        self._known = settings

    def reset(self) -> Path | None:
        """Put what is kept aside, whatever it is; return where to, None where nothing was kept.

        Raises UserError where that cannot be.
        """
        try:
            return put_aside(self.path, "old") if os.path.lexists(self.path) else None
        except OSError as error:
            raise UserError(f"{self.path} cannot be put aside: {error.strerror}.") from error

    def _kept(self, instead: Settings) -> Settings:
        """Return what stands in the file now; ``instead`` where it has become unreadable."""
        try:
            return self._read()[0]
        except OSError as error:
            raise UserError(f"{self.path} cannot be read: {error.strerror}.") from error
        except UserError as error:
            self._put_aside(error)
            return instead

    def _read(self) -> tuple[Settings, list[str]]:
        text = read_kept(self.path, MAX_FILE_BYTES)
        return (Settings(), []) if text is None else settings_from_json(text)

    def _put_aside(self, reason: UserError) -> str:
        try:
            aside = put_aside(self.path)
        except OSError as error:
            self._may_write = False
            return visible(f"{self.path} cannot be read nor put aside: {error.strerror}.")
        return visible(f"The settings in {aside} cannot be read, and begin anew: {reason}")


class Preferences:
    """The settings of one window: kept as they change, in memory alone where there is no store.

    ``tell`` is given each sentence about what goes wrong, once; nothing that goes wrong stops
    anything.
    """

    def __init__(self, store: SettingsStore | None, tell: Callable[[str], object]) -> None:
        self._store, self._tell = store, tell
        self._told: set[str] = set()
        self.settings, complaints = (Settings(), []) if store is None else store.load()
        for sentence in complaints:
            self._say(sentence)

    def change(self, **entries: Any) -> None:
        """Change entries of the settings, by name, and keep them."""
        self.settings = msgspec.structs.replace(self.settings, **entries)
        if self._store is not None:
            try:
                self._store.save(self.settings)
            except UserError as error:
                self._say(f"Settings are not kept: {error}")

    def _say(self, sentence: str) -> None:
        if sentence not in self._told:
            self._told.add(sentence)
            self._tell(sentence)


def _joined(ours: Settings, known: Settings, kept: Settings) -> Settings:
    """Return what is ``kept`` with what is changed in ``ours`` since it was ``known``."""
    names = ours.__struct_fields__
    changed = {n: getattr(ours, n) for n in names if getattr(ours, n) != getattr(known, n)}
    others = {
        n: at for n, at in kept.layouts.items() if n not in known.layouts or n in ours.layouts
    }
    own = {n: at for n, at in ours.layouts.items() if known.layouts.get(n) != at}
    files = (path for path in kept.recent_files if path not in known.recent_files)
    if "recent_files" in changed:
        changed["recent_files"] = tuple(dict.fromkeys((*ours.recent_files, *files)))[:MOST_FILES]
    return msgspec.structs.replace(kept, **changed | {"layouts": others | own})


def _few(complaints: list[str]) -> list[str]:
    rest = len(complaints) - MOST_COMPLAINTS
    if rest <= 0:
        return complaints
    return [*complaints[:MOST_COMPLAINTS], f"{rest} more are left out."]


def _is_text(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:  # a file's name may be any bytes
        return False
    return True
