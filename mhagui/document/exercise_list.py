"""The six exercises and the objectives of the lesson: what to do, and what shows that it is done.

Facts and figures are those of the lesson on multi-head attention.
"""

from functools import cache, partial

from mhagui.document.cost import CASES, parameters_of
from mhagui.document.exercise_checks import (
    ROW_4,
    ROW_6,
    beside_one_hot,
    bits_at,
    cost_check,
    doubled,
    just_sharp_enough,
    mixed,
    needed_magnitude,
    parted,
    sharper,
    two_at_once,
    unmixed,
)
from mhagui.document.exercises import Check, Choice, Exercise, Number, Objective, Start
from mhagui.document.presets import Preset
from mhagui.document.view_state import WhatIf

_LENGTH = 128
_EXERCISE_2, _EXERCISE_5 = (case.layers(_LENGTH) for case in CASES)
_OTHER_SIZES = WhatIf(d_model=256, n_heads=4, d_k=64, d_v=64, n_positions=_LENGTH)


def _exercise_1() -> Exercise:
    return Exercise(
        number=1,
        title="What W_O is for",
        task=(
            "Set W_O to the identity (Presets, above the table) and read who listens to whom.",
            "Set it to “swap head blocks” and read again.",
            "Then have a W_O in which some output channel hears both heads: write one of your own, "
            "or take a random orthogonal one.",
        ),
        start=Start("two-heads", ("outputProjectionDock",)),
        checks=(
            Check(
                "identity",
                "W_O is the identity, and no channel hears two heads",
                partial(unmixed, Preset.IDENTITY),
            ),
            Check(
                "swap",
                "W_O swaps the head blocks, and no channel hears two heads",
                partial(unmixed, Preset.SWAP),
            ),
            Check("mix", "With a W_O other than the lesson's a channel hears two heads", mixed),
        ),
        questions=(
            Choice(
                "which",
                "Of identity and swap, which makes an output channel depend on two heads?",
                ("the identity", "the swap", "both", "neither"),
                3,
            ),
            Choice(
                "role",
                "Concat has the right shape already. What does a learned W_O add?",
                (
                    "it makes the output wider",
                    "it lets one output channel combine what several heads found",
                    "it makes the rows of A sum to 1",
                    "it lowers the number of parameters",
                ),
                1,
            ),
            Choice(
                "residual",
                "How large is |Concat·W_O − Σ_h A_h X W_V^h W_O^(h)| for a W_O that mixes?",
                (
                    "0, or what rounding leaves, whatever W_O is",
                    "the more W_O mixes, the larger",
                    "0 for the identity only",
                ),
                0,
            ),
        ),
        hint=(
            "A row of W_O reads one feature of Concat, a column writes one output channel: a "
            "column with numbers in the rows of both heads hears both. Type one number."
        ),
        why=(
            "The identity and the swap only place the heads' features side by side, in one order "
            "or the other: every channel still comes from a single head. Only where a column of "
            "W_O has numbers in several heads' rows do features of these heads meet, and later "
            "layers can use them together. The sum over heads stays exact all the while, because "
            "a product with stacked blocks is the sum of the products."
        ),
        figures=("projection",),
    )


def _exercise_2() -> Exercise:
    return Exercise(
        number=2,
        title="More heads, same d_model",
        task=(
            "In the Cost dock set d_model to 384 and keep d_k = d_v = d_model/H.",
            "Set H to 1, 2, 4, 6, 8 and 12, and read d_k and the number of parameters each time.",
        ),
        start=Start(None, ("costDock",), _OTHER_SIZES),
        checks=tuple(map(cost_check, _EXERCISE_2)),
        questions=(
            Number(
                "count",
                "How many parameters has the layer at H = 12?",
                parameters_of(_EXERCISE_2[-1]).total,
                0,
                "parameters",
            ),
            Choice(
                "trade",
                "What does a larger H cost at the same d_model?",
                (
                    "more parameters",
                    "more multiply–adds for the scores",
                    "narrower heads, with scores of lower rank, and more weights to keep",
                    "nothing at all",
                ),
                2,
            ),
        ),
        hint="The case “Exercise 2” in the Cost dock lists all six; a click sets one.",
        why=(
            "Q, K, V and W_O each have d_model² = 147,456 parameters however their columns are "
            "shared out, 589,824 in all. What shrinks is the width of a head, and with it the "
            "rank its scores can have; what grows is the number of T × T weight matrices, and of "
            "exponentials, with H."
        ),
        figures=("cost",),
        sizes=_EXERCISE_2[-1],
    )


