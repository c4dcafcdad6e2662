"""What a studio has around it: the server that it is mounted in, the folder it was started in.

A studio that was told nothing shows designs and items all the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tablewright.web.services.services import Services

__all__ = ["StudioContext"]


@dataclass(frozen=True)
class StudioContext:
    """``systems`` are the names of those that are mounted beside it."""

    services: Services | None = None
    systems: tuple[str, ...] = ()
    folder: Path | None = None  # Where ``.tablewright`` is, or may be made.
    warms: bool = False  # Whether pages are prepared once somebody has opened the first.

    def server_of(self, name: str) -> Services | None:
        """What a mounted system works with; None if it is not mounted."""
        return self.services if name in self.systems else None
