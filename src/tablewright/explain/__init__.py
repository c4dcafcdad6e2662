"""What a call does and costs, without sending it: requests, capacity, prices, samples, snippets."""

from __future__ import annotations

from tablewright.explain.explainer import explain

__all__ = ["explain"]
