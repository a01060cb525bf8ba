"""`python -m mhagui`: the way in, and what it says where the set-up lacks something."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import mhagui
from mhagui import __main__ as entry
from mhagui import cli

ROOT = Path(__file__).parents[1]


def test_the_package_runs_as_a_module_from_anywhere(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "mhagui", "--version"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"mhagui {mhagui.__version__}\n"


def raises(error):
    def fail():
        raise error

    return fail


def test_a_missing_package_is_named_with_the_way_out(monkeypatch, capsys):
    missing = ModuleNotFoundError("No module named 'numpy.linalg'", name="numpy.linalg")
    monkeypatch.setattr(cli, "main", raises(missing))
    assert entry.main() == 1
    assert capsys.readouterr().err == (
        "mhagui: the Python package numpy is not installed here; "
        "start with 'make run', or install all it needs with 'pip install .'\n"
    )


def test_a_missing_system_library_is_named_with_the_way_out(monkeypatch, capsys):
    text = "libEGL.so.1: cannot open shared object file: No such file or directory"
    monkeypatch.setattr(cli, "main", raises(ImportError(text, name="PySide6.QtGui")))
    assert entry.main() == 1
    err = capsys.readouterr().err
    assert err.startswith(f"mhagui: a system library is missing ({text});")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "error",
    [
        ModuleNotFoundError("No module named 'mhagui.nothing'", name="mhagui.nothing"),
        ImportError("cannot import name 'nothing' from 'numpy'", name="numpy"),
    ],
)
def test_an_import_that_the_program_got_wrong_is_not_explained_away(monkeypatch, error):
    monkeypatch.setattr(cli, "main", raises(error))
    with pytest.raises(ImportError) as caught:
        entry.main()
    assert caught.value is error


def test_every_package_the_project_needs_is_known():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    needed = tomllib.loads(text)["project"]["dependencies"]
    names = {re.match(r"[\w-]+", line)[0].removesuffix("-Essentials") for line in needed}
    imported = {"PIL" if name == "pillow" else name for name in names}
    assert imported | {"shiboken6"} == entry._NEEDED


def test_an_interrupt_is_quiet_however_early(monkeypatch, capsys):
    monkeypatch.setattr(cli, "main", raises(KeyboardInterrupt()))
    assert entry.main() == 130
    assert capsys.readouterr() == ("", "")


def test_advice_is_lost_rather_than_printed_as_output_where_stderr_is_closed(monkeypatch, capsys):
    monkeypatch.setattr(cli, "main", raises(ModuleNotFoundError("no numpy", name="numpy")))
    monkeypatch.setattr(sys, "stderr", None)
    assert entry.main() == 1
    assert capsys.readouterr().out == ""
