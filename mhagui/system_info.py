"""What the program runs on, for reports of faults; found out without NumPy and without Qt."""

import platform
import sys
from collections.abc import Mapping

from mhagui import __version__
from mhagui._resources import resource_path
from mhagui.errors import visible
from mhagui.home import own_home

PACKAGES = (
    "numpy", "PySide6-Essentials", "pyqtgraph", "matplotlib", "msgspec", "threadpoolctl",
    "platformdirs",
)  # fmt: skip
_NAME_WIDTH = 19


def system_info() -> dict[str, str]:
    """Return the versions and folders that the program runs with, each by its name."""
    home = own_home()
    return {
        "mhagui": __version__,
        "Python": f"{platform.python_version()}, {sys.executable}",
        "platform": platform.platform(),
        **{package: _version(package) for package in PACKAGES},
        "resources": str(resource_path()),
        "progress": str(home.data),
        "settings": str(home.config),
        "recovery": str(home.state),
        "logs": str(home.logs),
    }


def info_text(info: Mapping[str, str]) -> str:
    """Return ``info`` as lines to be read or pasted, with nothing in them that a terminal obeys."""
    return "\n".join(f"{name:<{_NAME_WIDTH}} {visible(value)}" for name, value in info.items())


def _version(package: str) -> str:
    from importlib import metadata  # takes long

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"
