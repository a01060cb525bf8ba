"""Ways to read a file: which array is what, and which of its axes is what.

A reading is plain data. What a file's headers leave open stays None until somebody says it; nothing
is guessed that a plausible picture would hide.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from mhagui.errors import UserError
from mhagui.sources import names
from mhagui.sources.entries import Entry

LAYER, BATCH, HEAD, QUERY, KEY = "layer", "batch", "head", "query", "key"
POSITION, WIDTH, PACKED, MODEL = "position", "width", "packed", "model"
AXES = {LAYER, BATCH, HEAD, QUERY, KEY, POSITION, WIDTH, PACKED, MODEL}
ORIENTATIONS = IN_BY_OUT, OUT_BY_IN = "in x out", "out x in"

# The possible axes by how many there are, the likeliest first. "packed" are the widths of all
# heads, one head after the other.
_WEIGHTS_AXES = {
    1: ("key",),
    2: ("query key",),
    3: ("head query key", "layer query key", "batch query key"),
    4: ("layer head query key", "batch head query key"),
    5: ("layer batch head query key",),
}
_STATE_AXES = {
    2: ("position width", "position packed"),
    3: ("head position width", "position head width", "batch position packed",
        "layer position packed"),
    4: ("batch head position width", "layer head position width", "batch position head width",
        "layer position head width"),
    5: ("layer batch head position width", "layer batch position head width"),
}  # fmt: skip
_BESIDE = (*names.LABELS, names.TOKEN_IDS, *names.TERMS)  # arrays, and never attention
_X_AXES = {
    2: ("position model",),
    3: ("batch position model", "layer position model"),
    4: ("layer batch position model",),
}
_TERM_AXES: dict[int, tuple[str, ...]] = {1: ("head",), 2: ("layer head",)}


@dataclass(frozen=True)
class Part:
    """The arrays that play one role, and what their axes are.

    Attributes
    ----------
    role
        One of the roles in ``mhagui.sources.names``.
    entries
        The names of the arrays: one, or one for each layer, for each step, or for both.
    layers, steps
        Of each array the number of its layer, and of its step of generation.
    axes
        What each axis of each array is; none for matrices and biases of a projection, whose axes
        follow from their sizes.
    """

    role: str
    entries: tuple[str, ...]
    layers: tuple[int, ...]
    steps: tuple[int, ...]
    axes: tuple[str, ...] = ()

    @cached_property
    def is_layered(self) -> bool:
        """Whether there is one for each of several layers."""
        return LAYER in self.axes or len(set(self.layers)) > 1

    @cached_property
    def places(self) -> Mapping[int, Sequence[int]]:
        """Where in ``entries`` those of each layer are."""
        places: dict[int, list[int]] = {}
        for place, layer in enumerate(self.layers):
            places.setdefault(layer, []).append(place)
        return places


@dataclass(frozen=True)
class Reading:
    """One way to read a file; a choice that is not made yet is None.

    Attributes
    ----------
    parts
        The roles, each at most once.
    batch
        Which item of the batch.
    layers
        Which layers, by their numbers; None means all.
    orientation
        How matrices of projections lie: ``in x out`` is for row vectors times the matrix.
    heads, key_heads
        How many there are, where widths of heads are packed.
    causal
        Whether a query sees the keys up to its own position alone; None leaves it to the zeros of
        the weights.
    scale
        Factor on q·k; None means 1/√d_k.
    has_steps
        Whether the weights are those of steps of generation, to be put together.
    """

    parts: tuple[Part, ...]
    batch: int | None = None
    layers: tuple[int, ...] | None = None
    orientation: str | None = None
    heads: int | None = None
    key_heads: int | None = None
    causal: bool | None = None
    scale: float | None = None
    has_steps: bool = False

    def part(self, role: str) -> Part | None:
        """Return what plays ``role``, None where nothing does."""
        return next((part for part in self.parts if part.role == role), None)

    @property
    def has_projections(self) -> bool:
        """Whether queries, keys or values are to be made of X."""
        roles = {part.role for part in self.parts}
        return names.X in roles and not roles.isdisjoint(names.MATRICES)

    def with_axes(self, role: str, axes: Sequence[str]) -> "Reading":
        """Return the reading with other ``axes`` of what plays ``role``."""
        parts = [
            replace(part, axes=tuple(axes)) if part.role == role else part for part in self.parts
        ]
        return replace(self, parts=tuple(parts))

    def with_part(self, role: str, entry: str, axes: Sequence[str] = ()) -> "Reading":
        """Return the reading with the array called ``entry`` in ``role``, in place of another."""
        parts = [part for part in self.parts if part.role != role]
        layer = names.layer_number(entry)
        return replace(self, parts=(*parts, Part(role, (entry,), (layer,), (0,), tuple(axes))))


def axes_choices(role: str, n_axes: int) -> tuple[tuple[str, ...], ...]:
    """Return what the axes of an array in ``role`` may be, the likeliest first."""
    choices = _X_AXES if role == names.X else _STATE_AXES if role in names.STATES else _WEIGHTS_AXES
    if role in names.TERMS:
        choices = _TERM_AXES
    if role in (names.WEIGHTS, names.X, *names.STATES, *names.TERMS):
        return tuple(tuple(axes.split()) for axes in choices.get(n_axes, ()))
    return ((),)


def candidates(entries: Sequence[Entry]) -> tuple[Reading, ...]:
    """Return the ways in which ``entries`` may be read, the likeliest first; none where none fits.

    Raises UserError where names count what is not understood.
    """
    groups = _groups(entries)
    shapes = {entry.name: entry.shape for entry in entries}
    # Where several groups may be the weights (an encoder's, a decoder's), each is one way.
    weights = groups.pop(names.WEIGHTS, [])
    others = [_part(role, max(found, key=len)) for role, found in groups.items()]
    found: list[Reading] = []
    for group in weights or [[]]:
        alone = [_part(names.WEIGHTS, group)] if group else []
        found += _likely(list(_readings([*alone, *others], shapes)))
    return tuple(found)


def _likely(readings: list[Reading]) -> list[Reading]:
    """Return only the readings in which weights and states agree on heads, where there are any."""
    agreeing = []
    for reading in readings:
        parts = [part for part in reading.parts if part.role in (names.WEIGHTS, *names.STATES)]
        if len({part.role == names.WEIGHTS for part in parts}) == 2:
            is_packed = any(PACKED in part.axes for part in parts)
            if len({HEAD in part.axes for part in parts}) == 1 and not is_packed:
                agreeing.append(reading)
    return agreeing or readings


def _groups(entries: Sequence[Entry]) -> dict[str, list[list[Entry]]]:
    """Return entries by their role, each role's in groups whose names differ by numbers alone."""
    groups: dict[str, dict[str, list[Entry]]] = {}
    for entry in entries:
        role = _role(entry)
        if role is not None:
            by_template = groups.setdefault(role, {})
            by_template.setdefault(names.template(entry.name)[0], []).append(entry)
    roles = {role: list(found.values()) for role, found in groups.items()}
    beside = {role: roles.pop(role) for role in _BESIDE if role in roles}
    unknown = roles.pop("", [])
    roles[""] = [group for group in unknown if not all(entry.problem for entry in group)]
    roles[""] = roles[""] or unknown
    if sum(map(len, roles.values())) == 1:  # nothing else has numbers, whatever it is called
        roles = {names.WEIGHTS: next(iter(roles.values()))}
    roles.pop("", None)
    return roles | beside


