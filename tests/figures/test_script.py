"""A script of a figure, run where there is no mhagui, gives the figure's numbers and draws it."""

import ast
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mhagui.document import Head, Pattern, Scene, compute, load_lesson
from mhagui.document.cost import costs_of, parameters_of
from mhagui.document.edits import (
    SetSequenceLength,
    rename_head,
    set_gain,
    set_key_magnitude,
    set_muted,
    set_soloed,
)
from mhagui.document.filter_bank import ablation_sites, filter_bank
from mhagui.document.information import study_divergences, study_information
from mhagui.document.lessons import lesson_names
from mhagui.document.pipeline import study_stage
from mhagui.document.response import FREQUENCIES, row_response, shown_row, study_spectra
from mhagui.document.token_source import SourceKind, TokenSource
from mhagui.document.view_state import WhatIf
from mhagui.errors import UserError
from mhagui.figures import FIGURES, FigureStyle, Subject, why_not
from mhagui.figures.script import script

pytestmark = pytest.mark.thorough

HOSTILE = '"""; import os\\\' $x_{ %(prog)s {0} #'

TWO_HEADS = compute(load_lesson("two-heads"))


def lesson(name, *edits):
    scene = load_lesson(name)
    for edit in edits:
        scene = edit.apply(scene)
    return scene


def random_scene():
    """Return a scene of all kinds of heads on two layers, with numbers that are not round."""
    numbers = np.random.default_rng(5)
    n_positions, d_model, d_k, d_v = 5, 7, 3, 2
    kinds = (
        {"pattern": Pattern.HAND_SET, "q": (n_positions, d_k), "k": (n_positions, d_k)},
        {"pattern": Pattern.PROJECTED, "w_q": (d_model, d_k), "w_k": (d_model, d_k)},
        {"pattern": Pattern.PROJECTED, "w_q": (d_model, d_k), "w_k": (d_model, d_k), "layer": 2},
        {"pattern": Pattern.BLOCK_LOCAL, "layer": 2, "muted": True},
        {"pattern": Pattern.TWO_POSITIONS, "gain": -0.7},
    )
    heads = []
    for uid, kind in enumerate(kinds, 1):
        made = {
            key: numbers.normal(size=value) if isinstance(value, tuple) else value
            for key, value in kind.items()
        }
        w_v = numbers.normal(size=(d_model, d_v))
        heads.append(Head(uid=uid, name=f"head {uid}", w_v=w_v, **made))
    w_o = numbers.normal(size=(len(heads) * d_v, d_model))
    x = numbers.normal(size=(n_positions, d_model))
    return Scene("made", "", tuple(heads), x, w_o, d_k, master_gain=1.3)


def hostile():
    scene = lesson("content-position", rename_head(1, HOSTILE))
    tokens = tuple(HOSTILE[place : place + 3] for place in range(6))
    return replace(scene, title=HOSTILE, vocabulary=tokens, tokens=tokens)


SCENES = {
    **{name: lambda name=name: lesson(name) for name in lesson_names()},
    "gains, muted": lambda: lesson(
        "four-heads", set_gain(1, 0.37), set_gain(2, -2.5), set_gain(3, 0.0), set_muted(2, True)
    ),
    "huge gain, solo": lambda: lesson(
        "four-heads", set_gain(3, -1e300), set_soloed(3, True), set_key_magnitude(1, 0.1)
    ),
    "T = 1": lambda: lesson("four-heads", SetSequenceLength(1)),
    "T = 40": lambda: replace(lesson("four-heads", SetSequenceLength(40)), keep_margin=True),
    "all kinds": random_scene,
    "hostile": hostile,
}


@pytest.fixture(scope="module")
def subjects():
    made = {key: make() for key, make in SCENES.items()}
    return {
        key: Subject(scene, compute(scene), head=scene.n_heads - 1) for key, scene in made.items()
    }


@pytest.fixture(scope="module")
def folder(subjects, tmp_path_factory, run_scripts):
    """Return a folder in which all scripts of all subjects have left their numbers."""
    folder = tmp_path_factory.mktemp("scripts")
    texts = {
        f"{key} {name}": script(name, subject)
        for key, subject in subjects.items()
        for name in names_of(key, subject)
    }
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    run_scripts(folder, [[f"{name}.py", "--numbers", f"{name}.npz"] for name in texts])
    return folder


