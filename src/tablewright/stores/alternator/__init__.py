"""Transactions for endpoints that have none, such as ScyllaDB's Alternator."""
