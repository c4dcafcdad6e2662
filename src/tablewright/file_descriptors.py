"""How many files and connections the operating system lets this process have open."""

from __future__ import annotations

import contextlib
import resource

__all__ = ["raise_descriptor_limit"]


def raise_descriptor_limit() -> int:
    """Raise the limit as far as this process may, and return it; never raises an error.

    The usual soft limit of 1,024 is for programs that use select(); servers wait in other ways, and
    every client needs a descriptor.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    # Some systems have a lower limit than the one that they tell, macOS for one.
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        return hard
    return soft
