"""Large numbers as people write and read them: ``10k``, ``1.5 million``, ``1,000,000``."""

from __future__ import annotations

import re
from typing import Final

from tablewright.studio.format.number_format import bytes_text, number

__all__ = [
    "AmountInvalid",
    "amount_text",
    "dollars_text",
    "parse_amount",
    "rate_text",
    "stored_text",
]

AMOUNT_MAX: Final = 10**15
_WRITTEN: Final = re.compile(r"(\d+(?:\.\d*)?(?:e\d{1,2})?)\s*([a-z]*)", re.ASCII)
_TIMES: Final = {
    "": 1,
    **dict.fromkeys(("k", "thousand"), 10**3),
    **dict.fromkeys(("m", "million"), 10**6),
    **dict.fromkeys(("g", "b", "bn", "billion"), 10**9),
    **dict.fromkeys(("t", "trillion"), 10**12),
}
_WORDS: Final = ((10**12, "trillion"), (10**9, "billion"), (10**6, "million"))


class AmountInvalid(ValueError):
    """A text that is no amount; says why."""


def parse_amount(text: str) -> float:
    """A number as a person types it; raises AmountInvalid."""
    plain = re.sub(r"[,_\s]", "", text.lower())
    match = _WRITTEN.fullmatch(plain)
    if match is None or match[2] not in _TIMES:
        raise AmountInvalid(f"{text!r} is not a number; write 25000, 25k, 1.5M or 10G")
    value = float(match[1]) * _TIMES[match[2]]
    if value > AMOUNT_MAX:
        raise AmountInvalid(f"{text!r} is more than {AMOUNT_MAX:,}")
    return value


def amount_text(value: float) -> str:
    """A number in words from a million on, with three digits; below that as it is."""
    for step, word in _WORDS:
        # What would be rounded up to the next step belongs to it.
        if value >= step * 0.9995:
            return f"{value / step:.3g} {word}"
    return f"{value:,.0f}"


def rate_text(value: float) -> str:
    """Units a second: two digits below ten, whole numbers above."""
    if value >= 10**6:
        return amount_text(value)
    if value >= 10 or not value:
        return f"{value:,.0f}"
    return f"{value:.2g}" if value >= 0.01 else "under 0.01"


def dollars_text(value: float) -> str:
    """Dollars, to the cent below a hundred."""
    if 0 < value < 0.01:
        return "under $0.01"
    if value >= 10**6:
        return f"${amount_text(value)}"
    return f"${value:,.2f}" if value < 100 else f"${number(round(value))}"


def stored_text(size: float) -> str:
    """Bytes, also of more than a computer has."""
    for step, unit in ((1024**5, "PB"), (1024**4, "TB")):
        if size >= step:
            return f"{number(size / step)} {unit}"
    return bytes_text(int(size))
