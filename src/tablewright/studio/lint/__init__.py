"""Findings of lint, and the edits that fix them."""
