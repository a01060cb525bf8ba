"""Whether a window can open here; found out without Qt, which would abort instead of saying so."""

import ctypes
import os
import socket
import sys
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
SECONDS_TO_ANSWER = 5


def why_no_display() -> str | None:
    """Return a sentence that says why no window can open here; None when, it seems, one can."""
    if not _is_unix_desktop():
        return None
    wanted = _wanted_platforms()
    if wanted and not wanted & {"xcb", "wayland"}:
        return None  # offscreen and the like need no display
    reasons = []
    if not wanted or "wayland" in wanted:
        reasons.append(_why_no_wayland())
    if not wanted or "xcb" in wanted:
        reasons.append(_why_no_x11())
    if None in reasons:
        return None
    told = [reason for reason in reasons if reason]
    return (
        "; ".join(told)
        if told
        else "There is no display: neither DISPLAY nor WAYLAND_DISPLAY is set"
    )


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


def _wanted_platforms() -> set[str]:
    """Return the platforms that QT_QPA_PLATFORM asks for; each may carry options behind a colon."""
    entries = os.environ.get("QT_QPA_PLATFORM", "").split(";")
    names = {entry.partition(":")[0].strip().lower() for entry in entries}
    return {"wayland" if name.startswith("wayland") else name for name in names if name}


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
    except OSError:
        return f"There is no display: no Wayland compositor answers at WAYLAND_DISPLAY={name}"
    return None


def _why_no_x11() -> str | None:
    """Return None when the X server answers, "" when none is named, otherwise what fails."""
    name = os.environ.get("DISPLAY", "")
    if not name:
        return ""
    if _x_server_answers(name.encode()):
        return None
    return f"There is no display: no X server answers at DISPLAY={name}"


def _x_server_answers(name: bytes) -> bool:
    """Return whether the X server ``name`` answers; True where there is no library to ask with."""
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return True  # a matter for missing_libraries
    xcb.xcb_connect.restype = ctypes.c_void_p
    xcb.xcb_connect.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
    xcb.xcb_connection_has_error.argtypes = [ctypes.c_void_p]
    xcb.xcb_disconnect.argtypes = [ctypes.c_void_p]
    connection = xcb.xcb_connect(name, None)
    error = xcb.xcb_connection_has_error(connection)
    xcb.xcb_disconnect(connection)
    return not error


def _missing(names: Iterable[str]) -> Iterator[str]:
    for name in names:
        try:
            ctypes.CDLL(name)
        except OSError:
            yield name
