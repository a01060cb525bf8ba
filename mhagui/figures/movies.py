"""Frames as animated PNG and GIF, which Pillow writes, and as MP4, which ffmpeg does."""

import importlib
import io
import shutil
import subprocess
import tempfile
import zlib
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mhagui import __version__
from mhagui.document.provenance import KEYWORD
from mhagui.errors import UserError
from mhagui.files import sweep_folders

if TYPE_CHECKING:
    from PIL.Image import Image

Pixels = npt.NDArray[np.uint8]

NO_FFMPEG = (
    "An MP4 is written by ffmpeg, and there is none here; install ffmpeg, or the Python package "
    "imageio-ffmpeg."
)
_COLOURS = 256  # of a GIF
_FOLDER = "mhagui-film-"  # how the names of temporary folders begin


class Packed(NamedTuple):
    """An image, packed: what is drawn is mostly flat, and takes a hundredth of the room."""

    shape: tuple[int, ...]
    data: bytes

    @classmethod
    def of(cls, pixels: Pixels) -> "Packed":
        """Pack ``pixels``, (height, width, 4) RGBA."""
        return cls(pixels.shape, zlib.compress(np.ascontiguousarray(pixels).tobytes(), 1))

    def pixels(self) -> Pixels:
        """Return what was packed; read-only."""
        return np.frombuffer(zlib.decompress(self.data), np.uint8).reshape(self.shape)


@dataclass(eq=False)
class Reel:
    """Frames of one size, packed, and how they are shown; to iterate gives them as images.

    Attributes
    ----------
    order
        Which of the frames, from 0, are shown one after the other.
    fps, loop
        How many of them in a second, and whether they begin again for ever.
    dpi, title, provenance
        What the file says of itself; the last as ``provenance_to_text`` has it.
    has_alpha
        Whether frames can be transparent.
    """

    order: list[int]
    fps: int
    loop: bool
    dpi: int
    title: str
    provenance: str
    has_alpha: bool
    _packed: list[Packed] = field(default_factory=list, repr=False)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels of its frames, of which there is one at least."""
        height, width, _ = self._packed[0].shape
        return width, height

    def add(self, pixels: Pixels) -> None:
        """Append a frame, (height, width, 4) RGBA."""
        self._packed.append(Packed.of(pixels))
        assert self._packed[-1].shape == self._packed[0].shape, "frames are drawn on one page"

    def repeat(self, number: int) -> None:
        """Append frame ``number``, from 0, once more."""
        self._packed.append(self._packed[number])

    def shown(self) -> Iterator[Pixels]:
        """Yield the frames as they are shown, (height, width, 4) RGBA."""
        for number in self.order:
            yield self._packed[number].pixels()

    def opaque(self) -> Iterator[Pixels]:
        """Yield the frames as they are shown, (height, width, 3) RGB, on white if need be."""
        for pixels in self.shown():
            if self.has_alpha:
                alpha = pixels[..., 3:] / np.float32(255)
                yield np.rint(pixels[..., :3] * alpha + 255 * (1 - alpha)).astype(np.uint8)
            else:
                yield np.ascontiguousarray(pixels[..., :3])

    def __iter__(self) -> "Iterator[Image]":
        """Yield the frames as they are shown: RGBA if they can be transparent, else RGB."""
        from PIL import Image

        yield from map(Image.fromarray, self.shown() if self.has_alpha else self.opaque())


# ---------------------------------------------------------------------------- animated PNG and GIF


def write_apng(reel: Reel) -> Generator[bytes]:
    """Yield an animated PNG; a frame like the one before makes that one last longer."""
    from PIL.PngImagePlugin import PngInfo

    about = PngInfo()
    about.add_text("Title", reel.title)
    about.add_text("Software", f"mhagui {__version__}")
    about.add_itxt(KEYWORD, reel.provenance)
    file = io.BytesIO()
    next(iter(reel)).save(
        file,
        "PNG",
        save_all=True,
        append_images=replace(reel, order=reel.order[1:]),  # Pillow goes through them twice
        duration=1000 / reel.fps,
        loop=0 if reel.loop else 1,
        dpi=(reel.dpi, reel.dpi),
        pnginfo=about,
    )
    yield file.getvalue()


def write_gif(reel: Reel) -> Generator[bytes]:
    """Yield a GIF; a frame like the one before makes that one last longer.

    All frames are in the colours of one palette, and nothing is dithered: what stands still does
    not flicker.
    """
    frames = _in_few_colours(reel)
    begins = [round(100 * number / reel.fps) for number in range(len(reel.order) + 1)]
    file = io.BytesIO()
    next(frames).save(
        file,
        "GIF",
        save_all=True,
        append_images=frames,
        duration=[10 * (end - begin) for begin, end in pairwise(begins)],  # in whole hundredths
        comment=reel.provenance,
        **({"loop": 0} if reel.loop else {}),
    )
    yield file.getvalue()


def _in_few_colours(reel: Reel) -> "Iterator[Image]":
    """Yield the frames as they are shown, with one palette."""
    from PIL import Image

    areas = Counter[Any]()
    for image in map(Image.fromarray, reel.opaque()):
        for area, colour in image.getcolors(image.width * image.height) or ():
            areas[colour] += area
    colours = np.array(sorted(areas), np.uint8)
    share = np.array([areas[colour] for colour in sorted(areas)]) / len(reel.order)
    # Large areas count more, but not so much that letters have no colours left.
    weights = np.ceil(share**0.75).astype(int)
    sample = Image.fromarray(np.repeat(colours, weights, axis=0)[None])
    few = sample.quantize(_COLOURS, Image.Quantize.MEDIANCUT, kmeans=1)
    place = np.zeros((256, 256, 256), np.uint8)  # in the palette
    place[tuple(colours.T)] = np.asarray(few)[0, np.cumsum(weights) - 1]
    for pixels in reel.opaque():
        image = Image.frombytes("P", reel.size, place[tuple(np.moveaxis(pixels, -1, 0))].tobytes())
        image.putpalette(few.getpalette() or ())
        yield image


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
    with tempfile.TemporaryDirectory(prefix=_FOLDER) as folder:
        sweep_folders(Path(folder).parent, _FOLDER)
        path, errors = Path(folder) / "film.mp4", Path(folder) / "errors"
        with errors.open("wb") as told:
            yield from _feed(reel, path, told)
        yield path.read_bytes()


def _feed(reel: Reel, path: Path, told: IO[bytes]) -> Iterator[bytes]:
    try:  # a pipe for what it tells would fill up while nobody reads it
        process = subprocess.Popen(
            _command(reel, path),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=told,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except OSError as error:  # it is no program of this machine, say
        raise UserError(f"ffmpeg cannot be started: {error.strerror}.") from error
    assert process.stdin is not None
    try:
        for pixels in reel.opaque():
            process.stdin.write(_even(pixels).tobytes())
            yield b""
        process.stdin.close()
        failed = process.wait() != 0 or not path.is_file()
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
        "-metadata", f"description={reel.provenance}",
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
