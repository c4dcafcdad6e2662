"""Hold That Thought: a family's letters, comments and messages."""

from __future__ import annotations

__all__: list[str] = []
