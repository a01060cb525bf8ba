"""Session files that are broken, or made to do harm: one sentence each, and little memory.

Peak memory is at most nine times the file and 64 MB; most are refused before anything is unpacked.
"""

import io
import json
import re
import struct
import time
import tracemalloc
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mhagui.document import Session, load_lesson
from mhagui.document.session_file import session_from_bytes, session_to_bytes, session_to_json
from mhagui.errors import UserError

KEPT = Path(__file__).parents[1] / "data" / "sessions"
END = 22  # bytes of the record at the end of a zip file
W_O = "arrays/w_o.npy"


@pytest.fixture(scope="module")
def saved():
    """A small session file in which most kinds of matrices are."""
    return (KEPT / "version-3.mhascene").read_bytes()


@pytest.fixture(scope="module")
def members(saved):
    with zipfile.ZipFile(io.BytesIO(saved)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(members, method=zipfile.ZIP_STORED):
    """A zip file of members by name, or of pairs where a name comes twice."""
    file = io.BytesIO()
    pairs = members.items() if isinstance(members, dict) else members
    with warnings.catch_warnings(), zipfile.ZipFile(file, "w") as archive:
        warnings.simplefilter("ignore")  # zipfile warns of names that come twice
        for name, content in pairs:
            archive.writestr(zipfile.ZipInfo(name), content, method)
    return file.getvalue()


def npy(header, numbers=b"", version=b"\x01\x00"):
    text = header.encode() + b"\n"
    return b"\x93NUMPY" + version + struct.pack("<H", len(text)) + text + numbers


def described(shape, kind="<f8", order=False):
    return f"{{'descr': '{kind}', 'fortran_order': {order}, 'shape': {shape}, }}"


def refusal(content):
    """The sentence with which a file is refused, which costs little memory and time."""
    began = time.process_time()
    tracemalloc.start()
    try:
        with pytest.raises(UserError) as caught:
            session_from_bytes(content)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 9 * len(content) + 64 * 2**20
    assert time.process_time() - began < 10
    return checked(caught.value)


def checked(error):
    sentence = str(error)
    assert sentence.isprintable()  # so it is one line too
    assert 10 < len(sentence) < 600
    assert re.search(r"[^.…]\.$", sentence)
    return sentence


def is_opened(content):
    """Whether a file is opened; anything but a UserError of one sentence is a fault."""
    try:
        session = session_from_bytes(content)
    except UserError as error:
        checked(error)
        return False
    assert session_from_bytes(session_to_bytes(session)) == session
    return True


# ---------------------------------------------------------------------------------- cut and garbled


def test_what_is_cut_short_anywhere_is_refused(saved):
    assert is_opened(saved)
    assert not any(is_opened(saved[:length]) for length in range(len(saved)))


def test_text_that_is_cut_short_anywhere_is_refused():
    text = session_to_json(Session.of(load_lesson("two-heads"))).rstrip()
    assert is_opened(text)
    assert not any(is_opened(text[:length]) for length in range(len(text)))


def test_a_file_cut_at_its_start_or_with_something_behind_it_is_refused(saved):
    assert "not UTF-8" in refusal(saved[100:]) or "not JSON" in refusal(saved[100:])
    assert "whose end is missing; it may have been cut short." in refusal(saved + b"\n")
    assert "it does not fit the rest." in refusal(b"PK\3\4" + saved)


@given(st.binary(max_size=300), st.sampled_from([b"", b"PK\3\4", b"PK\5\6", b"\x93NUMPY", b"{"]))
def test_random_bytes_are_refused(content, start):
    assert not is_opened(start + content)
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, len(content), 4, 0)
    assert not is_opened(b"PK\3\4" + content + end)


def test_each_byte_of_a_file_may_be_another(saved):
    """A changed byte is refused, or changes what needs no check: dates, say, or attributes."""
    opened = 0
    for place in range(len(saved)):
        changed = bytearray(saved)
        changed[place] ^= 0x55
        opened += is_opened(bytes(changed))
    assert 0 < opened < len(saved) / 3


# ------------------------------------------------------------------------------------- the zip file


