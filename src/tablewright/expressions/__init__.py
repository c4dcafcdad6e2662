"""The expression language: tokens, nodes, evaluation. Pure; knows nothing of tables or storage."""
