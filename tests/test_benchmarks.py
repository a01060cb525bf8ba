"""The arithmetic of the benchmarks, and each of them at the smallest size."""

import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PySide6.QtGui import QColor

FOLDER = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture(autouse=True)
def _benchmarks(monkeypatch):
    monkeypatch.syspath_prepend(FOLDER)


@pytest.fixture
def measuring():
    import measuring

    return measuring


def section(measuring, at_least, *rows):
    made = measuring.Section("a. Title", "Text.", "peer", at_least)
    made.rows.extend(rows)
    return made


@pytest.mark.parametrize(
    ("at_least", "ratio", "met", "missed"), [(True, 4.0, 4.0, 4.1), (False, 0.25, 0.25, 0.24)]
)
def test_the_ratio_is_of_the_medians_and_keeps_to_its_limit(
    measuring, at_least, ratio, met, missed
):
    row = measuring.Row("row", ours=[1.0, 2.0, 30.0], theirs=[90.0, 8.0, 7.0])
    made = section(measuring, at_least, row)
    assert made.ratio(row) == ratio
    assert made.meets(row, met)
    assert made.meets(row, None)
    assert not made.meets(row, missed)


def test_the_spread_of_the_ratio_is_of_pairs(measuring):
    row = measuring.Row("row", ours=[1.0, 2.0], theirs=[3.0, 2.0])
    assert section(measuring, True, row).ratios(row) == [3.0, 1.0]


def test_pairs_have_to_be_whole(measuring):
    row = measuring.Row("row", ours=[1.0, 2.0], theirs=[3.0])
    with pytest.raises(ValueError, match="shorter"):
        section(measuring, True, row).markdown()


def test_a_table_tells_medians_spread_ratio_and_what_is_missed(measuring):
    row = measuring.Row("row", [0.001, 0.002, 0.003], [0.008] * 3, bar=3.0, goal=5.0)
    text = section(measuring, True, row).markdown()
    assert text.splitlines() == [
        "## a. Title",
        "",
        "Text.",
        "",
        "|  | mhagui | peer | peer / mhagui | bar | goal |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
        "| row | 2.00 ms (1.00 to 3.00) | 8.00 ms | **4.00** (2.67 to 8.00) | ≥ 3 met "
        "| ≥ 5 **missed** |",
    ]


def test_only_a_missed_bar_fails_the_run(measuring):
    missed_goal = measuring.Row("row", [1.0], [2.0], bar=1.0, goal=3.0)
    missed_bar = measuring.Row("row", [1.0], [2.0], bar=3.0)
    assert not section(measuring, True, missed_goal).misses_a_bar
    assert section(measuring, True, missed_goal, missed_bar).misses_a_bar


def test_what_is_missed_is_explained_once(measuring):
    made, told = section(measuring, True), []

    def explain():
        told.append("told")
        return "why"

    made.add(measuring.Row("met", [1.0], [2.0], goal=2.0), "subject", explain)
    assert told == []
    for _ in range(2):
        made.add(measuring.Row("missed", [1.0], [2.0], goal=3.0), "subject", explain)
    assert told == ["told"]
    assert made.markdown().endswith("\n\nsubject:\n\nwhy")


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (1.0, "1.00"), (12.345, "12.3"), (1234.5, "1234"), (0.0123, "0.0123")],
)
def test_numbers_have_three_digits(measuring, value, text):
    assert measuring.number(value) == text


@pytest.mark.parametrize(
    ("values", "unit", "text"),
    [
        ([2.0], "s", "2.00 s"),
        ([3e-9], "s", "3.00 ns"),
        ([0.05, 0.02, 0.7], "s", "50.0 ms (20.0 to 700)"),
        ([2.3e9], "B", "2.30 GB"),
        ([1500.0], "B", "1.50 kB"),
    ],
)
def test_a_spread_has_the_unit_of_its_median(measuring, values, unit, text):
    assert measuring.spread(values, unit) == text


def test_runs_take_turns_and_the_first_turn_does_not_count(measuring):
    order = []
    seconds = measuring.in_turn(2, lambda: order.append("a"), lambda: order.append("b"))
    assert order == ["a", "b"] * 3
    assert [len(own) for own in seconds] == [2, 2]
    assert min(map(min, seconds)) >= 0.0


def test_a_profile_names_what_threads_do_as_well(measuring):
    def counted_in_a_thread():
        number = 0
        while number < 200_000:
            number += 1

    def run():
        thread = threading.Thread(target=counted_in_a_thread)
        thread.start()
        thread.join()

    assert "counted_in_a_thread" in measuring.profile(run)


def test_memory_is_told_by_the_line_that_takes_it(measuring):
    told = measuring.memory_of(lambda: np.ones(2**20))
    assert "8.39 MB" in told


