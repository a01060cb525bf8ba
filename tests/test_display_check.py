"""Whether there is a display is found out before Qt could abort over it."""

import contextlib
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
from concurrent import futures
from pathlib import Path

import pytest

from mhagui import display_check
from mhagui.display_check import missing_libraries, why_no_display

on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="for Linux")


@pytest.fixture
def desk(monkeypatch):
    """Give a way to set the variables that tell of a display, none being set."""
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch.setenv


@pytest.fixture
def x_server():
    """Start a real X server; give its name."""
    program = shutil.which("Xvfb")
    if program is None:
        pytest.skip("Xvfb is not installed")
    readable, writable = os.pipe()
    server = subprocess.Popen(
        [program, "-displayfd", str(writable), "-screen", "0", "64x64x24", "-nolisten", "tcp"],
        pass_fds=[writable],
        stderr=subprocess.DEVNULL,
    )
    os.close(writable)
    with os.fdopen(readable) as number:
        name = f":{number.readline().strip()}"
    yield name
    server.terminate()
    server.wait(10)


@on_linux
def test_nothing_set_is_no_display(desk):
    assert why_no_display() == ("There is no display: neither DISPLAY nor WAYLAND_DISPLAY is set")


@on_linux
@pytest.mark.parametrize(
    "platform",
    ["offscreen", "minimal", "offscreen:enable_fonts", "vnc", "xcb;offscreen"],
)
def test_platforms_without_a_screen_need_no_display(desk, platform):
    desk("QT_QPA_PLATFORM", platform)
    assert why_no_display() is None


@on_linux
@pytest.mark.parametrize("platform", ["xcb", "wayland", "wayland-egl", "wayland;xcb"])
def test_platforms_with_a_screen_need_a_display(desk, platform):
    desk("QT_QPA_PLATFORM", platform)
    assert "There is no display" in (why_no_display() or "")


@on_linux
@pytest.mark.parametrize("name", ["nonsense", "eglfs", "linuxfb", "minimalegl", "vkkhrdisplay"])
def test_platforms_over_which_qt_would_abort_are_refused(desk, name):
    for value in (name, f"{name}:size=8x8", f"offscreen;{name}"):
        desk("QT_QPA_PLATFORM", value)
        assert why_no_display() == (
            f"QT_QPA_PLATFORM names “{name}”, on which no window of mhagui can open; "
            "possible are xcb, wayland, offscreen, minimal, vnc"
        )


@on_linux
def test_a_display_that_nobody_serves_is_named(desk):
    desk("DISPLAY", ":987")
    assert why_no_display() == "There is no display: no X server answers at DISPLAY=:987"


@on_linux
def test_an_x_server_is_a_display(desk, x_server):
    desk("DISPLAY", x_server)
    assert why_no_display() is None
    desk("QT_QPA_PLATFORM", "wayland")
    assert why_no_display() is not None


@on_linux
def test_a_screen_that_the_x_server_does_not_have_is_named(desk, x_server):
    desk("DISPLAY", f"{x_server}.9")
    assert why_no_display() == (
        f"There is no display: the X server of DISPLAY={x_server}.9 has no screen 9"
    )
    desk("DISPLAY", f"{x_server}.0")
    assert why_no_display() is None


@pytest.fixture
def silent(monkeypatch):
    """Give a function that makes a server at an address, which accepts and says nothing."""
    monkeypatch.setattr(display_check, "SECONDS_TO_ANSWER", 0.2)
    with contextlib.ExitStack() as servers:

        def serve(family, address):
            server = servers.enter_context(socket.socket(family))
            server.bind(address)
            server.listen()
            return server.getsockname()

        yield serve


@on_linux
def test_an_x_server_that_never_answers_is_not_waited_for(desk, silent):
    _, port = silent(socket.AF_INET, ("127.0.0.1", 0))
    name = f"127.0.0.1:{port - 6000}"
    desk("DISPLAY", name)
    assert why_no_display() == (
        f"There is no display: the X server at DISPLAY={name} does not answer within 0.2 seconds"
    )


@on_linux
def test_a_compositor_that_never_answers_is_not_waited_for(desk, silent, x_server, tmp_path):
    name = silent(socket.AF_UNIX, str(tmp_path / "silent"))
    desk("WAYLAND_DISPLAY", name)
    desk("DISPLAY", x_server)  # of no avail: Qt would try the compositor first, and wait
    assert why_no_display() == (
        f"There is no display: the Wayland compositor at WAYLAND_DISPLAY={name} "
        "does not answer within 0.2 seconds"
    )
    desk("QT_QPA_PLATFORM", "xcb")
    assert why_no_display() is None


