"""Where to zero a head: before W_O, which is right, and after it, which is not, side by side."""

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from mhagui import formats
from mhagui.document import Scene
from mhagui.document.filter_bank import AblationSites, ablation_sites, why_no_wrong_site
from mhagui.document.presets import Preset, is_preset
from mhagui.formats import Precision
from mhagui.gui.bench import Frame
from mhagui.gui.formulas import Formula
from mhagui.gui.pictures import position_labels
from mhagui.gui.widgets.card_row import CardRow
from mhagui.gui.widgets.colour_range import ColourRange, round_limit, signed_range
from mhagui.gui.widgets.fitting_label import FittingLabel
from mhagui.gui.widgets.formula_tip import put_above
from mhagui.gui.widgets.head_box import HeadBox
from mhagui.gui.widgets.naming import named
from mhagui.gui.widgets.term_card import TitledCard
from mhagui.palette import head_colour

BOX_WIDTH = 230  # the most room for a head's name
BOX_TIP = "The head that is zeroed: the one the cursor is in"
VERDICT_TIP = (
    "If W_O is the identity, column j of O is column j of Concat, and zeroing it before or after "
    "is the same: code that ablates at the wrong site passes such a test"
)


class AblationSite(QWidget):
    """One head's ablation at both sites, and the difference.

    Signals
    -------
    row_pointed
        The cursor is wanted at (row, column) of a matrix, from 0.
    head_chosen
        The cursor is wanted at a head, by uid.
    """

    row_pointed = Signal(int, int)
    head_chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.before = TitledCard("ablatedBeforeView")
        self.after = TitledCard("ablatedAfterView")
        self.difference = TitledCard("ablationDifferenceView")
        self.why = QLabel()
        self.box = HeadBox()
        self.chooser = QWidget()
        self.verdict = FittingLabel()
        self._row = CardRow()
        self._name_widgets()
        self._lay_out()
        for card in (self.before, self.after, self.difference):
            card.view.pointed.connect(self.row_pointed)
        self.box.head_chosen.connect(self.head_chosen)

    def _name_widgets(self) -> None:
        for card, formula in (
            (self.before, Formula.ABLATED),
            (self.after, Formula.WRONG_SITE),
            (self.difference, Formula.SITE_DIFFERENCE),
        ):
            for part in (card.title, card.view, card.note):
                put_above(part, formula)
        put_above(self.why, Formula.WRONG_SITE)
        put_above(self.verdict, Formula.SITE_DIFFERENCE)
        tip = Formula.SITE_DIFFERENCE.sentences
        self.difference.set_words(tip, "Right − wrong", "Difference")
        named(self.box, "ablatedHead", "Head to ablate", BOX_TIP)
        self.box.setMaximumWidth(BOX_WIDTH)
        self.why.setObjectName("whyNoWrongSite")
        self.why.setWordWrap(True)
        self.why.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.verdict.setObjectName("ablationVerdict")
        self.verdict.setToolTip(VERDICT_TIP)

    def _lay_out(self) -> None:
        line = QHBoxLayout(self.chooser)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(6)
        label = QLabel("Ablate")
        label.setBuddy(self.box)
        line.addWidget(label)
        line.addWidget(self.box, 10)
        line.addStretch(1)
        self.after.column.insertWidget(2, self.why, 1)
        self._row.set_cards((self.before, self.after, self.difference), ("−", "="))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self._row, 1)
        column.addWidget(self.verdict)

    # --- drawing

    def show_frame(self, frame: Frame) -> ColourRange:
        """Ablate the cursor's head both ways, and return the colours of the matrices."""
        place = frame.scene.index_of(frame.view.cursor.head)
        sites = ablation_sites(frame.scene, frame.result, place)
        self.box.show_heads(frame.scene.heads, frame.view.cursor.head)
        self._show_titles(frame.scene, place)
        self._show_changes(frame, sites, place)
        self._show_verdict(frame.scene, sites)
        return self._show_matrices(frame, sites, place)

    def show_row(self, row: int) -> None:
        """Mark a row in every matrix."""
        for card in (self.before, self.after, self.difference):
            card.set_cursor_row(row)

    def _show_titles(self, scene: Scene, place: int) -> None:
        label, d_v = f"h{place + 1}", scene.d_v
        first, last = place * d_v + 1, (place + 1) * d_v
        columns = f"column d{first}" if d_v == 1 else f"columns d{first}..d{last}"
        self.before.set_words(
            Formula.ABLATED.sentences,
            f"Right: {label} zeroed before W_O",
            "Right: before W_O",
            "Right: before",
        )
        self.after.set_words(
            Formula.WRONG_SITE.sentences,
            f"Wrong: {columns} zeroed after W_O",
            "Wrong: after W_O",
            "Wrong: after",
        )

    def _show_matrices(self, frame: Frame, sites: AblationSites, place: int) -> ColourRange:
        scene = frame.scene
        there = [m for m in (sites.before, sites.after, sites.difference) if m is not None]
        limit = round_limit(frame.result.output, *there)
        scale = signed_range(limit, "O with a head zeroed", frame.view.appearance)
        rows = position_labels(scene.n_positions)
        columns = formats.positions(scene.d_model, "d")
        # Bands that cannot be seen keep the matrices level with that whose columns are marked.
        unmarked = (QColor(Qt.GlobalColor.transparent),) * scene.d_model
        marked = list(unmarked)
        marked[scene.rows_of(place)] = [QColor(head_colour(scene.heads[place].uid))] * scene.d_v
        self.before.view.show_values(sites.before, scale, rows, columns, unmarked)
        if sites.after is not None and sites.difference is not None:
            self.after.view.show_values(sites.after, scale, rows, columns, tuple(marked))
            self.difference.view.show_values(sites.difference, scale, rows, columns, unmarked)
        self._show_reason(why_no_wrong_site(scene))
        return scale

    def _show_reason(self, reason: str) -> None:
        """Show why there is no wrong site instead of the matrices; empty where there is one."""
        self.why.setText(reason)
        self.why.setVisible(bool(reason))
        for card in (self.after, self.difference):
            card.view.setHidden(bool(reason))
        self.difference.setHidden(bool(reason))
        signs = ("", "") if reason else ("−", "=")
        self._row.set_cards((self.before, self.after, self.difference), signs)
        self._row.arrange()

    def _show_changes(self, frame: Frame, sites: AblationSites, place: int) -> None:
        precision = frame.view.appearance.precision
        if frame.result.heads[place].active:
            self.before.note.set_written(partial(_change, sites.change_before), precision)
        else:
            already = f"h{place + 1} is muted already: changes nothing"
            self.before.note.set_texts(already, "muted already")
        if sites.change_after is None or sites.largest_difference is None:
            self.after.note.set_texts("")
            return
        self.after.note.set_written(partial(_change, sites.change_after), precision)
        largest = partial(_difference, sites.largest_difference)
        self.difference.note.set_written(largest, precision)

    def _show_verdict(self, scene: Scene, sites: AblationSites) -> None:
        short = "W_O = I hides the mistake."
        if is_preset(Preset.IDENTITY, scene):
            text = "W_O = I here: both sites agree, which is why the mistake hides."
        elif sites.after is None:
            text = "Where H·d_v = d_model, W_O = I makes both sites agree and hides the mistake."
        elif sites.largest_difference == 0:
            text = "Both sites agree here, as they do with W_O = I: that is why the mistake hides."
        else:
            text = "With W_O = I both sites agree, which is why the mistake hides."
        self.verdict.set_texts(text, short)


def _change(change: float, write: Precision) -> tuple[str, ...]:
    text = write.short(change, 3)
    return f"changes O by up to {text}", f"change {text}"


def _difference(largest: float, write: Precision) -> tuple[str, ...]:
    text = write.short(largest, 3)
    return f"max |right − wrong| = {text}", f"max {text}"
