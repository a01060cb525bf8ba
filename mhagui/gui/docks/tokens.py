"""The tokens: what stands at each position, to be dragged about or typed anew."""

from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtCore import QEvent, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QGridLayout,
    QLabel,
    QLineEdit,
    QMainWindow,
    QScrollArea,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from mhagui import formats
from mhagui.document import Cursor, Scene
from mhagui.document.edits import Edit
from mhagui.document.guess import guessed_word
from mhagui.document.patterns import MAX_POSITIONS
from mhagui.document.scene import MAX_TOKEN_LENGTH
from mhagui.document.token_edits import (
    DragTokens,
    MoveToken,
    RepeatToken,
    SetTokens,
    SwapTokens,
    why_tokens_stay,
)
from mhagui.gui.bench import Bench, Frame
from mhagui.gui.formulas import Formula
from mhagui.gui.growing import GrowingPanel
from mhagui.gui.widgets.cards import bare_area
from mhagui.gui.widgets.column_scroll import ColumnScroll
from mhagui.gui.widgets.formula_tip import explain
from mhagui.gui.widgets.naming import named
from mhagui.gui.widgets.token_strip import Drop, TokenStrip

NO_TOKENS = (
    "This scene has positions only. There are tokens in the lessons “content and position” and "
    "“induction”."
)
_POINTING = "Click, ← or →: row t.  Shift with them: key i.\n"
STRIP_TIP = (
    "What stands at each position; the content part of X goes with a token, the position part "
    "stays.\n"
    f"{_POINTING}"
    "Drag onto a token: swap, S swaps those of row t and key i.\n"
    "Drag between tokens: move, Ctrl+Shift+← and → move that of row t.\n"
    "Ctrl and drag: repeat, R repeats the token of key i at row t.  Esc: let go."
)
FIELD_TIP = (
    "The sequence as text, tokens separated by spaces; Enter makes it the input, T its length.\n"
    "A new word takes the place of one that is no longer used."
)
FIXED_STRIP_TIP = f"What stands at each position.\n{_POINTING}"
FIXED_FIELD_TIP = "The sequence as text, to be read and copied.\n"
QUERIES_TIP = "What stands at each query.\nClick, ← or →: row t.\n"
KEYS_TIP = "What stands at each key.\nClick, ← or →: key i."
TWO_ROWS = 165  # pixels of a dock of queries and keys, from which on type grows
SIDE_BY_SIDE = 380  # pixels; in a narrower dock the field stands below the chips
MAX_TEXT_LENGTH = MAX_POSITIONS * (MAX_TOKEN_LENGTH + 1)
_EDITS: dict[str, Callable[[int, int], Edit]] = {
    "swap": SwapTokens,
    "move": MoveToken,
    "repeat": RepeatToken,
}


class _Beginning(NamedTuple):
    """The scene and the cursor's row before a drag."""

    scene: Scene
    row: int


