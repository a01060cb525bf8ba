"""A figure that holds its scene is opened as that scene, and never written over."""

import pytest

from mhagui.document import Scene, compute, load_lesson, load_scene, open_named, read_scene
from mhagui.document.edits import set_gain
from mhagui.document.history import History
from mhagui.document.origin import open_session
from mhagui.document.session_file import read_session
from mhagui.figures import FORMATS, FigureStyle, Subject, render
from mhagui.figures.saving import provenance_of


def exported(scene: Scene, kind: str, style: FigureStyle) -> bytes:
    return render("entropy", Subject(scene, compute(scene), style), kind)


@pytest.fixture(scope="module")
def scene():
    return set_gain(2, 1.75).apply(load_lesson("two-heads"))


@pytest.fixture(scope="module", params=FORMATS)
def figure(request, scene, tmp_path_factory):
    path = tmp_path_factory.mktemp("figures") / f"entropy.{request.param}"
    path.write_bytes(exported(scene, request.param, FigureStyle(dpi=50)))
    return path


def test_every_format_is_opened_as_the_scene_it_shows(figure, scene):
    assert read_session(figure).scene == read_scene(figure) == load_scene(str(figure)) == scene


def test_the_scene_has_no_file_so_that_saving_asks_for_one(figure, scene):
    session, origin = open_named(str(figure))
    assert session.path is None
    assert (origin.path, origin.stamp, origin.is_practice) == (None, None, False)
    assert origin.kept == scene


def test_there_is_nothing_to_save_until_something_changes(figure, scene):
    session, origin = open_session(figure)
    history = History(session.scene, origin=origin)
    assert not history.is_modified
    history.do(set_gain(1, 3.0))
    assert history.is_modified
    history.undo()
    assert not history.is_modified


def test_a_figure_drawn_from_a_figure_is_the_same_file(figure):
    again = exported(read_scene(figure), figure.suffix[1:], FigureStyle(dpi=50))
    assert again == figure.read_bytes()


def test_another_name_makes_no_difference(figure, scene, tmp_path):
    path = tmp_path / "mine.mhascene"
    path.write_bytes(figure.read_bytes())
    assert open_session(path)[1].path is None  # a figure it is all the same
    assert read_scene(path) == scene


def test_a_figure_without_its_scene_says_so(scene, tmp_path, refusal):
    path = tmp_path / "fig.png"
    path.write_bytes(exported(scene, "png", FigureStyle(dpi=50, embed_scene=False)))
    wanted = f"{path} is not a scene this version can open: it was exported without its scene."
    assert refusal(read_session, path) == wanted
    assert refusal(open_named, str(path)) == wanted


def test_a_picture_of_something_else_says_so(tmp_path, refusal):
    path = tmp_path / "cat.gif"
    path.write_bytes(b"GIF89a of a cat")
    assert refusal(open_session, path).endswith("it is a GIF file, but no figure of mhagui.")


def test_a_scene_too_large_for_figures_stays_out(four_heads, monkeypatch):
    style = FigureStyle()
    assert provenance_of("heads", Subject(four_heads, compute(four_heads), style)).scene
    monkeypatch.setattr("mhagui.figures.saving.MAX_SCENE_BYTES", 100)
    made = provenance_of("heads", Subject(four_heads, compute(four_heads), style))
    assert made.scene is None
    assert made.scene_bytes > 100
