"""The dialog that asks for the sizes of a fresh scene."""

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QVBoxLayout,
    QWidget,
)

from mhagui.document import Scene
from mhagui.document.new_scene import check_sizes, new_scene
from mhagui.document.patterns import MAX_POSITIONS
from mhagui.document.scene import MAX_HEAD_WIDTH, MAX_HEADS, MAX_MODEL_WIDTH
from mhagui.errors import UserError
from mhagui.gui.formulas import Formula
from mhagui.gui.widgets.formula_tip import put_above
from mhagui.gui.widgets.naming import named
from mhagui.gui.widgets.number_box import CountBox

# For each size: label, the most, what one begins with (those of the four heads), what it is.
_SIZES = {
    "T": ("Sequence length &T", MAX_POSITIONS, 6, "How many positions t1 … tT there are"),
    "H": ("Number of heads &H", MAX_HEADS, 4, "How many heads there are"),
    "d_k": ("Key width d_&k", MAX_HEAD_WIDTH, 2, "Columns of every head's Q and K"),
    "d_v": ("Value width d_&v", MAX_HEAD_WIDTH, 2, "Columns of every head's V"),
    "d_model": (
        "Model width d_&model", MAX_MODEL_WIDTH, 8,
        "Columns of X and of W_O; it is H·d_v until you give another",
    ),
}  # fmt: skip
_MESSAGE_LINES = 5
_SHARP = 16  # the T up to which designed patterns are plain as they begin
_SHOWN_PATTERNS = 4


class NewSceneDialog(QDialog):
    """Asks for the sizes of a fresh scene."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._boxes = {name: CountBox(1, most) for name, (_, most, _, _) in _SIZES.items()}
        self._model_follows = self._is_possible = True
        self._message = QLabel()
        self._buttons = QDialogButtonBox()
        self._create = self._buttons.addButton("&Create", QDialogButtonBox.ButtonRole.AcceptRole)
        self._cancel = self._buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        self.setObjectName("newSceneDialog")
        self.setWindowTitle("New scene")
        self._lay_out()
        self._connect()
        self._boxes["T"].selectAll()
        self._check()

    def scene(self) -> Scene:
        """Return a fresh scene of these sizes; raises UserError where they do not go together."""
        return new_scene(**_arguments(self._sizes()))

    def _sizes(self) -> dict[str, int]:
        return {name: box.value() for name, box in self._boxes.items()}

    def _lay_out(self) -> None:
        form = QFormLayout()
        for name, (label, _, value, tip) in _SIZES.items():
            box = self._boxes[name]
            box.setObjectName(f"newScene_{name}")
            box.describe(label.replace("&", ""), tip)
            put_above(box, Formula.SIZES)
            box.setValue(value)
            form.addRow(label, box)
        named(self._message, "newSceneMessage", "What the scene will be", "")
        self._message.setWordWrap(True)
        self._message.setTextFormat(Qt.TextFormat.PlainText)
        self._message.setAlignment(Qt.AlignmentFlag.AlignTop)
        em = self.fontMetrics().lineSpacing()
        self._message.setMinimumSize(22 * em, _MESSAGE_LINES * em)
        named(self._create, "newSceneCreate", "Create", "Put the fresh scene on the bench")
        named(self._cancel, "newSceneCancel", "Cancel", "Leave what is on the bench")
        rows = QVBoxLayout(self)
        rows.addLayout(form)
        rows.addWidget(self._message, 1)
        rows.addWidget(self._buttons)
        self._create.setDefault(True)

    def _connect(self) -> None:
        for name, box in self._boxes.items():
            box.valueChanged.connect(self._on_model if name == "d_model" else self._on_size)
            box.refused.connect(self._on_refused)
            box.lineEdit().textEdited.connect(self._on_typed)
        self._buttons.accepted.connect(self.accept)
        self._buttons.rejected.connect(self.reject)

    def _on_model(self) -> None:
        self._model_follows = False
        self._check()

    def _on_size(self) -> None:
        if self._model_follows:
            self._boxes["d_model"].show_value(_following(self._sizes()))
        self._check()

    def _on_typed(self) -> None:
        """Say what the scene will be with what is being typed; the sizes wait for the end of it."""
        sizes, typed = self._sizes(), self.focusWidget()
        for name, box in self._boxes.items():
            if box is typed and box.text() != str(sizes[name]):
                if not box.hasAcceptableInput():
                    self._message.clear()
                    return
                sizes[name] = box.valueFromText(box.text())
                if self._model_follows and name != "d_model":
                    sizes["d_model"] = _following(sizes)
        self._message.setText(_description_or_refusal(sizes)[0])

    def _check(self) -> None:
        """Say what the scene will be, or why it cannot be."""
        message, self._is_possible = _description_or_refusal(self._sizes())
        self._message.setText(message)
        self._allow()

    def _on_refused(self, sentence: str) -> None:
        """Say why; the key or the press that ended the typing must not create what is there."""
        self._message.setText(sentence)
        self._create.setEnabled(False)
        QTimer.singleShot(0, self._create, self._allow)

    def _allow(self) -> None:
        self._create.setEnabled(self._is_possible)


def _following(sizes: dict[str, int]) -> int:
    """Return d_model where nobody has given another."""
    return min(sizes["H"] * sizes["d_v"], MAX_MODEL_WIDTH)


def _arguments(sizes: dict[str, int]) -> dict[str, int]:
    return {{"T": "n_positions", "H": "n_heads"}.get(name, name): n for name, n in sizes.items()}


def _description_or_refusal(sizes: dict[str, int]) -> tuple[str, bool]:
    """Return what the scene will be, or why it cannot be, and whether it can.

    At every key: of the positions no more are made than it takes to see that tokens repeat.
    """
    enough = min(sizes["T"], sizes["d_model"] + 1)
    try:
        check_sizes(**_arguments(sizes))
        said = _description(new_scene(**_arguments(sizes | {"T": enough})))
        return said + _fading(sizes["T"]), True
    except UserError as error:
        return str(error), False


def _fading(n_positions: int) -> str:
    """Return what to do where heads are nearly uniform, as the lesson's are at a large T."""
    if n_positions <= _SHARP:
        return ""
    return (
        f" Patterns fade at T = {n_positions:,}: turn on Keep margin in Heads, and raise |K| of "
        "heads that look at the first token."
    )


def _description(scene: Scene) -> str:
    rows, columns = scene.w_o.shape
    names = [head.name for head in scene.heads]
    repeats = f", which repeat after {columns}" if scene.n_positions > columns else ""
    more = " and so on" if len(names) > _SHOWN_PATTERNS else ""
    return (
        f"X: one-hot tokens{repeats}. W_O: {rows} × {columns}. "
        f"Heads: {', '.join(names[:_SHOWN_PATTERNS])}{more}."
    )
