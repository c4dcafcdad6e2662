"""What a value is: types, numbers, key bytes, sizes. Pure; knows nothing of tables or requests."""
