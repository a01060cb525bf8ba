"""One matrix painted as cells: the widget behind every heatmap."""

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, QSizeF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QPixmap,
    QRegion,
    QResizeEvent,
)
from PySide6.QtWidgets import QApplication, QSizePolicy, QToolTip, QWidget

from mhagui.gui.theme import Theme, theme_of
from mhagui.gui.widgets.drawing import LABEL_FONT, scaled_font
from mhagui.gui.widgets.formula_tip import show_beside, tip_of_part
from mhagui.gui.widgets.label_text import drawable
from mhagui.gui.widgets.matrix_cells import Cells, cells_of
from mhagui.gui.widgets.matrix_ground import Ground, Grounds
from mhagui.gui.widgets.matrix_keys import moved
from mhagui.gui.widgets.matrix_layout import MARGIN, MatrixLayout
from mhagui.gui.widgets.matrix_painter import dimmed_table, matrix_pixmap, number_room
from mhagui.gui.widgets.matrix_picture import NO_KEY, Levels, Part, Picture
from mhagui.gui.widgets.matrix_surroundings import Gutters, Surroundings
from mhagui.gui.widgets.words import plain
from mhagui.palette import table_on

CURSOR_REACH = 4  # logical pixels that the cursor's lines reach beyond its cell
# Beside the cursor's red, by darkness of the theme: of each pair one stands out on any colour.
COMPANIONS = {True: QColor(0, 0, 0, 220), False: QColor(255, 255, 255)}
TINY_CELL = 8.0  # smaller cells are ringed from outside, so that their colour can be seen
HINT_CELL, MIN_CELL = 30, 8
HINT_LENGTHS, MIN_LENGTHS = (90, 300), (48, 96)


