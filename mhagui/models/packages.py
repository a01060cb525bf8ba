"""The packages that only models need, and that the program does without."""

from importlib.util import find_spec

from mhagui.errors import UserError


def require_package(name: str) -> None:
    """Raise UserError where the package ``name`` of the extra ``models`` is not installed."""
    if find_spec(name) is None:
        raise UserError(
            f"This needs the Python package “{name}”, which is not installed: "
            "pip install 'mhagui[models]' brings it."
        )
