"""What is drawn is what the numbers say, and all of it can be read."""

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.text import Text

from mhagui import figures
from mhagui.document import compute, load_lesson
from mhagui.document.edits import SetSequenceLength, set_key_magnitude, set_muted
from mhagui.errors import UserError
from mhagui.figures.page import house_style
from mhagui.palette import HEAD_MARKERS, contrast


def lesson(name, *edits):
    scene = load_lesson(name)
    for edit in edits:
        scene = edit.apply(scene)
    return scene, compute(scene)


def words(figure):
    return {text.get_text() for text in figure.findobj(Text) if text.get_visible()}


def cell_values(axes):
    """Return the texts in the cells by row and column."""
    return {(int(text.get_position()[1]), int(text.get_position()[0])): text for text in axes.texts}


def number_in(text):
    """Return the number that a cell's text says, exact or nearly so."""
    return float(text.get_text().replace("−", "-").removeprefix("≈"))


def panels(figure, shape):
    """Return the axes that hold matrices of ``shape``, in the order they were drawn."""
    limits = (0, shape[1]), (shape[0], 0)
    return [axes for axes in figure.axes if (axes.get_xlim(), axes.get_ylim()) == limits]


# ------------------------------------------------------------------------------- legible, all of it


def layout_of(figure):
    """Return the boxes of texts, of texts in cells, and of axes, in pixels."""
    with house_style():
        figure.draw_without_rendering()
    in_cells = {text for axes in figure.axes for text in axes.texts}
    left_out = in_cells | {text for axes in figure.axes for text in beyond_view(axes)}
    outside = [
        (text.get_text(), text.get_window_extent())
        for text in figure.findobj(Text)
        if text.get_visible() and text.get_text().strip() and text not in left_out
    ]
    return outside, in_cells, [axes.get_window_extent() for axes in figure.axes]


def beyond_view(axes):
    """Return the labels matplotlib keeps for places out of view and does not draw."""
    for axis in (axes.xaxis, axes.yaxis):
        low, high = sorted(axis.get_view_interval())
        for tick in axis.get_major_ticks():
            if not low <= tick.get_loc() <= high:
                yield tick.label1


def overlap(one, other):
    """Return by how many pixels two boxes overlap, the lesser way; below 0 if they are apart."""
    across = min(one.x1, other.x1) - max(one.x0, other.x0)
    return min(across, min(one.y1, other.y1) - max(one.y0, other.y0))


# The packed W_K is left out: it is drawn as W_Q is, of the same shape.
@pytest.mark.parametrize("name", [name for name in figures.FIGURES if name != "packed-wk"])
def test_no_text_is_cut_or_runs_into_another_or_over_a_panel(any_scene, name):
    if figures.why_not(name, any_scene[1]):
        pytest.skip("this scene has no packed W_Q")
    figure = figures.draw(name, *any_scene)
    outside, in_cells, boxes = layout_of(figure)
    page = figure.bbox
    for text, box in outside:
        assert box.x0 >= page.x0, text
        assert box.x1 <= page.x1, text
        assert box.y0 >= page.y0, text
        assert box.y1 <= page.y1, text
        assert all(overlap(box, axes) < 1.5 for axes in boxes), text
    for number, (text, box) in enumerate(outside):
        for other_text, other in outside[:number]:
            assert overlap(box, other) < 1.5, (text, other_text)
    for text in in_cells:
        row, column = (int(at) for at in reversed(text.get_position()))
        corners = text.axes.transData.transform([(column, row), (column + 1, row + 1)])
        box = text.get_window_extent()
        assert corners[0][0] < box.x0
        assert box.x1 < corners[1][0]


@pytest.mark.parametrize("name", figures.FIGURES)
def test_it_fits_a_journals_page_and_no_text_is_cut_whatever_the_dots_to_the_inch(four_heads, name):
    figure = figures.draw(name, *four_heads)
    width, height = figure.get_size_inches()
    assert 3 <= width <= 7
    assert height <= 9
    for dpi in (72, 150):
        figure.set_dpi(dpi)
        for text, box in layout_of(figure)[0]:
            assert figure.bbox.x0 <= box.x0, text
            assert box.x1 <= figure.bbox.x1, text


