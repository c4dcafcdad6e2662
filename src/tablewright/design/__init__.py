"""Designs: tables, indexes, entities and derived items, declared once and proved to fit."""

from __future__ import annotations

__all__: list[str] = []
