"""Numbers as people read and write them."""