class TokensDock(GrowingPanel):
    """A chip per position, and the sequence as text."""

    usual_size = QSize(900, 120)
    is_complete_undrawn = True

    def __init__(self, bench: Bench) -> None:
        self._taken = 0  # pixels, when it was last as high as it had to be
        super().__init__(bench, "tokensDock", "Tokens")
        self._begun: _Beginning | None = None  # of the drag at hand
        self.strip = self._make_strip()
        self.field = self._make_field()
        self.guess = named(QLabel(), "tokenGuess", "What O guesses to come next", "")
        explain(self.guess, Formula.GUESS)
        self.guess.setTextFormat(Qt.TextFormat.PlainText)
        self.keys = self._make_keys()
        self._scroll, self._key_scroll = _StripScroll(self.strip), _StripScroll(self.keys)
        self._pages = QStackedWidget()
        self._body = _Body(self._scroll, self._key_scroll, self.field, self.guess)
        self._pages.addWidget(self._body)
        note = ColumnScroll(_note())  # large type needs more lines than there are
        note.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self._pages.addWidget(note)
        # Room that the chips have no use for goes to the docks above and below.
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.set_body(self._pages)

    def _make_strip(self) -> TokenStrip:
        strip = named(TokenStrip(), "tokenStrip", "Tokens by position", STRIP_TIP)
        strip.row_pointed.connect(self._on_row)
        strip.key_pointed.connect(self._on_own_key)
        strip.dragged.connect(self._on_dragged)
        strip.dropped.connect(self._on_dropped)
        strip.asked.connect(self._on_asked)
        strip.held_fast.connect(self._on_held_fast)
        return strip

    def _make_keys(self) -> TokenStrip:
        """Make the strip of the keys, where these are not the queries' positions."""
        strip = named(TokenStrip("i", "key"), "keyStrip", "Tokens of the keys", KEYS_TIP)
        strip.set_can_drag(False)
        strip.row_pointed.connect(self._on_key)
        strip.key_pointed.connect(self._on_key)
        return strip

    def _make_field(self) -> QLineEdit:
        words = "Sequence of tokens, separated by spaces"
        field = named(QLineEdit(), "tokenSequence", words, FIELD_TIP)
        field.setAcceptDrops(False)  # a file is for the window
        field.setMinimumWidth(150)
        field.setMaxLength(MAX_TEXT_LENGTH)
        field.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        field.returnPressed.connect(self._on_typed)
        field.editingFinished.connect(self._on_left)
        return field

    def growth(self) -> float:
        """Return how many times as large type is as elsewhere; two rows need more for it."""
        growth = super().growth()
        if self.keys.isHidden() or self.height() >= growth * TWO_ROWS:
            return growth
        return round(min(max(self.height() / TWO_ROWS, 1.0), growth), 1)

    def event(self, event: QEvent) -> bool:
        """Take the height that it has to have now: Qt leaves a dock what it had, and covers it."""
        done = super().event(event)
        if event.type() == QEvent.Type.Show:
            self._taken = 0  # a dock that comes back may have no height at all
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Show):
            QTimer.singleShot(0, self, self._take_height)
        return done

    def _take_height(self) -> None:
        """Be as high as has to be, where it is no higher than that was; the user may have more."""
        window, least = self.parent(), self.minimumSizeHint().height()
        if not isinstance(window, QMainWindow) or self.isFloating() or not self.isVisible():
            return
        if least != self._taken and self.height() <= max(self._taken, least):
            self._taken = least
            window.resizeDocks([self], [least], Qt.Orientation.Vertical)

    # --- drawing

    def show_frame(self, frame: Frame, previous: Frame | None) -> None:
        """Show the tokens, and mark the cursor's row and key."""
        scene, cursor = frame.scene, frame.view.cursor
        if previous is None or scene is not previous.scene:
            self._let_change(why_tokens_stay(scene))
        if previous is None or _words_of(scene) != _words_of(previous.scene):
            self._pages.setCurrentIndex(0 if scene.has_tokens else 1)
            self.strip.set_tokens(scene.tokens, scene.vocabulary, scene.token_scheme)
            self.keys.set_tokens(scene.key_tokens, (), scene.token_scheme)
            self._body.show_rows(queries=bool(scene.tokens), keys=bool(scene.key_tokens))
            self._scroll.fit()
            self._key_scroll.fit()
            is_other = previous is None or scene.vocabulary != previous.scene.vocabulary
            if is_other or not self.field.isModified():
                self._show_text(scene)
        self._mark(scene, cursor)
        self._show_guess(frame)

    def _mark(self, scene: Scene, cursor: Cursor) -> None:
        """Mark the cursor's row, and its key, which may be in a strip of its own."""
        self.strip.set_cursor(cursor.query, -1 if scene.mask.across else cursor.key)
        self.keys.set_cursor(cursor.key, -1)

    def _let_change(self, why_not: str) -> None:
        """Let tokens be dragged and typed, or say in the tooltips ``why_not``."""
        self.strip.set_can_drag(not why_not)
        self.field.setReadOnly(bool(why_not))
        self.field.setFrame(not why_not)
        self.field.setPalette(_bare_palette() if why_not else QPalette())
        self._body.fit_field()
        tip = QUERIES_TIP if self.bench.scene.mask.across else FIXED_STRIP_TIP
        self.strip.setToolTip(tip + why_not if why_not else STRIP_TIP)
        self.field.setToolTip(FIXED_FIELD_TIP + why_not if why_not else FIELD_TIP)

    def _show_guess(self, frame: Frame) -> None:
        row = frame.view.cursor.query
        guess = guessed_word(frame.scene, frame.result, row)
        self.guess.setVisible(guess is not None)
        if guess is not None:
            value = frame.view.appearance.precision.fixed(guess.value, 2)
            self.guess.setText(f"t{row + 1} → “{guess.word}” {value}")

    def _show_text(self, scene: Scene) -> None:
        text = _text_of(scene)
        if text != self.field.text():
            self.field.setText(text)
            self.field.setCursorPosition(0)
        self.field.setModified(False)

    # --- what the user does

    def _on_row(self, place: int) -> None:
        self.bench.point(query=place)
        self._follow()

    def _on_key(self, place: int) -> None:
        self.bench.point(key=place)
        self._follow()

    def _on_own_key(self, place: int) -> None:
        if not self.bench.scene.mask.across:
            self._on_key(place)

    def _follow(self) -> None:
        """Mark the cursor's places: the next key may come before the next frame."""
        self._mark(self.bench.scene, self.bench.view.cursor)

    def _on_dragged(self, drop: Drop | None) -> None:
        if self._begun is None:
            self._begun = _Beginning(self.bench.scene, self.bench.view.cursor.query)
        edit = DragTokens(self._begun.scene, _edit_of(drop) if drop else None)
        row = drop.target if drop else self._begun.row
        if self.bench.edit(edit, gesture=self._begun):
            self._on_row(row)
        else:
            self.strip.let_go()

    def _on_held_fast(self) -> None:
        self.bench.refused.emit(why_tokens_stay(self.bench.scene))

    def _on_dropped(self) -> None:
        self._begun = None

    def _on_asked(self, drop: Drop) -> None:
        if self.bench.edit(_edit_of(drop)):
            scene = self.bench.scene
            self.strip.set_tokens(scene.tokens, scene.vocabulary, scene.token_scheme)
            if drop.kind == "move":
                self._on_row(drop.target)

    def _on_typed(self) -> None:
        known = {word: token for token, word in _written(self.bench.scene).items()}
        words = self.field.text().split()
        tokens = tuple(known.get(word) or word.replace(formats.SPACE, " ") for word in words)
        if self.bench.edit(SetTokens(tokens)):
            self._show_text(self.bench.scene)

    def _on_left(self) -> None:
        """Show the scene's own sequence again where another was typed, but not entered."""
        if not self.field.hasFocus():
            self._show_text(self.bench.scene)


