"""Figures of heads that show no scene: all of it can be read, and every number is the right one."""

import hashlib
import io
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from matplotlib import colormaps
from matplotlib.text import Text
from PIL import Image

from mhagui import core
from mhagui.document.capture import Capture, CapturedLayer
from mhagui.document.provenance import provenance_of_file
from mhagui.document.scorecard import LETTERS, scorecard
from mhagui.errors import UserError
from mhagui.figures import FORMATS, FigureStyle, Ground, Preset, Subject, drawing, render_all
from mhagui.figures.charts import (
    HeadGrid,
    HeadMap,
    HeadScatter,
    Seen,
    render_chart,
    strengths,
)
from mhagui.figures.found import (
    AblatedOutput,
    ComparedHead,
    Comparison,
    HeadImportance,
    NextTokens,
    PrunedHeads,
)
from mhagui.figures.page import house_style, painted
from mhagui.figures.paper import Axis, Paper

T = 10
TOKENS = ("the", "cat", "sat", "on", "the", "mat", "and", "the", "cat", "ran")
SVG = "{http://www.w3.org/2000/svg}"
AROUND = {"title": True, "caption": True}
SMALL = FigureStyle(dpi=72)


def weights_of(n_heads, seed=0, n_keys=T):
    """Weights that are like those of many models: sinks, the token before, and blends of them."""
    chosen = np.random.default_rng(seed)
    sink, before, uniform = (
        core.attention_weights(*make(n_keys, key_magnitude=12.0))
        for make in (core.first_token_head, core.previous_token_head, core.uniform_head)
    )
    shares = chosen.dirichlet(np.full(3, 0.3), size=n_heads)
    return np.einsum("hk,kij->hij", shares, np.stack([sink, before, uniform]))


def card_of(n_layers, n_heads, n_keys=T):
    causal = core.causal_mask(n_keys)
    layers = tuple(
        CapturedLayer(number, given=weights_of(n_heads, number, n_keys), allowed=causal)
        for number in range(n_layers)
    )
    tokens = TOKENS if n_keys == T else ()
    return scorecard(Capture("a model of $many$ heads", layers, tokens, tokens))


SEEN = Seen("a model of $many$ heads", "the cat sat on the mat and the cat ran")


def map_of(n_layers, n_heads, score="first token", *, above_chance=False):
    card = card_of(n_layers, n_heads)
    return HeadMap(SEEN, HeadGrid.of(card), card.column(score), above_chance)


def scatter_of(n_layers, n_heads, across="mean distance", upwards="entropy"):
    card = card_of(n_layers, n_heads)
    columns = card.column(across), card.column(upwards)
    return HeadScatter(SEEN, HeadGrid.of(card), *columns, strengths(card))


def bits_of(one, other):
    """Jensen–Shannon divergence by its definition."""

    def entropy(p):
        return -np.sum(p * np.log2(np.where(p > 0, p, 1)), axis=-1)

    return entropy((one + other) / 2) - (entropy(one) + entropy(other)) / 2


def compared(n_rows=T, n_keys=T, tokens=(TOKENS, TOKENS)):
    one, other = (weights_of(1, seed, n_keys)[0][-n_rows:] for seed in (1, 5))
    heads = [
        ComparedHead(
            name,
            "a file with a name so long that it has no room above a panel.safetensors",
            weights,
            core.causal_mask(n_keys)[-n_rows:],
            Axis(n_rows, words[-n_rows:]),
            Axis(n_keys, words),
        )
        for name, weights, words in zip(("L3 H5", "L11 H12"), (one, other), tokens, strict=True)
    ]
    bits = bits_of(one, other)
    largest = float(max(one[1:].max(), other[1:].max()))
    return Comparison(Seen("L3 H5 and L11 H12"), *heads, bits, float(bits.mean()), largest)


def other_words():
    return tuple(reversed(TOKENS))


