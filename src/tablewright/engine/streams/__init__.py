"""Streams: the records of changes, and the iterators that read them."""
