"""How many files and connections the operating system lets this process have open."""

from __future__ import annotations

import contextlib
import resource
from typing import Final

__all__ = ["connections_max", "descriptor_limit", "raise_descriptor_limit"]

CONNECTIONS_MAX: Final = 10_000
RESERVED: Final = 128  # For the database, uploads and calls of other servers.


def connections_max(descriptors: int) -> int:
    """How many connections a server may have when so many descriptors may be open."""
    return min(max(descriptors - RESERVED, RESERVED // 2), CONNECTIONS_MAX)


def descriptor_limit() -> int:
    """How many descriptors this process may have open."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return soft if soft != resource.RLIM_INFINITY else CONNECTIONS_MAX + RESERVED


def raise_descriptor_limit() -> int:
    """Raise the limit as far as this process may, and return it; never raises an error.

    The usual soft limit of 1,024 is for programs that use select(); servers wait in other ways, and
    every client needs a descriptor.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    # Some systems have a lower limit than the one that they tell, macOS for one.
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return descriptor_limit()