NAMES = [f"h{n + 1} {name}" for n, name in enumerate(["first token", "a" * 60, "$x_1$", "self"])]
PREDICTED, REALLY = np.array([0.5, -0.25, 0.0, 1.5]), np.array([0.4, -0.2, 0.0, 1.75])
ERRORS = np.array([0.1, 0.4, 0.7, 1.0])
CHARTS = {
    "12 x 12": lambda: map_of(12, 12),
    "30 x 9": lambda: map_of(30, 9, "previous token"),
    "32 x 32": lambda: map_of(32, 32, "entropy"),
    "1 x 4": lambda: map_of(1, 4),
    "2 x 40": lambda: map_of(2, 40, above_chance=True),
    "scatter": lambda: scatter_of(12, 12),
    "scatter of shares": lambda: scatter_of(30, 9, "first token", "previous token"),
    "comparison": compared,
    "rectangle": lambda: compared(n_rows=4),
    "other words": lambda: compared(tokens=(TOKENS, other_words())),
    "long": lambda: compared(300, 300, tokens=((), ())),
    "ablation": lambda: AblatedOutput(
        SEEN, "h2 and h3, zero", Axis(T, TOKENS), np.linspace(0, 3, T), 0.4, np.full(T, 1e-3)
    ),
    "long ablation": lambda: AblatedOutput(SEEN, "h2", Axis(900), np.arange(900.0), 0.4),
    "importance": lambda: HeadImportance(SEEN, NAMES, "O[t3, d2]", 12.5, PREDICTED, REALLY),
    "many heads": lambda: HeadImportance(
        SEEN, [f"h{n + 1}" for n in range(64)], "‖O‖", 1.0, np.arange(64.0), -np.arange(64.0)
    ),
    "pruning": lambda: PrunedHeads(SEEN, "‖O‖", ERRORS, ERRORS),
    "next token": lambda: NextTokens(
        SEEN, "L1 H2 (zero)", ["␣Mary", "⏎", "$", "<0xE2>"], ERRORS / 3, ERRORS[::-1] / 3, 0.12
    ),
}  # fmt: skip
WITH_CELLS = (HeadMap, Comparison)


def laid_out(chart, **style):
    paper = Paper(FigureStyle(**style))
    figure = painted(drawing.plan_chart(chart, paper), paper)
    with house_style(paper.style):
        figure.draw_without_rendering()
    return figure


def svg_of(chart, **style):
    return ET.fromstring(render_chart(chart, FigureStyle(**style), ["svg"])["svg"])


def texts_in(svg):
    return ["".join(text.itertext()).strip() for text in svg.iter(f"{SVG}text")]


# ------------------------------------------------------------------------------- it can be read


@pytest.mark.parametrize("name", ["1 x 4", "scatter", "rectangle", "next token"])
def test_no_text_is_cut_in_a_single_column(assert_is_legible, name):
    chart = CHARTS[name]()
    figure = laid_out(chart, preset=Preset.SINGLE_COLUMN, **AROUND)
    assert_is_legible(figure, has_cells=isinstance(chart, WITH_CELLS))


@pytest.mark.thorough
@pytest.mark.parametrize("preset", list(Preset))
@pytest.mark.parametrize("name", CHARTS)
def test_no_text_is_cut_or_runs_into_another(assert_is_legible, name, preset):
    chart = CHARTS[name]()
    ground = Ground.DARK if preset is Preset.SLIDE else Ground.LIGHT
    figure = laid_out(chart, preset=preset, ground=ground, **AROUND)
    assert_is_legible(figure, has_cells=isinstance(chart, WITH_CELLS))
    width, height = figure.get_size_inches()
    assert width == pytest.approx(preset.room.width)
    if preset is Preset.SLIDE:
        assert height == pytest.approx(7.5)


@pytest.mark.thorough
@pytest.mark.parametrize("name", CHARTS)
def test_no_type_in_a_single_column_is_smaller_than_journals_take(name):
    figure = laid_out(CHARTS[name](), preset=Preset.SINGLE_COLUMN)
    sizes = [text.get_fontsize() for text in figure.findobj(Text) if text.get_text().strip()]
    assert min(sizes) >= 5.5


