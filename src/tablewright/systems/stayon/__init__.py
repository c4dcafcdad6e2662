"""StayOn: checklists, events and polls that are shared without accounts."""

from __future__ import annotations

__all__: list[str] = []
