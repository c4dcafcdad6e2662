"""Who may call: pages by their origin, names by the Host header, clients by their signature.

A server on a developer's machine is reached by every web page that the developer opens, because the
browser runs on that machine too. Two things protect it, and SDKs meet neither:

- A browser says in ``Origin`` which page calls. Pages of this machine may; others are refused, and
  not only kept from reading answers, or a page could write what it cannot read.
- A page can have its own name resolve to 127.0.0.1 once it is loaded (DNS rebinding): to the
  browser our server then belongs to that page. But ``Host`` still has the page's name. So a server
  that listens on a loopback address answers to loopback names only, unless requests are signed:
  a signature proves more than a name.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from tablewright.errors import AccessDenied
from tablewright.wire.signatures import Verifier

ANY_ORIGIN: Final = "*"
PREFLIGHT_SECONDS: Final = 172_800  # As long as DynamoDB says.
EXPOSED: Final = "x-amzn-RequestId, x-amzn-ErrorType, x-amz-crc32, Date"

_LOOPBACK_ORIGIN: Final = re.compile(rb"https?://(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?")
_ORIGIN: Final = re.compile(r"[a-z][a-z0-9+.-]*://(\[[0-9a-f:.]+\]|[^\s/:?#@\[\],]+)(:\d{1,5})?")
_HEADER_NAMES: Final = re.compile(rb"[\w!#$%&'*+.^`|~, -]{0,4096}")


class OriginInvalid(ValueError):
    """A text is not the origin of a page."""


def parse_origin(text: str) -> str:
    """An origin as browsers spell it, "*" or "null"; raises OriginInvalid."""
    origin = text.strip().lower().removesuffix("/")
    if origin in (ANY_ORIGIN, "null") or _ORIGIN.fullmatch(origin):
        return origin
    raise OriginInvalid(f"{text!r} is not an origin, as https://app.example:8443 is")


def is_loopback(host: str) -> bool:
    """Whether an address, or a name without a port, is this machine's own."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_loopback_authority(header: bytes) -> bool:
    """Whether a Host header, with or without a port, names this machine."""
    host = re.sub(r":\d*$", "", header.decode("latin-1").strip())
    return is_loopback(host[1:-1] if host.startswith("[") and host.endswith("]") else host)


@dataclass(frozen=True)
class Access:
    """The rules of one server; those of a loopback server that looks at no signature, as made."""

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
        f"Pages of {origin.decode('latin-1')} may not call this server; --allow-origin lets them"
    )


def name_denied(host: bytes) -> AccessDenied:
    return AccessDenied(
        f"This server answers to localhost, not to {host.decode('latin-1')}; with --credentials it "
        "answers to any name"
    )


def page_fields(origin: bytes) -> bytes:
    """The headers that let a page read an answer; none if no page asks."""
    if not origin:
        return b""
    return (
        b"Access-Control-Allow-Origin: %b\r\nAccess-Control-Expose-Headers: %b\r\nVary: Origin\r\n"
        % (origin, EXPOSED.encode("ascii"))
    )


def preflight_fields(header_names: bytes) -> bytes:
    """The headers that let a page ask: any headers, as SDKs have many and add new ones."""
    fields = b"Access-Control-Allow-Methods: GET, HEAD, OPTIONS, POST\r\n"
    if header_names and _HEADER_NAMES.fullmatch(header_names):
        fields += b"Access-Control-Allow-Headers: %b\r\n" % header_names
    return fields + b"Access-Control-Max-Age: %d\r\n" % PREFLIGHT_SECONDS
