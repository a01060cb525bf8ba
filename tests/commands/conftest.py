"""Running commands as `mhagui.cli.main` does, and what they say."""

import re

import pytest

from mhagui import cli


@pytest.fixture
def run(capsys):
    """Run ``main``, which has to end well; give the lines of its output."""

    def main(*arguments):
        assert cli.main([str(argument) for argument in arguments]) == 0
        out, err = capsys.readouterr()
        assert err == ""
        return out.splitlines()

    return main


@pytest.fixture
def refused(capsys):
    """Run ``main``, which has to refuse in one line on standard error; give that line."""

    def main(*arguments):
        assert cli.main([str(argument) for argument in arguments]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert re.fullmatch(r"mhagui: [^\n]+\n", err)
        return err.strip()

    return main
