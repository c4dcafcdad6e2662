"""What a server is told, and where a request comes from."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright.web.identity.secret import Secret, SecretUnusable
from tablewright.web.server.server_settings import Settings, SettingsInvalid
from tests.web.example import SYSTEM
from tests.web.serving import served


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.9", "localhost", "::1"])
def test_dev_mode_is_on_at_a_loopback_address(host: str) -> None:
    assert Settings(host=host).is_dev
    issuer = Settings(host=host, oidc_issuer="https://x", oidc_audience="y")
    assert not issuer.is_dev


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1", "example.org", "localhost.x"])
def test_dev_mode_is_off_everywhere_else(host: str) -> None:
    assert not Settings(host=host).is_dev


def test_the_public_url_is_where_people_reach_it() -> None:
    assert Settings().base_url == "http://127.0.0.1:8080"
    assert Settings(host="::1", port=1).base_url == "http://[::1]:1"
    assert Settings(public_url="https://x.org/a/").base_url == "https://x.org/a"


@pytest.mark.parametrize(
    "options",
    [
        {"public_url": "x.org"},
        {"public_url": "ftp://x"},
        {"oidc_issuer": "x", "oidc_audience": "y"},
        {"oidc_issuer": "https://x"},
        {"allow_origins": ("https://x.org/",)},
        {"allow_origins": ("x.org",)},
        {"trusted_proxies": ("proxy",)},
    ],
)
def test_what_cannot_be_meant_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(SettingsInvalid):
        Settings(**options)


@pytest.mark.parametrize(
    ("proxies", "forwarded", "address"),
    [
        ((), "1.2.3.4", "127.0.0.1"),
        (("10.0.0.0/8",), "1.2.3.4", "127.0.0.1"),
        (("127.0.0.1",), "1.2.3.4", "1.2.3.4"),
        (("127.0.0.1",), "9.9.9.9, 1.2.3.4", "1.2.3.4"),
        (("127.0.0.0/8", "10.0.0.0/8"), "9.9.9.9, 1.2.3.4, 10.0.0.7", "1.2.3.4"),
        (("127.0.0.1",), "", "127.0.0.1"),
        (("127.0.0.1",), "nonsense", "127.0.0.1"),
        (("127.0.0.1", "::1"), "2001:db8::1", "2001:db8::1"),
        (("127.0.0.1", "10.0.0.1"), "10.0.0.1", "10.0.0.1"),
    ],
)
def test_a_proxy_is_believed_only_if_it_is_trusted(
    proxies: tuple[str, ...], forwarded: str, address: str
) -> None:
    with served(SYSTEM, trusted_proxies=proxies) as server:
        told = server.guest().get("/me", headers={"X-Forwarded-For": forwarded}).json()
    assert told["address"] == address


def test_a_secret_that_is_too_short_or_cannot_be_read_is_refused(tmp_path: Any) -> None:
    short = tmp_path / "short"
    short.touch(0o600)
    with pytest.raises(SecretUnusable, match="is empty"):
        Secret.from_file(short)
    short.write_text("x")
    with pytest.raises(SecretUnusable, match="32"):
        Secret.from_file(short)
    with pytest.raises(SecretUnusable):
        Secret.from_file(tmp_path / "none" / "secret")
    with pytest.raises(SecretUnusable):
        Secret.from_file(tmp_path)
