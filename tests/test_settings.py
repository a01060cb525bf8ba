"""Settings: each entry is kept or dropped for itself, and nothing about them stops the start."""

import json
from dataclasses import asdict

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mhagui import cli, settings
from mhagui.document.view_state import Appearance, Digits
from mhagui.errors import UserError
from mhagui.figures.style import FigureStyle, Preset
from mhagui.home import own_home
from mhagui.layout_tree import Frame, Layout, Split, Tabs
from mhagui.palette import SignedColours, WeightColours
from mhagui.settings import (
    FORMAT,
    ExportChoices,
    MotionChoices,
    Preferences,
    Settings,
    SettingsStore,
    settings_from_json,
    settings_to_json,
)

LAYOUT = Layout(
    Split("across", (Tabs(("headsDock",), size=280), Tabs(("heatmapsDock", "rankDock"), size=900))),
    hidden=("rankDock",),
    floating={"headsDock": Frame(10, 20, 300, 400)},
)
SOME = Settings(
    theme="dark",
    type_percent=150,
    digits=17,
    weight_colours=WeightColours.MAGMA,
    signed_colours=SignedColours.GREEN_PINK,
    layout=LAYOUT,
    layouts={"Class of ’26": LAYOUT},
    window=Frame(-100, 30, 1280, 800),
    maximised=True,
    recent_files=("/home/me/a.mhascene", "/home/me/ü.json"),
    export=ExportChoices(
        style=FigureStyle(preset=Preset.SLIDE, font_size=9.5, dpi=600),
        as_in_window=False,
        figures=("entropy", "heads"),
        formats=("tiff",),
        data=("npz",),
        scripts=True,
        folder="/home/me/ü",
        true_size=False,
    ),
    motion=MotionChoices(figure="cost", kind="gif", preset=Preset.SLIDE, n_frames=9, loop=False),
)


@pytest.fixture
def store(tmp_path):
    return SettingsStore(tmp_path / "new" / "mhagui" / "settings.json")


def text(**entries):
    return json.dumps({"format": FORMAT, "version": 1} | entries).encode()


def written(store, content):
    store.path.parent.mkdir(parents=True, exist_ok=True)
    store.path.write_bytes(content)


def test_where_nothing_is_kept_all_is_as_at_first(store):
    assert store.load() == (Settings(), [])
    assert not store.path.parent.exists()


def test_what_is_saved_is_loaded_by_another_store(store):
    store.save(SOME)
    assert SettingsStore(store.path).load() == (SOME, [])
    assert list(store.path.parent.iterdir()) == [store.path]


def test_the_file_can_be_read_by_people(store):
    store.save(SOME)
    entries = json.loads(store.path.read_text(encoding="utf-8"))
    assert entries["format"] == "mhagui settings"
    assert entries["theme"] == "dark"
    assert entries["digits"] == 17
    assert entries["weight_colours"] == "magma"
    assert entries["recent_files"] == ["/home/me/a.mhascene", "/home/me/ü.json"]
    assert len(store.path.read_text(encoding="utf-8").splitlines()) > 20


def test_every_appearance_can_be_kept(store):
    for digits in Digits:
        for weights in WeightColours:
            for signed in SignedColours:
                wanted = Appearance(digits, weights, signed)
                kept = msgspec.structs.replace(Settings(), **asdict(wanted))
                assert settings_from_json(settings_to_json(kept))[0].appearance == wanted
    assert Settings().appearance == Appearance()


@pytest.mark.parametrize(
    ("entry", "wrong", "right"),
    [
        ("theme", "blue", "system, light, dark"),
        ("theme", 3, "system, light, dark"),
        ("theme", None, "system, light, dark"),
        ("digits", 5, "3, 4, 6, 10, 17"),
        ("digits", 2**80, "3, 4, 6, 10, 17"),
        ("type_percent", 79, "at least 80"),
        ("type_percent", 2**80, "at most 250"),
        ("weight_colours", "jet", "viridis, cividis, magma, grey"),
        ("signed_colours", [], "blue to red"),
        ("layout", {"tree": {}}, "layout"),
        ("layouts", 7, "layouts"),
        ("window", "AdnQywADAAA=", "window"),
        ("window", {"x": 0, "y": 0, "width": 2**40, "height": 10}, "width"),
        ("maximised", 1, "maximised"),
        ("recent_files", "a", "recent_files"),
        ("export", {"style": {"dpi": 5}}, "at least 30"),
        ("export", {"style": {"preset": "gigantic"}}, "gigantic"),
        ("export", {"formats": "png"}, "list"),
        ("colour of the cat", "grey", "colour of the cat"),
    ],
)
def test_a_wrong_entry_is_dropped_with_one_sentence_and_the_rest_is_kept(
    store, entry, wrong, right
):
    entries = json.loads(settings_to_json(SOME)) | {entry: wrong}
    written(store, json.dumps(entries).encode())
    loaded, complaints = store.load()
    (sentence,) = complaints
    assert entry in sentence
    assert right in sentence
    assert "\n" not in sentence
    assert sentence.endswith(".")
    first = Settings()
    expected = {
        field: getattr(first if field == entry else SOME, field) for field in SOME.__struct_fields__
    }
    assert loaded == Settings(**expected)


