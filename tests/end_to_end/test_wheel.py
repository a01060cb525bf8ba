"""The wheel as users get it: installed away from the checkout, started from an empty folder."""

import json
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from configparser import ConfigParser
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]


def run(*command: object, cwd: Path) -> str:
    """Run a command, apart from this process; give its output, or fail with all it said."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("PYTHON")
    }
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, f"{command}: {done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel with the build backend of this environment, so that no network is needed."""
    folder = tmp_path_factory.mktemp("wheel")
    run(
        *(sys.executable, "-Im", "build", "--wheel", "--no-isolation"),
        *("--outdir", folder, CHECKOUT),
        cwd=folder,
    )
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def mhagui(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel alone into a fresh environment that borrows the packages it depends on."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder, symlinks=True)
    scripts = Path(sysconfig.get_path("scripts", "venv", {"base": str(folder)}))
    python = scripts / "python"
    run(
        *(sys.executable, "-Im", "pip", "--python", python, "install"),
        *("--no-index", "--no-deps", "--disable-pip-version-check", wheel),
        cwd=folder,
    )
    # After the wheel, so that pip does not see the checkout's editable installation through it.
    # What a .pth file adds comes after the environment's own packages, and .pth files in there
    # are not read: the checkout stays out of reach.
    own = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder)}))
    borrowed = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (own / "borrowed.pth").write_text("\n".join(sorted(borrowed)) + "\n")
    return scripts / "mhagui"


def test_the_wheel_holds_the_package_its_resources_and_its_licences(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    resources = {
        f"mhagui/{path.relative_to(CHECKOUT).as_posix()}"
        for path in (CHECKOUT / "resources").rglob("*")
        if path.is_file()
    }
    assert resources <= names
    assert "mhagui/cli.py" in names
    assert {name.rpartition("/")[2] for name in names if "/licenses/" in name} == {
        "LICENSE",
        "OFL.txt",
    }
    strangers = {name.partition("/")[0] for name in names} - {"mhagui"}
    assert all(name.endswith((".dist-info", ".data")) for name in strangers)


def test_a_desktop_is_told_of_the_program_and_of_its_files(mhagui: Path) -> None:
    share = mhagui.parents[1] / "share"
    entry = ConfigParser(interpolation=None)
    entry.read(share / "applications" / "mhagui.desktop")
    assert entry["Desktop Entry"]["Exec"] == f"{mhagui.name} %f"
    (kind,) = ET.parse(share / "mime" / "packages" / "mhagui.xml").getroot()
    assert entry["Desktop Entry"]["MimeType"] == f"{kind.get('type')};"
    globs = kind.iter("{http://www.freedesktop.org/standards/shared-mime-info}glob")
    assert [glob.get("pattern") for glob in globs] == ["*.mhascene"]
    icon = share / "icons" / "hicolor" / "scalable" / "apps"
    assert (icon / f"{entry['Desktop Entry']['Icon']}.svg").is_file()


def test_the_installed_program_is_not_the_checkout(mhagui: Path, tmp_path: Path) -> None:
    where = run(
        mhagui.parent / "python", "-c", "import mhagui; print(mhagui.__file__)", cwd=tmp_path
    )
    assert Path(where.strip()).is_relative_to(mhagui.parents[1])


def test_it_tells_its_version(mhagui: Path, tmp_path: Path) -> None:
    from mhagui import __version__

    assert __version__ in run(mhagui, "--version", cwd=tmp_path)


def test_it_finds_the_lesson_from_an_empty_folder(mhagui: Path, tmp_path: Path) -> None:
    report = json.loads(run(mhagui, "report", "two-heads", "--json", cwd=tmp_path))
    assert report["T"] == 4
    assert list(tmp_path.iterdir()) == []