@pytest.mark.parametrize("name", ["30 x 9", "32 x 32", "scatter", "comparison", "next token"])
def test_a_page_is_no_longer_than_a_journals(name):
    paper = Paper(FigureStyle(**AROUND))
    assert drawing.plan_chart(CHARTS[name](), paper).height < 10.4


# ------------------------------------------------------------------------------- what they show


def test_the_numbers_and_letters_of_a_map_are_those_of_the_scores():
    chart = map_of(2, 3)
    values, letters = chart.score.values, LETTERS | {"": ""}
    wanted = []
    for value, label in zip(values, chart.heads.labels, strict=True):
        wanted += [letters[label], f"{value:.2f}"]
    found = texts_in(svg_of(chart))
    seen = [text for text in found if re.fullmatch(r"[PFSU]|\d\.\d\d", text)]
    bar = ["0.25", "0.75"]  # beside the colours
    in_cells = [text for text in seen if text not in bar]
    assert in_cells[: len([text for text in wanted if text])] == [text for text in wanted if text]
    chance = np.mean([1 / t for t in range(2, T + 1)])
    assert f"chance {chance:.3f}" in found
    assert {"L0", "L1", "H0", "H1", "H2", "layer", "head"} <= set(found)


def test_every_cell_of_a_large_map_has_the_colour_of_its_score():
    chart, style = map_of(30, 9, "entropy"), FigureStyle(dpi=150)
    figure = laid_out(chart, dpi=150)
    (axes,) = (each for each in figure.axes if each.get_ylim() == (30, 0))
    png = render_chart(chart, style, ["png"])["png"]
    with Image.open(io.BytesIO(png)) as image:
        pixels = np.asarray(image.convert("RGB")).astype(int)
    scale = 150 / figure.dpi
    limit = max(float(label.get_text()) for label in figure.axes[1].get_yticklabels())
    assert limit >= max(chart.score.values.max(), chart.score.baselines.max())
    for (row, column), value in zip(chart.heads.cells, chart.score.values, strict=True):
        x, y = axes.transData.transform((column + 0.12, row + 0.2)) * scale
        seen = pixels[round(pixels.shape[0] - y), round(x)]
        wanted = np.array(colormaps["viridis"](value / limit)[:3]) * 255
        assert np.abs(seen - wanted).max() <= 2, (row, column)


def test_where_there_is_no_room_for_letters_dots_mark_heads_and_the_legend_says_so():
    chart = map_of(80, 12)
    found = texts_in(svg_of(chart, preset=Preset.SINGLE_COLUMN, caption=True))
    assert "·" in found
    assert not {"F", "U"} & set(found)
    assert "Dots are on heads" in " ".join(found)
    assert len([line for line in laid_out(chart).axes[0].lines if line.get_marker() == "."]) == sum(
        map(bool, chart.heads.labels)
    )


def test_layers_go_down_and_heads_across_however_many_of_either():
    for shape in ((30, 9), (2, 40)):
        figure = laid_out(map_of(*shape))
        assert [each for each in figure.axes if each.get_ylim() == (shape[0], 0)]


def test_of_many_labels_the_round_ones_are_written():
    figure = laid_out(map_of(12, 40), preset=Preset.SINGLE_COLUMN)
    written = [label.get_text() for label in figure.axes[0].get_xticklabels()]
    assert written == ["H0", "H5", "H10", "H15", "H20", "H25", "H30", "H35"]
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()][:3] == [
        "L0",
        "L2",
        "L4",
    ]


def test_chance_is_marked_on_the_bar_where_it_is():
    chart = map_of(3, 4)
    bar = laid_out(chart).axes[1]
    (level,) = {float(y) for line in bar.lines for y in line.get_ydata()}
    assert level == pytest.approx(np.mean([1 / t for t in range(2, T + 1)]))
    above = laid_out(map_of(3, 4, above_chance=True)).axes[1]
    assert {float(y) for line in above.lines for y in line.get_ydata()} == {0.0}


