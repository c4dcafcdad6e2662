"""Content codings: bounded decompression, and the choice of the response's coding.

The authors of ScyllaDB's Alternator observed DynamoDB's behaviour on AWS; see their pull requests
27049, 27080 and 27454.
"""

from __future__ import annotations

import contextlib
import gzip
import random
import tracemalloc
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.errors import BodyTooLarge, SerializationError
from tablewright.limits import REQUEST_BODY_BYTES_MAX
from tablewright.wire.content_codings import (
    PARTS_MAX,
    chosen_coding,
    decoded,
    encoded,
)

PACKERS = {b"gzip": gzip.compress, b"deflate": zlib.compress}
codings = st.sampled_from(sorted(PACKERS))


@given(st.binary(), codings)
def test_what_others_packed_is_unpacked(body: bytes, coding: bytes) -> None:
    assert decoded(PACKERS[coding](body), coding) == body
    assert decoded(bytearray(PACKERS[coding](body)), b" %b " % coding.upper()) == body


@given(st.binary(max_size=10_000))
def test_what_is_packed_others_unpack(body: bytes) -> None:
    assert gzip.decompress(encoded(body, b"gzip")) == body
    assert zlib.decompress(encoded(body, b"deflate")) == body


def test_identity_is_no_coding() -> None:
    assert decoded(b"{}", b"identity") == b"{}"


# RFC 1952: a file may have several members, one after the other.
def test_several_gzip_members_are_one_body() -> None:
    assert decoded(gzip.compress(b'{"a"') + gzip.compress(b": 1}"), b"gzip") == b'{"a": 1}'
    assert decoded(gzip.compress(b"x") * PARTS_MAX, b"gzip") == b"x" * PARTS_MAX


def test_endless_gzip_members_are_refused() -> None:
    with pytest.raises(SerializationError):
        decoded(gzip.compress(b"") * (PARTS_MAX + 1), b"gzip")


@pytest.mark.parametrize("coding", [b"br", b"zstd", b"gzip, gzip", b"gzip;q=1", b"\xff"])
def test_another_coding_is_refused(coding: bytes) -> None:
    with pytest.raises(SerializationError, match="gzip or deflate"):
        decoded(b"{}", coding)


@pytest.mark.parametrize("coding", sorted(PACKERS))
def test_a_stream_that_is_not_what_it_says_is_refused(coding: bytes) -> None:
    packed = PACKERS[coding](b'{"TableName": "abc"}')
    for broken in (b"", b"{}", packed[:-1], packed[:5], packed + b"junk", packed[1:]):
        with pytest.raises(SerializationError, match=f"not valid {coding.decode()}"):
            decoded(broken, coding)


@given(st.binary(max_size=200), codings)
def test_no_bytes_whatever_are_worse_than_refused(body: bytes, coding: bytes) -> None:
    with contextlib.suppress(SerializationError):
        decoded(body, coding)


# The limit is that of a plain body, to the byte, however little was sent.
@pytest.mark.parametrize("coding", sorted(PACKERS))
def test_a_bomb_is_not_unpacked(coding: bytes) -> None:
    assert len(decoded(PACKERS[coding](bytes(REQUEST_BODY_BYTES_MAX)), coding)) == (
        REQUEST_BODY_BYTES_MAX
    )
    for times in (1, 3):
        bomb = PACKERS[coding](bytes(REQUEST_BODY_BYTES_MAX * times + 1))
        assert len(bomb) < REQUEST_BODY_BYTES_MAX
        with pytest.raises(BodyTooLarge):
            decoded(bomb, coding)


def test_a_bomb_takes_no_more_memory_than_the_largest_request() -> None:
    bomb = gzip.compress(bytes(8 * REQUEST_BODY_BYTES_MAX))
    tracemalloc.start()
    with pytest.raises(BodyTooLarge):
        decoded(bomb, b"gzip")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 * REQUEST_BODY_BYTES_MAX


def test_several_small_bombs_are_one() -> None:
    half = gzip.compress(bytes(REQUEST_BODY_BYTES_MAX // 2 + 1))
    with pytest.raises(BodyTooLarge):
        decoded(half + half, b"gzip")


@pytest.mark.parametrize(
    ("header", "chosen"),
    [
        ("", ""),
        ("gzip", "gzip"),
        ("GZIP", "gzip"),
        ("deflate", "deflate"),
        ("identity", ""),
        ("br", ""),
        ("x-gzip", ""),
        ("gzip, deflate, br, zstd", "gzip"),
        ("br, identity, deflate, gzip", "deflate"),
        ("dog, gzip ,, cat", "gzip"),
        ("gzip;q=0", ""),
        ("gzip ;q=0", ""),
        ("gzip; q = 0.000", ""),
        ("gzip;q=0, deflate;q=0.5", "deflate"),
        ("gzip;q=0.8, deflate;q=0.5", "gzip"),
        ("gzip;q=0.2, deflate;q=0.5", "deflate"),
        ("gzip;q=0.5,identity;q=0.8", "gzip"),
        ("identity;q=0", ""),
        ("*", "gzip"),
        ("*;q=0", ""),
        ("*, deflate", "deflate"),
        ("*, deflate;q=0.5", "gzip"),
        ("*, gzip;q=0.5", "deflate"),
        ("*;q=0.5,identity", "gzip"),
        ("br;q=0.8,identity;q=0.5,*;q=0", ""),
        ("deflate;q=0.5, gzip;q=31", "gzip"),
        ("deflate;q=0.5,gzip;q=0.", "deflate"),
        ("deflate;q=0.5,gzip;q=0.x", "gzip"),
        ("gzip br", ""),
        ('"gzip"', ""),
    ],
)
def test_the_coding_of_an_answer_is_the_client_s_choice(header: str, chosen: str) -> None:
    assert chosen_coding(header.encode()).decode() == chosen


@given(st.lists(st.sampled_from(["gzip", "deflate", "*", ";", "q", "=", "0", ".", ",", " ", "1"])))
def test_any_header_chooses_something(words: list[str]) -> None:
    assert chosen_coding("".join(words).encode()) in {b"", b"gzip", b"deflate"}


def test_what_cannot_be_compressed_hardly_grows() -> None:
    body = random.Random(1).randbytes(100_000)
    assert len(encoded(body, b"gzip")) < len(body) + 100
