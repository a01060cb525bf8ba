"""The folders in which the program keeps what outlives a window."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Home:
    """Where things are kept; a folder is made when the first file is written into it.

    Attributes
    ----------
    data
        What the user has made: progress with the exercises.
    config
        What the user has chosen: settings.
    state
        What a window leaves for the next: unsaved work, locks, traces of a crash.
    logs
        The log of faults.
    """

    data: Path
    config: Path
    state: Path
    logs: Path

    @classmethod
    def below(cls, folder: Path) -> "Home":
        """Return a home whose folders are all below one folder."""
        return cls(*(folder / name for name in ("data", "config", "state", "logs")))


def own_home() -> Home:
    """Return the home of whoever runs the program, as the system wants it."""
    from platformdirs import PlatformDirs  # not for --version

    folders = PlatformDirs("mhagui", appauthor=False)
    return Home(
        data=folders.user_data_path,
        config=folders.user_config_path,
        state=folders.user_state_path,
        logs=folders.user_log_path,
    )
