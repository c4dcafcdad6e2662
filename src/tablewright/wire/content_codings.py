"""HTTP content codings as pure functions: compressed requests and responses.

A request declares its coding in ``Content-Encoding`` and the accepted ones in ``Accept-Encoding``.
A decompressed body has the same size limit as a plain one.
"""

from __future__ import annotations

import re
import zlib
from typing import Final

from tablewright.errors import BodyTooLarge, SerializationError
from tablewright.limits import KB, REQUEST_BODY_BYTES_MAX

# DynamoDB: smaller responses are not compressed; pinned by
# test_wire.py::test_a_large_answer_is_compressed_if_the_client_takes_it.
COMPRESSED_BYTES_MIN: Final = 4 * KB
# A fast level: compression runs on the event loop that all requests share.
LEVEL: Final = 1
# Each member of a multi-member gzip body copies the rest: many members would take too long.
PARTS_MAX: Final = 10

_WINDOWS: Final = {b"gzip": 31, b"deflate": 15}  # zlib's wbits for each format.
_WEIGHT: Final = re.compile(rb";\s*+q\s*+=\s*+(\d*+\.?\d*+)\s*+(?=;|$)", re.IGNORECASE)
_WEIGHT_CHARS_MAX: Final = 20  # HTTP allows three decimals; long numbers are slow to parse.


def decoded(body: bytes | bytearray, coding: bytes) -> bytes | bytearray:
    """The decompressed body; raises SerializationError or BodyTooLarge."""
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
            raise _invalid_stream(coding) from None
        room -= len(parts[-1])
        if room <= 0:
            raise BodyTooLarge
        rest = stream.unused_data
        # Differs: AWS returns InternalServerError for a body that does not match its
        # Content-Encoding, and ignores bytes after a gzip stream; here both are a
        # SerializationException. An SDK would repeat a request that failed with a 500.
        if not stream.eof or (rest and (coding != b"gzip" or len(parts) == PARTS_MAX)):
            raise _invalid_stream(coding)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _invalid_stream(coding: bytes) -> SerializationError:
    return SerializationError(f"The request's body is not valid {coding.decode('ascii')}")


def chosen_coding(header: bytes) -> bytes:
    """The coding of a response for this Accept-Encoding; empty for none.

    DynamoDB: the highest weight wins, then the first, whatever "identity" has; pinned by
    test_content_codings.py::test_the_coding_of_an_answer_is_the_client_s_choice.
    """
    weights: dict[bytes, float] = {}
    for entry in header.lower().split(b","):
        name = entry.partition(b";")[0].strip()
        match = _WEIGHT.search(entry)
        number = match[1][:_WEIGHT_CHARS_MAX] if match else b""
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
