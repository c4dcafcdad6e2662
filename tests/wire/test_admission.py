"""Access control: origins and host names of this machine."""

from __future__ import annotations

import pytest

from tablewright.errors import OriginInvalid
from tablewright.wire.admission import (
    Access,
    is_loopback,
    is_loopback_authority,
    parse_origin,
    preflight_fields,
)

OWN_PAGES = [
    b"http://localhost",
    b"http://localhost:3000",
    b"https://localhost:8443",
    b"http://127.0.0.1:5173",
    b"http://[::1]",
    b"https://[::1]:1",
]
FOREIGN_PAGES = [
    b"https://evil.example",
    b"http://localhost.evil.example",
    b"http://evil.example:3000",
    b"http://localhost:3000@evil.example",
    b"http://localhost:3000.evil.example",
    b"http://127.0.0.1.evil.example",
    b"http://128.0.0.1",
    b"http://[::2]",
    b"ftp://localhost",
    b"null",
    b"*",
    b"localhost",
    b"http://localhost\n",
    b"\xff",
]


@pytest.mark.parametrize("origin", OWN_PAGES)
def test_pages_of_this_machine_may_call(origin: bytes) -> None:
    assert Access().allows_page(origin)


@pytest.mark.parametrize("origin", FOREIGN_PAGES)
def test_other_pages_may_not(origin: bytes) -> None:
    assert not Access().allows_page(origin)
    assert not Access.of(["https://app.example"]).allows_page(origin)


def test_pages_that_are_allowed_may_call_and_no_others() -> None:
    access = Access.of(["https://app.example", "HTTPS://B.example:8443/", "null"])
    for origin in (b"https://app.example", b"https://b.example:8443", b"null", *OWN_PAGES):
        assert access.allows_page(origin)
    for origin in (b"https://app.example:444", b"http://app.example", b"https://x.app.example"):
        assert not access.allows_page(origin)


def test_a_star_allows_all_pages() -> None:
    assert all(Access.of(["*"]).allows_page(origin) for origin in OWN_PAGES + FOREIGN_PAGES)


@pytest.mark.parametrize(
    "text",
    ["", "app.example", "https://", "https://a/b", "https://a,https://b", "https://*.a b", "**"],
)
def test_what_is_no_origin_is_refused(text: str) -> None:
    with pytest.raises(OriginInvalid):
        parse_origin(text)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "localhost", "LocalHost"])
def test_these_addresses_are_this_machine_s_own(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["", "0.0.0.0", "::", "10.0.0.1", "example.org", "localhost.x"])
def test_these_are_not(host: str) -> None:
    assert not is_loopback(host)


@pytest.mark.parametrize(
    "header",
    [b"localhost", b"localhost:8000", b"127.0.0.1:1", b"[::1]:80", b"[::1]", b"LOCALHOST:"],
)
def test_host_headers_of_this_machine_are_known(header: bytes) -> None:
    assert is_loopback_authority(header)


@pytest.mark.parametrize(
    "header",
    [
        b"evil.example",
        b"evil.example:8000",
        b"localhost.evil.example:8000",
        b"127.0.0.1.evil.example",
        b"localhost:8000:9000",
        b"localhost@evil.example",
        b"0.0.0.0:8000",
        b"[::2]:8000",
        b"\xff:8000",
    ],
)
def test_other_host_headers_are_not(header: bytes) -> None:
    assert not is_loopback_authority(header)


def test_a_preflight_repeats_only_names_of_headers() -> None:
    names = b"authorization, x-amz-target,content-type"
    assert b"Access-Control-Allow-Headers: %b\r\n" % names in preflight_fields(names)
    for bad in (b"a\r\nSet-Cookie: b", b"a\x00", b"\xff", b"a" * 5000, b"<script>"):
        assert b"Access-Control-Allow-Headers" not in preflight_fields(bad)