def with_end(saved, **changes):
    names = ("signature", "disk", "first", "here", "all", "size", "place", "comment")
    end = dict(zip(names, struct.unpack("<4s4H2LH", saved[-END:]), strict=True)) | changes
    return saved[:-END] + struct.pack("<4s4H2LH", *end.values())


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"signature": b"PK\5\7"}, "it is a zip file whose end is missing; it may have been cut"),
        ({"disk": 1}, "the end of the zip file is damaged: it does not fit the rest."),
        ({"here": 3}, "the end of the zip file is damaged: it does not fit the rest."),
        ({"comment": 5}, "the end of the zip file is damaged: it does not fit the rest."),
        ({"size": 2**32 - 1}, "the end of the zip file is damaged: it does not fit the rest."),
        ({"place": 2**32 - 1}, "the end of the zip file is damaged: it does not fit the rest."),
        ({"here": 10, "all": 10}, "the zip file has 11 members; its end says 10."),
        ({"here": 2**16 - 1, "all": 2**16 - 1}, "the zip file has 65,535 members, in a directory"),
        ({"size": 0, "place": 0}, "the end of the zip file is damaged: it does not fit the rest."),
    ],
)
def test_the_end_of_a_zip_file_is_looked_at_before_its_directory(saved, changes, sentence):
    assert sentence in refusal(with_end(saved, **changes))


def test_a_directory_of_a_million_bytes_is_not_read(saved):
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 100, 100, 10**6, 4, 0)
    told = refusal(b"PK\3\4" + b"PK\1\2" * 250_000 + end)
    assert told.startswith("the zip file has 100 members, in a directory of 1,000,000 bytes; a sc")


def test_a_directory_hidden_behind_the_sizes_of_large_files_is_not_followed(saved):
    locator = struct.pack("<4sLQL", b"PK\6\7", 0, 0, 1)
    end = struct.unpack("<4s4H2LH", saved[-END:])
    # where a reader may take it for the comment of the last member
    content = saved[:-END] + locator + saved[-END:]
    content = with_end(content, size=end[5] + len(locator))
    assert refusal(content) == "it is a zip file for sizes beyond 4 GB, which no scene has."


def test_five_thousand_members_are_not_looked_at(members):
    many = members | {f"arrays/m{number}.npy": b"" for number in range(5000)}
    assert refusal(zipped(many)).startswith("the zip file has 5,011 members, in a directory of")


def test_a_zip_file_without_anything_or_without_a_scene(members):
    assert refusal(zipped({})) == "it is a zip file without scene.json."
    assert refusal(zipped({W_O: members[W_O]})) == "it is a zip file without scene.json."
    nested = {f"mine/{name}": content for name, content in members.items()}
    assert refusal(zipped(nested)) == "it is a zip file without scene.json."


@pytest.mark.parametrize(
    "name",
    [
        "../w_o.npy",
        "arrays/../../w_o.npy",
        "/etc/passwd",
        "C:w_o.npy",
        "arrays\\w_o.npy",
        "arrays/sub/w_o.npy",
        "arrays/.npy",
        "arrays/w_o.npy.exe",
        "arrays/x\n.npy",
        "arrays/größe.npy",
        "arrays/" + "x" * 200 + ".npy",
        "Scene.json",
        "scene.json/",
        "__MACOSX/._scene.json",
    ],
)
def test_names_that_no_scene_has_are_refused(members, name):
    assert refusal(zipped(members | {name: b""})).startswith("the zip file has a member “")


def test_a_name_with_something_behind_a_zero_byte_is_refused(members):
    content = zipped(members | {"arrays/x.npy_.exe": b""}).replace(b"npy_.exe", b"npy\0.exe")
    assert "has a member “arrays/x.npy\\x00.exe”" in refusal(content)


def test_a_name_that_comes_twice_is_refused(members):
    twice = [*members.items(), (W_O, members[W_O])]
    assert refusal(zipped(twice)) == f"two members of the zip file are called “{W_O}”."
    twice = [*members.items(), ("scene.json", b"{}")]
    assert refusal(zipped(twice)) == "two members of the zip file are called “scene.json”."


