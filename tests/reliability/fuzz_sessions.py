"""Open many broken session files, and see that each is refused in a sentence or opens whole.

    .venv/bin/python tests/reliability/fuzz_sessions.py --count 26000

Every file is made of good ones by a seed, and read as the window reads it. It has to open as a
scene that is computed and saved again, or to be refused in one sentence; in little time and memory,
and without a warning. A fault prints its number, which is its seed, and keeps its file; --first
makes it again. A file that hangs the program or brings it down is left where the first line says.
"""

import argparse
import faulthandler
import io
import json
import platform
import random
import re
import shutil
import struct
import sys
import tempfile
import time
import tracemalloc
import warnings
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import numpy as np

from mhagui import __version__
from mhagui.document import (
    Pattern,
    Session,
    compute,
    lesson_names,
    load_lesson,
    read_session,
)
from mhagui.document.edits import MoveHead, SetSequenceLength
from mhagui.document.file_entries import PartEntry, ReadingEntry
from mhagui.document.layer_source import FileMark, LayerSource
from mhagui.document.session_file import session_from_bytes, session_to_bytes, session_to_json
from mhagui.document.weight_edits import to_pattern
from mhagui.errors import UserError

LONGEST_SENTENCE = 600  # characters, behind the path
LONGEST_OPENING = 5.0  # seconds, in which memory is watched, which takes most of them
MOST_MEMORY = 9, 64 * 2**20  # so many times the file, and so many bytes
LONGEST_COMPUTED = 64  # positions of a scene that is computed as well
KEPT = Path(__file__).parents[1] / "data" / "sessions"

Members = list[tuple[str, bytes]]


@dataclass
class Tally:
    """What came of the files of one kind."""

    files: int = 0
    opened: int = 0
    seconds: float = 0.0
    peak: int = 0
    peak_of: int = 0  # bytes of the file that took the most memory


# -------------------------------------------------------------------------------------- good files


def good_files() -> list[bytes]:
    """Return files of every version and form, of scenes with everything that a file can hold."""
    lessons = [load_lesson(name) for name in lesson_names()]
    four, _, content, induction = lessons
    edited = SetSequenceLength(40).apply(MoveHead(1, 2).apply(four))
    for uid, pattern in ((2, Pattern.HAND_SET), (3, Pattern.HAND_SET)):
        edited = to_pattern(compute(edited), uid, pattern).apply(edited)
    projected = to_pattern(compute(content), 1, Pattern.PROJECTED).apply(content)
    layered = to_pattern(compute(induction), 2, Pattern.HAND_SET).apply(induction)
    sessions = [Session.of(scene) for scene in (*lessons, edited, projected, layered)]
    sessions += [replace(sessions[0], path="/home/ada/größe.mhascene", source=made_of())]
    files = [
        write(session) for session in sessions for write in (session_to_bytes, session_to_json)
    ]
    files += [path.read_bytes() for path in sorted(KEPT.iterdir()) if path.suffix != ".md"]
    return files + [
        zipped(members_of(file), zipfile.ZIP_DEFLATED) for file in files if is_zip(file)
    ]


def made_of() -> LayerSource:
    """Return what a scene can have been made of, with all that can be said of it."""
    part = PartEntry(
        role="weights", arrays=("l2", "l7"), layers=(2, 7), steps=(0, 0), axes=("query", "key")
    )
    reading = ReadingEntry(parts=(part,), batch=1, layers=(7,), orientation="in x out", scale=0.5)
    mark = FileMark(98_362_432, "bf0f7d69" * 8)
    return LayerSource(Path("/home/ada/a.gguf"), mark, 7, "Mary and\nJohn", reading)


def is_zip(data: bytes) -> bool:
    """Say whether a good file is a zip file."""
    return data.startswith(b"PK")


