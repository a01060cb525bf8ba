"""Films of a figure: each frame is that figure, and every program sees the same ones."""

import io
import os
import re
import subprocess
import sys
import tempfile
from hashlib import sha256

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from msgspec.structs import replace
from PIL import Image

from mhagui import figures
from mhagui.document import compute, lesson_names, load_lesson
from mhagui.document.edits import HandSet, SetSequenceLength, set_gain
from mhagui.document.provenance import provenance_of_file, provenance_to_text
from mhagui.document.session import Session
from mhagui.document.session_file import session_to_bytes
from mhagui.errors import UserError
from mhagui.figures import FigureStyle, Subject, motion, movies
from mhagui.figures.motion import Film, animate
from mhagui.figures.saving import provenance_of
from mhagui.figures.sweeps import Quantity, Slider, Sweep, sliders_of

GAIN = Slider(Quantity.GAIN, 1)
KEY = Slider(Quantity.KEY_MAGNITUDE, 1)
LENGTH = Slider(Quantity.LENGTH)
DPI = 60


@pytest.fixture
def subject(four_heads):
    return Subject(*four_heads, FigureStyle(dpi=DPI))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where temporary files are made."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def film_of(subject, name, sweep, kind, fps=10, **options):
    return list(animate(subject, name, sweep, kind, fps, **options))[-1].data


def frames_of(data):
    """Return each frame as RGB, and how long it is shown in milliseconds."""
    with Image.open(io.BytesIO(data)) as image:
        frames, durations = [], []
        for number in range(image.n_frames):
            image.seek(number)
            frames.append(np.asarray(image.convert("RGB")))
            durations.append(image.info["duration"])
        return frames, durations


def drawn_alone(subject, name, edit, **changes):
    """Return the figure of the scene after ``edit`` as a PNG file has it, in RGB."""
    scene = edit.apply(subject.scene)
    alone = Subject(scene, compute(scene), subject.style, **changes)
    with Image.open(io.BytesIO(figures.render(name, alone, "png"))) as image:
        return np.asarray(image.convert("RGB"))


# --- what moves


def test_every_gain_can_be_moved_and_the_numbers_of_designs(four_heads):
    scene, _ = four_heads
    names = [movable.name for movable in sliders_of(scene)]
    assert names == [
        "master-gain", "h1-gain", "h1-key-magnitude", "h2-gain", "h2-key-magnitude",
        "h3-gain", "h3-key-magnitude", "h4-gain", "T", "d_k",
    ]  # fmt: skip


@pytest.mark.parametrize("name", lesson_names())
def test_a_scene_can_be_at_both_ends_of_all_that_is_offered(name):
    scene = load_lesson(name)
    for movable in sliders_of(scene):
        assert movable.low <= movable.current <= movable.high
        Sweep(movable.slider, movable.low, movable.high, 2).check(scene)


@given(st.floats(-50, 50))
def test_where_a_slider_stands_is_in_its_range(gain):
    scene = set_gain(2, gain).apply(load_lesson("four-heads"))
    movable = next(m for m in sliders_of(scene) if m.slider == GAIN)
    assert movable.low <= movable.current == gain <= movable.high


def test_nothing_is_offered_that_a_hand_set_head_holds(four_heads):
    scene, result = four_heads
    scene = HandSet(1, result.heads[0].q, result.heads[0].k).apply(scene)
    quantities = {movable.slider.quantity for movable in sliders_of(scene)}
    assert quantities.isdisjoint({Quantity.LENGTH, Quantity.WIDTH})
    with pytest.raises(UserError, match="hand-set for T = 6"):
        Sweep(LENGTH, 2, 8, 3).check(scene)


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), st.integers(2, 600))
def test_a_sweep_goes_from_end_to_end_in_equal_steps(start, stop, n_frames):
    values = Sweep(GAIN, start, stop, n_frames).values(load_lesson("four-heads"))
    assert (values[0], values[-1], len(values)) == (start, stop, n_frames)
    steps = np.diff(values)
    assert np.allclose(steps, (stop - start) / (n_frames - 1), atol=1e-5)


