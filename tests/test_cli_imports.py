"""What the command line loads, and what it says without loading more: versions, help, --info."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def modules_after(arguments):
    """Run ``main`` in a fresh interpreter; return what it printed and the modules it loaded."""
    code = (
        "import sys; from mhagui import cli; status = cli.main(sys.argv[1:]); sys.stdout.flush()\n"
        "print(*sys.modules, file=sys.stderr); sys.exit(status)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        encoding="utf-8",
    )
    return run.stdout, set(run.stderr.split())


@pytest.mark.parametrize(
    ("arguments", "printed"),
    [
        (["--version"], r"mhagui \d+\.\d+\.\d+\n"),
        (["--help"], r"usage: mhagui \[SCENE\].*report.*export.*"),
        (["report", "--help"], r"usage: mhagui report .*--json.*"),
        (["export", "--help"], r"usage: mhagui export .*heads, head, scores.*--font-size.*"),
        (["animate", "--help"], r"usage: mhagui animate .*--slider.*"),
    ],
)
def test_version_and_help_load_neither_numpy_nor_qt(arguments, printed):
    out, modules = modules_after(arguments)
    assert re.fullmatch(printed, out, re.DOTALL)
    assert not modules & {"numpy", "PySide6", "pyqtgraph", "matplotlib", "msgspec", "tqdm"}


def test_info_names_versions_and_folders_without_qt():
    out, modules = modules_after(["--info"])
    for name in ("mhagui", "Python", "platform", "numpy", "PySide6", "pyqtgraph", "matplotlib"):
        assert re.search(rf"^{name}\S* +\S", out, re.MULTILINE), name
    assert str(ROOT / "resources") in out
    assert not modules & {"PySide6", "pyqtgraph", "matplotlib", "numpy"}


def test_report_loads_neither_qt_nor_matplotlib():
    _, modules = modules_after(["report"])
    assert not modules & {"PySide6", "pyqtgraph", "matplotlib", "tqdm"}


def test_a_png_loads_nothing_that_only_other_formats_need(tmp_path):
    arguments = ["export", "two-heads", "--figure", "heads", "--out", str(tmp_path)]
    _, modules = modules_after(arguments)
    assert "matplotlib.figure" in modules
    unwanted = {"PySide6", "pypdf", "tqdm", "fontTools.subset", "matplotlib.pyplot"}
    assert not modules & unwanted


LOAD_ALL_BUT_GUI = """
import importlib, pkgutil, sys, mhagui

def load(package):
    for module in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        if module.name != "mhagui.gui":
            loaded = importlib.import_module(module.name)
            if module.ispkg:
                load(loaded)

load(mhagui)
print(len([name for name in sys.modules if name.startswith("mhagui.")]) > 20)
print(sorted({"PySide6", "shiboken6", "pyqtgraph", "qtpy"} & set(sys.modules)))
"""


def test_no_module_outside_gui_loads_qt():
    run = subprocess.run(
        [sys.executable, "-c", LOAD_ALL_BUT_GUI],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    assert run.stdout.split() == ["True", "[]"]
