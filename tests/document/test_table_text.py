"""Tables as text: what copy writes and what people paste."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from mhagui.document.table_text import MAX_CHARACTERS, parse_number, parse_table, write_table
from mhagui.errors import UserError

FINITE = st.floats(allow_nan=False, allow_infinity=False)
TABLES = arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=5), elements=FINITE)


def same(one, other):
    """Equal shape and equal floats, the sign of zero included."""
    return one.shape == other.shape and one.tobytes() == other.tobytes()


def with_commas(values):
    """As a spreadsheet with decimal commas writes it; a last column of 0,5 shows the commas."""
    marked = np.column_stack([values, np.full(len(values), 0.5)])
    return marked, write_table(marked).replace(".", ",")


@given(TABLES)
def test_what_copy_writes_paste_reads_to_the_same_floats(values):
    assert same(parse_table(write_table(values)), values)


@given(TABLES)
def test_line_ends_of_spreadsheets_change_nothing(values):
    text = write_table(values).replace("\n", "\r\n") + "\r\n"
    assert same(parse_table(text), values)


@given(TABLES)
def test_decimal_commas_are_read(values):
    values, text = with_commas(values)
    assert same(parse_table(text), values)


@given(TABLES)
def test_semicolons_and_decimal_commas_are_read(values):
    values, text = with_commas(values)
    assert same(parse_table(text.replace("\t", ";")), values)


@given(TABLES)
def test_quoted_cells_are_read(values):
    values, text = with_commas(values)
    quoted = "\r\n".join(
        "\t".join(f'"{cell}"' for cell in line.split("\t")) for line in text.split("\n")
    )
    assert same(parse_table(quoted), values)


@given(TABLES)
def test_blanks_as_columns_are_read(values):
    assert same(parse_table(write_table(values).replace("\t", "   ")), values)


@given(TABLES)
def test_commas_with_spaces_are_read(values):
    assert same(parse_table(write_table(values).replace("\t", ", ")), values)


@given(TABLES)
def test_nested_lists_are_read(values):
    assert same(parse_table(repr(values.tolist())), values)


@given(TABLES)
def test_matlab_brackets_are_read(values):
    text = write_table(values).replace("\t", " ").replace("\n", "; ")
    assert same(parse_table(f"[ {text} ]"), values)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("0,5", [[0.5]]),
        ("−2", [[-2]]),
        ("1\t-0.5\r\n\r\n", [[1, -0.5]]),
        ("0,5\r\n1\r\n-0,25\r\n", [[0.5], [1], [-0.25]]),
        ("0,5\t1,234\r\n2\t3", [[0.5, 1.234], [2, 3]]),
        ("1,0,0\n0,1,0", [[1, 0, 0], [0, 1, 0]]),
        ("1.5,2\n3,4", [[1.5, 2], [3, 4]]),
        ('"0,5","1"\n"2","3"', [[0.5, 1], [2, 3]]),
        ("0,5 1,25\n1 2", [[0.5, 1.25], [1, 2]]),
        ("[[1.  0. ]\n [0.5 -1. ]]", [[1, 0], [0.5, -1]]),
        ("[[1, 2,\n  3], [4, 5, 6]]", [[1, 2, 3], [4, 5, 6]]),
        ("[ 1.0, 0.0;\n        0.0, -1.0 ]", [[1, 0], [0, -1]]),
        ("[1 2 3]", [[1, 2, 3]]),
    ],
)
def test_what_people_paste(text, values):
    assert parse_table(text).tolist() == values


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "1\t2\n3\tabc",
            "“abc” in row 2, column 2 of the pasted text is no number; "
            "write it like 0.5, −2 or 1e-3.",
        ),
        (
            "1\t\t2",
            "The cell in row 1, column 2 of the pasted text is empty; "
            "write it like 0.5, −2 or 1e-3.",
        ),
        (
            "1\tnan",
            "“nan” in row 1, column 2 of the pasted text is not a finite number; "
            "write it like 0.5, −2 or 1e-3.",
        ),
        (
            "1\n-inf",
            "“−inf” in row 2, column 1 of the pasted text is not a finite number; "
            "write it like 0.5, −2 or 1e-3.",
        ),
        (
            "1e400",
            "“1e400” in row 1, column 1 of the pasted text is larger than any number "
            "a cell can hold.",
        ),
        (
            "1.234,5",
            "“1.234,5” in row 1, column 1 of the pasted text has more than one decimal mark; "
            "write it like 0.5, −2 or 1e-3.",
        ),
        (
            "0.5\t1,234",
            "“1,234” in row 1, column 2 of the pasted text can mean 1.234 or 1234; "
            "write either of them.",
        ),
        (
            "0,5\t1.234",
            "“1.234” in row 1, column 2 of the pasted text can mean 1,234 or 1234; "
            "write either of them.",
        ),
        (
            "1\t2\n3",
            "Row 2 of the pasted text, “3”, has 1 column, but row 1 has 2 columns.",
        ),
        (
            "1 2\n\n3 4",
            "Row 2 of the pasted text, “”, has no columns, but row 1 has 2 columns.",
        ),
        (
            "1,0\n0,1",
            "“1,0” in the pasted text can be one number or the numbers 1 and 0; "
            "separate columns by tabs or semicolons.",
        ),
        (
            "[[1, 2], [3, 4",
            "The brackets of the pasted text cannot be read; "
            "write it like [[1, 0], [0, 1]] or [1 0; 0 1].",
        ),
        ('"1"2\t3', "The pasted text has a quoted cell with no end or a rest."),
        (" \r\n", "There is nothing to paste: the text is empty."),
        ("[]", "There is nothing to paste: the brackets are empty."),
    ],
)
def test_what_is_no_table_is_refused_with_its_place_and_text(text, sentence):
    with pytest.raises(UserError) as refusal:
        parse_table(text)
    assert str(refusal.value) == sentence


@pytest.mark.parametrize("text", ['"1\n2"\t3', "1\xa0000", "1_000", "0x10", "٣", "[1,,2]", "1;2;"])
def test_what_only_looks_like_numbers_is_refused(text):
    with pytest.raises(UserError):
        parse_table(text)


def test_a_cell_of_many_letters_is_quoted_in_part():
    with pytest.raises(UserError, match=r"^“x{30}…” in row 1"):
        parse_table("x" * 5000)


def test_a_text_that_would_take_minutes_is_refused_unread():
    with pytest.raises(UserError, match=f"at most {MAX_CHARACTERS} are read"):
        parse_table("1\t" * MAX_CHARACTERS)


@pytest.mark.parametrize(
    ("text", "value"),
    [("0.5", 0.5), ("0,5", 0.5), ("1e-3", 1e-3), ("−2", -2.0), (" +.5 ", 0.5), ("12,5E2", 1250.0)],
)
def test_a_typed_number(text, value):
    assert parse_number(text) == value


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "The cell is empty; write it like 0.5, −2 or 1e-3."),
        ("nan", "“nan” is not a finite number; write it like 0.5, −2 or 1e-3."),
        ("1.234,5", "“1.234,5” has more than one decimal mark; write it like 0.5, −2 or 1e-3."),
        ("1,234", "“1,234” can mean 1.234 or 1234; write either of them."),
    ],
)
def test_a_typed_text_that_is_no_number_is_refused_in_one_sentence(text, sentence):
    with pytest.raises(UserError) as refusal:
        parse_number(text)
    assert str(refusal.value) == sentence