def test_values_have_no_binary_dust(four_heads):
    assert Sweep(GAIN, 0, 1, 11).values(four_heads[0]) == [
        0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1,
    ]  # fmt: skip


def test_what_is_whole_goes_by_the_nearest_whole_numbers(four_heads):
    assert Sweep(LENGTH, 6, 2, 9).values(four_heads[0]) == [6, 6, 5, 5, 4, 4, 3, 3, 2]


@pytest.mark.parametrize(
    ("sweep", "note"),
    [
        (Sweep(GAIN, 0, 4, 4), "gain g2 = 1.33"),
        (Sweep(Slider(Quantity.MASTER_GAIN), 1, -1, 4), "master gain = 0.33"),
        (Sweep(KEY, 1, 1.03, 31), "|K| of h2 = 1.001"),
        (Sweep(LENGTH, 2, 8, 4), "T = 4"),
    ],
)
def test_a_frame_says_where_the_slider_is(subject, sweep, note):
    assert Film(subject, "heads", sweep).subject(1).note == note


@pytest.mark.parametrize(
    ("sweep", "words"),
    [
        (lambda: Sweep(GAIN, float("nan"), 1, 3), "finite"),
        (lambda: Sweep(GAIN, 0, 1, 1), "from 2 to 600; got 1"),
        (lambda: Sweep(GAIN, 0, 1, 601), "from 2 to 600; got 601"),
        (lambda: Sweep(LENGTH, 0, 4, 3), "sequence length T"),
        (lambda: Sweep(KEY, 2, -1, 3), "key magnitude"),
        (lambda: Sweep(Slider(Quantity.GAIN, 4), 0, 1, 3), "no head 5"),
        (lambda: Sweep(Slider(Quantity.SETTING, 0), 0, 1, 3), "no such number"),
    ],
)
def test_what_cannot_be_is_said_before_anything_is_drawn(subject, sweep, words):
    with pytest.raises(UserError, match=words):
        animate(subject, "output", sweep(), "apng", 10)


def test_names_that_are_none_are_answered_with_those_there_are(subject):
    sweep = Sweep(GAIN, 0, 1, 2)
    with pytest.raises(UserError, match=r"no figure “mona-lisa”.*heads"):
        animate(subject, "mona-lisa", sweep, "apng", 10)
    with pytest.raises(UserError, match=r"no format “avi”.*apng, gif, mp4"):
        animate(subject, "heads", sweep, "avi", 10)
    with pytest.raises(UserError, match=r"frames per second must be .* from 1 to 50; got 51"):
        animate(subject, "heads", sweep, "gif", 51)


def test_frames_that_are_too_large_are_refused(subject, monkeypatch):
    monkeypatch.setattr(motion, "MOST_PIXELS", 1000)
    with pytest.raises(UserError, match=r"\d+ × \d+ pixels, and 1,000 are the most"):
        film_of(subject, "output", Sweep(GAIN, 0, 1, 2), "apng")


# --- the frames


def test_each_frame_is_the_figure_drawn_alone(subject):
    data = film_of(subject, "heads", Sweep(GAIN, 0, 4, 3), "apng")
    frames, _ = frames_of(data)
    for frame, gain in zip(frames, [0, 2, 4], strict=True):
        note = f"gain g2 = {gain}.00"
        assert np.array_equal(frame, drawn_alone(subject, "heads", set_gain(2, gain), note=note))


@pytest.mark.thorough
def test_those_of_a_gif_are_so_within_the_colours_it_has(subject):
    data = film_of(subject, "heads", Sweep(GAIN, 0, 4, 3), "gif")
    frames, _ = frames_of(data)
    for frame, gain in zip(frames, [0, 2, 4], strict=True):
        alone = drawn_alone(subject, "heads", set_gain(2, gain), note=f"gain g2 = {gain}.00")
        apart = np.abs(frame.astype(int) - alone)
        assert apart.max() <= 48  # of 255, in the rim of a letter
        assert apart.mean() < 1
        ground = (alone == 255).all(axis=-1)
        assert (frame[ground] == 255).all()