def members_of(data: bytes) -> Members:
    """Return the members of a good zip file."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return [(name, archive.read(name)) for name in archive.namelist()]


def matrix_of(dice: random.Random, files: list[bytes]) -> tuple[Members, int]:
    """Return the members of a good zip file, and the place of one that is a matrix."""
    members = members_of(dice.choice([file for file in files if is_zip(file)]))
    return members, dice.choice([n for n, (name, _) in enumerate(members) if name.endswith("npy")])


def zipped(members: Members, method: int = zipfile.ZIP_STORED) -> bytes:
    """Return a zip file of ``members``, whose sizes and checksums are right."""
    file = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(file, "w") as archive:
        warnings.simplefilter("ignore")  # of names that come twice
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name), content, method)
    return file.getvalue()


# ------------------------------------------------------------------------------- what is done to it


def flip(dice: random.Random, files: list[bytes]) -> bytes:
    """Change a few bytes."""
    content = bytearray(dice.choice(files))
    for _ in range(dice.choice([1, 1, 2, 8, 64])):
        content[dice.randrange(len(content))] ^= 1 << dice.randrange(8)
    return bytes(content)


def cut(dice: random.Random, files: list[bytes]) -> bytes:
    """Leave out the end, the start, or something between."""
    content = dice.choice(files)
    first, last = sorted(dice.randrange(len(content) + 1) for _ in range(2))
    return dice.choice([content[:last], content[first:], content[:first] + content[last:]])


def insert(dice: random.Random, files: list[bytes]) -> bytes:
    """Put random bytes, zeros or a part of the file itself somewhere."""
    content, length = dice.choice(files), dice.choice([1, 4, 22, 500])
    at, start = dice.randrange(len(content)), dice.randrange(len(content))
    more = [dice.randbytes(length), bytes(length), content[start : start + length]]
    return content[:at] + dice.choice(more) + content[at:]


def splice(dice: random.Random, files: list[bytes]) -> bytes:
    """Join the start of one file to the end of another."""
    one, other = dice.choice(files), dice.choice(files)
    return one[: dice.randrange(len(one))] + other[dice.randrange(len(other)) :]


def scatter(dice: random.Random, files: list[bytes]) -> bytes:
    """Change the text of a file as text: its signs, words and numbers."""
    text = dice.choice([file for file in files if not is_zip(file)])
    for _ in range(dice.choice([1, 1, 2, 5])):
        found = dice.choice(list(re.finditer(rb'[][{},:]|"[^"\n]*"|[-+.\w]+', text)))
        text = text[: found.start()] + dice.choice(SCRAPS) + text[found.end() :]
    return text


def edit_text(dice: random.Random, files: list[bytes]) -> bytes:
    """Change fields of a file that is JSON text."""
    text = dice.choice([file for file in files if not is_zip(file)])
    return edited(dice, text)


def edit_zipped_text(dice: random.Random, files: list[bytes]) -> bytes:
    """Change fields of the text in a zip file, whose checksums are made anew."""
    members = members_of(dice.choice([file for file in files if is_zip(file)]))
    return zipped([(n, edited(dice, c) if n == "scene.json" else c) for n, c in members])


def edit_header(dice: random.Random, files: list[bytes]) -> bytes:
    """Change the header of a matrix, or how many numbers follow it."""
    members, place = matrix_of(dice, files)
    name, content = members[place]
    header, numbers = content[10:128], content[128:]
    for _ in range(dice.choice([0, 1, 1, 2])):
        found = dice.choice(list(re.finditer(rb"\d+|'[^']*'|False|[(){},:]| +|\n", header)))
        header = header[: found.start()] + dice.choice(HEADER_SCRAPS) + header[found.end() :]
    numbers = dice.choice([numbers, numbers, numbers[:-8], numbers[:-1], numbers * 2, b""])
    length = dice.choice([len(header)] * 8 + [0, 2**16 - 1, dice.randrange(2**16)])
    magic = dice.choice([content[:8]] * 8 + [b"\x93NUMPY\2\0", b"\x93NUMPY\1\1", dice.randbytes(8)])
    members[place] = name, magic + struct.pack("<H", min(length, 2**16 - 1)) + header + numbers
    return zipped(members)


def edit_numbers(dice: random.Random, files: list[bytes]) -> bytes:
    """Change numbers of matrices to what few or none can be."""
    members, place = matrix_of(dice, files)
    name, content = members[place]
    numbers = np.frombuffer(content, "<f8", offset=128).copy()
    numbers[dice.randrange(len(numbers))] = dice.choice(
        [np.nan, np.inf, -np.inf, 1e300, 1e30, -0.0, 5e-324, 2.0**53, dice.gauss(0, 1)]
    )
    members[place] = name, content[:128] + numbers.tobytes()
    return zipped(members)


def edit_members(dice: random.Random, files: list[bytes]) -> bytes:
    """Rename, leave out, repeat, exchange, blow up or pack otherwise the members of a zip file."""
    members = members_of(dice.choice([file for file in files if is_zip(file)]))
    one, other = (dice.randrange(len(members)) for _ in range(2))
    (name, content), (_, another) = members[one], members[other]
    members[one : one + 1] = dice.choice(
        [
            [],
            [(name, content), (name, another)],
            [(name, another)],
            [(name, bytes(dice.choice([10**3, 10**6, 10**7])))],
            [(dice.choice(NAMES), content)],
            [(name, content), (dice.choice(NAMES), another)],
            [
                (name, content),
                *((f"arrays/m{n}.npy", content) for n in range(dice.choice([9, 300]))),
            ],
            [(name, content)],
        ]
    )
    return zipped(members, dice.choice([0, 0, 8, 8, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]))


def edit_directory(dice: random.Random, files: list[bytes]) -> bytes:
    """Change the numbers in the directory of a zip file, or in a member's own header."""
    content = bytearray(dice.choice([file for file in files if is_zip(file)]))
    for _ in range(dice.choice([1, 1, 2, 4])):
        starts = [
            found.start() for found in re.finditer(rb"PK(\x01\x02|\x03\x04|\x05\x06)", content)
        ]
        at = dice.choice(starts or [0]) + dice.randrange(4, 46)
        number = dice.choice([0, 1, 2, 8, 2**15, 2**16 - 1, dice.randrange(2**16)])
        content[at : at + 2] = struct.pack("<H", number)
    return bytes(content)