@on_linux
def test_a_wayland_compositor_is_a_display_even_beside_a_dead_x_server(desk, tmp_path):
    desk("XDG_RUNTIME_DIR", str(tmp_path))
    desk("WAYLAND_DISPLAY", "wayland-7")
    desk("DISPLAY", ":987")
    assert "WAYLAND_DISPLAY=wayland-7; " in (why_no_display() or "")
    with socket.socket(socket.AF_UNIX) as compositor:
        compositor.bind(str(tmp_path / "wayland-7"))
        compositor.listen()
        with futures.ThreadPoolExecutor(1) as pool:
            asked = pool.submit(answer_one, compositor)
            assert why_no_display() is None
        assert asked.result() == struct.pack("=III", 1, 12 << 16, 2)  # wl_display.sync


def answer_one(compositor):
    """Answer the first request of the first who connects; return what was asked."""
    connection, _ = compositor.accept()
    with connection:
        request = connection.recv(12)
        connection.sendall(struct.pack("=III", 2, 12 << 16, 0))  # wl_callback.done
    return request


@pytest.mark.parametrize("system", ["darwin", "win32"])
def test_other_systems_always_have_one(desk, monkeypatch, system):
    monkeypatch.setattr(sys, "platform", system)
    assert why_no_display() is None
    assert missing_libraries() is None


@on_linux
def test_missing_libraries_are_named_with_the_one_command_that_helps(desk, monkeypatch):
    monkeypatch.setattr(display_check, "_ALWAYS", {"libc.so.6": "libc6", "libno.so.1": "libno1"})
    monkeypatch.setattr(display_check, "_OF_X11", {"libnox.so.2": "libnox2"})
    desk("DISPLAY", ":0")
    assert missing_libraries() == (
        "The window needs system libraries that are not installed: libno.so.1, libnox.so.2; "
        "on Debian and Ubuntu: sudo apt-get install libno1 libnox2"
    )


@on_linux
def test_one_complete_window_system_is_enough(desk, monkeypatch):
    monkeypatch.setattr(display_check, "_ALWAYS", {"libc.so.6": "libc6"})
    monkeypatch.setattr(display_check, "_OF_X11", {"libnox.so.2": "libnox2"})
    monkeypatch.setattr(display_check, "_OF_WAYLAND", {"libc.so.6": "libc6"})
    desk("DISPLAY", ":0")
    assert missing_libraries() is not None
    desk("WAYLAND_DISPLAY", "wayland-0")
    assert missing_libraries() is None
    desk("QT_QPA_PLATFORM", "xcb")
    assert missing_libraries() is not None


@on_linux
def test_the_lists_name_what_the_installed_qt_links_to(desk):
    """Each library Qt asks for that is neither its own nor the compiler's is one we can name."""
    import PySide6

    folder = Path(PySide6.__file__).parent / "Qt"
    needed = _direct_needs(folder / "lib" / "libQt6Gui.so.6")
    needed |= _direct_needs(folder / "plugins" / "platforms" / "libqxcb.so")
    told = {**display_check._ALWAYS, **display_check._OF_X11}
    everywhere = ("libQt6", "libicu", "libc.", "libm.", "libgcc", "libstdc++", "libz.", "libxcb.so")
    own = {name for name in needed if name.startswith((*everywhere, "libgthread", "ld-linux"))}
    assert needed - own <= told.keys()


def _direct_needs(path):
    """Return the libraries that a library is linked to."""
    tool = shutil.which("objdump") or shutil.which("readelf")
    if tool is None:
        pytest.skip("neither objdump nor readelf is installed")
    option = "-p" if tool.endswith("objdump") else "-d"
    text = subprocess.run([tool, option, path], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1].strip("[]") for line in text.splitlines() if "NEEDED" in line}


def test_the_set_up_installs_every_library_that_is_asked_for():
    script = (Path(__file__).parents[1] / ".ci" / "prepare").read_text()
    installed = dict(re.findall(r"^(lib\S+\.so\.\d+) +(\S+)$", script, re.MULTILINE))
    # A desktop on Wayland has that system's libraries itself.
    wanted = {**display_check._ALWAYS, **display_check._OF_X11}
    assert wanted.items() <= installed.items()
