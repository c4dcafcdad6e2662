"""Operations as generators of calls: what to ask, and what to make of the answers; no I/O."""
