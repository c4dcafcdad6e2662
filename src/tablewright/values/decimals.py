"""Numbers: decimal text of at most 38 significant digits, exact, never floats.

A number is stored as its canonical text: plain digits without an exponent, no leading zeros or
plus sign, no trailing zeros after the point, and "0" for every zero. So two numbers are equal
exactly when their canonical texts are. ``"+01.50e1"`` is ``"15"``, ``"-1E-3"`` is ``"-0.001"``.
"""

from __future__ import annotations

import re
from decimal import Context, Decimal
from typing import Final

from tablewright.errors import ValidationError
from tablewright.limits import NUMBER_DIGITS_MAX, NUMBER_EXPONENT_MAX, NUMBER_EXPONENT_MIN

__all__ = ["add", "canonical", "is_plain", "order", "scientific", "subtract"]

# Possessive quantifiers: a long text that is not a number does not cause backtracking.
_NUMBER: Final = re.compile(r"([+-]?)(\d*+)\.?(\d*+)(?:[eE]([+-]?)0*+(\d*+))?", re.ASCII)
# Canonical, except for "-0" and numbers with too many digits.
_PLAIN: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]*[1-9])?")
_EXPONENT_DIGITS_MAX: Final = 19
_EXPONENT_MAX: Final = 2**31 - 1  # The bound in the classic wording.
_NOT_A_NUMBER: Final = "The parameter cannot be converted to a numeric value"
_OVERFLOW: Final = (
    "Number overflow. Attempting to store a number with magnitude larger than supported range"
)
_UNDERFLOW: Final = (
    "Number underflow. Attempting to store a number with magnitude smaller than supported range"
)

# Precise enough for the exact sum of the largest and the smallest number.
_EXACT: Final = Context(prec=2 * (NUMBER_EXPONENT_MAX - NUMBER_EXPONENT_MIN))


def is_plain(text: str) -> bool:
    """Return whether a text is certainly a canonical number; False means undecided."""
    if len(text) > NUMBER_DIGITS_MAX:
        return False
    if text.isdigit() and text.isascii() and text[0] != "0":
        return True  # Most numbers are integers, and this is much faster than the pattern.
    return text != "-0" and _PLAIN.fullmatch(text) is not None


def canonical(text: str) -> str:
    """Return the canonical text of a number.

    Raises ValidationError when it is not a number, has too many digits or is out of range.
    """
    if is_plain(text):
        return text
    match = _NUMBER.fullmatch(text)
    if match is None:
        raise _not_a_number(text)
    sign, whole, fraction, exponent_sign, exponent = match.groups()
    if not whole and not fraction:
        raise _not_a_number(text)
    power = 0
    if exponent_sign is not None:
        power = _exponent(exponent_sign, exponent, text)
    return _checked(sign == "-", whole + fraction, power - len(fraction))


def add(a: str, b: str) -> str:
    """Return the canonical sum of two canonical numbers, or raise as ``canonical`` does."""
    if "." not in a and "." not in b:
        return canonical(str(int(a) + int(b)))
    return _from_decimal(_EXACT.add(Decimal(a), Decimal(b)))


def subtract(a: str, b: str) -> str:
    """Return the canonical difference of two canonical numbers, or raise as ``canonical`` does."""
    if "." not in a and "." not in b:
        return canonical(str(int(a) - int(b)))
    return _from_decimal(_EXACT.subtract(Decimal(a), Decimal(b)))


def order(text: str) -> Decimal:
    """Return a sort key for the number."""
    return Decimal(text)


def scientific(text: str) -> tuple[bool, str, int]:
    """Return a canonical number as (is negative, digits, exponent of the first digit).

    The digits have no zeros at either end; zero has none. 1250 is (False, "125", 3).
    """
    negative = text[0] == "-"
    whole, _, fraction = text[negative:].partition(".")
    joined = whole + fraction
    significant = joined.lstrip("0")
    exponent = len(whole) - 1 - (len(joined) - len(significant))
    return negative, significant.rstrip("0"), exponent


def _from_decimal(number: Decimal) -> str:
    if not number:
        return "0"
    sign, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)  # Sums of finite numbers are finite.
    return _checked(sign == 1, "".join(map(str, digits)), exponent)


def _exponent(sign: str, digits: str, text: str) -> int:
    """Return an exponent without leading zeros, or raise when it needs more than 64 bits."""
    if (not digits and text[-1] != "0") or len(digits) > _EXPONENT_DIGITS_MAX:
        raise _not_a_number(text)
    power = int(sign + (digits or "0"))
    if abs(power) >= 2**63:
        raise _not_a_number(text)
    if abs(power) > _EXPONENT_MAX:
        # DynamoDB: the classic message says "not a number", the current one "overflow".
        raise ValidationError(f"{_NOT_A_NUMBER}: {text}", _OVERFLOW if power > 0 else _UNDERFLOW)
    return power


def _checked(negative: bool, digits: str, power: int) -> str:
    """Return the canonical text of digits times ten to the power."""
    significant = digits.lstrip("0")
    trimmed = significant.rstrip("0")
    if len(trimmed) > NUMBER_DIGITS_MAX:
        raise ValidationError("Attempting to store more than 38 significant digits in a Number")
    # DynamoDB: the range check applies to zero as written: 0e126 is out of range.
    magnitude = max(len(significant), 1) - 1 + power
    if magnitude > NUMBER_EXPONENT_MAX:
        raise ValidationError(_OVERFLOW)
    if magnitude < NUMBER_EXPONENT_MIN:
        raise ValidationError(_UNDERFLOW)
    if not trimmed:
        return "0"
    power += len(significant) - len(trimmed)
    if power >= 0:
        plain = trimmed + "0" * power
    elif magnitude >= 0:
        plain = f"{trimmed[: magnitude + 1]}.{trimmed[magnitude + 1 :]}"
    else:
        plain = f"0.{'0' * (-magnitude - 1)}{trimmed}"
    return f"-{plain}" if negative else plain


def _not_a_number(text: str) -> ValidationError:
    # DynamoDB: the classic message does not quote an empty text.
    current = f"{_NOT_A_NUMBER}: {text}"
    return ValidationError(current if text else _NOT_A_NUMBER, current)
