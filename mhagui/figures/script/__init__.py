"""A figure as a short script of its own: NumPy computes its numbers again, matplotlib draws them.

Nothing of mhagui is needed to run one. Texts of a scene come into a script as string literals and
in comments alone, so that none of them can be run.
"""

from collections.abc import Sequence

from mhagui import __version__
from mhagui.document import Scene
from mhagui.document.scene_file import fits_text
from mhagui.errors import UserError, check_choices
from mhagui.figure_names import FIGURES, PANELS
from mhagui.figures import why_not
from mhagui.figures.script import literals
from mhagui.figures.script.computing import computing_parts, information_parts
from mhagui.figures.script.drawing_parts import DRAWINGS, HELPERS, VALUES
from mhagui.figures.script.look_parts import (
    columns_of,
    height_of,
    look_parts,
    page_of,
    shown_weights,
)
from mhagui.figures.script.parts import Part, put_together
from mhagui.figures.script.scene_parts import scene_parts
from mhagui.figures.style import MM_PER_INCH
from mhagui.figures.subject import Subject

_INFORMED = ("information", "redundancy")

_MAIN = '''def main():
    """Save the figure, or its numbers, where the command line says."""
    parser = argparse.ArgumentParser()
    parser.add_argument("picture", nargs="?", default="NAME.png")
    parser.add_argument("--numbers", metavar="FILE.npz", help="save the numbers")
    given = parser.parse_args()
    if given.numbers:
        np.savez(given.numbers, **numbers())
        return
    fig = Figure(figsize=(WIDTH, HEIGHT), dpi=DPI, layout="constrained")
    DRAWfig.savefig(given.picture)


if __name__ == "__main__":
    main()'''


def _check_holds(scene: Scene) -> None:
    """Raise UserError where ``scene`` has what a script does not compute, or too many numbers."""
    biases = [head.b_v for head in scene.heads] + [scene.b_o]
    if not (scene.mask.is_causal and scene.has_queries and scene.has_values):
        raise UserError(
            "A script computes heads with queries, keys and values under the causal mask; this "
            f"scene has {'another mask' if not scene.mask.is_causal else 'weights alone'}."
        )
    if any(head.is_biased for head in scene.heads):
        raise UserError(
            "A script computes heads without ALiBi slopes and sink logits; this scene has such a "
            "head."
        )
    if any(bias is not None for bias in biases):
        raise UserError("A script computes layers without biases; this one has b_V or b_O.")
    if not fits_text(scene):
        raise UserError(
            f"A script holds every number of a scene as text; this one has {scene.n_numbers:,}."
        )


def script(name: str, subject: Subject) -> str:
    """Return a script that computes and draws figure ``name`` of ``FIGURES``.

    Every figure that can be drawn has one. It runs with NumPy 2 and matplotlib alone, holds every
    number of the scene to the last bit, and is the same text for the same subject.

    Raises
    ------
    UserError
        When there is no such figure, or the scene has not what is to be drawn.
    """
    check_choices("figure", [name], FIGURES)
    reason = why_not(name, subject.result)
    if reason is not None:
        raise UserError(reason)
    _check_holds(subject.scene)
    panels = [panel for panel in PANELS.get(name, (name,)) if not why_not(panel, subject.result)]
    computing = computing_parts(subject.scene)
    if any(panel in _INFORMED for panel in panels):
        computing += information_parts(subject)
    return put_together(
        _docstring(name, subject),
        (
            ("The scene", scene_parts(subject)),
            ("The numbers", [*computing, _numbers(panels)]),
            ("The look", look_parts(panels, subject)),
            ("The figure", _drawing(name, panels, subject)),
        ),
    )


def _docstring(name: str, subject: Subject) -> str:
    title = literals.comment(f"{FIGURES[name]}: {subject.scene.title}")
    text = f"""\"\"\"{title}.

Computed and drawn by NumPy and matplotlib alone; written by mhagui {__version__}.

    python {name}.py                     draws {name}.png
    python {name}.py picture.svg         draws another file
    python {name}.py --numbers file.npz  saves the numbers instead
\"\"\""""
    return f"r{text}" if "\\" in title else text


def _numbers(panels: Sequence[str]) -> Part:
    entries = {key: value for panel in panels for key, value in DRAWINGS[panel].numbers.items()}
    lines = "".join(f'        "{key}": {value},\n' for key, value in entries.items())
    head = 'def numbers():\n    """Return the numbers of the figure by their names."""\n'
    return Part(f"{head}    return {{\n{lines}    }}")


def _drawing(name: str, panels: Sequence[str], subject: Subject) -> list[Part]:
    """Return the functions that draw, and the one that is run."""
    texts = list(HELPERS)
    for panel in panels:
        text = DRAWINGS[panel].text.replace("COLUMNS", str(columns_of(panel, subject.scene)))
        texts.append(text.replace("WEIGHTS", shown_weights(subject.style)))
    return [*map(Part, [*texts, VALUES]), Part(_main(name, panels, subject), always=True)]


def _main(name: str, panels: Sequence[str], subject: Subject) -> str:
    style = subject.style
    width, height = page_of(panels[0], subject)
    functions = [DRAWINGS[panel].function for panel in panels]
    if len(panels) == 1:
        lines = [f"{functions[0]}(fig)"]
    else:
        heights = [round(height_of(panel, subject), 2) for panel in panels]
        height = style.preset.room.height or sum(heights)
        lines = [f"parts = fig.subfigures({len(panels)}, 1, height_ratios={heights})"]
        lines += [f"{function}(parts[{place}])" for place, function in enumerate(functions)]
    title = f"{subject.scene.title}: {FIGURES[name]}" if style.title else ""
    above = "\n".join(line for line in (title, subject.note) if line)
    if above:
        lines.insert(0, f"fig.suptitle({literals.text(above)})")
        if style.preset.room.height is None:
            height += 0.04 * style.type_size * (1 + above.count("\n"))
    if style.values:
        lines.append("write_values(fig)")
    steps = "".join(f"{line}\n    " for line in lines)
    text = _MAIN.replace("NAME", name).replace("DPI", str(style.dpi))
    size = text.replace("WIDTH", _inches(width)).replace("HEIGHT", f"{height:.2f}")
    return size.replace("DRAW", steps)


def _inches(width: float) -> str:
    """Return a width as journals give it, in millimetres, or as a part of three inches."""
    millimetres = round(width * MM_PER_INCH)
    if millimetres / MM_PER_INCH == width:
        return f"{millimetres} / {MM_PER_INCH}"
    return f"{round(3 * width)} / 3"
