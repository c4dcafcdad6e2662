"""The HTTP routes of the system: requests in, answers out."""
