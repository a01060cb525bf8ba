"""Of which layer of what a scene was made, as a session keeps it: bounded, and never believed."""

import json
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mhagui.document import compute, load_lesson, read_session, write_session
from mhagui.document.archive import MOST_TEXT_BYTES
from mhagui.document.file_entries import PartEntry, ReadingEntry
from mhagui.document.layer_source import (
    MAX_ARRAYS,
    MAX_NAMES_LENGTH,
    MAX_PROMPT_LENGTH,
    FileMark,
    LayerSource,
    mark_of,
    remembered,
)
from mhagui.document.origin import open_session
from mhagui.document.provenance import provenance_to_text, sha256
from mhagui.document.session import Session
from mhagui.document.session_file import session_from_bytes, session_to_bytes, session_to_json
from mhagui.errors import UserError
from mhagui.figures import FigureStyle, Subject, render
from mhagui.figures.saving import provenance_of

READING = ReadingEntry(
    parts=(
        PartEntry(
            role="weights",
            arrays=("layer_2", "layer_7"),
            layers=(2, 7),
            steps=(0, 0),
            axes=("head", "query", "key"),
        ),
    ),
    batch=0,
    layers=(7,),
    causal=True,
)


def session_of(folder, **changes):
    made = LayerSource(folder / "model.gguf", FileMark(5, "0" * 64), 16, "Mary and\nJohn")
    return replace(Session.of(load_lesson("two-heads")), source=replace(made, **changes))


def kept(path):
    """Return what a JSON session at ``path`` says of the layer."""
    return json.loads(path.read_text())["made_of"]


def test_it_comes_back_from_both_kinds_of_files(tmp_path):
    session = session_of(tmp_path, prompt="", reading=READING)
    for name in ("one.mhascene", "one.json"):
        write_session(tmp_path / name, session)
        assert read_session(tmp_path / name) == session
        assert open_session(tmp_path / name)[1].source == session.source


@given(st.text(st.characters(), max_size=200), st.integers(0, 10**6))
def test_any_prompt_and_layer_comes_back(prompt, layer):
    session = session_of(Path("/models"), prompt=prompt, layer=layer)
    assert session_from_bytes(session_to_bytes(session)) == session
    assert session_from_bytes(session_to_json(session)) == session


def test_below_the_session_the_path_is_short_so_that_both_can_be_moved(tmp_path):
    folder, elsewhere = tmp_path / "work", tmp_path / "moved"
    (folder / "models").mkdir(parents=True)
    path = folder / "models" / "tiny.gguf"
    write_session(folder / "one.json", session_of(tmp_path, path=path))
    assert kept(folder / "one.json")["path"] == "models/tiny.gguf"
    folder.rename(elsewhere)
    source = read_session(elsewhere / "one.json").source
    assert source.path == elsewhere / "models" / "tiny.gguf"
    write_session(elsewhere / "models" / "two.json", session_of(tmp_path, path=path))
    assert kept(elsewhere / "models" / "two.json")["path"] == str(path)


def test_a_path_that_is_no_text_comes_back(tmp_path):
    path = tmp_path / "gr\udcfc\udcdfe.gguf"
    write_session(tmp_path / "one.json", session_of(tmp_path, path=path))
    assert read_session(tmp_path / "one.json").source.path == path


def test_a_scene_of_nothing_says_nothing(tmp_path):
    write_session(tmp_path / "one.json", Session.of(load_lesson("two-heads")))
    assert "made_of" not in json.loads((tmp_path / "one.json").read_text())
    assert read_session(tmp_path / "one.json").source is None


SHA = "a" * 64
RIGHT = {"number": 1, "path": "m.gguf", "n_bytes": 3, "sha256_of_ends": SHA}
PART = {"role": "weights", "arrays": ["a"], "layers": [0], "steps": [0]}


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"path": "../../etc/passwd"}, "leads out of its folder"),
        ({"path": "a/../../b"}, "leads out of its folder"),
        ({"path": "a\0b"}, "none of a file"),
        ({"path": "x" * 5000}, "none of a file"),
        ({"sha256_of_ends": "short"}, "sha256"),
        ({"sha256_of_ends": SHA + "\n"}, "sha256"),
        ({"n_bytes": -1}, "n_bytes"),
        ({"n_bytes": 2**70}, "n_bytes"),
        ({"number": -1}, "number of the layer"),
        ({"number": 10**9}, "number of the layer"),
        ({"number": True}, "number"),
        ({"prompt": "x" * (MAX_PROMPT_LENGTH + 1)}, "prompt"),
        ({"prompt": 3}, "prompt"),
        ({"run": "rm"}, "run"),
        ({"reading": {"parts": []}}, "parts of the reading"),
        ({"reading": {"parts": [PART] * 40}}, "parts of the reading"),
        ({"reading": {"parts": [PART | {"arrays": ["a"] * 10_001}]}}, "its arrays"),
        ({"reading": {"parts": [PART | {"arrays": ["a" * 70_000]}]}}, "their names"),
        ({"reading": {"parts": [PART | {"role": "r" * 99}]}}, "a word of the reading"),
        ({"reading": {"parts": [PART | {"axes": ["head"] * 99}]}}, "axes of an array"),
        ({"reading": {"parts": [PART | {"layers": [-1]}]}}, "number of the reading"),
        ({"reading": {"parts": [PART], "batch": 10**7}}, "number of the reading"),
        ({"reading": {"parts": [PART], "scale": float("inf")}}, "scale"),
        ({"reading": {"parts": [PART], "orientation": "o" * 99}}, "orientation"),
    ],
)
def test_what_can_be_of_no_layer_is_refused_by_its_name(tmp_path, wrong, words):
    path = tmp_path / "one.json"
    write_session(path, Session.of(load_lesson("two-heads")))
    document = json.loads(path.read_text())
    path.write_text(json.dumps(document | {"made_of": RIGHT}))
    assert read_session(path).source.path == tmp_path / "m.gguf"  # the rest is sound
    path.write_text(json.dumps(document | {"made_of": RIGHT | wrong}))
    with pytest.raises(UserError, match=words) as caught:
        read_session(path)
    assert str(path) in str(caught.value)
    assert len(str(caught.value)) < 700
    assert str(caught.value).count("\n") == 0