class MatrixView(QWidget):
    """Paints a Picture; rows down, columns across.

    It never moves its cursor itself: who hears that it is wanted elsewhere tells it where it is.

    Signals
    -------
    pointed
        The pointer or an arrow key asks for the cursor at (row, column), from 0.
    asked
        Enter or a click on (row, column): what of this cell? A click asks when it is sure not to
        become a double click.
    activated
        Double click or Shift+Enter on (row, column).
    pressed_beside
        The pointer was pressed where there is no cell.
    """

    STRETCH = 1.0  # times its height that a cell may be wide

    pointed = Signal(int, int)
    asked = Signal(int, int)
    activated = Signal(int, int)
    pressed_beside = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._picture: Picture | None = None
        self._around: Surroundings | None = None
        self._gutters = self._label_gutters = Gutters(0.0, 0.0)
        self._word_room = QSizeF(0.0, 0.0)
        self.is_bare = False
        self._grounds = Grounds()
        self._ground: Ground | None = None
        self._pixmap: QPixmap | None = None
        self._cells: Cells | None = None  # the newest there are, of another picture perhaps
        self._cursor: tuple[int | None, int | None] = (None, None)
        self._hovered: tuple[int, int] | None = None
        self._pressed: tuple[int, int] | None = None
        self._click = QTimer(self)
        self._click.setSingleShot(True)
        self._click.timeout.connect(self._on_clicked)
        self._dimmed = False
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    # --- what is shown

    @property
    def picture(self) -> Picture | None:
        """The picture that is painted."""
        return self._picture

    @property
    def cursor_cell(self) -> tuple[int | None, int | None]:
        """Row and column that are marked."""
        return self._cursor

    @property
    def gutters(self) -> Gutters:
        """Room for what stands left of the cells and below them."""
        return self._gutters

    @property
    def label_gutters(self) -> Gutters:
        """The same where labels are shown, whether they are or not."""
        return self._label_gutters

    @property
    def word_room(self) -> QSizeF:
        """Room for words beside and below the gutters, where columns have others than rows."""
        return self._word_room

    @property
    def part(self) -> Part | None:
        """The rows and columns that are shown, None for all."""
        return None

    @property
    def laid_out(self) -> MatrixLayout | None:
        """Where cells and labels stand now, None without a picture."""
        ratio = self.devicePixelRatioF()
        ground = self._ground
        if self._around is not None and (ground is None or ground.layout.ratio != ratio):
            size = QSizeF(self.size())
            self._ground = ground = self._grounds.ground(self._around, size, ratio, self.part)
            self._pixmap = None
        return None if ground is None else ground.layout

    def cell_rect(self, row: int, column: int) -> QRect:
        """Return where a cell is painted, in the widget's coordinates; nowhere if it is not."""
        layout = self.laid_out
        if layout is None or row not in layout.part.rows or column not in layout.part.columns:
            return QRect()
        return layout.cell(row, column).toAlignedRect()

    def cell_at(self, position: QPointF) -> tuple[int, int] | None:
        """Return row and column of the cell at ``position``, None beside the matrix."""
        layout = self.laid_out
        return layout.cell_at(position.x(), position.y()) if layout else None

    def share(self, grounds: Grounds) -> None:
        """Have in common with others what is the same around the cells."""
        self._grounds = grounds

    def set_picture(self, picture: Picture) -> None:
        """Paint ``picture`` from now on."""
        if picture is self._picture:
            return
        self._picture = picture
        self._set_surroundings(picture)
        self._pixmap = None
        self._describe_cursor()
        self.update()

    def lay_out_anew(self) -> None:
        """Find new places for all, and paint it."""
        self._ground = self._pixmap = None
        self.update()

    def forget_picture(self) -> None:
        """Let go of the picture, which is to be set anew before the next painting."""
        self._picture = self._pixmap = self._cells = None

    def set_cursor_cell(self, row: int | None, column: int | None) -> None:
        """Mark a cell and its row; None marks no row or no column."""
        if (row, column) == self._cursor:
            return
        self.update(self._cursor_region())
        self._cursor = (row, column)
        self.update(self._cursor_region())
        self._describe_cursor()

    def set_dimmed(self, dimmed: bool) -> None:
        """Fade the colours, as of something that is switched off."""
        if dimmed != self._dimmed:
            self._dimmed = dimmed
            self._pixmap = None
            self.update()

    def set_bare(self, bare: bool) -> None:
        """Leave out all labels for larger cells, or not."""
        if bare != self.is_bare:
            self.is_bare = bare
            if self._picture is not None:
                self._set_surroundings(self._picture)
                self.lay_out_anew()

    def _set_surroundings(self, picture: Picture) -> None:
        font = scaled_font(self.font(), LABEL_FONT)
        around = Surroundings(
            picture.row_labels,
            picture.column_labels,
            picture.column_bands,
            font,
            drawable(picture.row_words, font.toString()),
            drawable(picture.column_words, font.toString()),
            self.STRETCH,
            number_room(picture, self.font()) if picture.row_words else 0.0,
        )
        self._label_gutters, self._word_room = around.gutters(), around.word_room
        around = around.bare() if self.is_bare else around
        if around != self._around:
            self._around = around
            self._gutters = around.gutters()
            self._ground = None
            self.updateGeometry()

    def _describe_cursor(self) -> None:
        self.setAccessibleDescription(self._cursor_words())

    def _cursor_words(self) -> str:
        picture, (row, column) = self._picture, self._cursor
        if picture is None or not _is_inside(picture, row, column):
            return ""
        words = _places(picture, row, column)
        if row is not None and column is not None:
            words.append(self.value_words(picture, row, column))
        return ", ".join(words)

    # --- painting

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the prepared pixmap, the cursor over it and a frame when focused."""
        layout, ground = self.laid_out, self._ground
        if self._picture is None or layout is None or ground is None:
            return
        theme = theme_of(self.palette())
        if self._pixmap is None:
            table = table_on(self._picture.table, dark=theme.dark)
            table = dimmed_table(table, theme) if self._dimmed else table
            picture, indices = self._picture, self._indices(self._picture, layout)
            bare, font = ground.pixmap(theme), self.font()
            self._pixmap = matrix_pixmap(picture, layout, indices, bare, font, theme, table)
        painter = QPainter(self)
        painter.translate(_to_whole_pixels(painter))
        painter.drawPixmap(QPointF(0, 0), self._pixmap)
        self._paint_cursor(painter, layout, theme)
        if self.hasFocus():
            self._paint_focus(painter)
        painter.end()

    def _indices(self, picture: Picture, layout: MatrixLayout) -> Levels | None:
        """Return the index of every pixel of the cells; None where they are yet to come."""
        if self._cells is None or not self._cells.are_of(picture, layout):
            self._cells = cells_of(picture, layout)
        return self._cells.indices

    def _paint_cursor(self, painter: QPainter, layout: MatrixLayout, theme: Theme) -> None:
        row, column = _shown(layout.part, *self._cursor)
        gap = layout.gap / layout.ratio
        if row is not None:
            _outline(painter, layout.row(row), gap, theme, 1.0)
        elif column is not None:
            _outline(painter, layout.column(column), gap, theme, 1.0)
        if row is not None and column is not None:
            _outline(painter, layout.cell(row, column), gap, theme, 2.0)

    def _paint_focus(self, painter: QPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(self.palette().color(QPalette.ColorRole.Highlight), 2.0))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 3, 3)

    def _cursor_region(self) -> QRegion:
        layout = self.laid_out
        row, column = _shown(layout.part, *self._cursor) if layout else (None, None)
        if layout is None or (row is None and column is None):
            return QRegion()
        box = layout.row(row) if row is not None else layout.column(column or 0)
        around = CURSOR_REACH
        return QRegion(box.toAlignedRect().adjusted(-around, -around, around, around))

    # --- sizes and colours

    def sizeHint(self) -> QSize:
        """Return a size with cells that hold a value, for up to ten of them."""
        return self._size_for(HINT_CELL, HINT_LENGTHS)

    def minimumSizeHint(self) -> QSize:
        """Return a size in which up to twelve cells can be told apart."""
        return self._size_for(MIN_CELL, MIN_LENGTHS)

    def _size_for(self, cell: int, lengths: tuple[int, int]) -> QSize:
        around = self._around
        rows, columns = (len(around.row_labels), len(around.column_labels)) if around else (6, 6)
        width, height = (min(max(n * cell, lengths[0]), lengths[1]) for n in (columns, rows))
        margins = QSizeF(self._gutters.left, self._gutters.bottom) + QSizeF(2, 2) * MARGIN
        return (QSizeF(width, height) + margins).toSize()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out anew."""
        super().resizeEvent(event)
        self._ground = self._pixmap = None

    def changeEvent(self, event: QEvent) -> None:
        """Paint anew in other colours, lay out anew with another font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and self._picture is not None:
            self._set_surroundings(self._picture)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self._pixmap = None
            self.update()

    # --- what the user does

    def event(self, event: QEvent) -> bool:
        """Say the number of the cell under a pointer at rest, beside the cells: none is covered.

        Of a label, what there is to say of its row or column.
        """
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            cell = self.cell_at(QPointF(event.pos()))
            if cell is not None and self._picture is not None:
                tip = tip_of_part(self, self._cell_words(self._picture, *cell))
                show_beside(self, tip, self.cell_rect(*cell))
                return True
            if tip := self._label_tip(QPointF(event.pos())):
                QToolTip.showText(event.globalPos(), plain(tip), self)
                return True
        return super().event(event)

    def _label_tip(self, position: QPointF) -> str:
        layout, picture = self.laid_out, self._picture
        if layout is None or picture is None:
            return ""
        row, column = layout.edge_at(position.x(), position.y())
        if row is not None and picture.row_tips:
            return picture.row_tips[row]
        return picture.column_tips[column] if column is not None and picture.column_tips else ""

    def _cell_words(self, picture: Picture, row: int, column: int) -> str:
        """Return which cell it is, of which matrix, and its number."""
        where = ", ".join((self.accessibleName(), *_places(picture, row, column)))
        return f"{where}: {self.value_words(picture, row, column)}"

    def value_words(self, picture: Picture, row: int, column: int) -> str:
        """Return the number of a cell as it is read out."""
        if not picture.is_allowed(row, column):
            return NO_KEY if picture.sees_none(row) else "masked"
        write = picture.precision.read_out
        told = f"{picture.noun} {write(picture.value(row, column))}"
        if picture.sink_shares is not None:
            told += f", sink {write(float(picture.sink_shares[row]))}"
        return told

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Ask for the cursor under the pointer, once per cell."""
        cell = self.cell_at(event.position())
        if cell is not None and cell != self._hovered:
            self.pointed.emit(*cell)
        self._hovered = cell

    def leaveEvent(self, event: QEvent) -> None:
        """Forget where the pointer was."""
        super().leaveEvent(event)
        self._hovered = None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Ask for the cursor under the pointer."""
        cell = self.cell_at(event.position())
        if cell is not None:
            self.pointed.emit(*cell)
        else:
            self.pressed_beside.emit()
        self._pressed = cell if event.button() == Qt.MouseButton.LeftButton else None

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Take it for a click where it was pressed on the same cell."""
        if self._pressed is not None and self._pressed == self.cell_at(event.position()):
            self._click.start(QApplication.doubleClickInterval())
        else:
            self._pressed = None

    def _on_clicked(self) -> None:
        if self._pressed is not None:
            self.asked.emit(*self._pressed)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Activate the cell under the pointer."""
        self._click.stop()
        self._pressed = None
        cell = self.cell_at(event.position())
        if cell is not None and event.button() == Qt.MouseButton.LeftButton:
            self.activated.emit(*cell)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the cursor, ask about its cell, or activate it."""
        if self._picture is None:
            super().keyPressEvent(event)
            return
        cell = (self._cursor[0] or 0, self._cursor[1] or 0)
        target = moved(event.keyCombination(), cell, self._picture.shape)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            with_shift = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            (self.activated if with_shift else self.asked).emit(*cell)
        elif target is not None:
            self.pointed.emit(*target)
        else:
            super().keyPressEvent(event)


