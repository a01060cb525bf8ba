"""What the weights dock shows: which matrices stand side by side, and what of them is written."""

import enum
from dataclasses import dataclass

import numpy as np
from PySide6.QtGui import QColor, QGuiApplication

from mhagui import formats
from mhagui.document import HeadResult, Pattern, Result, Scene
from mhagui.document.head import SYMBOLS
from mhagui.document.packed import PackedProjection
from mhagui.document.records import Array, sealed
from mhagui.document.token_text import labels
from mhagui.document.weight_edits import (
    SetHeadBlock,
    SetInputBlock,
    why_fixed,
    why_input_fixed,
)
from mhagui.formats import Precision
from mhagui.gui.bench import Frame
from mhagui.gui.formulas import Formula
from mhagui.gui.pictures import position_labels
from mhagui.gui.widgets.editable_model import EditableMatrix
from mhagui.gui.widgets.label_text import drawable
from mhagui.palette import head_colour

MAX_ROWS = 64  # positions that are shown as numbers to type in
LONGEST_WORD = 16  # letters of a token beside its row
FEW_HEADS = 6  # whose errors are all listed
_PACKED = {  # and what it makes
    "W_Q": (Formula.PACKED_QUERIES, Formula.ALL_QUERIES),
    "W_K": (Formula.PACKED_KEYS, Formula.ALL_KEYS),
    "W_V": (Formula.PACKED_VALUES, Formula.ALL_VALUES),
}


class Shown(enum.Enum):
    """What the dock shows; the value is the text of its button."""

    INPUT = "X"
    QUERIES = "W_Q"
    KEYS = "W_K"
    VALUES = "W_V"
    HEAD = "Q K V"

    @property
    def letter(self) -> str:
        """Q, K or V of a packed matrix."""
        return self.value.removeprefix("W_")


@dataclass(frozen=True, slots=True)
class Content:
    """What one pane shows.

    Attributes
    ----------
    matrix
        The numbers with their labels.
    captions
        What stands above it, from the longest to the shortest.
    formula
        What it is.
    as_picture
        Whether it is shown in colours alone.
    heads
        Uids of the heads whose matrices stand side by side in it; () for X.
    field
        The field of these heads that is shown; empty where nothing of it is written.
    rows_are_positions
        Whether row t of it is position t.
    more
        What else the tooltip says.
    """

    matrix: EditableMatrix
    captions: tuple[str, ...]
    formula: Formula
    as_picture: bool = False
    heads: tuple[int, ...] = ()
    field: str = ""
    rows_are_positions: bool = True
    more: tuple[str, ...] = ()

    def edit(self, row: int, column: int, values: Array, text: str) -> SetHeadBlock | SetInputBlock:
        """Return the edit that writes ``values`` from (row, column) on."""
        if self.heads:
            return SetHeadBlock(self.heads, self.field, row, column, values, text)
        return SetInputBlock(row, column, values, text)

    def columns_of(self, uid: int) -> range:
        """Return the columns of head ``uid``, none where the matrix is of one head or of X."""
        if uid not in self.heads or not self.matrix.column_bands:
            return range(0)
        first, width = self.heads.index(uid) * self.matrix.per_head, self.matrix.per_head
        return range(first, first + width)


def packed_of(result: Result, shown: Shown) -> PackedProjection:
    """Return the packed matrix that belongs to ``shown``; W_Q where it shows none."""
    others = {Shown.KEYS: result.packed_keys, Shown.VALUES: result.packed_values}
    return others.get(shown, result.packed_queries)


