"""What every test starts from: no screen, a home of its own, fixed habits for hypothesis."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

_HOME = Path(tempfile.mkdtemp(prefix="mhagui-tests-"))
_FOLDERS = {
    "HOME": "",
    "MPLCONFIGDIR": "matplotlib",
    "XDG_CACHE_HOME": "cache",
    "XDG_CONFIG_HOME": "config",
    "XDG_DATA_HOME": "data",
    "XDG_RUNTIME_DIR": "run",
    "XDG_STATE_HOME": "state",
}


def _isolate() -> None:
    """Leave no way to the user's own settings, and none from the user's desktop into a picture."""
    for variable, folder in _FOLDERS.items():
        path = _HOME / folder
        path.mkdir(mode=0o700, exist_ok=True)  # Qt wants a runtime folder that is the user's alone
        os.environ[variable] = str(path)
    for variable in ("QT_QPA_PLATFORMTHEME", "QT_STYLE_OVERRIDE"):
        os.environ.pop(variable, None)
    # A test that wants a real X server starts one, and says so to the program it starts there.
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


_isolate()  # now: Qt and matplotlib read these once, when a test module imports them

# 30 and not 100: the suite has more than a hundred properties, and 5 minutes; `make reliability`
# and the soak look longer at those of files and edits.
settings.register_profile("dev", deadline=None, max_examples=30)
settings.register_profile("ci", settings.get_profile("dev"), derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "dev")


@pytest.fixture(autouse=True)
def _fresh_home() -> Iterator[None]:
    """Take away the settings that a test kept in the home it shares with the tests after it."""
    yield
    for kept in (_HOME / "config").iterdir():
        shutil.rmtree(kept) if kept.is_dir() else kept.unlink()


def pytest_unconfigure() -> None:
    """Remove the home that the tests had."""
    shutil.rmtree(_HOME, ignore_errors=True)


@pytest.fixture
def blas_threads() -> Callable[[], set[int]]:
    """Return what says how many threads BLAS has now; skip where these are never several."""
    from threadpoolctl import threadpool_info

    def blas_threads() -> set[int]:
        return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}

    if blas_threads() <= {1}:
        pytest.skip("BLAS has one thread here anyway, or does not say how many")
    return blas_threads


@pytest.fixture(scope="session")
def bundled_font(qapp: object) -> Iterator[str]:
    """Register the font that travels with the program; give its name."""
    from PySide6.QtGui import QFontDatabase

    from mhagui._resources import resource_path

    keys = [
        QFontDatabase.addApplicationFont(str(path))
        for path in sorted(resource_path("fonts").glob("*.otf"))
    ]
    yield QFontDatabase.applicationFontFamilies(keys[0])[0]
    for key in keys:
        QFontDatabase.removeApplicationFont(key)
