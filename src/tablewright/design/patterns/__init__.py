"""Access patterns: their declaration, the index that serves each, and the proof that it does.

Knows entities and key templates, but no requests and no stores.
"""
