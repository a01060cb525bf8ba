"""Each line of the window of shortcuts has a test, and each of these tests a line."""

import re
from pathlib import Path

from mhagui.gui.gestures import GESTURES

MARK = re.compile(r'^@pytest\.mark\.gesture\("(.+)", "(.+)"\)\ndef test_', re.MULTILINE)


def test_the_table_and_the_tests_are_of_the_same_gestures():
    files = sorted(Path(__file__).parent.glob("test_in_*.py"))
    marks = [mark for file in files for mark in MARK.findall(file.read_text(encoding="utf-8"))]
    assert sorted(marks) == sorted((each.where, each.keys) for each in GESTURES)
