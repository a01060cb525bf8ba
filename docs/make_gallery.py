"""Draw docs/gallery.md and its pictures, most by the commands that it shows: ``make gallery``."""

import io
import shlex
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mhagui import cli
from mhagui.document import compute, load_lesson
from mhagui.document.ablation import ablation_effect, wrong_site_effect
from mhagui.document.capture import CapturedLayer
from mhagui.document.captured_ablation import Ablation, AblationKind
from mhagui.document.captured_comparison import compare
from mhagui.document.importance import Readout, head_importance
from mhagui.figures import FIGURES, Chart, FigureStyle, Subject, drawing, render_chart
from mhagui.figures.charts import Seen
from mhagui.figures.found import (
    AblatedOutput,
    ComparedHead,
    Comparison,
    HeadImportance,
    PrunedHeads,
)
from mhagui.figures.paper import Axis, Paper

DOCS = Path(__file__).parent
PICTURES = DOCS / "gallery"
USUAL_DPI = 110
# Pages of other widths, each as many pixels wide as a column of the page they are seen on has.
DPI = {"single": 150, "slide": 55, "poster": 31}
BEGINNING = """# Gallery

Every figure there is, as `mhagui export` draws it from the built-in lessons, with the command
that drew it; below, the same figures in other styles. The pictures are PNG files of few dots to the
inch; the same commands with `--format pdf`, `svg`, `eps` or `tiff` make files for print. What the
options mean is told in [figures.md](figures.md). `make gallery` draws all of this again.
"""
OF_MODELS = """## Heads of models, compared and ablated

What *Scorecard*, *Compare* and *Ablation lab* show leaves the window in the same ways: by a right
click, or *File > Export figures*. These figures are of no scene, and hold none. The map is of a
real model, that of [real-models.md](real-models.md). Not shown here: heads as points over two
scores (`--against entropy`), and the likeliest next tokens before and after an ablation.

### A score of all heads

![A score of all heads](pictures/real-head-map.png)

    mhagui report "$MODEL" --scorecard --prompt "…" --figure heads.png --score "previous token"
"""
TOKENS = "content-position"
SINGLE = ("--preset", "single")


class Shot(NamedTuple):
    """A picture: what it is called, what is said of it, and which figure is drawn how."""

    name: str
    title: str
    figure: str
    options: Sequence[str] = ()
    scene: str = "four-heads"

    @property
    def words(self) -> list[str]:
        """The command without its name and where to write to."""
        return ["export", self.scene, "--figure", self.figure, *self.options]

    @property
    def command(self) -> str:
        """What to type for it."""
        return shlex.join(["mhagui", *self.words, "--out", "figures"])

    @property
    def dpi(self) -> int:
        """Pixels to the inch."""
        return next((DPI[word] for word in self.options if word in DPI), USUAL_DPI)


def figures() -> Iterator[Shot]:
    """Yield every figure once."""
    for name, title in FIGURES.items():
        yield Shot(name, title, name)


def styles() -> Iterator[tuple[str, str, list[Shot]]]:
    """Yield what can be chosen: its name, a sentence, and pictures to set side by side."""
    yield (
        "Pages",
        "A single column of 85 mm, a double one of 170 mm (above), a slide of 16 to 9 and a poster "
        "600 mm wide. Type keeps its size in print.",
        [
            Shot("page-single", "single", "heads", SINGLE),
            Shot("page-slide", "slide", "heads", ("--preset", "slide", "--title")),
            Shot("page-poster", "poster", "heads", ("--preset", "poster")),
        ],
    )
    yield (
        "Grounds",
        "White, dark, or none, for pages that have one of their own.",
        [
            Shot(f"ground-{ground}", ground, "filter-bank", (*SINGLE, "--ground", ground))
            for ground in ("light", "dark", "transparent")
        ],
    )
    yield (
        "Colours of weights",
        "All grow lighter evenly, and keep their order in grey print; cividis looks nearly "
        "the same with every kind of colour vision.",
        [
            Shot(f"weights-{name}", name, "head", (*SINGLE, "--weight-colours", name))
            for name in ("viridis", "cividis", "magma", "grey")
        ],
    )
    yield (
        "Colours around 0",
        "Zero is in the middle, and is the colour of the ground.",
        [
            Shot(f"signed-{name}", name, "output", (*SINGLE, "--signed-colours", name))
            for name in ("blue-to-red", "purple-to-orange", "green-to-pink")
        ],
    )
    yield (
        "Scales of weights",
        "Small weights show in a logarithmic scale; beside what a uniform head gives, red is more.",
        [
            Shot(f"scale-{name}", name, "heads", (*SINGLE, "--colour-scale", name))
            for name in ("linear-0-to-1", "linear-0-to-max", "logarithmic", "relative-to-uniform")
        ],
    )
    yield (
        "Labels and numbers",
        "Positions as t1, as their tokens or as both; cells with numbers or without.",
        [
            Shot(
                "labels-positions", "positions", "head", (*SINGLE, "--labels", "positions"), TOKENS
            ),
            Shot("labels-tokens", "tokens", "head", (*SINGLE, "--labels", "tokens"), TOKENS),
            Shot("labels-both", "both", "head", (*SINGLE, "--labels", "both"), TOKENS),
            Shot("no-values", "no numbers", "head", (*SINGLE, "--no-values"), TOKENS),
        ],
    )
    yield (
        "Type, title and caption",
        "Another font, larger type, and what stands around a figure.",
        [
            Shot("font", "a font with serifs", "entropy", (*SINGLE, "--font", "DejaVu Serif")),
            Shot("font-size", "labels of 9 points", "entropy", (*SINGLE, "--font-size", "9")),
            Shot("caption", "title and caption", "entropy", (*SINGLE, "--title", "--caption")),
        ],
    )