@pytest.mark.thorough
def test_what_stands_still_in_a_gif_does_not_flicker(subject):
    sweep = Sweep(GAIN, 0, 4, 3)
    frames, _ = frames_of(film_of(subject, "heads", sweep, "gif"))
    exact, _ = frames_of(film_of(subject, "heads", sweep, "apng"))
    for before, after in ((0, 1), (1, 2)):
        still = (exact[before] == exact[after]).all(axis=-1)
        assert 0 < still.sum() < still.size
        assert np.array_equal(frames[before][still], frames[after][still])


def test_scales_are_the_same_in_all_frames(subject):
    film = Film(subject, "scores", Sweep(KEY, 0, 6, 3))
    frames = [film.frame(number)[..., :3] for number in range(3)]
    largest = max(np.abs(film.subject(2).result.heads[h].scores).max() for h in range(4))
    for number in range(3):
        assert film.subject(number).limits["scores"] == pytest.approx(largest)
    right = slice(int(0.86 * frames[0].shape[1]), None)  # the colour bar and its numbers
    assert (frames[0][:, right] != 255).any()
    for frame in frames[1:]:
        assert np.array_equal(frame[:, right], frames[0][:, right])
    assert not np.array_equal(frames[1], frames[0])


def test_pages_are_as_large_as_the_largest_of_them(subject):
    data = film_of(subject, "output", Sweep(LENGTH, 2, 9, 3), "apng")
    frames, _ = frames_of(data)
    assert len({frame.shape for frame in frames}) == 1
    alone = drawn_alone(subject, "output", SetSequenceLength(9), note="T = 9")
    assert frames[-1].shape == alone.shape


def test_rows_that_a_short_scene_lacks_are_its_last(subject):
    scene, result = subject.scene, subject.result
    film = Film(Subject(scene, result, subject.style, row=5), "impulse", Sweep(LENGTH, 2, 8, 3))
    assert [film.subject(number).row for number in range(3)] == [1, 4, 5]


def test_frames_are_drawn_once_in_order_and_progress_is_told(subject):
    steps = list(animate(subject, "output", Sweep(LENGTH, 2, 4, 5), "gif", 10))
    total = steps[0].total
    assert [step.done for step in steps] == sorted(step.done for step in steps)
    assert {step.total for step in steps} == {total}
    assert steps[-1].done == total
    assert [step.data is None for step in steps] == [True] * (len(steps) - 1) + [False]
    assert "Drawing frame 3 of 5" in [step.text for step in steps]


# --- the files


@pytest.mark.parametrize("loop", [True, False])
@pytest.mark.parametrize("kind", ["apng", "gif"])
def test_what_is_there_goes_back_without_a_leap(subject, kind, loop):
    sweep = Sweep(GAIN, 0, 1, 3)
    data = film_of(subject, "output", sweep, kind, loop=loop, there_and_back=True)
    frames, durations = frames_of(data)
    assert len(frames) == (4 if loop else 5)
    assert np.array_equal(frames[1], frames[3])
    assert not np.array_equal(frames[0], frames[1])
    assert loop or np.array_equal(frames[0], frames[4])
    assert durations == [100] * len(frames)
    with Image.open(io.BytesIO(data)) as image:
        for_ever, once = (0, None) if kind == "gif" else (0, 1)
        assert image.info.get("loop") == (for_ever if loop else once)


@pytest.mark.parametrize("kind", ["apng", "gif"])
def test_a_file_holds_the_scene_that_was_on_the_bench(subject, kind):
    data = film_of(subject, "output", Sweep(GAIN, 0, 1, 2), kind)
    told = provenance_of_file(data)
    assert told.figure == "output"
    assert told.session_file() == session_to_bytes(Session.of(subject.scene))


