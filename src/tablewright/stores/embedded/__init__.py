"""Stores on the engine in this process."""
