"""The rules of the system: each module reads, checks and writes one kind of thing."""
