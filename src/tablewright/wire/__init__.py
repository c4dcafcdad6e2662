"""DynamoDB's HTTP protocol: serves an engine's database."""
