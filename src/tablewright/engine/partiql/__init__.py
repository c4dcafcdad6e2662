"""PartiQL statements on tables: from parsed statements to reads and writes."""
