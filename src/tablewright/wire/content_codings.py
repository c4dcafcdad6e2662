"""HTTP's content codings as pure functions: bodies that come compressed, answers that leave so.

A request says what it is in ``Content-Encoding`` and what it takes back in ``Accept-Encoding``.
However small a compressed body is, it never becomes larger than a plain one may be.
"""

from __future__ import annotations

import re
import zlib
from typing import Final

from tablewright.errors import SerializationError
from tablewright.limits import KB, REQUEST_BODY_BYTES_MAX

# DynamoDB: smaller answers stay as they are; pinned by
# test_wire.py::test_a_large_answer_is_compressed_if_the_client_takes_it.
COMPRESSED_BYTES_MIN: Final = 4 * KB
# A fast level: what is saved on the wire must not be lost on the loop that all requests share.
LEVEL: Final = 1
# Each part of a body that is several gzip files copies the rest of it: many would take forever.
PARTS_MAX: Final = 10

_WINDOWS: Final = {b"gzip": 31, b"deflate": 15}  # zlib's number for each format.
_WEIGHT: Final = re.compile(rb";\s*+q\s*+=\s*+(\d*+\.?\d*+)\s*+(?=;|$)", re.IGNORECASE)
_WEIGHT_CHARS_MAX: Final = 20  # HTTP has three digits after the point; long numbers are slow.


class BodyTooLarge(Exception):
    """A body that is larger than a request may be, once it is no longer compressed."""


def decoded(body: bytes | bytearray, coding: bytes) -> bytes | bytearray:
    """The body itself; raises SerializationError for a coding or stream that is none of ours."""
    coding = coding.strip().lower()
    if coding == b"identity":
        return body
    window = _WINDOWS.get(coding)
    if window is None:
        raise SerializationError("The request's Content-Encoding must be gzip or deflate")
    parts: list[bytes] = []
    room = REQUEST_BODY_BYTES_MAX + 1
    rest: bytes | bytearray = body
    while rest or not parts:
        stream = zlib.decompressobj(window)
        try:
            parts.append(stream.decompress(rest, room))
        except zlib.error:
            raise _no_such(coding) from None
        room -= len(parts[-1])
        if room <= 0:
            raise BodyTooLarge
        rest = stream.unused_data
        # Differs: AWS answers a body that is not compressed as it says with an InternalServerError,
        # and ignores what follows a gzip stream; here both are a SerializationException. An SDK
        # would send the same bytes again and again.
        if not stream.eof or (rest and (coding != b"gzip" or len(parts) == PARTS_MAX)):
            raise _no_such(coding)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _no_such(coding: bytes) -> SerializationError:
    return SerializationError(f"The request's body is not valid {coding.decode('ascii')}")


def chosen_coding(header: bytes) -> bytes:
    """The coding for an answer to a request with this Accept-Encoding; empty if it stays plain.

    DynamoDB: the heaviest wins, then the first, whether "identity" is named or not; pinned by
    test_codings.py::test_the_coding_of_an_answer_is_the_client_s_choice.
    """
    weights: dict[bytes, float] = {}
    for entry in header.lower().split(b","):
        name = entry.partition(b";")[0].strip()
        found = _WEIGHT.search(entry)
        number = found[1][:_WEIGHT_CHARS_MAX] if found else b""
        weights.setdefault(name, min(float(number), 1.0) if number.strip(b".") else 1.0)
    best, best_weight = b"", 0.0
    named = [name for name in weights if name in _WINDOWS]
    for name in (*named, *_WINDOWS):
        weight = weights.get(name, weights.get(b"*", 0.0))
        if weight > best_weight:
            best, best_weight = name, weight
    return best


def encoded(body: bytes, coding: bytes) -> bytes:
    stream = zlib.compressobj(LEVEL, zlib.DEFLATED, _WINDOWS[coding])
    return stream.compress(body) + stream.flush()
