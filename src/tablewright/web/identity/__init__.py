"""Who calls: tokens, sessions, origins, addresses; and who may do what."""
