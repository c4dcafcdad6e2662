"""Numbers as they are shown: units, bytes and dollars."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

__all__ = ["bytes_text", "money", "number"]

_STEPS: Final = ((1024**3, "GB"), (1024**2, "MB"), (1024, "KB"))


def number(value: float) -> str:
    """A number with at most one decimal: 1,204 or 2.5."""
    return f"{value:,.1f}".removesuffix(".0")


def money(value: Decimal) -> str:
    """Dollars, to the cent or, below one, to the hundredth of a cent."""
    return f"{value:,.2f}" if value >= 1 else f"{value:.4f}"


def bytes_text(size: int) -> str:
    """A size in the largest unit that it fills."""
    for step, unit in _STEPS:
        if size >= step:
            return f"{number(size / step)} {unit}"
    return f"{size:,} B"
