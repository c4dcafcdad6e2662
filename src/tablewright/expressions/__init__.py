"""The expression language: tokens, nodes, evaluation. Pure: no tables, no storage."""
