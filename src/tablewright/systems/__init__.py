"""Complete backends built with Tablewright, one package each."""

from __future__ import annotations

__all__: list[str] = []