def test_a_layer_with_fewer_heads_leaves_its_place_empty(assert_is_legible):
    layers = tuple(
        CapturedLayer(n, given=weights_of(heads, n), allowed=core.causal_mask(T))
        for n, heads in ((2, 3), (5, 1))
    )
    card = scorecard(Capture("uneven", layers))
    chart = HeadMap(Seen("uneven"), HeadGrid.of(card), card.column("first token"))
    assert chart.heads.missing == [(1, 1), (1, 2)]
    found = texts_in(svg_of(chart))
    assert {"L2", "L5"} <= set(found)
    assert_is_legible(laid_out(chart))


def test_an_undefined_score_is_crossed_and_has_no_number():
    layer = CapturedLayer(0, given=weights_of(2), allowed=core.causal_mask(T))
    card = scorecard(Capture("no tokens", (layer,)))
    chart = HeadMap(Seen("no tokens"), HeadGrid.of(card), card.column("induction"))
    assert np.isnan(chart.values).all()
    found = texts_in(svg_of(chart))
    assert not [text for text in found if text.startswith("chance")]
    assert "nan" not in found


def test_points_are_where_the_scores_are_and_labelled_heads_are_named():
    chart = scatter_of(12, 12)
    (axes,) = laid_out(chart).axes
    points = {
        (float(x), float(y))
        for line in axes.lines
        if len(line.get_xdata()) and line.get_linestyle() == "None"
        for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)
    }
    assert points == set(zip(chart.across.values, chart.upwards.values, strict=True))
    named = [text.get_text() for text in axes.texts]
    assert 3 <= len(named) <= 12
    labels = dict(zip(chart.heads.names, chart.heads.labels, strict=True))
    assert all(labels[name] for name in named)
    best = {
        label: max(
            (s, n)
            for s, n, of in zip(chart.strengths, chart.heads.names, chart.heads.labels, strict=True)
            if of == label
        )[1]
        for label in set(labels.values()) - {""}
    }
    assert set(best.values()) & set(named)


def test_a_comparison_shows_both_their_difference_and_each_rows_divergence(panels):
    chart = compared()
    figure = laid_out(chart, values=True, preset=Preset.POSTER, font_size=12.0)
    a, b, difference = panels(figure, (T, T))
    for axes, values in ((a, chart.one.weights), (b, chart.other.weights)):
        shown = np.ma.filled(axes.collections[0].get_array(), np.nan)
        allowed = core.causal_mask(T)
        np.testing.assert_array_equal(shown[allowed], values[allowed])
        assert np.isnan(shown[~allowed]).all()
    shown = np.ma.filled(difference.collections[0].get_array(), np.nan)
    both = core.causal_mask(T)
    np.testing.assert_allclose(shown[both], (chart.other.weights - chart.one.weights)[both])
    (bars,) = [
        patch for axes in figure.axes for patch in axes.patches if hasattr(patch, "get_data")
    ]
    np.testing.assert_allclose(bars.get_data().values, chart.bits, atol=1e-12)


def test_tokens_that_differ_are_dots_in_the_difference():
    figure = laid_out(compared(tokens=(TOKENS, other_words())))
    found = [text.get_text().replace("\n", " ") for text in figure.findobj(Text)]
    pairs = enumerate(zip(TOKENS, other_words(), strict=True), 1)
    wanted = {f"t{number} ·" for number, (a, b) in pairs if a != b}
    assert {text for text in found if text.endswith(" ·")} == wanted


def test_bars_and_their_numbers_are_those_that_were_found():
    chart = CHARTS["importance"]()
    (axes,) = laid_out(chart).axes
    widths = [float(bar.get_width()) for bar in axes.patches]
    assert widths == [*PREDICTED, *REALLY]
    written = [text.get_text() for text in axes.texts]
    assert written == ["0.500", "−0.250", "0.000", "1.500", "0.400", "−0.200", "0.000", "1.750"]
    (axes,) = laid_out(CHARTS["next token"]()).axes
    shares = [float(bar.get_width()) for bar in axes.patches]
    np.testing.assert_allclose(shares, 100 * np.append(ERRORS, ERRORS[::-1]) / 3)


def test_the_pruning_curve_begins_with_nothing_gone_and_ends_with_all():
    (axes,) = laid_out(CHARTS["pruning"]()).axes
    for line in axes.lines[:2]:
        assert line.get_ydata().tolist() == [0.0, *ERRORS]
        assert line.get_xdata().tolist() == [0, 1, 2, 3, 4]