@pytest.mark.parametrize("name", ["heads", "projection"])
def test_values_stand_out_from_their_cells(two_heads, four_heads, name):
    for scene, result in (two_heads, four_heads):
        figure = figures.draw(name, scene, result)
        figure.draw_without_rendering()  # gives cells their colours
        checked = 0
        for axes in figure.axes:
            for (row, column), text in cell_values(axes).items():
                mesh = axes.collections[0]
                face = mesh.get_facecolors()[row * round(axes.get_xlim()[1]) + column]
                ink = [255 * channel for channel in to_rgb(text.get_color())]
                assert contrast(tuple(255 * face[:3]), tuple(ink)) >= 4.5
                checked += 1
        assert checked >= 20


# ------------------------------------------------------------------------------------------- heads


@pytest.mark.parametrize(
    ("name", "key"), [("four-heads", "four_heads"), ("two-heads", "two_heads")]
)
def test_heads_show_the_lessons_weights(name, key, expected):
    attention = expected[key]["attention"]
    figure = figures.draw("heads", *lesson(name))
    figure.draw_without_rendering()  # gives cells their colours
    shape = np.shape(attention[0])
    drawn = panels(figure, shape)
    assert len(drawn) == len(attention)
    for axes, weights in zip(drawn, attention, strict=True):
        colours = axes.collections[0].get_facecolors().reshape(*shape, 4)
        values = cell_values(axes)
        assert len(values) == shape[0] * (shape[0] + 1) / 2
        for row in range(shape[0]):
            for column in range(row + 1):
                weight = weights[row][column]
                assert number_in(values[row, column]) == pytest.approx(weight, abs=0.00501)
                np.testing.assert_allclose(
                    colours[row, column], mpl.colormaps["viridis"](weight), atol=1 / 200
                )
            assert (colours[row, row + 1 :, 3] == 0).all()  # what is masked has no colour


def test_heads_have_the_lessons_titles_and_labels():
    figure = figures.draw("heads", *lesson("four-heads"))
    assert words(figure) >= {
        "Head 1 — first token", "Head 2 — previous token", "Head 3 — self", "Head 4 — uniform",
        "t1", "t2", "t3", "t4", "t5", "t6", "key position i", "query position t",
    }  # fmt: skip


def test_heads_share_one_colour_bar_from_0_to_1(four_heads):
    figure = figures.draw("heads", *four_heads)
    bars = [axes for axes in figure.axes if axes.get_ylabel() == "weight"]
    assert len(bars) == 1
    assert bars[0].get_ylim() == (0, 1)


def test_masked_cells_are_hatched(four_heads):
    figure = figures.draw("heads", *four_heads)
    for axes in panels(figure, (6, 6)):
        (mask,) = [patch for patch in axes.patches if patch.get_hatch()]
        outline = mask.get_path()
        for row in range(6):
            for column in range(6):
                assert outline.contains_point((column + 0.5, row + 0.5)) == (column > row)


@pytest.mark.parametrize("lone", [0, 700])
def test_a_lone_bright_cell_survives_in_a_large_matrix(lone):
    # Beyond 64 x 64 cells become pixels, fewer than there are cells; the brightest shows.
    from mhagui.figures.cells import Grid, _image, weight_scale
    from mhagui.figures.page import Box, new_page

    values = np.zeros((1024, 1024))
    values[1000, lone] = 1.0
    grid = Grid.on(new_page(3, 3, ""), Box(0, 0, 2.0, 2.0), values.shape)
    image = _image(values, grid, weight_scale())
    assert max(image.shape) <= 400
    row, column = np.argwhere(image == 1.0)[0] / image.shape * 1024
    assert abs(row - 1000) < 3
    assert abs(column - lone) < 3


def test_a_large_matrix_keeps_its_diagonal():
    scene, result = lesson("four-heads", SetSequenceLength(1024), set_key_magnitude(3, 1e12))
    figure = figures.draw("heads", scene, result)
    image = panels(figure, (1024, 1024))[2].images[0].get_array()
    yellow = np.round(255 * np.array(mpl.colormaps["viridis"](1.0)[:3]))
    assert (np.abs(image[np.arange(len(image)), np.arange(len(image))] - yellow) <= 1).all()


