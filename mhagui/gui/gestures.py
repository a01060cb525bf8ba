"""Keys and gestures that hold inside a dock, beside the shortcuts of the menus."""

from typing import NamedTuple


class Gesture(NamedTuple):
    """One of them: the dock or kind of widget, what the hand does, and what comes of it."""

    where: str
    keys: str
    does: str


_HEATMAPS, _PIPELINE, _TOKENS, _HEADS = "Heatmaps", "Pipeline", "Tokens", "Heads"
_GAIN, _NUMBER, _MATRIX = "Gain sliders", "Number boxes", "Matrices to edit"
_TABLE, _DOCK, _ANY = "Tables of numbers", "Titles of docks", "Docks with numbers"

GESTURES = (
    Gesture(_HEATMAPS, "← → ↑ ↓", "Move the cursor by a cell"),
    Gesture(_HEATMAPS, "Ctrl+arrow", "Move it to the edge"),
    Gesture(_HEATMAPS, "Home, End", "Move it to the first or last key of the row"),
    Gesture(_HEATMAPS, "Ctrl+Home, Ctrl+End", "Move it to the first or last cell"),
    Gesture(_HEATMAPS, "Page Up, Page Down", "Move it by ten rows"),
    Gesture(_HEATMAPS, "Enter, click", "Show how the number of the cell comes about"),
    Gesture(_HEATMAPS, "Shift+Enter, double click", "Show the head alone, or all again"),
    Gesture(_HEATMAPS, "Esc", "Show all heads again"),
    Gesture(_HEATMAPS, "+, -, Ctrl+wheel", "Show larger or smaller cells, the same of all heads"),
    Gesture(_HEATMAPS, "Shift+drag, middle drag", "Move what is shown of them"),
    Gesture(_HEATMAPS, "0", "Show all cells again"),
    Gesture(_PIPELINE, "← →, Page Up, Page Down", "Go to the stage before or after"),
    Gesture(_PIPELINE, "Home, End", "Go to the first or last stage"),
    Gesture(_PIPELINE, "Space", "Play the stages, or pause"),
    Gesture(_PIPELINE, "Shift+arrow", "Move the cursor by a cell"),
    Gesture(_PIPELINE, "Enter, click", "Show how the number of the cell comes about"),
    Gesture(_TOKENS, "← →, click", "Move the cursor's row t"),
    Gesture(_TOKENS, "Shift+← →, Shift+click", "Move the cursor's key i"),
    Gesture(_TOKENS, "Home, End", "Move row t to the first or last token"),
    Gesture(_TOKENS, "S, drag onto a token", "Swap the tokens of row t and key i"),
    Gesture(_TOKENS, "Ctrl+Shift+← →, drag between tokens", "Move the token of row t"),
    Gesture(_TOKENS, "R, Ctrl+drag", "Repeat the token of key i at row t"),
    Gesture(_TOKENS, "Esc", "Let go of a token, which goes back"),
    Gesture(_HEADS, "Space, click", "Point the cursor at the head"),
    Gesture(_HEADS, "↑ ↓", "Go from card to card"),
    Gesture(_HEADS, "Alt+↑, Alt+↓", "Move the cursor's head up or down, its rows of W_O with it"),
    Gesture(_GAIN, "← →", "Change the gain by 0.05"),
    Gesture(_GAIN, "Page Up, Page Down", "Change it by 0.5"),
    Gesture(_GAIN, "Wheel", "Change it by 0.05 a notch"),
    Gesture(_GAIN, "Double click", "Set it to 1"),
    Gesture(_NUMBER, "↑ ↓", "Step the number"),
    Gesture(_NUMBER, "Enter", "Take what is typed"),
    Gesture(_NUMBER, "Esc", "Take back what is typed"),
    Gesture(_NUMBER, "Wheel", "Step the number while the box has the focus"),
    Gesture(_MATRIX, "Digits, F2, Enter, double click", "Edit the number of the cell"),
    Gesture(_MATRIX, "Ctrl+drag, middle drag", "Change it; with Shift ten times finer"),
    Gesture(_MATRIX, "Ctrl+wheel", "Change it by 0.1; with Shift by 0.01"),
    Gesture(_MATRIX, "Ctrl+C, Ctrl+V", "Copy and paste cells, also to and from a spreadsheet"),
    Gesture(_MATRIX, "Delete", "Set the selected cells to 0"),
    Gesture(_MATRIX, "Esc", "Take back what is typed or dragged"),
    Gesture("Entropy", "← →, click", "Move the cursor's row t"),
    Gesture("Entropy", "Home, End", "Move it to the first or last row"),
    Gesture("Impulse", "← →, click", "Move the cursor's key i"),
    Gesture("Impulse", "↑ ↓", "Move the cursor's row t"),
    Gesture("Information", "↑ ↓ or click on a bar", "Point the cursor at that head"),
    Gesture("Information", "Arrow or click in the matrix", "Choose the two heads"),
    Gesture("Cost", "Enter, click", "Take the sizes of that row"),
    Gesture("History", "↑ ↓, click", "Go to the scene as it was after that step"),
    Gesture("History", "Home, End", "Go to the first or last step"),
    Gesture(_TABLE, "Ctrl+C", "Copy the selected numbers in full precision"),
    Gesture(_ANY, "Right click, Shift+F10", "Offer to copy its figure or its numbers"),
    Gesture(_DOCK, "Drag", "Take the dock elsewhere in the window, or out of it"),
    Gesture(_DOCK, "Double click", "Take it out of the window, or put it back"),
)
