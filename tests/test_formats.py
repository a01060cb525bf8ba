import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mhagui.formats import (
    UNDEFINED,
    USUAL,
    Precision,
    cell,
    duration,
    exact,
    fixed,
    head_columns,
    positions,
    short,
    significant,
)

INF, NAN = math.inf, math.nan
finite = st.floats(-1e300, 1e300)


def read_back(text):
    return float(text.removeprefix("≈").replace("−", "-"))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        # whole numbers whole: these are exact
        (0, "0"), (-0.0, "0"), (1, "1"), (-1.0, "−1"), (12.0, "12"), (999.0, "999"), (True, "1"),
        # all others have two decimals, and so are seen to be rounded
        (0.9233, ".92"), (-0.5, "−.50"), (0.25, ".25"), (12.25, "12.25"), (-1.5, "−1.50"),
        (10.5, "10.50"), (0.005, ".01"), (0.995, ".99"), (999.6, "999.60"),
        # nearly a whole number is not that number
        (0.9999, "≈1"), (-0.9999, "≈−1"), (0.0000066, "≈0"), (-0.0000066, "≈0"),
        (0.004999, "≈0"), (10.001, "≈10"), (1e-300, "≈0"),
        # large ones
        (1000, "1e3"), (1234.5, "1.23e3"), (1e6, "1e6"), (-1e300, "−1e300"),
        (INF, "∞"), (-INF, "−∞"), (NAN, UNDEFINED),
    ],
)  # fmt: skip
def test_cell(value, text):
    assert cell(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"), (-0.0, "0"), (1, "1"), (0.25, "0.25"), (-1.5, "−1.5"), (1234.5, "1234"),
        (0.92335, "0.9234"), (2.1e-7, "2.1e−7"), (-1.11e-16, "−1.11e−16"), (1e6, "1e6"),
        (1e10, "1e10"), (1.5e300, "1.5e300"), (INF, "∞"), (-INF, "−∞"), (NAN, UNDEFINED),
    ],
)  # fmt: skip
def test_short(value, text):
    assert short(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0.000"), (-0.0, "0.000"), (-0.0004, "0.000"), (-0.0006, "−0.001"), (1, "1.000"),
        (0.46787, "0.468"), (-2.5, "−2.500"), (999999, "999999.000"), (1e6, "1000000"),
        (1e9, "1e9"), (1e300, "1e300"), (INF, "∞"), (-INF, "−∞"), (NAN, UNDEFINED),
    ],
)  # fmt: skip
def test_fixed(value, text):
    assert fixed(value) == text


def test_decimals_and_digits_can_be_chosen():
    assert fixed(1.26, 1) == "1.3"
    assert fixed(-0.4, 0) == "0"
    assert short(1.26, 2) == "1.3"


@pytest.mark.parametrize("kind", [float, np.float64, np.float32])
def test_numbers_of_numpy_are_written_like_others(kind):
    value = kind(-0.25)
    assert (cell(value), short(value), fixed(value)) == ("−.25", "−0.25", "−0.250")
    assert cell(np.int64(-3)) == "−3"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.923, "0.92"), (-0.5, "−0.50"), (1.5, "1.50"), (1, "1"), (0, "0"), (-0.0, "0"),
        (0.001, "≈0"), (0.9999, "≈1"), (10.25, "10.25"), (-1234.5, "−1.23e3"),
    ],
)  # fmt: skip
def test_a_cell_with_its_leading_zero(value, text):
    assert cell(value, leading_zero=True) == text


@given(finite)
def test_a_cell_reads_back_to_within_half_of_its_last_place(value):
    read, size = read_back(cell(value)), abs(value)
    assert abs(read - value) <= (0.005 + 1e-12 if size < 1000 else 0.005000001 * size)


@given(finite)
def test_a_cell_without_decimals_or_exponent_is_exact(value):
    text = cell(value)
    if not any(sign in text for sign in "≈.e"):
        assert read_back(text) == value


@given(st.integers(-999, 999))
def test_whole_numbers_are_whole(value):
    assert cell(value) == str(value).replace("-", "−")


@given(finite, st.integers(1, 8))
def test_short_reads_back_to_the_digits_asked_for(value, digits):
    half_a_place = 0.500001 * 10 ** (1 - digits) * abs(value)
    assert abs(read_back(short(value, digits)) - value) <= half_a_place


@given(st.floats(-999_999, 999_999), st.integers(0, 6))
def test_fixed_has_the_decimals_asked_for(value, decimals):
    text = fixed(value, decimals)
    assert len(text.partition(".")[2]) == decimals
    assert abs(read_back(text) - value) <= 0.500001 * 10**-decimals + 1e-9


