"""A number field keeps what it holds, to the last bit, until the user says otherwise."""

import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

from mhagui.gui.widgets.number_box import CountBox, NumberBox, box_text

THIRD = 1 / 3


@pytest.fixture
def form(qtbot):
    """A window with a gain box, a count box and another field to go to."""
    form = QWidget()
    form.box = NumberBox(-100, 100, 0.05, form)
    form.box.describe("Gain of h1", "what it does")
    form.count = CountBox(1, 1024, form)
    form.count.describe("Sequence length T", "how many")
    form.count.move(0, 40)
    form.other = QLineEdit(form)
    form.other.move(0, 80)
    qtbot.addWidget(form)
    with qtbot.waitExposed(form):
        form.show()
    form.activateWindow()
    qtbot.waitUntil(form.isActiveWindow)
    return form


@pytest.fixture
def told(form):
    """What the boxes told: numbers and sentences."""
    told = []
    for box in (form.box, form.count):
        box.valueChanged.connect(told.append)
        box.refused.connect(told.append)
    return told


def paste(qtbot, box, text):
    QGuiApplication.clipboard().setText(text)
    qtbot.keyClick(box, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1.00"),
        (0.5, "0.50"),
        (THIRD, "0.3333"),
        (2.125, "2.125"),
        (-3.0, "−3.00"),
        (-0.0, "0.00"),
        (-100.0, "−100.00"),
        (1000.0, "1000.00"),
        (1e6, "1e6"),
        (-0.0123456, "−0.0123"),
        (-1.2345e-100, "−1e-100"),
        (0.99999999, "1.00"),
    ],
)
def test_text_is_short(value, text):
    shown = box_text(value)
    assert shown.replace("e−", "e-") == text
    assert len(shown) <= 7


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(st.floats(-1e100, 1e100).filter(lambda number: number == 0 or abs(number) > 1e-300))
def test_any_number_is_held_to_the_last_bit_through_focus_and_enter(form, value):
    form.other.setFocus()
    form.box.show_value(value)
    form.box.setFocus()
    form.box.selectAll()
    QApplication.processEvents()
    form.box.interpretText()
    form.other.setFocus()
    assert form.box.value() == value


def test_enter_and_leaving_change_nothing(form, told, qtbot):
    form.box.show_value(THIRD)
    form.box.setFocus()
    qtbot.keyClick(form.box, Qt.Key.Key_Return)
    qtbot.keyClick(form.box, Qt.Key.Key_Tab)
    assert not form.box.hasFocus()
    assert form.box.value() == THIRD
    assert told == []


def test_tooltip_tells_the_digits_that_are_not_shown(form):
    form.box.show_value(0.5)
    assert form.box.toolTip() == "what it does"
    form.box.show_value(THIRD)
    assert form.box.toolTip() == "what it does\nExactly 0.3333333333333333"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.5", 0.5),
        ("0,5", 0.5),
        ("2,5", 2.5),
        ("1e-3", 0.001),
        ("-2", -2.0),
        ("−2", -2.0),
        (" 7 ", 7.0),
        (".25", 0.25),
        ("100", 100.0),
    ],
)
def test_typed_number_is_taken(form, told, text, value, type_in):
    form.box.show_value(1.5)
    type_in(form.box, text)
    assert told == [value]


@pytest.mark.parametrize(
    "text",
    [
        "nan",
        "inf",
        "-inf",
        "1e999",
        "",
        " ",
        "abc",
        "1.234,5",
        "1,234",
        "1_0",
        "0x10",
        "1 000",
        "–",
    ],
)
@pytest.mark.parametrize("end", [Qt.Key.Key_Return, Qt.Key.Key_Tab])
def test_what_is_no_number_is_refused_with_one_sentence(form, told, text, end, type_in):
    form.box.show_value(THIRD)
    type_in(form.box, text, end=end)
    assert form.box.value() == THIRD
    assert form.box.text() == "0.3333"
    (sentence,) = told
    assert sentence.startswith("Gain of h1")
    assert sentence.endswith(".")


def test_pasted_nan_is_refused(form, told, qtbot):
    form.box.show_value(2.0)
    form.box.setFocus()
    form.box.selectAll()
    paste(qtbot, form.box, "nan")
    assert form.box.text() == "nan"
    qtbot.keyClick(form.box, Qt.Key.Key_Return)
    assert form.box.value() == 2.0
    assert len(told) == 1


def test_number_out_of_range_is_refused_and_the_range_named(form, told, type_in):
    form.box.show_value(1.5)
    type_in(form.box, "1000")
    assert told == ["Gain of h1 must be a number from −100 to 100; got 1000."]
    assert (form.box.value(), form.box.text()) == (1.5, "1.50")


