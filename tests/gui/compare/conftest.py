"""The compare dock, a capture session for it, and how what it shows is read."""

from functools import partial

import numpy as np
import pytest
from PySide6.QtWidgets import QWidget

from mhagui.document import compute
from mhagui.document.capture import Capture, CapturedLayer
from mhagui.gui.capture_session import CaptureSession
from mhagui.gui.docks.compare import CompareDock
from mhagui.gui.file_session import FileSession


@pytest.fixture
def captures(bench, qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    return CaptureSession(bench, FileSession(bench, window, int), window)


@pytest.fixture
def dock(open_dock, captures):
    return open_dock(partial(_dock, captures), 640, 440)


def _dock(captures, bench):
    return CompareDock(bench, captures)


def _shown(dock, place):
    return np.asarray(dock.pictures.views[place].picture.values)


@pytest.fixture
def shown():
    return _shown


def _titles(dock):
    return [title.text() for title in dock.pictures.titles]


@pytest.fixture
def titles():
    return _titles


def _entries(box):
    return [box.itemText(row) for row in range(box.count())]


@pytest.fixture
def entries():
    return _entries


def _weights(scene, place):
    return np.asarray(compute(scene).heads[place].weights)


@pytest.fixture
def weights():
    return _weights


def softmax(scores, allowed):
    powers = np.where(allowed, np.exp(scores), 0.0)
    return powers / powers.sum(axis=-1, keepdims=True)


def _captured(seed, shape=(6, 6), n_layers=2, n_heads=3, tokens=()):
    """A capture of random weights, causal where square."""
    rng = np.random.default_rng(seed)
    allowed = np.tri(*shape, dtype=bool) if shape[0] == shape[1] else np.ones(shape, bool)
    layers = tuple(
        CapturedLayer(n, given=softmax(rng.normal(size=(n_heads, *shape)), allowed))
        for n in range(n_layers)
    )
    return Capture(f"model {seed}", layers, tokens, tokens)


@pytest.fixture
def captured():
    return _captured


def _attention_file(path, seed):
    weights = [layer.weights for layer in _captured(seed).layers]
    np.savez(path, **{f"attentions.{n}": each for n, each in enumerate(weights)})
    return path


@pytest.fixture
def attention_file():
    return _attention_file
