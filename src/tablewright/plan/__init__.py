"""Operations as generators of calls: they build requests and parse replies, and do no I/O."""