@given(st.floats(), st.sampled_from([cell, short, fixed]))
def test_no_zero_has_a_sign_and_no_minus_is_a_hyphen(value, write):
    text = write(value)
    assert "-" not in text
    assert len(text) < 16
    if text != UNDEFINED and "∞" not in text and read_back(text) == 0:
        assert "−" not in text


def test_positions_are_shown_from_one():
    assert positions(3) == ("t1", "t2", "t3")
    assert positions(2, "d") == ("d1", "d2")


def test_columns_of_concat_are_the_lessons():
    assert head_columns(2, 2) == ("h1.1", "h1.2", "h2.1", "h2.2")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.24, "0.24"), (27.0, "27.0"), (1350.0, "1350"), (0.0, "0.00"), (-0.01, "−0.01"),
        (0.000368, "0.000368"), (-1e-7, "−1e−7"), (1.5e6, "1.5e6"), (math.nan, "–"),
    ],
)  # fmt: skip
def test_significant_digits_are_kept_however_small_the_value(value, text):
    assert significant(value, 3) == text


# --- as many digits as one asks for


@given(st.floats(), st.integers(0, 6))
def test_usual_digits_are_those_without_a_choice(value, digits):
    assert USUAL.fixed(value, digits) == fixed(value, digits)
    assert USUAL.significant(value, max(digits, 2)) == significant(value, max(digits, 2))
    assert USUAL.short(value, max(digits, 2)) == short(value, max(digits, 2))


@pytest.mark.parametrize(
    ("digits", "texts"),
    [
        (3, ("1.23", "0.123", "27.0", "1.2e−7", "0.1")),
        (4, ("1.235", "0.1235", "27.00", "1.23e−7", "0.12")),
        (6, ("1.23457", "0.123457", "27.0000", "1.2346e−7", "0.1235")),
        (10, ("1.234567890", "0.1234567890", "27.00000000", "1.23456789e−7", "0.12345679")),
        (17, ("1.23456789", "0.123456789", "27", "1.23456789e−7", "0.123456789")),
    ],
)
def test_every_number_has_more_or_fewer_digits_than_it_usually_has(digits, texts):
    write = Precision(digits)
    number = 0.123456789
    assert texts == (
        write.fixed(1.23456789),
        write.fixed(number, 4),
        write.significant(27.0),
        write.short(1.23456789e-7, 3),
        write.cell(number),
    )


@given(finite)
def test_all_digits_tell_a_number_from_every_other(value):
    assert read_back(exact(value)) == value
    write = Precision(17)
    texts = (write.fixed(value), write.significant(value), write.short(value), write.cell(value))
    assert texts == (exact(value),) * 4


@given(finite)
def test_more_digits_are_never_farther_from_the_number(value):
    errors = [abs(read_back(Precision(n).short(value)) - value) for n in (3, 4, 6, 10, 17)]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] == 0


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (-0.0, "0"), (0.1, "0.1"), (-2.0, "−2"), (1e-5, "1e−5"), (123456789.0, "123456789"),
        (1e16, "1e16"), (INF, "∞"), (-INF, "−∞"), (NAN, UNDEFINED),
        (np.float64(1) / 3, "0.3333333333333333"),
    ],
)  # fmt: skip
def test_all_digits_are_no_more_than_it_takes(value, text):
    assert exact(value) == text


def test_the_fewest_digits_leave_two_of_a_rounding_error():
    assert Precision(3).short(1.234e-16, 2) == "1.2e−16"
    assert Precision(3).fixed(0.4, 0) == "0"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.0000"),
        (9.508e-6, "9.508e−6"),
        (-0.00035, "−0.00035"),
        (0.001, "0.0010"),
        (0.9233, "0.9233"),
        (-2.5, "−2.5000"),
    ],
)
def test_what_is_read_out_shows_that_a_small_number_is_not_zero(value, text):
    assert Precision().read_out(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0.0 ms"), (0.00004, "0.0 ms"), (0.0126, "12.6 ms"), (0.09994, "99.9 ms"),
        (0.09996, "100 ms"), (0.9994, "999 ms"), (0.9996, "1.0 s"), (12.0751, "12.1 s"),
        (59.94, "59.9 s"), (59.96, "1 min 0 s"), (125.2, "2 min 5 s"), (3600, "60 min 0 s"),
    ],
)  # fmt: skip
def test_duration(seconds, text):
    assert duration(seconds) == text
