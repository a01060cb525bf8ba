"""The document: the frozen Scene, its edits and files, and what is computed of it. No Qt."""

from mhagui.document.compute import HeadResult, Result, Standing, compute
from mhagui.document.head import Head
from mhagui.document.history import History
from mhagui.document.lessons import lesson_names, load_lesson, load_scene
from mhagui.document.patterns import Pattern
from mhagui.document.scene import Scene
from mhagui.document.scene_file import read_scene, scene_from_json, scene_to_json
from mhagui.document.view_state import ColourScale, Cursor, Quantity, ViewState, WhatIf

__all__ = [
    "ColourScale",
    "Cursor",
    "Head",
    "HeadResult",
    "History",
    "Pattern",
    "Quantity",
    "Result",
    "Scene",
    "Standing",
    "ViewState",
    "WhatIf",
    "compute",
    "lesson_names",
    "load_lesson",
    "load_scene",
    "read_scene",
    "scene_from_json",
    "scene_to_json",
]