def _role(entry: Entry) -> str | None:
    """Return what ``entry`` is by its name and kind; None where the two do not go together."""
    role = names.role_of(entry.name)
    if (entry.texts is not None) == (role in names.LABELS):
        return role
    return names.TOKEN_IDS if role in names.LABELS and "int" in entry.dtype else None


def _part(role: str, group: list[Entry]) -> Part:
    """Return the entries of one group with their layers and steps, as their names number them."""
    all_names = tuple(entry.name for entry in group)
    if len(group) == 1:
        return Part(role, all_names, (names.layer_number(all_names[0]),), (0,))
    if names.count_heads(all_names):
        raise UserError(
            f"The names from “{all_names[0]}” to “{all_names[-1]}” count heads; put those of a "
            "layer into one array."
        )
    if role == names.WEIGHTS and all(len(entry.shape) == 1 for entry in group):
        raise UserError(
            f"“{all_names[0]}” is one of {len(group)} arrays, and each has a single axis: put the "
            "rows of a layer into one array."
        )
    numbers = [names.template(name)[1] for name in all_names]
    columns = [column for column in zip(*numbers, strict=True) if len(set(column)) > 1]
    none = (0,) * len(group)
    if len(columns) == 1:
        is_steps = _are_steps(group)
        layers, steps = (none, columns[0]) if is_steps else (columns[0], none)
        if is_steps and len({names.layer_number(name) for name in all_names}) == 1:
            layers = (names.layer_number(all_names[0]),) * len(group)
    elif len(columns) == 2:
        steps, layers = columns
        if not _are_steps(
            [e for e, layer in zip(group, layers, strict=True) if layer == layers[0]]
        ):
            # As a decoder's queries look at an encoder's keys, which are all there from the start.
            are_rows = all(entry.shape[-2:-1] == (1,) for entry in group)
            right = "the rows of a layer's steps" if are_rows else "the heads of a layer"
            raise UserError(
                f"The names from “{all_names[0]}” to “{all_names[-1]}” count two things, and they "
                f"are not steps and layers; put {right} into one array."
            )
    else:
        raise UserError(
            f"The names from “{all_names[0]}” to “{all_names[-1]}” count {len(columns)} things; "
            "layers, and steps before them, are understood."
        )
    order = sorted(range(len(group)), key=lambda at: (layers[at], steps[at]))
    sort = [[column[at] for at in order] for column in (layers, steps)]
    return Part(role, tuple(all_names[at] for at in order), tuple(sort[0]), tuple(sort[1]))


