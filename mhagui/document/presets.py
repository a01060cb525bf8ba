"""W_O at one stroke: the presets, and why one cannot be had for a scene."""

import enum
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from mhagui.document.lessons import lesson_names, load_lesson
from mhagui.document.records import Array, read_only
from mhagui.document.scene import Scene
from mhagui.errors import UserError

MAX_SEED = 9999


class Preset(enum.Enum):
    """A W_O to start from; the value is what it is called."""

    LESSON = "lesson"
    IDENTITY = "identity"
    SWAP = "swap head blocks"
    RANDOM_ORTHOGONAL = "random orthogonal"
    ZERO = "zero"


@dataclass(frozen=True, slots=True)
class SetPreset:
    """Replace W_O by a preset; ``seed`` (0 or more) counts for random orthogonal only."""

    preset: Preset
    seed: int = 0
    merge_key: None = None

    @property
    def text(self) -> str:
        """Name the preset, and the seed where it counts."""
        seed = f" (seed {self.seed})" if self.preset is Preset.RANDOM_ORTHOGONAL else ""
        return f"Set W_O to {self.preset.value}{seed}"

    def apply(self, scene: Scene) -> Scene:
        """Return the scene with W_O replaced; raises UserError as ``why_not`` says."""
        return replace(scene, w_o=preset_matrix(self.preset, scene, self.seed))


def why_not(preset: Preset, scene: Scene) -> str | None:
    """Return why ``scene`` cannot have ``preset``, as one sentence; None when it can."""
    try:
        _check(preset, scene)
    except UserError as error:
        return str(error)
    return None


def is_preset(preset: Preset, scene: Scene) -> bool:
    """Say whether W_O is ``preset``; of random orthogonal, that of seed 0."""
    return why_not(preset, scene) is None and np.array_equal(
        scene.w_o, preset_matrix(preset, scene)
    )


def preset_matrix(preset: Preset, scene: Scene, seed: int = 0) -> Array:
    """Return the W_O of ``preset``, (H * d_v, d_model).

    ``seed`` (0 or more) counts for random orthogonal only. Raises UserError as ``why_not`` says.
    """
    _check(preset, scene)
    rows, columns = scene.w_o.shape
    match preset:
        case Preset.LESSON:
            return _lesson_projections()[scene.title]
        case Preset.IDENTITY:
            return read_only(np.eye(rows))
        case Preset.SWAP:
            blocks = np.eye(rows).reshape(scene.n_heads, scene.d_v, columns)
            return read_only(blocks[::-1].reshape(rows, columns))
        case Preset.RANDOM_ORTHOGONAL:
            return read_only(_random_orthogonal(rows, seed))
        case Preset.ZERO:
            return read_only(np.zeros((rows, columns)))


def _check(preset: Preset, scene: Scene) -> None:
    rows, columns = scene.w_o.shape
    if preset is Preset.LESSON:
        _check_lesson(scene)
    elif preset is not Preset.ZERO and rows != columns:
        raise UserError(f"W_O is {rows} × {columns}: {preset.value} needs as many rows as columns.")
    elif preset is Preset.SWAP and scene.n_heads == 1:
        raise UserError("There is one head: swapping head blocks needs two or more.")


def _check_lesson(scene: Scene) -> None:
    lessons = _lesson_projections()
    if scene.title not in lessons:
        raise UserError(f"“{scene.title}” is not one of the lessons: {', '.join(lessons)}.")
    (rows, columns), wanted = scene.w_o.shape, lessons[scene.title].shape
    if (rows, columns) != wanted:
        raise UserError(
            f"W_O is {rows} × {columns}: that of the lesson is {wanted[0]} × {wanted[1]}."
        )


@cache
def _lesson_projections() -> dict[str, Array]:
    lessons = [load_lesson(name) for name in lesson_names()]
    return {lesson.title: lesson.w_o for lesson in lessons}


def _random_orthogonal(size: int, seed: int) -> Array:
    """Draw from the Haar measure: QR of a Gaussian matrix, R's diagonal made positive.

    Source: Mezzadri, How to generate random matrices from the classical compact groups (2007).
    """
    q, r = np.linalg.qr(np.random.default_rng(seed).standard_normal((size, size)))
    return q * np.where(np.diag(r) < 0, -1.0, 1.0)
