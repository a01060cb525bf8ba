"""Whether a window can open here; found out without Qt, which would abort instead of saying so."""

import ctypes
import os
import socket
import struct
import sys
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path

# What Qt links to and a small system may lack: the library, and the Debian package it is in.
_ALWAYS = {
    "libGL.so.1": "libgl1",
    "libEGL.so.1": "libegl1",
    "libX11.so.6": "libx11-6",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libdbus-1.so.3": "libdbus-1-3",
    "libglib-2.0.so.0": "libglib2.0-0",
}
_OF_X11 = {
    "libX11-xcb.so.1": "libx11-xcb1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
}
_OF_WAYLAND = {
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
}
# Those of Qt's platforms that have windows, or need no screen. The others (eglfs, linuxfb) take the
# machine's whole screen and abort where they cannot; and so does Qt over a name it does not know.
PLATFORMS = ("xcb", "wayland", "offscreen", "minimal", "vnc")
SECONDS_TO_ANSWER = 5
_XCB_NO_SUCH_SCREEN = 6  # XCB_CONN_CLOSED_INVALID_SCREEN
# wl_display.sync: object 1, twelve bytes and request 0, a callback that is to be object 2.
_WAYLAND_SYNC = struct.pack("=III", 1, 12 << 16 | 0, 2)


def why_no_display() -> str | None:
    """Return a sentence that says why no window can open here; None when, it seems, one can."""
    if not _is_unix_desktop():
        return None
    wanted = _wanted_platforms()
    for platform in wanted:
        if platform not in PLATFORMS:
            return (
                f"QT_QPA_PLATFORM names “{platform}”, on which no window of mhagui can open; "
                f"possible are {', '.join(PLATFORMS)}"
            )
    try:
        return _why_none_of(wanted or ["wayland", "xcb"])  # the order in which Qt tries them
    except TimeoutError as error:  # Qt would wait for ever
        return f"There is no display: {error} does not answer within {SECONDS_TO_ANSWER} seconds"


def missing_libraries() -> str | None:
    """Return a sentence on the system libraries that are missing and how to get them, or None."""
    if not sys.platform.startswith("linux"):
        return None
    # Of several window systems that could show the window, one that is complete is enough.
    ways = [list(_missing(libraries)) for libraries in _ways()] or [[]]
    missing = [*_missing(_ALWAYS), *min(ways, key=len)]
    if not missing:
        return None
    packages = " ".join({**_ALWAYS, **_OF_X11, **_OF_WAYLAND}[name] for name in missing)
    return (
        f"The window needs system libraries that are not installed: {', '.join(missing)}; "
        f"on Debian and Ubuntu: sudo apt-get install {packages}"
    )


def _ways() -> Iterator[dict[str, str]]:
    """Yield the libraries of each window system that may be asked for the window."""
    wanted = _wanted_platforms()
    for platform, variable, libraries in (
        ("xcb", "DISPLAY", _OF_X11),
        ("wayland", "WAYLAND_DISPLAY", _OF_WAYLAND),
    ):
        if platform in wanted or (not wanted and os.environ.get(variable)):
            yield libraries


def _is_unix_desktop() -> bool:
    return sys.platform.startswith(("linux", "freebsd", "openbsd", "netbsd", "dragonfly"))


def _wanted_platforms() -> list[str]:
    """Return the platforms that QT_QPA_PLATFORM asks for; each may carry options behind a colon."""
    entries = os.environ.get("QT_QPA_PLATFORM", "").split(";")
    names = [entry.partition(":")[0].lower() for entry in entries]
    return ["wayland" if name == "wayland-egl" else name for name in names if name]


def _why_none_of(platforms: Iterable[str]) -> str | None:
    """Return why none of ``platforms`` has a display, in the order given; None when one has."""
    reasons = []
    for platform in platforms:
        check = {"wayland": _why_no_wayland, "xcb": _why_no_x11}.get(platform)
        reason = check() if check else None  # offscreen and the like need no display
        if reason is None:
            return None
        reasons.append(reason)
    return (
        "; ".join(filter(None, reasons))
        or "There is no display: neither DISPLAY nor WAYLAND_DISPLAY is set"
    )


def _why_no_wayland() -> str | None:
    """Return None when the compositor answers, "" when none is named, otherwise what fails."""
    name = os.environ.get("WAYLAND_DISPLAY", "")
    if not name:
        return ""
    path = Path(os.environ.get("XDG_RUNTIME_DIR", "/run/user")) / name
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(SECONDS_TO_ANSWER)
            connection.connect(str(path))
            connection.sendall(_WAYLAND_SYNC)
            if connection.recv(1):
                return None
    except TimeoutError:
        raise TimeoutError(f"the Wayland compositor at WAYLAND_DISPLAY={name}") from None
    except OSError:
        pass
    return f"There is no display: no Wayland compositor answers at WAYLAND_DISPLAY={name}"


def _why_no_x11() -> str | None:
    """Return None when the X server answers, "" when none is named, otherwise what fails."""
    name = os.environ.get("DISPLAY", "")
    if not name:
        return ""
    answers: list[str | None] = []
    # A thread, for xcb knows no time limit: one that is left waiting ends with the program.
    asking = threading.Thread(target=lambda: answers.append(_ask_x_server(name)), daemon=True)
    asking.start()
    asking.join(SECONDS_TO_ANSWER)
    if not answers:
        raise TimeoutError(f"the X server at DISPLAY={name}")
    return answers[0]


def _ask_x_server(name: str) -> str | None:
    """Return what is wrong with the X server ``name``; None where there is no library to ask by."""
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return None  # a matter for missing_libraries
    xcb.xcb_connect.restype = ctypes.c_void_p
    xcb.xcb_connect.argtypes = [ctypes.c_char_p, ctypes.POINTER(ctypes.c_int)]
    xcb.xcb_connection_has_error.argtypes = [ctypes.c_void_p]
    xcb.xcb_disconnect.argtypes = [ctypes.c_void_p]
    screen = ctypes.c_int()  # xcb looks for the screen only when it is asked for its number
    connection = xcb.xcb_connect(os.fsencode(name), ctypes.byref(screen))
    error = xcb.xcb_connection_has_error(connection)
    xcb.xcb_disconnect(connection)
    if error == _XCB_NO_SUCH_SCREEN:
        return f"There is no display: the X server of DISPLAY={name} has no screen {screen.value}"
    return f"There is no display: no X server answers at DISPLAY={name}" if error else None


def _missing(names: Iterable[str]) -> Iterator[str]:
    for name in names:
        try:
            ctypes.CDLL(name)
        except OSError:
            yield name
