"""Files made to do harm, or damaged: one sentence, nothing executed, little memory taken."""

import contextlib
import dataclasses
import io
import json
import struct
import subprocess
import sys
import tracemalloc
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mhagui import sources
from mhagui.document.capture import Capture
from mhagui.errors import UserError

SMALL = 2**20  # bytes that looking at a small file may take, whatever it says of itself


def refused(path):
    """Return the sentence, after a look that took little memory."""
    tracemalloc.start()
    try:
        with pytest.raises(UserError) as error:
            sources.open_capture(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < SMALL
    sentence = str(error.value)
    assert sentence.endswith(".")
    assert len(sentence) < 600
    return sentence


def npy(text, version=1, length=None, data=b""):
    count = 2 if version == 1 else 4
    size = (len(text) if length is None else length).to_bytes(count, "little")
    return b"\x93NUMPY" + bytes([version, 0]) + size + text + data


def header(shape, descr="'<f4'"):
    return f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n".encode()


# ---------------------------------------------------------------------------------------------- npy


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (npy(b"", 2, 2**32 - 1), "4,294,967,295 bytes"),
        (npy(b"x" * 20, 1, 60_000), "60,000 bytes"),
        (npy(header("(1000000, 1000000, 1000000)")), "has 0 bytes of numbers"),
        (npy(header("(" + "9" * 30 + ",)")), "impossible shape"),
        (npy(header("(" + "2, " * 40 + ")")), "40 axes"),
        (npy(header("(2, 2)"), data=b"\0" * 15), "cut short"),
        (npy(header("(2, 2)"), data=b"\0" * 17), "longer than its header says"),
        (npy(header("(1,)", "[('a', '<f4')]"), data=b"\0" * 4), "records"),
        (npy(header("(1,)", "'<f4junk'"), data=b"\0" * 4), "no type of numbers"),
        (npy(header("(1,)", "'<f3'"), data=b"\0" * 3), "no type of numbers"),
        (npy(header("(1,)", "'|V4'"), data=b"\0" * 4), "records"),
        (npy(header("(1,)", "'<M8'"), data=b"\0" * 8), "dates"),
        (npy(header("__import__('os').abort()")), "damaged"),
        (npy(b"(" * 9000), "damaged"),
        (b"\x93NUMPY\x09\x00\x04\x00abcd", "version 9"),
    ],
)
def test_npy_headers_that_lie(tmp_path, data, said):
    path = tmp_path / "a.npy"
    path.write_bytes(data)
    assert said in refused(path)


# -------------------------------------------------------------------------------------- safetensors


def st_file(header, data=b"", length=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def tensor(shape, first, last, dtype="F32"):
    return {"dtype": dtype, "shape": shape, "data_offsets": [first, last]}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (st_file(b"{" + b" " * 100, length=100 * 10**9), "100,000,000,000 bytes"),
        (st_file(b"{" + b" " * 100, length=2**63), "9,223,372,036,854,775,808 bytes"),
        (st_file({"attn": tensor([10**6, 10**6], 0, 4 * 10**12)}), "cut short"),
        (st_file({"attn": tensor([2, 2], 0, 12)}, b"\0" * 12), "16"),
        (st_file({"attn": tensor([2, 2], 16, 0)}, b"\0" * 16), "ends before it begins"),
        (st_file({"a": tensor([2, 2], 0, 16), "b": tensor([2, 2], 8, 24)}, b"\0" * 24), "over"),
        (st_file({"attn": tensor([2, -2], 0, 16)}, b"\0" * 16), "impossible shape"),
        (st_file({"attn": tensor([2**70], 0, 16)}, b"\0" * 16), "impossible"),
        (st_file({"attn": tensor([2] * 50, 0, 16)}, b"\0" * 16), "50 axes"),
        (st_file({"attn": tensor([4], 0, 4, "F8_E4M3")}, b"\0" * 4), "F8_E4M3, which is not read"),
        (st_file({"attn": {"dtype": "F32"}}), "damaged"),
        (st_file(b'{"a": ' + b"[" * 100_000), "damaged"),
        (st_file({}), "no arrays"),
    ],
)
def test_safetensors_headers_that_lie(tmp_path, data, said):
    path = tmp_path / "a.safetensors"
    path.write_bytes(data)
    assert said in refused(path)