# --------------------------------------------------------------------------- the figure's numbers


def bank_numbers(scene, result):
    bank = filter_bank(result)
    sites = [ablation_sites(scene, result, head) for head in range(scene.n_heads)]
    after = [np.nan if site.change_after is None else site.change_after for site in sites]
    return {
        "terms": bank.terms,
        "sum": bank.sums[-1],
        "O": result.output,
        "residual": result.filter_bank_residual,
        "norms": bank.norms,
        "norms_heard": bank.norms_heard,
        "change_before": [site.change_before for site in sites],
        "change_after": after,
    }


def pipeline_numbers(scene, result, head):
    def shown_at(stage):
        return study_stage(scene, result, head, stage).matrices

    names = {0: ("Q", "K"), 1: ("QK",), 2: ("S",), 3: ("gS",), 5: ("A",)}
    names |= {6: ("V", "O_h"), 7: ("W_O_h", "term")}
    return {
        name: matrix.values
        for stage, of_stage in names.items()
        for name, matrix in zip(of_stage, shown_at(stage)[-len(of_stage) :], strict=True)
    }


def impulse_numbers(scene, result, row):
    responses = [row_response(head, row) for head in result.heads]
    nothing = np.full(row + 1, np.nan)
    return {
        "taps": [of.taps for of in responses],
        "ideal": [nothing if of.ideal is None else of.ideal for of in responses],
        "distance": [of.distance for of in responses],
    }


def information_numbers(scene, result, row):
    study = study_information(scene, result, row)
    return {
        "information": [told.bits for told in study.heads],
        "whole_past": study.whole_past_bits,
    }


def redundancy_numbers(scene, result, row):
    study, n = study_information(scene, result, row), min(scene.n_heads, 8)
    balance = [[study.pair(a, b).redundancy_minus_synergy for b in range(n)] for a in range(n)]
    balance = np.array(balance)
    np.fill_diagonal(balance, np.nan)
    return {"divergence": study_divergences(result).bits, "balance": balance}


