"""DynamoDB's HTTP protocol over the engine."""
