"""Operations that write: what a change does to its rows, and the transaction that commits it."""
