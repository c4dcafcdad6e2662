"""Care of stored data: compares it with the design."""