def test_a_matrix_that_is_missing_or_is_none_of_the_scenes(members):
    less = {name: content for name, content in members.items() if name != W_O}
    assert refusal(zipped(less)) == f"w_o is to be in “{W_O}”, which is not in the file."
    more = members | {"arrays/more.npy": members[W_O]}
    assert refusal(zipped(more)) == "it holds arrays/more.npy, which scene.json does not name."


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_members_packed_by_methods_that_cannot_be_bounded_are_refused(members, method):
    told = refusal(zipped(members, method))
    assert told == f"scene.json is packed by method {method}; a scene's members by 0 or 8."


def in_directory(saved, name, offset, value):
    """The file with other bytes in the entry that its directory has of a member."""
    directory = struct.unpack("<L", saved[-6:-2])[0]
    place = saved.index(name.encode(), directory) - 46 + offset
    return saved[:place] + value + saved[place + len(value) :]


FLAGS, METHOD, CRC, PACKED, SIZE, HEADER = 8, 10, 16, 20, 24, 42  # in an entry of a directory


@pytest.mark.parametrize(
    ("offset", "value", "sentence"),
    [
        (FLAGS, b"\x01\0", "is encrypted or patched; a scene's members are not."),
        (FLAGS, b"\x40\0", "is encrypted or patched; a scene's members are not."),
        (FLAGS, b"\x20\0", "is encrypted or patched; a scene's members are not."),
        (METHOD, b"\x63\0", "is packed by method 99; a scene's members by 0 or 8."),
        (METHOD, b"\x08\0", "is damaged: it cannot be unpacked."),
        (CRC, b"\0\0\0\0", "is damaged: it cannot be unpacked."),
        (SIZE, b"\xff\xff\xff\x7f", "says it has 2,147,483,647 bytes; there it is at most"),
        (SIZE, b"\1\0\0\0", "is stored in"),
        (PACKED, b"\1\0\0\0", "is stored in 1 bytes, but has"),
        (HEADER, b"\xff\xff\xff\x7f", "lies beyond the end of the file."),
        (HEADER, b"\1\0\0\0", "lies over another member of the file."),
    ],
)
@pytest.mark.parametrize("name", ["scene.json", W_O])
def test_what_the_directory_says_of_a_member_is_checked(saved, name, offset, value, sentence):
    told = refusal(in_directory(saved, name, offset, value))
    assert sentence in told
    assert name in told or "lies over" in told


@pytest.mark.parametrize("place", [2**63 - 1, 2**64 - 1])
def test_a_member_that_is_said_to_lie_where_no_file_reaches_is_refused(members, place):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            member = zipfile.ZipInfo(name)
            if name == W_O:
                member.extra = struct.pack("<HHQ", 1, 8, place)  # as for files beyond 4 GB
            archive.writestr(member, content)
    content = in_directory(file.getvalue(), W_O, HEADER, b"\xff" * 4)
    assert refusal(content) == f"{W_O} lies beyond the end of the file."


def test_members_that_share_their_bytes_are_refused(saved):
    """So small files are made that unpack to much: every member has all others inside it."""
    content = in_directory(saved, W_O, HEADER, struct.pack("<L", saved.index(b"PK\3\4", 1)))
    assert "lies over another member of the file." in refusal(content)


# -------------------------------------------------------------------------------------------- bombs


def test_a_bomb_in_place_of_the_text_is_not_unpacked(members):
    bomb = zipped(members | {"scene.json": b" " * 50_000_000}, zipfile.ZIP_DEFLATED)
    assert len(bomb) < 60_000
    assert (
        refusal(bomb) == "scene.json says it has 50,000,000 bytes; there it is at most 2,097,152."
    )


def test_deflated_matrices_that_are_too_large_together_are_not_unpacked(members):
    array = npy(described((4096, 256)), b"\0" * 2**23)
    bomb = {f"arrays/m{number}.npy": array for number in range(5)}
    content = zipped(members | bomb, zipfile.ZIP_DEFLATED)
    assert len(content) < 60_000
    assert refusal(content).startswith("unpacked its deflated members would have 41,9")


def test_a_member_that_unpacks_to_more_than_it_says_is_not_unpacked_to_its_end(members):
    content = zipped(members | {W_O: b"\0" * 50_000_000}, zipfile.ZIP_DEFLATED)
    content = in_directory(content, W_O, SIZE, struct.pack("<L", 200))
    assert refusal(content) == f"{W_O} is damaged: it cannot be unpacked."