def test_a_png_tells_its_resolution(subject):
    data = film_of(subject, "output", Sweep(GAIN, 0, 1, 2), "apng")
    with Image.open(io.BytesIO(data)) as image:
        assert image.info["dpi"] == pytest.approx((DPI, DPI), abs=0.02)
        assert image.info["Title"] == "Output O"


SHAPES = st.tuples(st.integers(1, 5), st.integers(1, 9), st.integers(1, 9))


def reel_of(frames, fps=10, *, has_alpha=False):
    reel = movies.Reel(list(range(len(frames))), fps, True, DPI, "Title", "told", has_alpha)
    for frame in frames:
        reel.add(frame)
    return reel


def as_shown(data, mode, n_frames):
    """Return what is seen in each tenth of a second: frames that are alike are one, and last."""
    with Image.open(io.BytesIO(data)) as image:
        seen = []
        for number in range(getattr(image, "n_frames", 1)):
            image.seek(number)
            n_tenths = round(image.info.get("duration", 100 * n_frames) / 100)
            seen += [np.asarray(image.convert(mode))] * n_tenths
        return np.array(seen)


@given(SHAPES.flatmap(lambda n: arrays.arrays(np.uint8, (*n, 4))))
def test_an_animated_png_shows_any_frames_exactly(pixels):
    data = b"".join(movies.write_apng(reel_of(pixels, has_alpha=True)))
    assert np.array_equal(as_shown(data, "RGBA", len(pixels)), pixels)


@given(SHAPES.flatmap(lambda n: arrays.arrays(np.uint8, (*n, 4), elements=st.integers(252, 255))))
def test_so_does_a_gif_those_of_few_colours(pixels):
    data = b"".join(movies.write_gif(reel_of(pixels)))
    assert np.array_equal(as_shown(data, "RGB", len(pixels)), pixels[..., :3])


def test_frames_that_are_alike_last_longer_and_the_film_as_long(subject):
    for kind in ("apng", "gif"):
        frames, durations = frames_of(film_of(subject, "output", Sweep(LENGTH, 2, 4, 6), kind))
        assert durations == [200, 200, 200]  # T is 2, 2, 3, 3, 4, 4
        assert len(frames) == 3


@pytest.mark.parametrize("kind", ["apng", "gif"])
def test_a_film_that_takes_too_much_memory_is_refused_once_a_frame_is_drawn(
    subject, monkeypatch, kind
):
    width, height = Film(subject, "output", Sweep(GAIN, 0, 1, 4)).frame(0).shape[1::-1]
    monkeypatch.setattr(motion, "MOST_SHOWN_PIXELS", 4 * width * height)
    assert film_of(subject, "output", Sweep(GAIN, 0, 1, 4), kind)
    drawn = []
    with pytest.raises(UserError, match=rf"6 frames of {width} × {height} pixels .* fewer frames"):
        drawn.extend(
            animate(subject, "output", Sweep(GAIN, 0, 1, 4), kind, 10, there_and_back=True)
        )
    assert not any(step.text.startswith("Drawing") for step in drawn)


def rgb_of(data):
    with Image.open(io.BytesIO(data)) as image:
        return np.asarray(image.convert("RGB"))


def test_a_gif_of_many_colours_leaves_the_large_areas_as_they_are():
    ramp = np.arange(90, dtype=np.uint8)
    pixels = np.full((1, 200, 90, 4), 255, np.uint8)
    pixels[0, :90, :, 0], pixels[0, :90, :, 1], pixels[0, :90, :, 2] = ramp, ramp[:, None], 7
    pixels[0, 150:, :, :3] = (12, 34, 56)
    frame = rgb_of(b"".join(movies.write_gif(reel_of(pixels))))
    assert np.array_equal(frame[90:], pixels[0, 90:, :, :3])
    assert np.abs(frame.astype(int) - pixels[0, :, :, :3]).max() <= 16
    assert len(np.unique(frame.reshape(-1, 3), axis=0)) <= 256


