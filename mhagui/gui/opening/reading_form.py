"""The part of the import dialog in which one says how a file is to be read."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QWidget,
)

from mhagui.errors import UserError
from mhagui.gui.opening.trial import begun
from mhagui.gui.widgets.choice_box import ChoiceBox
from mhagui.gui.widgets.naming import named
from mhagui.gui.widgets.number_box import CountBox
from mhagui.gui.widgets.page import label_of
from mhagui.gui.widgets.words import below, plain
from mhagui.sources import Found, Part, Reading, names
from mhagui.sources.layers import batch_size, layer_numbers
from mhagui.sources.readings import (
    BATCH,
    HEAD,
    KEY,
    LAYER,
    MODEL,
    ORIENTATIONS,
    PACKED,
    POSITION,
    QUERY,
    WIDTH,
)

CHOOSE = "choose…"
_MOST_AXES = 5
_MOST_HEADS = 1024
# The groups of arrays whose axes are chosen together: their roles, and what the axes may be.
_GROUPS: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    ((names.WEIGHTS,), (LAYER, BATCH, HEAD, QUERY, KEY)),
    (names.STATES, (LAYER, BATCH, HEAD, POSITION, WIDTH, PACKED)),
    ((names.X,), (LAYER, BATCH, POSITION, MODEL)),
)
_AXIS_WORDS = {PACKED: "heads × width", MODEL: "d_model"}
_ORIENTATIONS = tuple(zip(("in × out (x W)", "out × in (x Wᵀ)"), ORIENTATIONS, strict=True))
_MASKS = (("causal: keys up to the query's position", True), ("full: all keys", False))


class ValueBox(ChoiceBox):
    """Offers ``values``, each in the row of its text; its tip has the whole of a long one."""

    def __init__(self) -> None:
        super().__init__()
        self.values: list[Any] = []
        self._tip = ""
        self.setSizeAdjustPolicy(self.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(16)

    def offer(self, choices: Sequence[tuple[str, object]], chosen: object) -> None:
        """Offer ``choices``, texts with values, of which ``chosen`` is one, or the first is it."""
        if [text for text, _ in choices] != [self.itemText(row) for row in range(self.count())]:
            self.clear()
            for row, (text, _) in enumerate(choices):
                self.addItem(text)
                self.setItemData(row, plain(text), Qt.ItemDataRole.ToolTipRole)
        self.values = [value for _, value in choices]
        self.setCurrentIndex(self.values.index(chosen) if chosen in self.values else 0)
        self._tip = self._tip or self.toolTip()
        self.setToolTip(below(self._tip, plain(self.currentText())))

    def shortened(self, text: str, width: int) -> str:
        """Leave out the middle of what is too long: names differ at their ends."""
        return self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, width - 2)


class _AxisRow(NamedTuple):
    """The row in which one says what one axis of a group of arrays is."""

    label: QLabel
    box: ValueBox


class ReadingForm(QWidget):
    """Shows a reading of ``found`` and takes what is chosen otherwise, each choice in its row.

    Rows that mean nothing for the reading are hidden.

    Signals
    -------
    changed
        The user has chosen otherwise; ``reading`` is the new one.
    refused
        What was typed is not taken; carries the sentence that says why.
    """

    changed = Signal()
    refused = Signal(str)

    def __init__(self, found: Found, readings: Sequence[Reading], reading: Reading) -> None:
        super().__init__()
        self._found, self._readings = found, readings
        self.reading = reading
        self._kinds = list(dict.fromkeys(_roles(each) for each in readings))
        self._kind = ValueBox()
        self._axes = [[_AxisRow(QLabel(), ValueBox()) for _ in range(_MOST_AXES)] for _ in _GROUPS]
        self._batch = CountBox(0, 0)
        self._first, self._last = CountBox(0, 0), CountBox(0, 0)
        self._layers = QWidget()
        self._orientation, self._causal = ValueBox(), ValueBox()
        self._heads, self._key_heads = ValueBox(), ValueBox()
        self._tokens = ValueBox()
        self._form = QFormLayout(self)
        self._name()
        self._lay_out()
        self._connect()
        self._show()

    # --- what it is made of

    def _name(self) -> None:
        for widget, name, spoken, tip in (
            (self._kind, "importKind", "What is read", "Which arrays are taken, and for what"),
            (self._orientation, "importOrientation", "How matrices lie",
             "Whether a row vector is multiplied by the matrix as it stands, or transposed"),
            (self._causal, "importCausal", "Mask", "Which keys a query may see"),
            (self._heads, "importHeads", "Number of heads",
             "How many heads lie side by side, each of the same width"),
            (self._key_heads, "importKeyHeads", "Number of key heads",
             "How many heads keys and values have; query heads share them evenly"),
            (self._tokens, "importTokens", "Tokens from",
             "Which list of texts says what stands at each position"),
        ):  # fmt: skip
            named(widget, name, spoken, tip)
        for box, name, spoken, tip in (
            (self._batch, "importBatch", "Batch item", "Which item of the batch is read, from 0"),
            (self._first, "importFirstLayer", "First layer", "The first layer that is read"),
            (self._last, "importLastLayer", "Last layer", "The last layer that is read"),
        ):
            box.setObjectName(name)
            box.describe(spoken, tip)

    def _lay_out(self) -> None:
        self._form.setContentsMargins(0, 0, 0, 0)
        self._form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self._form.addRow(label_of(self._kind, "&Read"), self._kind)
        for (roles, _), rows in zip(_GROUPS, self._axes, strict=True):
            for number, row in enumerate(rows):
                named(row.box, f"importAxis_{roles[0]}_{number}", "", "What this axis counts")
                row.label.setBuddy(row.box)
                self._form.addRow(row.label, row.box)
        self._form.addRow(label_of(self._batch, "&Batch item"), self._batch)
        line = QHBoxLayout(self._layers)
        line.setContentsMargins(0, 0, 0, 0)
        for widget in (self._first, label_of(self._last, "&to"), self._last):
            line.addWidget(widget)
        line.addStretch(1)
        self._form.addRow(label_of(self._first, "&Layers"), self._layers)
        self._form.addRow(label_of(self._heads, "&Heads"), self._heads)
        self._form.addRow(label_of(self._key_heads, "&Key heads"), self._key_heads)
        self._form.addRow(label_of(self._orientation, "&Matrices"), self._orientation)
        self._form.addRow(label_of(self._causal, "&Mask"), self._causal)
        self._form.addRow(label_of(self._tokens, "&Tokens from"), self._tokens)

    def _connect(self) -> None:
        self._kind.activated.connect(self._on_kind)
        for group, rows in enumerate(self._axes):
            for number, row in enumerate(rows):
                row.box.activated.connect(partial(self._on_axis, group, number))
        for count in (self._batch, self._first, self._last):
            count.refused.connect(self.refused)
        self._batch.valueChanged.connect(self._on_batch)
        self._first.valueChanged.connect(self._on_layers)
        self._last.valueChanged.connect(self._on_layers)
        for box, field in (
            (self._orientation, "orientation"),
            (self._causal, "causal"),
            (self._heads, "heads"),
            (self._key_heads, "key_heads"),
        ):
            box.activated.connect(partial(self._on_choice, box, field))
        self._tokens.activated.connect(self._on_tokens)

    # --- what the user chooses

    def _become(self, reading: Reading) -> None:
        if reading != self.reading:
            self.reading = reading
            self._show()
            self.changed.emit()

    def _on_kind(self, row: int) -> None:
        reading = next(each for each in self._readings if _roles(each) == self._kinds[row])
        self._become(begun(self._found, reading))

    def _on_axis(self, group: int, number: int, row: int) -> None:
        """Have an axis be what is chosen; the one that was that becomes what this one was."""
        axis: str = self._axes[group][number].box.values[row]
        reading = self.reading
        for part in _parts(reading, _GROUPS[group][0]):
            axes = list(part.axes)
            if axis in axes:
                axes[axes.index(axis)] = axes[number]
            axes[number] = axis
            reading = reading.with_axes(part.role, axes)
        self._become(begun(self._found, replace(reading, batch=None, layers=None)))

    def _on_batch(self, item: int) -> None:
        self._become(replace(self.reading, batch=item))

    def _on_layers(self) -> None:
        there = self._there()
        chosen = tuple(n for n in there if self._first.value() <= n <= self._last.value())
        self._become(replace(self.reading, layers=None if chosen == there else chosen))

    def _on_choice(self, box: ValueBox, field: str, row: int) -> None:
        self._become(replace(self.reading, **{field: box.values[row]}))

    def _on_tokens(self, row: int) -> None:
        parts = tuple(part for part in self.reading.parts if part.role not in names.LABELS)
        reading = replace(self.reading, parts=parts)
        for role, entry in self._tokens.values[row]:
            reading = reading.with_part(role, entry)
        self._become(reading)

    # --- what is shown

    def show_reading(self, reading: Reading) -> None:
        """Show ``reading`` silently."""
        self.reading = reading
        self._show()

    def _show(self) -> None:
        reading = self.reading
        self._kind.offer([(_kind_text(kind), kind) for kind in self._kinds], _roles(reading))
        for (roles, axes), rows in zip(_GROUPS, self._axes, strict=True):
            self._show_axes(_parts(reading, roles), axes, rows)
        self._show_batch_and_layers()
        self._show_heads()
        has_weights = reading.part(names.WEIGHTS) is not None
        self._form.setRowVisible(self._orientation, reading.has_projections)
        by_weights = "as the weights prove" if has_weights else CHOOSE
        self._orientation.offer([(by_weights, None), *_ORIENTATIONS], reading.orientation)
        by_zeros = "as the zeros of the weights say" if has_weights else CHOOSE
        self._causal.offer([(by_zeros, None), *_MASKS], reading.causal)
        self._show_tokens()

    def _show_axes(
        self, parts: Sequence[Part], axes: Sequence[str], rows: Sequence[_AxisRow]
    ) -> None:
        shape = self._found.entry(parts[0].entries[0]).shape if parts else ()
        n_axes = len(parts[0].axes) if parts and len(parts[0].axes) == len(shape) else 0
        roles = ", ".join(part.role for part in parts)
        by_names = bool(parts) and len(set(parts[0].layers)) > 1
        offered = [axis for axis in axes if not (by_names and axis == LAYER)]
        for number, row in enumerate(rows):
            self._form.setRowVisible(row.box, number < n_axes)
            if number >= n_axes:
                continue
            row.label.setText(f"Axis &{number + 1} of {roles} ({shape[number]:,})")
            row.box.setAccessibleName(row.label.text().replace("&", ""))
            choices = [(_AXIS_WORDS.get(axis, axis), axis) for axis in offered]
            row.box.offer(choices, parts[0].axes[number])

    def _show_batch_and_layers(self) -> None:
        try:
            n_items = batch_size(self._found, self.reading)
        except UserError:  # said when it is tried
            n_items = 1
        self._form.setRowVisible(self._batch, n_items > 1)
        with QSignalBlocker(self._batch):
            self._batch.setRange(0, n_items - 1)
        self._batch.show_value(self.reading.batch or 0)
        there = self._there()
        self._form.setRowVisible(self._layers, len(there) > 1)
        if len(there) > 1:
            chosen = self.reading.layers or there
            for box, value in ((self._first, chosen[0]), (self._last, chosen[-1])):
                with QSignalBlocker(box):
                    box.setRange(there[0], there[-1])
                box.show_value(value)

    def _there(self) -> tuple[int, ...]:
        """Return the numbers of all layers; none where sizes do not fit."""
        try:
            return layer_numbers(self._found, replace(self.reading, layers=None))
        except UserError:
            return ()

    def _show_heads(self) -> None:
        width, heads = _packed_width(self._found, self.reading), self.reading.heads
        for box in (self._heads, self._key_heads):
            self._form.setRowVisible(box, width > 0)
        of_width = [(f"{n} of width {width // n}", n) for n in _divisors(width)]
        shared = [
            (f"{n}, each for {(heads or 0) // n} query heads", n)
            for n in _divisors(heads or 0)[:-1]
        ]
        self._heads.offer([(CHOOSE, None), *of_width], heads)
        self._key_heads.offer([("as many", None), *shared], self.reading.key_heads)

    def _show_tokens(self) -> None:
        labels = tuple(
            (part.role, part.entries[0]) for part in self.reading.parts if part.role in names.LABELS
        )
        choices: list[tuple[str, object]] = [("nothing", ())]
        choices += [
            (f"{entry.name} ({len(entry.texts):,})", ((names.TOKENS, entry.name),))
            for entry in self._found.entries
            if entry.texts is not None
        ]
        if labels not in [value for _, value in choices]:  # one for queries, one for keys
            words = ", ".join(f"{entry} ({role.split('_')[0]})" for role, entry in labels)
            choices.insert(1, (words, labels))
        self._form.setRowVisible(self._tokens, len(choices) > 1)
        self._tokens.offer(choices, labels)


def _roles(reading: Reading) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return which arrays play which role, those that only label left out."""
    others = (*names.LABELS, names.TOKEN_IDS)
    return tuple((part.role, part.entries) for part in reading.parts if part.role not in others)