def errors_note(packed: PackedProjection, write: Precision) -> str:
    """Return how far each head's slice is from what it makes; of many heads, the farthest."""
    errors, letter = packed.errors, packed.symbol[-1]
    each = " · ".join(
        f"h{n}\N{NO-BREAK SPACE}{write.short(error, 2)}" for n, error in enumerate(errors, 1)
    )
    note = f"max |{letter}_all[:, slice h] − {letter}_h|: {each}"
    if len(errors) > FEW_HEADS:
        worst = max(range(len(errors)), key=errors.__getitem__)
        where = f" (h{worst + 1})" if errors[worst] else ""
        many = f"over all {len(errors)} heads: {write.short(errors[worst], 2)}{where}"
        note = f"max |{letter}_all[:, slice h] − {letter}_h| {many}"
    all_read_x = all(part.x is packed.x for part in packed.slices)
    return note if all_read_x else f"{note} · heads of layer 2 read X + O_1"


def input_note(scene: Scene) -> str:
    """Return what an edit of X does not change, as of a model's layer; empty where it does all."""
    n_set = sum(head.pattern is Pattern.HAND_SET for head in scene.heads)
    if not n_set:
        return ""
    whose = "the heads are" if n_set == scene.n_heads else f"{n_set} of the heads are"
    return f"Q and K of {whose} hand-set: an edit of X changes their V alone."


def head_note(result: Result, place: int, write: Precision) -> str:
    """Return how near the packed matrices come to Q, K and V of one head, or why there are none."""
    number, said = place + 1, []
    for packed in (result.packed_queries, result.packed_keys, result.packed_values):
        letter, cause = packed.symbol[-1], packed.cause_of_none(place)
        if cause:
            return f"A {packed.symbol} that makes {letter}_{number} does not exist: {cause}."
        error = write.short(packed.errors[place], 2)
        said.append(f"max |{letter}_all[:, slice {number}] − {letter}_{number}| {error}")
    return " · ".join(said)


def contents(frame: Frame, shown: Shown) -> list[Content]:
    """Return what stands side by side, from left to right; one to three of them."""
    if shown is Shown.INPUT:
        return [_input(frame.scene)]
    if shown is Shown.HEAD:
        place = frame.scene.index_of(frame.view.cursor.head)
        head = frame.result.heads[place]
        return [_of_head(frame.scene, head, place, field) for field in ("q", "k", "v")]
    return _packed(frame, shown)


def _input(scene: Scene, *, as_picture: bool = False) -> Content:
    n_fixed = scene.n_fixed_features
    reason = why_input_fixed(scene) if n_fixed else ""
    rows = position_labels(scene.n_positions)
    if scene.tokens and not as_picture and scene.n_positions <= MAX_ROWS:
        font = QGuiApplication.font().toString()
        words = drawable(labels(scene.tokens, LONGEST_WORD, scene.token_scheme), font)
        rows = tuple(f"{row} {token}" for row, token in zip(rows, words, strict=True))
    matrix = EditableMatrix(
        "X",
        scene.x,
        rows,
        formats.positions(scene.d_model, "x"),
        fixed=(reason,) * n_fixed,
    )
    shape = f"X, {scene.n_positions} × {scene.d_model}"
    as_picture = as_picture or scene.n_positions > MAX_ROWS
    return Content(matrix, (shape, "X"), Formula.INPUT, as_picture=as_picture)


def _of_head(scene: Scene, result: HeadResult, place: int, field: str) -> Content:
    """Return Q_h, K_h or V_h."""
    head, letter, number = result.head, field.upper(), place + 1
    source = "X" if head.layer == 1 else "(X + O_1)"
    name = f"{letter}_{number}"
    if field == "v":
        values, how = result.values, f"{source}·W_V"
        reason = f"{name} = {how}: edit W_V or X."
    else:
        values, reason = getattr(result, field), why_fixed(head, field)
        is_projected = head.w_q is not None
        how = f"{source}·W_{letter}" if is_projected else head.pattern.value
    matrix = EditableMatrix(
        name,
        values,
        position_labels(scene.n_positions),
        formats.positions(values.shape[1], field),
        column_bands=(QColor(head_colour(head.uid)),) * values.shape[1],
        per_head=values.shape[1],
        fixed=(reason,) * values.shape[1] if reason else (),
    )
    captions = (f"{name} = {how}" if "·" in how else f"{name}, {how}", name)
    as_picture, more = scene.n_positions > MAX_ROWS, (f"Here of head {number}: {how}.",)
    formula = {"q": Formula.QUERIES, "k": Formula.KEYS, "v": Formula.VALUES}[field]
    return Content(matrix, captions, formula, as_picture, (head.uid,), field, more=more)


