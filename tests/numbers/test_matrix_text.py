"""Matrices as text: each notation read back by the rules of the program it is written for."""

import ast
import csv
import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from matplotlib.mathtext import MathTextParser

from mhagui.data import Notation, Table, identifier, text_of
from mhagui.data.matrix_text import MAX_CELLS
from mhagui.document import compute, load_lesson
from mhagui.document.table_text import parse_table
from mhagui.errors import UserError

EXPECTED = json.loads((Path(__file__).parents[1] / "data/expected.json").read_text("utf-8"))
SHAPES = array_shapes(min_dims=2, max_dims=2, max_side=5)
FINITE = arrays(np.float64, SHAPES, elements=st.floats(allow_nan=False, allow_infinity=False))
ANY = arrays(np.float64, SHAPES, elements=st.floats())
WORDS = st.text(st.characters(exclude_categories=["C"]), max_size=12)
HOSTILE = [
    "[CLS]",
    "*",
    "a|b",
    'say "so"',
    "x & y",
    "50 %",
    "\\end{tabular}",
    "$",
    "_",
    "two\nlines",
]


def table_of(values, allowed=None, label="t{}", title="A_1: weights"):
    rows, columns = (tuple(label.format(n + 1) for n in range(side)) for side in values.shape)
    return Table(title, rows, columns, values, allowed)


def same(one, other):
    """Equal shape and equal floats, the sign of zero included; any NaN is NaN."""
    return one.shape == other.shape and all(
        (math.isnan(a) and math.isnan(b)) or a.hex() == b.hex()
        for a, b in zip(one.ravel().tolist(), other.ravel().tolist(), strict=True)
    )


def value_of(node):
    """Work out what Python makes of a literal in which np.nan and np.inf may stand."""
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -value_of(operand)
        case ast.Attribute(value=ast.Name("np"), attr=("nan" | "inf") as name):
            return getattr(np, name)
        case ast.List(elts=elements):
            return [value_of(element) for element in elements]
        case ast.Constant(value=float() as value):
            return value
    raise AssertionError(ast.dump(node))


def from_numpy(text):
    """Return name and array of ``name = np.array([...])``, which calls nothing else."""
    (statement,) = ast.parse(text).body
    (target,), call = statement.targets, statement.value
    assert ast.unparse(call.func) == "np.array"
    (literal,) = call.args
    return target.id, np.array(value_of(literal))


def from_rlab(text):
    """Return name and matrix: a comment, brackets, "," between cells and ";" between rows."""
    comment, _, statement = text.partition("\n")
    assert comment.startswith("% ")
    name, body = re.fullmatch(r"(\w+) = \[ (.*) \];", statement, re.DOTALL).groups()
    number = re.compile(r"-?(?:\d+\.?\d*(?:e[+-]?\d+)?|Inf|NaN)", re.ASCII)
    rows = [[cell.strip() for cell in row.split(",")] for row in body.split(";")]
    assert all(number.fullmatch(cell) for row in rows for cell in row)
    return name, np.array([[float(cell) for cell in row] for row in rows])


def latex_rows(lines):
    """Return the cells of lines that end in a double backslash; braces have to be balanced."""
    rows = []
    for line in lines:
        bare = re.sub(r"\\[{}\\&%$#_]", "", line.removesuffix(" \\\\"))
        assert bare.count("{") == bare.count("}")
        assert bare.count("$") % 2 == 0
        assert "%" not in bare
        rows.append([cell.strip() for cell in re.split(r"(?<!\\)&", line.removesuffix(" \\\\"))])
    return rows


def from_booktabs(text):
    comment, opening, top, head, mid, *body, bottom, closing = text.split("\n")
    assert comment.startswith("% ")
    assert (top, mid, bottom) == ("\\toprule", "\\midrule", "\\bottomrule")
    assert closing == "\\end{tabular}"
    columns = re.fullmatch(r"\\begin\{tabular\}\{(l(r+))\}", opening)[1]
    assert all(line.endswith(" \\\\") for line in [head, *body])
    rows = latex_rows([head, *body])
    assert {len(row) for row in rows} == {len(columns)}
    return rows


def from_bmatrix(text):
    lines = text.split("\n")
    opening, closing = lines.index("\\begin{bmatrix}"), lines.index("\\end{bmatrix}")
    assert closing == len(lines) - 1
    body = [line.strip() for line in lines[opening + 1 : closing]]
    assert [line.endswith(" \\\\") for line in body] == [True] * (len(body) - 1) + [False]
    return latex_rows(body)


