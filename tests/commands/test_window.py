"""The command line that opens the window on a file of tensors, or on a model."""

from pathlib import Path

import numpy as np
import pytest

from mhagui import cli, display_check
from mhagui.document import load_lesson


@pytest.fixture
def asked_for(monkeypatch):
    """Stand in for the window; give the scene, and what else was to be opened in each."""
    from mhagui.gui import application

    windows = []

    def run(scene, _origin, _view, opened=None, prompt=None, *, by_words=False):
        windows.append((scene, opened, prompt, *(["by words"] if by_words else [])))
        return 0

    monkeypatch.setattr(application, "run", run)
    return windows


def refused(capsys, *arguments):
    assert cli.main(list(map(str, arguments))) == 2
    return capsys.readouterr().err


@pytest.fixture
def weights_file(tmp_path):
    path = tmp_path / "attn.npy"
    np.save(path, np.full((2, 3, 3), 1 / 3, np.float32))
    return path


def test_tensors_are_opened_in_the_window_once_it_is_there(asked_for, weights_file):
    assert cli.main([str(weights_file)]) == 0
    assert asked_for == [(load_lesson("four-heads"), weights_file, None)]


def test_a_model_is_opened_with_the_prompt(asked_for, tmp_path, monkeypatch):
    from mhagui import models

    described = []
    monkeypatch.setattr(models, "describe", described.append)
    path = tmp_path / "a.gguf"
    path.write_bytes(b"GGUF")
    assert cli.main([str(path), "--prompt", "the cat"]) == 0
    assert described == [path]  # its headers, before there is a window
    assert asked_for == [(load_lesson("four-heads"), path, "the cat")]


def test_what_is_opened_by_words(asked_for, capsys, weights_file):
    assert cli.main([str(weights_file), "--words"]) == 0
    assert asked_for == [(load_lesson("four-heads"), weights_file, None, "by words")]
    assert "--words is for tensors or a model" in refused(capsys, "two-heads", "--words")


def test_what_cannot_be_opened_is_said_without_a_window(capsys, asked_for, tmp_path):
    for name, content, words in (
        ("half.npy", b"\x93NUMPY", "half.npy"),
        ("half.gguf", b"GGUF\x03", "half.gguf"),
    ):
        path = tmp_path / name
        path.write_bytes(content)
        told = refused(capsys, path)
        assert str(path) in told
        assert words in told
    assert "config.json" in refused(capsys, tmp_path)
    assert "neither a lesson" in refused(capsys, Path("gone.npz"))
    assert asked_for == []


def test_a_prompt_is_for_models_alone(capsys, asked_for, weights_file):
    assert "--prompt is for a model" in refused(capsys, "--prompt", "the cat")
    assert "--prompt is for a model" in refused(capsys, "two-heads", "--prompt", "the cat")
    assert "--prompt is for a model" in refused(capsys, weights_file, "--prompt", "the cat")
    assert "--prompt: it is empty" in refused(capsys, weights_file, "--prompt", " ")
    assert asked_for == []


def test_without_a_display_the_way_to_do_without_is_said(capsys, monkeypatch, weights_file):
    monkeypatch.setattr(display_check, "why_no_display", lambda: "There is no display")
    told = refused(capsys, weights_file)
    assert f"'mhagui report {weights_file} --scorecard' works without a window" in told
