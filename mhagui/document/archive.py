"""Zip files from anywhere: every size and name in the directory is checked before one is unpacked.

``zipfile`` does the reading. What it would take on trust is looked at first: how many members there
are and how large they say they are, twice the same name, paths, overlaps, and kinds of packing.
"""

import io
import re
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Mapping

from mhagui.document.npy import MOST_BYTES
from mhagui.errors import UserError

TEXT = "scene.json"
MOST_TEXT_BYTES = 2 * 2**20  # a scene's words and names, each character escaped, have 1.1 MB
# What is stored is in the file already; what is deflated may be a thousand times as much. Programs
# that zip a scene by hand deflate it: the lessons, and ten times what they have.
MOST_DEFLATED_BYTES = 32 * 2**20
MAX_MEMBERS = 300  # 64 heads of four matrices, X, W_O, b_O, the source's, the text and the folder

_FOLDER = "arrays/"
_ARRAY = re.compile(r"arrays/[A-Za-z0-9][A-Za-z0-9_-]{0,60}\.npy")
_END = struct.Struct("<4s4H2LH")  # signature, four counts, size and place of the directory, comment
_END_SIGNATURE, _ZIP64_SIGNATURE, _ZIP64_LENGTH = b"PK\x05\x06", b"PK\x06\x07", 20
_SIGNATURES = (b"PK\x03\x04", _END_SIGNATURE)
_MOST_DIRECTORY_BYTES = 512 * MAX_MEMBERS
_HEADER_BYTES = 30  # of a member, before its name
ENCRYPTED_OR_PATCHED = 0x1 | 0x20 | 0x40 | 0x2000
_MADE = (1980, 1, 1, 0, 0, 0)  # the same scene makes the same file, whenever it is saved
# What zipfile was seen to raise for damaged files, beside what it says it does.
DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, UnicodeDecodeError)


def is_archive(data: bytes) -> bool:
    """Say whether ``data`` begins as a zip file does."""
    return data.startswith(_SIGNATURES)


def packed(members: Mapping[str, bytes]) -> bytes:
    """Return a zip file of ``members`` by name, the same bytes for the same members.

    They are stored as they are: to deflate weights of full precision takes ten times as long, and
    makes nothing smaller.
    """
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, content in members.items():
            archive.writestr(member(name), content)
    return file.getvalue()


def member(name: str) -> zipfile.ZipInfo:
    """Return what a zip file says of a member, wherever and whenever it is written."""
    info = zipfile.ZipInfo(name, _MADE)
    info.create_system = 3  # as on Unix
    info.external_attr = 0o644 << 16
    return info


class Archive:
    """A scene's zip file whose directory is sound: ``scene.json``, and matrices beside it.

    Raises UserError, here and in each method, naming the member and what is wrong with it.
    """

    def __init__(self, data: bytes) -> None:
        n_members = _checked_end(data)
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except DAMAGE as error:
            raise UserError("the directory of the zip file is damaged.") from error
        members = self._zip.infolist()
        if len(members) != n_members:
            raise UserError(f"the zip file has {len(members)} members; its end says {n_members}.")
        self._members = {member.orig_filename: member for member in members}
        if len(self._members) != n_members:
            names = Counter(member.orig_filename for member in members)
            twice = names.most_common(1)[0][0]
            raise UserError(f"two members of the zip file are called “{twice[:80]}”.")
        check_places(members, len(data))

    def text(self) -> bytes:
        """Return the content of ``scene.json``."""
        if TEXT not in self._members:
            raise UserError(f"it is a zip file without {TEXT}.")
        return self._read(TEXT, MOST_TEXT_BYTES)

    def check_arrays(self) -> None:
        """See that all other members are matrices, and together not too large."""
        for name, member in self._members.items():
            if name not in (TEXT, _FOLDER) and not _ARRAY.fullmatch(name):
                raise UserError(
                    f"the zip file has a member “{name[:80]}”; in a scene's are {TEXT} and "
                    f"{_FOLDER}….npy alone."
                )
            _check_member(member, MOST_TEXT_BYTES if name == TEXT else MOST_BYTES)
        total = sum(member.file_size for member in self._members.values() if _is_deflated(member))
        if total > MOST_DEFLATED_BYTES:
            raise UserError(
                f"unpacked its deflated members would have {total:,} bytes, and may have at most "
                f"{MOST_DEFLATED_BYTES:,}: a scene as large as that is stored, not deflated."
            )

    def array_names(self) -> set[str]:
        """Return the names of all matrices."""
        return set(self._members) - {TEXT, _FOLDER}

    def array(self, name: str) -> bytes:
        """Return the content of the member ``name``, which holds a matrix."""
        return self._read(name, MOST_BYTES)

    def _read(self, name: str, most: int) -> bytes:
        member = self._members[name]
        _check_member(member, most)
        try:
            with self._zip.open(member) as file:
                # Never more than was declared, whatever it would unpack to.
                content = file.read(member.file_size)
        except DAMAGE as error:
            raise UserError(f"{name} is damaged: it cannot be unpacked.") from error
        if len(content) != member.file_size:
            raise UserError(
                f"{name} is damaged: it has {len(content):,} bytes, not {member.file_size:,}."
            )
        return content


def _checked_end(data: bytes) -> int:
    """Return the number of members that the end of a zip file declares."""
    start = len(data) - _END.size
    if start < 0 or not data.startswith(_END_SIGNATURE, start):
        raise UserError("it is a zip file whose end is missing; it may have been cut short.")
    _, disk, first, here, n_members, size, place, comment = _END.unpack_from(data, start)
    if data.startswith(_ZIP64_SIGNATURE, start - _ZIP64_LENGTH):
        raise UserError("it is a zip file for sizes beyond 4 GB, which no scene has.")
    if (disk, first, here, comment) != (0, 0, n_members, 0) or place + size != start:
        raise UserError("the end of the zip file is damaged: it does not fit the rest.")
    if n_members > MAX_MEMBERS or size > _MOST_DIRECTORY_BYTES:
        raise UserError(
            f"the zip file has {n_members:,} members, in a directory of {size:,} bytes; a scene's "
            f"has at most {MAX_MEMBERS}, in {_MOST_DIRECTORY_BYTES:,}."
        )
    return int(n_members)


def _is_deflated(member: zipfile.ZipInfo) -> bool:
    return member.compress_type != zipfile.ZIP_STORED


def _check_member(member: zipfile.ZipInfo, most: int) -> None:
    name, size, kind = member.orig_filename, member.file_size, member.compress_type
    if member.flag_bits & ENCRYPTED_OR_PATCHED:
        raise UserError(f"{name} is encrypted or patched; a scene's members are not.")
    if kind not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise UserError(f"{name} is packed by method {kind}; a scene's members by 0 or 8.")
    if size > most:
        raise UserError(f"{name} says it has {size:,} bytes; there it is at most {most:,}.")
    if kind == zipfile.ZIP_STORED and member.compress_size != size:
        raise UserError(f"{name} is stored in {member.compress_size:,} bytes, but has {size:,}.")


def check_places(members: list[zipfile.ZipInfo], n_bytes: int) -> None:
    """See that members are in the file, and share no bytes: so is much put into a small file."""
    end = 0
    for member in sorted(members, key=lambda member: member.header_offset):
        start, name = member.header_offset, member.orig_filename
        if start < end:
            raise UserError(f"{name[:80]} lies over another member of the file.")
        end = start + _HEADER_BYTES + len(name) + member.compress_size
        if end > n_bytes:
            raise UserError(f"{name[:80]} lies beyond the end of the file.")