def test_what_is_transparent_is_white_in_a_gif_and_half_so_where_it_is_half():
    pixels = np.zeros((1, 1, 2, 4), np.uint8)
    pixels[0, 0, 1, 3] = 51  # a fifth of black
    frame = rgb_of(b"".join(movies.write_gif(reel_of(pixels, has_alpha=True))))
    assert frame.tolist() == [[[255, 255, 255], [204, 204, 204]]]


@pytest.mark.parametrize("fps", [1, 7, 12, 30, 50])
def test_a_gif_keeps_time_although_it_counts_in_hundredths(fps):
    pixels = np.zeros((2 * fps, 1, 1, 4), np.uint8)
    pixels[..., 0] = np.arange(2 * fps)[:, None, None]
    _, durations = frames_of(b"".join(movies.write_gif(reel_of(pixels, fps))))
    assert sum(durations) == 2000
    assert all(duration % 10 == 0 for duration in durations)
    assert max(durations) - min(durations) <= 10


_DIGESTS = """
import hashlib, json
from mhagui.document import compute, load_lesson
from mhagui.figures import FigureStyle, Subject
from mhagui.figures.motion import animate
from mhagui.figures.sweeps import Quantity, Slider, Sweep
scene = load_lesson("four-heads")
subject = Subject(scene, compute(scene), FigureStyle(dpi=60))
sweep = Sweep(Slider(Quantity.GAIN, 1), 0, 4, 3)
for kind in ("apng", "gif"):
    data = list(animate(subject, "head", sweep, kind, 10))[-1].data
    print(hashlib.sha256(data).hexdigest())
"""


@pytest.mark.thorough
def test_two_processes_make_the_same_bytes(subject):
    told = subprocess.run(
        [sys.executable, "-c", _DIGESTS], capture_output=True, check=True, text=True
    ).stdout.split()
    sweep = Sweep(GAIN, 0, 4, 3)
    made = [film_of(subject, "head", sweep, kind) for kind in ("apng", "gif")]
    assert [sha256(data).hexdigest() for data in made] == told


# --- MP4


