"""DynamoDB on SQLite. Knows nothing of HTTP, of the AWS SDK or of designs."""