def edit_extra(dice: random.Random, files: list[bytes]) -> bytes:
    """Give a member another size or place, or name, as large files and other systems have it."""
    members = members_of(dice.choice([file for file in files if is_zip(file)]))
    chosen, file = dice.choice(members)[0], io.BytesIO()
    numbers = [dice.choice([0, 1, 200, 2**31, 2**32, 2**63 - 1, 2**63, 2**64 - 1]) for _ in "123"]
    more = struct.pack("<QQQ", *numbers)[: dice.choice([0, 7, 8, 16, 24])]
    more = dice.choice(
        [more, more, more, dice.randbytes(12), b"\1" + dice.randbytes(4) + b"scene.json"]
    )
    length = dice.choice([len(more)] * 8 + [0, 2**16 - 1])
    extra = struct.pack("<HH", dice.choice([1, 1, 1, 0x7075, 0x9901]), length) + more
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members:
            member = zipfile.ZipInfo(name)
            member.extra = extra if name == chosen else b""
            archive.writestr(member, content)
    content = bytearray(file.getvalue())
    entry = content.rindex(chosen.encode()) - 46
    for field in dice.sample([20, 24, 42], dice.randrange(4)):  # sizes and place, then in the extra
        content[entry + field : entry + field + 4] = b"\xff" * 4
    return bytes(content)


