"""Parts of a script: pieces of source that define names, put together by the names they use."""

import symtable
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

_STANDARD = {name: f"import {name}" for name in ("argparse", "base64", "io", "itertools", "zlib")}
_OTHERS = {"mpl": "import matplotlib as mpl", "np": "import numpy as np"}
_FROM = {
    "LinearSegmentedColormap": "matplotlib.colors",
    "LogNorm": "matplotlib.colors",
    "Figure": "matplotlib.figure",
}


@dataclass(frozen=True)
class Part:
    """A piece of source: statements or functions at the top level of a script.

    Attributes
    ----------
    text
        The source, without empty lines around it.
    always
        Whether the script has it though nothing uses what it defines.
    """

    text: str
    always: bool = False

    @cached_property
    def defined(self) -> frozenset[str]:
        """The names it defines."""
        symbols = symtable.symtable(self.text, "script", "exec").get_symbols()
        return frozenset(symbol.get_name() for symbol in symbols if symbol.is_assigned())

    @cached_property
    def used(self) -> frozenset[str]:
        """The names that it uses and other parts define."""
        return frozenset(_used(symtable.symtable(self.text, "script", "exec"))) - self.defined

    @property
    def is_function(self) -> bool:
        """Whether two empty lines belong around it."""
        return self.text.startswith("def ")

    @property
    def is_line(self) -> bool:
        """Whether it can stand right below another such part."""
        return "\n" not in self.text


def _used(table: symtable.SymbolTable) -> Iterator[str]:
    for symbol in table.get_symbols():
        is_own = symbol.is_global() or table.get_type() == "module"
        if symbol.is_referenced() and is_own:
            yield symbol.get_name()
    for inner in table.get_children():
        yield from _used(inner)


def parts_of(texts: Iterable[str]) -> list[Part]:
    """Return the parts of ``texts``, in which two empty lines stand between parts."""
    return [Part(piece) for text in texts for piece in text.split("\n\n\n")]


def needed(parts: Sequence[Part]) -> set[Part]:
    """Return those parts that are needed always, or by others that are."""
    found: set[Part] = set()
    wanted = {part for part in parts if part.always}
    while wanted:
        found |= wanted
        used = _all_used(wanted)
        wanted = {part for part in parts if part.defined & used} - found
    return found


def put_together(docstring: str, sections: Sequence[tuple[str, Sequence[Part]]]) -> str:
    """Return the script of what is needed of all sections, each below its heading."""
    found = needed([part for _, parts in sections for part in parts])
    blocks = [f"{docstring}\n\n{_imports(_all_used(found))}"]
    after_function = False
    for heading, parts in sections:
        shown = [part for part in parts if part in found]
        if shown:
            rule = f"# {'-' * (85 - len(heading))} {heading}"
            inside = "\n\n\n" if shown[0].is_function else "\n\n"
            above = "\n" if after_function else ""
            blocks.append(f"{above}{rule}{inside}{_body(shown)}")
            after_function = shown[-1].is_function
    return "\n\n".join(blocks) + "\n"


def _body(parts: Sequence[Part]) -> str:
    text, before = parts[0].text, parts[0]
    for part in parts[1:]:
        if part.is_function or before.is_function:
            gap = "\n\n\n"
        else:
            gap = "\n" if part.is_line and before.is_line else "\n\n"
        text, before = f"{text}{gap}{part.text}", part
    return text


def _all_used(parts: set[Part]) -> frozenset[str]:
    return frozenset().union(*(part.used for part in parts))


def _imports(used: frozenset[str]) -> str:
    standard = [line for name, line in _STANDARD.items() if name in used]
    others = [line for name, line in _OTHERS.items() if name in used]
    for module in sorted(set(_FROM.values())):
        names = [name for name, source in _FROM.items() if source == module and name in used]
        others += [f"from {module} import {', '.join(names)}"] if names else []
    return "\n\n".join("\n".join(lines) for lines in (standard, others) if lines)