def from_latex(cell):
    """Return the number that a reader of the page sees."""
    words = {"\\mathrm{NaN}": "nan", "\\infty": "inf", "-\\infty": "-inf"}
    cell = cell.strip("$")
    return float(words.get(cell, re.sub(r" \\times 10\^\{(-?\d+)\}", r"e\1", cell)))


def from_markdown(text):
    rows = [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in text.split("\n")
    ]
    assert rows[1] == [":--", *["--:"] * (len(rows[0]) - 1)]
    assert len({len(row) for row in rows}) == 1
    return [rows[0], *rows[2:]]


@given(FINITE, WORDS)
def test_what_is_copied_with_its_labels_is_pasted_to_the_same_floats(values, word):
    text = text_of(table_of(values, label=f"t{{}} {word.replace('{', '').replace('}', '')}"), "tsv")
    assert same(parse_table(text), values)


@pytest.mark.parametrize("word", HOSTILE)
def test_labels_stay_whole_in_a_spreadsheet(word):
    values = np.array([[1.0, -0.5]])
    text = text_of(Table("W_O", [word], ["d1", word], values), Notation.TABS)
    shown = " ".join(word.split())
    rows = list(csv.reader(text.splitlines(), delimiter="\t", strict=True))
    assert rows == [["", "d1", shown], [shown, "1", "-0.5"]]
    np.testing.assert_array_equal(parse_table(text), values)


def test_a_pasted_table_says_where_it_is_wrong_as_one_counts_with_its_labels():
    with pytest.raises(UserError, match=r"^“x” in row 3, column 2 of the pasted text is no number"):
        parse_table("\td1\td2\nh1\t1\t2\nh2\tx\t4")


@pytest.mark.parametrize(
    "text", ["\t1\t2\nh1\t3\t4", "\td1\td2\n1\t3\t4", "\td1\t\nh1\t3\t4", "\t"]
)
def test_an_empty_corner_beside_numbers_is_a_number_that_is_missing(text):
    with pytest.raises(UserError, match=r"row 1, column 1 of the pasted text is empty|is empty\.$"):
        parse_table(text)


@given(st.text(alphabet='\t\n[];,1.a"− \v', max_size=12))
def test_no_pasted_text_is_too_odd_for_an_answer(text):
    try:
        values = parse_table("\t" + text)
    except UserError:
        return
    assert np.isfinite(values).all()
    assert values.ndim == 2


@given(ANY)
def test_numpy_reads_the_same_floats(values):
    name, read = from_numpy(text_of(table_of(values), Notation.NUMPY))
    assert name == "A_1"
    assert read.dtype == np.float64
    assert same(read, values)


@given(ANY)
def test_rlab_reads_the_same_floats(values):
    name, read = from_rlab(text_of(table_of(values), Notation.RLAB))
    assert name == "A_1"
    assert same(read, values)


@given(ANY, st.sampled_from([Notation.BMATRIX, Notation.BOOKTABS]))
def test_latex_shows_all_digits(values, notation):
    text = text_of(table_of(values), notation)
    if notation is Notation.BMATRIX:
        cells = from_bmatrix(text)
    else:
        cells = [row[1:] for row in from_booktabs(text)[1:]]
    read = np.array([[from_latex(cell) for cell in row] for row in cells])
    np.testing.assert_array_equal(read, values)
    assert text.isascii()


@given(ANY)
def test_markdown_shows_all_digits(values):
    rows = from_markdown(text_of(table_of(values), Notation.MARKDOWN))
    words = {"–": "nan", "∞": "inf", "-∞": "-inf"}
    cells = [[cell.replace("−", "-") for cell in row[1:]] for row in rows[1:]]
    read = np.array([[float(words.get(cell, cell)) for cell in row] for row in cells])
    np.testing.assert_array_equal(read, values)


@pytest.mark.parametrize("word", HOSTILE)
def test_labels_break_no_table(word):
    table = Table("A_1", [word, word], [word, "x"], np.eye(2))
    assert len(from_booktabs(text_of(table, Notation.BOOKTABS))) == 3
    assert len(from_markdown(text_of(table, Notation.MARKDOWN))) == 3


