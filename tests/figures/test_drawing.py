"""What is drawn is what the numbers say."""

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.collections import QuadMesh
from matplotlib.text import Text

from mhagui import figures
from mhagui.document import compute, load_lesson
from mhagui.document.edits import SetSequenceLength, set_key_magnitude, set_muted
from mhagui.errors import UserError
from mhagui.figures import FigureStyle, Subject, drawing
from mhagui.figures.impulse import LEGEND
from mhagui.figures.page import house_style, wrapped
from mhagui.palette import HEAD_MARKERS

IDEAL = LEGEND[1]


def cell_texts(axes):
    """Return the texts in the cells by row and column."""
    return {(int(text.get_position()[1]), int(text.get_position()[0])): text for text in axes.texts}


def number_in(text):
    """Return the number that a cell's text says, exact or nearly so."""
    return float(text.get_text().replace("−", "-").removeprefix("≈"))


# ------------------------------------------------------------------------------------------- heads


@pytest.mark.parametrize(
    ("name", "key"), [("four-heads", "four_heads"), ("two-heads", "two_heads")]
)
def test_heads_show_the_lessons_weights(name, key, expected, draw, lesson, panels):
    attention = expected[key]["attention"]
    shape = np.shape(attention[0])
    drawn = panels(draw("heads", *lesson(name)), shape)
    assert len(drawn) == len(attention)
    for axes, weights in zip(drawn, attention, strict=True):
        colours = axes.collections[0].get_facecolors().reshape(*shape, 4)
        texts = cell_texts(axes)
        assert len(texts) == shape[0] * (shape[0] + 1) / 2
        for row in range(shape[0]):
            for column in range(row + 1):
                weight = weights[row][column]
                assert number_in(texts[row, column]) == pytest.approx(weight, abs=0.00501)
                np.testing.assert_allclose(
                    colours[row, column], mpl.colormaps["viridis"](weight), atol=1 / 200
                )
            assert (colours[row, row + 1 :, 3] == 0).all()  # what is masked has no colour


def test_heads_have_the_lessons_titles_and_labels(four_heads, draw, words):
    assert words(draw("heads", *four_heads)) >= {
        "h1 first token", "h2 previous token", "h3 self", "h4 uniform",
        "t1", "t2", "t3", "t4", "t5", "t6", "key position i", "query position t",
    }  # fmt: skip


def test_heads_share_one_colour_bar_from_0_to_1(four_heads, draw):
    bars = [a for a in draw("heads", *four_heads).axes if a.get_ylabel() == "weight A, all heads"]
    assert len(bars) == 1
    assert bars[0].get_ylim() == (0, 1)


def test_masked_cells_are_hatched_and_no_others(four_heads, draw, panels):
    for axes in panels(draw("heads", *four_heads), (6, 6)):
        lines = axes.collections[1].get_clip_path().get_fully_transformed_path()
        for row in range(6):
            for column in range(6):
                centre = axes.transData.transform((column + 0.5, row + 0.5))
                assert lines.contains_point(centre) == (column > row)


def test_one_head_is_drawn_alone(four_heads, draw, panels, words):
    figure = draw("head", *four_heads, head=2)
    (axes,) = panels(figure, (6, 6))
    weights = four_heads[1].heads[2].weights
    for (row, column), text in cell_texts(axes).items():
        assert number_in(text) == pytest.approx(weights[row, column], abs=0.00501)
    assert "h3 self, g = 1" in words(figure)


@pytest.mark.parametrize("lone", [0, 700])
def test_a_lone_bright_cell_survives_in_a_large_matrix(lone):
    # Beyond 64 x 64 cells become pixels, and at most 200 to the inch; the brightest shows.
    from mhagui.figures.cells import Grid, _image
    from mhagui.figures.page import Box, Sheet, new_page
    from mhagui.figures.paper import Paper
    from mhagui.figures.scales import unit_scale

    values = np.zeros((1024, 1024))
    values[1000, lone] = 1.0
    paper = Paper(FigureStyle())
    grid = Grid.on(Sheet(new_page(3, 3, ""), paper), Box(0, 0, 2.0, 2.0), values.shape)
    image = _image(values, grid, unit_scale(paper, ""))
    assert len(set(map(bytes, image))) <= 400
    assert max(image.shape) <= 800
    row, column = np.argwhere(image == 1.0)[0] / image.shape * 1024
    assert abs(row - 1000) < 3
    assert abs(column - lone) < 3


