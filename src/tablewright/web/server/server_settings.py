"""The settings of a server."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import urlsplit

from tablewright.errors import TablewrightError

__all__ = ["Network", "Settings", "SettingsInvalid", "is_loopback"]

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class SettingsInvalid(TablewrightError):
    """A server cannot be started like this."""


@dataclass(frozen=True)
class Settings:
    """The options of ``tablewright serve``; each is also an environment variable there."""

    host: str = "127.0.0.1"
    port: int = 8080
    store: str = "sqlite:///tablewright.db"
    blobs: str = "file:./blobs"
    public_url: str = ""
    secret_file: Path = Path("tablewright.secret")
    oidc_issuer: str = ""
    oidc_audience: str = ""
    groups_claim: str = ""
    mail: str = "outbox:"
    mail_from: str = "tablewright@localhost"
    ai: str = "embedded"
    allow_origins: tuple[str, ...] = ()
    trusted_proxies: tuple[str, ...] = ()
    studio: bool = False  # In dev mode it is there anyway.
    metrics: bool = False

    def __post_init__(self) -> None:
        """Raise SettingsInvalid for invalid or contradictory settings."""
        _require_url("--public-url", self.public_url)
        _require_url("--oidc-issuer", self.oidc_issuer)
        if self.oidc_issuer and not self.oidc_audience:
            raise SettingsInvalid("--oidc-issuer needs --oidc-audience, the audience of its tokens")
        if self.studio and not is_loopback(self.host):
            raise SettingsInvalid("--studio needs a loopback --host: it shows and changes all data")
        for origin in self.allow_origins:
            _require_origin(origin)
        object.__setattr__(self, "_proxies", tuple(map(_network, self.trusted_proxies)))

    @cached_property
    def is_dev(self) -> bool:
        """Dev mode: no token issuer, and only this machine can reach the server.

        A public URL that names another host means that a proxy brings requests from elsewhere.
        """
        public_host = urlsplit(self.base_url).hostname or ""
        return not self.oidc_issuer and is_loopback(self.host) and is_loopback(public_host)

    @property
    def has_studio(self) -> bool:
        """Whether the server has the studio: in dev mode, or where it was asked for."""
        return self.is_dev or self.studio

    @property
    def base_url(self) -> str:
        """Where people reach the server, without a slash at the end."""
        return self.public_url.rstrip("/") or self.local_url

    @property
    def local_url(self) -> str:
        """Where the server listens."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    @property
    def proxies(self) -> tuple[Network, ...]:
        """The networks of trusted proxies."""
        networks: tuple[Network, ...] = self._proxies  # type: ignore[attr-defined]
        return networks


def is_loopback(host: str) -> bool:
    """Whether an address can be reached from this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _require_url(option: str, url: str) -> None:
    parts = urlsplit(url)
    if url and (parts.scheme not in ("http", "https") or not parts.netloc or parts.query):
        raise SettingsInvalid(f"{option} {url}: not an http or https URL")


def _require_origin(origin: str) -> None:
    parts = urlsplit(origin)
    if origin != "*" and (not parts.scheme or f"{parts.scheme}://{parts.netloc}" != origin):
        raise SettingsInvalid(f"--allow-origin {origin}: write it as https://HOST, or *")


def _network(text: str) -> Network:
    try:
        return ipaddress.ip_network(text, strict=False)
    except ValueError:
        raise SettingsInvalid(f"--trusted-proxy {text}: not an address or network") from None
