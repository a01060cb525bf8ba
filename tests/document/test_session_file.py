"""Session files: what they hold, that all earlier versions open, and what of one is refused."""

import io
import json
import os
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mhagui import __version__
from mhagui.document import (
    Appearance,
    ColourScale,
    Cursor,
    Head,
    Pattern,
    Quantity,
    Scene,
    Session,
    ViewState,
    WhatIf,
    load_lesson,
    load_scene,
    open_named,
    read_scene,
    read_session,
    scene_to_json,
    write_session,
)
from mhagui.document.cost import MAX_WIDTH
from mhagui.document.pipeline import STAGES
from mhagui.document.session_file import (
    MAX_FILE_BYTES,
    session_from_bytes,
    session_to_bytes,
    session_to_json,
)
from mhagui.document.token_source import SourceKind, TokenSource
from mhagui.errors import UserError

KEPT = Path(__file__).parents[1] / "data" / "sessions"

# What is in the files of version 1 and 2 that were saved, and in those of version 3.
SAVED_1 = Scene(
    "saved by hand",
    "two\nlines",
    (
        Head(
            1,
            "größer",
            Pattern.PREVIOUS_TOKEN,
            np.array([[1, 0.1], [0, -2.5], [1 / 3, 0]]),
            gain=-2.0,
            muted=True,
        ),
        Head(
            2,
            "self",
            Pattern.SELF,
            np.array([[0, 0], [1, 1e-9], [0, 7.25]]),
            gain=1.5,
            key_magnitude=0.5,
            soloed=True,
        ),
    ),
    x=np.array([[1, 0, 0.25], [0, 1, 0], [0, -1, 1e30], [5e-324, 0, 1]]),
    w_o=np.array([[1, 0, 0], [0, 1, 0], [0.1, 0.2, 0.3], [0, 0, -1]]),
    d_k=2,
    master_gain=0.75,
)
SAVED_2 = Scene(
    "kinds of version 2",
    "",
    (
        Head(
            1,
            "hand-set",
            Pattern.HAND_SET,
            np.array([[1], [0], [0], [0], [0.5]]),
            q=np.array([[1, 0], [0, 1], [0.25, -1]]),
            k=np.array([[2, 0], [0, 2], [1, 1 / 3]]),
        ),
        Head(
            2,
            "reads X + O_1",
            Pattern.PROJECTED,
            np.array([[0], [1], [0], [0], [0]]),
            gain=3.0,
            layer=2,
            w_q=np.arange(10).reshape(5, 2) / 8,
            w_k=np.arange(10).reshape(5, 2) / -16,
        ),
        Head(
            3,
            "delay",
            Pattern.DELAY,
            np.array([[0], [0], [1], [0], [0]]),
            key_magnitude=24.0,
            muted=True,
            settings=(2.0,),
        ),
    ),
    # “a”, “b”, “a”, and where they stand: a third of a turn each, from the first
    x=np.array(
        [
            [1, 0, np.cos(2 * np.pi / 3), np.sin(2 * np.pi / 3), 0],
            [0, 1, np.cos(4 * np.pi / 3), np.sin(4 * np.pi / 3), 0],
            [1, 0, np.cos(2 * np.pi), np.sin(2 * np.pi), 0],
        ]
    ),
    w_o=np.array([[1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 0.1, 0, -0.5]]),
    d_k=2,
    keep_margin=True,
    tokens=("a", "b", "a"),
    vocabulary=("a", "b"),
    has_position_code=True,
    source=TokenSource(SourceKind.MARKOV, 2, 3, np.array([[0.25, 0.75], [0.5, 0.5]]), 0.125),
)
SAVED_3 = Session(
    replace(
        SAVED_2,
        title="kinds of version 3",
        heads=tuple(
            replace(head, uid=uid) for head, uid in zip(SAVED_2.heads, (3, 1, 7), strict=True)
        ),
        x=np.array([[1, 0, 0, 0, 0.5], [0, 1, 0, 0, 0], [1, 0, -0.25, 0, 0]]),
    ),
    ViewState(
        Cursor(7, 2, 1),
        enlarged=3,
        quantity=Quantity.SCORES,
        colour_scale=ColourScale.LINEAR_TO_MAX,
        stage=5,
        pair=(7, 1),
        what_if=WhatIf(768, 12, 64, 64, 1024),
        widths_follow=False,
    ),
)


