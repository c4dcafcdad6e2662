"""Validation without tables: shapes, placeholders, legacy parameters, error wording."""
