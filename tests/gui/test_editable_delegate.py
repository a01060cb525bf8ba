"""Numbers that fit their cell."""

import pytest

from mhagui.gui.widgets.editable_delegate import fitting_text, least_width


def advance(text):
    """A font whose signs are all one wide."""
    return len(text)


@pytest.mark.parametrize(
    ("value", "width", "text"),
    [
        (-0.5, 4, "−0.5"),
        (1.0, 4, "1"),
        (0.0, 4, "0"),
        (-0.0, 4, "0"),
        (1 / 3, 4, "0.33"),
        (-1 / 3, 4, "−.33"),
        (-1 / 3, 5, "−0.33"),
        (0.125, 5, "0.125"),
        (0.125, 4, "0.12"),
        (-0.999, 4, "−1.0"),
        (0.004, 4, "≈0"),
        (-1e-300, 4, "≈0"),
        (-1e-300, 9, "−1e−300"),
        (123.456, 4, "123"),
        (123.456, 6, "123.46"),
        (-1234.5, 4, "−1e3"),
        (2e5, 4, "2e5"),
        (-3e150, 6, "−3e150"),
    ],
)
def test_a_number_is_written_with_the_digits_that_fit(value, width, text):
    assert fitting_text(value, width, advance) == text


@pytest.mark.parametrize(
    ("value", "text"), [(-0.694, "−.69"), (-2.931, "−2.9"), (-45.67, "−46"), (-123.456, "−123")]
)
def test_the_least_width_holds_two_digits_and_all_of_a_hundred(value, text):
    assert fitting_text(value, least_width(abs(value), advance), advance) == text


@pytest.mark.parametrize(
    "value", [-0.0049, -0.996, -7.77, -98.7, -100.4, -9999.7, -8.7e9, -9.9e307]
)
def test_there_is_always_a_text_that_fits_the_least_width(value):
    width = least_width(abs(value), advance)
    assert advance(fitting_text(value, width, advance)) <= width