def members_of(data):
    """What is in a zip file, by name, read by another reader than ours is part of."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


# ------------------------------------------------------------------------- files of every version


@pytest.mark.parametrize(
    ("name", "scene"),
    [
        ("version-1-lesson.json", load_lesson("four-heads")),
        ("version-1-saved.json", SAVED_1),
        ("version-2-lesson.json", load_lesson("induction")),
        ("version-2-saved.json", SAVED_2),
    ],
)
def test_a_file_of_an_earlier_version_opens_where_one_starts(name, scene):
    assert read_session(KEPT / name) == Session(scene, ViewState.of(scene))


@pytest.mark.parametrize(
    "name", ["version-3.mhascene", "version-3.json", "version-3-zipped-by-hand.mhascene"]
)
def test_a_file_of_version_3_opens_as_it_was_left(name):
    assert read_session(KEPT / name) == SAVED_3


def test_what_is_kept_for_recovery_names_the_file_it_belongs_to():
    kept = read_session(KEPT / "version-3-recovery.mhascene")
    assert kept == replace(SAVED_3, path="/home/ada/größe.mhascene")


def test_every_kept_file_is_opened_by_a_test():
    names = {path.name for path in KEPT.iterdir()} - {"README.md"}
    tests = Path(__file__).parent.glob("test_session*.py")
    source = "".join(path.read_text(encoding="utf-8") for path in tests)
    assert len(names) >= 11
    assert [name for name in sorted(names) if f'"{name}"' not in source] == []


@pytest.mark.parametrize("name", ["version-2-saved.json", "version-3.mhascene"])
def test_an_old_file_saved_again_is_of_this_version_and_opens_the_same(name, tmp_path):
    session = read_session(KEPT / name)
    write_session(tmp_path / "again.mhascene", session)
    assert read_session(tmp_path / "again.mhascene") == session
    text = json.loads(members_of((tmp_path / "again.mhascene").read_bytes())["scene.json"])
    assert (text["format"], text["version"], text["app"]) == ("mhagui scene", 4, __version__)


# -------------------------------------------------------------------------------- what is written


def draw_view(draw, scene):
    uids = st.sampled_from([head.uid for head in scene.heads])
    rows = st.integers(0, scene.n_positions - 1)
    sizes = st.integers(1, MAX_WIDTH)
    return ViewState(
        Cursor(draw(uids), draw(rows), draw(rows)),
        enlarged=draw(st.none() | uids),
        quantity=draw(st.sampled_from(Quantity)),
        colour_scale=draw(st.sampled_from(ColourScale)),
        stage=draw(st.integers(0, len(STAGES) - 1)),
        pair=draw(st.none() | st.tuples(uids, uids)),
        what_if=draw(
            st.none()
            | st.builds(
                WhatIf, sizes, st.integers(4, 8), sizes, sizes, sizes, st.none() | st.integers(1, 4)
            )
        ),
        widths_follow=draw(st.booleans()),
    )


@given(st.data())
def test_what_is_saved_is_opened_again(scenes, draw_edit, data):
    scene = data.draw(scenes)
    for _ in range(data.draw(st.integers(0, 3))):
        scene = draw_edit(data.draw, scene).apply(scene)
    path = data.draw(st.none() | st.sampled_from(["/a/b.mhascene", "C:\\größe", "/\udcff\udc80"]))
    session = Session(scene, draw_view(data.draw, scene), path)
    for write in (session_to_bytes, session_to_json):
        written = write(session)
        again = session_from_bytes(written)
        assert again == session
        assert again.scene.x.tobytes() == scene.x.tobytes()
        assert write(again) == written


def test_a_saved_file_is_a_zip_of_readable_text_and_matrices_that_numpy_opens():
    members = members_of(session_to_bytes(SAVED_3))
    assert next(iter(members)) == "scene.json"
    text = json.loads(members.pop("scene.json"))
    assert text["title"] == "kinds of version 3"
    assert [head["uid"] for head in text["heads"]] == [3, 1, 7]
    assert text["view"]["cursor"] == {"head": 7, "query": 2, "key": 1}
    arrays = {
        name: np.load(io.BytesIO(content), allow_pickle=False) for name, content in members.items()
    }
    assert arrays[text["w_o"]].tolist() == SAVED_3.scene.w_o.tolist()
    assert arrays[text["x"]].tolist() == SAVED_3.scene.x.tolist()
    assert arrays[text["source"]["transition"]].tolist() == [[0.25, 0.75], [0.5, 0.5]]
    for head, entry in zip(SAVED_3.scene.heads, text["heads"], strict=True):
        for field in ("w_v", "q", "k", "w_q", "w_k"):
            kept = getattr(head, field)
            assert (kept is None) is (field not in entry)
            if kept is not None:
                assert arrays.pop(entry[field]).tolist() == kept.tolist()
    assert set(arrays) == {text["w_o"], text["x"], text["source"]["transition"]}


def test_text_holds_the_same_with_the_rows_in_place():
    text = json.loads(session_to_json(SAVED_3))
    zipped = json.loads(members_of(session_to_bytes(SAVED_3))["scene.json"])
    assert text["w_o"] == SAVED_3.scene.w_o.tolist()
    assert text["heads"][0]["q"] == SAVED_3.scene.heads[0].q.tolist()
    assert text["view"] == zipped["view"]
    assert list(text) == list(zipped)


def test_an_x_that_is_made_of_the_tokens_is_left_out():
    session = Session.of(load_lesson("content-position"))
    assert "arrays/x.npy" not in members_of(session_to_bytes(session))
    assert session_from_bytes(session_to_bytes(session)) == session


def test_the_appearance_is_the_users_own_and_not_in_the_file(two_heads):
    plain = Session.of(two_heads)
    mine = replace(plain, view=replace(plain.view, appearance=Appearance(digits=10)))
    assert session_to_bytes(mine) == session_to_bytes(plain)
    assert session_from_bytes(session_to_bytes(mine)).view.appearance == Appearance()


def test_the_name_decides_how_it_is_written_and_the_content_how_it_is_read(tmp_path):
    write_session(tmp_path / "a.JSON", SAVED_3)
    write_session(tmp_path / "a.mhascene", SAVED_3)
    write_session(tmp_path / "a", SAVED_3)
    assert (tmp_path / "a.JSON").read_bytes() == session_to_json(SAVED_3)
    assert (tmp_path / "a.mhascene").read_bytes() == session_to_bytes(SAVED_3)
    assert (tmp_path / "a").read_bytes() == session_to_bytes(SAVED_3)
    (tmp_path / "a.JSON").rename(tmp_path / "b.mhascene")
    (tmp_path / "a.mhascene").rename(tmp_path / "b.json")
    assert read_session(tmp_path / "b.mhascene") == read_session(tmp_path / "b.json") == SAVED_3


def test_a_failed_save_leaves_the_last_good_file(tmp_path, monkeypatch, refusal):
    path = tmp_path / "mine.mhascene"
    write_session(path, SAVED_3)

    def fail(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    changed = replace(SAVED_3, scene=replace(SAVED_3.scene, title="another"))
    assert refusal(write_session, path, changed) == f"{path} cannot be written: the disk is full."
    assert read_session(path) == SAVED_3
    assert [file.name for file in tmp_path.iterdir()] == ["mine.mhascene"]


def widest(n_heads, n_positions, d_model=256):
    """A scene whose heads have all the matrices there are, as wide as they can be."""
    w = np.zeros((d_model, 64))
    heads = tuple(
        Head(uid, "h" * 60, Pattern.PROJECTED, w, w_q=w, w_k=w) for uid in range(1, n_heads + 1)
    )
    w_o = np.zeros((64 * n_heads, d_model))
    return Scene("largest", "", heads, np.ones((n_positions, d_model)), w_o, 64)


@pytest.mark.parametrize(("n_heads", "n_positions"), [(32, 4096), (1, 4096)])
def test_the_largest_scenes_come_back_from_their_file(n_heads, n_positions):
    session = Session.of(widest(n_heads, n_positions))
    written = session_to_bytes(session)
    assert len(written) < MAX_FILE_BYTES / 2
    assert session_from_bytes(written) == session


@pytest.mark.parametrize("sign", ["😀", ",", "[", "{", ":", '"', "\\"])
def test_the_longest_texts_come_back_whatever_they_are_made_of(sign):
    scene = widest(1, 4096, d_model=2)
    scene = replace(scene, title=sign * 120, description=sign * 4000, tokens=(sign * 20,) * 4096)
    session = Session.of(scene)
    for written in (session_to_bytes(session), session_to_json(session)):
        assert session_from_bytes(written) == session
    members = members_of(session_to_bytes(session))
    escaped = json.dumps(json.loads(members["scene.json"]), ensure_ascii=True, indent=4).encode()
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in (members | {"scene.json": escaped}).items():
            archive.writestr(name, content)
    assert session_from_bytes(file.getvalue()) == session


# ------------------------------------------------------------------------------- the view in a file


def viewed(**changes):
    text = json.loads(session_to_json(SAVED_3))
    return json.dumps(text | {"view": text["view"] | changes}).encode()


def test_a_file_without_a_view_opens_where_one_starts(two_heads):
    assert session_from_bytes(scene_to_json(two_heads)) == Session.of(two_heads)


def test_a_view_of_what_was_taken_out_by_hand_is_moved_into_the_scene():
    content = viewed(
        cursor={"head": 2, "query": 99, "key": -(10**30)}, enlarged=4, pair=[1, 10**30]
    )
    view = session_from_bytes(content).view
    assert view == replace(SAVED_3.view, cursor=Cursor(3, 2, 0), enlarged=None, pair=None)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"quantity": "x\n" * 99}, "quantity of the view is “x�x�"),
        ({"quantity": "Weights"}, "quantity of the view is “Weights”; it can be weights, scores."),
        ({"colour_scale": "linear to max"}, "it can be linear, linear_to_max, logarithmic, rel"),
        ({"stage": -1}, f"stage of the view must be a whole number from 0 to {len(STAGES) - 1};"),
        ({"stage": 10**400}, "stage of the view must be a whole number from 0 to"),
        ({"stage": 1.5}, "view.stage must be a whole number, not a number with decimals."),
        ({"pair": [1]}, "view.pair must be a list of length 2, not 1."),
        ({"cursor": {"head": 1, "query": 1}}, "view.cursor lacks “key”."),
        ({"appearance": {}}, "view has an unknown entry, “appearance”."),
        ({"what_if": {"d_model": 1}}, "view.what_if lacks “n_heads”."),
        (
            {
                "what_if": {
                    "d_model": 8,
                    "n_heads": 4,
                    "d_k": 2,
                    "d_v": 2,
                    "n_positions": 6,
                    "n_key_heads": 5,
                }
            },
            "n_key_heads of what_if must be a whole number from 1 to 4; got 5.",
        ),
        ({"widths_follow": 1}, "view.widths_follow must be true or false, not a whole number."),
    ],
)
def test_a_view_that_cannot_be_is_refused(changes, sentence, refusal):
    assert sentence in refusal(session_from_bytes, viewed(**changes))


@pytest.mark.parametrize("field", ["d_model", "n_heads", "d_k", "d_v", "n_positions"])
@pytest.mark.parametrize("size", [0, -1, 10**30])
def test_sizes_of_which_no_cost_can_be_given_are_refused(field, size, refusal):
    sizes = json.loads(session_to_json(SAVED_3))["view"]["what_if"] | {field: size}
    told = refusal(session_from_bytes, viewed(what_if=sizes))
    assert told.startswith(f"{field} of what_if must be a whole number from 1 to ")


@pytest.mark.parametrize("path", ["", "a\0b", "a" * 5000])
def test_a_path_that_cannot_be_is_refused(path, refusal):
    text = json.loads(session_to_json(SAVED_3)) | {"belongs_to": path}
    told = refusal(session_from_bytes, json.dumps(text).encode())
    assert told.startswith("belongs_to is no path of a file: “")


# ------------------------------------------------------------------------------------------ by name


def test_a_name_means_a_lesson_and_anything_else_a_file(tmp_path, monkeypatch, two_heads, refusal):
    monkeypatch.chdir(tmp_path)
    write_session(tmp_path / "mine.mhascene", SAVED_3)
    assert open_named("two-heads")[0] == Session.of(two_heads)
    assert open_named("mine.mhascene")[0] == SAVED_3
    assert load_scene("mine.mhascene") == read_scene(Path("mine.mhascene")) == SAVED_3.scene
    assert "is neither a lesson (four-heads, two-heads, " in refusal(open_named, "five-heads")


# ---------------------------------------------------------------------------------- files as such


def test_faults_in_a_file_name_the_file(tmp_path, refusal):
    path = tmp_path / "bad.json"
    path.write_bytes(viewed(stage=99))
    assert refusal(read_session, path).startswith(
        f"{path} is not a scene this version can open: stage of the view must be a whole number"
    )


def test_what_is_not_there(tmp_path, refusal):
    path = tmp_path / "nothing.json"
    assert refusal(read_session, path) == f"{path} cannot be read: No such file or directory."
    assert refusal(read_session, path / "x").endswith("cannot be read: No such file or directory.")


def test_a_folder(tmp_path, refusal):
    wanted = f"{tmp_path} is not a file; give a scene file or a lesson's name."
    assert refusal(read_session, tmp_path) == wanted


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_not_waited_for(tmp_path, refusal):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    assert "is not a file" in refusal(read_session, path)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="this system has no /dev/zero")
def test_a_device_without_end_is_not_read(tmp_path, refusal):
    link = tmp_path / "zero.json"
    link.symlink_to("/dev/zero")
    assert "is not a file" in refusal(read_session, link)


def test_a_file_too_long_is_not_read_to_its_end(tmp_path, refusal):
    path = tmp_path / "long.json"
    with path.open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 2**20)  # a hole: takes no room
    sentence = refusal(read_session, path)
    assert sentence == f"{path} is too long; a scene file has at most 138,412,032 bytes."


def test_a_file_that_must_not_be_read(tmp_path, monkeypatch, refusal):
    path = tmp_path / "secret.json"
    path.write_bytes(session_to_json(SAVED_3))

    def refuse(*args, **kwargs):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)  # chmod does not stop the superuser
    assert refusal(read_session, path) == f"{path} cannot be read: Permission denied."


def test_a_name_no_file_can_have(tmp_path, refusal):
    assert "cannot be read" in refusal(read_session, tmp_path / ("x" * 300))
    with pytest.raises(UserError, match=r"cannot be read: .*embedded null"):
        read_session(Path("a\0b"))