def test_latex_has_all_signs_that_the_windows_labels_have():
    # Not even a new LaTeX sets Greek letters, minus signs or raised figures as they stand.
    words = ["σ₁", "ω/π", "|H| h1", "2²", "−1", "log₂ t", "Kᵀ", "A·V", "t1 – t4", "␣a"]
    table = Table("A_1: −", words, words, np.zeros((len(words), len(words))))
    text = text_of(table, Notation.BOOKTABS)
    assert text.isascii()
    for row in from_booktabs(text)[1:]:
        for formula in re.findall(r"\$[^$]+\$", row[0]):
            MathTextParser("path").parse(formula)


def test_labels_read_in_latex_as_they_do_in_the_window():
    table = Table("A_1", ["[CLS]", "a_b"], ["50 %", "W₁₂", "−x²"], np.zeros((2, 3)))
    rows = from_booktabs(text_of(table, Notation.BOOKTABS))
    # A bracket behind the end of a row would be read as a length.
    assert [row[0] for row in rows] == ["", "{[}CLS{]}", "a\\_b"]
    assert rows[0][1:] == ["50 \\%", "W$_{1}$$_{2}$", "$-$x$^{2}$"]


@pytest.mark.parametrize("digits", [None, 1, 4, 17])
@pytest.mark.parametrize("value", [0.0, -0.0, 1e-300, -2.5e17, 1 / 3, -1.0, math.nan, -math.inf])
def test_a_typesetter_understands_every_number(value, digits):
    text = text_of(table_of(np.array([[value]])), Notation.BOOKTABS, digits)
    cell = from_booktabs(text)[1][1]
    MathTextParser("path").parse(cell)  # raises for what is no formula
    assert not re.fullmatch(r"\$-0(\.0*)?\$", cell)


def test_a_wide_matrix_is_allowed_in_latex():
    # amsmath refuses more than ten columns unless it is told.
    wide, narrow = (text_of(table_of(np.ones((1, n))), Notation.BMATRIX) for n in (11, 10))
    assert "\\setcounter{MaxMatrixCols}{11}\n\\begin{bmatrix}" in wide
    assert "MaxMatrixCols" not in narrow


def test_the_projection_is_written_as_the_lesson_writes_it():
    scene = load_lesson("two-heads")
    reads, channels = ("h1.1", "h1.2", "h2.1", "h2.2"), ("d1", "d2", "d3", "d4")
    text = text_of(Table("W_O", reads, channels, scene.w_o), Notation.RLAB)
    assert text.split("\n") == [
        "% W_O",
        "W_O = [ 1.0, 0.0,  0.0, 0.0;",
        "        0.0, 1.0,  0.0, 0.0;",
        "        1.0, 0.0, -1.0, 0.0;",
        "        0.0, 0.0,  0.0, 1.0 ];",
    ]


@pytest.mark.parametrize("number", range(4))
def test_weights_of_the_lesson_in_every_notation(number):
    result = compute(load_lesson("four-heads"))
    table = table_of(result.heads[number].weights, result.allowed)
    known = np.array(EXPECTED["four_heads"]["attention"][number])
    below = np.tril_indices(len(known))
    above = np.triu_indices(len(known), 1)
    for read in (from_numpy, from_rlab):
        notation = Notation.NUMPY if read is from_numpy else Notation.RLAB
        np.testing.assert_allclose(read(text_of(table, notation))[1], known, atol=1e-12)
    tabs = [line.split("\t")[1:] for line in text_of(table, Notation.TABS).split("\n")[1:]]
    books = [row[1:] for row in from_booktabs(text_of(table, Notation.BOOKTABS))[1:]]
    bmatrix = from_bmatrix(text_of(table, Notation.BMATRIX))
    markdown = [row[1:] for row in from_markdown(text_of(table, Notation.MARKDOWN))[1:]]
    for cells in (tabs, books, bmatrix, markdown):
        shown = np.array(cells)
        assert set(shown[above]) == {""}
        read = [from_latex(cell.replace("−", "-")) for cell in shown[below]]
        np.testing.assert_allclose(read, known[below], atol=1e-12)


def test_masked_scores_are_empty_or_what_they_are():
    scores, allowed = np.array([[1.0, 2.0], [3.0, 4.0]]), np.tri(2, dtype=bool)
    table = table_of(scores, allowed, title="S_1 = Q·Kᵀ/√d_k")
    assert text_of(table, Notation.TABS) == "\tt1\tt2\nt1\t1\t\nt2\t3\t4"
    name, read = from_numpy(text_of(table, Notation.NUMPY))
    assert name == "S_1"
    np.testing.assert_array_equal(read, scores)