def _exercise_3() -> Exercise:
    return Exercise(
        number=3,
        title="More heads, same roles",
        task=(
            "Make eight heads of the four, each with a copy: the same pattern and the same W_V.",
            "Compare weights and outputs of a head and its copy.",
            "Then change one copy, by its gain or its pattern, until it goes its own way.",
        ),
        start=Start("four-heads", ("headsDock", "heatmapsDock")),
        checks=(
            Check("eight", "Eight heads are four pairs of equal weights and outputs", doubled),
            Check("parted", "One pair differs, the other three do not", parted),
        ),
        questions=(
            Choice(
                "differ",
                "Head and copy see the same X and have the same W_V. Do their outputs differ?",
                ("yes, in every row", "yes, by rounding", "no, not in a single digit"),
                2,
            ),
            Choice(
                "training",
                "What follows for training?",
                (
                    "copies drift apart by themselves",
                    "heads must start from different weights, or they get the same gradients",
                    "eight copies learn twice as fast as four",
                ),
                1,
            ),
        ),
        hint=(
            "Duplicate each of the four: a copy has all that its original has, W_V too, and stands "
            "right behind it. “Add head” takes value features of its own, so that its output may "
            "differ though its weights do not."
        ),
        why=(
            "A copy computes the same numbers, so it adds nothing that a larger W_O block of the "
            "first could not. With equal weights both would also get equal gradients, and stay "
            "copies for ever: what tells heads apart at first is a random start. Even so many "
            "heads of trained models can be removed at little loss."
        ),
        figures=("heads", "entropy"),
    )


def _exercise_4() -> Exercise:
    return Exercise(
        number=4,
        title="Two things at once",
        task=(
            "Give a head queries and keys so that row t4 looks at t1 and t3 about equally, and at "
            "t2 and t4 hardly at all: by a pattern, by hand, or by the weights you want.",
            "Let another head be nearly one-hot in row t4, and compare what the two spend.",
        ),
        start=Start("four-heads", ("headsDock", "impulseDock"), row=ROW_4),
        checks=(
            Check(
                "two",
                "In row t4 a head has t1 and t3 within 0.1 of each other and over 0.9 together",
                two_at_once,
            ),
            Check("one", "Beside it a head is one-hot in row t4, below 0.05 bits", beside_one_hot),
        ),
        questions=(
            Number(
                "bits",
                "An even split of two costs how many bits more than a one-hot row?",
                1.0,
                0.05,
                "bits",
            ),
            Choice(
                "softmax",
                "Which property of softmax makes the split possible?",
                (
                    "it always picks one key",
                    "keys with equal scores get equal weights",
                    "its rows may sum to more than 1",
                    "it ignores the scores of masked keys",
                ),
                1,
            ),
        ),
        hint=(
            "The pattern “two positions” does it. A larger gain makes both heads sharper: the "
            "split stays even, the one-hot row comes closer to 0 bits."
        ),
        why=(
            "Softmax depends on differences of scores alone: two keys that score alike, far above "
            "all others, share the row evenly. The price is one bit: the head no longer fetches a "
            "position but the mean of two, which nothing after it can take apart again. Two heads "
            "would fetch both separately."
        ),
        figures=("heads", "impulse"),
    )


