"""Capacity: what-if, partitions, heat and limits."""