def test_a_header_of_a_hundred_gigabytes_that_is_there(tmp_path):
    path = tmp_path / "a.safetensors"
    with path.open("wb") as file:
        file.write(struct.pack("<Q", 10**11) + b'{"attn": ')
        file.truncate(10**11 + 8)  # all of it a hole, which takes no disk
    assert "100,000,000,000 bytes; there can be 8,388,608 at most" in refused(path)


# ---------------------------------------------------------------------------------------------- npz


def zipped(members, method=zipfile.ZIP_STORED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def test_a_bomb_of_zeros_is_not_unpacked(tmp_path):
    n = 5000
    content = npy(header(f"({n}, {n})"), data=b"\0" * (4 * n * n))
    (tmp_path / "a.npz").write_bytes(zipped({"attn.npy": content}, zipfile.ZIP_DEFLATED))
    assert f"to {len(content):,} bytes, more than 200 times" in refused(tmp_path / "a.npz")


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ({"attn.npy": b"no array"}, "not a .npy file"),
        ({"attn.npy": npy(header("(9, 9)"))}, "cut short"),
        ({"readme.txt": b"hello"}, "holds .npy files"),
        ({}, "no arrays"),
    ],
)
def test_members_that_are_none(tmp_path, members, said):
    (tmp_path / "a.npz").write_bytes(zipped(members))
    assert said in refused(tmp_path / "a.npz")


def test_one_damaged_member_leaves_the_others(tmp_path, attention):
    file = io.BytesIO()
    np.save(file, attention(4, 4))
    (tmp_path / "a.npz").write_bytes(zipped({"attn.npy": file.getvalue(), "x.txt": b"hi"}))
    assert sources.open_capture(tmp_path / "a.npz").layers[0].shape == (4, 4)


def test_a_member_that_says_another_size_than_it_has(tmp_path):
    data = bytearray(zipped({"attn.npy": npy(header("(2, 2)"), data=b"\0" * 16)}))
    place = data.rindex(b"PK\x01\x02")
    data[place + 24 : place + 28] = struct.pack("<L", 2**31)
    (tmp_path / "a.npz").write_bytes(data)
    assert "2,147,483,648" in refused(tmp_path / "a.npz")


def test_members_that_share_bytes(tmp_path):
    one = npy(header("(2, 2)"), data=b"\0" * 16)
    data = zipped({"a.npy": one, "b.npy": one})
    second = data.index(b"PK\x03\x04", 4)
    data = bytearray(data)
    last = data.rindex(b"PK\x01\x02")
    assert struct.unpack_from("<L", data, last + 42) == (second,)
    struct.pack_into("<L", data, last + 42, 0)
    (tmp_path / "a.npz").write_bytes(data)
    assert "lies over another member" in refused(tmp_path / "a.npz")


def test_more_than_four_gigabytes_are_said_by_zip64_and_checked(tmp_path, attention):
    file = io.BytesIO()
    np.save(file, attention(3, 3))
    data = zipped({"attn.npy": file.getvalue()})
    end = len(data) - 22
    *_, size, place, _ = struct.unpack_from("<4s4H2LH", data, end)
    record = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, 1, 1, size, place)
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, end, 1)
    last = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, size, 0xFFFFFFFF, 0)
    (tmp_path / "a.npz").write_bytes(data[:end] + record + locator + last)
    assert sources.open_capture(tmp_path / "a.npz").layers[0].shape == (3, 3)
    many = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, 2**40, 2**40, size, place)
    (tmp_path / "b.npz").write_bytes(data[:end] + many + locator + last)
    assert "1,099,511,627,776 members" in refused(tmp_path / "b.npz")


# --------------------------------------------------------------------------------------------- json


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[" * 100_000, "nested too deeply"),
        ('{"attn": [[1, 0], [0, 1]], "attn": 3}', "twice"),
        ('{"attn": [[1, "a"], [0, 1]]}', "a text"),
        ('{"attn": [[1, {}], [0, 1]]}', "an object"),
        ("[" + "9" * 5000 + "]", "thousands of digits"),
        ("[[" + "9" * 400 + "]]", "too large"),
        ("[[1, 2", "cut short"),
        ("{}", "no arrays"),
        ("[[[[[[[[[[[1]]]]]]]]]]]", "nested more than 8"),
    ],
)
def test_json_that_is_none(tmp_path, text, said):
    (tmp_path / "a.json").write_text(text)
    assert said in refused(tmp_path / "a.json")