def _exercise_5() -> Exercise:
    return Exercise(
        number=5,
        title="More heads, same d_k",
        task=(
            "In the Cost dock set d_model to 512, H to 8 and d_k = d_v = 64.",
            "Then let H be 16 while d_k and d_v stay 64, and compare the parameters.",
        ),
        start=Start(None, ("costDock",), _OTHER_SIZES),
        checks=tuple(map(cost_check, _EXERCISE_5)),
        questions=(
            Number("factor", "By which factor does the number of parameters grow?", 2, 0, "times"),
            Choice(
                "fixed",
                "Why do wider models usually get more heads of the same d_k?",
                (
                    "a head keeps its rank, its score scale and its share of the cost",
                    "H must be a power of two",
                    "the number of parameters then stays the same",
                ),
                0,
            ),
        ),
        hint="Switch off d_k = d_v = d_model/H first, or take the case “Exercise 5”.",
        why=(
            "With d_k kept, H·d_k grows beyond d_model, and all four projections with it: from "
            "1,048,576 to 2,097,152. What a head can do, scores of rank up to d_k scaled by "
            "1/√d_k, is settled by its width; so when a model gets wider one adds heads that are "
            "known to work, and d_model = H·d_k grows along."
        ),
        figures=("cost",),
        sizes=_EXERCISE_5[-1],
    )


def _exercise_6() -> Exercise:
    return Exercise(
        number=6,
        title="A sharper first token",
        task=(
            "Give head 1 a key magnitude of 6 and then of 9 (or a gain of 2 and 3), and "
            "read the bits it spends at t6.",
            "Find the magnitude that brings its effective positions at t6 just below 1.1.",
        ),
        start=Start("four-heads", ("headsDock", "entropyDock"), row=ROW_6),
        checks=(
            Check("six", "A first-token head with |K|·g = 6", partial(sharper, 6.0)),
            Check("nine", "A first-token head with |K|·g = 9", partial(sharper, 9.0)),
            Check(
                "enough", "Its effective positions at t6 are from 1.09 to 1.1", just_sharp_enough
            ),
        ),
        questions=(
            Number("bits6", "Bits at t6 with |K| = 6?", bits_at(6.0), 0.006, "bits"),
            Number("bits9", "Bits at t6 with |K| = 9?", bits_at(9.0), 0.006, "bits"),
            Number(
                "magnitude",
                "Which key magnitude gives 1.1 effective positions at t6?",
                needed_magnitude(),
                0.05,
                "",
            ),
        ),
        hint=(
            "The solver finds the gain for as many effective positions as you ask for; the "
            "magnitude is 3 times that gain."
        ),
        why=(
            "The first key leads all others by |K|·g/√2 in score, the same in every row, and in "
            "row t6 five others share what is left. Their weight falls exponentially with the "
            "lead: 1.824 bits at 3, 0.510 at 6, 0.091 at 9; 8.31 is where 2^H passes 1.1."
        ),
        figures=("heads", "entropy"),
        has_solver=True,
    )


@cache
def exercises() -> tuple[Exercise, ...]:
    """Return the six exercises, in order."""
    return (
        _exercise_1(),
        _exercise_2(),
        _exercise_3(),
        _exercise_4(),
        _exercise_5(),
        _exercise_6(),
    )


OBJECTIVES = (
    Objective(
        "Say why one head is not enough: one softmax row is one average of the past, and its "
        "scores have rank d_k at most; and what H heads give at the same cost",
        (4, 2),
    ),
    Objective("Compute H heads side by side, each with W_Q, W_K and W_V of its own", (3,)),
    Objective(
        "Put the outputs side by side, project them by W_O, and see that this is the sum of H "
        "filters",
        (1,),
    ),
    Objective("Count the parameters: 4·d_model² where d_k = d_v = d_model/H", (2, 5)),
    Objective(
        "Read heatmaps as filters (hold, delay, identity, growing box) and their selectivity in "
        "bits",
        (6, 4),
    ),
)
