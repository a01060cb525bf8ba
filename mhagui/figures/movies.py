"""Frames as animated PNG, GIF and MP4: each frame is written by itself, so that none is held."""

import importlib
import io
import shutil
import struct
import subprocess
import tempfile
import zlib
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import numpy as np
import numpy.typing as npt

from mhagui import __version__
from mhagui.document.provenance import KEYWORD
from mhagui.errors import UserError
from mhagui.figures.style import MM_PER_INCH

Pixels = npt.NDArray[np.uint8]
Indices = npt.NDArray[np.uint8]
Area = tuple[slice, slice]
Chunk = tuple[bytes, bytes]

NO_FFMPEG = (
    "An MP4 is written by ffmpeg, and there is none here; install ffmpeg, or the Python package "
    "imageio-ffmpeg."
)
_COLOURS = 256
_EXACT_COLOURS = 128  # of the palette of a GIF: those of the largest areas, which are left as is
_METRE = 1000 / MM_PER_INCH  # in inches


@dataclass(eq=False)
class Reel:
    """Frames of one size, packed, and how they are shown.

    Attributes
    ----------
    order
        Which of the frames, from 0, are shown one after the other.
    fps, loop
        How many of them in a second, and whether they begin again for ever.
    dpi, title, provenance
        What the file says of itself; the last as ``provenance_to_text`` has it, MP4s do not.
    has_alpha
        Whether frames can be transparent.
    size
        Width and height in pixels, those of the first frame.
    """

    order: list[int]
    fps: int
    loop: bool
    dpi: int
    title: str
    provenance: str
    has_alpha: bool
    size: tuple[int, int] = (0, 0)
    _packed: list[bytes] = field(default_factory=list, repr=False)

    def add(self, pixels: Pixels) -> None:
        """Append a frame, (height, width, 4) RGBA."""
        size = pixels.shape[1], pixels.shape[0]
        self.size = size if not self._packed else self.size
        assert size == self.size, "every frame is drawn on a page of one size"
        # What is drawn is mostly flat: it takes a hundredth of the room, and little time.
        self._packed.append(zlib.compress(np.ascontiguousarray(pixels).tobytes(), 1))

    def repeat(self, number: int) -> None:
        """Append frame ``number``, from 0, once more."""
        self._packed.append(self._packed[number])

    def shown(self) -> Iterator[Pixels]:
        """Yield the frames as they are shown, (height, width, 4) RGBA."""
        yield from map(self._frame, self.order)

    def opaque(self) -> Iterator[Pixels]:
        """Yield the frames as they are shown, (height, width, 3) RGB, on white if need be."""
        yield from map(self._opaque, self.shown())

    def opaque_once(self) -> Iterator[Pixels]:
        """Yield every frame once, as ``opaque`` does."""
        yield from map(self._opaque, map(self._frame, range(len(self._packed))))

    def _frame(self, number: int) -> Pixels:
        width, height = self.size
        data = zlib.decompress(self._packed[number])
        return np.frombuffer(data, np.uint8).reshape(height, width, 4)

    def _opaque(self, pixels: Pixels) -> Pixels:
        if not self.has_alpha:
            return pixels[..., :3]
        alpha = pixels[..., 3:] / np.float32(255)
        return np.rint(pixels[..., :3] * alpha + 255 * (1 - alpha)).astype(np.uint8)


def _changed(now: npt.NDArray[np.integer], before: npt.NDArray[np.integer] | None) -> Area:
    """Return where two frames differ: the smallest rectangle, of at least one pixel."""
    if before is None:
        return slice(0, now.shape[0]), slice(0, now.shape[1])
    differs = now != before
    rows, columns = np.flatnonzero(differs.any(axis=1)), np.flatnonzero(differs.any(axis=0))
    if not rows.size:
        return slice(0, 1), slice(0, 1)
    return slice(int(rows[0]), int(rows[-1]) + 1), slice(int(columns[0]), int(columns[-1]) + 1)


# ------------------------------------------------------------------------------------ animated PNG


