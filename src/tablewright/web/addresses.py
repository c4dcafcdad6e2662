"""Where a request comes from. A proxy is believed only if we were told to."""

from __future__ import annotations

import ipaddress

from fastapi import Request

from tablewright.web.settings import Settings

__all__ = ["client_address"]


def client_address(request: Request, settings: Settings) -> str:
    """The client's address: of the connection, or as far back as trusted proxies say."""
    address = request.client.host if request.client else ""
    if not settings.proxies:
        return address
    told = ",".join(request.headers.getlist("x-forwarded-for"))
    # Each proxy adds whom it was asked by; only what a trusted one has added is true.
    for hop in reversed([part.strip() for part in told.split(",") if part.strip()]):
        if not _is_trusted(address, settings) or _parsed(hop) is None:
            break
        address = hop
    return address


def _is_trusted(address: str, settings: Settings) -> bool:
    parsed = _parsed(address)
    return parsed is not None and any(parsed in network for network in settings.proxies)


def _parsed(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(address)
    except ValueError:
        return None