def _are_steps(group: Sequence[Entry]) -> bool:
    """Say whether the shapes grow as those of generation do: all of a prompt, then row by row."""
    ends = [entry.shape[-2:] for entry in group if len(entry.shape) >= 2]
    if len(ends) < 2 or len(ends) < len(group):
        return False
    are_rows = all(n_queries == 1 for n_queries, _ in ends[1:])
    return are_rows and len({n_keys for _, n_keys in ends}) > 1


def _readings(parts: list[Part], shapes: dict[str, tuple[int, ...]]) -> Iterator[Reading]:
    """Yield a reading for each choice of axes in which the parts fit one another.

    Where none does the likeliest is yielded: whoever reads it is told which sizes do not fit.
    Slopes and sinks count only where weights are made of q and k.
    """
    roles = {part.role for part in parts}
    is_whole = names.WEIGHTS in roles or {names.Q, names.K} <= roles
    has_projections = names.X in roles and (names.W_QKV in roles or {names.W_Q, names.W_K} <= roles)
    if not is_whole and not has_projections:
        return
    if not has_projections and not {names.Q, names.K} <= roles:
        parts = [part for part in parts if part.role not in names.TERMS]
    weights = next((part for part in parts if part.role == names.WEIGHTS), None)
    states = next((part for part in parts if part.role in names.STATES), None)
    x = next((part for part in parts if part.role == names.X), None)
    terms = {part.role: _possible(part, shapes)[0] for part in parts if part.role in names.TERMS}
    ways = []
    for axes in itertools.product(*(_possible(part, shapes) for part in (weights, states, x))):
        chosen = dict(zip((names.WEIGHTS, names.Q, names.X), axes, strict=True))
        chosen |= dict.fromkeys(names.STATES, chosen[names.Q]) | terms
        ways.append(tuple(replace(part, axes=chosen.get(part.role, ())) for part in parts))
    fitting = [way for way in ways if _agree(way, shapes)]
    fitting = fitting or [way for way in ways if _agree(_without_terms(way), shapes)]
    for way in fitting or ways[:1]:
        yield _reading(way, shapes)


