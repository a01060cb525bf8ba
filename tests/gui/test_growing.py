"""Type that grows with a dock's room."""

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QLabel

from mhagui.gui.growing import GrowingPanel


class Board(GrowingPanel):
    usual_size = QSize(400, 300)

    def __init__(self, bench):
        super().__init__(bench, "board", "Board")
        self.label, self.drawn = QLabel("2^H"), 0
        self.set_body(self.label)

    def show_frame(self, frame, previous):
        self.drawn += previous is None


@pytest.fixture
def board(bench, qtbot):
    board = Board(bench)
    qtbot.addWidget(board)
    board.resize(400, 300)
    with qtbot.waitExposed(board):
        board.show()
    return board


@pytest.mark.parametrize(
    ("size", "times"),
    [((300, 200), 1), ((400, 900), 1), ((800, 600), 2), ((800, 450), 1.5), ((4000, 3000), 3)],
)
def test_type_is_as_many_times_as_large_as_the_scarcer_side(board, settle, size, times):
    board.resize(*size)
    settle()
    points = board.font().pointSizeF()
    assert board.label.font().pointSizeF() == pytest.approx(times * points)
    board.resize(400, 300)
    settle()
    assert board.label.font().pointSizeF() == points


def test_another_font_is_taken_over_as_large(board, qapp, settle):
    board.resize(800, 600)
    usual, larger = qapp.font(), qapp.font()
    larger.setPointSize(14)
    qapp.setFont(larger)
    settle()
    assert board.label.font().pointSizeF() == 28
    qapp.setFont(usual)
    settle()
    assert board.label.font().pointSizeF() == 2 * usual.pointSizeF()


def test_all_is_drawn_anew_only_when_type_changes(board, settle):
    before = board.drawn
    board.resize(410, 310)  # not a tenth larger
    settle()
    assert board.drawn == before
    board.resize(600, 450)
    settle()
    assert board.drawn == before + 1
