"""Access patterns and writes: forms, runs, saved queries."""