def test_a_matrix_of_a_few_dozen_positions_is_drawn_as_cells_a_larger_one_as_an_image():
    for positions, as_cells in ((64, True), (65, False)):
        figure = figures.draw("heads", *lesson("four-heads", SetSequenceLength(positions)))
        (first, *_) = panels(figure, (positions, positions))
        assert (len(first.collections), len(first.images)) == ((1, 0) if as_cells else (0, 1))


# -------------------------------------------------------------------------------------- projection


def test_projection_shows_the_lessons_matrices(expected):
    known = expected["two_heads"]
    figure = figures.draw("projection", *lesson("two-heads"))
    drawn = panels(figure, (4, 4))
    for axes, matrix in zip(drawn, (known["w_o"], known["concat"], known["output"]), strict=True):
        texts = cell_values(axes)
        given = [[number_in(texts[row, column]) for column in range(4)] for row in range(4)]
        np.testing.assert_allclose(given, matrix, atol=0.00501)
        np.testing.assert_allclose(
            axes.collections[0].get_array().reshape(4, 4), matrix, rtol=1e-12, atol=1e-12
        )
    assert words(figure) >= {"h1.1", "h1.2", "h2.1", "h2.2", "d1", "d4", "t1", "t4", "Concat"}


def test_projection_scales_are_symmetric_and_hold_all_values(expected):
    figure = figures.draw("projection", *lesson("two-heads"))
    known = expected["two_heads"]
    for axes, key in zip(panels(figure, (4, 4)), ("w_o", "concat", "output"), strict=True):
        low, high = axes.collections[0].get_clim()
        assert high == pytest.approx(np.abs(known[key]).max())
        assert low == -high
    zero, highest = (panels(figure, (4, 4))[2].collections[0].to_rgba(v) for v in (0, high))
    assert min(zero[:3]) > 0.95  # nearly white
    assert highest[0] > highest[2]  # red, not blue


def test_matching_rows_and_columns_of_the_product_are_in_line(four_heads):
    figure = figures.draw("projection", *four_heads)
    (w_o,) = panels(figure, (8, 8))
    concat, output = panels(figure, (6, 8))
    assert w_o.get_position().x0 == pytest.approx(output.get_position().x0)
    assert w_o.get_position().x1 == pytest.approx(output.get_position().x1)
    assert concat.get_position().y0 == pytest.approx(output.get_position().y0)
    assert concat.get_position().y1 == pytest.approx(output.get_position().y1)


def test_muted_heads_are_marked_in_every_figure():
    scene, result = lesson("four-heads", set_muted(2, True))
    assert "Head 2 — previous token (muted)" in words(figures.draw("heads", scene, result))
    assert "h2 previous token (muted)" in words(figures.draw("entropy", scene, result))
    assert any(
        word.startswith("Head 2\n") and "(muted)" in word
        for word in words(figures.draw("impulse", scene, result))
    )
    note = "Hollow bands: ablated before W_O (h2)"
    assert note in words(figures.draw("projection", scene, result))


# --------------------------------------------------------------------------------------- packed W_Q


def test_there_is_no_packed_figure_where_there_is_no_packed_w_q():
    scene, result = lesson("two-heads", SetSequenceLength(6))  # t1 is the token of t5, t2 of t6
    with pytest.raises(UserError, match=r"tokens t[12] and t[56] are the same, but their queries"):
        figures.draw("packed-wq", scene, result)
    assert "d_model = 4" in (figures.why_not("packed-wq", result) or "")
    assert figures.why_not("heads", result) is None


def test_packed_figure_names_the_slices(two_heads):
    figure = figures.draw("packed-wq", *two_heads)
    assert words(figure) >= {
        "h1.q1",
        "h1.q2",
        "h2.q1",
        "h2.q2",
        "x1",
        "x4",
        "$W_Q^{1}$",
        "$W_Q^{2}$",
    }


# ------------------------------------------------------------------------------------------ impulse


def stems(axes):
    """Return the taps that are dotted in a panel."""
    (dots,) = [line for line in axes.lines if line.get_marker() == "o"]
    return dots.get_xdata(), dots.get_ydata()


