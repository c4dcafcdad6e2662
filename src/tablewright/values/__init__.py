"""Attribute values: types, numbers, key bytes, sizes. Pure: no tables, no requests."""