def test_an_entropy_profile_is_a_table():
    known = np.array(EXPECTED["four_heads"]["row_entropy_bits"])
    result = compute(load_lesson("four-heads"))
    bits = np.column_stack([head.row_entropy_bits for head in result.heads])
    heads, rows = ("h1", "h2", "h3", "h4"), tuple(f"t{t}" for t in range(1, 7))
    text = text_of(Table("Row entropy, bits", rows, heads, bits), Notation.MARKDOWN, 7)
    # The lesson prints six decimals.
    assert from_markdown(text)[4] == ["t4", *(f"{value:.6f}" for value in known[:, 3])]


@pytest.mark.parametrize("notation", Notation)
def test_numbers_stand_in_line_with_as_many_decimals_as_the_largest_needs(notation):
    text = text_of(table_of(np.array([[12.3456, -0.04], [-0.0001, 1.0]])), notation, 4)
    ascii_text = text.replace("−", "-")
    for number in ("12.35", "-0.04", "0.00", "1.00"):
        assert re.search(rf"(?<![\d.-]){re.escape(number)}(?!\d)", ascii_text)
    assert "-0.00" not in ascii_text


@pytest.mark.parametrize(("largest", "written"), [(123456.7, "123457"), (1234567.8, "1.23457e+06")])
def test_an_exponent_is_written_from_a_million_on(largest, written):
    values = np.array([[largest, 0.0]])
    assert parse_table(text_of(table_of(values), Notation.TABS, 6))[0, 0] == float(written)
    assert written in text_of(table_of(values), Notation.TABS, 6)
    assert from_numpy(text_of(table_of(values), Notation.NUMPY, 6))[1].dtype == np.float64


@given(
    arrays(np.float64, SHAPES, elements=st.floats(-1e300, 1e300)),
    st.integers(1, 17),
    st.sampled_from([(Notation.NUMPY, from_numpy), (Notation.RLAB, from_rlab)]),
)
def test_rounded_numbers_are_off_by_no_more_than_half_the_last_digit(values, digits, script):
    notation, read_by = script
    _, read = read_by(text_of(table_of(values), notation, digits))
    # The last digit of the largest number is worth at most this; denormal numbers have no half.
    last = np.abs(values).max() * 10.0 ** (1 - digits)
    assert read.dtype == np.float64
    assert (np.abs(read - values) <= last / 2 * (1 + 1e-9) + np.spacing(np.abs(values))).all()


@pytest.mark.parametrize("digits", [0, 18, -1])
def test_digits_that_no_number_has_are_refused(digits):
    with pytest.raises(UserError, match=f"^Numbers have 1 to 17 digits, not {digits}.$"):
        text_of(table_of(np.eye(2)), Notation.TABS, digits)


def test_what_is_too_large_for_a_text_is_refused_with_what_would_do():
    side = math.isqrt(MAX_CELLS) + 1
    values = np.broadcast_to(0.5, (side, side))
    with pytest.raises(UserError, match=r"^A_1: weights has 1,050,625 cells; .* as NPZ instead\.$"):
        text_of(table_of(values), Notation.TABS)


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("W_O", "W_O"),
        ("A_2: weights of head 2", "A_2"),
        ("A₂, weights", "A2"),
        ("Concat = [O_1 .. O_H]", "Concat"),
        ("Row entropy, bits", "Row_entropy"),
        ("O (output)", "O"),
        ("4·d_model²", "M_4_d_model2"),
        ("größe", "gr_e"),
        ("∞", "M"),
        ("", "M"),
        ("lambda", "lambda_"),
        ("end", "end_"),
        ("np", "np_"),
    ],
)
def test_variables_are_called_by_the_symbol_of_the_title(title, name):
    assert identifier(title) == name


@given(st.text(max_size=20))
def test_every_title_gives_a_name_and_one_line_of_comment(title):
    assert re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", identifier(title))
    table = table_of(np.eye(2), title=title)
    name, read = from_numpy(text_of(table, Notation.NUMPY))
    assert name == identifier(title)
    assert from_rlab(text_of(table, Notation.RLAB))[0] == name
    np.testing.assert_array_equal(read, np.eye(2))
    from_booktabs(text_of(table, Notation.BOOKTABS))
    from_bmatrix(text_of(table, Notation.BMATRIX))


def test_labels_that_do_not_fit_are_an_error_of_the_program():
    with pytest.raises(ValueError, match="several shapes"):
        Table("A_1", ["t1"], ["t1"], np.eye(2))
    with pytest.raises(ValueError, match="several shapes"):
        Table("A_1", ["t1"], ["t1"], np.eye(1), np.ones((2, 2), dtype=bool))
