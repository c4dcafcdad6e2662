"""Stores on DynamoDB and endpoints with its API: signing, connections, retries, replies."""
