"""Changes over time: the stream, versions of an item, tables as they were."""