def squeeze(dice: random.Random, files: list[bytes]) -> bytes:
    """Put another stream where a member was deflated: random, cut short, or one that never ends."""
    content = dice.choice([bytes(10**7), dice.randbytes(300), b'{"a":' * 200_000])
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    stream = packer.compress(content) + packer.flush(
        dice.choice([zlib.Z_FINISH, zlib.Z_SYNC_FLUSH])
    )
    stream = dice.choice([stream, stream[: len(stream) // 2], dice.randbytes(200)])
    name = dice.choice([b"scene.json", b"arrays/w_o.npy"])
    sums = struct.pack("<LLL", zlib.crc32(content), len(stream), dice.choice([len(content), 1000]))
    common = struct.pack("<HHHHH", 20, 0, 8, 0, 33) + sums + struct.pack("<HH", len(name), 0)
    member = b"PK\3\4" + common + name + stream
    entry = b"PK\1\2" + struct.pack("<H", 20) + common + struct.pack("<HHHLL", 0, 0, 0, 0, 0) + name
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, len(entry), len(member), 0)
    return member + entry + end


KINDS: tuple[Callable[[random.Random, list[bytes]], bytes], ...] = (
    flip, cut, insert, splice, scatter, edit_text, edit_zipped_text, edit_header, edit_numbers,
    edit_members, edit_directory, edit_extra, squeeze,
)  # fmt: skip

SCRAPS = (
    b"", b"[", b"]", b"{", b"}", b",", b":", b'"', b'""', b"null", b"true", b"-1", b"1e400", b"NaN",
    b"-Infinity", b"9" * 400, b"9" * 5000, b"1.0", b'"\\ud800"', b'"\\u0000"', b"\xff", b"[[",
    b"[]", b"{}", b"'", b"\\", b"\n", b"[" * 3000, b'"version"', b'"x"', b"4097", b"0.5",
    b"\xf0\x9f\x98\x80",
)  # fmt: skip
HEADER_SCRAPS = (
    b"", b"0", b"1", b"-1", b"4096", b"256", b"1048576", b"1099511627776", b"9" * 200, b"1L",
    b"1.0", b"True", b"None", b"'<f4'", b"'>f8'", b"'|O'", b"'<c16'", b"'<M8[s]'", b"'descr'", b"(",
    b")", b"{", b"(" * 300, b"__import__('os').abort()", b"\xff", b" " * 600, b"\n",
    b"[('a', '<f8')]",
)  # fmt: skip
NAMES = (
    "../w_o.npy", "/etc/passwd", "C:w_o.npy", "arrays\\w_o.npy", "arrays/", "arrays/w_o.npy", "",
    "scene.json", "Scene.json", "arrays/a.npy", "arrays/größe.npy", "x" * 5000, "a\nb", ".",
)  # fmt: skip


def edited(dice: random.Random, text: bytes) -> bytes:
    """Return JSON ``text`` in which a few fields are others, missing or more."""
    document = json.loads(text)
    for _ in range(dice.choice([1, 1, 2, 4])):
        holder, key = dice.choice(list(places(document)))
        value = dice.choice([*VALUES, holder[key], text.decode(), [holder[key]] * 40])
        change = dice.choice(["set"] * 6 + ["drop", "add"])
        if change == "drop":
            del holder[key]
        elif change == "set" or isinstance(holder, list):
            holder[key] = value
        else:
            holder[dice.choice(FIELDS)] = value
    return json.dumps(document, ensure_ascii=dice.random() < 0.5).encode(errors="replace")


def places(value: object) -> list[tuple[dict | list, str | int]]:
    """Return every place in a document, and of long lists the first few alone."""
    found: list[tuple[dict | list, str | int]] = []
    keys = list(value) if isinstance(value, dict) else range(min(len(value), 4))
    for key in keys:
        found.append((value, key))
        if isinstance(value[key], dict | list):
            found += places(value[key])
    return found or [({"": 0}, "")]


VALUES = (
    None, True, False, 0, 1, -1, 2, 3, 4, 5, 32, 33, 64, 65, 256, 257, 4096, 4097, 2**31, 2**63,
    2**64, 10**400, -(10**4000), 0.5, -0.0, 1e-320, 1e30, 1e31, 1e308, float("nan"), float("inf"),
    "", " ", "a", "self", "projected", "hand-set", "delay", "x" * 200, "x" * 5000, "\0", "a\nb",
    "\x1b[2J", "größe", "\u202e", "😀" * 20, "\ud800", "arrays/w_o.npy", "arrays/none.npy",
    "scene.json", "../x", [], {}, [[]], [[0]], [[0, 0]], [1], [None], ["a"], [[1e400]], [[[1]]],
    {"uid": 1}, {"a": {"b": {}}}, [[0] * 300], [[0]] * 5000, ["a"] * 5000, [0.5] * 3,
)  # fmt: skip
FIELDS = (
    "x", "q", "k", "w_q", "w_k", "uid", "view", "source", "tokens", "vocabulary", "app",
    "belongs_to", "position_code", "pair", "what_if", "enlarged", "settings", "transition",
    "colour", "", "version",
)  # fmt: skip


# ----------------------------------------------------------------------------------- what must hold


def opened(path: Path) -> bool:
    """Say whether the file opens; AssertionError unless all is as it has to be."""
    try:
        session = read_session(path)
    except UserError as error:
        check_sentence(str(error).replace(str(path), ""))
        return False
    for write in (session_to_bytes, session_to_json):
        assert session_from_bytes(write(session)) == session, "is another when saved and opened"
    if session.scene.n_positions <= LONGEST_COMPUTED:
        assert np.isfinite(compute(session.scene).output).all(), "has an output that is not finite"
    return True


def check_sentence(sentence: str) -> None:
    """Raise AssertionError unless what is said is one sentence, on one line, of some length."""
    assert sentence.isprintable(), f"says more than a line: {sentence!r}"
    assert 10 < len(sentence) < LONGEST_SENTENCE, f"says too much, or nothing: {sentence!r}"
    assert re.search(r"[^.]\.$", sentence), f"says no sentence: {sentence!r}"


def measured(path: Path, tally: Tally) -> None:
    """Open the file, and add what came of it; AssertionError where it took too much."""
    size = path.stat().st_size
    tracemalloc.reset_peak()
    before, began = tracemalloc.get_traced_memory()[0], time.perf_counter()
    faulthandler.dump_traceback_later(4 * LONGEST_OPENING, exit=True)
    try:
        tally.opened += opened(path)
    finally:
        faulthandler.cancel_dump_traceback_later()
    seconds, peak = time.perf_counter() - began, tracemalloc.get_traced_memory()[1] - before
    tally.files += 1
    tally.seconds = max(tally.seconds, seconds)
    if peak > tally.peak:
        tally.peak, tally.peak_of = peak, size
    factor, constant = MOST_MEMORY
    assert peak < factor * size + constant, f"takes {peak:,} bytes of memory for {size:,} of file"
    assert seconds < LONGEST_OPENING, f"takes {seconds:.1f} s"


def run(first: int, count: int, folder: Path) -> tuple[dict[str, Tally], int]:
    """Open ``count`` broken files, from the one of number ``first``; return what came of them."""
    files, path = good_files(), folder / "broken.mhascene"
    tallies, n_faults = {kind.__name__: Tally() for kind in KINDS}, 0
    print(f"the file that is being opened: {path}", flush=True)
    tracemalloc.start()
    for number in range(first, first + count):
        kind = KINDS[number % len(KINDS)]
        path.write_bytes(kind(random.Random(number), files))
        try:
            measured(path, tallies[kind.__name__])
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
            n_faults += 1
            kept = path.replace(folder / f"fault-{number}-{kind.__name__}")
            print(f"FAULT: {kept}: {type(error).__name__}: {error}", flush=True)
    tracemalloc.stop()
    return tallies, n_faults


def table(tallies: dict[str, Tally]) -> str:
    """Return what came of the files as a table."""
    lines = [
        "| What is done | Files | Refused | Opened | Longest (ms) | Peak (kB) | of a file (kB) |"
    ]
    lines += ["| --- " + "| ---: " * 6 + "|"]
    for name, tally in sorted(tallies.items()):
        counts = tally.files, tally.files - tally.opened, tally.opened
        sizes = tally.peak // 1024, tally.peak_of / 1024
        numbers = "{:,} | {:,} | {:,} | {:.0f} | {:,} | {:,.1f}".format(
            *counts, 1000 * tally.seconds, *sizes
        )
        lines.append(f"| {name.replace('_', ' ')} | {numbers} |")
    return "\n".join(lines)


def main() -> int:
    """Run, print what came of it, and give 1 when there was a fault."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=20_000, help="how many files")
    parser.add_argument("--first", type=int, default=0, help="number of the first one, its seed")
    options = parser.parse_args()
    warnings.simplefilter("error")
    folder, began = Path(tempfile.mkdtemp(prefix="mhagui-fuzz-")), time.perf_counter()
    tallies, n_faults = run(options.first, options.count, folder)
    if not n_faults:
        shutil.rmtree(folder)
    n_opened = sum(tally.opened for tally in tallies.values())
    print(table(tallies))
    print(
        f"{options.count:,} files, numbers from {options.first:,}: {n_opened:,} opened, {n_faults} "
        f"faults, the others refused; {time.perf_counter() - began:.0f} s. mhagui {__version__}, "
        f"{platform.python_implementation()} {platform.python_version()}, NumPy {np.__version__}, "
        f"msgspec {msgspec.__version__}, zlib {zlib.ZLIB_RUNTIME_VERSION}, {sys.platform}."
    )
    return int(n_faults > 0)


if __name__ == "__main__":
    raise SystemExit(main())
