"""Stores run operations: in process, on DynamoDB, or on any endpoint with its API."""
