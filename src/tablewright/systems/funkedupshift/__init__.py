"""FunkedUpShift: a catalogue of sites with ratings, groups, and a squash log."""

from __future__ import annotations

__all__: list[str] = []