def test_opening_a_session_looks_at_no_other_file(tmp_path, monkeypatch):
    path = tmp_path / "one.mhascene"
    write_session(path, session_of(tmp_path, path=tmp_path / "model.gguf"))
    touched = []
    real = Path.stat, Path.open, Path.is_file

    def noting(what):
        def called(self, *args, **kwargs):
            touched.append(self)
            return what(self, *args, **kwargs)

        return called

    for name, what in zip(("stat", "open", "is_file"), real, strict=True):
        monkeypatch.setattr(Path, name, noting(what))
    assert open_session(path)[1].source is not None
    assert set(touched) == {path}


# ------------------------------------------------------------------------ what a file is known by


def test_a_file_is_known_by_its_length_and_its_ends_whatever_its_name(tmp_path):
    one, other = tmp_path / "a.gguf", tmp_path / "b.gguf"
    one.write_bytes(b"begin" + bytes(10**6) + b"end")
    other.write_bytes(one.read_bytes())
    mark = mark_of(one)
    assert mark == mark_of(other)
    for spoiled in (b"Begin" + bytes(10**6) + b"end", b"begin" + bytes(10**6) + b"eno",
                    b"begin" + bytes(10**6 + 1) + b"end"):  # fmt: skip
        other.write_bytes(spoiled)
        assert mark_of(other) != mark
    one.write_bytes(b"")
    assert mark_of(one).n_bytes == 0


def test_a_folder_is_known_by_what_a_model_is_made_of(tmp_path):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "config.json").write_text("{}")
        (tmp_path / folder / "model.safetensors").write_bytes(b"abc")
    (tmp_path / "two" / "README.md").write_text("no part of it")
    mark = mark_of(tmp_path / "one")
    assert (mark.is_folder, mark.n_bytes) == (True, 5)
    assert mark_of(tmp_path / "two") == mark
    (tmp_path / "two" / "tokenizer.json").write_text("{}")
    assert mark_of(tmp_path / "two") != mark


def test_what_has_no_end_or_is_not_there_has_no_mark(tmp_path):
    assert mark_of(Path("/dev/zero")) is None
    assert mark_of(tmp_path / "none") is None
    assert mark_of(Path("a\0b")) is None


def test_what_is_more_than_a_session_keeps_is_not_remembered(tmp_path):
    mark = FileMark(1, SHA)
    assert remembered(tmp_path / "a", mark, "x" * MAX_PROMPT_LENGTH) is not None
    assert remembered(tmp_path / "a", mark, "x" * (MAX_PROMPT_LENGTH + 1)) is None
    assert remembered(tmp_path / "a", None) is None


# ---------------------------------------------------------------------------- where it never goes


def test_the_largest_leaves_room_for_the_words_of_any_scene(tmp_path):
    n, costly = MAX_ARRAYS, "\udcff"  # six bytes in a file
    names = tuple(f"{number:06d}" for number in range(n - 1))
    longest = costly * (MAX_NAMES_LENGTH - 6 * (n - 1))
    part = PartEntry(
        role="weights", arrays=(*names, longest), layers=(10**6,) * n, steps=(10**6,) * n
    )
    prompt, reading = costly * MAX_PROMPT_LENGTH, ReadingEntry(parts=(part,))
    session = session_of(tmp_path, prompt=prompt, reading=reading)
    data = session_to_bytes(session)
    assert session_from_bytes(data) == session
    bare = session_to_bytes(replace(session, source=None))
    assert len(data) - len(bare) < MOST_TEXT_BYTES - 1_100_000


def test_the_longest_prompt_of_the_most_costly_sign_is_read_again(tmp_path):
    for sign in '":,{[\\\0':
        session = session_of(tmp_path, prompt=sign * MAX_PROMPT_LENGTH)
        assert session_from_bytes(session_to_json(session)) == session


def test_figures_reports_and_numbers_say_nothing_of_it(tmp_path):
    write_session(tmp_path / "one.json", session_of(tmp_path))
    scene = read_session(tmp_path / "one.json").scene
    assert session_to_bytes(Session.of(scene)) == session_to_bytes(
        Session.of(load_lesson("two-heads"))
    )


def test_a_figure_with_such_a_session_in_it_is_opened_without(tmp_path):
    session = session_of(tmp_path)
    subject = Subject(session.scene, compute(session.scene), FigureStyle())
    usual = provenance_of("entropy", subject)
    data = session_to_bytes(session)
    spoiled = msgspec.structs.replace(
        usual, scene=data, scene_bytes=len(data), scene_sha256=sha256(data)
    )
    figure = render("entropy", subject, "svg").decode()
    before, after = provenance_to_text(usual), provenance_to_text(spoiled)
    assert before in figure
    (tmp_path / "one.svg").write_text(figure.replace(before, after))
    found, origin = open_session(tmp_path / "one.svg")
    assert found.scene == session.scene
    assert (found.source, origin.source) == (None, None)
