"""The way in: hands over to `mhagui.cli`, or says what is missing from the set-up."""

import sys

_NEEDED = frozenset(
    {
        "PIL", "PySide6", "matplotlib", "msgspec", "numpy", "platformdirs", "pypdf", "pyqtgraph",
        "shiboken6", "threadpoolctl", "tqdm",
    }
)  # fmt: skip


def main() -> int:
    """
    Run the program with the command line's arguments.

    Returns
    -------
    int
        The exit status: that of `mhagui.cli.main`, 1 when the set-up lacks something, or 130 when
        interrupted before `mhagui.cli` was there to see it.
    """
    try:
        from mhagui import cli  # here, within reach of the except below

        return cli.main()
    except ImportError as error:
        advice = _advice(error)
        if advice is None:
            raise
        if sys.stderr is not None:  # print would take the standard output then
            print(f"mhagui: {advice}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _advice(error: ImportError) -> str | None:
    """Give the way out when the set-up is to blame, or None when the program itself is."""
    package = (error.name or "").partition(".")[0]
    if isinstance(error, ModuleNotFoundError) and package in _NEEDED:
        return (
            f"the Python package {package} is not installed here; "
            "start with 'make run', or install all it needs with 'pip install .'"
        )
    if "cannot open shared object file" in str(error):
        return f"a system library is missing ({error}); on Debian and Ubuntu 'make run' installs it"
    return None


if __name__ == "__main__":
    sys.exit(main())