def _without_terms(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    return tuple(part for part in parts if part.role not in names.TERMS)


def _possible(part: Part | None, shapes: dict[str, tuple[int, ...]]) -> tuple[tuple[str, ...], ...]:
    if part is None:
        return ((),)
    shape = shapes[part.entries[0]]
    found = axes_choices(part.role, len(shape))
    if len(set(part.layers)) > 1:  # layers are counted by the names
        found = tuple(axes for axes in found if LAYER not in axes)
    if part.role == names.WEIGHTS and len(part.entries) > 1 and len(shape) == 3:
        found = found[:1]  # in a list of layers or of steps they are heads
    ones = tuple(axes for axes in found if _only_one(axes, shape))
    return ones or found or ((),)


def _only_one(axes: tuple[str, ...], shape: tuple[int, ...]) -> bool:
    """Say whether a batch of one explains the size 1 of the first axis."""
    return axes[0] == BATCH and shape[0] == 1


def _agree(parts: tuple[Part, ...], shapes: dict[str, tuple[int, ...]]) -> bool:
    """Say whether no axis has two sizes, and whether all have their layers in the same way."""
    sizes: dict[str, int] = {}
    layered = [part for part in parts if part.axes]
    for part in layered:
        shape = shapes[part.entries[0]]
        if len(part.axes) != len(shape):
            return True  # an array that is damaged, or a single number: said later, by its name
        for axis, size in zip(part.axes, shape, strict=True):
            known = _known_as(part.role, axis)
            if known and sizes.setdefault(known, size) != size:
                return False
    counted = [part for part in layered if part.role not in (names.X, *names.TERMS)]
    terms = [part for part in layered if part.role in names.TERMS]  # or those of all layers
    are_layered = {part.is_layered for part in counted} | {p.is_layered for p in terms} - {False}
    have_batch = {BATCH in part.axes for part in counted} if sizes.get(BATCH, 1) > 1 else set()
    n_heads = (sizes.get(HEAD) if terms else None) or 1
    packed = [part for part in layered if part.role == names.Q and PACKED in part.axes]
    widths = [shapes[part.entries[0]][part.axes.index(PACKED)] for part in packed]
    if any(width % n_heads for width in widths):
        return False
    return len(are_layered) < 2 and len(have_batch) < 2


def _known_as(role: str, axis: str) -> str:
    """Return under which name sizes have to agree; empty where they may differ."""
    if axis == POSITION:
        return QUERY if role in (names.Q, names.X) else KEY
    if axis == HEAD and role in (names.K, names.V):
        return "key head"
    return axis if axis in (LAYER, BATCH, HEAD, QUERY, KEY) else ""


def _reading(parts: tuple[Part, ...], shapes: dict[str, tuple[int, ...]]) -> Reading:
    has_steps = any(len(set(part.steps)) > 1 for part in parts if part.role == names.WEIGHTS)
    return Reading(
        parts,
        orientation=_orientation(parts, shapes),
        causal=True if has_steps else None,
        has_steps=has_steps,
    )


def description(reading: Reading, shapes: Mapping[str, tuple[int, ...]]) -> str:
    """Return what ``reading`` takes arrays of these ``shapes`` for, a sentence."""
    said = []
    for part in reading.parts:
        if not part.axes:
            continue
        name = part.entries[0]
        n_more = len(part.entries) - 1
        sizes = ", ".join(
            f"{axis} {size:,}" for axis, size in zip(part.axes, shapes[name], strict=False)
        )
        more = f" and {n_more} more" if n_more else ""
        said.append(f"{name}{more} as {part.role} ({sizes})")
    others = [part.entries[0] for part in reading.parts if not part.axes]
    if others:
        said.append(f"with {', '.join(others)}")
    ending = ", the rows of its steps put together." if reading.has_steps else "."
    return "; ".join(said) + ending


def _orientation(parts: tuple[Part, ...], shapes: dict[str, tuple[int, ...]]) -> str | None:
    """Return how projections lie where sizes or well-known names say so."""
    x = next((part for part in parts if part.role == names.X), None)
    width = shapes[x.entries[0]][-1] if x and shapes[x.entries[0]] else None
    for part in parts:
        if part.role not in (names.W_Q, names.W_K, names.W_V, names.W_QKV):
            continue
        *_, rows, columns = (0, 0, *shapes[part.entries[0]])
        if (rows == width) != (columns == width):
            return IN_BY_OUT if rows == width else OUT_BY_IN
    for part in parts:
        if part.role in (names.W_Q, names.W_QKV):
            is_out_by_in = names.is_out_by_in(part.entries[0])
            return None if is_out_by_in is None else OUT_BY_IN if is_out_by_in else IN_BY_OUT
    return None
