"""A process that saves is killed at random: what is on the disk is a state that was saved."""

import importlib.util
import multiprocessing
import os
import random
import sys
from pathlib import Path

import pytest

from mhagui.document.session_file import read_session

pytestmark = pytest.mark.thorough

N_KILLS = int(os.environ.get("MHAGUI_KILLS", "12"))  # `make reliability` asks for more
LONGEST_WAIT = 0.04  # seconds: some ten saves


@pytest.fixture(scope="module")
def saver():
    """The module of the process to be killed, importable by its name there too."""
    path = Path(__file__).with_name("saver.py")
    spec = importlib.util.spec_from_file_location("saver", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["saver"] = module
    sys.path.insert(0, str(path.parent))
    spec.loader.exec_module(module)
    yield module
    sys.path.remove(str(path.parent))
    del sys.modules["saver"]


@pytest.mark.timeout(900)
@pytest.mark.parametrize("suffix", ["mhascene", "json"])
def test_a_killed_saver_leaves_a_state_that_was_saved(saver, suffix, tmp_path):
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["saver"])
    moments = random.Random(suffix)
    torn = 0
    for kill in range(N_KILLS // 2):
        path = tmp_path / f"{kill}" / f"mine.{suffix}"
        path.parent.mkdir()
        hears, says = context.Pipe(duplex=False)
        process = context.Process(target=saver.save_without_end, args=(path, says), daemon=True)
        process.start()
        says.close()
        last = hears.recv()
        process.join(moments.uniform(0, LONGEST_WAIT))
        process.kill()
        process.join()
        try:
            while True:
                last = hears.recv()
        except EOFError:
            hears.close()
        scene = read_session(path).scene
        number = round(scene.master_gain)
        assert scene == saver.state(number)
        assert number in (last, last + 1)  # what was said to be saved is, or one later
        torn += len(list(path.parent.iterdir())) > 1
    print(N_KILLS // 2, "killed,", torn, "of them in the midst of a write")
    if N_KILLS >= 100:
        assert torn  # some fell into the midst of a write, which left what it had begun