def test_a_matrix_that_all_heads_name_is_unpacked_once(members):
    text = json.loads(members["scene.json"])
    named = {"x": W_O, "w_o": W_O, "sequence_length": 4096, "source": None}
    named |= {"tokens": [], "vocabulary": [], "position_code": False}
    named["heads"] = [text["heads"][2] | {"uid": uid, "w_v": W_O} for uid in range(1, 33)]
    array = npy(described((4096, 256)), b"\0" * 2**23)
    content = zipped({"scene.json": json.dumps(text | named), W_O: array}, zipfile.ZIP_DEFLATED)
    assert len(content) < 20_000
    assert refusal(content).startswith("The matrices of this scene hold 35,651,584 numbers")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(b'{"a": "' + "😀".encode() + b"a" * 2**24 + b'"}', id="wide characters"),
        pytest.param(b'{"a": "' + b"\\n" * 2**23 + "😀".encode() + b'"}', id="escapes"),
        pytest.param(b'{"a": [' + b"1.5," * 999_990 + b"1]}", id="numbers"),
        pytest.param(b'{"a": [' + b"[]," * 199_990 + b"1]}", id="lists"),
        pytest.param(b'{"a": [' + b'{"a":1},' * 199_990 + b"1]}", id="objects"),
        pytest.param(b'{"a": ' + b"[" * 190_000, id="deep"),
        pytest.param(b'{"a": 1e' + b"1" * 2**24 + b"}", id="digits"),
        pytest.param(b'{"a": ' + b"1" * 2**24 + b"}", id="a whole number"),
        pytest.param(b" " * 2**24, id="spaces"),
        pytest.param(b"\0" * 2**24, id="zeros"),
    ],
)
def test_text_that_would_be_much_in_memory_is_bounded(text):
    refusal(text)


# ----------------------------------------------------------------------------------------- matrices


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is not a .npy file of version 1.0."),
        (b"\x93NUMPY\x01\x00", "is longer than that of a matrix, or cut short."),
        (b"\x93NUMPY\x01\x00\xff\xff" + b" " * 70_000, "is longer than that of a matrix, or cut"),
        (npy(described((3, 5)), b"\0" * 120, b"\x02\x00"), "is not a .npy file of version 1.0."),
        (npy(described((3, 5)), b"\0" * 119), "has 119 bytes of numbers, but a matrix of 3 × 5 ha"),
        (npy(described((3, 5)), b"\0" * 121), "has 121 bytes of numbers, but a matrix of 3 × 5 ha"),
        (npy(described((3, 5))), "has 0 bytes of numbers, but a matrix of 3 × 5 has 120."),
        (npy(described((2**20, 2**20))), "has the shape (1048576, 1048576); a matrix of a scene"),
        (npy(described((9999, 9999))), "is 9999 × 9999; a matrix of a scene is at least 1 × 1"),
        (npy(described((0, 5))), "is 0 × 5; a matrix of a scene is at least 1 × 1 and holds"),
        (npy(described((15,)), b"\0" * 120), "has the shape (15,); a matrix of a scene has two"),
        (npy(described(()), b"\0" * 8), "has the shape (); a matrix of a scene has two sizes, of"),
        (npy(described((3, 5, 1)), b"\0" * 120), "has the shape (3, 5, 1); a matrix of a scene"),
        (npy(described("(-3, 5)"), b"\0" * 120), "is not that of a matrix as NumPy writes it."),
        (npy(described((3, 5), order=True), b"\0" * 120), "is stored by columns; a matrix of a sc"),
        (npy(described((3, 5), ">f8"), b"\0" * 120), "holds “>f8”; a matrix of a scene holds “<f8"),
        (npy(described((3, 5), "<f4"), b"\0" * 60), "holds “<f4”; a matrix of a scene holds “<f8"),
        (npy(described((3, 5), "|O"), b"\0" * 120), "holds “|O”; a matrix of a scene holds “<f8”."),
        (npy("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (3, 5), }"), "is not th"),
        (npy("__import__('os').abort()"), "is not that of a matrix as NumPy writes it."),
        (npy("(" * 400), "is not that of a matrix as NumPy writes it."),
        (npy("\\d"), "is not that of a matrix as NumPy writes it."),
        (b"\x80\x04\x95 a pickle", "is not a .npy file of version 1.0."),
    ],
)
def test_a_matrix_is_not_made_before_its_header_fits_its_bytes(members, content, sentence):
    told = refusal(zipped(members | {W_O: content}))
    assert sentence in told
    assert W_O in told


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf, 1e31])
@pytest.mark.parametrize("name", ["w_o", "x", "head-1-q", "head-2-w_k", "head-3-w_v", "transition"])
def test_numbers_that_no_scene_holds_are_refused(members, name, number):
    name = f"arrays/{name}.npy"
    with io.BytesIO(members[name]) as file:
        matrix = np.load(file)
    matrix[1, 0] = number
    with io.BytesIO() as file:
        np.save(file, matrix)
        told = refusal(zipped(members | {name: file.getvalue()}))
    assert re.search(r"row 2, column 1 is (nan|inf|-inf|1e\+31)|probabilit", told)


