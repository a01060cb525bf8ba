"""Draw the formulas of the tooltips as SVG files in the text colour: ``make formulas``."""

from pathlib import Path

from matplotlib.font_manager import FontProperties
from matplotlib.path import Path as Outline
from matplotlib.textpath import TextPath
from matplotlib.transforms import Affine2D

from mhagui.gui.formulas import Formula
from mhagui.gui.widgets.formula_tip import EM

FORMULAS = Path(__file__).parents[1] / "resources" / "formulas"
FONT = FontProperties(math_fontfamily="stix")
MARGIN = 0.08 * EM
LINE_GAP = 0.6 * EM
COMMANDS = {Outline.MOVETO: "M", Outline.LINETO: "L", Outline.CURVE3: "Q", Outline.CURVE4: "C"}


def main() -> None:
    """Write a drawing of every formula, and remove those of formulas that are no more."""
    FORMULAS.mkdir(exist_ok=True)
    for old in FORMULAS.glob("*.svg"):
        old.unlink()
    for formula in Formula:
        (FORMULAS / formula.file).write_text(drawing(formula.tex), encoding="utf-8", newline="\n")


def drawing(tex: str) -> str:
    """Return the formulas of ``tex``, one a line, as one path of an SVG file."""
    outline = _stacked(
        [TextPath((0, 0), f"${line}$", size=EM, prop=FONT) for line in tex.split("\n")]
    )
    box = outline.get_extents().padded(MARGIN)
    moved = outline.transformed(Affine2D().translate(-box.x0, -box.y1).scale(1, -1))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {box.width:.0f} {box.height:.0f}">'
        f'<path fill="currentColor" d="{_commands(moved)}"/></svg>\n'
    )


def _stacked(lines: list[TextPath]) -> Outline:
    """Return ``lines`` one below the other, all from the same left edge."""
    placed, bottom = [lines[0]], lines[0].get_extents().y0
    for line in lines[1:]:
        extents = line.get_extents()
        down = bottom - LINE_GAP - extents.y1
        placed.append(line.transformed(Affine2D().translate(0, down)))
        bottom = extents.y0 + down
    return Outline.make_compound_path(*placed)


def _commands(outline: Outline) -> str:
    """Return an outline as an SVG writes it, in whole units."""
    parts = []
    for points, code in outline.iter_segments(simplify=False):
        if code in COMMANDS:
            parts.append(COMMANDS[code] + " ".join(f"{number:.0f}" for number in points))
        else:
            parts.append("Z")
    return "".join(parts)


if __name__ == "__main__":
    main()
