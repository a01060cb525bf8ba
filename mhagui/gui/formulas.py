"""The formula of every quantity that the window shows, and in words what it is, its unit and range.

What they say is in ``formula_texts``, by quantity; they are drawn once, by ``make formulas``, into
resources/formulas.
"""

import enum

from mhagui.gui.formula_texts import attention, cost, measures, output


class Formula(enum.Enum):
    """A quantity: its formula in TeX and in plain signs, what it is, its unit, and its range.

    Attributes
    ----------
    tex
        As matplotlib's mathtext reads it; a line break separates two formulas.
    text
        The same in plain signs, for where the drawing is missing.
    words
        What it is, in a sentence or two that name it first.
    unit, span
        Its unit, and from where to where it goes.
    """

    # from X to the weights
    SIZES = attention.SIZES
    INPUT = attention.INPUT
    QUERIES = attention.QUERIES
    KEYS = attention.KEYS
    QUERIES_AND_KEYS = attention.QUERIES_AND_KEYS
    VALUES = attention.VALUES
    KEY_MAGNITUDE = attention.KEY_MAGNITUDE
    KEPT_MARGIN = attention.KEPT_MARGIN
    PRODUCT = attention.PRODUCT
    SCORES = attention.SCORES
    GIVEN_SCORES = attention.GIVEN_SCORES
    MASTER_GAIN = attention.MASTER_GAIN
    GAIN = attention.GAIN
    GAINED_SCORES = attention.GAINED_SCORES
    ALIBI = attention.ALIBI
    SINK = attention.SINK
    MASK = attention.MASK
    EXPONENTIAL = attention.EXPONENTIAL
    SOFTMAX = attention.SOFTMAX
    WEIGHTS = attention.WEIGHTS

    # from the weights to O
    HEAD_OUTPUT = output.HEAD_OUTPUT
    CONCAT = output.CONCAT
    OUTPUT_PROJECTION = output.OUTPUT_PROJECTION
    OUTPUT = output.OUTPUT
    LISTENING = output.LISTENING
    TERM = output.TERM
    TERM_NORM = output.TERM_NORM
    RUNNING_SUM = output.RUNNING_SUM
    FILTER_BANK = output.FILTER_BANK
    RESIDUAL = output.RESIDUAL
    ABLATED = output.ABLATED
    NEXT_TOKEN = output.NEXT_TOKEN
    WRONG_SITE = output.WRONG_SITE
    SITE_DIFFERENCE = output.SITE_DIFFERENCE
    PACKED_QUERIES = output.PACKED_QUERIES
    PACKED_KEYS = output.PACKED_KEYS
    PACKED_VALUES = output.PACKED_VALUES
    ALL_QUERIES = output.ALL_QUERIES
    ALL_KEYS = output.ALL_KEYS
    ALL_VALUES = output.ALL_VALUES
    PACKED_ERROR = output.PACKED_ERROR

    # information
    ROW_ENTROPY = measures.ROW_ENTROPY
    CEILING = measures.CEILING
    MEAN_ENTROPY = measures.MEAN_ENTROPY
    EFFECTIVE_POSITIONS = measures.EFFECTIVE_POSITIONS
    MEAN_POSITIONS = measures.MEAN_POSITIONS
    DIVERGENCE = measures.DIVERGENCE
    SOURCE = measures.SOURCE
    COPY_LAG = measures.COPY_LAG
    OBSERVED = measures.OBSERVED
    INFORMATION = measures.INFORMATION
    WHOLE_PAST = measures.WHOLE_PAST
    JOINT_INFORMATION = measures.JOINT_INFORMATION
    REDUNDANCY = measures.REDUNDANCY
    GUESS = measures.GUESS

    # ranks
    SCORE_RANK = measures.SCORE_RANK
    SCORE_SINGULAR_VALUES = measures.SCORE_SINGULAR_VALUES
    SINGULAR_VALUES = measures.SINGULAR_VALUES
    EFFECTIVE_RANK = measures.EFFECTIVE_RANK

    # the scorecard
    PATTERN_SCORE = measures.PATTERN_SCORE
    CHANCE_CORRECTED = measures.CHANCE_CORRECTED
    UNIFORMITY = measures.UNIFORMITY
    CONFIDENCE = measures.CONFIDENCE
    MEAN_DISTANCE = measures.MEAN_DISTANCE
    DISTANCE_VARIANCE = measures.DISTANCE_VARIANCE

    # row t as a filter
    IMPULSE_RESPONSE = measures.IMPULSE_RESPONSE
    IDEAL_TAPS = measures.IDEAL_TAPS
    TOTAL_VARIATION = measures.TOTAL_VARIATION
    FREQUENCY_RESPONSE = measures.FREQUENCY_RESPONSE
    GROUP_DELAY = measures.GROUP_DELAY

    # cost
    PROJECTION_COST = cost.PROJECTION_COST
    LINEAR_COST = cost.LINEAR_COST
    SCORE_COST = cost.SCORE_COST
    EXPONENTIALS = cost.EXPONENTIALS
    MIX_COST = cost.MIX_COST
    QUADRATIC_COST = cost.QUADRATIC_COST
    OUTPUT_COST = cost.OUTPUT_COST
    TOTAL_COST = cost.TOTAL_COST
    FLOPS = cost.FLOPS
    SCORE_FLOPS = cost.SCORE_FLOPS
    OVERTAKING = cost.OVERTAKING
    QUERY_PARAMETERS = cost.QUERY_PARAMETERS
    VALUE_PARAMETERS = cost.VALUE_PARAMETERS
    PARAMETERS = cost.PARAMETERS
    WEIGHT_COUNT = cost.WEIGHT_COUNT
    CACHE = cost.CACHE
    MEMORY = cost.MEMORY

    def __init__(self, tex: str, text: str, words: str, unit: str, span: str) -> None:
        self.tex = tex
        self.text = text
        self.words = words
        self.unit = unit
        self.span = span

    @property
    def sentences(self) -> str:
        """What it is, and on a line of its own its unit and range."""
        return f"{self.words}\n{self.unit}; {self.span}."

    @property
    def file(self) -> str:
        """The name of its drawing in resources/formulas."""
        return f"{self.name.lower().replace('_', '-')}.svg"