def test_a_matrix_of_the_wrong_shape_is_named(members):
    with io.BytesIO() as file:
        np.save(file, np.zeros((2, 5)))
        content = file.getvalue()
    told = refusal(zipped(members | {W_O: content}))
    assert told.startswith("W_O is 2 × 5, but these heads need 3 × 5")
    told = refusal(zipped(members | {"arrays/head-1-q.npy": content}))
    assert told.startswith("Q of head “hand-set” is 2 × 5, but this scene needs 3 × 2")


# ----------------------------------------------------------------------------------------- the text


def told_of(members, **changes):
    text = json.loads(members["scene.json"]) | changes
    return refusal(zipped(members | {"scene.json": json.dumps(text)}))


def test_a_newer_version_is_named_before_anything_else_is_looked_at(members):
    text = {"format": "mhagui scene", "version": 5, "app": "2.0", "all": "new"}
    newer = {"scene.json": json.dumps(text), "video/../x.mp4": b"", W_O: b"packed otherwise"}
    assert refusal(zipped(newer)) == (
        "it was saved by mhagui 2.0; its format version is 5, this program reads 1 to 4."
    )


def test_the_text_in_a_zip_file_is_checked_as_all_text_is(members):
    assert told_of(members, format="svg") == 'it lacks "format": "mhagui scene".'
    assert told_of(members, colour=1) == "it has an unknown entry, “colour”."
    assert "w_o must be text or a list, not a whole number." in told_of(members, w_o=3)
    assert "x is to be in “/etc/passwd”, which is" in told_of(members, x="/etc/passwd")
    assert "x is to be in “scene.json”, which is not" in told_of(members, x="scene.json")
    assert "“\N{REPLACEMENT CHARACTER}”" in told_of(members, x="\ud800")
    assert "holds at most 16,777,216 numbers." in refusal(
        zipped(members | {W_O: npy(described((4096, 4097)), b"\0" * 2**23)})
    )
    for text, told in ((b"", "it is empty."), (b"[" * 100_000, "it is nested too deeply.")):
        assert refusal(zipped(members | {"scene.json": text})) == told


def test_text_alone_names_no_members():
    text = json.loads(session_to_json(Session.of(load_lesson("two-heads")))) | {"w_o": W_O}
    told = refusal(json.dumps(text).encode())
    assert told == f"w_o is “{W_O}”; in JSON text its rows stand there."


def test_rows_may_stand_in_the_text_of_a_zip_file(members):
    text = json.loads(members["scene.json"])
    with io.BytesIO(members[W_O]) as file:
        text["w_o"] = np.load(file).tolist()
    less = {name: content for name, content in members.items() if name != W_O}
    content = zipped(less | {"scene.json": json.dumps(text)})
    assert session_from_bytes(content) == session_from_bytes(zipped(members))


def test_a_million_settings_of_a_head_make_no_long_sentence():
    scene = json.loads(session_to_json(Session.of(load_lesson("four-heads"))))
    scene["heads"][0]["settings"] = [1.5] * 1_000_000
    begin = time.perf_counter()
    with pytest.raises(UserError) as raised:
        session_from_bytes(json.dumps(scene).encode())
    assert time.perf_counter() - begin < 5
    assert "got 1000000 numbers" in str(raised.value)
    assert len(str(raised.value)) < 300
