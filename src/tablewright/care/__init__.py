"""Care of stored data: what is stored is compared with what the design says it should be."""
