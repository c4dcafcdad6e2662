"""DynamoDB's PartiQL: parses statements into nodes. Pure: no tables, no storage."""
