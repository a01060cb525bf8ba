"""Layouts as data: whatever a file says, every dock ends up in exactly one place."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mhagui.layout_tree import DEEPEST, Frame, Layout, Split, Tabs, leaves, names_in

STANDARD = Layout(
    Split("across", (Tabs(("a", "b")), Split("down", (Tabs(("c",)), Tabs(("d", "e")))))),
    hidden=("e",),
)
ALL = ("a", "b", "c", "d", "e")

names = st.sampled_from((*ALL, "unknown", ""))
sizes = st.integers(1, 2000)
places = st.builds(Tabs, st.lists(names, max_size=4).map(tuple), names, sizes)
trees = st.recursive(
    places,
    lambda children: st.builds(
        Split,
        st.sampled_from(("across", "down")),
        st.lists(children, min_size=1, max_size=4).map(tuple),
        sizes,
    ),
    max_leaves=8,
)
frames = st.builds(Frame, st.integers(-9, 9), st.integers(-9, 9), sizes, sizes)
layouts = st.builds(
    Layout,
    trees,
    st.lists(names, max_size=6).map(tuple),
    st.dictionaries(names, frames, max_size=3),
)


def splits(node):
    if isinstance(node, Split):
        yield node
        for child in node.children:
            yield from splits(child)


@given(layouts)
def test_a_fitted_layout_has_every_dock_once_and_no_place_without_need(layout):
    fitted = layout.fitted(STANDARD)
    assert sorted(names_in(fitted.tree)) == sorted(ALL)
    assert set(fitted.hidden) <= set(ALL)
    assert set(fitted.floating) <= set(ALL)
    assert all(tabs.docks for tabs in leaves(fitted.tree))
    for split in splits(fitted.tree):
        assert len(split.children) > 1
        assert not any(
            isinstance(c, Split) and c.direction == split.direction for c in split.children
        )
    assert fitted.fitted(STANDARD) == fitted


@given(layouts)
def test_what_a_layout_shows_is_what_it_names_and_does_not_hide(layout):
    named = set(names_in(layout.tree)) & set(ALL)
    if named:
        assert layout.fitted(STANDARD).shown() == named - set(layout.hidden)
    else:
        assert layout.fitted(STANDARD) == STANDARD


@given(layouts)
def test_a_layout_is_the_same_after_a_file(layout):
    assert msgspec.json.decode(msgspec.json.encode(layout), type=Layout) == layout


def test_a_missing_dock_comes_back_behind_those_it_stands_with():
    fitted = Layout(Split("down", (Tabs(("d",)), Tabs(("a",), size=300)))).fitted(STANDARD)
    assert fitted.tree == Split(
        "across",
        (
            Split("down", (Tabs(("d", "e")), Tabs(("a", "b"), size=300))),
            Tabs(("c",)),
        ),
    )
    assert fitted.hidden == ("b", "c", "e")


def test_what_has_one_child_left_is_that_child_in_the_same_room():
    layout = Layout(
        Split(
            "across",
            (
                Tabs(("a", "b", "c"), size=70),
                Split("down", (Tabs(("unknown",)), Tabs(("d", "e"), "e", 10)), size=50),
            ),
        )
    )
    assert layout.fitted(STANDARD).tree == Split(
        "across", (Tabs(("a", "b", "c"), size=70), Tabs(("d", "e"), "e", 50))
    )


def nested(depth):
    opening, closing = '{"type": "split", "direction": "down", "children": [', "]}"
    place = '{"type": "tabs", "docks": ["a"]}'
    return f'{{"tree": {opening * (depth - 1)}{place}{closing * (depth - 1)}}}'


def test_what_is_nested_too_deep_is_refused():
    msgspec.json.decode(nested(DEEPEST), type=Layout)
    with pytest.raises(msgspec.ValidationError, match="nested more than"):
        msgspec.json.decode(nested(DEEPEST + 1), type=Layout)
    with pytest.raises(RecursionError):
        msgspec.json.decode(nested(100_000), type=Layout)


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        '{"tree": null}',
        '{"tree": {"type": "tabs", "docks": "a"}}',
        '{"tree": {"type": "tabs", "docks": ["a"], "size": 0}}',
        '{"tree": {"type": "tabs", "docks": ["a"], "size": 1e99}}',
        '{"tree": {"type": "tabs", "docks": ["a"], "colour": 1}}',
        '{"tree": {"type": "split", "direction": "down", "children": []}}',
        nested(2).replace("down", "up"),
        '{"tree": {"type": "tabs", "docks": ["a"]}, "version": 2}',
        '{"tree": {"type": "tabs", "docks": ["a"]}, "floating": {"a": {"x": 0, "y": 0}}}',
        nested(1).replace('"a"', ", ".join(['"a"'] * 101)),
    ],
)
def test_what_is_no_layout_is_refused(text):
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(text, type=Layout)
