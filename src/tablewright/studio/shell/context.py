"""The environment of a studio: the server it is mounted in and the project folder.

Everything is optional: without it, a studio shows designs and items.
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
    """``systems`` are the names of the systems mounted in the same server."""

    services: Services | None = None
    systems: tuple[str, ...] = ()
    folder: Path | None = None  # Where ``.tablewright`` is, or may be made.
    warms: bool = False  # Whether to prepare the other pages once the first is opened.

    def server_of(self, name: str) -> Services | None:
        """What a mounted system works with; None if it is not mounted."""
        return self.services if name in self.systems else None