def write_apng(reel: Reel) -> Generator[bytes]:
    """Yield an animated PNG piece by piece, one a frame; later frames hold what has changed."""
    before, sequence = None, 0
    for pixels in reel.shown():
        words = pixels.view("<u4")[..., 0]
        area = _changed(words, before)
        chunks = list(_png_chunks(pixels[area], reel, is_first=before is None))
        data = [data for name, data in chunks if name == b"IDAT"]
        control = _frame_control(sequence, area, reel.fps)
        if before is None:
            head = [_chunk(*chunk) for chunk in chunks if chunk[0] not in (b"IDAT", b"IEND")]
            plays = struct.pack(">II", len(reel.order), 0 if reel.loop else 1)
            yield b"".join([
                b"\x89PNG\r\n\x1a\n", *head, _chunk(b"acTL", plays), control,
                *(_chunk(b"IDAT", part) for part in data),
            ])  # fmt: skip
            sequence += 1
        else:
            numbered = enumerate(data, start=sequence + 1)
            parts = [_chunk(b"fdAT", struct.pack(">I", at) + part) for at, part in numbered]
            yield b"".join([control, *parts])
            sequence += 1 + len(parts)
        before = words
    yield _chunk(b"IEND", b"")


def _png_chunks(pixels: Pixels, reel: Reel, *, is_first: bool) -> Iterator[Chunk]:
    """Yield the chunks of one frame as a PNG file; the first says what the whole is."""
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    about, options = PngInfo(), {}
    if is_first:
        about.add_text("Title", reel.title)
        about.add_text("Software", f"mhagui {__version__}")
        about.add_itxt(KEYWORD, reel.provenance)
        options["dpi"] = (reel.dpi, reel.dpi)
    file = io.BytesIO()
    image = Image.fromarray(np.ascontiguousarray(pixels if reel.has_alpha else pixels[..., :3]))
    image.save(file, "PNG", pnginfo=about, **options)
    data, at = file.getbuffer(), 8
    while at < len(data):
        (length,) = struct.unpack_from(">I", data, at)
        yield bytes(data[at + 4 : at + 8]), bytes(data[at + 8 : at + 8 + length])
        at += length + 12


def _frame_control(sequence: int, area: Area, fps: int) -> bytes:
    rows, columns = area
    width, height = columns.stop - columns.start, rows.stop - rows.start
    numbers = (sequence, width, height, columns.start, rows.start, 1, fps, 0, 0)
    return _chunk(b"fcTL", struct.pack(">IIIIIHHBB", *numbers))


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


# --------------------------------------------------------------------------------------------- GIF


def write_gif(reel: Reel) -> Generator[bytes]:
    """Yield a GIF piece by piece, one a frame, all of them in the colours of one palette.

    Nothing is dithered: what stands still does not flicker.
    """
    from PIL import Image
    from PIL.GifImagePlugin import getdata, getheader

    palette, index_of = _palette(reel)
    before: Indices | None = None
    for number, pixels in enumerate(reel.opaque()):
        indices: Indices = index_of[_packed(pixels)]
        area = _changed(indices, before)
        part = np.ascontiguousarray(indices[area])
        image = Image.frombytes("P", part.shape[::-1], part.tobytes())
        image.putpalette(palette)
        pieces = []
        if before is None:
            about: dict[str, object] = {"comment": reel.provenance}
            pieces = getheader(image, info=about | ({"loop": 0} if reel.loop else {}))[0]
        milliseconds = 10 * (_hundredths(number + 1, reel.fps) - _hundredths(number, reel.fps))
        offset = area[1].start, area[0].start
        yield b"".join([*pieces, *getdata(image, offset, duration=milliseconds, disposal=1)])
        before = indices
    yield b";"


def _hundredths(number: int, fps: int) -> int:
    """Return when frame ``number`` begins, in hundredths of a second."""
    return round(100 * number / fps)


def _packed(pixels: Pixels) -> npt.NDArray[np.uint32]:
    """Return RGB as one number each."""
    red, green, blue = (pixels[..., band].astype(np.uint32) for band in range(3))
    return (red << 16 | green << 8 | blue).astype(np.uint32)


def _unpacked(colours: npt.NDArray[np.uint32]) -> Pixels:
    return np.stack([colours >> 16, colours >> 8, colours], axis=-1).astype(np.uint8)