def test_a_large_matrix_keeps_its_diagonal(draw, lesson, panels):
    scene, result = lesson("four-heads", SetSequenceLength(1024), set_key_magnitude(3, 1e12))
    image = panels(draw("heads", scene, result), (1024, 1024))[2].images[0].get_array()
    yellow = np.round(255 * np.array(mpl.colormaps["viridis"](1.0)[:3]))
    assert (np.abs(image[np.arange(len(image)), np.arange(len(image))] - yellow) <= 1).all()


def test_a_matrix_of_a_few_dozen_positions_is_drawn_as_cells_a_larger_one_as_an_image(
    draw, lesson, panels
):
    for positions, as_cells in ((64, True), (65, False)):
        figure = draw("head", *lesson("four-heads", SetSequenceLength(positions)))
        (axes,) = panels(figure, (positions, positions))
        meshes = [each for each in axes.collections if hasattr(each, "get_coordinates")]
        assert (len(meshes), len(axes.images)) == ((1, 0) if as_cells else (0, 1))


# ------------------------------------------------------------------------------------------ scores


def test_scores_are_shown_in_one_scale_around_0(four_heads, draw, panels):
    scene, result = four_heads
    seen = np.tri(6, dtype=bool)
    largest = max(np.abs(head.scores[seen]).max() for head in result.heads)
    for axes, head in zip(panels(draw("scores", scene, result), (6, 6)), result.heads, strict=True):
        mesh = axes.collections[0]
        assert mesh.get_clim() == pytest.approx((-largest, largest))
        shown = np.ma.filled(mesh.get_array().reshape(6, 6), np.nan)
        np.testing.assert_allclose(shown, np.where(seen, head.scores, np.nan), atol=1e-12)


# -------------------------------------------------------------------------------------- projection


def test_projection_shows_the_lessons_matrices(expected, two_heads, draw, panels, words):
    known = expected["two_heads"]
    figure = draw("projection", *two_heads)
    drawn = panels(figure, (4, 4))
    for axes, matrix in zip(drawn, (known["w_o"], known["concat"], known["output"]), strict=True):
        texts = cell_texts(axes)
        given = [[number_in(texts[row, column]) for column in range(4)] for row in range(4)]
        np.testing.assert_allclose(given, matrix, atol=0.00501)
        np.testing.assert_allclose(
            axes.collections[0].get_array().reshape(4, 4), matrix, rtol=1e-12, atol=1e-12
        )
    assert words(figure) >= {"h1.1", "h1.2", "h2.1", "h2.2", "d1", "d4", "t1", "t4", "Concat"}


@pytest.mark.parametrize(
    ("name", "key"), [("w-o", "w_o"), ("concat", "concat"), ("output", "output")]
)
def test_each_of_them_can_be_drawn_alone(name, key, expected, two_heads, draw, panels):
    (axes,) = panels(draw(name, *two_heads), (4, 4))
    shown = axes.collections[0].get_array().reshape(4, 4)
    np.testing.assert_allclose(shown, expected["two_heads"][key], rtol=1e-12, atol=1e-12)


def test_projection_scales_are_symmetric_and_hold_all_values(expected, two_heads, draw, panels):
    drawn = panels(draw("projection", *two_heads), (4, 4))
    known = expected["two_heads"]
    for axes, key in zip(drawn, ("w_o", "concat", "output"), strict=True):
        low, high = axes.collections[0].get_clim()
        assert high == pytest.approx(np.abs(known[key]).max())
        assert low == -high
    zero, highest = (drawn[2].collections[0].to_rgba(value) for value in (0, high))
    assert min(zero[:3]) > 0.95  # nearly white
    assert highest[0] > highest[2]  # red, not blue