def test_json_is_bounded_before_it_is_read(tmp_path):
    path = tmp_path / "a.json"
    with path.open("wb") as file:
        file.write(b"[[1,")
        file.truncate(65 * 2**20)  # a file with a hole takes no disk
    assert "68,157,440 bytes" in refused(path)


def test_nan_in_json_as_python_writes_it_is_counted(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps([[1.0, 0.0], [float("nan"), 0.5]]))
    assert any("NaN or infinite: 1 " in n for n in sources.open_capture(tmp_path / "a.json").notes)


# ------------------------------------------------------------------------------ more than memory


def test_more_than_is_taken_into_memory_asks_for_fewer_layers(tmp_path):
    path = tmp_path / "a.npy"
    data = npy(header("(40, 32, 2048, 2048)"))
    with path.open("wb") as file:
        file.write(data)
        file.truncate(len(data) + 4 * 40 * 32 * 2048 * 2048)
    found = sources.inspect(path)
    with pytest.raises(UserError, match=r"40 layers of a\.npy take 20\.0 GiB.*choose fewer"):
        sources.read(found, found.readings[0])


def test_one_layer_of_many_reads_that_layer_alone(tmp_path):
    path = tmp_path / "a.npy"
    with path.open("wb") as file:
        file.write(npy(header("(40, 32, 2048, 2048)")))
        file.truncate(file.tell() + 4 * 40 * 32 * 2048 * 2048)
    (entry,) = sources.inspect(path).entries
    tracemalloc.start()
    row = entry.read((7, 3, None, None))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert row.shape == (2048, 2048)
    assert peak < 2 * row.nbytes


# ------------------------------------------------------------------------------------ mutated bytes


def sound_files():
    """A small sound file of each format."""
    rng = np.random.default_rng(0)
    a = rng.random((2, 4, 4), np.float32)
    made = {}
    for name, save in (("npz", np.savez), ("npc", np.savez_compressed)):
        file = io.BytesIO()
        save(file, attn=a, tokens=np.array(["a", "b", "c", "d"]))
        made[name] = file.getvalue()
    file = io.BytesIO()
    np.save(file, a)
    made["npy"] = file.getvalue()
    made["json"] = json.dumps({"attn": a.tolist(), "tokens": list("abcd")}).encode()
    made["st"] = st_file(
        {"attn": tensor([2, 4, 4], 0, 128), "__metadata__": {"tokens": '["a"]'}}, a.tobytes()
    )
    return made


FILES = sound_files()


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    return tmp_path_factory.mktemp("mutated")


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_mutated_bytes_give_a_sentence_or_a_capture(scratch, data):
    kind = data.draw(st.sampled_from(sorted(FILES)))
    content = bytearray(FILES[kind])
    for _ in range(data.draw(st.integers(1, 6))):
        place = data.draw(st.integers(0, len(content) - 1))
        action = data.draw(st.sampled_from(["set", "insert", "delete", "cut", "double"]))
        if action == "set":
            content[place] = data.draw(st.integers(0, 255))
        elif action == "insert":
            content[place:place] = data.draw(st.binary(min_size=1, max_size=8))
        elif action == "delete":
            del content[place : place + 5]
        elif action == "double":
            content += content[place:]
        else:
            del content[max(1, place) :]
        if not content:
            content = bytearray(b"x")
    path = scratch / "a"
    path.write_bytes(content)
    try:
        capture = sources.open_capture(
            path, sources.Choices(axes="head,query,key", batch=None, causal=False)
        )
    except UserError:
        return
    assert isinstance(capture, Capture)
    assert capture.layers


