"""Whom a client is counted as."""

from __future__ import annotations

import pytest
from fastapi import Request

from tablewright.web.identity.client_address import client_address, client_name
from tablewright.web.server.server_settings import Settings


def asked(peer: str, forwarded: str | None = None) -> Request:
    headers = [] if forwarded is None else [(b"x-forwarded-for", forwarded.encode())]
    return Request({"type": "http", "client": (peer, 1), "headers": headers})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("::FFFF:c000:207", "192.0.2.7"),
        ("2001:DB8::1", "2001:0db8:0:0:0:0:0:2"),
        ("nonsense", ""),
        ("999.1.1.1", "testclient"),
    ],
)
def test_two_ways_to_be_one_client_are_one_client(one: str, other: str) -> None:
    assert client_name(asked(one), Settings()) == client_name(asked(other), Settings())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2001:db8:1:2::1", "2001:db8:1:3::1"),
        ("192.0.2.7", "192.0.2.8"),
        ("::1", "127.0.0.1"),
        ("::1.2.3.4", "1.2.3.4"),
        ("nonsense", "192.0.2.7"),
    ],
)
def test_two_clients_are_two(one: str, other: str) -> None:
    assert client_name(asked(one), Settings()) != client_name(asked(other), Settings())


def test_a_trusted_proxy_is_known_in_either_way_of_writing_it() -> None:
    settings = Settings(trusted_proxies=("10.0.0.0/8",))
    assert client_address(asked("::ffff:10.0.0.1", "192.0.2.7"), settings) == "192.0.2.7"
    assert client_address(asked("192.0.2.9", "192.0.2.7"), settings) == "192.0.2.9"


@pytest.mark.parametrize("written", ["192.0.2.7:555", "[2001:db8::1]:80", "[2001:db8::1]"])
def test_a_proxy_may_write_the_port_of_its_client(written: str) -> None:
    settings = Settings(trusted_proxies=("127.0.0.1",))
    address = client_address(asked("127.0.0.1", written), settings)
    assert address in ("192.0.2.7", "2001:db8::1")