def test_an_mp4_has_all_frames_and_sides_that_are_even(subject, folder):
    data = film_of(subject, "output", Sweep(GAIN, 0, 4, 4), "mp4", 12, there_and_back=True)
    assert list(folder.iterdir()) == []
    assert data.index(b"moov") < data.index(b"mdat")  # so that it plays before it is all there
    path = folder / "film.mp4"
    path.write_bytes(data)
    told = run_ffmpeg("-i", path, "-f", "null", "-").stderr.decode()
    assert re.search(r'^ *description +: \{"app":', told, re.MULTILINE)
    provenance = replace(provenance_of("output", subject), scene=None)
    assert provenance_to_text(provenance).encode() in data
    frame = Film(subject, "output", Sweep(GAIN, 0, 4, 4)).frame(3)[..., :3]
    height, width, _ = frame.shape
    even = width + width % 2, height + height % 2
    assert re.search(rf"Video: h264.*yuv420p.*, {even[0]}x{even[1]}.* 12 fps", told)
    assert re.findall(r"frame=\s*(\d+)", told)[-1] == "7"
    pick = ["-vf", "select=eq(n\\,3)", "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "rgb24"]
    raw = run_ffmpeg("-i", path, *pick, "-").stdout
    seen = np.frombuffer(raw, np.uint8).reshape(even[1], even[0], 3)
    assert np.abs(seen[:height, :width].astype(int) - frame).mean() < 3


def run_ffmpeg(*arguments):
    command = [movies.find_ffmpeg(), "-hide_banner", *arguments]
    return subprocess.run(command, capture_output=True, check=True)


def test_without_ffmpeg_it_is_said_what_to_install(subject, monkeypatch):
    monkeypatch.setattr(movies.shutil, "which", lambda _: None)
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(UserError, match="install ffmpeg, or the Python package imageio-ffmpeg"):
        animate(subject, "output", Sweep(GAIN, 0, 1, 2), "mp4", 10)
    assert "install ffmpeg" in motion.why_no_movie("mp4")
    assert motion.why_no_movie("gif") is motion.why_no_movie("apng") is None


def test_the_ffmpeg_of_a_package_will_do(subject, monkeypatch):
    package = pytest.importorskip("imageio_ffmpeg")
    monkeypatch.setattr(movies.shutil, "which", lambda _: None)
    assert movies.find_ffmpeg() == package.get_ffmpeg_exe()
    data = film_of(subject, "output", Sweep(GAIN, 0, 1, 2), "mp4")
    assert data[4:8] == b"ftyp"


@pytest.fixture
def broken_ffmpeg(folder, monkeypatch):
    path = folder / "ffmpeg"
    path.write_text("#!/bin/sh\necho 'first line' >&2\necho 'Unknown encoder' >&2\nexit 1\n")
    path.chmod(0o755)
    monkeypatch.setattr(movies, "find_ffmpeg", lambda: str(path))


def test_why_ffmpeg_failed_is_told_in_its_own_last_line(subject, folder, broken_ffmpeg):
    sweep = Sweep(GAIN, 0, 1, 2)
    with pytest.raises(UserError, match=r"^ffmpeg could not write the MP4: Unknown encoder$"):
        film_of(subject, "output", sweep, "mp4")
    assert [path.name for path in folder.iterdir()] == ["ffmpeg"]


def test_an_ffmpeg_that_cannot_be_started_is_told_of(subject, folder, broken_ffmpeg):
    (folder / "ffmpeg").write_bytes(b"\x7fELF of another machine")
    with pytest.raises(UserError, match=r"^ffmpeg cannot be started: Exec format error\.$"):
        film_of(subject, "output", Sweep(GAIN, 0, 1, 2), "mp4")
    assert [path.name for path in folder.iterdir()] == ["ffmpeg"]


def test_an_ffmpeg_that_writes_nothing_has_failed(subject, folder, broken_ffmpeg):
    (folder / "ffmpeg").write_text("#!/bin/sh\ncat >/dev/null\n")
    with pytest.raises(UserError, match=r"^ffmpeg could not write the MP4: it gave no reason\.$"):
        film_of(subject, "output", Sweep(GAIN, 0, 1, 2), "mp4")


def test_what_a_killed_program_left_is_removed_a_day_later(subject, folder, broken_ffmpeg):
    left = [folder / name for name in ("mhagui-film-abcd_012", "mhagui-film-x", "mhagui-abcd_012")]
    young = folder / "mhagui-film-abcd_013"
    for path in (*left, young):
        path.mkdir()
        (path / "film.mp4").write_bytes(b"half")
    for path in left:
        os.utime(path, (0, 0))
    with pytest.raises(UserError):
        film_of(subject, "output", Sweep(GAIN, 0, 1, 2), "mp4")
    assert {path for path in folder.iterdir() if path.is_dir()} == {*left[1:], young}


@pytest.mark.parametrize("kind", ["apng", "gif", "mp4"])
def test_who_stops_in_the_midst_leaves_nothing(subject, folder, monkeypatch, kind):
    begun = []

    class Popen(subprocess.Popen):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            begun.append(self)

    monkeypatch.setattr(movies.subprocess, "Popen", Popen)
    steps = animate(subject, "output", Sweep(GAIN, 0, 1, 3), kind, 10)
    # Of nine steps two are frames that ffmpeg has; Pillow has begun.
    next(step for step in steps if step.done == (8 if kind == "mp4" else 6))
    assert [process.poll() for process in begun] == ([None] if kind == "mp4" else [])
    assert (list(folder.iterdir()) != []) is (kind == "mp4")
    steps.close()
    assert all(process.poll() is not None for process in begun)
    assert list(folder.iterdir()) == []