# ------------------------------------------------------------------------------------ as files


@pytest.mark.parametrize(
    "kind", [pytest.param(k, marks=pytest.mark.thorough) if k == "eps" else k for k in FORMATS]
)
def test_a_file_says_what_it_is_of_and_holds_no_scene(kind):
    chart = map_of(2, 3)
    made = provenance_of_file(render_chart(chart, SMALL, [kind])[kind])
    assert (made.figure, made.title, made.scene) == ("head-map", SEEN.title, None)
    assert made.shown["given"] == SEEN.text
    assert made.shown["score"] == "first token"
    assert float(made.shown["chance"]) == pytest.approx(chart.score.baselines[0], abs=1e-6)
    with pytest.raises(UserError, match="from no scene, but from numbers of heads"):
        made.session_file()


def test_an_svg_is_told_to_those_who_listen():
    svg = svg_of(map_of(2, 3))
    title = svg.find(f"{SVG}metadata//{{http://purl.org/dc/elements/1.1/}}title")
    assert title.text == "a model of $many$ heads: first token of all heads"
    told = next(svg.iter(f"{SVG}desc")).text
    assert "given “the cat sat on the mat and the cat ran”" in told
    assert "Layers go down, heads across" in told
    assert "scene" not in told


@pytest.mark.parametrize("name", ["1 x 4", "comparison", "importance"])
def test_another_program_finds_true_type_fonts_alone_in_a_pdf(tmp_path, name):
    path = tmp_path / "chart.pdf"
    path.write_bytes(render_chart(CHARTS[name](), SMALL, ["pdf"])["pdf"])
    done = subprocess.run(["pdffonts", path], capture_output=True, text=True, check=True)
    fonts = done.stdout.splitlines()[2:]
    assert fonts
    assert all("CID TrueType" in font and font.split()[-5] == "yes" for font in fonts)
    assert done.stderr == ""


REPEATED = ("1 x 4", "other words")
PROGRAM = """
import hashlib, runpy, sys
from mhagui.figures import FORMATS, FigureStyle
from mhagui.figures.charts import render_chart
made = runpy.run_path(sys.argv[1])
for name in made["REPEATED"]:
    files = render_chart(made["CHARTS"][name](), FigureStyle(dpi=72), FORMATS)
    for kind, data in files.items():
        print(name, kind, hashlib.sha256(data).hexdigest(), sep="|")
"""


@pytest.mark.thorough
def test_another_process_draws_the_same_bytes():
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, __file__],
        env=os.environ | {"PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "SOURCE_DATE_EPOCH": "0"},
        capture_output=True,
        text=True,
        check=True,
        timeout=100,
    )
    lines = [line.split("|") for line in run.stdout.splitlines()]
    assert len(lines) == len(REPEATED) * len(FORMATS)
    files = {name: render_chart(CHARTS[name](), SMALL, FORMATS) for name in REPEATED}
    for name, kind, digest in lines:
        assert hashlib.sha256(files[name][kind]).hexdigest() == digest, (name, kind)


def test_charts_are_drawn_beside_the_figures_of_a_scene(two_heads):
    chart = map_of(2, 3)
    subject = Subject(*two_heads, SMALL, charts={chart.name: chart})
    files = render_all(subject, ["heads", "head-map"], ["svg"])
    assert list(files) == ["heads.svg", "head-map.svg"]
    assert files["head-map.svg"] == render_chart(chart, SMALL, ["svg"])["svg"]
    with pytest.raises(UserError, match="no figure “comparison”; the figures are heads,"):
        render_all(subject, ["comparison"], ["svg"])


def test_a_long_prompt_is_shortened_on_one_line():
    capture = Capture("m", (CapturedLayer(0, given=weights_of(1)),))
    seen = Seen.of(capture, "one\ntwo " + 100 * "word ")
    assert seen.text.startswith("one two word")
    assert seen.text.endswith("…")
    assert len(seen.text) <= 80
