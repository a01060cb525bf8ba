"""An arrangement of docks as data: what stands beside, below and behind what."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal, Union

import msgspec

MOST_DOCKS = 100  # in one file; there are some fifteen
DEEPEST = 20  # more levels than docks can be nested in
FARTHEST, LARGEST = 100_000, 20_000  # pixels

Name = Annotated[str, msgspec.Meta(max_length=60)]
Names = Annotated[tuple[Name, ...], msgspec.Meta(max_length=MOST_DOCKS)]
Length = Annotated[int, msgspec.Meta(ge=1, le=LARGEST)]
Coordinate = Annotated[int, msgspec.Meta(ge=-FARTHEST, le=FARTHEST)]
Node = Union["Tabs", "Split"]


class Tabs(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="tabs"):
    """Docks of one place, one behind the other.

    Attributes
    ----------
    docks
        Their object names, in the order of their tabs.
    front
        The one that is seen; the first where it is not among them.
    size
        Pixels that the place has of what it shares with its neighbours.
    """

    docks: Names
    front: Name = ""
    size: Length = 200


class Split(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="split"):
    """Places ``across``, from left to right, or ``down``, with ``size`` pixels as in Tabs."""

    direction: Literal["across", "down"]
    children: Annotated[tuple[Node, ...], msgspec.Meta(min_length=1, max_length=MOST_DOCKS)]
    size: Length = 200


class Frame(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where a dock floats on the screen, in pixels."""

    x: Coordinate
    y: Coordinate
    width: Length
    height: Length


class Layout(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where every dock is; one that is hidden or floats has a place to come back to.

    Attributes
    ----------
    tree
        The places in the window.
    hidden
        Names of the docks that are not shown.
    floating
        The docks that are out of the window, and where; a hidden one comes back there.
    version
        Of this form, for files.
    """

    tree: Node
    hidden: Names = ()
    floating: Annotated[dict[Name, Frame], msgspec.Meta(max_length=MOST_DOCKS)] = {}
    version: Literal[1] = 1

    def __post_init__(self) -> None:
        """Refuse a tree so deep that it could not be walked."""
        level: list[Node] = [self.tree]
        for _ in range(DEEPEST):
            level = [c for node in level if isinstance(node, Split) for c in node.children]
        if level:
            raise ValueError(f"it is nested more than {DEEPEST} deep")

    def fitted(self, standard: "Layout") -> "Layout":
        """Return a layout of exactly the docks of ``standard``, each once.

        What is unknown or named twice is left out. What is missing is hidden, and comes back behind
        those that it stands with in ``standard``, or at the right.
        """
        names = names_in(standard.tree)
        pruning = _Pruning(set(names), {*self.hidden, *self.floating})
        tree = pruning.pruned(self.tree)
        if tree is None:
            return standard
        for tabs in leaves(standard.tree):
            missing = tuple(name for name in tabs.docks if name in pruning.wanted)
            if missing:
                tree = _with_missing(tree, missing, tabs)
        seen = set(names_in(self.tree)) - set(self.hidden)
        return Layout(
            tree,
            hidden=tuple(name for name in names if name not in seen),
            floating={name: at for name, at in self.floating.items() if name in names},
        )

    def with_shown(self, name: str) -> "Layout":
        """Return this layout with the dock of that name shown in its place."""
        kept = tuple(hidden for hidden in self.hidden if hidden != name)
        return msgspec.structs.replace(self, hidden=kept)

    def with_hidden(self, name: str) -> "Layout":
        """Return this layout with the dock of that name hidden."""
        return msgspec.structs.replace(self.with_shown(name), hidden=(*self.hidden, name))

    def room_for(self, name: str) -> tuple[Literal["across", "down"], int] | None:
        """Return how much room, in which direction, a dock needs that is to be shown.

        None where it has some: behind another that is shown.
        """
        absent, node = {*self.hidden, *self.floating}, self.tree
        while isinstance(node, Split):
            child = next(child for child in node.children if name in names_in(child))
            if absent.issuperset(names_in(child)):
                return node.direction, child.size
            node = child
        return None

    def shown(self) -> set[str]:
        """Return the names of the docks that can be seen, in front or behind others."""
        return set(names_in(self.tree)) - set(self.hidden)


def leaves(node: Node) -> Iterator[Tabs]:
    """Yield the places below ``node``, from left to right and from top to bottom."""
    if isinstance(node, Tabs):
        yield node
    else:
        for child in node.children:
            yield from leaves(child)


def names_in(node: Node) -> tuple[str, ...]:
    """Return the names of all docks below ``node``."""
    return tuple(name for tabs in leaves(node) for name in tabs.docks)


@dataclass
class _Pruning:
    """Takes each of the wanted docks out of a tree once; those that stay wanted are missing."""

    wanted: set[str]
    absent: set[str]

    def pruned(self, node: Node) -> Node | None:
        """Return ``node`` in its shortest form, None where nothing is left of it."""
        if isinstance(node, Tabs):
            docks = tuple(name for name in node.docks if self._take(name))
            present = [name for name in docks if name not in self.absent]
            front = node.front if node.front in present and len(present) > 1 else ""
            return Tabs(docks, front, node.size) if docks else None
        children: list[Node] = []
        for child in map(self.pruned, node.children):
            if isinstance(child, Split) and child.direction == node.direction:
                children += child.children
            elif child is not None:
                children.append(child)
        if len(children) < 2:
            return sized(children[0], node.size) if children else None
        return Split(node.direction, tuple(children), node.size)

    def _take(self, name: str) -> bool:
        is_wanted = name in self.wanted
        self.wanted.discard(name)
        return is_wanted


def _with_missing(tree: Node, missing: tuple[str, ...], place: Tabs) -> Node:
    """Return ``tree`` with docks behind others of their ``place``, or in one of their own."""
    for tabs in leaves(tree):
        if set(tabs.docks) & set(place.docks):
            return _replaced(tree, tabs, msgspec.structs.replace(tabs, docks=tabs.docks + missing))
    own = Tabs(missing, size=place.size)
    if isinstance(tree, Split) and tree.direction == "across":
        return msgspec.structs.replace(tree, children=(*tree.children, own))
    return Split("across", (tree, own), tree.size)


def _replaced(node: Node, old: Tabs, new: Tabs) -> Node:
    if isinstance(node, Tabs):
        return new if node is old else node
    children = tuple(_replaced(child, old, new) for child in node.children)
    return msgspec.structs.replace(node, children=children)


def sized(node: Node, size: int) -> Node:
    """Return ``node`` with another size."""
    return msgspec.structs.replace(node, size=size)
