"""All the SQL: the file, its rows, the spans that reads walk. Only this package imports apsw."""