def charts() -> list[Chart]:
    """Return figures that show no scene, of heads of a lesson."""
    scene = load_lesson("four-heads")
    result, seen = compute(scene), Seen("four heads")
    layer = CapturedLayer(
        0, given=np.stack([head.weights for head in result.heads]), allowed=result.allowed
    )
    axis = Axis(scene.n_positions)
    names = [f"h{number} {head.name}" for number, head in enumerate(scene.heads, 1)]
    a, b = 1, 3
    between = compare(layer, layer, (a, b))
    heads = [
        ComparedHead(names[n], "four heads", layer.given[n], layer.allowed, axis, axis)
        for n in (a, b)
    ]
    bits, mean = between.divergences[0], float(between.mean_divergences[0])
    right = ablation_effect(scene, result, [Ablation(AblationKind.ZERO, a)])
    wrong = wrong_site_effect(scene, result, [a])
    readout = Readout()
    found = head_importance(scene, result, readout)
    return [
        Comparison(Seen(f"{names[a]} and {names[b]}"), *heads, bits, mean, 1.0),
        AblatedOutput(
            seen, f"{names[a]}, zero", axis, right.by_position, right.share, wrong.by_position
        ),
        HeadImportance(seen, names, "‖O‖", found.value, found.predicted, found.ablated),
        PrunedHeads(seen, "‖O‖", found.error_by_gradient, found.error_by_ablation),
    ]


def shots() -> list[Shot]:
    """Return every picture."""
    return [*figures(), *(shot for _, _, row in styles() for shot in row)]


def draw(shot: Shot, path: Path) -> None:
    """Write the picture: what its command writes, with few dots to the inch and no scene in it."""
    with tempfile.TemporaryDirectory() as folder:
        few_dots = ["--dpi", str(shot.dpi), "--no-scene"]
        with redirect_stdout(io.StringIO()):  # where it says where it has written to
            status = cli.main([*shot.words, *few_dots, "--out", folder])
        if status:
            raise SystemExit(status)
        (Path(folder) / f"{shot.figure}.png").replace(path)


def caption_of(shot: Shot) -> str:
    """Return what the figure itself says below it."""
    scene = load_lesson(shot.scene)
    subject = Subject(scene, compute(scene))
    return drawing.plan(shot.figure, subject, Paper.of(subject)).caption


def page() -> str:
    """Return docs/gallery.md."""
    parts = [BEGINNING, "## Every figure\n"]
    for shot in figures():
        parts += [
            f"### {shot.title}\n",
            f"![{shot.title}](gallery/{shot.name}.png)\n",
            f"{_plain(caption_of(shot))}\n",
            f"    {shot.command}\n",
        ]
    parts.append(OF_MODELS)
    for chart in charts():
        parts += [
            f"### {chart.title}\n",
            f"![{chart.title}](gallery/{chart.name}.png)\n",
            f"{_plain(drawing.plan_chart(chart, Paper(FigureStyle())).caption)}\n",
        ]
    parts.append("## Styles\n")
    for title, sentence, row in styles():
        parts += [f"### {title}\n", f"{sentence}\n", _table(row)]
        parts += [f"    {shot.command}" for shot in row]
        parts.append("")
    return "\n".join(parts)


def _plain(text: str) -> str:
    """Return text in which Markdown finds nothing to do."""
    return "".join(f"\\{letter}" if letter in "_*|[]^" else letter for letter in text)


def _table(row: Sequence[Shot]) -> str:
    titles = " | ".join(shot.title for shot in row)
    pictures = " | ".join(f"![{s.title}](gallery/{s.name}.png)" for s in row)
    return f"| {titles} |\n|{' --- |' * len(row)}\n| {pictures} |\n"


def main() -> None:
    """Write the page and its pictures, and remove those that are no more."""
    PICTURES.mkdir(exist_ok=True)
    for old in PICTURES.glob("*.png"):
        old.unlink()
    for shot in shots():
        path = PICTURES / f"{shot.name}.png"
        draw(shot, path)
        print(path)
    for chart in charts():
        path = PICTURES / f"{chart.name}.png"
        path.write_bytes(render_chart(chart, FigureStyle(dpi=USUAL_DPI), ["png"])["png"])
        print(path)
    (DOCS / "gallery.md").write_text(page(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
