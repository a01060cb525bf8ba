"""Numbers as people read them; the same words in panels, reports and figures.

All of them write a true minus sign, "∞" for infinity and "–" for what is undefined (NaN), and none
writes a zero with a sign.
"""

import math
from dataclasses import dataclass

USUAL_DIGITS = 4
SMALL = 0.001  # less than that is read out with significant digits
ALL_DIGITS = 17  # tell every float from its neighbours
UNDEFINED = "–"
SPACE = "␣"
_RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def fixed(value: float, decimals: int = 3) -> str:
    """Return ``value`` with ``decimals`` places; from a million on as ``short`` writes it."""
    if abs(value) < 1e6:
        return _signed(f"{value:.{decimals}f}")
    return short(value, decimals + 4)


def significant(value: float, digits: int = 4) -> str:
    """Return ``value`` with ``digits`` digits in all and zeros kept: 0.240, 3.500, 27.00, 1350.

    What would be less than its last digit, or a million and more, is as ``short`` has it.
    """
    if value and not 10.0 ** (1 - digits) <= abs(value) < 1e6:
        return short(value, digits)
    whole = fixed(abs(value), digits - 1).partition(".")[0]
    return fixed(value, max(digits - len(whole), 0))


def short(value: float, digits: int = 4) -> str:
    """Return ``value`` to ``digits`` significant digits and no idle zeros: 1, 0.25, −1.5, 2e−7."""
    if math.isnan(value):
        return UNDEFINED
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    mantissa, e, exponent = f"{value:.{digits}g}".partition("e")
    return _signed(f"{mantissa}e{int(exponent)}" if e else mantissa)


def exact(value: float) -> str:
    """Return ``value`` with the fewest digits that tell it from all other floats: 0.1, 1e−7."""
    if not math.isfinite(value):
        return short(value)
    mantissa, e, exponent = repr(float(value)).partition("e")
    mantissa = mantissa.removesuffix(".0")
    return _signed(f"{mantissa}e{int(exponent)}" if e else mantissa)


@dataclass(frozen=True, slots=True)
class Precision:
    """Writes numbers with as many digits as one asks for.

    Attributes
    ----------
    digits
        Where read-outs have 4 digits as a rule, they have so many; those that have more or fewer
        gain or lose as many. From 17 on every number is written as ``exact`` has it.
    """

    digits: int = USUAL_DIGITS

    @property
    def is_exact(self) -> bool:
        """Whether no digit is left out."""
        return self.digits >= ALL_DIGITS

    def fixed(self, value: float, decimals: int = 3) -> str:
        """Return what ``fixed`` makes of ``value``."""
        if self.is_exact:
            return exact(value)
        return fixed(value, max(decimals + self._more, 0))

    def significant(self, value: float, digits: int = 4) -> str:
        """Return what ``significant`` makes of ``value``."""
        return exact(value) if self.is_exact else significant(value, self._moved(digits))

    def short(self, value: float, digits: int = 4) -> str:
        """Return what ``short`` makes of ``value``."""
        return exact(value) if self.is_exact else short(value, self._moved(digits))

    def read_out(self, value: float) -> str:
        """Return four decimals, but significant digits of a number of which these say little."""
        return self.short(value) if 0 < abs(value) < SMALL else self.fixed(value, 4)

    def cell(self, value: float) -> str:
        """Return what ``cell`` makes of ``value`` where there is room: two decimals, or others."""
        if self.is_exact:
            return exact(value)
        return cell(value, max(2 + self._more, 1), leading_zero=True)

    @property
    def _more(self) -> int:
        return self.digits - USUAL_DIGITS

    def _moved(self, digits: int) -> int:
        """Return how many digits are left of ``digits``: never fewer than two."""
        return max(digits + self._more, 2)


USUAL = Precision()


def cell(value: float, decimals: int = 2, *, leading_zero: bool = False) -> str:
    """Return ``value`` for a small cell: whole numbers whole, others to two decimals: 1, .92, −.50.

    With ``leading_zero``, where there is room, 0.92 and −0.50. So 0 and 1 are exact; what the
    decimals would round to a whole number is written ≈0 or ≈1. From a thousand on three
    significant digits are left: 1.23e3.
    """
    if not abs(value) < 1000:
        return short(value, 3)
    text = fixed(value, decimals)
    whole, _, rest = text.partition(".")
    if not rest.strip("0"):
        return whole if float(value).is_integer() else f"≈{whole}"
    is_small = whole in ("0", "−0")
    return text.replace("0.", ".", 1) if is_small and not leading_zero else text


def power(value: float) -> str:
    """Return ``value`` with one digit and its power of ten: 2e−3, −4e5."""
    digit, _, exponent = f"{value:.0e}".partition("e")
    return _signed(f"{digit}e{int(exponent)}")


def ratio_in_cell(value: float, *, leading_zero: bool = False) -> str:
    """Return a ratio with two digits: .35, 1.0, 3.7, 12."""
    if value < 0.995:
        return cell(value, leading_zero=leading_zero)
    return fixed(value, 1 if value < 9.95 else 0)


def small_in_cell(
    value: float, decimals: int = 2, *, least: float = 0.0, leading_zero: bool = False
) -> str:
    """Return a weight to so many decimals, one that has none there with its power of ten: 2e−3.

    What is not above ``least`` is ≈0 all the same.
    """
    if least < value < 0.5 * 10.0**-decimals:
        return power(value)
    return cell(value, decimals, leading_zero=leading_zero)


def duration(seconds: float) -> str:
    """Return how long something takes, to about three digits: 0.2 ms, 457 ms, 12.1 s, 2 min 5 s."""
    milliseconds = 1000 * seconds
    if milliseconds < 99.95:
        return f"{milliseconds:.1f} ms"
    if milliseconds < 999.5:
        return f"{milliseconds:.0f} ms"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def superscript(number: int) -> str:
    """Return a whole number as an exponent: ², ⁻¹²."""
    return str(number).translate(_RAISED)


def subscript(number: int) -> str:
    """Return a whole number of 0 or more as an index: ₁₂."""
    return str(number).translate(_LOWERED)


def positions(count: int, prefix: str = "t") -> tuple[str, ...]:
    """Return the labels t1..tT, shown 1-based."""
    return tuple(f"{prefix}{number}" for number in range(1, count + 1))


def head_columns(n_heads: int, width: int) -> tuple[str, ...]:
    """Return h1.1, h1.2 .. hH.width: the columns of Concat and the rows of W_O."""
    heads, parts = range(1, n_heads + 1), range(1, width + 1)
    return tuple(f"h{head}.{part}" for head in heads for part in parts)


def _signed(text: str) -> str:
    """Write the minus signs as people do, and none before a zero."""
    return (text.lstrip("-") if float(text) == 0 else text).replace("-", "−")
