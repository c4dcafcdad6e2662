"""A request before a table is touched: shapes, placeholders, legacy parameters, error wording."""