def _packed(frame: Frame, shown: Shown) -> list[Content]:
    """Return X, the packed matrix and their product; where there is none, what there is of it."""
    scene, packed = frame.scene, packed_of(frame.result, shown)
    left, places = _input(scene, as_picture=True), list(range(scene.n_heads))
    if packed.why_none is None:
        return [left, _packed_matrix(scene, packed, places), _product(scene, packed, shown)]
    places = [place for place in places if packed.slices[place].own is not None]
    return [left, _packed_matrix(scene, packed, places)] if places else [_input(scene)]


def _packed_matrix(scene: Scene, packed: PackedProjection, places: list[int]) -> Content:
    """Return the packed matrix, or the slices of the heads at ``places`` if not all have one."""
    heads = [scene.heads[place] for place in places]
    field = next(field for field, symbol in SYMBOLS.items() if symbol == packed.symbol)
    names, values = formats.head_columns(scene.n_heads, packed.width), packed.matrix
    captions = (f"· {packed.symbol} = [{_ends(packed.symbol + '^', places)}]", f"· {packed.symbol}")
    if len(heads) < scene.n_heads:
        values = sealed(np.hstack([packed.matrix_of(place) for place in places]))
        names = tuple(name for place in places for name in names[packed.columns_of(place)])
        captions = (f"{packed.symbol} of the projected heads", f"{packed.symbol}, projected")
    matrix = EditableMatrix(
        packed.symbol,
        values,
        formats.positions(scene.d_model, "x"),
        names,
        column_bands=_bands(scene, places, packed.width),
        per_head=packed.width,
        fixed=tuple(why_fixed(head, field) for head in heads for _ in range(packed.width)),
    )
    which = "Every slice" if field == "w_v" else "The slice of a projected head"
    return Content(
        matrix,
        captions,
        _PACKED[packed.symbol][0],
        heads=tuple(head.uid for head in heads),
        field=field,
        rows_are_positions=False,
        more=(f"{which} can be edited.",),
    )


def _product(scene: Scene, packed: PackedProjection, shown: Shown) -> Content:
    letter, places = shown.letter, list(range(scene.n_heads))
    matrix = EditableMatrix(
        f"{letter}_all",
        packed.product,
        position_labels(scene.n_positions),
        formats.head_columns(scene.n_heads, packed.width),
        column_bands=_bands(scene, places, packed.width),
        per_head=packed.width,
    )
    more: tuple[str, ...] = ()
    if any(head.layer > 1 for head in scene.heads):
        more = (f"Those of heads of layer 2 are (X + O_1)·{packed.symbol}.",)
    uids = tuple(head.uid for head in scene.heads)
    captions = (f"= {letter}_all = [{_ends(letter + '_', places)}]", f"= {letter}_all")
    formula = _PACKED[packed.symbol][1]
    return Content(matrix, captions, formula, as_picture=True, heads=uids, more=more)


def _bands(scene: Scene, places: list[int], width: int) -> tuple[QColor, ...]:
    colours = [QColor(head_colour(scene.heads[place].uid)) for place in places]
    return tuple(colour for colour in colours for _ in range(width))


def _ends(prefix: str, places: list[int]) -> str:
    """Return W_Q^1 .. W_Q^4, or W_Q^1 where there is no other."""
    first, last = f"{prefix}{places[0] + 1}", f"{prefix}{places[-1] + 1}"
    return first if first == last else f"{first} .. {last}"
