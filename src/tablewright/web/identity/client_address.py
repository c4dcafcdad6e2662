"""Where a request comes from. Only configured proxies are trusted."""

from __future__ import annotations

import ipaddress
import re
from typing import Final

from fastapi import Request

from tablewright.web.server.server_settings import Settings

__all__ = ["client_address", "client_name"]

UNKNOWN: Final = "unknown"  # All clients without a readable address count as one.
_WITH_PORT = re.compile(r"(?:\[(?P<v6>[^\]]*)\]|(?P<v4>[0-9.]+))(?::[0-9]+)?").fullmatch
_HOST_BITS: Final = 64  # Of an IPv6 address: one client has a whole network.


def client_address(request: Request, settings: Settings) -> str:
    """The client's address: of the connection, or as far back as trusted proxies say."""
    address = request.client.host if request.client else ""
    if not settings.proxies:
        return address
    forwarded = ",".join(request.headers.getlist("x-forwarded-for"))
    # Each proxy appends its client; only what a trusted proxy appended counts.
    for part in reversed([part.strip() for part in forwarded.split(",") if part.strip()]):
        hop = _without_port(part)
        if not _is_trusted(address, settings) or _parsed(hop) is None:
            break
        address = hop
    return address


def client_name(request: Request, settings: Settings) -> str:
    """What a client is counted by: its IPv4 address, or the network of its IPv6 address."""
    parsed = _parsed(client_address(request, settings))
    if parsed is None:
        return UNKNOWN
    if parsed.version == 4:
        return str(parsed)
    return f"{int(parsed) >> _HOST_BITS:x}/{_HOST_BITS}"


def _without_port(hop: str) -> str:
    """An address that a proxy wrote with the port of its client."""
    match = _WITH_PORT(hop)
    return hop if match is None else match["v6"] or match["v4"]


def _is_trusted(address: str, settings: Settings) -> bool:
    parsed = _parsed(address)
    return parsed is not None and any(parsed in network for network in settings.proxies)


def _parsed(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """An address; one of IPv4 that is written as IPv6 is the same client's, and is read as IPv4."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return None
    mapped = parsed.ipv4_mapped if isinstance(parsed, ipaddress.IPv6Address) else None
    return mapped or parsed
