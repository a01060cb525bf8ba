"""Panels of every kind are drawn to the same bytes by another process."""

import hashlib
import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.thorough

PROGRAM = """
import hashlib
from mhagui.document import compute, load_lesson
from mhagui.figures import FigureStyle, Subject, render
scene = load_lesson("content-position")
subject = Subject(scene, compute(scene), FigureStyle(title=True, caption=True))
for name in ("head", "impulse", "frequency", "information", "redundancy", "cost"):
    print(name, hashlib.sha256(render(name, subject, "svg")).hexdigest())
"""


def test_two_processes_draw_the_same_bytes():
    worlds = (
        {"PYTHONHASHSEED": "1", "TZ": "Asia/Tokyo", "LC_ALL": "C"},
        {"PYTHONHASHSEED": "2", "TZ": "America/Lima", "SOURCE_DATE_EPOCH": "0"},
    )
    without = {name: value for name, value in os.environ.items() if "DISPLAY" not in name}
    running = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM], env=without | world, stdout=subprocess.PIPE, text=True
        )
        for world in worlds
    ]
    one, other = (process.communicate(timeout=100)[0] for process in running)
    assert one == other
    hashes = [line.split()[1] for line in one.splitlines()]
    assert len(hashes) == len(set(hashes)) == 6
    assert hashlib.sha256(b"").hexdigest() not in hashes
