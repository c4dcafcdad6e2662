"""Codecs for integers, decimals and bytes.

int            its decimal text, not in order: ``10`` sorts before ``9``
int 04         not negative, padded to the width: ``0042``
Decimal 6.2    not negative, fixed digits before and after the point: ``000012.50``
bytes          lower-case hexadecimal
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any, Final

from tablewright.keys.charsets import DIGITS, HEX
from tablewright.keys.codec import Codec, refusal
from tablewright.keys.languages import Choice, Piece, literal
from tablewright.limits import NUMBER_DIGITS_MAX

__all__ = ["FixedDecimal", "HexBytes", "PaddedInt", "PlainInt"]

_WHOLE: Final = re.compile("0|-?[1-9][0-9]*").fullmatch
_DIGITS_ONLY: Final = re.compile("[0-9]+").fullmatch
_DECIMAL: Final = re.compile(r"[0-9]+\.[0-9]+").fullmatch
_HEX: Final = re.compile("(?:[0-9a-f]{2})+").fullmatch


def _as_int(value: Any) -> int:
    # bool is a subclass of int, but is not a number in a key.
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value)
    raise refusal(f"must be a whole number, not {type(value).__name__}")


class PlainInt(Codec):
    """Integers as decimal text; text order is not number order."""

    __slots__ = ()
    is_ordered = False
    _END: Final = 10**NUMBER_DIGITS_MAX

    def __init__(self) -> None:
        pieces = (Choice(("", "-")), Piece(DIGITS, 1, NUMBER_DIGITS_MAX))
        super().__init__("int", pieces, 7)

    def encode(self, value: Any) -> str:
        number = _as_int(value)
        if not -self._END < number < self._END:
            raise refusal(f"must have at most {NUMBER_DIGITS_MAX} digits")
        return str(number)

    def decode(self, text: str) -> int:
        if len(text) > NUMBER_DIGITS_MAX + 1 or not _WHOLE(text):
            raise refusal(f"must be a whole number, not {text!a}")
        number = int(text)
        if not -self._END < number < self._END:
            raise refusal(f"must have at most {NUMBER_DIGITS_MAX} digits")
        return number


class PaddedInt(Codec):
    """Integers from 0, padded with zeros to a fixed width, so that they sort."""

    __slots__ = ("_end", "_format")

    def __init__(self, width: int) -> None:
        super().__init__(f"int {width:02}", (Piece(DIGITS, width, width),), 7)
        self._end = 10**width
        self._format = f"%0{width}d"

    def encode(self, value: Any) -> str:
        number = value if type(value) is int else _as_int(value)
        if not 0 <= number < self._end:
            raise refusal(f"must be between 0 and {self._end - 1}, not {number}")
        return self._format % number

    def decode(self, text: str) -> int:
        if len(text) != self.width or not _DIGITS_ONLY(text):
            raise refusal(f"must be {self.width} digits, not {text!a}")
        return int(text)


class FixedDecimal(Codec):
    """Decimals from 0 with a fixed number of digits on both sides of the point."""

    __slots__ = ("_end", "_format", "_scale")

    def __init__(self, whole: int, fraction: int) -> None:
        pieces = (Piece(DIGITS, whole, whole), literal("."), Piece(DIGITS, fraction, fraction))
        super().__init__(f"decimal {whole}.{fraction}", pieces, Decimal("1.5"))
        self._scale = fraction
        self._end = 10 ** (whole + fraction)
        self._format = f"%0{whole}d.%0{fraction}d"

    def encode(self, value: Any) -> str:
        if not isinstance(value, Decimal):
            raise refusal(f"must be a Decimal, not {type(value).__name__}")
        sign, digits, exponent = value.as_tuple()
        if not isinstance(exponent, int):
            raise refusal("must be finite")
        # Exact integers: Decimal arithmetic would round to the context's precision.
        number = int("".join(map(str, digits)) or "0")
        shift = exponent + self._scale
        if number and shift > len(str(self._end)):
            raise refusal("has too many digits before the point")
        if shift < 0:
            number, rest = divmod(number, 10**-shift) if number else (0, 0)
            if rest:
                raise refusal(f"must have at most {self._scale} digits after the point")
        else:
            number = number * 10**shift if number else 0
        if sign and number:
            raise refusal("must not be negative")
        if number >= self._end:
            raise refusal("has too many digits before the point")
        whole, fraction = divmod(number, 10**self._scale)
        return self._format % (whole, fraction)

    def decode(self, text: str) -> Decimal:
        if len(text) != self.width or not _DECIMAL(text) or text[-self._scale - 1] != ".":
            raise refusal(f"must be written as {self.name}, not {text!a}")
        return Decimal(text)


class HexBytes(Codec):
    """Bytes as lower-case hexadecimal, which sorts like the bytes."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__("hex", (Piece(HEX, 2, None),), b"\x01\x02")

    def encode(self, value: Any) -> str:
        if not isinstance(value, bytes):
            raise refusal(f"must be bytes, not {type(value).__name__}")
        if not value:
            raise refusal("must not be empty")
        return value.hex()

    def decode(self, text: str) -> bytes:
        if not _HEX(text):
            raise refusal(f"must be lower-case hexadecimal, not {text!a}")
        return bytes.fromhex(text)
