"""What the program says of where it runs: complete, one line each, and safe to print."""

import platform
import subprocess
import sys

import numpy as np

from mhagui import __version__
from mhagui.home import own_home
from mhagui.system_info import info_text, system_info


def test_it_names_versions_and_folders():
    info = system_info()
    assert (info["mhagui"], info["numpy"]) == (__version__, np.__version__)
    assert info["Python"] == f"{platform.python_version()}, {sys.executable}"
    assert info["logs"] == str(own_home().logs)
    assert all(info.values())


def test_a_package_that_is_missing_is_said_to_be(monkeypatch):
    monkeypatch.setattr("mhagui.system_info.PACKAGES", ("no-such-package-anywhere",))
    assert system_info()["no-such-package-anywhere"] == "not installed"


def test_values_stand_below_one_another_a_line_each():
    assert info_text({"a": "1", "bcd": "2\n\x1b[31m"}).splitlines() == [
        "a                   1",
        "bcd                 2\\n\\x1b[31m",
    ]


def test_it_needs_neither_numpy_nor_qt():
    code = (
        "import sys, mhagui.system_info as s; s.info_text(s.system_info());"
        "print({'numpy', 'PySide6', 'matplotlib', 'msgspec'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