def test_limits_are_named_in_full(qtbot, type_in):
    box, told = CountBox(1, 2**20), []
    qtbot.addWidget(box)
    box.refused.connect(told.append)
    box.describe("T", "")
    box.show()
    type_in(box, "0")
    assert told == ["T must be a whole number from 1 to 1048576; got 0."]


@pytest.mark.parametrize("value", [1e6, -250.0, 1e100])
def test_number_from_outside_the_range_is_shown_as_it_is(form, told, qtbot, value, type_in):
    form.box.show_value(value)
    form.box.setFocus()
    qtbot.keyClick(form.box, Qt.Key.Key_Return)
    qtbot.keyClick(form.box, Qt.Key.Key_Tab)
    assert form.box.value() == value
    assert told == []
    type_in(form.box, "99999")  # inside the range as shown, outside of that one may type
    assert form.box.value() == value
    form.box.show_value(1.0)
    assert (form.box.minimum(), form.box.maximum()) == (-100, 100)


def test_width_does_not_depend_on_the_number(form):
    widths = set()
    for value in (1.0, 1e6, -1e90, THIRD):
        form.box.show_value(value)
        widths.add(form.box.sizeHint().width())
    assert len(widths) == 1


def test_nothing_is_told_while_typing(form, told, qtbot, type_in):
    type_in(form.box, "12", end=None)
    assert told == []
    qtbot.keyClick(form.box, Qt.Key.Key_Tab)
    assert told == [12.0]


def test_escape_takes_back_what_is_typed(form, told, qtbot, type_in):
    form.box.show_value(THIRD)
    type_in(form.box, "12", end=Qt.Key.Key_Escape)
    qtbot.keyClick(form.box, Qt.Key.Key_Return)
    assert form.box.value() == THIRD
    assert told == []


def test_arrows_step_at_once_along_decimal_fractions(form, told, qtbot):
    form.box.show_value(1.0)
    form.box.setFocus()
    for _ in range(4):
        qtbot.keyClick(form.box, Qt.Key.Key_Up)
    assert told == [1.05, 1.1, 1.15, 1.2]
    qtbot.keyClick(form.box, Qt.Key.Key_PageDown)
    assert told[-1] == 0.7


def test_step_starts_from_what_is_typed(form, told, type_in):
    type_in(form.box, "2", end=Qt.Key.Key_Up)
    assert told == [2.0, 2.05]


def test_shown_numbers_are_silent(form, told):
    form.box.show_value(3.0)
    form.count.show_value(3)
    assert told == []


def test_text_being_typed_stays_unless_the_number_changed(form, type_in):
    form.box.show_value(1.0)
    type_in(form.box, "2.", end=None)
    form.box.show_value(1.0)
    assert form.box.text() == "2."
    form.box.show_value(5.0)
    assert form.box.text() == "5.00"


@pytest.mark.parametrize("name", ["box", "count"])
def test_wheel_turns_a_box_only_with_the_focus(form, told, name, wheel):
    box = getattr(form, name)
    box.show_value(5)
    form.other.setFocus()
    wheel(box, 120)
    assert told == []
    box.setFocus()
    wheel(box, 120)
    assert told == [5 + box.singleStep()]


@pytest.mark.parametrize(("text", "count"), [("10", 10), (" 12 ", 12), ("1024", 1024), ("1", 1)])
def test_typed_count_is_taken(form, told, text, count, type_in):
    form.count.show_value(6)
    type_in(form.count, text)
    assert told == [count]


@pytest.mark.parametrize("text", ["0", "-3", "1025", "10000000", "6.5", "1e999", "nan", "", "six"])
def test_what_is_no_count_is_refused_with_one_sentence(form, told, text, type_in):
    form.count.show_value(6)
    type_in(form.count, text)
    assert (form.count.value(), form.count.text()) == (6, "6")
    (sentence,) = told
    assert sentence.startswith("Sequence length T")
    if text in ("0", "10000000"):
        assert sentence == (f"Sequence length T must be a whole number from 1 to 1024; got {text}.")


def test_boxes_read_and_write_the_same_under_a_comma_locale(form, told, type_in):
    from PySide6.QtCore import QLocale

    form.setLocale(QLocale("de_DE"))
    form.box.show_value(0.5)
    assert form.box.text() == "0.50"
    type_in(form.box, "0.75")
    assert told == [0.75]
    assert math.isclose(form.box.value(), 0.75)