def test_nothing_heavy_is_imported():
    assert "mhagui.sources" in sys.modules  # by this file; what a fresh start loads is seen below
    code = (
        "import mhagui.sources, sys; "
        "print([m for m in ('torch', 'matplotlib', 'PySide6', 'safetensors') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


# ------------------------------------------------------------------------------- any choice at all


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A file with something in every role, of sizes that are easily taken for one another."""
    rng, path = np.random.default_rng(4), tmp_path_factory.mktemp("whole") / "a.npz"
    arrays = {name: rng.normal(size=(2, 4, 4)) for name in ("attn", "q", "k", "v")}
    arrays |= {f"w_{name}": rng.normal(size=(4, 4)) for name in "qkvo"} | {"b_q": np.ones(4)}
    np.savez(path, x=rng.normal(size=(2, 4, 4)), bare=np.float32(1), **arrays)
    return sources.inspect(path)


AXES = ["layer", "batch", "head", "query", "key", "position", "width", "packed", "model"]


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_any_choice_gives_a_sentence_or_a_capture(whole, data):
    reading = sources.Reading(())
    if whole.readings and data.draw(st.booleans()):
        reading = data.draw(st.sampled_from(whole.readings))
    roles = ["weights", "q", "k", "v", "x", "w_q", "w_k", "w_v", "w_o", "b_q", "tokens"]
    entries = [entry.name for entry in whole.entries] + ["missing"]
    for _ in range(data.draw(st.integers(0, 4))):
        axes = data.draw(st.lists(st.sampled_from(AXES), max_size=4))
        role, entry = data.draw(st.sampled_from(roles)), data.draw(st.sampled_from(entries))
        reading = reading.with_part(role, entry, axes)
    few = st.none() | st.integers(-1, 3)
    reading = dataclasses.replace(
        reading,
        batch=data.draw(few),
        layers=data.draw(st.none() | st.lists(st.integers(-1, 2), max_size=2).map(tuple)),
        orientation=data.draw(st.sampled_from([None, "in x out", "out x in"])),
        heads=data.draw(few),
        key_heads=data.draw(few),
        causal=data.draw(st.sampled_from([None, True, False])),
        has_steps=data.draw(st.booleans()),
    )
    for look in (sources.questions, sources.evidence, sources.read):
        with contextlib.suppress(UserError):
            look(whole, reading)


def test_numbers_as_large_as_there_are_warn_of_nothing(tmp_path):
    huge = np.full((3, 3), 1.7e308)
    huge[0] = -1.7e308
    np.savez(tmp_path / "a.npz", attn=huge, q=huge[:, :2], k=huge[:, :2])
    notes = " ".join(sources.open_capture(tmp_path / "a.npz").notes)
    assert "Negative weights: 3" in notes
    large = np.full((3, 4), 3e38, np.float32)
    np.savez(tmp_path / "b.npz", x=large, w_q=np.full((4, 4), 3e38, np.float32), w_k=np.eye(4))
    choices = sources.Choices(heads=1, causal=True, orientation="in x out")
    notes = " ".join(sources.open_capture(tmp_path / "b.npz", choices).notes)
    assert "Numbers of q in layer 0 that are NaN or infinite: 12" in notes


@pytest.mark.skipif(np.dtype("longdouble").itemsize <= 8, reason="there are no longer doubles")
def test_long_doubles_beyond_float64_become_infinite_and_are_counted(tmp_path):
    weights = np.array([[1, 0], [np.longdouble("1e4000"), 0]], dtype="longdouble")
    np.save(tmp_path / "a.npy", weights)
    assert "NaN or infinite: 1" in " ".join(sources.open_capture(tmp_path / "a.npy").notes)


def test_many_members_are_no_way_around_the_bound_of_a_bomb(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        data = io.BytesIO()
        np.save(data, np.zeros((1, 1, 1500, 1500), np.float32))  # each well below the bound
        for number in range(12):
            archive.writestr(f"layer_{number}.npy", data.getvalue())
    assert "more than 200 times" in refused(tmp_path / "a.npz")


def test_names_of_ten_thousand_characters_and_twenty_thousand_arrays(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps({"k" * 10_000: [[1]]}))
    assert "has 10,000 characters; 500 are read" in refused(tmp_path / "a.json")
    (tmp_path / "b.json").write_text(json.dumps({f"k{at}": [1] for at in range(20_001)}))
    with pytest.raises(UserError, match="holds 20,001 arrays; 20,000 are read"):
        sources.inspect(tmp_path / "b.json")


def test_a_name_twice_among_very_many_is_found_at_once(tmp_path):
    fields = "".join(f'"k{at}":0,' for at in range(100_000))
    (tmp_path / "a.json").write_text("{" + fields + '"k99999":1}')
    with pytest.raises(UserError, match="“k99999” is there twice in one object"):
        sources.inspect(tmp_path / "a.json")


def test_control_characters_in_names_are_made_visible_in_notes(tmp_path):
    np.savez(tmp_path / "a.npz", **{"attn\x1b[31m": np.eye(3)})
    assert not any("\x1b" in note for note in sources.open_capture(tmp_path / "a.npz").notes)
