"""Designs: tables, indexes, entities, derived items and access patterns, checked at import."""

from __future__ import annotations

__all__: list[str] = []
