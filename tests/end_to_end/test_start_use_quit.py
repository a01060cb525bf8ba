"""Start, use, quit: again and again without a trace, and once on a real X server."""

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QImage

PROGRAM = Path(__file__).with_name("start_use_quit.py")
N_STARTS = int(os.environ.get("MHAGUI_STARTS", "4"))
CHECKOUT = Path(__file__).parents[2]
# The offscreen plugin says these for every window; there is no window manager to tell them to.
ALLOWED = ("This plugin does not support propagateSizeHints()", "does not support raise()")


def start(*arguments, **environment):
    return subprocess.run(
        [sys.executable, str(PROGRAM), *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(CHECKOUT), "MHAGUI_DEBUG": "1", **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def first_token_entropy(gain):
    """Entropy in bits at t = 6 of one score of 3/sqrt 2 against five of 0."""
    peak = np.exp(gain * 3 / np.sqrt(2))
    weights = np.array([peak, 1, 1, 1, 1, 1]) / (peak + 5)
    return -np.sum(weights * np.log2(weights))


def came_of_it(done):
    gain, cell, steps, entropy = map(float, done.stdout.split())
    assert cell == -2.5
    assert steps == 2
    assert gain > 2
    assert entropy == pytest.approx(first_token_entropy(gain), abs=1e-12)


def test_again_and_again_no_word_is_left_on_stderr():
    with ThreadPoolExecutor(2) as pool:  # two at once: it is the same in half the time
        runs = [pool.submit(start, QT_QPA_PLATFORM="offscreen") for _ in range(N_STARTS)]
    for run in runs:
        done = run.result()
        said = [line for line in done.stderr.splitlines() if not line.endswith(ALLOWED)]
        assert said == []
        assert done.returncode == 0
        came_of_it(done)


@pytest.fixture
def x_server():
    """Start an X server of our own; give its display."""
    if shutil.which("Xvfb") is None:
        pytest.skip("Xvfb is not installed; .ci/prepare test installs it on Debian")
    read, write = os.pipe()
    command = ["Xvfb", "-displayfd", str(write), "-screen", "0", "1400x900x24", "-nolisten", "tcp"]
    server = subprocess.Popen(command, pass_fds=[write], stderr=subprocess.DEVNULL)
    os.close(write)
    with os.fdopen(read) as answer:
        display = answer.readline().strip()
    yield f":{display}"
    server.terminate()
    server.wait(timeout=10)


def test_on_a_real_x_server_the_screen_shows_the_heads(x_server, tmp_path, qapp):
    picture = tmp_path / "screen.png"
    done = start(picture, QT_QPA_PLATFORM="xcb", DISPLAY=x_server)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    came_of_it(done)
    image = QImage(str(picture)).convertToFormat(QImage.Format.Format_RGB32)
    assert image.width() == 1400
    pixels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.width(), 4)
    # The ends of viridis: a weight of 1 (yellow; first rows), and weights near 0 (dark violet).
    for blue, green, red in ((37, 231, 253), (84, 1, 68)):
        same = np.all(np.abs(pixels[..., :3].astype(int) - (blue, green, red)) <= 6, axis=-1)
        assert same.sum() > 500
