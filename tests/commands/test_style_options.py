"""The options that say how figures look: one for every field of a style, true to what is drawn."""

import enum
import json
import typing
import xml.etree.ElementTree as ET

import msgspec
import pytest
from PIL import Image

from mhagui.commands import style_options
from mhagui.commands.shared import Parser
from mhagui.figures import FigureStyle, style_to_entry
from mhagui.figures.style import MAX_DPI, MAX_FONT_SIZE, MIN_DPI, MIN_FONT_SIZE


def parser_of(*left_out):
    parser = Parser(prog="mhagui export")
    style_options.add_style_options(parser, *left_out)
    return parser


def style_of(*arguments):
    return style_options.style_of_options(parser_of().parse_args([*map(str, arguments)]))


CHOICES = {
    name: kind
    for name, kind in typing.get_type_hints(FigureStyle).items()
    if isinstance(kind, type) and issubclass(kind, enum.Enum)
}


def test_every_field_of_a_style_has_its_option():
    fields = set(vars(parser_of().parse_args([]))) - {"style"}
    assert fields == set(FigureStyle.__struct_fields__)


def test_without_options_the_style_is_the_usual():
    assert style_of() == FigureStyle()


@pytest.mark.parametrize("field", CHOICES)
def test_every_choice_can_be_typed_as_the_help_has_it_and_as_files_have_it(field):
    option = "--" + field.replace("_", "-")
    told = " ".join(parser_of().format_help().split())
    for member in CHOICES[field]:
        typed = "-".join(member.value.replace(",", "").split())
        assert typed in told.replace("- ", "-")
        assert getattr(style_of(option, typed), field) is member
        assert getattr(style_of(option, member.value), field) is member


def test_the_limits_in_the_help_are_those_of_a_style():
    told = " ".join(parser_of().format_help().split())
    assert f"{MIN_FONT_SIZE:g} to {MAX_FONT_SIZE:g}" in told
    assert f"{MIN_DPI} to {MAX_DPI}; {FigureStyle().dpi} unless given" in told


def test_options_set_numbers_names_and_switches():
    options = ["--font", "DejaVu Serif", "--font-size", 9.5, "--dpi", 72]
    switches = ["--title", "--caption", "--no-values", "--outlines", "--no-scene"]
    assert style_of(*options, *switches) == FigureStyle(
        font="DejaVu Serif",
        font_size=9.5,
        dpi=72,
        title=True,
        caption=True,
        values=False,
        outlines=True,
        embed_scene=False,
    )


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_a_style_file_is_taken_and_options_change_it(tmp_path, encoding):
    path = tmp_path / "paper.json"
    path.write_text(json.dumps({"preset": "single", "values": False, "dpi": 600}), encoding)
    assert style_of("--style", path, "--dpi", 100, "--values") == msgspec.structs.replace(
        FigureStyle(), preset="single", dpi=100
    )


def test_a_whole_style_goes_through_a_file(tmp_path):
    style = style_of("--preset", "poster", "--colour-scale", "relative-to-uniform", "--title")
    path = tmp_path / "style.json"
    path.write_bytes(msgspec.json.encode(style_to_entry(style)))
    assert style_of("--style", path) == style


def test_a_command_that_has_no_use_for_an_option_does_not_know_it(refused):
    assert "--scene" not in parser_of("--scene").format_help()
    assert "--dpi" in refused("report", "--format", "html", "--dpi", 100)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--ground", "blue"], "--ground blue: give one of light, dark, transparent."),
        (["--signed-colours", "x"], "blue-to-red, purple-to-orange, green-to-pink."),
        (["--font-size", "3"], "--font-size 3: it must be a number of at least 4"),
        (["--font-size", "nan"], "--font-size nan: it must be a number of at least 4"),
        (["--font-size", "big"], "--font-size big: it must be a number"),
        (["--font", "x" * 61], "text of length at most 60"),
        (["--dpi", "29"], "--dpi 29: it must be a whole number of at least 30"),
        (["--dpi", "1201"], "--dpi 1201: it must be a whole number of at most 1200"),
        (["--dpi", "-5"], "--dpi -5: it must be a whole number of at least 30"),
        (["--dpi", "72.5"], "--dpi 72.5: it must be a whole number"),
        (["--preset", ""], "--preset: it is empty"),
        (["--style", "nosuch.json"], "nosuch.json cannot be read: No such file"),
        (["--style", "."], ". is not a file; give a style as JSON."),
        (["--style", "n" * 5000], "cannot be read: File name too long."),
    ],
)
def test_a_bad_option_is_named_with_what_would_be_right(refused, tmp_path, arguments, said):
    assert said in refused("export", "--out", tmp_path / "out", *arguments)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "holds no style: it ends too early."),
        (b"\x89PNG", "holds no style: it is not JSON"),
        (b"[" * 5000, "holds no style: "),
        (b"[]", "holds no style: it must be an object, not a list."),
        (b'{"dpi": 20}', "dpi must be a whole number of at least 30."),
        (b'{"font_size": 1e999}', "holds no style: font_size is too large a number."),
        (b'{"colour": 1}', "it has an unknown entry, “colour”."),
        (b" " * 70_000, "is too long for a style; 65,536 bytes are the most."),
    ],
)
def test_a_bad_style_file_is_named(refused, tmp_path, content, said):
    path = tmp_path / "style.json"
    path.write_bytes(content)
    told = refused("export", "--out", tmp_path / "out", "--style", path)
    assert str(path) in told
    assert said in told
    assert not (tmp_path / "out").exists()


def test_figures_are_drawn_in_the_style_asked_for(run, tmp_path):
    arguments = ["export", "two-heads", "--out", tmp_path, "--figure", "heads"]
    run(*arguments, "--preset", "single", "--dpi", 254, "--ground", "transparent")
    with Image.open(tmp_path / "heads.png") as picture:
        assert picture.width == 850  # 85 mm at ten pixels a millimetre
        assert picture.getchannel("A").getextrema()[0] == 0
    run(*arguments, "--format", "svg", "--preset", "single", "--no-values")
    root = ET.parse(tmp_path / "heads.svg").getroot()
    assert float(root.get("width").removesuffix("pt")) == pytest.approx(85 / 25.4 * 72, abs=0.01)
    assert "0.33" not in "".join(root.itertext())