def _places(picture: Picture, row: int | None, column: int | None) -> list[str]:
    """Return the names of a row and a column, where they have any."""
    of_row = "" if row is None else picture.row_name(row)
    of_column = "" if column is None else picture.column_name(column)
    named = ("row", of_row), ("column", of_column)
    return [f"{what} {name}" for what, name in named if name]


def _is_inside(picture: Picture, row: int | None, column: int | None) -> bool:
    rows, columns = picture.shape
    if row is None and column is None:
        return False
    return (row is None or 0 <= row < rows) and (column is None or 0 <= column < columns)


def _shown(part: Part, row: int | None, column: int | None) -> tuple[int | None, int | None]:
    """Return the row and the column of a cursor as far as they are shown: none beside its row."""
    if row is not None and row not in part.rows:
        return None, None
    return row, column if column in part.columns else None


def _to_whole_pixels(painter: QPainter) -> QPointF:
    """Return the way from the widget's corner to the nearest whole device pixel."""
    device = painter.deviceTransform()
    x, y = device.dx(), device.dy()
    return QPointF((round(x) - x) / device.m11(), (round(y) - y) / device.m22())


def _outline(painter: QPainter, box: QRectF, gap: float, theme: Theme, width: float) -> None:
    """Outline ``box`` with two lines, one of which stands out on any colour."""
    box = box.adjusted(-1, -1, 1 - gap, 1 - gap)
    if min(box.width(), box.height()) < TINY_CELL:
        box = box.adjusted(-width, -width, width, width)
    _frame(painter, box.adjusted(-1, -1, 1, 1), 1.0, COMPANIONS[theme.dark])
    _frame(painter, box, width, theme.cursor)


def _frame(painter: QPainter, box: QRectF, width: float, colour: QColor) -> None:
    """Fill a frame of ``width`` just inside ``box``."""
    inner = box.adjusted(width, width, -width, -width)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    for side in (
        QRectF(box.left(), box.top(), box.width(), width),
        QRectF(box.left(), inner.bottom(), box.width(), width),
        QRectF(box.left(), inner.top(), width, inner.height()),
        QRectF(inner.right(), inner.top(), width, inner.height()),
    ):
        painter.drawRect(side)
