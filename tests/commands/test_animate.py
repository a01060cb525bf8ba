"""Films of a slider from the command line."""

import numpy as np
import pytest
from PIL import Image

from mhagui.document.provenance import provenance_of_file

FAST = ["--dpi", "30", "--preset", "single", "--frames", "3"]


def frames_of(path):
    """The frames of an animated picture, (n, height, width, 3), and its milliseconds a frame."""
    with Image.open(path) as picture:
        frames = []
        for number in range(picture.n_frames):
            picture.seek(number)
            frames.append(np.asarray(picture.convert("RGB")))
        return np.array(frames), picture.info["duration"]


@pytest.mark.parametrize("name", ["film.gif", "film.PNG"])
def test_a_film_moves_the_slider_asked_for(run, tmp_path, name):
    path = tmp_path / name
    ends = ["--slider", "h1-gain", "--from", "0", "--to", "2", "--fps", "5"]
    assert run("animate", "two-heads", *ends, *FAST, "--out", path) == [str(path)]
    frames, milliseconds = frames_of(path)
    assert len(frames) == 3
    assert milliseconds == 200
    assert (frames[0] != frames[1]).any()
    assert (frames[1] != frames[2]).any()
    assert [each.name for each in tmp_path.iterdir()] == [name]


def test_a_film_goes_back_and_ends_where_it_is_asked_to(run, tmp_path):
    paths = [tmp_path / "once.gif", tmp_path / "loop.gif"]
    arguments = ["animate", "two-heads", "--slider", "master-gain", "--there-and-back", *FAST]
    run(*arguments, "--once", "--out", paths[0])
    run(*arguments, "--out", paths[1])
    once, loop = (frames_of(path)[0] for path in paths)
    assert (len(once), len(loop)) == (5, 4)  # a loop shows the first frame next
    np.testing.assert_array_equal(once[0], once[-1])
    with Image.open(paths[0]) as first, Image.open(paths[1]) as second:
        assert "loop" not in first.info
        assert second.info["loop"] == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["--slider", "volume"],
            "no slider “volume”; those of “two heads” are master-gain, h1-gain",
        ),
        (["--slider", "h3-gain"], "no slider “h3-gain”"),
        (["--slider", "h1-gain", "--from", "low"], "--from low: give a number."),
        (["--slider", "h1-gain", "--to", "inf"], "The end of a sweep"),
        (["--slider", "h1-gain", "--frames", "1"], "from 2 to 600"),
        (["--slider", "h1-gain", "--frames", "x"], "--frames x: give a whole number"),
        (["--slider", "h1-gain", "--fps", "0"], "frames per second"),
        (["--slider", "h1-gain", "--figure", "hands"], "no figure “hands”"),
        (["--slider", "h1-gain", "--out", "film.avi"], "film.avi: a film is a file that ends with"),
        (["four-heads", "--slider", "h1-gain"], "takes one scene, not also “four-heads”"),
        ([], "--slider; see 'mhagui animate --help'"),
    ],
)
def test_bad_films_are_named_and_leave_nothing(refused, tmp_path, arguments, said):
    assert said in refused("animate", "two-heads", "--out", tmp_path / "a.gif", *arguments)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("start", "stop"), [("-1e308", "1e308"), ("0", "5e-324"), ("1e308", "0")])
@pytest.mark.parametrize("slider", ["h1-gain", "master-gain"])
def test_a_slider_goes_from_any_number_to_any_other(run, tmp_path, slider, start, stop):
    path = tmp_path / "film.gif"
    ends = ["--slider", slider, "--from", start, "--to", stop, "--figure", "head"]
    run("animate", "two-heads", *ends, *FAST, "--out", path)
    assert path.exists()


def test_a_film_may_have_no_scene_and_a_folder_that_is_not_there_yet(run, tmp_path):
    path = tmp_path / "new" / "films" / "film.gif"
    run("animate", "--slider", "h1-gain", *FAST, "--figure", "head", "--no-scene", "--out", path)
    provenance = provenance_of_file(path.read_bytes())
    assert (provenance.figure, provenance.scene) == ("head", None)