def cost_numbers(scene, found):
    """Return the costs at the sizes that the script found worth drawing."""
    sizes = WhatIf.of(scene)
    at = [costs_of(replace(sizes, n_positions=int(length))) for length in found["lengths"]]
    powers = [replace(sizes, n_heads=int(heads)) for heads in found["powers"]]
    shared = [scene.d_model // int(heads) for heads in found["divisors"]]
    layers = [
        replace(sizes, n_heads=int(heads), d_k=width, d_v=width)
        for heads, width in zip(found["divisors"], shared, strict=True)
    ]
    return {
        "projections": [of.linear for of in at],
        "scores_and_AV": [of.quadratic for of in at],
        "exponentials": [of.exponentials for of in at],
        "score_flops": [2 * costs_of(layer).scores for layer in layers],
        "parameters": [parameters_of(layer).total for layer in powers],
    }


def packed_numbers(packed):
    return {packed.symbol: packed.matrix}


def spectra_numbers(result, row):
    spectra = study_spectra(result, row).spectra
    return {
        "omega": FREQUENCIES,
        "magnitude": [of.magnitude for of in spectra],
        "delay": [of.delay for of in spectra],
    }


def rank_numbers(heads):
    return {
        "effective_rank": [head.effective_rank for head in heads],
        "score_rank": [head.score_rank for head in heads],
    }


def singular_numbers(heads):
    return rank_numbers(heads) | {
        "sigma_A": [head.weight_singular_values for head in heads],
        "sigma_QK": [head.score_singular_values for head in heads],
    }


def fact_numbers(heads):
    return rank_numbers(heads) | {
        "gains": [head.head.gain for head in heads],
        "mean_bits": [head.mean_row_entropy_bits for head in heads],
        "mean_positions": [head.mean_effective_positions for head in heads],
    }


PAGES = {
    "lesson": ("heads", "packed-wq", "projection", "impulse"),
    "summary": ("facts", "heads", "entropy", "impulse", "filter-bank"),
}


def numbers_of(name, subject, found):
    """Return what figure ``name`` shows, from the result that the application has."""
    scene, result = subject.scene, subject.result
    row, heads = shown_row(scene, subject.row), result.heads
    matrices = {"W_O": scene.w_o, "Concat": result.concat, "O": result.output}
    if name in PAGES:
        shown = [panel for panel in PAGES[name] if why_not(panel, result) is None]
        return {k: v for panel in shown for k, v in numbers_of(panel, subject, found).items()}
    bits = [head.row_entropy_bits for head in heads]
    return {
        "heads": lambda: {"A": [head.weights for head in heads]},
        "head": lambda: {"A": heads[subject.head].weights},
        "scores": lambda: {"S": [head.scores for head in heads]},
        "projection": lambda: matrices,
        "w-o": lambda: {"W_O": scene.w_o},
        "concat": lambda: {"Concat": result.concat},
        "output": lambda: {"O": result.output},
        "listening": lambda: {"listening": result.listening},
        "filter-bank": lambda: bank_numbers(scene, result),
        "packed-wq": lambda: packed_numbers(result.packed_queries),
        "packed-wk": lambda: packed_numbers(result.packed_keys),
        "packed-wv": lambda: packed_numbers(result.packed_values),
        "pipeline": lambda: pipeline_numbers(scene, result, subject.head),
        "impulse": lambda: impulse_numbers(scene, result, row),
        "frequency": lambda: spectra_numbers(result, row),
        "entropy": lambda: {"bits": bits, "ceiling": result.ceiling_bits},
        "singular-values": lambda: singular_numbers(heads),
        "information": lambda: information_numbers(scene, result, row),
        "redundancy": lambda: redundancy_numbers(scene, result, row),
        "cost": lambda: cost_numbers(scene, found),
        "facts": lambda: fact_numbers(heads),
    }[name]()


# They show what others show as well, and so it is enough to run them of some scenes.
PARTS_OF_OTHERS = {"w-o", "concat", "output", *PAGES}
ALL_OF = {"four-heads", "induction", "all kinds"}


def names_of(key, subject):
    names = FIGURES if key in ALL_OF else [name for name in FIGURES if name not in PARTS_OF_OTHERS]
    return [name for name in names if why_not(name, subject.result) is None]


def assert_same(found, expected, name):
    """Compare numbers to 1e-12 of the largest; nothing is where nothing was."""
    expected = np.asarray(expected, dtype=float)
    assert found.shape == expected.shape, name
    largest = np.max(np.abs(expected), where=np.isfinite(expected), initial=0.0)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * largest + 1e-13, err_msg=name)


@pytest.mark.parametrize("key", SCENES)
def test_scripts_give_the_numbers_of_every_figure(subjects, folder, key):
    subject = subjects[key]
    names = names_of(key, subject)
    assert len(names) >= len(FIGURES) - len(PARTS_OF_OTHERS) - 2
    for name in names:
        with np.load(folder / f"{key} {name}.npz") as found:
            expected = {k: np.asarray(v) for k, v in numbers_of(name, subject, found).items()}
            assert name == "cost" or expected.keys() == set(found), name
            for number, value in expected.items():
                # Near a null of the response rounding grows as much as the delay does.
                counts = found["magnitude"] if number == "delay" else 1.0
                assert_same(found[number] * counts, value * counts, f"{name}: {number}")


def test_weights_are_the_same_to_the_last_bit(subjects, folder):
    for key in ("four-heads", "gains, muted", "huge gain, solo"):
        with np.load(folder / f"{key} heads.npz") as found:
            weights = [head.weights.tolist() for head in subjects[key].result.heads]
            assert found["A"].tolist() == weights


SOURCES = [
    TokenSource(kind=SourceKind.IID, n_symbols=3),
    TokenSource(kind=SourceKind.MARKOV, n_symbols=3, resolution=0.05),
    TokenSource(kind=SourceKind.PERIODIC, n_symbols=5),
    TokenSource(kind=SourceKind.COPY, lag=3),
    TokenSource(kind=SourceKind.SUM, n_symbols=3),
    TokenSource(kind=SourceKind.PARTS, n_symbols=4),
]