def test_impulse_responses_are_row_four_of_the_weights(four_heads, expected):
    figure = figures.draw("impulse", *four_heads)
    for axes, weights in zip(figure.axes, expected["four_heads"]["attention"], strict=True):
        keys, taps = stems(axes)
        assert list(keys) == [1, 2, 3, 4]
        np.testing.assert_allclose(taps, weights[3][:4], rtol=1e-12)
        assert axes.get_ylim()[0] == 0
    attention = expected["four_heads"]["attention"]
    away = [1 - attention[place][3][key] for place, key in enumerate((0, 2, 3))]
    names = "Head 1\nfirst-sample hold", "Head 2\nunit delay z⁻¹", "Head 3\nidentity"
    assert words(figure) >= {
        *(f"{name}\nTV distance {far:.3f}" for name, far in zip(names, away, strict=True)),
        "Head 4\ngrowing box\nTV distance 0.000", "weight at t4", "key position i",
    }  # fmt: skip


def test_impulse_takes_any_row_and_the_last_of_a_short_sequence(four_heads, expected):
    figure = figures.draw("impulse", *four_heads, row=1)
    np.testing.assert_allclose(
        stems(figure.axes[1])[1], expected["four_heads"]["attention"][1][1][:2], rtol=1e-12
    )
    short = figures.draw("impulse", *lesson("four-heads", SetSequenceLength(2)))
    assert "weight at t2" in words(short)
    for row in (6, -1):
        sentence = f"no row t{row + 1}; this scene has t1 to t6"
        with pytest.raises(UserError, match=sentence):
            figures.draw("impulse", *four_heads, row=row)
        with pytest.raises(UserError, match=sentence):
            figures.render_all(*four_heads, ["heads"], [], row=row)


def test_impulse_says_where_a_row_has_no_ideal(four_heads):
    figure = figures.draw("impulse", *four_heads, row=0)
    assert "Head 2\nunit delay z⁻¹\nno ideal at t1" in words(figure)
    ideals = [len(axes.collections) for axes in figure.axes]
    assert ideals[0] == ideals[1] + 1  # the line of the ideal tap


def test_impulse_of_a_long_sequence_makes_room_for_the_row(four_heads):
    axes = figures.draw("impulse", *lesson("four-heads", SetSequenceLength(300)), row=3).axes[0]
    assert axes.get_xlim()[1] == pytest.approx(40.6)  # not 300.6, where four taps are one line
    assert figures.draw("impulse", *four_heads).axes[0].get_xlim()[1] == pytest.approx(6.6)


def test_impulse_has_no_key_to_ideals_that_no_panel_has():
    ideal = "ideal filter, which a growing gain approaches"
    assert ideal in words(figures.draw("impulse", *lesson("four-heads")))
    assert ideal not in words(figures.draw("impulse", *lesson("content-position")))


def test_impulse_shows_a_long_row_whole():
    scene, result = lesson("four-heads", SetSequenceLength(64))
    figure = figures.draw("impulse", scene, result, row=49)
    for axes, head in zip(figure.axes, result.heads, strict=True):
        assert axes.get_xlim() == (pytest.approx(0.4), pytest.approx(64.6))
        (taps,) = [lines for lines in axes.collections if len(lines.get_segments()) == 50][-1:]
        tops = [segment[1][1] for segment in taps.get_segments()]
        np.testing.assert_allclose(tops, head.weights[49, :50], atol=1e-12)


# ------------------------------------------------------------------------------------------ entropy


def test_entropy_curves_are_the_lessons_and_the_ceiling_shows_under_the_uniform_head(
    four_heads, expected
):
    (axes,) = figures.draw("entropy", *four_heads).axes
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


def test_heads_differ_without_colour_and_have_the_windows_markers(make_scene):
    scene = make_scene(60, 32, 2, 2, 8)
    (axes,) = figures.draw("entropy", scene, compute(scene)).axes
    lines = axes.lines[1:]
    assert len({(line.get_linestyle(), line.get_marker()) for line in lines}) == 32
    shapes = [line.get_marker() for line in lines[:8]]
    assert shapes == ["o", "s", "^", "D", "*", "v", "p", "P"]
    on_screen = [marker.on_screen for marker in HEAD_MARKERS]
    assert on_screen == ["o", "s", "t1", "d", "star", "t", "p", "+"]  # the same eight, by pyqtgraph


# -------------------------------------------------------------------------------------- bad choices


def test_an_unknown_figure_is_answered_with_those_there_are(two_heads):
    with pytest.raises(UserError, match=r"no figure “head”; the figures are heads, projection"):
        figures.draw("head", *two_heads)
