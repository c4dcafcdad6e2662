"""Explains calls without sending them: requests, capacity, prices, samples, snippets."""

from __future__ import annotations

from tablewright.explain.explainer import explain

__all__ = ["explain"]
