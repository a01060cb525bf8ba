"""Drawings that stand side by side in one page: each with names of its own."""

import re
import xml.etree.ElementTree as ET

_REFERENCE = re.compile(r"url\(#([^)]+)\)")
_LINK = "{http://www.w3.org/1999/xlink}href"
_DROPPED = ("metadata", "title", "style")


def inlined(svg: bytes, name: str, words: str) -> str:
    """Return the ``svg`` of a figure as it can stand within HTML, told to a reader as ``words``.

    Names that nothing refers to are dropped, the others begin with ``name``, so that figures of
    one page do not take each other's clips and glyphs. What describes the file is dropped, and its
    style sheet, which would hold for the whole page.
    """
    root = ET.fromstring(svg)
    _drop(root)
    wanted = set(_references(root))
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        _rename(element, name, wanted)
    root.attrib |= {"xmlns": "http://www.w3.org/2000/svg", "role": "img", "aria-label": words}
    return ET.tostring(root, encoding="unicode")


def _drop(root: ET.Element) -> None:
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag.rpartition("}")[2] in _DROPPED:
                parent.remove(child)


def _references(root: ET.Element) -> list[str]:
    values = [value for element in root.iter() for value in element.attrib.values()]
    links = [element.attrib.get(_LINK, element.attrib.get("href", "")) for element in root.iter()]
    found = [match for value in values for match in _REFERENCE.findall(value)]
    return found + [link[1:] for link in links if link.startswith("#")]


def _rename(element: ET.Element, name: str, wanted: set[str]) -> None:
    attributes = element.attrib
    if _LINK in attributes:
        attributes["href"] = attributes.pop(_LINK)
    if attributes.get("id", "") not in wanted:
        attributes.pop("id", None)
    for key, value in attributes.items():
        if key == "id":
            attributes[key] = f"{name}-{value}"
        elif key == "href" and value.startswith("#"):
            attributes[key] = f"#{name}-{value[1:]}"
        else:
            attributes[key] = _REFERENCE.sub(rf"url(#{name}-\1)", value)