def test_every_token_source_tells_the_same_bits(tmp_path, run_scripts):
    subjects = {}
    for place, source in enumerate(SOURCES):
        scene = replace(lesson("four-heads", set_gain(1, 0.6)), source=source)
        subjects[f"{place}.py"] = Subject(scene, compute(scene), row=4)
    scene = replace(lesson("four-heads", SetSequenceLength(40)), source=SOURCES[0])
    subjects["too long.py"] = Subject(scene, compute(scene), row=39)
    for name, subject in subjects.items():
        (tmp_path / name).write_text(script("redundancy", subject), encoding="utf-8")
        (tmp_path / f"i {name}").write_text(script("information", subject), encoding="utf-8")
    names = [*subjects, *(f"i {name}" for name in subjects)]
    run_scripts(tmp_path, [[name, "--numbers", f"{name}.npz"] for name in names])
    for name, subject in subjects.items():
        for panel, before in (("redundancy", ""), ("information", "i ")):
            with np.load(tmp_path / f"{before}{name}.npz") as found:
                for key, value in numbers_of(panel, subject, found).items():
                    assert_same(found[key], value, f"{name}: {key}")


# ------------------------------------------------------------------------------------ the source


def imported(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name.partition(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module.partition(".")[0]


def test_source_needs_numpy_and_matplotlib_alone(subjects, folder):
    for key, subject in subjects.items():
        for name in names_of(key, subject):
            text = (folder / f"{key} {name}.py").read_text(encoding="utf-8")
            others = set(imported(ast.parse(text))) - {"numpy", "matplotlib"}
            assert others <= {"argparse", "base64", "io", "itertools", "zlib"}
            assert max(map(len, text.splitlines())) <= 100 or key == "hostile"


def test_writing_a_script_needs_no_matplotlib():
    check = "import sys, mhagui.figures.script; sys.exit('matplotlib' in sys.modules)"
    subprocess.run([sys.executable, "-c", check], check=True, timeout=60)


def test_same_scene_gives_the_same_text(folder):
    scene = SCENES["all kinds"]()
    again = Subject(scene, compute(scene), head=scene.n_heads - 1)
    for name in names_of("all kinds", again):
        assert (folder / f"all kinds {name}.py").read_text(encoding="utf-8") == script(name, again)


def test_source_is_as_ruff_would_have_it(folder):
    for arguments in (["check"], ["format", "--check"]):
        command = [sys.executable, "-m", "ruff", *arguments, "--isolated", "--no-cache", folder]
        answer = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
        assert answer.returncode == 0, answer.stdout


def test_texts_of_a_scene_are_never_code():
    scene = hostile()
    text = script("summary", Subject(scene, compute(scene), FigureStyle(title=True)))
    tree = ast.parse(text)
    assert "os" not in set(imported(tree))
    strings = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    assert any(isinstance(value, str) and value.startswith(HOSTILE) for value in strings)
    plain = lesson("content-position")
    same = ast.parse(script("summary", Subject(plain, compute(plain), FigureStyle(title=True))))
    assert shape(tree) == shape(same)


def shape(tree):
    """Return the kinds of the nodes of ``tree``, in order."""
    return [type(node).__name__ for node in ast.walk(tree)]


def test_lesson_can_be_read_at_one_sight():
    scene = load_lesson("four-heads")
    text = script("heads", Subject(scene, compute(scene)))
    assert len(text.splitlines()) < 200
    assert "base64" not in text


@settings(max_examples=25)
@given(st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=60))
def test_no_title_gets_out_of_its_strings(title):
    scene = replace(load_lesson("two-heads"), title=title)
    text = script("w-o", Subject(scene, TWO_HEADS, FigureStyle(title=True)))
    tree = ast.parse(text)
    strings = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    assert f"{title}: {FIGURES['w-o']}" in strings
    plain = script("w-o", Subject(load_lesson("two-heads"), TWO_HEADS, FigureStyle(title=True)))
    assert shape(tree) == shape(ast.parse(plain))


def test_what_has_no_figure_has_no_script():
    scene = load_lesson("induction")
    subject = Subject(scene, compute(scene))
    with pytest.raises(UserError, match="packed W_Q does not exist"):
        script("packed-wq", subject)
    with pytest.raises(UserError, match=r"no figure “headz”; the figures are heads, head"):
        script("headz", subject)