def _palette(reel: Reel) -> tuple[bytes, Indices]:
    """Return a palette for all frames, RGB, and for each of the 2²⁴ colours its place in there."""
    areas = np.zeros(1 << 24, np.int64)
    for pixels in reel.opaque_once():
        colours, counts = np.unique(_packed(pixels), return_counts=True)
        areas[colours] += counts
    colours = np.flatnonzero(areas).astype(np.uint32)
    by_area = colours[np.argsort(-areas[colours], kind="stable")]
    chosen = _unpacked(by_area)
    if len(chosen) > _COLOURS:
        rest = _summed_up(by_area[_EXACT_COLOURS:], areas, _COLOURS - _EXACT_COLOURS)
        chosen = np.concatenate([chosen[:_EXACT_COLOURS], rest])
    index_of = np.zeros(1 << 24, np.uint8)
    for part in np.array_split(colours, len(colours) // 4096 + 1):  # for the sake of memory
        apart = _unpacked(part)[:, None].astype(np.int32) - chosen[None].astype(np.int32)
        index_of[part] = (apart**2).sum(axis=-1).argmin(axis=1)
    return chosen.tobytes(), index_of


def _summed_up(
    colours: npt.NDArray[np.uint32], areas: npt.NDArray[np.int64], n_colours: int
) -> Pixels:
    """Return ``n_colours`` that stand for ``colours``; large areas count more, but not by much."""
    from PIL import Image

    weights = 1 + np.log2(areas[colours]).astype(int)
    image = Image.fromarray(np.repeat(_unpacked(colours), weights, axis=0)[None])
    few = image.quantize(n_colours, Image.Quantize.MEDIANCUT).getpalette() or []
    return np.array(few, np.uint8).reshape(-1, 3)[:n_colours]


# --------------------------------------------------------------------------------------------- MP4


def check_writable(kind: str) -> None:
    """Raise UserError, which says what to install, where films of ``kind`` cannot be written."""
    if kind == "mp4":
        find_ffmpeg()


def find_ffmpeg() -> str:
    """Return the path of ffmpeg: the system's, or else that of the package imageio-ffmpeg.

    Raises UserError that says what to install where there is none.
    """
    found = shutil.which("ffmpeg")
    if found:
        return found
    try:
        path: str = importlib.import_module("imageio_ffmpeg").get_ffmpeg_exe()
    except (ImportError, RuntimeError):  # the package, or the program in it, is missing
        raise UserError(NO_FFMPEG) from None
    return path


def write_mp4(reel: Reel) -> Generator[bytes]:
    """Yield nothing for each frame that ffmpeg has taken, and then the whole MP4.

    Who stops before the end ends ffmpeg, and has its file removed.
    """
    with tempfile.TemporaryDirectory(prefix="mhagui-") as folder:
        path, errors = Path(folder) / "film.mp4", Path(folder) / "errors"
        with errors.open("wb") as told:
            yield from _feed(reel, path, told)
        yield path.read_bytes()


def _feed(reel: Reel, path: Path, told: IO[bytes]) -> Iterator[bytes]:
    # A pipe for what it tells would fill up while nobody reads it.
    process = subprocess.Popen(
        _command(reel, path),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=told,
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    )
    assert process.stdin is not None
    try:
        for pixels in reel.opaque():
            process.stdin.write(_even(pixels).tobytes())
            yield b""
        process.stdin.close()
        failed = process.wait() != 0
    except OSError:  # it has gone
        failed = True
    finally:
        process.kill()
        process.wait()
        with suppress(OSError):  # what is still in it has nobody to go to
            process.stdin.close()
    if failed:
        raise UserError(f"ffmpeg could not write the MP4: {_last_line(Path(told.name))}")


def _command(reel: Reel, path: Path) -> list[str]:
    width, height = (side + side % 2 for side in reel.size)
    return [
        find_ffmpeg(), "-hide_banner", "-loglevel", "error", "-y",
        "-f", "rawvideo", "-pixel_format", "rgb24", "-video_size", f"{width}x{height}",
        "-framerate", str(reel.fps), "-i", "pipe:0",
        # The matrix is that of HDTV, and said so: players take it for that at such sizes.
        "-vf", "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p",
        "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709",
        "-color_range", "tv", "-c:v", "libx264", "-preset", "medium", "-crf", "14",
        "-tune", "animation", "-movflags", "+faststart",
        "-fflags", "+bitexact", "-flags:v", "+bitexact", "-map_metadata", "-1",
        "-metadata", f"title={reel.title}", "-metadata", f"comment=mhagui {__version__}",
        str(path),
    ]  # fmt: skip


def _even(pixels: Pixels) -> Pixels:
    """Return a frame with sides that are even, as H.264 has them: the last row or column again."""
    height, width, _ = pixels.shape
    return np.pad(pixels, ((0, height % 2), (0, width % 2), (0, 0)), mode="edge")


def _last_line(path: Path) -> str:
    lines = path.read_text("utf-8", errors="replace").split("\n")
    said = [line.strip() for line in lines if line.strip()]
    return said[-1] if said else "it gave no reason."


WRITERS: dict[str, Callable[[Reel], Generator[bytes]]] = {
    "apng": write_apng,
    "gif": write_gif,
    "mp4": write_mp4,
}
