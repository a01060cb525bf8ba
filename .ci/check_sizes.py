"""Refuse functions too long to read at one sight, and files too long to find the way in."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

FUNCTION_LINES = 80
FILE_LINES = 500


def faults(path: Path) -> Iterator[str]:
    """Yield a line for each thing in the file that is too long, the docstrings counted in."""
    source = path.read_text(encoding="utf-8")
    lines = len(source.splitlines())
    if lines > FILE_LINES:
        yield f"{path}:1: {lines} lines, more than {FILE_LINES}"
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > FUNCTION_LINES:
                where = f"{path}:{node.lineno}"
                yield f"{where}: {node.name} has {lines} lines, more than {FUNCTION_LINES}"


def main(folders: list[str]) -> int:
    """Check every Python file below the folders; give 1 when there is a fault."""
    files = sorted(path for folder in folders for path in Path(folder).rglob("*.py"))
    found = [fault for path in files for fault in faults(path)]
    print("\n".join(found) if found else f"sizes: {len(files)} files, none too long")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
