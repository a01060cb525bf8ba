"""The document: the frozen Scene, its edits and files, and what is computed of it. No Qt."""

from mhagui.document.compute import Result, compute
from mhagui.document.head import Head
from mhagui.document.head_result import HeadResult, Standing
from mhagui.document.history import History
from mhagui.document.lessons import lesson_names, load_lesson, load_scene, open_named
from mhagui.document.patterns import Pattern
from mhagui.document.scene import Scene
from mhagui.document.scene_file import scene_from_json, scene_to_json
from mhagui.document.session import Session
from mhagui.document.session_file import read_scene, read_session, write_session
from mhagui.document.view_state import (
    Appearance,
    ColourScale,
    Cursor,
    Digits,
    Quantity,
    ViewState,
    WhatIf,
    Window,
)

__all__ = [
    "Appearance",
    "ColourScale",
    "Cursor",
    "Digits",
    "Head",
    "HeadResult",
    "History",
    "Pattern",
    "Quantity",
    "Result",
    "Scene",
    "Session",
    "Standing",
    "ViewState",
    "WhatIf",
    "Window",
    "compute",
    "lesson_names",
    "load_lesson",
    "load_scene",
    "open_named",
    "read_scene",
    "read_session",
    "scene_from_json",
    "scene_to_json",
    "write_session",
]