class _StripScroll(QScrollArea):
    """Scrolls the chips from side to side; it is as high as they are."""

    def __init__(self, strip: TokenStrip) -> None:
        super().__init__()
        self._strip = strip
        bare_area(self, strip)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        strip.reached.connect(self._on_reached)

    def fit(self) -> None:
        """Take the height of the chips, and of a scroll bar where there is one."""
        self.setFixedHeight(self._wanted_height())
        self.updateGeometry()

    def _wanted_height(self) -> int:
        hint = self._strip.sizeHint()
        needs_bar = hint.width() > self.width()
        bar = self.horizontalScrollBar().sizeHint().height() if needs_bar else 0
        return hint.height() + bar

    def sizeHint(self) -> QSize:
        """Ask for all chips to be seen."""
        return QSize(self._strip.sizeHint().width(), self._wanted_height())

    def minimumSizeHint(self) -> QSize:
        """Make do with a few chips."""
        return QSize(120, self._wanted_height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Make room for the scroll bar, or take it back."""
        super().resizeEvent(event)
        self.fit()

    def _on_reached(self, x: int) -> None:
        self.ensureVisible(x, self._strip.height() // 2, self._strip.height(), 0)


class _Body(QWidget):
    """Chips and field side by side, or one below the other where the dock is narrow.

    The chips of keys that are not the queries' positions have a row of their own.
    """

    def __init__(
        self, scroll: _StripScroll, keys: _StripScroll, field: QLineEdit, guess: QLabel
    ) -> None:
        super().__init__()
        self._of_queries, self._keys = (scroll, field, guess), keys
        self._names = QLabel("queries"), QLabel("keys")
        self._has_queries = True
        self._box = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._box.setSpacing(8)
        self._box.addWidget(scroll)
        self._box.addWidget(field)
        self._box.addWidget(guess)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 4, 8, 6)
        rows = QGridLayout()
        rows.setHorizontalSpacing(8)
        rows.setVerticalSpacing(2)
        rows.setColumnStretch(1, 1)
        for row, name in enumerate(self._names):
            name.hide()
            rows.addWidget(name, row, 0)
        rows.addLayout(self._box, 0, 1)
        rows.addWidget(keys, 1, 1, Qt.AlignmentFlag.AlignLeft)
        column.addLayout(rows)
        column.addStretch(1)

    def show_rows(self, *, queries: bool, keys: bool) -> None:
        """Show the chips that there are; they are named where there are keys beside the queries."""
        self._has_queries = queries
        self._of_queries[0].setVisible(queries)
        self._keys.setVisible(keys)
        for name, is_shown in zip(self._names, (queries and keys, keys), strict=True):
            name.setVisible(is_shown)
        self.fit_field()

    def fit_field(self) -> None:
        """Leave out a field that is only read, where it would take the room of chips."""
        scroll, field, guess = self._of_queries
        margins, gap = self.contentsMargins(), self._box.spacing()
        taken = scroll.sizeHint().width() + gap + margins.left() + margins.right()
        taken += 0 if guess.isHidden() else guess.sizeHint().width() + gap
        taken += 0 if self._names[0].isHidden() else self._names[0].sizeHint().width() + gap
        has_room = taken + field.minimumWidth() <= self.width() or self.width() < SIDE_BY_SIDE
        is_shown = not field.isReadOnly() or field.hasFocus() or has_room
        field.setVisible(self._has_queries and is_shown)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Choose between side by side and one below the other."""
        super().resizeEvent(event)
        self.fit_field()
        is_wide = self.width() >= SIDE_BY_SIDE
        direction = QBoxLayout.Direction
        self._box.setDirection(direction.LeftToRight if is_wide else direction.TopToBottom)


def _bare_palette() -> QPalette:
    """Return the palette of text that has no ground of its own, whatever the theme."""
    palette = QPalette()
    palette.setColor(QPalette.ColorRole.Base, QColor(Qt.GlobalColor.transparent))
    return palette


def _note() -> QLabel:
    note = QLabel(NO_TOKENS)
    note.setObjectName("tokensNote")
    note.setWordWrap(True)
    note.setAlignment(Qt.AlignmentFlag.AlignTop)
    note.setContentsMargins(8, 4, 8, 6)
    return note


def _words_of(scene: Scene) -> tuple[object, ...]:
    return scene.tokens, scene.vocabulary, scene.token_scheme, scene.key_tokens


def _edit_of(drop: Drop) -> Edit:
    return _EDITS[drop.kind](drop.source, drop.target)


def _text_of(scene: Scene) -> str:
    """Return the tokens separated by spaces; those within a token stand as signs of their own."""
    return " ".join(map(_written(scene).__getitem__, scene.tokens))


def _written(scene: Scene) -> dict[str, str]:
    """Return how each token is written in the field: no two alike, and without a space.

    A piece of a tokenizer is what is drawn for it, or itself where that would be another's.
    """
    written: dict[str, str] = {}
    taken: set[str] = set()
    for token in scene.shown_tokens:
        word = token.label if scene.token_scheme else token.raw.replace(" ", formats.SPACE)
        if token.raw not in written:
            written[token.raw] = token.raw if " " in word or word in taken else word
            taken.add(written[token.raw])
    return written