def test_matching_rows_and_columns_of_the_product_are_in_line(four_heads, draw, panels):
    figure = draw("projection", *four_heads)
    (w_o,) = panels(figure, (8, 8))
    concat, output = panels(figure, (6, 8))
    assert w_o.get_position().x0 == pytest.approx(output.get_position().x0)
    assert w_o.get_position().x1 == pytest.approx(output.get_position().x1)
    assert concat.get_position().y0 == pytest.approx(output.get_position().y0)
    assert concat.get_position().y1 == pytest.approx(output.get_position().y1)


def test_listening_is_the_norm_of_the_columns_of_a_heads_rows(four_heads, draw, panels):
    (axes,) = panels(draw("listening", *four_heads), (8, 4))
    wanted = np.linalg.norm(four_heads[0].w_o.reshape(4, 2, 8), axis=1).T
    np.testing.assert_allclose(axes.collections[0].get_array().reshape(8, 4), wanted, rtol=1e-12)
    assert axes.collections[0].get_clim() == (0, pytest.approx(wanted.max()))


def test_muted_heads_are_marked_in_every_figure(draw, lesson, words):
    subject = lesson("four-heads", set_muted(2, True))
    assert "h2 previous token (muted)" in words(draw("heads", *subject))
    assert "h2 previous token (muted)" in words(draw("entropy", *subject))
    assert any(
        word.startswith("h2 ") and "(muted)" in word for word in words(draw("impulse", *subject))
    )
    note = "Hollow bands: muted before W_O (h2)"
    for name in ("projection", "w-o", "concat"):
        assert note in words(draw(name, *subject))


# ------------------------------------------------------------------------------------------ packed


def test_there_is_no_packed_figure_where_there_is_no_packed_w_q(lesson):
    scene, result = lesson("two-heads", SetSequenceLength(6))  # t1 is the token of t5, t2 of t6
    with pytest.raises(UserError, match=r"tokens t[12] and t[56] are the same, but their queries"):
        figures.render("packed-wq", Subject(scene, result), "svg")
    assert "d_model = 4" in (figures.why_not("packed-wq", result) or "")
    assert figures.why_not("heads", result) is None


def test_packed_figure_names_the_slices(two_heads, draw, words):
    assert words(draw("packed-wq", *two_heads)) >= {
        "h1.q1", "h1.q2", "h2.q1", "h2.q2", "x1", "x4", "W_Q^1", "W_Q^2",
    }  # fmt: skip


# ------------------------------------------------------------------------------------------ impulse


def stems(axes):
    """Return the taps that are dotted in a panel."""
    (dots,) = [line for line in axes.lines if line.get_marker() == "o"]
    return dots.get_xdata(), dots.get_ydata()


def test_impulse_responses_are_row_four_of_the_weights(four_heads, expected, draw, words):
    figure = draw("impulse", *four_heads)
    attention = expected["four_heads"]["attention"]
    for axes, weights in zip(figure.axes, attention, strict=True):
        keys, taps = stems(axes)
        assert list(keys) == [1, 2, 3, 4]
        np.testing.assert_allclose(taps, weights[3][:4], rtol=1e-12)
        assert axes.get_ylim()[0] == 0
    away = [1 - attention[place][3][key] for place, key in enumerate((0, 2, 3))]
    names = "h1 first-sample hold", "h2 unit delay z⁻¹", "h3 identity"
    assert words(figure) >= {
        *(f"{name} TV distance {far:.3f}" for name, far in zip(names, away, strict=True)),
        "h4 growing box TV distance 0.000", "weight at t4", "key position i",
    }  # fmt: skip