@pytest.mark.parametrize(
    ("entry", "wrong", "why"),
    [
        ("digits", "seven", 'it is "seven"; it can be 3, 4, 6, 10, 17 (all).'),
        ("digits", "x" * 9999, "; it can be 3, 4, 6, 10, 17 (all)."),
        ("maximised", 1, "it must be true or false, not a whole number."),
        ("recent_files", 3, "it must be a list, not a whole number."),
        (
            "layout",
            {"tree": {"type": "tabs", "docks": []}, "version": 2},
            "it is of version 2, which only a newer mhagui reads.",
        ),
    ],
)
def test_what_is_wrong_with_an_entry_is_said_without_the_words_of_a_library(entry, wrong, why):
    _, (sentence,) = settings_from_json(text(**{entry: wrong}))
    assert sentence.startswith(f"The setting “{entry}” is left out: it ")
    assert sentence.endswith(why)


@pytest.mark.parametrize("content", [b"", b" \n"])
def test_an_empty_file_is_called_so(store, content):
    written(store, content)
    assert store.load()[1][0].endswith("begin anew: it is empty.")


def test_of_lists_the_wrong_items_alone_are_dropped(store):
    good = json.loads(msgspec.json.encode(LAYOUT))
    layouts = {"good": good, "bad": {}, "": good, " x": good, "a\tb": good, "n" * 41: good}
    written(store, text(layouts=layouts, recent_files=["/a", 3, "/b", None]))
    loaded, complaints = store.load()
    assert loaded.layouts == {"good": LAYOUT}
    assert loaded.recent_files == ("/a", "/b")
    assert len(complaints) == 7


def test_many_complaints_are_few_sentences(store):
    written(store, text(**{f"unknown{n}": n for n in range(1000)}))
    loaded, complaints = store.load()
    assert loaded == Settings()
    assert len(complaints) < 10
    assert complaints[-1] == "992 more are left out."


@pytest.mark.parametrize(
    "garbage",
    [
        b"",
        b"garbage",
        b"[]",
        b"{}",
        b"\x00" * 100,
        b"\xff\xfe",
        b"[" * 200_000,
        text(theme="dark").replace(b'"version": 1', b'"version": 2'),
        text(theme="dark").replace(b"mhagui settings", b"mhagui scene"),
        b" " * (2**20 + 1),
        text(theme="dark")[:-1],
    ],
    ids=lambda garbage: repr(garbage[:20]),
)
def test_what_holds_no_settings_is_put_aside_and_said(store, garbage):
    written(store, garbage)
    loaded, complaints = store.load()
    aside = store.path.with_name("settings.json.bad")
    assert loaded == Settings()
    (sentence,) = complaints
    assert str(aside) in sentence
    assert len(sentence.splitlines()) == 1
    assert aside.read_bytes() == garbage
    store.save(SOME)
    assert SettingsStore(store.path).load() == (SOME, [])


def test_of_a_newer_version_both_versions_are_named(store):
    written(store, b'{"format": "mhagui settings", "version": 12}')
    _, (sentence,) = store.load()
    assert "12" in sentence
    assert "reads 1" in sentence


@given(st.binary(max_size=300) | st.text(max_size=300).map(str.encode))
def test_no_bytes_are_more_than_a_sentence(content):
    with pytest.raises(UserError):
        settings_from_json(content)


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(
    st.dictionaries(st.sampled_from(Settings.__struct_fields__) | st.text(max_size=8), json_values)
)
def test_whatever_stands_in_entries_there_are_settings_that_can_be_kept(entries):
    if {"format", "version"} & entries.keys():
        return
    loaded, _ = settings_from_json(text(**entries))
    assert settings_from_json(settings_to_json(loaded)) == (loaded, [])


def test_two_windows_change_what_each_has_changed(store):
    one, other = Preferences(store, print), Preferences(SettingsStore(store.path), print)
    one.change(theme="dark", layouts={"mine": LAYOUT}, recent_files=("/one",))
    other.change(digits=6, layouts={"yours": LAYOUT}, recent_files=("/other",))
    one.change(weight_colours=WeightColours.GREY)
    kept, _ = SettingsStore(store.path).load()
    assert (kept.theme, kept.digits, kept.weight_colours) == ("dark", 6, WeightColours.GREY)
    assert kept.layouts == {"mine": LAYOUT, "yours": LAYOUT}
    assert kept.recent_files == ("/other", "/one")
    one.change(layouts={})
    other.change(theme="light")
    kept, _ = SettingsStore(store.path).load()
    assert kept.layouts == {"yours": LAYOUT}
    assert kept.theme == "light"


