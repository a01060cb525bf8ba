""".npz files: the directory of the zip is checked before it is read, members before use."""

import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

from mhagui.document.archive import DAMAGE, ENCRYPTED_OR_PATCHED, check_places
from mhagui.errors import UserError
from mhagui.sources.entries import Block, Entry, Picks, Stored
from mhagui.sources.npy_files import Header, entry, from_bytes, read_header

MOST_MEMBERS = 20_000
MOST_RATIO = 200  # unpacked to packed bytes: masks and weights deflate to a hundredth at best
_FREE_BYTES = 2**26  # so much may be unpacked whatever the ratio
_END = struct.Struct("<4s4H2LH")
_END64 = struct.Struct("<4sQ2H2L4Q")
_LOCAL = struct.Struct("<26x2H")  # the header of a member: lengths of its name and of extras
_LOCATOR = struct.Struct("<4sLQL")
_MOST_DIRECTORY_BYTES = 512 * MOST_MEMBERS
_DAMAGE = (*DAMAGE, ValueError, struct.error, OSError)  # of files, and members beyond 4 GB


def member_names(path: Path, size: int) -> tuple[str, ...]:
    """Return the names of all members; raises UserError where the directory is not sound."""
    with _opened(path, size) as archive:
        return tuple(archive.namelist())


def npz_entries(path: Path, size: int) -> tuple[Entry, ...]:
    """Return the arrays of the .npz file at ``path``, which has ``size`` bytes, by their order."""
    with _opened(path, size) as archive:
        members = archive.infolist()
        counts = Counter(member.filename for member in members)
        name, count = counts.most_common(1)[0] if members else ("", 0)
        if count > 1:
            raise UserError(f"{path.name} has two members called “{name[:80]}”.")
        check_places(members, size)
        _check_total(path.name, members)
        return tuple(_entry(path, archive, member) for member in members if not member.is_dir())


@contextmanager
def _opened(path: Path, size: int) -> Iterator[zipfile.ZipFile]:
    """Open a zip file whose directory is sound; raises UserError where it is not."""
    with path.open("rb") as file:
        n_members = _checked_end(path.name, file, size)
        try:
            archive = zipfile.ZipFile(file)
        except _DAMAGE as error:
            raise UserError(f"The directory of {path.name} is damaged.") from error
        with archive:
            if len(archive.infolist()) != n_members:
                raise UserError(
                    f"{path.name} has {len(archive.infolist())} members; its end says {n_members}."
                )
            yield archive


def _checked_end(name: str, file: BinaryIO, size: int) -> int:
    """Return how many members the end of the zip file declares, after a look at it."""
    file.seek(max(0, size - _END.size - _LOCATOR.size))
    tail = file.read(_END.size + _LOCATOR.size)
    end = tail[-_END.size :]
    if len(end) < _END.size or not end.startswith(b"PK\x05\x06"):
        raise UserError(f"{name} is a zip file whose end is missing; it may have been cut short.")
    *_, n_members, n_directory, place, _ = _END.unpack(end)
    top = size - _END.size
    if tail.startswith(b"PK\x06\x07") and len(tail) == _END.size + _LOCATOR.size:
        _, _, at, _ = _LOCATOR.unpack_from(tail)
        file.seek(min(at, size))
        record = file.read(_END64.size)
        if len(record) < _END64.size or not record.startswith(b"PK\x06\x06"):
            raise UserError(f"The end of {name} is damaged: it does not fit the rest.")
        *_, n_members, n_directory, place = _END64.unpack(record)
        top = at
    if place + n_directory != top:
        raise UserError(f"The end of {name} is damaged: it does not fit the rest.")
    if n_members > MOST_MEMBERS or n_directory > _MOST_DIRECTORY_BYTES:
        raise UserError(
            f"{name} has {n_members:,} members in a directory of {n_directory:,} bytes; at most "
            f"{MOST_MEMBERS:,} in {_MOST_DIRECTORY_BYTES:,} are read."
        )
    return int(n_members)


def _entry(path: Path, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Entry:
    """Return a member as an entry; one that cannot be read says so itself, the others stay."""
    name = member.filename.removesuffix(".npy")
    try:
        _check_member(name, member)
        with archive.open(member) as file:
            header = read_header(name, file, member.file_size)  # type: ignore[arg-type]
        return entry(name, header, _Packed(path, member, header).take)
    except UserError as error:
        return Entry(name, (), "unknown", member.file_size, str(error))
    except _DAMAGE:
        return Entry(name, (), "unknown", member.file_size, f"{name} cannot be unpacked: damaged.")


def _check_total(name: str, members: list[zipfile.ZipInfo]) -> None:
    """Raise UserError where all members together would unpack to far more than is there."""
    packed = sum(member.compress_size for member in members)
    _check_ratio(name, packed, sum(member.file_size for member in members))


def _check_member(name: str, member: zipfile.ZipInfo) -> None:
    packed, size, kind = member.compress_size, member.file_size, member.compress_type
    if not member.filename.endswith(".npy"):
        raise UserError(f"{name} is no array; a .npz file holds .npy files.")
    if member.flag_bits & ENCRYPTED_OR_PATCHED:
        raise UserError(f"{name} is encrypted or patched; save it with numpy.savez.")
    if kind not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise UserError(f"{name} is packed by method {kind}; save it with numpy.savez.")
    if kind == zipfile.ZIP_STORED and packed != size:
        raise UserError(f"{name} is stored in {packed:,} bytes, but says it has {size:,}.")
    _check_ratio(name, packed, size)


def _check_ratio(name: str, packed: int, size: int) -> None:
    if size > max(_FREE_BYTES, MOST_RATIO * packed):
        raise UserError(
            f"{name} would unpack from {packed:,} to {size:,} bytes, more than {MOST_RATIO} times; "
            "save it with numpy.savez."
        )


class _Packed:
    """The numbers of one member: read where they lie if stored, unpacked once if deflated."""

    def __init__(self, path: Path, member: zipfile.ZipInfo, header: Header) -> None:
        self._path, self._member, self._header = path, member, header

    def take(self, picks: Picks) -> Stored:
        if self._member.compress_type == zipfile.ZIP_STORED:
            return self._block.take(picks)
        return from_bytes(self._header, self._data, picks)

    @cached_property
    def _start(self) -> int:
        """Where the member's bytes begin: behind a header of its own, as long as that says."""
        with self._path.open("rb") as file:
            file.seek(self._member.header_offset)
            local = file.read(_LOCAL.size)
        if len(local) < _LOCAL.size:
            raise UserError(f"{self._path.name} has become shorter since it was looked at.")
        n_name, n_extra = _LOCAL.unpack(local)
        return int(self._member.header_offset + _LOCAL.size + n_name + n_extra)

    @cached_property
    def _block(self) -> Block:
        header = self._header
        start = self._start + header.n_bytes
        return Block(self._path, start, header.dtype, header.shape, header.is_fortran)

    @cached_property
    def _data(self) -> bytes:
        member = self._member
        with self._path.open("rb") as file:
            file.seek(self._start)
            packed = file.read(member.compress_size)
        try:  # never more than was declared
            data = zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, member.file_size)
        except zlib.error as error:
            raise UserError(f"{member.filename} is damaged: it cannot be unpacked.") from error
        if len(data) != member.file_size or zlib.crc32(data) != member.CRC:
            raise UserError(f"{member.filename} is damaged: its checksum or its size is wrong.")
        return data