def test_impulse_takes_any_row_and_the_last_of_a_short_sequence(
    four_heads, expected, draw, lesson, words
):
    figure = draw("impulse", *four_heads, row=1)
    np.testing.assert_allclose(
        stems(figure.axes[1])[1], expected["four_heads"]["attention"][1][1][:2], rtol=1e-12
    )
    short = draw("impulse", *lesson("four-heads", SetSequenceLength(2)))
    assert "weight at t2" in words(short)


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ({"row": 6}, "no row t7; this scene has t1 to t6"),
        ({"row": -1}, "no row t0; this scene has t1 to t6"),
        ({"head": 4}, "no head 5; this scene has 1 to 4"),
        ({"head": -1}, "no head 0; this scene has 1 to 4"),
    ],
)
def test_a_row_and_a_head_that_there_is_not(four_heads, where, said):
    with pytest.raises(UserError, match=said):
        Subject(*four_heads, **where)


def test_impulse_says_where_a_row_has_no_ideal(four_heads, draw, words):
    figure = draw("impulse", *four_heads, row=0)
    assert "h2 unit delay z⁻¹ no ideal at t1" in words(figure)
    ideals = [len(axes.collections) for axes in figure.axes]
    assert ideals[0] == ideals[1] + 1  # the line of the ideal tap


def test_impulse_of_a_long_sequence_makes_room_for_the_row(four_heads, draw, lesson):
    long = draw("impulse", *lesson("four-heads", SetSequenceLength(300)), row=3)
    assert 4 < long.axes[0].get_xlim()[1] < 41  # not 300, where four taps are one line
    assert draw("impulse", *four_heads).axes[0].get_xlim()[1] == pytest.approx(6.6)


def test_impulse_has_no_key_to_ideals_that_no_panel_has(draw, lesson, words):
    assert IDEAL in words(draw("impulse", *lesson("four-heads")))
    assert IDEAL not in words(draw("impulse", *lesson("content-position")))


def test_impulse_shows_a_long_row_whole(draw, lesson):
    scene, result = lesson("four-heads", SetSequenceLength(64))
    figure = draw("impulse", scene, result, row=49)
    for axes, head in zip(figure.axes, result.heads, strict=True):
        assert axes.get_xlim() == (pytest.approx(0.4), pytest.approx(64.6))
        (taps,) = [
            lines
            for lines in axes.collections
            if len(lines.get_segments()) == 50 and lines.get_segments()[0][0][1] == 0
        ]
        tops = [segment[1][1] for segment in taps.get_segments()]
        np.testing.assert_allclose(tops, head.weights[49, :50], atol=1e-12)


# ------------------------------------------------------------------------------------------ entropy


def test_entropy_curves_are_the_lessons_and_the_ceiling_shows_under_the_uniform_head(
    four_heads, expected, draw
):
    (axes,) = draw("entropy", *four_heads).axes
    ceiling, *heads = axes.lines
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [
        "ceiling log₂ t", "h1 first token", "h2 previous token", "h3 self", "h4 uniform",
    ]  # fmt: skip
    np.testing.assert_allclose(ceiling.get_ydata(), np.log2(range(1, 7)), atol=1e-12)
    for line, bits in zip(heads, expected["four_heads"]["row_entropy_bits"], strict=True):
        np.testing.assert_allclose(line.get_ydata(), bits, rtol=1e-12, atol=1e-12)
        assert line.get_xdata()[0] == 1
        assert ceiling.get_linewidth() >= 3 * line.get_linewidth()
        assert ceiling.get_zorder() <= line.get_zorder()


def test_heads_differ_without_colour_and_have_the_windows_markers(make_scene, draw):
    scene = make_scene(60, 32, 2, 2, 8)
    (axes,) = draw("entropy", scene, compute(scene)).axes
    lines = axes.lines[1:]
    assert len({(line.get_linestyle(), line.get_marker()) for line in lines}) == 32
    shapes = [line.get_marker() for line in lines[:8]]
    assert shapes == ["o", "s", "^", "D", "*", "v", "p", "P"]
    on_screen = [marker.on_screen for marker in HEAD_MARKERS]
    assert on_screen == ["o", "s", "t1", "d", "star", "t", "p", "+"]  # the same eight, by pyqtgraph


# --------------------------------------------------------------------------------- singular values


