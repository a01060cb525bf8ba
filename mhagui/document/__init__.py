"""The document: the frozen Scene, its edits and files, and what is computed of it. No Qt."""

from mhagui.document.compute import HeadResult, Result, compute
from mhagui.document.history import History
from mhagui.document.lessons import DEFAULT_LESSON, lesson_names, load_lesson, load_scene
from mhagui.document.scene import Head, Pattern, Scene
from mhagui.document.scene_file import read_scene, scene_from_json, scene_to_json
from mhagui.document.view_state import ColourScale, Cursor, Quantity, ViewState

__all__ = [
    "DEFAULT_LESSON",
    "ColourScale",
    "Cursor",
    "Head",
    "HeadResult",
    "History",
    "Pattern",
    "Quantity",
    "Result",
    "Scene",
    "ViewState",
    "compute",
    "lesson_names",
    "load_lesson",
    "load_scene",
    "read_scene",
    "scene_from_json",
    "scene_to_json",
]
