"""A process that saves without end, to be killed: it says of each state when it is saved."""

from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

from mhagui.document import Scene, ViewState, load_lesson
from mhagui.document.edits import SetSequenceLength
from mhagui.document.session import Session
from mhagui.document.session_file import write_session

N_POSITIONS = 2048  # a file that takes a while to write


def state(number: int) -> Scene:
    """Return a scene that tells its number, and whose every number hangs on it."""
    scene = SetSequenceLength(N_POSITIONS).apply(load_lesson("four-heads"))
    x = np.random.default_rng(number).normal(size=scene.x.shape)
    return replace(scene, master_gain=float(number), x=x, title=f"state {number}")


def save_without_end(path: Path, said: Connection) -> None:
    """Save state after state to ``path``, and send the number of each that is saved."""
    number = 0
    while True:
        number += 1
        scene = state(number)
        write_session(path, Session(scene, ViewState.of(scene)))
        said.send(number)