@pytest.fixture
def one_part(monkeypatch, tmp_path):
    """Return the module that runs the parts, of which there is one, and where it writes."""
    import run

    (tmp_path / "quick_part.py").write_text(
        "from measuring import Row, Section\n"
        "def section():\n"
        "    return Section('q. Quick', 'Text.', 'peer', True, [Row('row', [1.0], [2.0], 3.0)])\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(run, "PARTS", {"q": "quick_part"})
    monkeypatch.setattr(run, "RESULTS", tmp_path / "RESULTS.md")
    monkeypatch.setattr(run, "machine", lambda: "This machine.")
    return run


def test_a_run_of_all_writes_the_results(one_part, capsys):
    assert one_part.main([]) == 1  # the bar of 3 is missed
    text = one_part.RESULTS.read_text(encoding="utf-8")
    assert "## q. Quick" in text
    assert text.endswith("## Where\n\nThis machine.\n")
    assert "## q. Quick" in capsys.readouterr().out


def test_a_part_is_printed_alone(one_part, capsys):
    assert one_part.main(["q"]) == 1
    assert "**2.00**" in capsys.readouterr().out
    assert not one_part.RESULTS.exists()


def test_parts_that_are_not_there_are_named(one_part, capsys):
    with pytest.raises(SystemExit, match="2"):
        one_part.main(["z"])
    assert "no part z: there are q." in capsys.readouterr().err


def test_weights_beside_torch(measuring):
    pytest.importorskip("torch", reason="torch is in the extra `bench`")
    import weights

    made = section(measuring, True)
    weights.measure(5, 1, made)
    assert len(made.rows) == 4


def test_weights_beside_their_products(measuring):
    import floor

    made = section(measuring, False)
    floor.measure(130, 1, made)  # more than one tile
    assert [row.goal for row in made.rows] == [2.0, 2.0]


def test_growth_at_the_smallest_sizes():
    import growth

    for rows in (growth.rank_rows((16, 32), 1), growth.tick_rows((8, 16), 1)):
        assert len(rows) == 1
        assert min(*rows[0].ours, *rows[0].theirs) > 0.0


def test_a_gain_tick_touches_32_bytes_a_cell_at_most():
    import growth

    (row,) = growth.bytes_rows((512,))
    assert row.theirs == [8 * 512**2]
    # The scores are read and the weights made, and read for the output and for the term.
    assert 4 * 8 * 512**2 / 2 < row.ours[0] <= 32 * 512**2


def test_the_peak_holds_scores_and_weights():
    import growth

    row = growth.memory_row(2, 256)
    assert row.theirs == [2 * 8 * 256**2]
    assert row.ours[0] > 2 * row.theirs[0]


@pytest.fixture
def dump(tmp_path):
    import open_dump

    path = str(tmp_path / "weights.npy")
    open_dump.make_dump(path, (2, 3, 80, 80))
    return path


def test_an_opening_tells_its_own_time_and_memory(dump):
    import open_dump

    opening = open_dump.in_own_process(open_dump.paint, dump)
    assert 0.0 < opening.work < opening.whole
    assert opening.memory > 10e6


def test_the_picture_shows_every_head_at_its_place(qapp):
    import open_dump

    from mhagui.document.capture import Capture, CapturedLayer
    from mhagui.gui.pictures import weight_table

    weights = np.zeros((2, 3, 80, 80), np.float32)
    weights[1, 2, 79, 79] = 1.0  # pooled with its neighbours, it survives
    layers = tuple(CapturedLayer(number, of) for number, of in enumerate(weights))
    image = open_dump.picture_of(Capture("dump", layers)).toImage()
    assert (image.width(), image.height()) == (3 * 64, 2 * 64)
    darkest, brightest = (QColor(*weight_table()[level].tolist()) for level in (0, 254))
    assert image.pixelColor(191, 127) == brightest
    assert image.pixelColor(190, 127) == image.pixelColor(127, 63) == darkest


@pytest.mark.parametrize("name", ["bertviz", "circuitsvis"])
def test_pages_beside_it(dump, name):
    pytest.importorskip(name, reason=f"{name} is in the extra `bench`")
    import open_dump

    assert open_dump.in_own_process(getattr(open_dump, f"build_{name}"), dump).work > 0.0


def test_both_figures_are_of_the_same_size(tmp_path):
    import export_figure

    for draw in export_figure.drawings(tmp_path):
        draw()
    with Image.open(tmp_path / "ours.png") as ours, Image.open(tmp_path / "plain.png") as plain:
        assert ours.size == pytest.approx(plain.size, rel=0.02)
        assert ours.info["dpi"] == pytest.approx(plain.info["dpi"], abs=0.1)


@pytest.mark.parametrize(
    "program",
    [
        "import gain_tick; assert len(gain_tick.measure(2, 6, 1).ours) == 1",
        # The turn that does not count.
        "import cold_start as c; assert c.measure(0, c.ALL_IN_SIGHT) == []",
    ],
)
def test_the_window(program):
    subprocess.run([sys.executable, "-c", program], cwd=FOLDER, check=True, timeout=60)
