"""DynamoDB on SQLite. Does not know HTTP, the AWS SDK or designs."""
