"""3FC: leagues of three-sided football."""

from __future__ import annotations

__all__: list[str] = []
