"""PartiQL, as DynamoDB has it: statements to nodes. Pure; knows nothing of tables or storage."""
