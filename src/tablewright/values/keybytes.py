"""Key values as bytes that sort, byte by byte, as DynamoDB sorts the values.

    S   its UTF-8 bytes
    B   its bytes
    N   0x80                                              zero
        0x81, exponent + 130, pairs of digits + 1 ...      positive
        0x7f, and the positive's rest complemented, 0xff   negative

The exponent is that of the first digit (-130 to 125, so it fills one byte); digits go two to a
byte, an odd last digit is padded with a zero. Adding one keeps a digit byte above the end of a
shorter number; the final 0xff does the same for the reversed order of negatives.
For example 12.5 is ``81 83 0d 33`` (exponent 1, then 12 + 1, then 50 + 1), and -12.5 is
``7f 7c f2 cc ff``.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import Final

from tablewright.limits import NUMBER_EXPONENT_MIN
from tablewright.values.decimals import scientific

__all__ = ["decode", "encode"]

_ZERO: Final = b"\x80"
_POSITIVE: Final = 0x81
_NEGATIVE: Final = 0x7F
_COMPLEMENT: Final = bytes(255 - byte for byte in range(256))
_PAIRS: Final = {f"{pair:02}": pair + 1 for pair in range(100)}
_DIGITS: Final = {code: pair for pair, code in _PAIRS.items()}


def encode(type_: str, value: str) -> bytes:
    """Return the bytes of a key value of type S, N (canonical text) or B (base64 text)."""
    if type_ == "S":
        return value.encode()
    if type_ == "N":
        return _encode_number(value)
    return b64decode(value)


def decode(type_: str, data: bytes) -> str:
    """Return the value that ``encode`` encoded."""
    if type_ == "S":
        return data.decode()
    if type_ == "N":
        return _decode_number(data)
    return b64encode(data).decode()


def _encode_number(text: str) -> bytes:
    if text == "0":
        return _ZERO
    negative, digits, exponent = scientific(text)
    if len(digits) % 2:
        digits += "0"
    body = bytes(
        [
            exponent - NUMBER_EXPONENT_MIN,
            *[_PAIRS[digits[at : at + 2]] for at in range(0, len(digits), 2)],
        ]
    )
    if negative:
        return b"\x7f" + body.translate(_COMPLEMENT) + b"\xff"
    return b"\x81" + body


def _decode_number(data: bytes) -> str:
    if data == _ZERO:
        return "0"
    negative = data[0] == _NEGATIVE
    assert negative or data[0] == _POSITIVE, f"not the bytes of a number: {data!r}"
    body = data[1:-1].translate(_COMPLEMENT) if negative else data[1:]
    exponent = body[0] + NUMBER_EXPONENT_MIN
    digits = "".join([_DIGITS[code] for code in body[1:]]).rstrip("0")
    sign = "-" if negative else ""
    if exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{digits}"
    if len(digits) <= exponent + 1:
        return sign + digits.ljust(exponent + 1, "0")
    return f"{sign}{digits[: exponent + 1]}.{digits[exponent + 1 :]}"
