"""Where the program's own files are: lessons, icons, fonts."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def resource_path(*parts: str) -> Path:
    """
    Give the path of a file or folder that travels with the program.

    An installed wheel carries the folder inside the package; a checkout has it beside the package.
    The package is asked first, since the folder beside an installed package belongs to others.

    Parameters
    ----------
    *parts : str
        Names below ``resources``, from the outermost in, such as ``"lessons", "two-heads.json"``.

    Returns
    -------
    Path
        An absolute path; whether something is there is for the caller to find out.

    Raises
    ------
    FileNotFoundError
        When the program has lost its resources folder altogether.
    """
    for root in (_PACKAGE / "resources", _PACKAGE.parent / "resources"):
        if root.is_dir():
            return root.joinpath(*parts)
    message = f"the resources folder is missing from {_PACKAGE}: install mhagui again"
    raise FileNotFoundError(message)