def test_settings_that_go_while_a_window_is_open_stay_gone_but_for_what_it_changes(store):
    preferences = Preferences(store, print)
    preferences.change(theme="dark", digits=10)
    store.path.unlink()
    preferences.change(digits=3)
    assert SettingsStore(store.path).load() == (Settings(digits=3), [])


def test_what_somebody_spoils_meanwhile_is_put_aside_and_all_is_written(store):
    preferences = Preferences(store, print)
    preferences.change(theme="dark")
    store.path.write_bytes(b"spoilt")
    preferences.change(digits=3)
    assert SettingsStore(store.path).load() == (Settings(theme="dark", digits=3), [])
    assert store.path.with_name("settings.json.bad").read_bytes() == b"spoilt"


def test_without_a_store_they_hold_for_the_window():
    preferences = Preferences(None, print)
    preferences.change(theme="dark")
    assert preferences.settings.theme == "dark"


def test_a_folder_that_cannot_be_is_said_once(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    told = []
    preferences = Preferences(SettingsStore(tmp_path / "file" / "settings.json"), told.append)
    preferences.change(theme="dark")
    preferences.change(digits=3)
    assert preferences.settings == Settings(theme="dark", digits=3)
    assert len(told) == 1
    assert str(tmp_path / "file" / "settings.json") in told[0]


def test_a_disk_that_takes_nothing_is_said_once(store, monkeypatch):
    def write(_path, _data, **_):
        raise UserError("the disk is full.")

    told = []
    preferences = Preferences(store, told.append)
    monkeypatch.setattr(settings, "write_atomically", write)
    preferences.change(theme="dark")
    preferences.change(digits=3)
    assert told == ["Settings are not kept: the disk is full."]
    monkeypatch.undo()
    preferences.change(digits=6)  # there is room again: nothing is missing
    assert SettingsStore(store.path).load() == (Settings(theme="dark", digits=6), [])


def test_what_cannot_even_be_looked_at_is_said_and_not_written_over(store):
    store.path.mkdir(parents=True)  # a folder of that name: reading fails, as on a bad disk
    loaded, (sentence,) = store.load()
    assert loaded == Settings()
    assert "cannot be read" in sentence
    store.save(SOME)
    assert store.path.is_dir()


def test_what_can_neither_be_read_nor_put_aside_is_left(store, monkeypatch):
    written(store, b"garbage")

    def replace(_path, _target):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(store.path), "replace", replace)
    _, (sentence,) = store.load()
    assert "nor put aside" in sentence
    store.save(SOME)
    assert store.path.read_bytes() == b"garbage"


def test_a_file_name_that_is_no_text_is_not_kept(store):
    store.save(Settings(recent_files=("/a\udcff", "/b"), theme="dark"))
    assert SettingsStore(store.path).load() == (Settings(recent_files=("/b",), theme="dark"), [])


def test_a_folder_of_figures_that_is_no_text_is_not_kept(store):
    export, motion = ExportChoices(scripts=True), MotionChoices(fps=7)
    lost = {"folder": "/a\udcff"}
    store.save(
        Settings(
            export=msgspec.structs.replace(export, **lost),
            motion=msgspec.structs.replace(motion, **lost),
        )
    )
    kept = Settings(export=export, motion=motion)
    assert SettingsStore(store.path).load() == (kept, [])


def test_a_file_that_nobody_changes_is_not_written(store, monkeypatch):
    store.save(SOME)
    before = store.path.stat()
    again = SettingsStore(store.path)
    loaded, _ = again.load()
    again.save(loaded)
    assert store.path.stat() == before


@pytest.fixture
def own_file():
    return own_home().config / settings.FILE_NAME


def test_reset_settings_puts_them_aside_and_names_the_file(own_file, capsys):
    SettingsStore(own_file).save(SOME)
    assert cli.main(["--reset-settings"]) == 0
    aside = own_file.with_name("settings.json.old")
    assert str(aside) in capsys.readouterr().out
    assert not own_file.exists()
    assert SettingsStore(aside).load() == (SOME, [])


def test_reset_settings_twice_loses_nothing(own_file):
    for content in (b"garbage", b"more"):
        written(SettingsStore(own_file), content)
        assert cli.main(["--reset-settings"]) == 0
    kept = {path.name: path.read_bytes() for path in own_file.parent.glob("settings.json*")}
    assert kept == {"settings.json.old": b"garbage", "settings.json.old2": b"more"}


def test_reset_settings_where_there_are_none_says_so(own_file, capsys):
    assert cli.main(["--reset-settings"]) == 0
    assert f"no settings in {own_file}" in capsys.readouterr().out


def test_reset_settings_with_a_scene_goes_on_to_it(own_file, capsys):
    SettingsStore(own_file).save(SOME)
    assert cli.main(["--reset-settings", "no-such-scene"]) == 2
    assert not own_file.exists()
    assert "no-such-scene" in capsys.readouterr().err
