"""Which reports there are."""

import json

import pytest

from mhagui.errors import UserError
from mhagui.report import report_text
from mhagui.reports import FORMATS, render_report


def test_text_and_json_are_the_numbers_alone(four_heads):
    assert render_report(*four_heads, "text").decode() == report_text(*four_heads)
    assert json.loads(render_report(*four_heads, "json"))["T"] == 6


def test_a_format_that_is_none_is_refused_with_those_there_are(four_heads):
    with pytest.raises(UserError, match="no report “docx”; the reports are text, json, markdown"):
        render_report(*four_heads, "docx")
    assert FORMATS == ("text", "json", "markdown", "html", "pdf")
