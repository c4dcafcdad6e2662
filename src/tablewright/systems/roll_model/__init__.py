"""Roll Model: a training journal that coaches can share."""

from __future__ import annotations

__all__: list[str] = []
