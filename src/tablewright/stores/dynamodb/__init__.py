"""Stores on DynamoDB and whatever speaks its protocol: signing, connections, retries, replies."""