def _kind_text(kind: Sequence[tuple[str, tuple[str, ...]]]) -> str:
    said = []
    for role, entries in kind:
        name = entries[0] or "the array"
        more = f" and {len(entries) - 1} more" if len(entries) > 1 else ""
        said.append(f"{role} from {name}{more}" if name != role or more else role)
    return ", ".join(said)


def _parts(reading: Reading, roles: Sequence[str]) -> list[Part]:
    return [part for part in reading.parts if part.role in roles and part.axes]


def _packed_width(found: Found, reading: Reading) -> int:
    """Return the width of all heads side by side; 0 where they are not so."""
    for part in reading.parts:
        shape = found.entry(part.entries[0]).shape
        if PACKED in part.axes and len(part.axes) == len(shape) and part.role == names.Q:
            return shape[part.axes.index(PACKED)]
        if part.role in (names.W_Q, names.W_QKV) and len(shape) == 2:
            x = reading.part(names.X)
            d_model = found.entry(x.entries[0]).shape[-1] if x else 0
            out = shape[1] if shape[0] == d_model else shape[0]
            return out // 3 if part.role == names.W_QKV and out % 3 == 0 else out
    return 0


def _divisors(total: int) -> list[int]:
    return [number for number in range(1, min(total, _MOST_HEADS) + 1) if total % number == 0]