def test_singular_values_are_those_of_the_scores_and_of_the_weights(
    four_heads, expected, draw, words
):
    result = four_heads[1]
    figure = draw("singular-values", *four_heads)
    upper, lower = figure.axes
    for place, head in enumerate(result.heads):
        for axes, matrix in ((upper, head.q @ head.k.T), (lower, head.weights)):
            values = np.linalg.svd(matrix, compute_uv=False)
            shown = axes.lines[place].get_ydata()
            np.testing.assert_allclose(shown, values[: len(shown)], atol=1e-12)
            assert values[len(shown) :] == pytest.approx(0, abs=1e-12)
    assert any(word.endswith("rank 1, 2, 2, 0") for word in words(figure))


# -------------------------------------------------------------------------------------- bad choices


def test_an_unknown_figure_is_answered_with_those_there_are(two_heads):
    with pytest.raises(UserError, match=r"no figure “hands”; the figures are heads, head, scores"):
        figures.render("hands", Subject(*two_heads), "svg")


# ------------------------------------------------------------------------------------ colour scales


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("head", 1), ("w-o", 1), ("concat", 1), ("output", 1), ("listening", 1), ("packed-wv", 1),
        ("filter-bank", 1), ("projection", 3), ("pipeline", 2), ("redundancy", 2),
    ],
)  # fmt: skip
def test_cells_have_a_bar_of_their_colours_with_its_numbers(name, count, two_heads):
    figure = drawing.draw(name, Subject(*two_heads))
    bars = [axes._colorbar for axes in figure.axes if hasattr(axes, "_colorbar")]
    assert len(bars) == count
    for bar in bars:
        written = [float(text.get_text().replace("−", "-")) for text in bar.ax.get_yticklabels()]
        assert written == pytest.approx(list(bar.ax.get_yticks()), rel=0.005)
        assert (written[0], written[-1]) == pytest.approx(bar.mappable.get_clim(), rel=0.005)
    if name != "pipeline":  # whose panels reach what is written above each
        others = [axes for axes in figure.axes if not hasattr(axes, "_colorbar")]
        meshes = [m for axes in others for m in axes.collections if isinstance(m, QuadMesh)]
        assert {m.get_clim() for m in meshes} == {bar.mappable.get_clim() for bar in bars}


def test_no_colours_are_mixed_where_cells_are_pixels(lesson, panels):
    style = FigureStyle(dpi=90, preset=figures.Preset.SINGLE_COLUMN)
    figure = drawing.draw("head", Subject(*lesson("four-heads", SetSequenceLength(70)), style))
    (axes,) = panels(figure, (70, 70))
    picture = drawing.pixels(figure, style)[..., :3]
    height, width, _ = picture.shape
    left, bottom, right, top = axes.get_position().extents
    rows = slice(round(height * (1 - (bottom + top) / 2)) + 2, round(height * (1 - bottom)) - 3)
    columns = slice(round(width * left) + 3, round(width * (left + right) / 2) - 2)
    seen = {tuple(colour) for colour in picture[rows, columns].reshape(-1, 3).tolist()}
    table = mpl.colormaps["viridis"](np.arange(256), bytes=True)[:, :3]
    assert len(seen) > 1
    assert seen <= {tuple(colour) for colour in table.tolist()}


def test_no_line_ends_within_a_symbol():
    with house_style():
        for width in (0.1, 0.3, 0.5, 0.6, 0.7):
            lines = wrapped("Concat·W_O and X W_V^(h)", width, 8)
            assert "".join(lines).replace(" ", "") == "Concat·W_OandXW_V^(h)"
            assert sum("W_O" in line for line in lines) == 1
            assert sum("W_V^(h)" in line for line in lines) == 1


def test_heads_without_a_filter_have_their_names_and_no_note_of_filters(draw):
    scene = load_lesson("content-position")
    result = compute(scene)
    words = " ".join(text.get_text() for text in draw("impulse", scene, result).findobj(Text))
    assert all(head.name.split()[0] in words for head in scene.heads)
    assert "projected" not in words
    words = " ".join(text.get_text() for text in draw("frequency", scene, result).findobj(Text))
    assert "First-sample hold" not in words
