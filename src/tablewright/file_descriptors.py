"""The limit on open file descriptors: read it, raise it, derive a connection limit from it."""

from __future__ import annotations

import contextlib
import resource
from typing import Final

__all__ = ["connections_max", "descriptor_limit", "raise_descriptor_limit"]

CONNECTIONS_MAX: Final = 10_000
RESERVED: Final = 128  # For the database, uploads and outgoing calls.


def connections_max(descriptors: int) -> int:
    """The number of connections a server can accept under this descriptor limit."""
    return min(max(descriptors - RESERVED, RESERVED // 2), CONNECTIONS_MAX)


def descriptor_limit() -> int:
    """The current limit on open descriptors of this process."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return soft if soft != resource.RLIM_INFINITY else CONNECTIONS_MAX + RESERVED


def raise_descriptor_limit() -> int:
    """Raise the soft limit to the hard limit and return it; never raises an error.

    The usual soft limit of 1,024 exists for programs that use select(). A server does not use it,
    and needs one descriptor per client.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    # Some systems, such as macOS, enforce a lower limit than the one they report.
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return descriptor_limit()
