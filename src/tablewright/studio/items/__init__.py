"""Item collections and single items."""
