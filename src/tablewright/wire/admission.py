"""Access control: pages by Origin, host names by the Host header, clients by their signature.

Every web page that a developer opens can reach a server on the developer's machine, because the
browser runs on that machine. Two rules protect it; neither affects SDKs:

- A browser sends the page's origin in ``Origin``. Pages of this machine are allowed; others are
  rejected, not only prevented from reading responses, or a page could write blindly.
- A page can make its own name resolve to 127.0.0.1 after loading (DNS rebinding); to the browser
  our server then belongs to that page. But ``Host`` still has the page's name. So a server on a
  loopback address accepts only loopback names, unless requests are signed.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from tablewright.errors import AccessDenied, OriginInvalid
from tablewright.wire.signatures import Verifier

ANY_ORIGIN: Final = "*"
PREFLIGHT_SECONDS: Final = 172_800  # The same as DynamoDB.
EXPOSED: Final = "x-amzn-RequestId, x-amzn-ErrorType, x-amz-crc32, Date"

_LOOPBACK_ORIGIN: Final = re.compile(rb"https?://(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?")
_ORIGIN: Final = re.compile(r"[a-z][a-z0-9+.-]*://(\[[0-9a-f:.]+\]|[^\s/:?#@\[\],]+)(:\d{1,5})?")
_HEADER_NAMES: Final = re.compile(rb"[\w!#$%&'*+.^`|~, -]{0,4096}")


def parse_origin(text: str) -> str:
    """An origin as browsers spell it, "*" or "null"; raises OriginInvalid."""
    origin = text.strip().lower().removesuffix("/")
    if origin in (ANY_ORIGIN, "null") or _ORIGIN.fullmatch(origin):
        return origin
    raise OriginInvalid(f"{text!r} is not an origin; use a form such as https://app.example:8443")


def is_loopback(host: str) -> bool:
    """Whether an address, or a name without a port, is a loopback one."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_loopback_authority(header: bytes) -> bool:
    """Whether a Host header, with or without a port, is a loopback name."""
    host = re.sub(r":\d*$", "", header.decode("latin-1").strip())
    return is_loopback(host[1:-1] if host.startswith("[") and host.endswith("]") else host)


@dataclass(frozen=True)
class Access:
    """The access rules of one server; by default those of a loopback server without signatures."""

    origins: frozenset[str] = frozenset()  # Besides those of this machine.
    verifier: Verifier | None = None

    @classmethod
    def of(cls, origins: Iterable[str] = (), verifier: Verifier | None = None) -> Access:
        """The rules for these origins; raises OriginInvalid."""
        return cls(frozenset(map(parse_origin, origins)), verifier)

    def allows_page(self, origin: bytes) -> bool:
        if _LOOPBACK_ORIGIN.fullmatch(origin) or ANY_ORIGIN in self.origins:
            return True
        return origin.decode("latin-1") in self.origins


def page_denied(origin: bytes) -> AccessDenied:
    return AccessDenied(
        f"Pages of {origin.decode('latin-1')} cannot call this server; --allow-origin allows them"
    )


def host_denied(host: bytes) -> AccessDenied:
    return AccessDenied(
        f"This server accepts the host localhost, not {host.decode('latin-1')}; with --credentials "
        "it accepts any host"
    )


def page_fields(origin: bytes) -> bytes:
    """The headers that let a page read a response; empty without an origin."""
    if not origin:
        return b""
    return (
        b"Access-Control-Allow-Origin: %b\r\nAccess-Control-Expose-Headers: %b\r\nVary: Origin\r\n"
        % (origin, EXPOSED.encode("ascii"))
    )


def preflight_fields(header_names: bytes) -> bytes:
    """The headers of a preflight response; any request header is allowed: SDKs add new ones."""
    fields = b"Access-Control-Allow-Methods: GET, HEAD, OPTIONS, POST\r\n"
    if header_names and _HEADER_NAMES.fullmatch(header_names):
        fields += b"Access-Control-Allow-Headers: %b\r\n" % header_names
    return fields + b"Access-Control-Max-Age: %d\r\n" % PREFLIGHT_SECONDS
