"""All SQL: the file, its rows, the spans that reads scan. Only this package imports apsw."""
